/* All units draw tickets from one counter: an atomic, so no two get the same. */
#include <stdint.h>

#include <dash/dart/if/dart.h>

enum { EACH = 10 };

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  dart_gptr_t        counter; /* of unit 0; the others' are not used */
  size_t             n;
  int64_t            one = 1, ticket, sum = 0, all = 0, count;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1; /* it has said why */
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_LONGLONG, &counter);
  dart_gptr_setunit(&counter, DART_TEAM_UNIT_ID(0));
  ticket = 0;
  if (me.id == 0) /* the same zero from all would be a race all the same */
    dart_put_blocking(counter, &ticket, 1, DART_TYPE_LONGLONG, DART_TYPE_LONGLONG);
  dart_barrier(DART_TEAM_ALL);

  for (int i = 0; i < EACH; i++) {
    dart_fetch_and_op(counter, &one, &ticket, DART_TYPE_LONGLONG, DART_OP_SUM);
    dart_flush(counter); /* now `ticket` is what was there before */
    sum += ticket;
  }
  dart_allreduce(&sum, &all, 1, DART_TYPE_LONGLONG, DART_OP_SUM, DART_TEAM_ALL);

  count = (int64_t)n * EACH; /* the tickets are 0 .. count - 1 */
  dart_team_memfree(counter);
  dart_exit();
  return all == count * (count - 1) / 2 ? 0 : 1;
}
