/* Rates at which units write one file together: DART's files beside ROMIO, where there is MPI, and beside pwrite.
 *
 *   disjoint   records of all units in turn, atomic mode: locks that do not meet; beside pwrite by hand without any
 *   overlap    all units write the same 64 KiB in pieces of 64 bytes, atomic mode; none may be torn
 *   plain      each unit its own part, contiguous, without atomic mode; beside pwrite by hand
 *   matrix     blocks of a matrix in row-major order, as square as can be, collective
 *   columns    the same with one block to a row of blocks for each unit, so that nodes interleave in every row
 *
 * A figure is the best of some rounds, in which the sides alternate; rates are of all units together. Every byte
 * tells who wrote it, and the file is read afterwards. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"

enum { DART, ROMIO, PWRITE, SIDES };

typedef struct {
  char    *folder;
  bool     as_csv;
  uint64_t rounds;
  uint64_t mib; /* that all units write in a round, about */
  char    *only;
} options_t;

typedef struct {
  bench_job_t         job;
  options_t           options;
  char                path[300];
  const files_side_t *sides[SIDES]; /* NULL: it is not here */
  char               *data;
  bool                verified;
} files_t;

/* ---- pwrite by hand ------------------------------------------------------------------------------ */

static int plain_fd;

static void plain_open(const char *path, bool atomic)
{
  (void)atomic;
  plain_fd = open(path, O_RDWR | O_CREAT, 0600);
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
}

static void plain_set(const files_access_t *access)
{
  (void)access;
}

static void plain_write(const files_access_t *a, const void *data)
{
  if (pwrite(plain_fd, data, a->block, (off_t)a->offset) != (ssize_t)a->block)
    bench_fail(__FILE__, __LINE__, "pwrite", DART_ERR_OTHER);
}

static void plain_close(void)
{
  close(plain_fd);
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
}

static const files_side_t files_plain = { "pwrite",    plain_open, plain_set,
                                          plain_write, NULL,       plain_close };

/* ---- rounds ----------------------------------------------------------------------------------------- */

/* What a unit writes in a round: the access, `times`, each `step` bytes further. */
typedef struct {
  const char    *name;
  files_access_t access;
  uint64_t       step;
  size_t         times;
  bool           atomic;
  bool           collective;
} case_t;

static double round_of(files_t *f, const files_side_t *side, const case_t *c)
{
  files_access_t a = c->access;
  double         start;

  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  start = bench_seconds();
  for (size_t i = 0; i < c->times; i++, a.offset += c->step)
    (c->collective ? side->write_all : side->write)(&a, f->data);
  return bench_max(bench_seconds()) + bench_max(-start); /* from the first start to the last end */
}

static double rate(const files_t *f, const case_t *c, double seconds)
{
  return (double)f->job.nunits * (double)(c->access.block * c->access.count * c->times) / seconds /
         1048576;
}

/* Every piece of every unit has that unit's bytes, or, where all write the same, all pieces have one unit's. */
static bool is_right(files_t *f, const case_t *c)
{
  int            fd  = open(f->path, O_RDONLY);
  char          *got = bench_alloc(c->access.block, 1), one = 0;
  bool           right = fd >= 0, shared = strcmp(c->name, "overlap") == 0;
  files_access_t a = c->access;

  for (size_t i = 0; i < c->times && right; i++, a.offset += c->step)
    for (size_t b = 0; b < a.count && right; b++) {
      right = pread(fd, got, a.block, (off_t)(a.offset + b * a.stride)) == (ssize_t)a.block;
      if (!shared || one == 0)
        one = shared ? got[0] : (char)(f->job.me + 1);
      for (size_t k = 0; k < a.block; k++)
        right = right && got[k] == one;
    }
  free(got);
  close(fd);
  return bench_max(right ? 0 : 1) == 0;
}

/* Seconds of a round of one side. */
static double try_side(files_t *f, const case_t *c, const files_side_t *side)
{
  double seconds;

  side->open(f->path, c->atomic);
  side->set(&c->access);
  seconds = round_of(f, side, c);
  side->close();
  if (!is_right(f, c)) {
    f->verified = false;
    bench_complain(&f->job, "%s: %s has written what it should not", c->name, side->name);
  }
  return seconds;
}

/* Nanoseconds of a write, and how many times that of another side DART's is; nothing for a side that has none. */
static void print_csv(const case_t *c, double seconds, double dart)
{
  if (seconds > 0)
    printf(",%.4g,%.4g", seconds / (double)c->times * 1e9, dart / seconds);
  else
    printf(",,");
}

static void report(const files_t *f, const case_t *c, const double *best)
{
  size_t nbytes = c->access.block * c->access.count;

  if (f->job.me != 0)
    return;
  if (f->options.as_csv) {
    printf("%s,%zu,%llu,%s,%zu,%.4g", bench_backend(), f->job.nunits,
           (unsigned long long)f->job.nnodes, c->name, nbytes, best[DART] / (double)c->times * 1e9);
    print_csv(c, best[PWRITE], best[DART]);
    print_csv(c, best[ROMIO], best[DART]);
    putchar('\n');
    return;
  }
  for (int s = 0; s < SIDES; s++)
    if (best[s] > 0)
      printf("%-10s %8zu bytes  %-7s %10.1f MiB/s  %6.2f\n", c->name, nbytes, f->sides[s]->name,
             rate(f, c, best[s]), best[s] / best[DART]);
}

/* `sides`: the bits of those that take part. */
static void measure(files_t *f, const case_t *c, unsigned sides)
{
  double best[SIDES] = { 0 };

  if (f->options.only != NULL && strstr(f->options.only, c->name) == NULL)
    return;
  for (uint64_t round = 0; round < f->options.rounds; round++)
    for (int s = 0; s < SIDES; s++)
      if (f->sides[s] != NULL && (sides >> s & 1) != 0) {
        double seconds = try_side(f, c, f->sides[s]);

        if (best[s] == 0 || seconds < best[s])
          best[s] = seconds;
      }
  report(f, c, best);
}

static size_t times_of(const files_t *f, size_t nbytes)
{
  size_t times = (size_t)(f->options.mib << 20) / nbytes / f->job.nunits;

  return times < 4 ? 4 : times > 2000 ? 2000 : times;
}

static void disjoint(files_t *f, size_t nbytes, bool atomic)
{
  case_t c = { .name   = atomic ? "disjoint" : "plain",
               .access = { (uint64_t)f->job.me * nbytes, nbytes, nbytes, 1 },
               .step   = f->job.nunits * nbytes,
               .times  = times_of(f, nbytes),
               .atomic = atomic };

  if (!atomic) { /* one part for each unit */
    c.step          = nbytes;
    c.access.offset = (uint64_t)f->job.me * nbytes * c.times;
  }
  measure(f, &c, 1 << DART | 1 << PWRITE | (atomic ? 1 << ROMIO : 0));
}

static void overlap(files_t *f)
{
  case_t c = { .name = "overlap", .access = { 0, 64, 128, 1024 }, .times = 50, .atomic = true };

  measure(f, &c, 1 << DART | 1 << ROMIO);
}

/* As many units across as make blocks square, or nearly. */
static size_t square(size_t nunits)
{
  size_t across = 1;

  while (across * across * 2 <= nunits && nunits % (across * 2) == 0)
    across *= 2;
  return across;
}

/* Blocks of a matrix of 1024 x `columns` bytes, so many across. */
static void matrix(files_t *f, const char *name, size_t columns, size_t across)
{
  size_t rows = 1024, me = (size_t)f->job.me;
  case_t c = { .name = name, .times = 3, .collective = true };

  c.access.block  = columns / across;
  c.access.stride = columns;
  c.access.count  = rows / (f->job.nunits / across);
  c.access.offset = me / across * c.access.count * columns + me % across * c.access.block;
  measure(f, &c, 1 << DART | 1 << ROMIO);
}

/* ---- main ------------------------------------------------------------------------------------------- */

static error_t parse(int key, char *text, struct argp_state *state)
{
  options_t *options = state->input;

  switch (key) {
  case 'f': options->folder = text; return 0;
  case 'r': return bench_number(state, "--rounds", text, 1, 1000, &options->rounds);
  case 'o':
    options->as_csv = strcmp(text, "csv") == 0;
    if (!options->as_csv && strcmp(text, "text") != 0)
      return bench_bad_value(state, "--format", text, "text or csv");
    return 0;
  case 'm': return bench_number(state, "--mib", text, 1, 10000, &options->mib);
  case 'c': options->only = text; return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option known[] = {
  { "folder", 'f', "PATH", 0, "Make the file in this folder (/tmp)", 0 },
  { "format", 'o', "text|csv", 0, "Print a table to read, or CSV (text)", 0 },
  { "rounds", 'r', "N", 0, "Repeat each case N times; the best counts (5)", 0 },
  { "mib", 'm', "N", 0, "Write about N MiB each time (64)", 0 },
  { "cases", 'c', "NAMES", 0, "Run only cases whose name occurs in this text", 0 },
  { 0 }
};

static const struct argp arguments = {
  .options = known,
  .parser  = parse,
  .doc     = "Measure how fast units write one file together, in MB/s of all units: with "
             "dart_file_write_at and its like, with MPI-IO (files-mpi), and with pwrite by "
             "hand. The cases are disjoint and overlapping records in atomic mode, one part "
             "for each unit without it, and blocks of a matrix written collectively. The file "
             "is read afterwards and verified."
             "\v"
             "Examples:\n"
             "  dartrun -n 4 files-shmem --folder=/scratch --mib=256\n"
             "  dartrun -n 4 --nodes 2 files-mpi --cases=matrix",
};

static void run(files_t *f)
{
  const size_t sizes[] = { 4096, 65536, 1048576 };

  if (f->options.as_csv && f->job.me == 0)
    puts("backend,units,nodes,case,bytes,dart_ns,floor_ns,dart_per_floor,mpi_ns,dart_per_mpi");
  for (int i = 0; i < 3; i++)
    disjoint(f, sizes[i], true);
  overlap(f);
  for (int i = 0; i < 3; i++)
    disjoint(f, sizes[i], false);
  for (size_t columns = 1024; columns <= 16384; columns *= 16) {
    matrix(f, "matrix", columns, square(f->job.nunits));
    matrix(f, "columns", columns, f->job.nunits);
  }
}

int main(int argc, char **argv)
{
  files_t f      = { .job      = bench_start(&argc, &argv),
                     .options  = { .folder = "/tmp", .rounds = 5, .mib = 64 },
                     .verified = true };
  long    number = getpid();
  int     code;

  if (bench_parse(&f.job, &arguments, argc, argv, &f.options, &code)) {
    BENCH_OK(dart_bcast(&number, 1, DART_TYPE_LONG, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
    snprintf(f.path, sizeof f.path, "%s/dart-bench-%ld", f.options.folder, number);
    f.sides[DART]   = &files_dart;
    f.sides[ROMIO]  = files_romio();
    f.sides[PWRITE] = &files_plain;
    f.data          = bench_alloc((size_t)16 << 20, 1);
    memset(f.data, f.job.me + 1, (size_t)16 << 20);
    run(&f);
    free(f.data);
    if (f.job.me == 0)
      unlink(f.path);
    bench_result(&f.job, "files", "see above", f.verified);
    code = f.verified ? BENCH_VERIFIED : BENCH_FAILED;
  }
  BENCH_OK(dart_exit());
  return code;
}
