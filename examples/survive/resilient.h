#ifndef RESILIENT_H
#define RESILIENT_H
/* An array that outlives the units that have it.
 *
 * A program works on it in phases. Between two phases each unit saves its block, in a file or in the memory of another
 * unit, its buddy, on another node where one is left for it. A phase counts once all units agree that they have done it and saved
 * the result. If a unit is lost before, those that are left share the array as it was last saved among them, and take
 * the phase again. */
#include <stddef.h>
#include <stdio.h>

#include <dash/dart/ext/dart_file.h>
#include <dash/dart/if/dart.h>

#define EXIT_COPIES_LOST 3 /* a unit and its buddy were lost together */

/* Sets item `index` to what it is at the start. */
typedef void fill_t(void *item, size_t index);

typedef struct {
  size_t      nitems, item_size; /* of the whole array */
  fill_t     *fill;
  const char *path;  /* of the file for checkpoints; NULL: they are in memory */
  long        phase; /* the one to work on */
  int         saved; /* which of two checkpoints is the last complete one; -1: none yet */

  /* Of the units that are left. The memory of a lost unit is not used, as if it had been far. */
  dart_team_t team;
  int         me, n;
  size_t      block;  /* items of a unit; the last ones have fewer, or none */
  dart_gptr_t data;   /* a block on each unit */
  void       *mine;   /* the block of this unit */
  dart_gptr_t copies; /* on each unit: its block and that of another unit, in two versions */
  int        *buddy;  /* of each unit: the unit that has a copy of its block */
  dart_file_t file;
} array_t;

/* Collective over all units: `nitems` items, filled and saved. */
void array_create(array_t *a, size_t nitems, size_t item_size, fill_t *fill, const char *path);
void array_destroy(array_t *a);

/* End a phase, of which this unit thinks that it went as `ret` says: DART_OK or DART_ERR_UNIT_LOST. Collective over the
 * units that are left. Either all have done it, and the array is saved; or it is as it was saved last, on fewer units. */
void array_next(array_t *a, dart_ret_t ret);

/* The items of `unit`: the first one, and how many. */
size_t array_first(const array_t *a, int unit);
size_t array_count(const array_t *a, int unit);

/* Where item `index` is. */
dart_gptr_t array_at(const array_t *a, size_t index);

/* DART_OK, or DART_ERR_UNIT_LOST. Any other error ends the job. */
dart_ret_t unless_lost(dart_ret_t ret, const char *call);

/* A call that fails only if a unit was lost, which the caller is told. */
#define TRY(call)                                  \
  do {                                             \
    dart_ret_t try_ret = unless_lost(call, #call); \
                                                   \
    if (try_ret != DART_OK)                        \
      return try_ret;                              \
  } while (0)

/* A call that cannot fail here. Ends all units: the others may already wait for this one. */
#define MUST(call)                                    \
  do {                                                \
    if ((call) != DART_OK) {                          \
      fprintf(stderr, "survive: %s failed\n", #call); \
      dart_abort(EXIT_FAILURE);                       \
    }                                                 \
  } while (0)

#endif
