/* A lock around what no single atomic can do: two words that belong together. */
#include <stdint.h>

#include <dash/dart/if/dart.h>

enum { TIMES = 5 };

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  dart_gptr_t        account; /* two words of unit 0: what was paid, and how often */
  dart_lock_t        lock;
  size_t             n;
  int64_t            words[2] = { 0, 0 };

  if (dart_init(&argc, &argv) != DART_OK)
    return 1; /* it has said why */
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 2, DART_TYPE_LONGLONG, &account);
  dart_gptr_setunit(&account, DART_TEAM_UNIT_ID(0));
  if (me.id == 0)
    dart_put_blocking(account, words, 2, DART_TYPE_LONGLONG, DART_TYPE_LONGLONG);
  dart_team_lock_init(DART_TEAM_ALL, &lock); /* collective: the zeros are there for all */

  for (int i = 0; i < TIMES; i++) {
    dart_lock_acquire(lock);
    dart_get_blocking(words, account, 2, DART_TYPE_LONGLONG, DART_TYPE_LONGLONG);
    words[0] += 7;
    words[1] += 1;
    dart_put_blocking(account, words, 2, DART_TYPE_LONGLONG, DART_TYPE_LONGLONG);
    dart_lock_release(lock);
  }
  dart_barrier(DART_TEAM_ALL);
  dart_get_blocking(words, account, 2, DART_TYPE_LONGLONG, DART_TYPE_LONGLONG);

  dart_team_lock_destroy(&lock);
  dart_team_memfree(account);
  dart_exit();
  return words[0] == 7 * TIMES * (int64_t)n && words[1] == TIMES * (int64_t)n ? 0 : 1;
}
