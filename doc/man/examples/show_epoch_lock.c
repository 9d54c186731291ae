/* Each unit changes two words of unit 0 that belong together, with unit 0's portion locked. Unit 0
 * does not take part. */
#include <assert.h>

#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        gptr, second;
  long              *mine, words[2];

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 2, DART_TYPE_LONG, &gptr);
  second = gptr; /* unit 0's portion */
  dart_gptr_incaddr(&second, sizeof(long));
  if (me.id == 0) {
    dart_gptr_getaddr(gptr, (void **)&mine);
    mine[0] = mine[1] = 0;
  }
  dart_barrier(DART_TEAM_ALL);

  dart_epoch_lock(gptr, DART_EPOCH_EXCLUSIVE, 0);
  dart_get_blocking(words, gptr, 2, DART_TYPE_LONG, DART_TYPE_LONG);
  words[0] += 1;
  words[1] -= 1;
  dart_put(gptr, &words[0], 1, DART_TYPE_LONG, DART_TYPE_LONG);
  dart_put(second, &words[1], 1, DART_TYPE_LONG, DART_TYPE_LONG);
  dart_epoch_unlock(gptr, 0); /* both are complete there, then it is unlocked */

  dart_barrier(DART_TEAM_ALL);
  dart_epoch_lock(gptr, DART_EPOCH_SHARED, 0); /* all units may read at the same time */
  dart_get(words, gptr, 2, DART_TYPE_LONG, DART_TYPE_LONG);
  dart_epoch_unlock(gptr, 0);
  assert(words[0] == (long)n && words[1] == -(long)n);

  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(gptr);

  dart_exit();
  return 0;
}
