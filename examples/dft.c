/* The spectrum of a signal, added up from hand to hand.
 *
 * Every unit has some points of a signal, and adds their part of its Fourier transform to what the unit before it has
 * handed over; the last one has the whole spectrum. Handing over is a put of complex numbers, and then of a
 * flag: dart_order between them keeps the flag behind the numbers, without a round trip, and dart_put_value needs no
 * variable that would have to live until a flush. The numbers lie in memory aligned to pages, as libraries for
 * transforms like it.
 *
 * The signal is a cosine of 5 periods, and half as much of a sine of 12: all but four of its lines are 0.
 *
 *   dartrun -n 4 ./dft */
#include <dash/dart/ext/dart_basic.h>
#include <dash/dart/ext/dart_memalign.h>
#include <dash/dart/ext/dart_order.h>
#include <dash/dart/ext/dart_value.h>
#include <dash/dart/if/dart.h>

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A call that cannot fail here. Ends all units: the others may already wait for this one. */
#define MUST(call)                                \
  do {                                            \
    if ((call) != DART_OK) {                      \
      fprintf(stderr, "dft: %s failed\n", #call); \
      dart_abort(EXIT_FAILURE);                   \
    }                                             \
  } while (0)

enum { POINTS = 256, PAGE = 4096 };

static const double turn = 6.283185307179586; /* a full one */

static dart_gptr_t at(dart_gptr_t start, int unit)
{
  dart_gptr_setunit(&start, DART_TEAM_UNIT_ID(unit));
  return start;
}

/* The value of a point, and the whole spectrum, which one may know beforehand. */
static double signal_at(int point)
{
  return cos(turn * 5 * point / POINTS) + 0.5 * sin(turn * 12 * point / POINTS);
}

static double _Complex line_of(int frequency)
{
  switch (frequency) {
  case 5:
  case POINTS - 5: return POINTS / 2;
  case 12: return -I * POINTS / 4;
  case POINTS - 12: return I * POINTS / 4;
  default: return 0;
  }
}

static void add_part(double _Complex *spectrum, int me, int nunits)
{
  for (int point = me; point < POINTS; point += nunits)
    for (int frequency = 0; frequency < POINTS; frequency++)
      spectrum[frequency] += signal_at(point) * cexp(-I * turn * frequency * point / POINTS);
}

/* Wait for the flag, which is true when the spectrum is here. */
static void wait_for_turn(dart_gptr_t flag)
{
  bool here;

  do
    MUST(dart_get_blocking(&here, flag, 1, DART_TYPE_BOOL, DART_TYPE_BOOL));
  while (!here);
}

static double largest_error(const double _Complex *spectrum)
{
  double most = 0;

  for (int frequency = 0; frequency < POINTS; frequency++)
    most = fmax(most, cabs(spectrum[frequency] - line_of(frequency)));
  return most;
}

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  dart_gptr_t        spectra, flags;
  size_t             nunits;
  double _Complex   *own;
  void              *address;
  double             error = 0;
  bool              *flag, is_right, all_right;

  MUST(dart_init(&argc, &argv));
  MUST(dart_myid(&me));
  MUST(dart_size(&nunits));
  MUST(dart_team_memalign(DART_TEAM_ALL, PAGE, POINTS, DART_TYPE_DOUBLE_COMPLEX, &spectra));
  MUST(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_BOOL, &flags));
  MUST(dart_gptr_getaddr(at(spectra, me.id), &address));
  own = address;
  for (int frequency = 0; frequency < POINTS; frequency++)
    own[frequency] = 0;
  MUST(dart_gptr_getaddr(at(flags, me.id), &address));
  flag  = address;
  *flag = me.id == 0; /* whose turn it is */
  MUST(dart_barrier(DART_TEAM_ALL));

  wait_for_turn(at(flags, me.id));
  add_part(own, me.id, (int)nunits);
  if (me.id + 1 < (int)nunits) {
    dart_gptr_t next = at(spectra, me.id + 1);

    MUST(dart_put(next, own, POINTS, DART_TYPE_DOUBLE_COMPLEX, DART_TYPE_DOUBLE_COMPLEX));
    MUST(dart_order(next));
    MUST(dart_put_value(at(flags, me.id + 1), (bool)true));
    MUST(dart_flush(next)); /* the numbers are read from here until then */
  } else {
    error = largest_error(own);
    printf("dft: the last of %zu units has every line right to %.1e\n", nunits, error);
  }
  is_right = error < 1e-9;
  MUST(dart_allreduce(&is_right, &all_right, 1, DART_TYPE_BOOL, DART_OP_LAND, DART_TEAM_ALL));

  MUST(dart_team_memfree(flags));
  MUST(dart_team_memfree(spectra));
  MUST(dart_exit());
  return all_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
