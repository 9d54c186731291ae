/* Histogram: all units count into bins that lie in the memory of all units.
 *
 * Each unit draws random numbers and adds one to the bin of each, wherever that bin is. Adding is
 * one-sided and atomic: the owner does not take part, and no two units lose a count to each other.
 * The adds are only started one by one; a single flush completes them all.
 *
 *   dartrun -n 4 ./histogram */
#include <dash/dart/if/dart.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A call that cannot fail here. Ends all units: the others may already wait for this one. */
#define MUST(call)                                      \
  do {                                                  \
    if ((call) != DART_OK) {                            \
      fprintf(stderr, "histogram: %s failed\n", #call); \
      dart_abort(EXIT_FAILURE);                         \
    }                                                   \
  } while (0)

enum { NBINS = 24, NSAMPLES = 5000 };

/* Xorshift (Marsaglia, 2003), folded so that the bins in the middle get more than those outside. */
static int random_bin(uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (int)((*state >> 16) % (NBINS / 2 + 1) + (*state >> 40) % (NBINS / 2));
}

/* Bin b is element b / n of unit b mod n. */
static dart_gptr_t bin_at(dart_gptr_t bins, int bin, size_t nunits)
{
  dart_gptr_setunit(&bins, DART_TEAM_UNIT_ID((dart_unit_t)((size_t)bin % nunits)));
  dart_gptr_incaddr(&bins, (int64_t)((size_t)bin / nunits * sizeof(long)));
  return bins;
}

int main(int argc, char **argv)
{
  static const long  one = 1; /* must stay as it is until the flush */
  dart_global_unit_t me;
  dart_gptr_t        bins, mine;
  size_t             nunits, nlocal;
  void              *address;
  long               drawn[NBINS] = { 0 }, expected[NBINS], total = 0;
  int                wrong = 0;
  uint64_t           state;

  MUST(dart_init(&argc, &argv));
  MUST(dart_myid(&me));
  MUST(dart_size(&nunits));
  state = 88172645463325252u + (uint64_t)me.id;

  /* Room for the same number of bins everywhere, some may stay unused; all start at zero. */
  nlocal = (NBINS + nunits - 1) / nunits;
  MUST(dart_team_memalloc_aligned(DART_TEAM_ALL, nlocal, DART_TYPE_LONG, &bins));
  mine = bins;
  dart_gptr_setunit(&mine, DART_TEAM_UNIT_ID(me.id));
  MUST(dart_gptr_getaddr(mine, &address));
  for (size_t i = 0; i < nlocal; i++)
    ((long *)address)[i] = 0;
  MUST(dart_barrier(DART_TEAM_ALL));

  for (int i = 0; i < NSAMPLES; i++) {
    int bin = random_bin(&state);

    drawn[bin]++;
    MUST(dart_accumulate(bin_at(bins, bin, nunits), &one, 1, DART_TYPE_LONG, DART_OP_SUM));
  }
  MUST(dart_flush_all(bins));        /* mine are counted */
  MUST(dart_barrier(DART_TEAM_ALL)); /* those of all units are */

  /* What each unit has drawn, summed up over all units, must be what the bins hold. */
  MUST(dart_allreduce(drawn, expected, NBINS, DART_TYPE_LONG, DART_OP_SUM, DART_TEAM_ALL));
  for (int bin = 0; bin < NBINS; bin++) {
    long count;

    MUST(dart_get_blocking(&count, bin_at(bins, bin, nunits), 1, DART_TYPE_LONG, DART_TYPE_LONG));
    total += count;
    if (count != expected[bin]) {
      fprintf(stderr, "histogram: unit %d finds %ld in bin %d, not %ld\n", me.id, count, bin,
              expected[bin]);
      wrong = 1;
    }
    if (me.id == 0)
      printf("%3d %7ld %.*s\n", bin, count, (int)(count * 400 / ((long)nunits * NSAMPLES)),
             "########################################");
  }
  if (total != (long)nunits * NSAMPLES) {
    fprintf(stderr, "histogram: unit %d counts %ld numbers, not %ld\n", me.id, total,
            (long)nunits * NSAMPLES);
    wrong = 1;
  }

  MUST(dart_team_memfree(bins));
  MUST(dart_exit());
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
