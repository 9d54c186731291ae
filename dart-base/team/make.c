/* What every way of making a team needs: see make.h. */
#include "team/make.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/size.h"
#include "coll/coll.h"
#include "coll/step.h"
#include "far/far_team.h"
#include "far/gone.h"
#include "memory/pool.h"
#include "model/lost.h"
#include "model/world.h"
#include "net.h"
#include "team/team_locality.h"

/* Of slots and results that were widened. Those of large teams are smaller, so that a node's slots take MOST_BYTES. */
#define RESULT_PER_UNIT 64
#define MOST_BYTES      (8 * DART__MI)
/* Teams whose result for all units is larger have one of DART__STEP_RESULT until a collective needs it. */
#define RESULT_AT_ONCE (1 * DART__MI)
/* They begin there in a page of 4 KiB, whatever is in the pool: not at the same place as segments, for a load would wait for
 * a store to the same place of another page. */
#define PAGE_BYTES 4096
#define STAGGER    (53 * DART__CACHE_LINE)

/* Most units of a node that are not in groups, and of a group. In the model of bench/lines, on four machines that hwloc's
 * authors have recorded and one that is described, groups of 32 units take 0.66 to 1.15 of the time of one barrier, 0.57 to
 * 0.98 in reductions, and 0.93 to 1.25 in a broadcast; of 16 units 0.95 to 1.39, 0.80 to 1.21, and 1.2 to 1.53; of 256 a
 * barrier takes 0.29. Groups of 4 and of 16 units take longer. */
#define FEW 31
#define FAN 8

/* Of new teams: enough for what DART itself agrees on in one step. */
#define FIRST_SLOT   DART__CACHE_LINE
#define FIRST_RESULT 1024
#define FIRST_SHARE  32 /* of each unit of a node, as registered memory has; files have more */

/* Most bytes of a result for what all units of a team tell one another, 64 KiB unless a test has less; teams of more units:
 * see dart__coll_share. */
#define SHARED_MOST ((size_t)dart__settings.scattered * sizeof(uint64_t))

dart__team_t *dart__team_describe(const dart__members_t *members)
{
  dart__team_t *team = dart__team_new(members);

  if (team == NULL)
    return NULL;
  if ((team->nnodes == 1 || dart__far_team_prepare(team)) &&
      dart__net_team_prepare(team) == DART_OK)
    return team;
  dart__team_discard(team);
  return NULL;
}

void dart__team_discard(dart__team_t *team)
{
  if (team == NULL)
    return;
  dart__net_team_close(team);
  dart__far_team_discard(team);
  dart__team_delete(team);
}

/* ---- ids ------------------------------------------------------------------------------------- */

static struct {
  pthread_mutex_t lock;
  int32_t         next;
  uint64_t        taken[DART__MAX_TEAMS / 64]; /* a bit for each id */
} ids = { .lock = PTHREAD_MUTEX_INITIALIZER, .next = 1 };

void dart__team_ids_reset(void)
{
  memset(ids.taken, 0, sizeof ids.taken);
  ids.next = 1;
}

int32_t dart__team_next_id(void)
{
  int32_t next;

  pthread_mutex_lock(&ids.lock);
  next = ids.next;
  pthread_mutex_unlock(&ids.lock);
  return next;
}

bool dart__team_take_id(int32_t id)
{
  uint64_t *word = &ids.taken[id / 64], bit = UINT64_C(1) << id % 64;
  bool      is_free;

  pthread_mutex_lock(&ids.lock);
  is_free = (*word & bit) == 0;
  *word |= bit;
  if (id >= ids.next)
    ids.next = id + 1;
  pthread_mutex_unlock(&ids.lock);
  return is_free;
}

/* ---- the exchange ---------------------------------------------------------------------------- */

/* The team of all is being made. */
static bool is_first(void)
{
  return dart__teams[DART_TEAM_ALL] == NULL;
}

/* For what so many units tell one another. */
static size_t result_for(const dart__team_t *team, int32_t nunits, size_t each)
{
  size_t all = dart__least((size_t)nunits * each, SHARED_MOST);

  /* a byte for each unit of a node at least */
  all = dart__most(all, (size_t)dart__team_widest_node(team));
  return dart__round_up(dart__most(FIRST_RESULT, all), DART__CACHE_LINE);
}

/* The team of all shares what each unit has at once. Others begin as a team of the units of a node. */
static size_t first_result(const dart__team_t *team)
{
  return is_first() ? result_for(team, team->nunits, DART__STEP_SHARE)
                    : result_for(team, dart__team_widest_node(team), FIRST_SHARE);
}

static size_t wide_result(const dart__team_t *team)
{
  return dart__most(DART__STEP_RESULT, (size_t)team->nunits * RESULT_PER_UNIT);
}

/* Equal on all nodes of the team, for pieces have to be. */
static size_t wide_slot(const dart__team_t *team)
{
  size_t most = MOST_BYTES / (2 * (size_t)dart__team_widest_node(team));

  return dart__round_up(dart__least(dart__settings.slot, most), DART__CACHE_LINE);
}

static void replace_buffers(dart__team_t *team, size_t slot, size_t result, uint64_t *offset_out)
{
  dart__collective_t call = team->call; /* agreeing is none of the program's calls */
  dart__exchange_t  *x    = &team->exchange;
  size_t nbytes = PAGE_BYTES + STAGGER + dart__exchange_buffer_bytes(x->nunits, slot, result);

  if (dart__pool_alloc_for_node(team, nbytes, offset_out) == DART_OK)
    dart__exchange_replace(
        x,
        dart__pool_address(dart__team_leader(team), dart__round_up(*offset_out, PAGE_BYTES)) +
            STAGGER,
        slot, result);
  team->call = call;
}

/* See dart__step_make_room_for_all. */
static void widen_for_all(dart__team_t *team)
{
  team->widen         = NULL;
  team->widen_for_all = NULL;
  replace_buffers(team, wide_slot(team), wide_result(team), &team->all_offset);
}

/* See dart__step_make_room. */
static void widen(dart__team_t *team)
{
  if (wide_result(team) <= RESULT_AT_ONCE) {
    widen_for_all(team);
    return;
  }
  team->widen = NULL;
  replace_buffers(team, wide_slot(team), DART__STEP_RESULT, &team->wide_offset);
}

/* See dart__step_make_room_to_share. In teams of more units what is shared goes from leader to leader. */
static void widen_result(dart__team_t *team)
{
  team->widen_result = NULL;
  if (team->nunits <= dart__settings.scattered &&
      result_for(team, team->nunits, DART__STEP_SHARE) > team->exchange.result_bytes)
    replace_buffers(team, team->exchange.slot_bytes,
                    result_for(team, team->nunits, DART__STEP_SHARE), &team->result_offset);
}

dart_unit_t dart__team_leader(const dart__team_t *team)
{
  return dart__team_member(team, team->node_units[0]);
}

/* Whether any unit is gone is asked of the team of all alone. */
static uint32_t gone_bits(const dart__team_t *team)
{
  return is_first() ? (uint32_t)team->nunits : 0;
}

static size_t exchange_bytes(const dart__team_t *team)
{
  return dart__exchange_bytes((uint32_t)team->node_nunits, gone_bits(team), FIRST_SLOT,
                              first_result(team));
}

dart_ret_t dart__team_exchange_alloc(const dart__team_t *team, uint64_t *offset_out)
{
  size_t     nbytes = exchange_bytes(team);
  dart_ret_t ret    = dart__pool_alloc(nbytes + dart__team_lists_bytes(team), offset_out);
  char      *memory;

  if (ret != DART_OK)
    return ret;
  memory = dart__pool_address(dart__world.me, *offset_out);
  dart__exchange_format(memory, (uint32_t)team->node_nunits, gone_bits(team));
  dart__team_lists_copy(team, memory + nbytes);
  return DART_OK;
}

dart_ret_t dart__team_plan(const dart__members_t *members, dart__team_plan_t *plan_out)
{
  *plan_out = (dart__team_plan_t){ .team = NULL };
  if (members == NULL)
    return DART_OK;
  plan_out->team = dart__team_describe(members);
  if (plan_out->team == NULL)
    return DART_ERR_NOMEM;
  return dart__team_is_leader(plan_out->team)
             ? dart__team_exchange_alloc(plan_out->team, &plan_out->exchange)
             : DART_OK;
}

void dart__team_plan_discard(const dart__team_plan_t *plan)
{
  if (plan->exchange != 0)
    dart__pool_free(plan->exchange);
  dart__team_discard(plan->team);
}

bool dart__team_agrees_twice(void)
{
  return (dart__net.teams != NULL && dart__net.teams->open != NULL) || dart__survives();
}

void dart__team_exchange_open(dart__team_t *team, uint64_t offset)
{
  char *memory = dart__pool_address(dart__team_leader(team), offset);

  team->exchange_offset = offset;
  dart__team_lists_share(team, memory + exchange_bytes(team));
  dart__exchange_open(&team->exchange, memory, (uint32_t)team->node_nunits, gone_bits(team),
                      (uint32_t)team->node_me, FIRST_SLOT, first_result(team));
  team->wide_offset   = 0;
  team->result_offset = 0;
  team->all_offset    = 0;
  team->tree_offset   = 0;
  team->widen         = widen;
  team->widen_result  = widen_result;
  team->widen_for_all = widen_for_all;
  dart__gone_watch(team);
}

/* Tests have groups where there are few units, whatever cores they have. */
static uint32_t fan(void)
{
  return dart__settings.fan > 1 ? (uint32_t)dart__settings.fan : FAN;
}

static bool are_many(int32_t nunits)
{
  return nunits > (dart__settings.fan > 1 ? dart__settings.fan : FEW);
}

/* Format a tree in the pool of this unit, which leads the node. 0: there is none. */
static uint64_t make_tree(const dart__team_t *team)
{
  uint32_t            nunits = (uint32_t)team->node_nunits;
  dart__tree_place_t *places = calloc(nunits, sizeof *places);
  dart__tree_plan_t  *plan   = NULL;
  uint64_t            offset = 0;

  if (places != NULL && dart__locality_places(team, places))
    plan = dart__tree_plan(places, nunits, fan());
  if (plan != NULL && dart__pool_alloc(dart__tree_bytes(plan), &offset) == DART_OK)
    dart__tree_format(dart__pool_address(dart__world.me, offset), plan, team->exchange.episode + 1);
  free(plan);
  free(places);
  return offset;
}

void dart__team_exchange_group(dart__team_t *team)
{
  bool     has_cores = dart__settings.fan > 1 || dart__world.pace.per_core == 1;
  uint64_t offset    = 0;

  if (!are_many(dart__team_widest_node(team)))
    return;
  dart__team_forget_call(team);
  if (dart__team_is_leader(team) && are_many(team->node_nunits) && has_cores)
    offset = make_tree(team);
  dart__coll_hear_on_node(team, &offset, &team->tree_offset, sizeof offset, 0);
  if (dart__team_is_broken(team))
    team->tree_offset = 0;
  if (team->tree_offset != 0)
    dart__step_use_tree(team, dart__pool_address(dart__team_leader(team), team->tree_offset));
}

static bool have_left(void *context)
{
  const dart__team_t *team = context;

  /* acquire: pairs with the release in dart__team_exchange_close */
  return atomic_load_explicit(&team->exchange.shared->left, memory_order_acquire) ==
         (uint32_t)team->node_nunits - 1;
}

void dart__team_exchange_close(dart__team_t *team)
{
  const uint64_t blocks[] = { team->wide_offset, team->all_offset, team->result_offset,
                              team->tree_offset, team->exchange_offset };

  if (dart__team_is_broken(team))
    return; /* nobody knows who still looks at it: it stays in the pool */
  if (!dart__team_is_leader(team)) {
    /* release: pairs with the leader's acquire; the last access to the exchange */
    atomic_fetch_add_explicit(&team->exchange.shared->left, 1, memory_order_release);
    return;
  }
  if (!dart__wait_for(have_left, team, &team->wait))
    return;
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
    if (blocks[i] != 0)
      dart__pool_free(blocks[i]);
}
