/* See resilient.h.
 *
 * A checkpoint is written to the place of the last but one, so the last one is complete until all have agreed on the next.
 * Each unit keeps a copy of its own block as well, to which it goes back. After a loss a new team gets new memory: what
 * a lost unit had sent, and what arrives late, goes to memory that nobody reads any more. The memory of the team before
 * is kept until the array is saved on the new one, for a further unit may be lost meanwhile. */
#include "resilient.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_name.h>
#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_survive.h>

enum { OWN, OTHERS, COPIES }; /* the blocks of a checkpoint in memory */

dart_ret_t unless_lost(dart_ret_t ret, const char *call)
{
  if (ret != DART_OK && ret != DART_ERR_UNIT_LOST) {
    fprintf(stderr, "survive: %s failed: %s\n", call, dart_strerror(ret));
    dart_abort(EXIT_FAILURE);
  }
  return ret;
}

static void *allocate(size_t nbytes)
{
  void *memory = calloc(1, nbytes);

  if (memory == NULL) {
    fprintf(stderr, "survive: no memory for %zu bytes\n", nbytes);
    dart_abort(EXIT_FAILURE);
  }
  return memory;
}

/* ---- where items are ------------------------------------------------------------------------------ */

size_t array_first(const array_t *a, int unit)
{
  size_t first = (size_t)unit * a->block;

  return first < a->nitems ? first : a->nitems;
}

size_t array_count(const array_t *a, int unit)
{
  return array_first(a, unit + 1) - array_first(a, unit);
}

static size_t bytes_of(const array_t *a, int unit)
{
  return array_count(a, unit) * a->item_size;
}

static dart_gptr_t at(dart_gptr_t start, int unit, size_t offset)
{
  dart_gptr_setunit(&start, DART_TEAM_UNIT_ID(unit));
  dart_gptr_incaddr(&start, (int64_t)offset);
  return start;
}

dart_gptr_t array_at(const array_t *a, size_t index)
{
  return at(a->data, (int)(index / a->block), index % a->block * a->item_size);
}

/* One of the two blocks of a checkpoint that `unit` has. */
static dart_gptr_t copy_at(const array_t *a, int unit, int version, int which)
{
  return at(a->copies, unit, (size_t)(version * COPIES + which) * a->block * a->item_size);
}

static void *own_address(const array_t *a, dart_gptr_t gptr)
{
  void *address;

  MUST(dart_gptr_getaddr(at(gptr, a->me, 0), &address));
  return address;
}

/* ---- checkpoints ---------------------------------------------------------------------------------- */

static int next_version(const array_t *a)
{
  return a->saved == 0 ? 1 : 0;
}

static dart_ret_t save_to_memory(const array_t *a)
{
  int    version = next_version(a);
  size_t nbytes  = bytes_of(a, a->me);

  memcpy(own_address(a, copy_at(a, a->me, version, OWN)), a->mine, nbytes);
  TRY(dart_put_blocking(copy_at(a, a->buddy[a->me], version, OTHERS), a->mine, nbytes,
                        DART_TYPE_BYTE, DART_TYPE_BYTE));
  return DART_OK;
}

/* Where an item is in the file, which has both checkpoints one after the other. */
static uint64_t place_in_file(const array_t *a, int version, size_t index)
{
  return ((uint64_t)version * a->nitems + index) * a->item_size;
}

static dart_ret_t save_to_file(const array_t *a)
{
  TRY(dart_file_write_at(a->file, place_in_file(a, next_version(a), array_first(a, a->me)), a->mine,
                         bytes_of(a, a->me), DART_TYPE_BYTE, DART_TYPE_BYTE, NULL));
  TRY(dart_file_sync(a->file));
  return DART_OK;
}

static dart_ret_t save(const array_t *a)
{
  return a->path != NULL ? save_to_file(a) : save_to_memory(a);
}

/* Whether the phase went well on all units that are left, and none was lost. All get the same answer. */
static bool agree(array_t *a, dart_ret_t ret)
{
  uint64_t is_done = ret == DART_OK;

  ret = unless_lost(dart_team_agree(a->team, &is_done), "dart_team_agree");
  if (ret != DART_OK || is_done == 0)
    return false;
  a->saved = next_version(a);
  return true;
}

/* ---- the units that are left ---------------------------------------------------------------------- */

static void shrink(array_t *a, dart_team_t before)
{
  dart_team_unit_t me;
  size_t           n;

  MUST(dart_team_shrink(before, &a->team));
  MUST(dart_team_myid(a->team, &me));
  MUST(dart_team_size(a->team, &n));
  a->me    = me.id;
  a->n     = (int)n;
  a->block = (a->nitems + n - 1) / n;
  a->buddy = allocate(n * sizeof *a->buddy);
  a->file  = DART_FILE_NULL;
}

/* The segments go with the team; after it the file is closed by each unit alone. */
static void release(array_t *a)
{
  if (a->team == DART_TEAM_ALL)
    return;
  MUST(dart_team_destroy(&a->team));
  MUST(dart_file_close(&a->file));
  free(a->buddy);
}

/* The unit's buddy is as many units further as the largest node has, in the order of nodes: so it is on another node,
 * unless most units are on one. `node` has the first unit of each unit's node. */
static void choose_buddies(array_t *a, const int *node)
{
  int *order = allocate((size_t)a->n * sizeof *order), filled = 0, shift = 1;

  for (int first = 0; first < a->n; first++) {
    int before = filled;

    for (int u = first; node[first] == first && u < a->n; u++)
      if (node[u] == first)
        order[filled++] = u;
    if (filled - before > shift && filled - before < a->n)
      shift = filled - before;
  }
  for (int k = 0; k < a->n; k++)
    a->buddy[order[k]] = order[(k + shift) % a->n];
  free(order);
}

static dart_ret_t find_buddies(array_t *a)
{
  int             *node = allocate((size_t)a->n * sizeof *node);
  dart_team_unit_t first;
  size_t           nnear;
  dart_ret_t       ret;

  MUST(dart_team_near_units(a->team, 1, &first, &nnear));
  ret = dart_allgather(&first.id, node, 1, DART_TYPE_INT, a->team);
  if (ret == DART_OK)
    choose_buddies(a, node);
  free(node);
  return unless_lost(ret, "dart_allgather");
}

static dart_ret_t make_memory(array_t *a)
{
  size_t nbytes = a->block * a->item_size;

  TRY(find_buddies(a));
  TRY(dart_team_memalloc_aligned(a->team, nbytes, DART_TYPE_BYTE, &a->data));
  a->mine = own_address(a, a->data);
  if (a->path == NULL)
    TRY(dart_team_memalloc_aligned(a->team, 2 * COPIES * nbytes, DART_TYPE_BYTE, &a->copies));
  else
    TRY(dart_file_open(a->team, a->path, DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE, 0600,
                       &a->file));
  return DART_OK;
}

/* ---- what was saved by the units before ----------------------------------------------------------- */

/* Whether a unit of the team before is in this one. All answer alike, as all have the same team. */
static bool is_left(const array_t *a, const array_t *before, int unit)
{
  dart_global_unit_t global;
  dart_team_unit_t   now;

  MUST(dart_team_unit_l2g(before->team, DART_TEAM_UNIT_ID(unit), &global));
  MUST(dart_team_unit_g2l(a->team, global, &now));
  return now.id >= 0;
}

/* Put items to the units that have them now. */
static dart_ret_t put_items(const array_t *a, size_t first, size_t count, const char *items)
{
  while (count > 0) {
    size_t rest = a->block - first % a->block, now = count < rest ? count : rest;

    TRY(dart_put_blocking(array_at(a, first), items, now * a->item_size, DART_TYPE_BYTE,
                          DART_TYPE_BYTE));
    first += now;
    count -= now;
    items += now * a->item_size;
  }
  return DART_OK;
}

/* Each unit shares its block and that of the unit whose buddy it was, if that is lost. */
static dart_ret_t restore_from_memory(const array_t *a, const array_t *before)
{
  for (int u = 0; u < before->n; u++) {
    bool is_mine = u == before->me;

    if (is_mine || (before->buddy[u] == before->me && !is_left(a, before, u)))
      TRY(put_items(
          a, array_first(before, u), array_count(before, u),
          own_address(before, copy_at(before, before->me, a->saved, is_mine ? OWN : OTHERS))));
  }
  TRY(dart_barrier(a->team));
  return DART_OK;
}

static dart_ret_t restore_from_file(const array_t *a)
{
  size_t nread;

  TRY(dart_file_read_at(a->file, place_in_file(a, a->saved, array_first(a, a->me)), a->mine,
                        bytes_of(a, a->me), DART_TYPE_BYTE, DART_TYPE_BYTE, &nread));
  if (nread != bytes_of(a, a->me))
    return unless_lost(DART_ERR_OTHER, "reading the checkpoint");
  return DART_OK;
}

/* End the job if a unit and its buddy are lost, by the first of those that are left. */
static dart_ret_t look_for_copies(const array_t *a, const array_t *before)
{
  for (int u = 0; u < before->n; u++) {
    if (is_left(a, before, u) || is_left(a, before, before->buddy[u]))
      continue;
    if (a->me == 0) {
      fprintf(stderr,
              "survive: both copies of a block are lost: those of units %d and %d of the %d that "
              "there were. A checkpoint in a file would be there.\n",
              u, before->buddy[u], before->n);
      dart_abort(EXIT_COPIES_LOST);
    }
    TRY(dart_barrier(a->team)); /* until the job ends */
  }
  return DART_OK;
}

static dart_ret_t restore(const array_t *a, const array_t *before)
{
  if (a->path != NULL)
    return restore_from_file(a);
  TRY(look_for_copies(a, before));
  return restore_from_memory(a, before);
}

static dart_ret_t fill_block(const array_t *a)
{
  for (size_t i = 0; i < array_count(a, a->me); i++)
    a->fill((char *)a->mine + i * a->item_size, array_first(a, a->me) + i);
  return DART_OK;
}

/* ---- phases --------------------------------------------------------------------------------------- */

static dart_ret_t try_to_share(array_t *a, const array_t *before)
{
  TRY(make_memory(a));
  TRY(a->saved < 0 ? fill_block(a) : restore(a, before));
  return save(a);
}

/* Share the array among the units that are left, as often as it takes. */
static void share(array_t *a)
{
  array_t before = *a;

  shrink(a, before.team);
  while (!agree(a, try_to_share(a, &before))) {
    release(a);
    shrink(a, before.team);
  }
  release(&before);
}

void array_next(array_t *a, dart_ret_t ret)
{
  if (ret == DART_OK)
    ret = save(a);
  if (agree(a, ret))
    a->phase++;
  else
    share(a);
}

void array_create(array_t *a, size_t nitems, size_t item_size, fill_t *fill, const char *path)
{
  *a = (array_t){ .nitems    = nitems,
                  .item_size = item_size,
                  .fill      = fill,
                  .path      = path,
                  .saved     = -1,
                  .team      = DART_TEAM_ALL };
  share(a);
}

void array_destroy(array_t *a)
{
  release(a);
}
