/* Epochs: what they cost beside point-to-point messages, by DART and by plain MPI.
 *
 * A table for a pattern: halo (four neighbours on a torus), right (one neighbour), all (every unit, the own
 * one, too); a row for each size, a column for each way and side, and the ratio of DART's epochs to MPI's
 * point-to-point messages (to DART's, where there is no MPI), as in tables 1 and 2 of Thakur, Gropp, Toonen
 * 2005. Both sides run in turns, in the same processes; a figure is the median of the repetitions, each the
 * time of the slowest unit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "epochs.h"

typedef enum { HALO, RIGHT, ALL } pattern_t;

typedef struct {
  pattern_t pattern;
  uint64_t  least, most; /* bytes */
  uint64_t  repeats;
  uint64_t  milliseconds; /* of one repetition, about */
  uint64_t  compute;      /* milliseconds, in the single figures */
  bool      gets, overhead, registered, singles;
} options_t;

static const char *const pattern_names[] = { "halo", "right", "all" };
static const char *const way_names[]     = { "messages", "fence", "pscw", "lock" };

/* ---- command line --------------------------------------------------------------------------- */

enum {
  KEY_LEAST = 256,
  KEY_MOST,
  KEY_GETS,
  KEY_OVERHEAD,
  KEY_REGISTERED,
  KEY_SINGLES,
  KEY_COMPUTE
};

static const struct argp_option arguments[] = {
  { "pattern", 'p', "NAME", 0, "halo, right or all", 0 },
  { "least", KEY_LEAST, "BYTES", 0, "smallest block (16)", 0 },
  { "most", KEY_MOST, "BYTES", 0, "largest block (262144); each row has four times the bytes", 0 },
  { "get", KEY_GETS, NULL, 0, "get instead of put", 0 },
  { "overhead", KEY_OVERHEAD, NULL, 0, "synchronise only, without data", 0 },
  { "registered", KEY_REGISTERED, NULL, 0, "DART's side on registered memory", 0 },
  { "singles", KEY_SINGLES, NULL, 0, "single figures instead of a table", 0 },
  { "compute", KEY_COMPUTE, "MS", 0, "with --singles: a target that computes so long (0)", 0 },
  { "repeat", 'r', "N", 0, "repetitions (7)", 0 },
  { "time", 't', "MS", 0, "milliseconds of a repetition (20)", 0 },
  { 0 }
};

static error_t read_pattern(const struct argp_state *state, const char *text, pattern_t *pattern)
{
  for (int i = HALO; i <= ALL; i++)
    if (strcmp(text, pattern_names[i]) == 0) {
      *pattern = (pattern_t)i;
      return 0;
    }
  return bench_bad_value(state, "--pattern", text, "halo, right or all");
}

static error_t read_option(int key, char *text, struct argp_state *state)
{
  options_t *o = state->input;

  switch (key) {
  case 'p': return read_pattern(state, text, &o->pattern);
  case KEY_LEAST: return bench_number(state, "--least", text, 1, 1 << 26, &o->least);
  case KEY_MOST: return bench_number(state, "--most", text, 1, 1 << 26, &o->most);
  case KEY_GETS: o->gets = true; return 0;
  case KEY_OVERHEAD: o->overhead = true; return 0;
  case KEY_REGISTERED: o->registered = true; return 0;
  case KEY_SINGLES: o->singles = true; return 0;
  case KEY_COMPUTE: return bench_number(state, "--compute", text, 0, 100000, &o->compute);
  case 'r': return bench_number(state, "--repeat", text, 1, 101, &o->repeats);
  case 't': return bench_number(state, "--time", text, 1, 10000, &o->milliseconds);
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp argp = {
  arguments, read_option, NULL, "Epochs beside point-to-point messages, by DART and by plain MPI.",
  NULL,      NULL,        NULL
};

/* ---- who exchanges with whom ------------------------------------------------------------------ */

/* Rows of a grid that is as square as may be. */
static int rows_of(int n)
{
  int rows = (int)sqrt((double)n);

  while (n % rows != 0)
    rows--;
  return rows;
}

static void join(exchange_t *x, int k, int target, int origin)
{
  x->targets[k] = DART_TEAM_UNIT_ID(target);
  x->origins[k] = DART_TEAM_UNIT_ID(origin);
}

static void join_halo(exchange_t *x)
{
  int n = (int)x->job.nunits, rows = rows_of(n), columns = n / rows;
  int row = x->job.me / columns, column = x->job.me % columns;
  int up    = (row + rows - 1) % rows * columns + column;
  int down  = (row + 1) % rows * columns + column;
  int left  = row * columns + (column + columns - 1) % columns;
  int right = row * columns + (column + 1) % columns;

  join(x, 0, up, down);
  join(x, 1, down, up);
  join(x, 2, left, right);
  join(x, 3, right, left);
}

static void collect_names(exchange_t *x, int which, const dart_team_unit_t *units)
{
  x->unique[which] = bench_alloc((size_t)x->n, sizeof **x->unique);
  for (int32_t k = 0; k < x->n; k++) {
    size_t i = 0;

    while (i < x->nnames[which] && x->unique[which][i].id != units[k].id)
      i++;
    if (i == x->nnames[which])
      x->unique[which][x->nnames[which]++] = units[k];
  }
}

static void open_exchange(exchange_t *x, const options_t *o)
{
  int    n       = (int)x->job.nunits;
  size_t nblocks = 0, nbytes;
  void  *mine;

  x->n       = o->pattern == HALO ? 4 : o->pattern == RIGHT ? 1 : n;
  x->targets = bench_alloc((size_t)x->n, sizeof *x->targets);
  x->origins = bench_alloc((size_t)x->n, sizeof *x->origins);
  if (o->pattern == HALO)
    join_halo(x);
  else
    for (int k = 0; k < x->n; k++) {
      int by = o->pattern == RIGHT ? 1 : k;

      join(x, k, (x->job.me + by) % n, (x->job.me + n - by) % n);
    }
  collect_names(x, 0, x->targets);
  collect_names(x, 1, x->origins);
  x->gets          = o->gets;
  x->most          = o->most;
  x->is_registered = o->registered;
  nblocks          = 2 * (size_t)x->n;
  nbytes           = nblocks * x->most;
  if (x->is_registered) {
    x->block = bench_alloc(nbytes, 1);
    BENCH_OK(dart_team_memregister(DART_TEAM_ALL, nbytes, DART_TYPE_BYTE, x->block, &x->memory));
    mine = x->block;
  } else {
    dart_gptr_t at;

    BENCH_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, nbytes, DART_TYPE_BYTE, &x->memory));
    at = x->memory;
    BENCH_OK(dart_gptr_setunit(&at, DART_TEAM_UNIT_ID(x->job.me)));
    BENCH_OK(dart_gptr_getaddr(at, &mine));
  }
  x->recv = mine;
  x->send = x->recv + (size_t)x->n * x->most;
  mpi_open(x);
}

static void close_exchange(exchange_t *x)
{
  mpi_close();
  if (x->is_registered)
    BENCH_OK(dart_team_memderegister(x->memory));
  else
    BENCH_OK(dart_team_memfree(x->memory));
  free(x->block);
  free(x->targets);
  free(x->origins);
  free(x->unique[0]);
  free(x->unique[1]);
}

/* ---- measuring ------------------------------------------------------------------------------- */

static unsigned char byte_of(int unit, int32_t k, size_t i, int salt)
{
  return (unsigned char)(unit * 31 + k * 7 + (int)(i % 251) + salt);
}

/* One step, and a look at what came. */
static bool is_right(exchange_t *x, steps_t steps, char *recv, char *send, int salt)
{
  bool right = true;

  for (int32_t k = 0; k < x->n; k++)
    for (size_t i = 0; i < x->nbytes; i++) {
      recv[(size_t)k * x->most + i] = 0;
      send[(size_t)k * x->most + i] = (char)byte_of(x->job.me, k, i, salt);
    }
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  steps(x, 1);
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  for (int32_t k = 0; k < x->n; k++)
    for (size_t i = 0; i < x->nbytes; i++)
      right = right && recv[(size_t)k * x->most + i] == (char)byte_of(x->origins[k].id, k, i, salt);
  return bench_max(!right) == 0;
}

static double seconds_of(exchange_t *x, steps_t steps, size_t n)
{
  double start;

  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  start = bench_seconds();
  steps(x, n);
  return bench_max(bench_seconds() - start);
}

static int by_value(const void *left, const void *right)
{
  double a = *(const double *)left, b = *(const double *)right;

  return (a > b) - (a < b);
}

enum { SIDES = 2, MOST_REPEATS = 101 };

/* Microseconds of a step, [way][side]; 0: there is no such side. */
static bool measure(exchange_t *x, const options_t *o, double us[NWAYS][SIDES])
{
  static double took[NWAYS][SIDES][MOST_REPEATS];
  size_t        n[NWAYS][SIDES] = { { 0 } };
  bool          right           = true;

  for (uint64_t r = 0; r <= o->repeats; r++)
    for (int way = 0; way < NWAYS; way++)
      for (int side = 0; side < (mpi_ways == NULL ? 1 : SIDES); side++) {
        steps_t steps = side == 0 ? dart_ways[way] : mpi_ways[way];
        char   *recv  = side == 0 ? x->recv : mpi_memory();

        if (r == 0) { /* see that it is right, and how long it takes */
          double once;

          right = is_right(x, steps, recv, recv + (size_t)x->n * x->most, way + 10 * side) && right;
          once  = seconds_of(x, steps, 10) / 10;
          n[way][side] = 1 + (size_t)((double)o->milliseconds / 1000 / once);
          continue;
        }
        took[way][side][r - 1] = seconds_of(x, steps, n[way][side]) / (double)n[way][side] * 1e6;
      }
  for (int way = 0; way < NWAYS; way++)
    for (int side = 0; side < SIDES; side++) {
      qsort(took[way][side], o->repeats, sizeof(double), by_value);
      us[way][side] = took[way][side][o->repeats / 2];
    }
  return right;
}

static void print_head(void)
{
  printf("%10s", "bytes");
  for (int way = 0; way < NWAYS; way++)
    printf(" %9s %9s", way_names[way], mpi_ways == NULL ? "" : "by MPI");
  printf("   ratios: %7s %7s %7s\n", way_names[FENCE], way_names[PSCW], way_names[LOCK]);
}

static void print_row(const exchange_t *x, double us[NWAYS][SIDES])
{
  double messages = us[MESSAGES][mpi_ways != NULL];

  printf("%10zu", x->nbytes);
  for (int way = 0; way < NWAYS; way++) {
    printf(" %9.2f", us[way][0]);
    if (mpi_ways != NULL)
      printf(" %9.2f", us[way][1]);
    else
      printf(" %9s", "");
  }
  printf("           ");
  for (int way = FENCE; way < NWAYS; way++)
    printf(" %7.3f", us[way][0] / messages);
  printf("\n");
  fflush(stdout);
}

static bool table(const bench_job_t *job, const options_t *o, char *figure, size_t room)
{
  exchange_t x                = { .job = *job };
  double     us[NWAYS][SIDES] = { { 0 } };
  bool       right            = true;

  open_exchange(&x, o);
  if (job->me == 0)
    print_head();
  x.nbytes = o->overhead ? 0 : o->least;
  do {
    right = measure(&x, o, us) && right;
    if (job->me == 0)
      print_row(&x, us);
    x.nbytes *= 4;
  } while (x.nbytes > 0 && x.nbytes <= o->most);
  close_exchange(&x);
  snprintf(figure, room, "%s: fence %.2f us, pscw %.2f us, lock %.2f us", pattern_names[o->pattern],
           us[FENCE][0], us[PSCW][0], us[LOCK][0]);
  return right;
}

int main(int argc, char **argv)
{
  bench_job_t job         = bench_start(&argc, &argv);
  options_t   o           = { .least = 16, .most = 262144, .repeats = 7, .milliseconds = 20 };
  char        figure[200] = "single figures";
  bool        right;
  int         exit_code;

  if (!bench_parse(&job, &argp, argc, argv, &o, &exit_code)) {
    dart_exit();
    return exit_code;
  }
  right =
      o.singles ? singles(&job, (double)o.compute / 1000) : table(&job, &o, figure, sizeof figure);
  bench_result(&job, "epochs", figure, right);
  dart_exit();
  return right ? BENCH_VERIFIED : BENCH_FAILED;
}
