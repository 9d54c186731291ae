/* The figures. To read: a block for each case, as the OSU benchmarks print them, in microseconds. To process, or to
 * have all cases below each other: a wide table, CSV and JSON, in nanoseconds of one operation. A ratio above 1 says how
 * many times as long DART took. What a case does not have is "-" in text, nothing in CSV and null in JSON. */
#include "micro.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const window_name[] = { "static", "dynamic" };

/* The better of MPI's windows; -1: MPI has no such operation, or is not here. */
static int best_window(const figures_t *figures)
{
  int best = -1;

  for (int window = 0; window < NWINDOWS; window++)
    if (figures->mpi[window] > 0 && (best < 0 || figures->mpi[window] < figures->mpi[best]))
      best = window;
  return best;
}

void report_start(const micro_t *m, format_t format, effort_t effort)
{
  if (m->job.me != 0)
    return;
  switch (format) {
  case FORMAT_TEXT:
    printf("# DART micro benchmark: dart-%s, units: %zu, nodes: %llu\n"
           "# Times are of one operation: the median of %zu repetitions of %g ms, or of one "
           "operation.\n"
           "# Floor: the same in C without a runtime. MPI: the same in plain MPI, on the faster "
           "kind of window.\n",
           bench_backend(), m->job.nunits, (unsigned long long)m->job.nnodes, effort.repetitions,
           effort.time * 1e3);
    break;
  case FORMAT_WIDE:
    printf("# DART micro benchmark: dart-%s, %zu units, %llu node(s)\n"
           "# ns of one operation, median of %zu repetitions of %g ms or one operation\n"
           "# %-30s %10s %14s %14s %8s %14s %8s %8s\n",
           bench_backend(), m->job.nunits, (unsigned long long)m->job.nnodes, effort.repetitions,
           effort.time * 1e3, "case", "bytes", "DART", "floor", "x floor", "MPI", "x MPI",
           "window");
    break;
  case FORMAT_CSV:
    puts("backend,units,nodes,case,bytes,dart_ns,floor_ns,dart_per_floor,mpi_ns,dart_per_mpi,"
         "mpi_static_ns,mpi_dynamic_ns");
    break;
  case FORMAT_JSON:
    printf("{\"backend\": \"%s\", \"units\": %zu, \"nodes\": %llu, \"repetitions\": %zu, "
           "\"cases\": [",
           bench_backend(), m->job.nunits, (unsigned long long)m->job.nnodes, effort.repetitions);
    break;
  }
  fflush(stdout);
}

/* A figure of one column; 0 stands for none. */
static void print_text(int width, int digits, double value)
{
  if (value > 0)
    printf(" %*.*f", width, digits, value);
  else
    printf(" %*s", width, "-");
}

/* A figure with three digits that count, and all digits before the point; 0 stands for none. */
static void print_short(int width, double value)
{
  char text[32];
  int  power, digits;

  snprintf(text, sizeof text, "%.2e", value);
  power  = atoi(strchr(text, 'e') + 1);
  digits = power >= 2 ? 0 : 2 - power;
  print_text(width, digits, value);
}

/* Bytes that one operation moves to or from the partner; 0: it is about something else. */
static double moved_bytes(const micro_t *m, const case_t *c)
{
  if (m->place == TOGETHER)
    return 0;
  switch (c->sizes) {
  case SIZE_ANY:
  case SIZE_BYTES:
  case SIZE_STRIDED:
  case SIZE_BATCH: return (double)m->size;
  case SIZE_INDEXED: return (double)(indexed_words(m) * sizeof(long));
  default: return 0;
  }
}

/* The block of a case: its title and the heads of its columns, if this is its first line, then a line. Columns that the
 * case has no figures for are left out. */
static void print_block(const micro_t *m, const case_t *c, const figures_t *figures, double mpi)
{
  static const char *const where[] = { "to a unit of the same node", "to a unit of another node",
                                       "all units" };
  static const case_t     *last;
  static place_t           last_place;
  double                   bytes   = moved_bytes(m, c);
  bool                     is_pair = m->place != TOGETHER;

  if (c != last || m->place != last_place) {
    printf("\n# %s%s: %s (%s)\n", m->place == FAR ? "far_" : "", c->name, c->about,
           where[m->place]);
    printf(m->size > 0 ? "# Size    %14s" : "#%13s", "Latency (us)");
    if (bytes > 0)
      printf(" %17s", "Bandwidth (MB/s)");
    if (is_pair)
      printf(" %13s", "Messages/s");
    if (figures->floor > 0)
      printf(" %13s %11s", "Floor (us)", "DART/floor");
    if (mpi > 0)
      printf(" %13s %11s", "MPI (us)", "DART/MPI");
    putchar('\n');
  }
  last       = c;
  last_place = m->place;

  if (m->size > 0)
    printf("%-10zu", m->size);
  print_short(13, figures->dart / 1e3);
  if (bytes > 0)
    print_short(17, bytes * 1e3 / figures->dart);
  if (is_pair)
    print_text(13, 0, 1e9 / figures->dart);
  if (figures->floor > 0) {
    print_short(13, figures->floor / 1e3);
    print_short(11, figures->dart / figures->floor);
  }
  if (mpi > 0) {
    print_short(13, mpi / 1e3);
    print_short(11, figures->dart / mpi);
  }
  putchar('\n');
}

static void print_csv(double value)
{
  if (value > 0)
    printf(",%.4g", value);
  else
    putchar(',');
}

static void print_json(const char *name, double value)
{
  if (value > 0)
    printf(", \"%s\": %.4g", name, value);
  else
    printf(", \"%s\": null", name);
}

void report_case(const micro_t *m, format_t format, const case_t *c, const figures_t *figures)
{
  static bool first    = true;
  int         best     = best_window(figures);
  double      mpi      = best < 0 ? 0 : figures->mpi[best];
  double      by_mpi   = best < 0 ? 0 : figures->dart / mpi;
  double      by_floor = figures->floor > 0 ? figures->dart / figures->floor : 0;
  const char *prefix   = m->place == FAR ? "far_" : "";

  if (m->job.me != 0)
    return;
  switch (format) {
  case FORMAT_TEXT: print_block(m, c, figures, mpi); break;
  case FORMAT_WIDE: {
    char name[64];

    snprintf(name, sizeof name, "%s%s", prefix, c->name);
    printf("%-32s %10zu", name, m->size);
    print_text(14, 2, figures->dart);
    print_text(14, 2, figures->floor);
    print_text(8, 2, by_floor);
    print_text(14, 2, mpi);
    print_text(8, 4, by_mpi);
    printf(" %8s\n", best < 0 ? "-" : window_name[best]);
    break;
  }
  case FORMAT_CSV:
    printf("%s,%zu,%llu,%s%s,%zu", bench_backend(), m->job.nunits,
           (unsigned long long)m->job.nnodes, prefix, c->name, m->size);
    print_csv(figures->dart);
    print_csv(figures->floor);
    print_csv(by_floor);
    print_csv(mpi);
    print_csv(by_mpi);
    print_csv(figures->mpi[WINDOW_STATIC]);
    print_csv(figures->mpi[WINDOW_DYNAMIC]);
    putchar('\n');
    break;
  case FORMAT_JSON:
    printf("%s\n  {\"case\": \"%s%s\", \"bytes\": %zu", first ? "" : ",", prefix, c->name, m->size);
    print_json("dart_ns", figures->dart);
    print_json("floor_ns", figures->floor);
    print_json("dart_per_floor", by_floor);
    print_json("mpi_ns", mpi);
    print_json("dart_per_mpi", by_mpi);
    print_json("mpi_static_ns", figures->mpi[WINDOW_STATIC]);
    print_json("mpi_dynamic_ns", figures->mpi[WINDOW_DYNAMIC]);
    putchar('}');
    break;
  }
  first = false;
  fflush(stdout);
}

void report_end(const micro_t *m, format_t format, size_t nrun, size_t nleft, size_t nshort,
                size_t nlines)
{
  if (m->job.me != 0)
    return;
  if (format == FORMAT_JSON)
    puts("\n]}");
  if (nshort > 0)
    printf("\n# %zu of %zu lines are of fewer repetitions, as these take long here.\n", nshort,
           nlines);
  if (format == FORMAT_TEXT && nleft > 0)
    printf("\n# These are %zu of the %zu cases of this job. --all runs all of them, which takes "
           "minutes; --list says\n"
           "# what they are, --cases selects some: --cases='put_*,barrier'.\n",
           nrun, nrun + nleft);
}
