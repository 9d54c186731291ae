/* Five-point stencil: Poisson's equation on a square, by Gauss-Seidel.
 *
 * Every point of an N x N grid of floats shall be the mean of its four neighbours plus a source:
 *     4 u[i][j] - u[i-1][j] - u[i+1][j] - u[i][j-1] - u[i][j+1] = s[i][j],
 * where the border around the grid is fixed. Each unit owns a block of rows and sweeps over it in
 * place, always with the latest values of its own block. Of the blocks above and below it knows the
 * row that touches its own, as it was after the sweep before: the halo. Owners put these rows into
 * the halo of their neighbours, blocking, then a barrier. There are two sets of halo rows, used in
 * turn, so that one barrier per sweep is enough: when a unit puts into a set for the second time,
 * it has passed the barrier that its neighbours reach only after the sweep that used it.
 *
 * Converged means that the largest residual of the equation above is at most --tolerance times that
 * of the start grid. Gauss-Seidel takes about N^2 sweeps to carry a value across a grid, so a
 * problem whose solution spans the grid would either run for hours at N = 1024 or stop far from the
 * solution. The standard problem needs no such sweeps: hills and hollows about 32 points wide,
 *     u[i][j] = sin(a i) sin(a j),  s = 8 sin^2(a/2) u,  a = pi m / (N + 1),  m about N / 32,
 * from a start at zero with zero border. The equation holds exactly, not up to a step width, so the
 * error of a result is known; and the error falls as the residual does, in about 1200 sweeps to
 * 1e-4 at every size. A run that does not converge within --max-iterations counts as not
 * verified; tolerances that a float cannot express may not be reached, or by a standstill.
 *
 * --input takes an image as start grid instead: black 0, white 1, each point the pixel that covers
 * it, the border as the nearest points, no source. The solution is the smooth surface that the edge
 * of the image spans. Converged says less here: a large image fades to something smooth first, and
 * to that surface only with a smaller tolerance.
 *
 * --memory fence, post and lock use epochs: puts between two fences; puts to neighbours that have posted; puts
 * under a lock of the neighbour's block, and the barrier. --memory notify waits for the neighbours alone instead of for all: dart_put_notify puts a row and
 * tells so. --memory in-place copies nothing to another unit: each keeps copies of its outer rows
 * where the halo would be, in two sets as well, and near neighbours read them there
 * (dart_near_ptr); rows of far neighbours are put, as by notify. --memory mpi has the halo in a window of
 * plain MPI. --memory shared does the same as dart without DART, to compare with: the segment is memory that the units share as any C program may,
 * rows are copied by memcpy, and the barrier is written by hand.
 *
 * Verification, by unit 0 alone, on the grid it assembles from all units:
 *   residual  computed afresh in double precision. The tolerance must hold, but for what a float
 *             can express: the residual after a sweep is below that met during the sweep.
 *   exact     for the standard problem: no point may be off by more than 10 times the tolerance,
 *             plus 1e-4 that the rounding of floats may add up to over the sweeps.
 *   serial    a serial solve of the same problem: as many sweeps over the same blocks, no DART.
 *             Every point must agree to 1e-5; equal arithmetic gives equal floats. It takes as
 *             long as all units together, so above N = 1024 only --verify serial asks for it. */
#include "../common/bench.h"
#include "../common/pgm.h"
#include "../common/shared.h"
#include "../common/window.h"

#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_notify.h>

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECK_EVERY = 10, GRID_MAX = 32768, SERIAL_MAX = 1024 };

typedef enum {
  MEMORY_DART,
  MEMORY_FENCE,
  MEMORY_POST,
  MEMORY_LOCK,
  MEMORY_NOTIFY,
  MEMORY_IN_PLACE,
  MEMORY_SHARED,
  MEMORY_MPI,
  MEMORIES
} memory_t;
static const char *const memory_names[MEMORIES] = { "dart",   "fence",    "post",   "lock",
                                                    "notify", "in-place", "shared", "mpi" };

typedef enum { VERIFY_AUTO, VERIFY_RESIDUAL, VERIFY_SERIAL } verify_t;

typedef struct {
  uint64_t    size;
  double      tolerance;
  uint64_t    max_iterations;
  const char *input;  /* NULL: the standard problem */
  const char *output; /* NULL: none */
  verify_t    verify;
  memory_t    memory;
} options_t;

/* The problem, as rows of n + 2 floats: row 0 and n + 1, column 0 and n + 1 are the border. */

typedef struct {
  size_t  n;
  size_t  pitch;  /* n + 2 */
  size_t  nhills; /* each way */
  double *wave;   /* [pitch] sin(a i) */
  pgm_t   image;  /* grey is NULL for the standard problem */
} problem_t;

/* The pixel that covers grid row or column i; the border takes that of its neighbour. */
static size_t pixel_at(size_t i, size_t n, size_t npixels)
{
  size_t inside = i < 1 ? 1 : i > n ? n : i;

  return (2 * inside - 1) * npixels / (2 * n);
}

static void problem_start(const problem_t *p, size_t i, float *row)
{
  const float *pixels;

  if (p->image.grey == NULL) {
    memset(row, 0, p->pitch * sizeof *row);
    return;
  }
  pixels = p->image.grey + pixel_at(i, p->n, p->image.height) * p->image.width;
  for (size_t j = 0; j < p->pitch; j++)
    row[j] = pixels[pixel_at(j, p->n, p->image.width)];
}

static double problem_exact(const problem_t *p, size_t i, size_t j)
{
  return p->wave[i] * p->wave[j];
}

static void problem_source(const problem_t *p, size_t i, float *row)
{
  double half   = sin(M_PI * (double)p->nhills / (double)(p->n + 1) / 2);
  double factor = p->image.grey == NULL ? 8 * half * half : 0;

  for (size_t j = 0; j < p->pitch; j++)
    row[j] = (float)(factor * problem_exact(p, i, j));
}

static problem_t problem_create(size_t n, pgm_t image)
{
  problem_t p = { .n = n, .pitch = n + 2, .nhills = (n + 1 + 16) / 32, .image = image };

  if (p.nhills == 0)
    p.nhills = 1;
  p.wave = bench_alloc(p.pitch, sizeof *p.wave);
  for (size_t i = 1; i <= n; i++)
    p.wave[i] = sin(M_PI * (double)p.nhills * (double)i / (double)(n + 1));
  return p;
}

static void problem_free(problem_t *p)
{
  free(p->wave);
  free(p->image.grey);
}

/* One block of rows, between the rows above and below it */

/* Gauss-Seidel over `nrows` rows in place. The largest residual met on the way. */
static float sweep(size_t n, size_t nrows, float *rows, const float *source, const float *above,
                   const float *below)
{
  size_t pitch   = n + 2;
  float  largest = 0;

  for (size_t i = 0; i < nrows; i++) {
    float       *row  = rows + i * pitch;
    const float *s    = source + i * pitch;
    const float *up   = i == 0 ? above : row - pitch;
    const float *down = i == nrows - 1 ? below : row + pitch;
    float        left = row[0];

    for (size_t j = 1; j <= n; j++) {
      /* What does not wait for the point before comes first: that wait is the time of a sweep. */
      float mean   = 0.25f * (left + (up[j] + down[j] + row[j + 1] + s[j]));
      float change = fabsf(mean - row[j]);

      largest = change > largest ? change : largest;
      row[j] = left = mean;
    }
  }
  return 4 * largest;
}

/* The largest residual of the rows as they are. */
static double residual(size_t n, size_t nrows, const float *rows, const float *source,
                       const float *above, const float *below)
{
  size_t pitch   = n + 2;
  double largest = 0;

  for (size_t i = 0; i < nrows; i++) {
    const float *row  = rows + i * pitch;
    const float *up   = i == 0 ? above : row - pitch;
    const float *down = i == nrows - 1 ? below : row + pitch;

    for (size_t j = 1; j <= n; j++) {
      double around = (double)up[j] + down[j] + row[j - 1] + row[j + 1];
      double here   = fabs(4.0 * row[j] - around - source[i * pitch + j]);

      largest = here > largest ? here : largest;
    }
  }
  return largest;
}

/* The grid over all units: rows 1..n in blocks that differ by one row at most */

enum { ABOVE, BELOW }; /* the two rows of a set of halo rows */

/* First row of a unit's block; `unit` may be the number of units, for the end. */
static size_t first_row(size_t n, size_t nunits, size_t unit)
{
  return 1 + unit * n / nunits;
}

typedef struct {
  size_t       first; /* row of the grid */
  size_t       nrows;
  float       *halo[2][2];   /* [set][ABOVE or BELOW]; in place: copies of its own outer rows */
  const float *beyond[2][2]; /* what a sweep reads beyond the block: the halo, or others' copies */
  float       *rows;
  float       *source; /* not shared */
  dart_gptr_t  start;  /* of the segment: four halo rows, then the rows of the block */
  memory_t     memory_kind;
  char        *window; /* by MPI: the halo rows */
  dart_gptr_t  flags;  /* unless by barrier: [ABOVE, BELOW] how often that neighbour has told */
  uint64_t     nexchanges;

  /* Without DART: the same in place of a segment, and a barrier before the part of unit 0. */
  bench_shared_t   memory;
  bench_barrier_t *barrier; /* NULL: with DART */
} block_t;

static size_t halo_offset(size_t pitch, int set, int side)
{
  return (size_t)(2 * set + side) * pitch * sizeof(float);
}

static size_t rows_offset(size_t pitch)
{
  return 4 * pitch * sizeof(float);
}

static dart_gptr_t at_unit(dart_gptr_t start, size_t unit, size_t offset)
{
  dart_gptr_setunit(&start, DART_TEAM_UNIT_ID((dart_unit_t)unit));
  dart_gptr_incaddr(&start, (int64_t)offset);
  return start;
}

static float *shared_at(const block_t *block, size_t unit, size_t offset)
{
  char *start = bench_shared_block(&block->memory, (dart_unit_t)unit);

  return (float *)(void *)(start + sizeof(bench_barrier_t) + offset);
}

static float *own_address(const bench_job_t *job, const block_t *block, size_t offset)
{
  void *address;

  if (block->barrier != NULL)
    return shared_at(block, (size_t)job->me, offset);
  BENCH_OK(dart_gptr_getaddr(at_unit(block->start, (size_t)job->me, offset), &address));
  return address;
}

static float *halo_address(const bench_job_t *job, const block_t *block, size_t offset)
{
  return block->window != NULL ? (float *)(void *)(block->window + offset)
                               : own_address(job, block, offset);
}

/* The segment, by DART or without. Collective. */
static dart_ret_t memory_create(const bench_job_t *job, const problem_t *p, block_t *block)
{
  size_t     nfloats = (4 + block->nrows) * p->pitch, most;
  int32_t    here, all_here;
  dart_ret_t ret;

  if (block->memory_kind == MEMORY_MPI)
    block->window = bench_window_open(rows_offset(p->pitch));
  if (block->memory_kind != MEMORY_SHARED) {
    BENCH_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 2, DART_TYPE_ULONG, &block->flags));
    return dart_team_memalloc_aligned(DART_TEAM_ALL, nfloats, DART_TYPE_FLOAT, &block->start);
  }
  BENCH_OK(dart_allreduce(&nfloats, &most, 1, DART_TYPE_SIZET, DART_OP_MAX, DART_TEAM_ALL));
  ret = bench_shared_create(job, sizeof(bench_barrier_t) + most * sizeof(float), &block->memory);
  if (ret != DART_OK)
    return ret;
  here = block->memory.base != NULL;
  BENCH_OK(dart_allreduce(&here, &all_here, 1, DART_TYPE_INT, DART_OP_MIN, DART_TEAM_ALL));
  if (!all_here) {
    bench_shared_free(&block->memory);
    return DART_ERR_NOMEM;
  }
  block->barrier = bench_shared_block(&block->memory, 0);
  return DART_OK;
}

static bool has_neighbour(const bench_job_t *job, int side)
{
  return side == ABOVE ? job->me > 0 : (size_t)job->me + 1 < job->nunits;
}

static size_t neighbour(const bench_job_t *job, int side)
{
  return (size_t)job->me + (side == ABOVE ? (size_t)-1 : 1);
}

/* Where a sweep finds the row beyond the block: in its own halo, or a near neighbour's copy of it. */
static const float *row_beyond(const bench_job_t *job, const problem_t *p, const block_t *block,
                               int set, int side)
{
  const float *copy = NULL;

  if (block->memory_kind == MEMORY_IN_PLACE && has_neighbour(job, side))
    copy = dart_near_ptr(at_unit(block->start, neighbour(job, side),
                                 halo_offset(p->pitch, set, side == ABOVE ? BELOW : ABOVE)));
  return copy != NULL ? copy : block->halo[set][side];
}

/* This unit's block of the start grid, halo included. Collective. */
static dart_ret_t block_create(const bench_job_t *job, const problem_t *p, memory_t memory,
                               block_t *block_out)
{
  size_t     me    = (size_t)job->me;
  block_t    block = { .first = first_row(p->n, job->nunits, me), .memory_kind = memory };
  dart_ret_t ret;

  block.nrows = first_row(p->n, job->nunits, me + 1) - block.first;
  ret         = memory_create(job, p, &block);
  if (ret != DART_OK)
    return ret;

  block.rows   = own_address(job, &block, rows_offset(p->pitch));
  block.source = bench_alloc(block.nrows * p->pitch, sizeof *block.source);
  for (size_t i = 0; i < block.nrows; i++) {
    problem_start(p, block.first + i, block.rows + i * p->pitch);
    problem_source(p, block.first + i, block.source + i * p->pitch);
  }
  for (int set = 0; set < 2; set++) {
    for (int side = ABOVE; side <= BELOW; side++)
      block.halo[set][side] = halo_address(job, &block, halo_offset(p->pitch, set, side));
    problem_start(p, block.first - 1, block.halo[set][ABOVE]);
    problem_start(p, block.first + block.nrows, block.halo[set][BELOW]);
    for (int side = ABOVE; side <= BELOW; side++)
      block.beyond[set][side] = row_beyond(job, p, &block, set, side);
  }
  if (memory != MEMORY_SHARED) {
    void *flags;

    BENCH_OK(dart_gptr_getaddr(at_unit(block.flags, me, 0), &flags));
    memset(flags, 0, 2 * sizeof(uint64_t));
  }
  if (memory ==
      MEMORY_FENCE) /* an epoch begins; ordinary operations go on when it has ended, in solve */
    BENCH_OK(dart_epoch_fence(block.start, DART_EPOCH_NOPRECEDE));
  BENCH_OK(dart_barrier(DART_TEAM_ALL)); /* before neighbours put into the halo */
  *block_out = block;
  return DART_OK;
}

static void block_free(block_t *block)
{
  if (block->window != NULL)
    bench_window_close();
  if (block->barrier != NULL) {
    bench_shared_free(&block->memory);
  } else {
    BENCH_OK(dart_team_memfree(block->start));
    BENCH_OK(dart_team_memfree(block->flags));
  }
  free(block->source);
}

/* A row for the halo of another unit, complete on return. */
static void put_row(const problem_t *p, const block_t *block, size_t unit, size_t offset,
                    const float *row)
{
  if (block->window != NULL)
    bench_window_put(unit, offset, row, p->pitch * sizeof *row);
  else if (block->barrier != NULL)
    memcpy(shared_at(block, unit, offset), row, p->pitch * sizeof *row);
  else
    BENCH_OK(dart_put_blocking(at_unit(block->start, unit, offset), row, p->pitch, DART_TYPE_FLOAT,
                               DART_TYPE_FLOAT));
}

/* The same to one neighbour and for it alone, or a copy for it to read. */
static void tell_row(const bench_job_t *job, const problem_t *p, block_t *block, int set, int side,
                     const float *row)
{
  int         there = side == ABOVE ? BELOW : ABOVE;
  size_t      unit = neighbour(job, side), nrow = p->pitch;
  dart_gptr_t flag = at_unit(block->flags, unit, (size_t)there * sizeof(uint64_t));

  if (block->beyond[set][side] != block->halo[set][side]) {
    memcpy(block->halo[set][side], row, p->pitch * sizeof *row);
    nrow = 0;
  }
  BENCH_OK(dart_put_notify(at_unit(block->start, unit, halo_offset(p->pitch, set, there)), row,
                           nrow, DART_TYPE_FLOAT, DART_TYPE_FLOAT, flag, 1));
}

/* Where the neighbour on a side keeps the row that this unit hands to it. */
static dart_gptr_t halo_of(const bench_job_t *job, const problem_t *p, const block_t *block,
                           int set, int side)
{
  return at_unit(block->start, neighbour(job, side),
                 halo_offset(p->pitch, set, side == ABOVE ? BELOW : ABOVE));
}

/* Before the puts of an epoch: nothing is sent. */
static void open_epoch(const bench_job_t *job, const block_t *block)
{
  dart_team_unit_t neighbours[2];
  size_t           count = 0;

  if (block->memory_kind != MEMORY_POST)
    return;
  for (int side = ABOVE; side <= BELOW; side++)
    if (has_neighbour(job, side))
      neighbours[count++] = DART_TEAM_UNIT_ID((dart_unit_t)neighbour(job, side));
  BENCH_OK(dart_epoch_post(block->start, count, neighbours, 0));
  BENCH_OK(dart_epoch_start(block->start, count, neighbours, 0));
}

/* After them: its own ones are complete, and the neighbours' are here. */
static void close_epoch(const block_t *block)
{
  if (block->memory_kind == MEMORY_FENCE) {
    BENCH_OK(dart_epoch_fence(block->start, 0));
  } else if (block->memory_kind == MEMORY_POST) {
    BENCH_OK(dart_epoch_complete(block->start));
    BENCH_OK(dart_epoch_wait(block->start));
  } else {
    BENCH_OK(dart_barrier(DART_TEAM_ALL)); /* a lock tells its target nothing */
  }
}

/* exchange_halo by epochs. A lock is shared, for the two neighbours write to different rows. */
static void exchange_by_epochs(const bench_job_t *job, const problem_t *p, const block_t *block,
                               int set, const float *const outer[2])
{
  open_epoch(job, block);
  for (int side = ABOVE; side <= BELOW; side++) {
    dart_gptr_t to;

    if (!has_neighbour(job, side))
      continue;
    to = halo_of(job, p, block, set, side);
    if (block->memory_kind == MEMORY_LOCK)
      BENCH_OK(dart_epoch_lock(to, DART_EPOCH_SHARED, 0));
    BENCH_OK(dart_put(to, outer[side], p->pitch, DART_TYPE_FLOAT, DART_TYPE_FLOAT));
    if (block->memory_kind == MEMORY_LOCK)
      BENCH_OK(dart_epoch_unlock(to, 0));
  }
  close_epoch(block);
}

/* Hand the outer rows to the neighbours, and wait until theirs are here. */
static void exchange_halo(const bench_job_t *job, const problem_t *p, block_t *block, int set)
{
  const float *outer[2] = { block->rows, block->rows + (block->nrows - 1) * p->pitch };
  bool by_flags = block->memory_kind == MEMORY_NOTIFY || block->memory_kind == MEMORY_IN_PLACE;

  if (block->memory_kind >= MEMORY_FENCE && block->memory_kind <= MEMORY_LOCK) {
    exchange_by_epochs(job, p, block, set, outer);
    return;
  }
  block->nexchanges++;
  for (int side = ABOVE; side <= BELOW; side++)
    if (has_neighbour(job, side)) {
      if (by_flags)
        tell_row(job, p, block, set, side, outer[side]);
      else
        put_row(p, block, neighbour(job, side),
                halo_offset(p->pitch, set, side == ABOVE ? BELOW : ABOVE), outer[side]);
    }
  for (int side = ABOVE; side <= BELOW && by_flags; side++)
    if (has_neighbour(job, side))
      BENCH_OK(
          dart_notify_wait(at_unit(block->flags, (size_t)job->me, (size_t)side * sizeof(uint64_t)),
                           block->nexchanges, -1));
  if (by_flags) /* before its own rows change */
    BENCH_OK(dart_flush_local_all(block->flags));
  if (block->window != NULL)
    bench_window_barrier();
  else if (block->barrier != NULL)
    bench_barrier(block->barrier, job->nunits);
  else if (!by_flags)
    BENCH_OK(dart_barrier(DART_TEAM_ALL));
}

/* Solving */

typedef struct {
  uint64_t iterations;
  bool     converged;
  double   first_residual;              /* of the start grid */
  double   last_residual;               /* met during the last sweep */
  double   total, compute, halo, check; /* seconds, each of the unit that spent most */
} outcome_t;

static outcome_t solve(const bench_job_t *job, const problem_t *p, block_t *block,
                       const options_t *options)
{
  outcome_t o = { 0 };
  double    begin, limit;

  o.first_residual = bench_max(residual(p->n, block->nrows, block->rows, block->source,
                                        block->halo[0][ABOVE], block->halo[0][BELOW]));
  o.last_residual  = o.first_residual;
  o.converged      = o.first_residual == 0;
  limit            = options->tolerance * o.first_residual;

  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  begin = bench_seconds();
  while (!o.converged && o.iterations < options->max_iterations) {
    int    set    = (int)(o.iterations % 2);
    double before = bench_seconds(), between, after;
    float  met;

    exchange_halo(job, p, block, set);
    between = bench_seconds();
    met     = sweep(p->n, block->nrows, block->rows, block->source, block->beyond[set][ABOVE],
                    block->beyond[set][BELOW]);
    after   = bench_seconds();
    o.halo += between - before;
    o.compute += after - between;

    o.iterations++;
    if (o.iterations % CHECK_EVERY == 0 || o.iterations == options->max_iterations) {
      o.last_residual = bench_max(met);
      o.converged     = o.last_residual <= limit;
      o.check += bench_seconds() - after;
    }
  }
  o.total = bench_max(bench_seconds() - begin);
  if (block->memory_kind == MEMORY_FENCE)
    BENCH_OK(dart_epoch_fence(block->start, DART_EPOCH_NOPRECEDE | DART_EPOCH_NOSUCCEED));
  BENCH_OK(dart_barrier(DART_TEAM_ALL)); /* all blocks are final */
  o.compute = bench_max(o.compute);
  o.halo    = bench_max(o.halo);
  o.check   = bench_max(o.check);
  return o;
}

/* Verification, by unit 0 */

/* The whole grid, border included, fetched from all units; the caller frees it. */
static float *assemble(const bench_job_t *job, const problem_t *p, const block_t *block)
{
  float *grid = bench_alloc(p->pitch * p->pitch, sizeof *grid);

  problem_start(p, 0, grid);
  problem_start(p, p->n + 1, grid + (p->n + 1) * p->pitch);
  for (size_t unit = 0; unit < job->nunits; unit++) {
    size_t first = first_row(p->n, job->nunits, unit);
    size_t nrows = first_row(p->n, job->nunits, unit + 1) - first;

    if (block->barrier != NULL)
      memcpy(grid + first * p->pitch, shared_at(block, unit, rows_offset(p->pitch)),
             nrows * p->pitch * sizeof *grid);
    else
      BENCH_OK(dart_get_blocking(grid + first * p->pitch,
                                 at_unit(block->start, unit, rows_offset(p->pitch)),
                                 nrows * p->pitch, DART_TYPE_FLOAT, DART_TYPE_FLOAT));
  }
  return grid;
}

/* The same sweeps in one process, without DART. */
static float *solve_serial(const problem_t *p, const float *source, size_t nblocks,
                           uint64_t iterations)
{
  float *grid  = bench_alloc(p->pitch * p->pitch, sizeof *grid);
  float *above = bench_alloc(nblocks * p->pitch, sizeof *above);
  float *below = bench_alloc(nblocks * p->pitch, sizeof *below);
  size_t nrow  = p->pitch * sizeof *grid;

  for (size_t i = 0; i < p->pitch; i++)
    problem_start(p, i, grid + i * p->pitch);
  for (uint64_t k = 0; k < iterations; k++) {
    for (size_t b = 0; b < nblocks; b++) {
      memcpy(above + b * p->pitch, grid + (first_row(p->n, nblocks, b) - 1) * p->pitch, nrow);
      memcpy(below + b * p->pitch, grid + first_row(p->n, nblocks, b + 1) * p->pitch, nrow);
    }
    for (size_t b = 0; b < nblocks; b++) {
      size_t first = first_row(p->n, nblocks, b);

      sweep(p->n, first_row(p->n, nblocks, b + 1) - first, grid + first * p->pitch,
            source + first * p->pitch, above + b * p->pitch, below + b * p->pitch);
    }
  }
  free(below);
  free(above);
  return grid;
}

static double largest_error(const problem_t *p, const float *grid)
{
  double largest = 0;

  for (size_t i = 1; i <= p->n; i++)
    for (size_t j = 1; j <= p->n; j++)
      largest = fmax(largest, fabs(grid[i * p->pitch + j] - problem_exact(p, i, j)));
  return largest;
}

static double largest_difference(const problem_t *p, const float *a, const float *b)
{
  double largest = 0;

  for (size_t i = 0; i < p->pitch * p->pitch; i++)
    largest = fmax(largest, fabs((double)a[i] - b[i]));
  return largest;
}

/* Print one check; whether it holds. A NaN does not. */
static bool report(const char *what, double found, double limit)
{
  bool holds = found <= limit;

  printf("  %s: %.3g, at most %.3g allowed: %s\n", what, found, limit, holds ? "ok" : "WRONG");
  return holds;
}

static bool verify(const bench_job_t *job, const problem_t *p, const options_t *options,
                   const outcome_t *o, const float *grid)
{
  bool serial =
      options->verify == VERIFY_SERIAL || (options->verify == VERIFY_AUTO && p->n <= SERIAL_MAX);
  double rounding = 8 * FLT_EPSILON; /* of a sum of five values up to 1 each */
  float *source   = bench_alloc(p->pitch * p->pitch, sizeof *source);
  bool   holds    = true;

  for (size_t i = 1; i <= p->n; i++)
    problem_source(p, i, source + i * p->pitch);
  holds &= report(
      "residual of the assembled grid",
      residual(p->n, p->n, grid + p->pitch, source + p->pitch, grid, grid + (p->n + 1) * p->pitch),
      options->tolerance * o->first_residual + rounding);
  if (p->image.grey == NULL)
    holds &= report("error against the exact solution", largest_error(p, grid),
                    10 * options->tolerance + 1e-4);
  if (serial) {
    float *expected = solve_serial(p, source, job->nunits, o->iterations);

    holds &= report("difference to the serial solve", largest_difference(p, grid, expected), 1e-5);
    free(expected);
  }
  free(source);
  return holds && o->converged;
}

/* Images */

/* Unit 0 opens both files, and all units learn what became of it. `image_out` is the input on every
 * unit, `output_out` the open output on unit 0. False: unit 0 has said what is wrong. */
static bool open_images(const bench_job_t *job, const options_t *options, pgm_t *image_out,
                        FILE **output_out)
{
  pgm_t    image    = { 0 };
  FILE    *output   = NULL;
  uint64_t share[3] = { true }; /* all is well, width, height */

  if (job->me == 0) {
    const char *problem = NULL;

    if (options->input != NULL)
      problem = pgm_read(options->input, &image);
    if (problem != NULL)
      bench_complain(job, "--input '%s': %s", options->input, problem);
    /* Last, because it empties the file. */
    if (problem == NULL && options->output != NULL) {
      output = fopen(options->output, "wb");
      if (output == NULL) {
        problem = strerror(errno);
        bench_complain(job, "--output '%s': %s", options->output, problem);
      }
    }
    share[0] = problem == NULL;
    share[1] = image.width;
    share[2] = image.height;
  }
  BENCH_OK(dart_bcast(share, 3, DART_TYPE_ULONG, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  if (!share[0]) {
    free(image.grey);
    return false;
  }
  if (options->input != NULL) {
    image.width  = share[1];
    image.height = share[2];
    if (job->me != 0)
      image.grey = bench_alloc(image.width * image.height, sizeof *image.grey);
    BENCH_OK(dart_bcast(image.grey, image.width * image.height, DART_TYPE_FLOAT,
                        DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  }
  *image_out  = image;
  *output_out = output;
  return true;
}

/* The points inside the border. Black to white are 0..1, of the standard problem -1..1. */
static bool write_output(const bench_job_t *job, const problem_t *p, const options_t *options,
                         const float *grid, FILE *file)
{
  bool  shift   = p->image.grey == NULL;
  pgm_t picture = { .width = p->n, .height = p->n };
  bool  written;

  picture.grey = bench_alloc(p->n * p->n, sizeof *picture.grey);
  for (size_t i = 0; i < p->n; i++)
    for (size_t j = 0; j < p->n; j++) {
      float value = grid[(i + 1) * p->pitch + j + 1];

      picture.grey[i * p->n + j] = shift ? (value + 1) / 2 : value;
    }
  written = pgm_write(file, &picture) == 0;
  if (!written)
    bench_complain(job, "--output '%s': %s", options->output, strerror(errno));
  free(picture.grey);
  return written;
}

/* Command line */

static const struct argp_option option_table[] = {
  { "size", 'n', "N", 0, "The grid has N x N points, N from 1 to 32768 (64)", 0 },
  { "tolerance", 't', "T", 0, "Stop at a residual of T times the first one (1e-4)", 0 },
  { "max-iterations", 'm', "N", 0, "Give up after N sweeps (100000)", 0 },
  { "input", 'i', "FILE", 0, "Start from this PGM image (P2 or P5), its edge fixed, no source", 0 },
  { "output", 'o', "FILE", 0, "Write the solution as a PGM image", 0 },
  { "memory", 'M', "WAY", 0,
    "dart: puts and a barrier; fence, post, lock: puts in epochs; notify: puts with notification; "
    "in-place: near rows are not copied. To compare with: shared, memory and barrier without DART, "
    "on one host; mpi, puts and barrier of plain MPI (dart)",
    0 },
  { "verify", 'v', "HOW", 0,
    "residual; serial: also against a serial solve; auto: serial up to N = 1024 (auto)", 0 },
  { 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
  options_t *options = state->input;
  char      *end;

  switch (key) {
  case 'n': return bench_number(state, "--size", arg, 1, GRID_MAX, &options->size);
  case 'm':
    return bench_number(state, "--max-iterations", arg, 1, INT64_MAX, &options->max_iterations);
  case 't':
    options->tolerance = strtod(arg, &end);
    if (end == arg || *end != '\0' || !(options->tolerance > 0 && options->tolerance < 1))
      return bench_bad_value(state, "--tolerance", arg, "a number between 0 and 1");
    return 0;
  case 'i': options->input = arg; return 0;
  case 'o': options->output = arg; return 0;
  case 'M':
    for (options->memory = 0; options->memory < MEMORIES; options->memory++)
      if (strcmp(arg, memory_names[options->memory]) == 0 &&
          (options->memory != MEMORY_MPI || strcmp(bench_backend(), "mpi") == 0))
        return 0;
    return bench_bad_value(
        state, "--memory", arg,
        "dart, fence, post, lock, notify, in-place, shared, or mpi with dart-mpi");
  case 'v':
    if (strcmp(arg, "auto") == 0)
      options->verify = VERIFY_AUTO;
    else if (strcmp(arg, "residual") == 0)
      options->verify = VERIFY_RESIDUAL;
    else if (strcmp(arg, "serial") == 0)
      options->verify = VERIFY_SERIAL;
    else
      return bench_bad_value(state, "--verify", arg, "residual, serial or auto");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp arguments = {
  .options = option_table,
  .parser  = parse_option,
  .doc     = "Solve Poisson's equation on a grid that lies over all units, by the Gauss-Seidel "
             "method, and verify the solution. Printed are the number of sweeps, and the time "
             "of computing, of exchanging edges, and of checking convergence. The edges "
             "between units are exchanged as --memory says."
             "\v"
             "Examples:\n"
             "  dartrun -n 4 stencil-shmem --size=1024\n"
             "  dartrun -n 4 --nodes 2 stencil-mpi --memory=notify --size=2048",
};

static void print_outcome(const bench_job_t *job, const problem_t *p, const outcome_t *o)
{
  if (p->image.grey != NULL)
    printf("Stencil: %zu x %zu floats over %zu units, start grid from %zu x %zu pixels\n", p->n,
           p->n, job->nunits, p->image.width, p->image.height);
  else
    printf("Stencil: %zu x %zu floats over %zu units, %zu x %zu hills and hollows\n", p->n, p->n,
           job->nunits, p->nhills, p->nhills);
  printf("  %s after %llu iterations, residual %.3g of %.3g at the start\n",
         o->converged ? "converged" : "NOT converged", (unsigned long long)o->iterations,
         o->last_residual, o->first_residual);
  printf("  %.4f s: compute %.4f s, halo %.4f s, convergence check %.4f s (slowest unit of each)\n",
         o->total, o->compute, o->halo, o->check);
}

static int run(const bench_job_t *job, const options_t *options)
{
  size_t    n    = options->size;
  FILE     *file = NULL;
  pgm_t     image;
  problem_t problem;
  block_t   block;
  outcome_t outcome;
  int       exit_code = BENCH_VERIFIED;

  if (n < job->nunits) {
    bench_complain(job, "--size %zu is less than one row for each of %zu units", n, job->nunits);
    return BENCH_BAD_INPUT;
  }
  if (!open_images(job, options, &image, &file))
    return BENCH_BAD_INPUT;

  problem = problem_create(n, image);
  if (block_create(job, &problem, options->memory, &block) != DART_OK) {
    bench_complain(job, "--size %zu: no shared memory for %zu x %zu floats over %zu units", n, n, n,
                   job->nunits);
    exit_code = BENCH_BAD_INPUT;
  } else {
    outcome = solve(job, &problem, &block, options);
    if (job->me == 0) {
      float *grid = assemble(job, &problem, &block);
      char   benchmark[64], figure[64];
      bool   verified;

      print_outcome(job, &problem, &outcome);
      verified = verify(job, &problem, options, &outcome, grid);
      if (!verified || (file != NULL && !write_output(job, &problem, options, grid, file)))
        exit_code = BENCH_FAILED;
      free(grid);

      snprintf(benchmark, sizeof benchmark, "stencil-%zu%s%s", n,
               options->memory == MEMORY_DART ? "" : "-",
               options->memory == MEMORY_DART ? "" : memory_names[options->memory]);
      snprintf(figure, sizeof figure, "%llu iterations, %.3f s",
               (unsigned long long)outcome.iterations, outcome.total);
      bench_result(job, benchmark, figure, verified);
    }
    BENCH_OK(dart_bcast(&exit_code, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
    block_free(&block);
  }
  problem_free(&problem);
  if (file != NULL)
    fclose(file);
  return exit_code;
}

int main(int argc, char **argv)
{
  bench_job_t job     = bench_start(&argc, &argv);
  options_t   options = { .size = 64, .tolerance = 1e-4, .max_iterations = 100000 };
  int         exit_code;

  if (bench_parse(&job, &arguments, argc, argv, &options, &exit_code))
    exit_code = run(&job, &options);
  BENCH_OK(dart_exit());
  return exit_code;
}
