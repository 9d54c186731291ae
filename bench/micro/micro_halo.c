/* Halo exchange: a step of unit 0 and its partner, each the neighbour of the other on four sides. A
 * unit hands over a message a side, and goes on when those of its own four sides are here.
 *
 * Buffers of odd and even steps take turns, as in programs that keep the field of the step before: a
 * message of the next step tells that its own one was received, so nothing else has to. By plain MPI
 * (mpi_onesided.c) four MPI_Irecv, four MPI_Isend, and MPI_Waitall. */
#include "micro.h"

#include <dash/dart/ext/dart_notify.h>

static uint64_t step; /* the same on both */

size_t halo_offset(const micro_t *m, uint64_t number, size_t side)
{
  return HALO_START + (number % 2 * SIDES + side) * m->size;
}

dart_unit_t halo_neighbour(const micro_t *m)
{
  return m->job.me == 0 ? m->target : 0;
}

/* In the segment of a unit: a counter for each side, then messages of two steps. */
static dart_gptr_t place_in(const micro_t *m, dart_unit_t unit, size_t offset)
{
  dart_gptr_t at = m->segment;

  dart_gptr_setunit(&at, DART_TEAM_UNIT_ID(unit));
  dart_gptr_incaddr(&at, (int64_t)offset);
  return at;
}

static dart_gptr_t counter(const micro_t *m, dart_unit_t unit, size_t side)
{
  return place_in(m, unit, side * sizeof(uint64_t));
}

static void exchange(micro_t *m, size_t n)
{
  dart_unit_t to = halo_neighbour(m);

  for (size_t i = 0; i < n; i++) {
    step++;
    for (size_t side = 0; side < SIDES; side++) {
      size_t offset = halo_offset(m, step, side);

      BENCH_OK(dart_put_notify(place_in(m, to, offset), m->send + offset, m->nwords, DART_TYPE_LONG,
                               DART_TYPE_LONG, counter(m, to, side), 1));
    }
    for (size_t side = 0; side < SIDES; side++)
      BENCH_OK(dart_notify_wait(counter(m, m->job.me, side), step, -1));
  }
  BENCH_OK(dart_flush_local_all(m->segment));
}

static void prepare(micro_t *m)
{
  step = 0;
  micro_clear(m, HALO_START);
}

const case_t halo_cases[] = {
  { .name    = "halo",
    .places  = IN_NEAR | IN_FAR,
    .sizes   = SIZE_HALO,
    .dart    = { .loop = exchange, .by = BY_PAIR },
    .about   = "exchange with 4 neighbours, by dart_put_notify",
    .prepare = prepare },
  { 0 },
};
