/* Every unit sets a flag on unit 0, which takes the units as they come. An operator makes the word
 * a flag: REPLACE sets it. */
#include <assert.h>
#include <string.h>

#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        gptr, flags[64];
  uint64_t          *mine, least[64];

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  assert(n <= 64);
  dart_team_memalloc_aligned(DART_TEAM_ALL, n, DART_TYPE_ULONG, &gptr);
  for (size_t i = 0; i < n; i++) { /* all on unit 0 */
    flags[i] = gptr;
    dart_gptr_incaddr(&flags[i], (int64_t)(i * sizeof *mine));
    least[i] = 1;
  }
  if (me.id == 0) {
    dart_gptr_getaddr(gptr, (void **)&mine);
    memset(mine, 0, n * sizeof *mine);
  }
  dart_barrier(DART_TEAM_ALL);

  dart_notify_op(flags[me.id], 5, DART_OP_REPLACE);
  if (me.id == 0)
    for (size_t i = 0; i < n; i++) {
      size_t index;

      dart_notify_waitany(flags, least, n, -1, &index);
      assert(index < n && mine[index] == 5);
      least[index] = UINT64_MAX; /* done with this one */
    }

  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(gptr);

  dart_exit();
  return 0;
}
