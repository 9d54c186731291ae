/* Puts of scattered data in epochs: what it costs that the target has to know how they lie.
 *
 * A row for each way and layout: bytes in a row, a vector of 256 blocks, a struct of 128 blocks; a column
 * for DART and for plain MPI. A target keeps 16 descriptions of a peer's types, so where 17 types take turns each put sends
 * one: the runs with --types=16 and --types=17 side by side are table 4 of Traeff, Ritzdorf, Hempel (SC 2000). Both sides
 * run in turns, in the same processes; a figure is the median of the repetitions, each the time of the slowest unit. */
#include "types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_epoch.h>

enum { SIDES = 2, MOST_REPEATS = 101, MOST_BYTES = 1 << 20 };

typedef struct {
  uint64_t nops, nbytes, repeats, milliseconds, ntypes;
  bool     registered;
} options_t;

static const char *const way_names[]    = { "fence", "pscw", "lock" };
static const char *const layout_names[] = { "in a row", "vector of 256 blocks",
                                            "struct of 128 blocks" };

/* ---- command line --------------------------------------------------------------------------- */

static const struct argp_option arguments[] = {
  { "bytes", 'b', "N", 0, "Put N bytes, a multiple of 1024 (1024)", 0 },
  { "puts", 'p', "N", 0, "Put N times in each epoch (1)", 0 },
  { "repeat", 'r', "N", 0, "Take the median of N repetitions (7)", 0 },
  { "time", 't', "MS", 0, "Repeat the epoch for MS milliseconds in each (20)", 0 },
  { "registered", 'g', NULL, 0, "Use registered memory", 0 },
  { "types", 'n', "N", 0, "Put by N types of a layout in turn (1)", 0 },
  { 0 }
};

static error_t read_option(int key, char *text, struct argp_state *state)
{
  options_t *o = state->input;

  switch (key) {
  case 'b':
    if (bench_number(state, "--bytes", text, LEAST_BYTES, MOST_BYTES, &o->nbytes) != 0)
      return EINVAL;
    return o->nbytes % LEAST_BYTES == 0
               ? 0
               : bench_bad_value(state, "--bytes", text, "a multiple of 1024");
  case 'p': return bench_number(state, "--puts", text, 1, 1000, &o->nops);
  case 'r': return bench_number(state, "--repeat", text, 1, MOST_REPEATS, &o->repeats);
  case 't': return bench_number(state, "--time", text, 1, 10000, &o->milliseconds);
  case 'g': o->registered = true; return 0;
  case 'n': return bench_number(state, "--types", text, 1, MOST_TYPES, &o->ntypes);
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp argp = {
  .options = arguments,
  .parser  = read_option,
  .doc     = "Measure puts of scattered data in epochs, by DART, and, in epoch-types-mpi, by "
             "plain MPI: in a row, as a vector of 256 blocks, and as a struct of 128 "
             "blocks, in each of the three kinds of epochs."
             "\v"
             "Examples:\n"
             "  dartrun -n 2 epoch-types-shmem\n"
             "  dartrun -n 2 --nodes 2 epoch-types-mpi --puts=10",
};

/* ---- DART ------------------------------------------------------------------------------------ */

static dart_gptr_t     memory; /* recv, on unit 0 */
static dart_datatype_t types[MOST_TYPES][NLAYOUTS];

static void make_types(const exchange_t *x, size_t number)
{
  size_t lengths[STRUCT_BLOCKS], starts[STRUCT_BLOCKS];
  size_t nints    = block_of(x, VECTOR) / sizeof(int);
  size_t ndoubles = block_of(x, STRUCT) / sizeof(double);

  types[number][ROW] = DART_TYPE_BYTE;
  BENCH_OK(dart_type_create_strided(DART_TYPE_INT, stride_of(number) * nints, nints,
                                    &types[number][VECTOR]));
  for (size_t i = 0; i < STRUCT_BLOCKS; i++) {
    lengths[i] = ndoubles;
    starts[i]  = start_of(STRUCT, number, i) * ndoubles;
  }
  BENCH_OK(dart_type_create_indexed(DART_TYPE_DOUBLE, STRUCT_BLOCKS, lengths, starts,
                                    &types[number][STRUCT]));
}

static dart_gptr_t place(const exchange_t *x, size_t op)
{
  dart_gptr_t at = memory;

  BENCH_OK(dart_gptr_setunit(&at, DART_TEAM_UNIT_ID(x->right)));
  BENCH_OK(dart_gptr_incaddr(&at, (int64_t)(op * x->room)));
  return at;
}

static void put_all(exchange_t *x)
{
  static const size_t sizes[] = { 1, sizeof(int), sizeof(double) }; /* of elements of the layouts */

  for (size_t i = 0; i < x->nops; i++) {
    dart_datatype_t type = types[next_type(x)][x->layout];

    BENCH_OK(
        dart_put(place(x, i), x->send + i * x->room, x->nbytes / sizes[x->layout], type, type));
  }
}

static void fences(exchange_t *x, size_t steps)
{
  BENCH_OK(dart_epoch_fence(memory, DART_EPOCH_NOPRECEDE));
  for (size_t step = 0; step < steps; step++) {
    put_all(x);
    BENCH_OK(dart_epoch_fence(memory, step + 1 < steps ? 0 : DART_EPOCH_NOSUCCEED));
  }
}

static void dedicated(exchange_t *x, size_t steps)
{
  dart_team_unit_t left = DART_TEAM_UNIT_ID(x->left), right = DART_TEAM_UNIT_ID(x->right);

  for (size_t step = 0; step < steps; step++) {
    BENCH_OK(dart_epoch_post(memory, 1, &left, 0));
    BENCH_OK(dart_epoch_start(memory, 1, &right, 0));
    put_all(x);
    BENCH_OK(dart_epoch_complete(memory));
    BENCH_OK(dart_epoch_wait(memory));
  }
}

static void locks(exchange_t *x, size_t steps)
{
  for (size_t step = 0; step < steps; step++) {
    BENCH_OK(dart_epoch_lock(place(x, 0), DART_EPOCH_EXCLUSIVE, 0));
    put_all(x);
    BENCH_OK(dart_epoch_unlock(place(x, 0), 0));
  }
}

static const steps_t dart_ways[NWAYS] = { fences, dedicated, locks };

static void dart_open(exchange_t *x, bool is_registered)
{
  dart_gptr_t mine;
  size_t      nbytes = x->nops * x->room;

  for (size_t number = 0; number < x->ntypes; number++)
    make_types(x, number);
  x->send = bench_alloc(nbytes, 1);
  if (is_registered) {
    x->recv = bench_alloc(nbytes, 1);
    BENCH_OK(dart_team_memregister(DART_TEAM_ALL, nbytes, DART_TYPE_BYTE, x->recv, &memory));
    return;
  }
  BENCH_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, nbytes, DART_TYPE_BYTE, &memory));
  mine = memory;
  BENCH_OK(dart_gptr_setunit(&mine, DART_TEAM_UNIT_ID(x->job.me)));
  BENCH_OK(dart_gptr_getaddr(mine, (void **)&x->recv));
}

static void dart_close(exchange_t *x, bool is_registered)
{
  for (size_t number = 0; number < x->ntypes; number++)
    for (int i = VECTOR; i < NLAYOUTS; i++)
      BENCH_OK(dart_type_destroy(&types[number][i]));
  BENCH_OK(is_registered ? dart_team_memderegister(memory) : dart_team_memfree(memory));
  if (is_registered)
    free(x->recv);
}

/* ---- measuring ------------------------------------------------------------------------------- */

static char byte_of(int unit, size_t op, size_t i)
{
  return (char)(unit * 31 + (int)op * 7 + (int)(i % 127));
}

/* One step, and a look at all that may have come. */
static bool is_right(exchange_t *x, steps_t steps)
{
  size_t block = block_of(x, x->layout), nbytes = x->nops * x->room;
  char  *expected = bench_alloc(nbytes, 1);
  bool   right;

  memset(x->recv, 0x55, nbytes);
  memset(expected, 0x55, nbytes);
  for (size_t op = 0; op < x->nops; op++)
    for (size_t i = 0; i < x->nbytes; i++) {
      size_t at = op * x->room + start_of(x->layout, op % x->ntypes, i / block) * block + i % block;

      x->send[at]  = byte_of(x->job.me, op, i);
      expected[at] = byte_of(x->left, op, i);
    }
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  x->nputs = 0;
  steps(x, 1);
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  right = memcmp(x->recv, expected, nbytes) == 0;
  free(expected);
  return bench_max(!right) == 0;
}

static double seconds_of(exchange_t *x, steps_t steps, size_t n)
{
  double begin = bench_begin();

  steps(x, n);
  return bench_took(begin);
}

/* Microseconds of a step, of each side that there is. */
static bool measure(exchange_t sides[SIDES], const options_t *o, way_t way, double us[SIDES])
{
  static double took[SIDES][MOST_REPEATS];
  size_t        n[SIDES] = { 0 };
  bool          right    = true;

  for (uint64_t r = 0; r <= o->repeats; r++)
    for (int side = 0; side < (mpi_ways == NULL ? 1 : SIDES); side++) {
      steps_t steps = side == 0 ? dart_ways[way] : mpi_ways[way];

      if (r == 0) { /* see that it is right, and how long it takes */
        right   = is_right(&sides[side], steps) && right;
        n[side] = 1 + (size_t)((double)o->milliseconds / 100 / seconds_of(&sides[side], steps, 10));
        continue;
      }
      took[side][r - 1] = seconds_of(&sides[side], steps, n[side]) / (double)n[side] * 1e6;
    }
  for (int side = 0; side < SIDES; side++) {
    bench_sort(took[side], o->repeats);
    us[side] = took[side][o->repeats / 2];
  }
  return right;
}

static bool table(exchange_t sides[SIDES], const options_t *o, char *figure, size_t room)
{
  bool   right = true;
  double us[SIDES];

  if (sides[0].job.me == 0)
    printf("%llu puts of %llu bytes%s\n%-8s%-28s%10s%10s\n", (unsigned long long)o->nops,
           (unsigned long long)o->nbytes, o->registered ? " to registered memory" : "", "us", "",
           "DART", mpi_ways == NULL ? "" : "MPI");
  for (way_t way = FENCE; way < NWAYS; way++)
    for (layout_t layout = ROW; layout < NLAYOUTS; layout++) {
      sides[0].layout = sides[1].layout = layout;
      right                             = measure(sides, o, way, us) && right;
      if (sides[0].job.me == 0)
        printf("%-8s%-28s%10.2f%10.2f\n", way_names[way], layout_names[layout], us[0], us[1]);
      if (way == FENCE && layout == STRUCT)
        snprintf(figure, room, "fence, struct %.2f us", us[0]);
    }
  return right;
}

int main(int argc, char **argv)
{
  bench_job_t job = bench_start(&argc, &argv);
  options_t o = { .nops = 1, .nbytes = LEAST_BYTES, .repeats = 7, .milliseconds = 20, .ntypes = 1 };
  int       n = (int)job.nunits;
  exchange_t x = { .job = job, .left = (job.me + n - 1) % n, .right = (job.me + 1) % n };
  exchange_t sides[SIDES];
  char       figure[100] = "";
  int        exit_code;
  bool       right;

  if (!bench_parse(&job, &argp, argc, argv, &o, &exit_code)) {
    dart_exit();
    return exit_code;
  }
  x.nops   = o.nops;
  x.nbytes = o.nbytes;
  x.ntypes = o.ntypes;
  x.room   = room_of(&x);
  sides[0] = sides[1] = x;
  dart_open(&sides[0], o.registered);
  mpi_open(&sides[1]);
  right = table(sides, &o, figure, sizeof figure);
  mpi_close();
  dart_close(&sides[0], o.registered);
  free(sides[0].send);
  free(sides[1].send);
  bench_result(&job, "epoch-types", figure, right);
  dart_exit();
  return right ? BENCH_VERIFIED : BENCH_FAILED;
}
