/* A stencil in one dimension. Each step a unit puts its two edges into its neighbours' halos and tells them by the same
 * call; it waits for its own two halos only, so there is no barrier in the loop. */
#include <stddef.h>
#include <stdint.h>

#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/if/dart.h>

enum { CELLS = 100, STEPS = 50 };

/* What every unit has: halos for even and for odd steps, since a neighbour may be one step ahead. */
typedef struct {
  double   halo[2][2]; /* [step % 2][left or right] */
  uint64_t came[2];    /* how many have come: from the left, from the right */
} shared_t;

enum { LEFT, RIGHT };

static dart_gptr_t shared;

static dart_gptr_t at(int unit, size_t offset)
{
  dart_gptr_t gptr = shared;

  dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(unit));
  dart_gptr_incaddr(&gptr, (int64_t)offset);
  return gptr;
}

/* To the neighbour's halo on `side`, as it sees it. */
static void send_edge(int unit, int side, int step, const double *edge)
{
  size_t halo = offsetof(shared_t, halo) + sizeof(double) * (size_t)(2 * (step % 2) + side);

  dart_put_notify(at(unit, halo), edge, 1, DART_TYPE_DOUBLE, DART_TYPE_DOUBLE,
                  at(unit, offsetof(shared_t, came) + sizeof(uint64_t) * (size_t)side), 1);
}

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  shared_t          *mine;
  double             old[CELLS + 2], new[CELLS + 2], edges[2], sum = 0, all = 0;
  int                left, right;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1; /* it has said why */
  dart_myid(&me);
  dart_size(&n);
  left  = (me.id + (int)n - 1) % (int)n;
  right = (me.id + 1) % (int)n;
  dart_team_memalloc_aligned(DART_TEAM_ALL, sizeof(shared_t), DART_TYPE_BYTE, &shared);
  dart_gptr_getaddr(at(me.id, 0), (void **)&mine);
  *mine = (shared_t){ .came = { 0, 0 } };
  for (int i = 0; i < CELLS + 2; i++)
    old[i] = 0;
  old[CELLS / 2] = 1 + me.id; /* some heat on each unit */
  dart_barrier(DART_TEAM_ALL);

  for (int step = 0; step < STEPS; step++) {
    edges[LEFT]  = old[1];
    edges[RIGHT] = old[CELLS];
    send_edge(left, RIGHT, step, &edges[LEFT]);
    send_edge(right, LEFT, step, &edges[RIGHT]);
    dart_notify_wait(at(me.id, offsetof(shared_t, came)), (uint64_t)step + 1, -1);
    dart_notify_wait(at(me.id, offsetof(shared_t, came) + sizeof(uint64_t)), (uint64_t)step + 1,
                     -1);
    old[0]         = mine->halo[step % 2][LEFT];
    old[CELLS + 1] = mine->halo[step % 2][RIGHT];
    for (int i = 1; i <= CELLS; i++)
      new[i] = 0.25 * old[i - 1] + 0.5 * old[i] + 0.25 * old[i + 1];
    for (int i = 1; i <= CELLS; i++)
      old[i] = new[i];
    dart_flush_local_all(shared); /* `edges` may be written again */
  }
  for (int i = 1; i <= CELLS; i++)
    sum += old[i];
  dart_allreduce(&sum, &all, 1, DART_TYPE_DOUBLE, DART_OP_SUM, DART_TEAM_ALL);

  dart_team_memfree(shared);
  dart_exit(); /* heat moves, and none is lost */
  all -= (double)n * (double)(n + 1) / 2;
  return all > -1e-9 && all < 1e-9 ? 0 : 1;
}
