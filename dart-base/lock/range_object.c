/* Range objects: how they are made, and end. How ranges of them are acquired is in range_calls.c. */
#include "lock/range_object.h"

#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_profile.h>

#include "base/profile.h"
#include "base/size.h"
#include "coll/coll.h"
#include "far/far_ops.h"
#include "memory/node_table.h"
#include "memory/pool.h"
#include "model/argument_check.h"
#include "model/tell.h"
#include "model/world.h"

DART__PROFILED(dart_team_range_init);
DART__PROFILED(dart_team_range_destroy);

#define DEFAULT_STRIPE    ((uint64_t)1 << 20)
#define DEFAULT_CAPACITY  1024
#define CAPACITY_PER_UNIT 64

/* All objects of this unit, of former cycles, too. */
static struct {
  pthread_mutex_t guard;
  dart_range_t    first;
} all = { PTHREAD_MUTEX_INITIALIZER, DART_RANGE_NULL };

/* ---- slots ----------------------------------------------------------------------------------- */

static dart__range_slot_t *new_slot(void)
{
  dart__range_slot_t *slot = calloc(1, sizeof *slot);

  if (slot == NULL)
    return NULL;
  if (dart__pool_alloc(sizeof(uint64_t), &slot->offset) != DART_OK) {
    free(slot);
    return NULL;
  }
  memset(dart__pool_address(dart__world.me, slot->offset), 0, sizeof(uint64_t));
  return slot;
}

dart__range_slot_t *dart__range_take_slot(dart_range_t range)
{
  dart__range_slot_t *slot;

  pthread_mutex_lock(&range->guard);
  slot = range->slots;
  if (slot != NULL)
    range->slots = slot->next;
  range->nbusy++;
  pthread_mutex_unlock(&range->guard);
  return slot != NULL ? slot : new_slot();
}

void dart__range_give_slot(dart_range_t range, dart__range_slot_t *slot)
{
  pthread_mutex_lock(&range->guard);
  range->nbusy--;
  if (slot != NULL) {
    slot->next   = range->slots;
    range->slots = slot;
  }
  pthread_mutex_unlock(&range->guard);
}

/* Whether a thread of this unit waits for some of it, or has not yet counted what it holds. */
static bool is_awaited(dart_range_t range)
{
  bool result;

  pthread_mutex_lock(&range->guard);
  result = range->nbusy > 0;
  pthread_mutex_unlock(&range->guard);
  return result;
}

static void free_slots(dart_range_t range, bool is_open)
{
  for (dart__range_slot_t *slot = range->slots, *next; slot != NULL; slot = next) {
    next = slot->next;
    if (is_open)
      dart__pool_free(slot->offset);
    free(slot);
  }
}

/* ---- life -------------------------------------------------------------------------------------- */

/* `is_open`: the pool that its slots are in is there. */
static void delete_range(dart_range_t range, bool is_open)
{
  dart_range_t *link = &all.first;

  if (range == NULL)
    return;
  pthread_mutex_lock(&all.guard);
  while (*link != range)
    link = &(*link)->next;
  *link = range->next;
  pthread_mutex_unlock(&all.guard);
  dart__hold_delete(range->hold);
  free_slots(range, is_open);
  pthread_mutex_destroy(&range->guard);
  if (range->tables_owner == 0)
    dart__node_table_free(range->tables, 0);
  free(range);
}

static dart_range_t new_range(const dart__team_t *team, uint64_t stripe)
{
  dart_range_t range = calloc(1, sizeof *range);

  if (range == NULL)
    return NULL;
  pthread_mutex_init(&range->guard, NULL);
  pthread_mutex_lock(&all.guard);
  range->next = all.first;
  all.first   = range;
  pthread_mutex_unlock(&all.guard);
  range->hold         = dart__hold_new(DART__HOLD_RANGE, team->id, -1, &range->spare);
  range->cycle        = dart__world.cycle;
  range->teamid       = team->id;
  range->stripe       = stripe == 0 ? DEFAULT_STRIPE : stripe;
  range->nunits       = team->nunits;
  range->slots        = new_slot(); /* threads of a unit wait one at a time in most programs */
  range->tables_owner = dart__node_table_owner(team);
  if (range->slots == NULL || !dart__node_table_prepare(team, sizeof range->own, &range->tables)) {
    delete_range(range, true);
    return NULL;
  }
  return range;
}

static uint32_t capacity_of(const dart__team_t *team, size_t capacity)
{
  size_t by_units = dart__most((size_t)team->nunits * CAPACITY_PER_UNIT, DEFAULT_CAPACITY);

  return (uint32_t)(capacity > 0 ? capacity : dart__least(by_units, DART__RANGES_BY_UNITS));
}

/* This unit's part, unless its arguments are wrong. */
static dart_ret_t make_part(const char *function, const dart__team_t *team, uint64_t stripe,
                            size_t capacity, dart_range_t *range)
{
  if (range == NULL || capacity > DART__RANGES_MOST)
    return dart__fail(DART_ERR_INVAL, "%s: range %p, capacity %zu", function, (void *)range,
                      capacity);
  *range = new_range(team, stripe);
  if (*range == NULL)
    return DART_ERR_NOMEM;
  return dart__table_new(capacity_of(team, capacity), &(*range)->own);
}

static void tell_no_memory(const char *function, const dart__team_t *team)
{
  if (dart__tells_call())
    dart__error("%s: no memory for range locks of team %d", function, team->id);
}

dart_ret_t dart_team_range_init(dart_team_t teamid, uint64_t stripe, size_t capacity,
                                dart_range_t *range)
{
  dart__team_t *team    = dart__check_team(__func__, teamid);
  bool          is_told = false; /* others may know of this unit's table */
  dart_ret_t    mine, ret;

  if (range != NULL)
    *range = DART_RANGE_NULL;
  if (team == NULL)
    return DART_ERR_INVAL;
  dart__team_begin_call(team, __func__);
  mine = make_part(__func__, team, stripe, capacity, range);
  if (mine == DART_ERR_NOMEM)
    tell_no_memory(__func__, team);
  ret = dart__coll_agree_on(__func__, team, mine, (const uint64_t[]){ capacity, stripe });
  if (ret == DART_OK) {
    ret     = dart__node_table_fill(team, &(*range)->own, sizeof(*range)->own, &(*range)->tables);
    is_told = ret != DART_ERR_NOMEM;
    if (!is_told)
      tell_no_memory(__func__, team);
  }
  if (ret == DART_OK || range == NULL)
    return ret;
  if (mine == DART_OK && !is_told)
    dart__table_delete((*range)->own);
  delete_range(*range, true);
  *range = DART_RANGE_NULL;
  return ret;
}

/* All requests of this unit to far tables have been served; then so have all units'. `ret` is whether this unit can
 * go on: agreed on. */
static dart_ret_t settle(const char *function, dart__team_t *team, dart_ret_t ret)
{
  dart__team_begin_call(team, function);
  for (int32_t unit = 0; team->nnodes > 1 && unit < team->nunits; unit++)
    if (!dart__team_is_on_node(team, unit))
      dart__far_settle(team, unit);
  return dart__coll_agree(team, ret);
}

/* Whether it can be destroyed: nobody holds some of it, or waits for it. Who waits is looked for first: by then it
 * holds nothing, or it has counted that. Once the team is gone, dart_team_destroy has settled, and this unit is asked
 * alone. */
static dart_ret_t end_use(const char *function, dart_range_t range)
{
  dart__team_t *team  = dart__team_find(range->teamid);
  bool          waits = is_awaited(range), held = dart__hold_is_held(range->hold);
  dart_ret_t    mine = held || waits ? DART_ERR_INVAL : DART_OK;
  dart_ret_t    ret  = team == NULL ? mine : settle(function, team, mine);

  if (ret != DART_OK && ret != DART_ERR_UNIT_LOST)
    dart__error("%s: %s", function,
                held    ? "this unit holds some of it"
                : waits ? "a thread of this unit waits for some of it"
                        : "another unit holds some of it, or waits for it");
  return ret;
}

static void delete_tables(dart_range_t range)
{
  dart__table_delete(range->own);
  if (range->tables_owner != 0)
    dart__node_table_free(range->tables, range->tables_owner);
}

dart_ret_t dart_team_range_destroy(dart_range_t *range)
{
  dart_ret_t ret = DART_OK;
  bool       is_open;

  if (range == NULL || *range == DART_RANGE_NULL)
    return DART_OK;
  is_open = dart__world.initialized && (*range)->cycle == dart__world.cycle;
  if (is_open) {
    ret = end_use(__func__, *range);
    if (ret != DART_OK && ret != DART_ERR_UNIT_LOST)
      return ret;
    if (ret == DART_OK) /* else others may still use them */
      delete_tables(*range);
  }
  delete_range(*range, is_open);
  *range = DART_RANGE_NULL;
  return ret;
}

void dart__range_release_all(void)
{
  pthread_mutex_lock(&all.guard);
  for (dart_range_t range = all.first; range != DART_RANGE_NULL; range = range->next) {
    if (range->cycle != dart__world.cycle || !dart__hold_is_held(range->hold) ||
        dart__team_find(range->teamid) == NULL)
      continue;
    for (int32_t unit = 0; unit < range->nunits; unit++)
      dart__table_leave_all(dart__range_table_of(range, unit));
    dart__hold_set(range->hold, 0);
  }
  pthread_mutex_unlock(&all.guard);
}
