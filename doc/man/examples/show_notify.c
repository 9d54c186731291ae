/* Put a row to the right neighbour, and raise its counter. The neighbour waits for its own
 * counter: there is no barrier, and no flush. An empty notification then says that the row was
 * read. */
#include <assert.h>
#include <stddef.h>

#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/if/dart.h>

typedef struct {
  uint64_t counter; /* rows that have come */
  uint64_t taken;   /* rows that the right neighbour has read */
  double   halo[16];
} portion_t;

static dart_gptr_t at(dart_gptr_t gptr, size_t offset)
{
  dart_gptr_incaddr(&gptr, (int64_t)offset);
  return gptr;
}

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_gptr_t        gptr, right, left;
  portion_t         *mine;
  double             row[16];

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, sizeof(portion_t), DART_TYPE_BYTE, &gptr);
  dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(me.id));
  dart_gptr_getaddr(gptr, (void **)&mine);
  mine->counter = mine->taken = 0;
  dart_barrier(DART_TEAM_ALL);

  left = right = gptr;
  dart_gptr_setunit(&right, DART_TEAM_UNIT_ID((me.id + 1) % (int)n));
  dart_gptr_setunit(&left, DART_TEAM_UNIT_ID((me.id + (int)n - 1) % (int)n));
  for (uint64_t step = 1; step <= 3; step++) {
    for (int i = 0; i < 16; i++)
      row[i] = (double)step + me.id;
    dart_put_notify(at(right, offsetof(portion_t, halo)), row, 16, DART_TYPE_DOUBLE,
                    DART_TYPE_DOUBLE, right, 1);
    dart_notify_wait(gptr, step, -1); /* the row of the left neighbour is there */
    assert(mine->halo[15] == (double)step + (me.id + (int)n - 1) % (int)n);
    dart_notify(at(left, offsetof(portion_t, taken)), 1);
    dart_notify_wait(at(gptr, offsetof(portion_t, taken)), step, -1); /* the right one has read */
  }

  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(gptr);

  dart_exit();
  return 0;
}
