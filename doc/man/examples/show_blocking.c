/* Unit 0 puts a number to the last unit, and reads it again. Both calls return when they are
 * complete; the barrier tells the last unit. */
#include <assert.h>

#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        gptr, last;
  long              *mine, value = 7, back;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_LONG, &gptr);
  last = gptr;
  dart_gptr_setunit(&last, DART_TEAM_UNIT_ID((int)n - 1));
  if (me.id == 0) {
    dart_put_blocking(last, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG);
    dart_get_blocking(&back, last, 1, DART_TYPE_LONG, DART_TYPE_LONG);
    assert(back == 7);
  }
  dart_barrier(DART_TEAM_ALL);
  if (me.id == (int)n - 1) {
    dart_gptr_getaddr(last, (void **)&mine); /* own memory: plain loads and stores */
    assert(*mine == 7);
  }
  dart_team_memfree(gptr);

  dart_exit();
  return 0;
}
