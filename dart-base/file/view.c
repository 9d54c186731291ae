/* Views, and whether they overlap.
 *
 * A view repeats its blocks with a period, which is the distance from instance to instance of its type. Taken modulo
 * the greatest common divisor of all units' periods, every view is a set of blocks in an interval of that size. Views
 * whose sets do not overlap have no byte in common. (Those that overlap there may still have none; they are locked, as
 * if they had.) All units put their blocks in one list, and look whether two of different units overlap: so all have
 * the same result without another message. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/profile.h"
#include "base/size.h"
#include "coll/coll.h"
#include "data/name.h"
#include "file/file.h"
#include "model/lost.h"

DART__PROFILED(dart_file_set_view);

#define MOST_BLOCKS 4096 /* of a unit; with more, views are taken to overlap */

/* Bytes [first, end) modulo the period. */
typedef struct {
  uint64_t first, end;
  uint64_t unit;
} block_t;

/* Bytes from instance to instance; 0: all bytes from the displacement on. */
static uint64_t period_of(const dart__type_t *type)
{
  if (type->kind == DART__TYPE_STRIDED)
    return (uint64_t)type->stride * type->elem_size;
  return type->kind == DART__TYPE_INDEXED ? (uint64_t)type->extent * type->elem_size : 0;
}

/* Enter a block, in two if it passes the end of the period. False: there is no room, or it is longer than the period. */
static bool add_block(block_t *blocks, size_t *n, uint64_t at, uint64_t nbytes, uint64_t period,
                      uint64_t unit)
{
  uint64_t first = at % period;

  if (*n + 2 > MOST_BLOCKS || nbytes > period)
    return false;
  if (first + nbytes <= period) {
    blocks[(*n)++] = (block_t){ first, first + nbytes, unit };
    return true;
  }
  blocks[(*n)++] = (block_t){ first, period, unit };
  blocks[(*n)++] = (block_t){ 0, first + nbytes - period, unit };
  return true;
}

/* The blocks of an instance of this unit's view. */
static bool list_blocks(dart_file_t file, uint64_t period, uint64_t unit, block_t *blocks,
                        size_t *n_out)
{
  const dart__type_t *type = &file->view;
  size_t              position, count;

  *n_out = 0;
  for (size_t elem = 0; elem < type->elem_count; elem += count) {
    count = dart__type_run(type, elem, &position);
    if (!add_block(blocks, n_out, file->displacement + (uint64_t)position * type->elem_size,
                   (uint64_t)count * type->elem_size, period, unit))
      return false;
  }
  return true;
}

static int compare(const void *a, const void *b)
{
  uint64_t first = ((const block_t *)a)->first, other = ((const block_t *)b)->first;

  return (first > other) - (first < other);
}

static bool overlap(block_t *blocks, size_t n)
{
  qsort(blocks, n, sizeof *blocks, compare);
  for (size_t i = 0, reach = 0; i + 1 < n; i++) { /* block `reach` is the one that ends last */
    if (blocks[i].end > blocks[reach].end)
      reach = i;
    if (blocks[i + 1].first < blocks[reach].end)
      return true;
  }
  return false;
}

/* Gather all units' blocks: NULL, on this unit at least, if there is no memory. */
static block_t *gather_blocks(dart__team_t *team, const block_t *own, size_t n, size_t *total_out)
{
  size_t   nunits = (size_t)team->nunits;
  size_t  *counts = calloc(2 * nunits, sizeof *counts);
  block_t *all    = NULL;
  bool     failed;

  if (dart__coll_agree(team, counts == NULL ? DART_ERR_NOMEM : DART_OK) != DART_OK) {
    free(counts);
    return NULL;
  }
  dart__coll_share(team, &n, counts, sizeof n);
  *total_out = 0;
  for (size_t u = 0; u < nunits && !dart__team_is_broken(team); u++) {
    counts[nunits + u] = *total_out;
    *total_out += counts[u];
  }
  all    = malloc((*total_out + 1) * sizeof *all);
  failed = dart__coll_agree(team, all == NULL ? DART_ERR_NOMEM : DART_OK) != DART_OK ||
           dart__coll_allgatherv(team, own, all, counts, counts + nunits, sizeof *all) != DART_OK ||
           dart__team_is_broken(team);
  free(counts);
  if (!failed)
    return all;
  free(all);
  return NULL;
}

/* Whether no two units' views overlap, as far as can be told. The same on all units. */
static bool are_apart(dart__team_t *team, dart_file_t file)
{
  unsigned long whole  = file->has_view && period_of(&file->view) > 0 ? 0 : 1;
  uint64_t      period = period_of(&file->view), *periods;
  block_t      *own, *all = NULL;
  size_t        n     = 0, total;
  bool          apart = false;

  dart__coll_most(team, &whole, 1);
  if (whole != 0) /* some unit sees all of it */
    return team->nunits == 1;
  periods = malloc((size_t)team->nunits * sizeof *periods);
  own     = malloc(MOST_BLOCKS * sizeof *own);
  whole   = periods == NULL || own == NULL;
  dart__coll_most(team, &whole, 1);
  if (whole == 0) {
    dart__coll_share(team, &period, periods, sizeof period);
    for (int32_t u = 0; u < team->nunits && !dart__team_is_broken(team); u++)
      period = dart__gcd(period, periods[u]);
    whole = !list_blocks(file, period, (uint64_t)team->me, own, &n);
    dart__coll_most(team, &whole, 1);
  }
  if (whole == 0)
    all = gather_blocks(team, own, n, &total);
  if (all != NULL)
    apart = !overlap(all, total);
  free(all);
  free(own);
  free(periods);
  return apart;
}

dart_ret_t dart_file_set_view(dart_file_t file, uint64_t displacement, dart_datatype_t dtype)
{
  dart__team_t       *team = dart__file_check(__func__, file);
  const dart__type_t *type = dart__type_find(dtype);
  dart__type_t        view;
  dart_ret_t          ret, all;

  if (team == NULL)
    return DART_ERR_INVAL;
  ret = type == NULL || displacement > INT64_MAX ? DART_ERR_INVAL
        : dart__type_copy(type, &view)           ? DART_OK
                                                 : DART_ERR_NOMEM;
  if (ret != DART_OK)
    dart__error("%s: type %s from byte %llu on%s", __func__, dart__type_text(dtype).text,
                (unsigned long long)displacement, ret == DART_ERR_NOMEM ? ": no memory" : "");
  all = dart__file_agree_on(__func__, team, file,
                            ret == DART_OK ? dart__file_check_pending(__func__, file) : ret, 0);
  if (all != DART_OK) {
    if (ret == DART_OK)
      dart__type_forget(&view);
    return all;
  }
  dart__type_forget(&file->view);
  file->view            = view;
  file->displacement    = displacement;
  file->has_view        = displacement > 0 || !dart__type_is_contiguous(type);
  file->views_are_apart = are_apart(team, file);
  return dart__team_result(team, DART_OK);
}
