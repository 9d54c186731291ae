/* A library completes its own put without waiting for those of the program around it. */
#include <assert.h>

#include <dash/dart/ext/dart_context.h>
#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        gptr, right, next;
  dart_context_t     context;
  long               value = 1, other = 2, back;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 2, DART_TYPE_LONG, &gptr);
  right = gptr;
  dart_gptr_setunit(&right, DART_TEAM_UNIT_ID((me.id + 1) % (int)n));
  next = right;
  dart_gptr_incaddr(&next, sizeof(long));
  dart_context_create(DART_TEAM_ALL, &context);

  dart_put(right, &other, 1, DART_TYPE_LONG, DART_TYPE_LONG); /* in no context */
  dart_context_enter(context);
  dart_put(next, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG); /* in the context */
  dart_context_leave(context);
  dart_context_flush(context); /* completes the second put */
  dart_get_blocking(&back, next, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  assert(back == 1);
  dart_flush(right); /* completes the first put */

  dart_context_destroy(&context);
  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(gptr);

  dart_exit();
  return 0;
}
