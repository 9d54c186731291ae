/* Epochs: what they cost beside point-to-point messages, by DART and by plain MPI.
 *
 * A table for a pattern: halo (four neighbours on a torus; beside epochs a flush and a barrier, and
 * notifications), right (one neighbour), all (every unit, its own one, too); a row for each size, a column for
 * each way and side, and the ratio of DART's epochs to MPI's point-to-point messages (to DART's, where there is
 * no MPI), as in tables 1 and 2 of Thakur, Gropp, Toonen
 * 2005. With `--operation both` the ways are the seven of Traeff, Ritzdorf, Hempel 2000, and with `--overhead`
 * they only synchronise. Both sides run in turns, in the same processes; a figure is the median of the
 * repetitions, each the time of the slowest unit. */
#include <stdio.h>
#include <string.h>

#include "epochs.h"

enum {
  KEY_LEAST = 256,
  KEY_MOST,
  KEY_OVERHEAD,
  KEY_REGISTERED,
  KEY_SINGLES,
  KEY_COMPUTE,
  KEY_FORMAT,
  KEY_QUICK
};

static const struct argp_option arguments[] = {
  { "pattern", 'p', "NAME", 0,
    "halo: exchange with four neighbours on a torus; right: with the right neighbour; all: with "
    "all "
    "units (halo)",
    0 },
  { "operation", 'o', "NAME", 0,
    "put, get or both; both: in the seven ways of Traeff, Ritzdorf, Hempel, SC 2000 (put)", 0 },
  { "least", KEY_LEAST, "BYTES", 0, "Size of the smallest block (16)", 0 },
  { "most", KEY_MOST, "BYTES", 0,
    "Size of the largest block, each being four times the one before (262144)", 0 },
  { "overhead", KEY_OVERHEAD, NULL, 0, "Synchronise only, and move no data", 0 },
  { "registered", KEY_REGISTERED, NULL, 0,
    "Use registered memory; MPI uses a window of memory that it did not allocate", 0 },
  { "singles", KEY_SINGLES, NULL, 0, "Measure single calls instead of a step of all units", 0 },
  { "compute", KEY_COMPUTE, "MS", 0, "With --singles: let the target compute so long meanwhile (0)",
    0 },
  { "repeat", 'r', "N", 0, "Take the median of N repetitions (7)", 0 },
  { "time", 't', "MS", 0, "Repeat the step for MS milliseconds in each (20)", 0 },
  { "format", KEY_FORMAT, "NAME", 0, "Print a table to read, or csv (text)", 0 },
  { "quick", KEY_QUICK, NULL, 0,
    "To see that it works: one short repetition, and blocks of at most 16 KiB", 0 },
  { 0 }
};

/* Which of three words it is. */
static error_t read_word(const struct argp_state *state, const char *option, const char *text,
                         const char *const words[3], const char *wanted, int *which_out)
{
  for (int i = 0; i < 3; i++)
    if (words[i] != NULL && strcmp(text, words[i]) == 0) {
      *which_out = i;
      return 0;
    }
  return bench_bad_value(state, option, text, wanted);
}

static error_t read_name(int key, const char *text, const struct argp_state *state, options_t *o)
{
  static const char *const patterns[]   = { "halo", "right", "all" };
  static const char *const operations[] = { "put", "get", "both" };
  static const char *const formats[]    = { "text", "csv", NULL };
  int                      which        = 0;
  error_t                  error;

  if (key == 'p') {
    error      = read_word(state, "--pattern", text, patterns, "halo, right or all", &which);
    o->pattern = (pattern_t)which;
  } else if (key == 'o') {
    error         = read_word(state, "--operation", text, operations, "put, get or both", &which);
    o->operations = (operations_t)which;
  } else {
    error  = read_word(state, "--format", text, formats, "text or csv", &which);
    o->csv = which == 1;
  }
  return error;
}

static error_t set_quick(options_t *o)
{
  o->quick   = true;
  o->repeats = o->milliseconds = 1;
  o->most                      = o->most < 16384 ? o->most : 16384;
  o->compute                   = o->compute < 20 ? o->compute : 20;
  return 0;
}

static error_t read_option(int key, char *text, struct argp_state *state)
{
  options_t *o = state->input;

  switch (key) {
  case 'p':
  case 'o':
  case KEY_FORMAT: return read_name(key, text, state, o);
  case KEY_LEAST: return bench_number(state, "--least", text, 1, 1 << 26, &o->least);
  case KEY_MOST: return bench_number(state, "--most", text, 1, 1 << 26, &o->most);
  case KEY_OVERHEAD: o->overhead = true; return 0;
  case KEY_REGISTERED: o->registered = true; return 0;
  case KEY_SINGLES: o->singles = true; return 0;
  case KEY_COMPUTE: return bench_number(state, "--compute", text, 0, 100000, &o->compute);
  case 'r': return bench_number(state, "--repeat", text, 1, MOST_REPEATS, &o->repeats);
  case 't': return bench_number(state, "--time", text, 1, 10000, &o->milliseconds);
  case KEY_QUICK: return set_quick(o);
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp argp = {
  .options = arguments,
  .parser  = read_option,
  .doc     = "Compare epochs (dart_epoch_fence, dart_epoch_post, dart_epoch_lock) with "
             "messages, flushes and notifications: the time of one step in which units "
             "exchange blocks with their neighbours, by DART, and, in epochs-mpi, by the same "
             "calls of MPI. A line of the table is for one size "
             "of the blocks."
             "\v"
             "Examples:\n"
             "  dartrun -n 4 epochs-shmem --pattern=halo\n"
             "  dartrun -n 4 --nodes 2 epochs-mpi --operation=both --most=65536",
};

static bool table(const bench_job_t *job, const options_t *o)
{
  exchange_t x                     = { .job = *job };
  double     seconds[NWAYS][SIDES] = { { 0 } };
  bool       right                 = true;

  exchange_open(&x, o);
  report_start(&x, o);
  x.nbytes = o->overhead ? 0 : o->least;
  do {
    right = measure(&x, o, seconds) && right;
    report_sizes(&x, o, seconds);
    x.nbytes *= 4;
  } while (x.nbytes > 0 && x.nbytes <= o->most);
  exchange_close(&x);
  return right;
}

int main(int argc, char **argv)
{
  bench_job_t job = bench_start(&argc, &argv);
  options_t   o   = { .least = 16, .most = 262144, .repeats = 7, .milliseconds = 20 };
  bool        right;
  int         exit_code;

  if (!bench_parse(&job, &argp, argc, argv, &o, &exit_code)) {
    dart_exit();
    return exit_code;
  }
  right = o.singles ? singles(&job, &o) : table(&job, &o);
  if (!o.csv)
    bench_result(&job, "epochs", o.singles ? "single figures" : "table", right);
  dart_exit();
  return right ? BENCH_VERIFIED : BENCH_FAILED;
}
