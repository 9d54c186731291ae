/* The sum over all units by a predefined operator, and the element with the largest absolute value
 * by one of the program. */
#include <assert.h>
#include <stdlib.h>

#include <dash/dart/if/dart.h>

static void larger_of(const void *in, void *inout, size_t len, void *user_data)
{
  const long *a = in;
  long       *b = inout;

  (void)user_data;
  for (size_t i = 0; i < len; i++)
    if (labs(a[i]) > labs(b[i]))
      b[i] = a[i];
}

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_operation_t   larger;
  long               mine = 0, sum, largest;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  mine = me.id % 2 ? -10 * me.id : me.id; /* 0, -10, 2, -30, ... */
  dart_allreduce(&mine, &sum, 1, DART_TYPE_LONG, DART_OP_SUM, DART_TEAM_ALL);

  dart_op_create(larger_of, NULL, true, DART_TYPE_LONG, false, &larger);
  dart_allreduce(&mine, &largest, 1, DART_TYPE_LONG, larger, DART_TEAM_ALL);
  dart_op_destroy(&larger);

  if (n == 3)
    assert(sum == -8 && largest == -10);

  dart_exit();
  return 0;
}
