/* The figures: a table to read, CSV and JSON to process. Nanoseconds of one operation, always; a
 * ratio above 1 says how many times as long DART took. What a case does not have is "-" in the
 * table, nothing in CSV and null in JSON. */
#include "micro.h"

#include <stdio.h>

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
  case FORMAT_TEXT: {
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

void report_end(const micro_t *m, format_t format)
{
  if (m->job.me == 0 && format == FORMAT_JSON)
    puts("\n]}");
}
