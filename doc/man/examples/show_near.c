/* Read the word of the right neighbour in place where it is near, else by a get. */
#include <assert.h>

#include <dash/dart/ext/dart_near.h>
#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        gptr, right;
  long              *mine, *theirs, value;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_LONG, &gptr);
  dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(me.id));
  dart_gptr_getaddr(gptr, (void **)&mine); /* own memory: plain loads and stores */
  *mine = 100 + me.id;
  dart_barrier(DART_TEAM_ALL);

  right = gptr;
  dart_gptr_setunit(&right, DART_TEAM_UNIT_ID((me.id + 1) % (int)n));
  theirs = dart_near_ptr(right);
  if (theirs != NULL)
    value = *theirs;
  else
    dart_get_blocking(&value, right, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  assert(value == 100 + (me.id + 1) % (int)n);

  dart_team_memfree(gptr);

  dart_exit();
  return 0;
}
