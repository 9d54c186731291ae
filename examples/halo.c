/* Halo exchange in two dimensions, in six ways.
 *
 * The units form a grid; each owns a block of N x N points and a frame around it, the halo, with the
 * outermost points of its four neighbours. A step replaces every point by the mean of the four
 * around it, plus one, and hands the new outermost points on:
 *
 *   barrier   dart_put to all neighbours, a flush, and a barrier of all units
 *   fence     dart_put between two fences, which complete the puts and wait for them at once
 *   post      dart_put to neighbours that have exposed their blocks, and a wait for those of the four alone
 *   lock      dart_put to each neighbour's block under a lock, in one message if the neighbour is far and the
 *             points are few; then a barrier, for a lock tells its target nothing
 *   notify    dart_put_notify to each neighbour, and a wait for those of the four alone
 *   in-place  as notify, but the rows of near neighbours above and below are read where they are,
 *             by dart_near_ptr; only far rows, and columns, are copied
 *
 * Blocks exist twice, for even and odd steps. A neighbour fills the halo of the next step but one only
 * after it has got this unit's points of the next, so nothing is overwritten that is still read.
 *
 * The start is u(i,j) = i^2 - j^2, which is the mean of its neighbours, so after t steps it must be
 * u + t exactly. A halo that is late or early is off by one.
 *
 *   dartrun -n 4 ./halo [barrier|fence|post|lock|notify|in-place [N [STEPS]]] */
#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/if/dart.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A call that cannot fail here. Ends all units: the others may already wait for this one. */
#define MUST(call)                                 \
  do {                                             \
    if ((call) != DART_OK) {                       \
      fprintf(stderr, "halo: %s failed\n", #call); \
      dart_abort(EXIT_FAILURE);                    \
    }                                              \
  } while (0)

typedef enum { BARRIER, FENCE, POST, LOCK, NOTIFY, IN_PLACE, WAYS } way_t;
static const char *const way_names[WAYS] = { "barrier", "fence",  "post",
                                             "lock",    "notify", "in-place" };

enum { UP, DOWN, LEFT, RIGHT, SIDES };
static const int opposite[SIDES] = { DOWN, UP, RIGHT, LEFT };

typedef struct {
  way_t            way;
  long             n, pitch;      /* points of a block each way; with halo */
  long             rows, columns; /* of the grid of units */
  long             row, column;   /* of this unit in it */
  int              unit[SIDES];   /* the neighbours; -1: none */
  size_t           nneighbours;
  dart_team_unit_t neighbours[SIDES]; /* those that there are */
  dart_gptr_t      block[2]; /* of unit 0, for even and odd steps; row 0 and column 0 are halo */
  double          *own[2];
  const double    *in_place[2][SIDES]; /* a near neighbour's outermost row; NULL: in the halo */
  dart_gptr_t      flags;              /* SIDES counters: how often the neighbour there has put */
  dart_datatype_t  column_type;        /* n points, a pitch apart */
} halo_t;

static dart_gptr_t at(dart_gptr_t start, int unit, size_t nbytes)
{
  dart_gptr_setunit(&start, DART_TEAM_UNIT_ID(unit));
  dart_gptr_incaddr(&start, (int64_t)nbytes);
  return start;
}

static void *own_address(dart_gptr_t gptr, int me)
{
  void *address;

  MUST(dart_gptr_getaddr(at(gptr, me, 0), &address));
  return address;
}

/* Where a side's points start, as an index: the outermost own ones, or the halo beyond them. */
static long start_of(const halo_t *h, int side, bool is_halo)
{
  long outer = is_halo ? 0 : 1, inner = is_halo ? h->n + 1 : h->n;

  switch (side) {
  case UP: return outer * h->pitch + 1;
  case DOWN: return inner * h->pitch + 1;
  case LEFT: return h->pitch + outer;
  default: return h->pitch + inner;
  }
}

static bool is_row(int side)
{
  return side == UP || side == DOWN;
}

/* As square a grid as the number of units allows. */
static void arrange(halo_t *h, int me, long nunits)
{
  for (long rows = 1; rows * rows <= nunits; rows++)
    if (nunits % rows == 0)
      h->rows = rows;
  h->columns     = nunits / h->rows;
  h->row         = me / h->columns;
  h->column      = me % h->columns;
  h->unit[UP]    = h->row > 0 ? me - (int)h->columns : -1;
  h->unit[DOWN]  = h->row + 1 < h->rows ? me + (int)h->columns : -1;
  h->unit[LEFT]  = h->column > 0 ? me - 1 : -1;
  h->unit[RIGHT] = h->column + 1 < h->columns ? me + 1 : -1;
}

static void collect_neighbours(halo_t *h)
{
  for (int side = 0; side < SIDES; side++)
    if (h->unit[side] >= 0)
      h->neighbours[h->nneighbours++] = DART_TEAM_UNIT_ID(h->unit[side]);
}

static void allocate(halo_t *h, int me)
{
  size_t npoints = (size_t)(h->pitch * h->pitch);

  MUST(dart_type_create_strided(DART_TYPE_DOUBLE, (size_t)h->pitch, 1, &h->column_type));
  for (int parity = 0; parity < 2; parity++) {
    MUST(dart_team_memalloc_aligned(DART_TEAM_ALL, npoints, DART_TYPE_DOUBLE, &h->block[parity]));
    h->own[parity] = own_address(h->block[parity], me);
    for (int side = UP; side <= DOWN && h->way == IN_PLACE; side++)
      if (h->unit[side] >= 0) {
        long edge = start_of(h, opposite[side], false) - 1; /* with the column before it */

        h->in_place[parity][side] =
            dart_near_ptr(at(h->block[parity], h->unit[side], (size_t)edge * sizeof(double)));
      }
  }
  MUST(dart_team_memalloc_aligned(DART_TEAM_ALL, SIDES, DART_TYPE_ULONG, &h->flags));
  memset(own_address(h->flags, me), 0, SIDES * sizeof(uint64_t));
}

/* The exact value at a point of its own block, halo included, after `step` steps. */
static double exact(const halo_t *h, long i, long j, long step)
{
  double y = (double)(h->row * h->n + i), x = (double)(h->column * h->n + j);

  return y * y - x * x + (double)step;
}

/* The border of the whole square is given, not computed. */
static void set_border(const halo_t *h, double *block, long step)
{
  for (int side = 0; side < SIDES; side++)
    for (long k = 0; h->unit[side] < 0 && k < h->n; k++) {
      long index = start_of(h, side, true) + k * (is_row(side) ? 1 : h->pitch);

      block[index] = exact(h, index / h->pitch, index % h->pitch, step);
    }
}

/* Give the outermost points of `parity` to the neighbours. A row that is read in place is not put.
 * They change in two steps from now, when the neighbours' notifications of the next step have shown that
 * these were received; so nothing has to be flushed for them. */
static void hand_on(halo_t *h, int parity)
{
  if (h->way == POST) {
    MUST(dart_epoch_post(h->block[parity], h->nneighbours, h->neighbours, 0));
    MUST(dart_epoch_start(h->block[parity], h->nneighbours, h->neighbours, 0));
  }
  for (int side = 0; side < SIDES; side++) {
    int             to = h->unit[side], there = opposite[side];
    const double   *from    = h->own[parity] + start_of(h, side, false);
    dart_datatype_t type    = is_row(side) ? DART_TYPE_DOUBLE : h->column_type;
    size_t          npoints = h->in_place[parity][side] != NULL ? 0 : (size_t)h->n;
    dart_gptr_t     into, flag;

    if (to < 0)
      continue;
    into = at(h->block[parity], to, (size_t)start_of(h, there, true) * sizeof(double));
    flag = at(h->flags, to, (size_t)there * sizeof(uint64_t));
    if (h->way == LOCK) /* shared: all neighbours may write, each to its side */
      MUST(dart_epoch_lock(into, DART_EPOCH_SHARED, 0));
    if (h->way <= LOCK)
      MUST(dart_put(into, from, npoints, type, type));
    if (h->way == LOCK)
      MUST(dart_epoch_unlock(into, 0));
    if (h->way > LOCK)
      MUST(dart_put_notify(into, from, npoints, type, type, flag, 1));
  }
}

static void wait_for_others(halo_t *h, int me, long step)
{
  if (h->way == BARRIER) {
    MUST(dart_flush_all(h->block[step % 2]));
    MUST(dart_barrier(DART_TEAM_ALL));
    return;
  }
  if (h->way == LOCK) {
    MUST(dart_barrier(DART_TEAM_ALL));
    return;
  }
  if (h->way == FENCE) {
    MUST(dart_epoch_fence(h->block[step % 2], 0));
    return;
  }
  if (h->way == POST) {
    MUST(dart_epoch_complete(h->block[step % 2]));
    MUST(dart_epoch_wait(h->block[step % 2]));
    return;
  }
  for (int side = 0; side < SIDES; side++)
    if (h->unit[side] >= 0)
      MUST(dart_notify_wait(at(h->flags, me, (size_t)side * sizeof(uint64_t)), (uint64_t)step, -1));
}

/* From step - 1 to step. */
static void compute(const halo_t *h, long step)
{
  int           before = (int)((step - 1) % 2);
  const double *old    = h->own[before];
  double *new          = h->own[step % 2];

  for (long i = 1; i <= h->n; i++) {
    const double *row = old + i * h->pitch;
    const double *up = i == 1 && h->in_place[before][UP] ? h->in_place[before][UP] : row - h->pitch;
    const double *down =
        i == h->n && h->in_place[before][DOWN] ? h->in_place[before][DOWN] : row + h->pitch;

    for (long j = 1; j <= h->n; j++)
      new[i * h->pitch + j] = (up[j] + down[j] + row[j - 1] + row[j + 1]) / 4 + 1;
  }
  set_border(h, new, step);
}

static long count_wrong(const halo_t *h, long step)
{
  long wrong = 0;

  for (long i = 1; i <= h->n; i++)
    for (long j = 1; j <= h->n; j++)
      wrong += h->own[step % 2][i * h->pitch + j] != exact(h, i, j, step);
  return wrong;
}

static double seconds(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Some steps from the exact start. Number of wrong points on all units. */
static long run(halo_t *h, int me, long steps, double *time_out)
{
  long wrong, wrong_all;

  for (long i = 1; i <= h->n; i++)
    for (long j = 1; j <= h->n; j++)
      h->own[0][i * h->pitch + j] = exact(h, i, j, 0);
  set_border(h, h->own[0], 0);
  for (int parity = 0; parity < 2 && h->way == FENCE; parity++)
    MUST(dart_epoch_fence(h->block[parity], DART_EPOCH_NOPRECEDE));
  MUST(dart_barrier(DART_TEAM_ALL));
  *time_out = seconds();
  for (long step = 0; step < steps; step++) {
    hand_on(h, (int)(step % 2));
    wait_for_others(h, me,
                    step + (h->way > LOCK)); /* notifications: so many have come from each side */
    compute(h, step + 1);
  }
  MUST(dart_barrier(DART_TEAM_ALL));
  *time_out = seconds() - *time_out;
  wrong     = count_wrong(h, steps);
  MUST(dart_allreduce(&wrong, &wrong_all, 1, DART_TYPE_LONG, DART_OP_SUM, DART_TEAM_ALL));
  return wrong_all;
}

static bool parse(int argc, char **argv, way_t *way_out, bool *all_out, long *n_out,
                  long *steps_out)
{
  *all_out = argc < 2;
  for (*way_out = 0; !*all_out && *way_out < WAYS && strcmp(argv[1], way_names[*way_out]) != 0;)
    ++*way_out;
  *n_out     = argc > 2 ? atol(argv[2]) : 64;
  *steps_out = argc > 3 ? atol(argv[3]) : 50;
  return (*all_out || *way_out < WAYS) && *n_out >= 1 && *n_out <= 20000 && *steps_out >= 1;
}

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             nunits;
  way_t              first;
  bool               all;
  long               n, steps, wrong_all = 0;

  MUST(dart_init(&argc, &argv));
  MUST(dart_myid(&me));
  MUST(dart_size(&nunits));
  if (!parse(argc, argv, &first, &all, &n, &steps)) {
    if (me.id == 0)
      fprintf(
          stderr,
          "usage: halo [barrier|fence|post|lock|notify|in-place [N [STEPS]]], N from 1 to 20000\n");
    MUST(dart_exit());
    return EXIT_FAILURE;
  }
  for (way_t way = all ? 0 : first; way < (all ? WAYS : first + 1); way++) {
    halo_t h = { .way = way, .n = n, .pitch = n + 2 };
    double time;
    long   wrong;

    arrange(&h, me.id, (long)nunits);
    collect_neighbours(&h);
    allocate(&h, me.id);
    wrong = run(&h, me.id, steps, &time);
    wrong_all += wrong;
    if (me.id == 0)
      printf("halo %-8s  %zu units as %ld x %ld, %ld x %ld points each: %ld wrong points after %ld "
             "steps, %.1f us a step\n",
             way_names[way], nunits, h.rows, h.columns, n, n, wrong, steps,
             time / (double)steps * 1e6);
    MUST(dart_barrier(DART_TEAM_ALL));
    MUST(dart_type_destroy(&h.column_type));
    MUST(dart_team_memfree(h.flags));
    for (int parity = 0; parity < 2; parity++)
      MUST(dart_team_memfree(h.block[parity]));
  }
  MUST(dart_exit());
  return wrong_all == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
