/* The left neighbour puts a word, and this unit waits until it is not 0 any more, for at most a
 * minute. Then unit 0 waits for a word of every unit, whichever comes first. */
#include <assert.h>
#include <string.h>

#include <dash/dart/ext/dart_wait_word.h>
#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        gptr, right, slot;
  long              *mine, zero  = 0, value;
  size_t             index, from = 0;
  dart_ret_t         ret;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 1 + n, DART_TYPE_LONG, &gptr);
  dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(me.id));
  dart_gptr_getaddr(gptr, (void **)&mine);
  memset(mine, 0, (1 + n) * sizeof *mine);
  dart_barrier(DART_TEAM_ALL);

  right = gptr;
  dart_gptr_setunit(&right, DART_TEAM_UNIT_ID((me.id + 1) % (int)n));
  value = 1 + me.id;
  dart_put(right, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  dart_flush(right);
  ret = dart_wait_word(gptr, DART_TYPE_LONG, DART_WAIT_NE, &zero, 60 * 1000000);
  assert(ret == DART_OK &&
         *mine == 1 + (me.id + (int)n - 1) % (int)n); /* DART_PENDING: it timed out */

  slot = gptr;
  dart_gptr_setunit(&slot, DART_TEAM_UNIT_ID(0));
  dart_gptr_incaddr(&slot, (1 + me.id) * (int64_t)sizeof(long));
  dart_put_blocking(slot, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  if (me.id == 0) {
    dart_gptr_t first = gptr;

    dart_gptr_incaddr(&first, sizeof(long));
    for (size_t i = 0; i < n; i++) {
      dart_wait_word_range(first, n, 1, DART_TYPE_LONG, DART_WAIT_NE, &zero, from, -1, &index);
      assert(mine[1 + index] == 1 + (long)index);
      mine[1 + index] = 0;         /* served */
      from            = index + 1; /* look at the next ones first */
    }
  }

  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(gptr);

  dart_exit();
  return 0;
}
