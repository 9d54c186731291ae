/* The figures: a table to read, in microseconds of a step, or CSV in nanoseconds. */
#include <stdio.h>

#include "epochs.h"

static const char *const pattern_names[] = { "halo", "right", "all" };

/* What epochs are measured against: MPI's messages, or DART's where there is no MPI. */
static double messages_of(double seconds[NWAYS][SIDES])
{
  return seconds[0][mpi_ways != NULL];
}

static void print_head(const options_t *o)
{
  printf("%10s", "bytes");
  for (int way = 0; way < NWAYS; way++)
    if (way_is_wanted(way, o))
      printf(" %10s%s", ways[way].name, mpi_ways == NULL ? "" : "     by MPI");
  printf("   ratios:");
  for (int way = 1; way < NWAYS; way++)
    if (way_is_wanted(way, o))
      printf(" %10s", ways[way].name);
  printf("\n");
}

/* One that there is not is left blank. */
static void print_time(double seconds)
{
  if (seconds > 0)
    printf(" %10.2f", seconds * 1e6);
  else
    printf(" %10s", "");
}

static void print_row(const exchange_t *x, const options_t *o, double seconds[NWAYS][SIDES])
{
  printf("%10zu", x->nbytes);
  for (int way = 0; way < NWAYS; way++) {
    if (way_is_wanted(way, o))
      print_time(seconds[way][0]);
    if (way_is_wanted(way, o) && mpi_ways != NULL)
      print_time(seconds[way][1]);
  }
  printf("          ");
  for (int way = 1; way < NWAYS; way++)
    if (way_is_wanted(way, o))
      printf(" %10.3f", seconds[way][0] / messages_of(seconds));
  printf("\n");
}

void report_csv_head(void)
{
  puts("backend,units,nodes,case,bytes,dart_ns,floor_ns,dart_per_floor,mpi_ns,dart_per_mpi");
}

static void print_number(double value)
{
  if (value > 0)
    printf(",%.4g", value);
  else
    putchar(',');
}

void report_csv(const bench_job_t *job, const char *name, size_t nbytes, double dart, double floor,
                double mpi)
{
  if (job->me != 0)
    return;
  printf("%s,%zu,%llu,%s,%zu", bench_backend(), job->nunits, (unsigned long long)job->nnodes, name,
         nbytes);
  print_number(dart * 1e9);
  print_number(floor * 1e9);
  print_number(floor > 0 ? dart / floor : 0);
  print_number(mpi * 1e9);
  print_number(mpi > 0 ? dart / mpi : 0);
  putchar('\n');
  fflush(stdout);
}

void report_start(const exchange_t *x, const options_t *o)
{
  if (x->job.me != 0)
    return;
  if (o->csv)
    report_csv_head();
  else
    print_head(o);
}

void report_sizes(const exchange_t *x, const options_t *o, double seconds[NWAYS][SIDES])
{
  char name[64];

  for (int way = 0; o->csv && way < NWAYS; way++) {
    if (!way_is_wanted(way, o))
      continue;
    snprintf(name, sizeof name, "%s.%s%s", pattern_names[o->pattern], ways[way].name,
             o->registered ? ".registered" : "");
    report_csv(&x->job, name, x->nbytes, seconds[way][0], way == 0 ? 0 : messages_of(seconds),
               seconds[way][1]);
  }
  if (!o->csv && x->job.me == 0)
    print_row(x, o, seconds);
  fflush(stdout);
}
