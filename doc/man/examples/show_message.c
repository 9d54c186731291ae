/* All other units send numbers to unit 0, a different count each. Unit 0 probes for the next message,
 * which tells the sender and the size, and then receives it. */
#include <assert.h>

#include <dash/dart/ext/dart_message.h>
#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  long               numbers[64];

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  assert(n <= 64);
  if (me.id != 0) {
    for (int i = 0; i < me.id; i++)
      numbers[i] = me.id;
    dart_send(numbers, (size_t)me.id, DART_TYPE_LONG, 7, DART_GLOBAL_UNIT_ID(0));
  } else
    for (size_t i = 1; i < n; i++) {
      dart_message_t message;

      dart_probe(DART_GLOBAL_UNIT_ANY, 7, &message);
      dart_recv(numbers, message.nbytes / sizeof(long), DART_TYPE_LONG, message.tag, message.unit);
      assert(message.nbytes == (size_t)message.unit.id * sizeof(long));
      assert(numbers[0] == message.unit.id);
    }

  /* With room for any message there is no need to look first. */
  if (me.id != 0)
    dart_send(&me.id, 1, DART_TYPE_INT, 8, DART_GLOBAL_UNIT_ID(0));
  else
    for (size_t i = 1; i < n; i++) {
      dart_message_t message;
      int            unit;

      dart_recv_any(&unit, 1, DART_TYPE_INT, DART_GLOBAL_UNIT_ANY, 8, &message);
      assert(unit == message.unit.id);
    }

  dart_exit();
  return 0;
}
