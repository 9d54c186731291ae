/* A distributed array: one array in the memory of all units, cut into blocks.
 *
 * Shows the ways to reach an element. Its owner uses a plain pointer. Everybody else names it by a
 * global pointer: unit and offset. Reading one value is a blocking get; moving many is a series of
 * non-blocking puts that one flush completes.
 *
 *   dartrun -n 4 ./distributed_array */
#include <dash/dart/if/dart.h>

#include <stdio.h>
#include <stdlib.h>

/* A call that cannot fail here. Ends all units: the others may already wait for this one. */
#define MUST(call)                                              \
  do {                                                          \
    if ((call) != DART_OK) {                                    \
      fprintf(stderr, "distributed_array: %s failed\n", #call); \
      dart_abort(EXIT_FAILURE);                                 \
    }                                                           \
  } while (0)

enum { NELEM = 1003 }; /* 17 * 59: no number of units from 2 to 16 divides it, so blocks differ */

/* Blocks of ceil(NELEM / n) elements; the last ones may be short or empty. */
typedef struct {
  dart_gptr_t start;
  long        block; /* elements in a full block */
  long        first; /* this unit's elements are first .. first + nlocal - 1 */
  long        nlocal;
  long       *local;
} array_t;

static array_t array_create(long me, long nunits)
{
  array_t     array = { .block = (NELEM + nunits - 1) / nunits };
  dart_gptr_t mine;
  void       *address;

  array.first  = me * array.block < NELEM ? me * array.block : NELEM;
  array.nlocal = NELEM - array.first < array.block ? NELEM - array.first : array.block;
  MUST(
      dart_team_memalloc_aligned(DART_TEAM_ALL, (size_t)array.block, DART_TYPE_LONG, &array.start));
  mine = array.start;
  dart_gptr_setunit(&mine, DART_TEAM_UNIT_ID((dart_unit_t)me));
  MUST(dart_gptr_getaddr(mine, &address));
  array.local = address;
  return array;
}

static dart_gptr_t array_at(const array_t *array, long i)
{
  dart_gptr_t at = array->start;

  dart_gptr_setunit(&at, DART_TEAM_UNIT_ID((dart_unit_t)(i / array->block)));
  dart_gptr_incaddr(&at, i % array->block * (long)sizeof(long));
  return at;
}

static long value_of(long i)
{
  return 7 * i + 1;
}

/* Sum over the elements of all units. */
static long array_sum(const array_t *array)
{
  long sum = 0, sum_all;

  for (long i = 0; i < array->nlocal; i++)
    sum += array->local[i];
  MUST(dart_allreduce(&sum, &sum_all, 1, DART_TYPE_LONG, DART_OP_SUM, DART_TEAM_ALL));
  return sum_all;
}

static int expect(const char *what, long i, long found, long expected)
{
  if (found != expected)
    fprintf(stderr, "distributed_array: %s %ld is %ld, not %ld\n", what, i, found, expected);
  return found != expected;
}

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  array_t            array, shifted;
  size_t             nunits;
  int                wrong = 0, wrong_all;

  MUST(dart_init(&argc, &argv));
  MUST(dart_myid(&me));
  MUST(dart_size(&nunits));
  array   = array_create(me.id, (long)nunits);
  shifted = array_create(me.id, (long)nunits);

  /* Each unit fills its own block, as plain memory. After the barrier all blocks are filled. */
  for (long i = 0; i < array.nlocal; i++)
    array.local[i] = value_of(array.first + i);
  MUST(dart_barrier(DART_TEAM_ALL));

  /* Any unit reads any element: here every 17th, whoever owns it. */
  for (long i = me.id; i < NELEM; i += 17) {
    long value;

    MUST(dart_get_blocking(&value, array_at(&array, i), 1, DART_TYPE_LONG, DART_TYPE_LONG));
    wrong += expect("element", i, value, value_of(i));
  }

  /* Shift by one into the other array, the last element to the front: each unit puts what it owns.
   * The puts are only started; dart_flush_all completes them, at all targets. */
  for (long i = 0; i < array.nlocal; i++)
    MUST(dart_put(array_at(&shifted, (array.first + i + 1) % NELEM), &array.local[i], 1,
                  DART_TYPE_LONG, DART_TYPE_LONG));
  MUST(dart_flush_all(shifted.start));
  MUST(dart_barrier(DART_TEAM_ALL));

  for (long i = 0; i < shifted.nlocal; i++) {
    long at = shifted.first + i;

    wrong += expect("shifted element", at, shifted.local[i], value_of((at + NELEM - 1) % NELEM));
  }
  wrong += expect("sum of elements 0 to", NELEM - 1, array_sum(&array),
                  7L * NELEM * (NELEM - 1) / 2 + NELEM);
  wrong +=
      expect("sum of shifted elements 0 to", NELEM - 1, array_sum(&shifted), array_sum(&array));

  MUST(dart_allreduce(&wrong, &wrong_all, 1, DART_TYPE_INT, DART_OP_SUM, DART_TEAM_ALL));
  if (me.id == 0 && wrong_all == 0)
    printf("%d elements over %zu units: filled, read, shifted and summed up.\n", NELEM, nunits);

  MUST(dart_team_memfree(shifted.start));
  MUST(dart_team_memfree(array.start));
  MUST(dart_exit());
  return wrong_all == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
