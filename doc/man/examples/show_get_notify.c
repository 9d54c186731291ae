/* Get a row of the right neighbour, and raise a counter there: the neighbour learns that its row
 * was read, and may write it again. */
#include <assert.h>
#include <stddef.h>

#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/if/dart.h>

typedef struct {
  uint64_t counter;
  double   row[16];
} portion_t;

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        gptr, right, counter;
  portion_t         *mine;
  double             row[16];

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, sizeof(portion_t), DART_TYPE_BYTE, &gptr);
  dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(me.id));
  dart_gptr_getaddr(gptr, (void **)&mine);
  mine->counter = 0;
  for (int i = 0; i < 16; i++)
    mine->row[i] = me.id;
  dart_barrier(DART_TEAM_ALL);

  counter = right = gptr;
  dart_gptr_setunit(&counter, DART_TEAM_UNIT_ID((me.id + 1) % (int)n));
  dart_gptr_setunit(&right, DART_TEAM_UNIT_ID((me.id + 1) % (int)n));
  dart_gptr_incaddr(&right, offsetof(portion_t, row));
  dart_get_notify(row, right, 16, DART_TYPE_DOUBLE, DART_TYPE_DOUBLE, counter, 1);

  dart_notify_wait(gptr, 1, -1); /* the left neighbour has read this unit's row */
  mine->row[0] = -1;
  dart_flush(right); /* the row is here */
  assert(row[0] == (me.id + 1) % (int)n);
  dart_flush(counter);

  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(gptr);

  dart_exit();
  return 0;
}
