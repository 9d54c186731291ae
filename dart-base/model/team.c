/* Teams: their description is derived from the member list and the job's node numbers. */
#include "model/team.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/config.h"
#include "base/counters.h"
#include "base/free_memory.h"
#include "base/hash.h"
#include "base/last_call.h"
#include "base/log.h"
#include "base/sparse.h"
#include "model/world.h"

#define PAGE 4096 /* granule in which the tables' memory is released */

_Alignas(PAGE) dart__team_t *dart__teams[DART__MAX_TEAMS];
dart__pools_t   dart__pools;
_Atomic int32_t dart__teams_end;
_Alignas(PAGE) const dart__direct_map_t *dart__team_direct[2 * DART__MAX_TEAMS];
uint64_t dart__team_withdrawn;

/* relaxed: with several threads nobody compares it */
static void count_withdrawn(void)
{
  __atomic_store_n(&dart__team_withdrawn,
                   __atomic_load_n(&dart__team_withdrawn, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

__thread uint32_t dart_inline_budget = 1; /* far/poll_budget.h */

void dart__team_error(const char *function, dart_team_t id)
{
  if (dart__world.initialized)
    dart__error("%s: unknown team %d", function, id);
  else
    dart__error("%s: DART is not initialised", function);
}

/* ---- tables of segments ----------------------------------------------------------------------
 *
 * Mapping two tables and faulting their pages in takes longer than the rest of making a team. So those of
 * teams that are gone are kept, a few, for the next ones: they are empty then. */

#define SEGMENTS_BYTES (DART__MAX_SEGMENTS * sizeof(dart__segment_t *))
#define MAPS_BYTES     (DART__MAX_SEGMENTS * sizeof(dart__direct_map_t))
#define ENDED_BYTES    (DART__MAX_SEGMENTS / 2 * sizeof(dart__segment_t *))
#define SPARE_MOST     4

static struct {
  dart__segment_t   **segments;
  dart__direct_map_t *direct_map;
} spare[SPARE_MOST];
static size_t          nspare;
static pthread_mutex_t spare_lock = PTHREAD_MUTEX_INITIALIZER; /* several threads may make teams */

/* Bytes of the tables that are allocated. */
static int64_t table_bytes(const void *segments, const void *direct_map)
{
  return (segments != NULL ? (int64_t)SEGMENTS_BYTES : 0) +
         (direct_map != NULL ? (int64_t)MAPS_BYTES : 0);
}

static bool take_spare(dart__team_t *team)
{
  bool found;

  pthread_mutex_lock(&spare_lock);
  found = nspare > 0;
  if (found) {
    nspare--;
    team->segments   = spare[nspare].segments;
    team->direct_map = spare[nspare].direct_map;
  }
  pthread_mutex_unlock(&spare_lock);
  return found;
}

static bool give_spare(const dart__team_t *team)
{
  bool room;

  pthread_mutex_lock(&spare_lock);
  room = nspare < SPARE_MOST;
  if (room) {
    spare[nspare].segments   = team->segments;
    spare[nspare].direct_map = team->direct_map;
    nspare++;
  }
  pthread_mutex_unlock(&spare_lock);
  return room;
}

static void new_tables(dart__team_t *team)
{
  if (take_spare(team))
    return;
  team->segments   = dart__memory_new_table(SEGMENTS_BYTES);
  team->direct_map = dart__memory_new_table(MAPS_BYTES);
  dart__level_add(DART__LEVEL_TABLES, table_bytes(team->segments, team->direct_map));
}

static void delete_tables(dart__segment_t **segments, dart__direct_map_t *direct_map)
{
  dart__level_add(DART__LEVEL_TABLES, -table_bytes(segments, direct_map));
  dart__memory_delete_table(segments, SEGMENTS_BYTES);
  dart__memory_delete_table(direct_map, MAPS_BYTES);
}

/* A team that had many segments has touched many pages of them: those are released. */
static void keep_tables(dart__team_t *team)
{
  bool few = (size_t)team->most_segments < PAGE / sizeof *team->segments;

  if (team->segments == NULL || team->direct_map == NULL || team->nsegments > 0 || !few ||
      !give_spare(team))
    delete_tables(team->segments, team->direct_map);
}

void dart__team_free_spare(void)
{
  while (nspare > 0) {
    nspare--;
    delete_tables(spare[nspare].segments, spare[nspare].direct_map);
  }
}

int32_t dart__team_widest_node(const dart__team_t *team)
{
  int32_t widest = 0;

  for (int32_t k = 0; k < team->nnodes; k++)
    if (dart__team_units_on(team, k) > widest)
      widest = dart__team_units_on(team, k);
  return widest;
}

/* ---- members ------------------------------------------------------------------------------------ */

int32_t dart__team_unit_of(const dart__team_t *team, dart_unit_t global)
{
  return dart__members_find(&team->members, global);
}

static int32_t node_of_member(const void *members, int32_t unit)
{
  return dart__world_node(dart__member(members, unit));
}

static bool find_nodes(dart__team_t *team)
{
  const dart__placement_t *job = &dart__world.nodes;

  if (job->kind == DART__PLACED_IN_BLOCKS)
    return dart__placement_in_blocks(&team->nodes, job, &team->members);
  return dart__placement_find(&team->nodes, team->nunits, job->nnodes, node_of_member,
                              &team->members);
}

/* A team of all units has the job's tables. False: no memory. */
static bool place_team(dart__team_t *team)
{
  team->has_nodes = team->nunits < dart__world.nunits;
  if (!team->has_nodes)
    team->nodes = dart__world.nodes;
  else if (!find_nodes(team))
    return false;
  if (team->nunits >= dart__settings.scattered && team->has_nodes &&
      !dart__placement_derive(&team->nodes, &dart__world.nodes, &team->members))
    return false; /* the units of a node share its tables, so all have them in one form */
  team->nnodes = team->nodes.nnodes;
  return true;
}

#define NEAR_MOST 16384 /* units of a node for which there is a table */

/* Where the search for a unit begins in near_table. */
static uint32_t near_place(const dart__team_t *team, int32_t unit)
{
  return (uint32_t)unit * UINT32_C(2654435769) >> (32 - team->near_bits);
}

/* By arithmetic, or by a table that is in the cache, where those of the placement have all units. Called, lest each
 * look-up that has nothing to do with it becomes longer. */
int32_t dart__team_find_near(const dart__team_t *team, int32_t unit)
{
  uint32_t place, mask = (UINT32_C(1) << team->near_bits) - 1;

  if (team->near_table == NULL)
    return unit % team->nnodes == team->node ? unit / team->nnodes : -1;
  place = near_place(team, unit);
  while (team->near_table[place] != 0 && team->node_units[team->near_table[place] - 1] != unit)
    place = (place + 1) & mask;
  return (int32_t)team->near_table[place] - 1;
}

/* Enter the scattered units of the node into the table. False: no memory. */
static bool enter_near(dart__team_t *team)
{
  uint32_t mask, place;

  if (team->nodes.kind == DART__PLACED_IN_TURN)
    return true;
  for (team->near_bits = 1; 1 << team->near_bits < 8 * team->node_nunits;)
    team->near_bits++;
  team->near_table = calloc((size_t)1 << team->near_bits, sizeof *team->near_table);
  if (team->near_table == NULL)
    return false;
  mask = (UINT32_C(1) << team->near_bits) - 1;
  for (int32_t i = 0; i < team->node_nunits; i++) {
    place = near_place(team, team->node_units[i]);
    while (team->near_table[place] != 0)
      place = (place + 1) & mask;
    team->near_table[place] = (uint16_t)(i + 1);
  }
  return true;
}

/* The units of this node. False: no memory. */
static bool list_node(dart__team_t *team)
{
  int32_t first, span;

  team->node       = dart__team_node_of(team, team->me);
  team->node_first = first = dart__team_node_start(team, team->node);
  team->node_nunits        = dart__team_units_on(team, team->node);
  team->node_me            = dart__team_rank(team, team->me) - first;
  team->node_units         = calloc((size_t)team->node_nunits, sizeof *team->node_units);
  if (team->node_units == NULL)
    return false;
  for (int32_t i = 0; i < team->node_nunits; i++)
    team->node_units[i] = dart__team_unit_at(team, first + i);
  span = team->node_units[team->node_nunits - 1] - team->node_units[0] + 1;
  if (span > team->node_nunits && team->nunits >= dart__settings.scattered &&
      team->node_nunits <= NEAR_MOST) {
    team->is_scattered = true;
    team->near_me      = team->node_me;
    return enter_near(team);
  }
  team->near_first = team->node_units[0];
  team->near_span  = span;
  team->near_me    = team->me;
  return true;
}

/* ---- life --------------------------------------------------------------------------------------- */

/* The step is counted on before the wait for it. */
dart__waiting_t *dart__team_note_wait(void *subject)
{
  const dart__team_t *team = subject;

  return dart__waiting_begin(
      dart__call, (dart__wait_for_t){ DART__WAIT_COLLECTIVE, team->id, team->members.first,
                                      team->exchange.episode, (uint64_t)team->nunits });
}

static bool copy_members(dart__team_t *team, const dart__members_t *members)
{
  dart_unit_t *ids;

  team->members = *members;
  if (members->ids == NULL)
    return true;
  team->members.ids = ids = calloc((size_t)members->count, sizeof *ids);
  if (ids != NULL)
    memcpy(ids, members->ids, (size_t)members->count * sizeof *ids);
  return ids != NULL;
}

/* False: no memory. */
static bool describe(dart__team_t *team, const dart__members_t *members)
{
  if (!copy_members(team, members))
    return false;
  team->me = dart__team_unit_of(team, dart__world.me);
  if (!place_team(team) || !list_node(team))
    return false;
  if (team->nnodes == 1 || !dart__team_is_leader(team))
    return true;
  team->node_bytes = calloc((size_t)team->nnodes + 1, sizeof *team->node_bytes);
  return team->node_bytes != NULL;
}

dart__team_t *dart__team_new(const dart__members_t *members)
{
  dart__team_t *team = calloc(1, sizeof *team);

  if (team == NULL)
    return NULL;
  team->id         = DART_TEAM_NULL;
  team->nunits     = members->count;
  team->first_free = 1;
  team->wait       = dart__world.wait;
  new_tables(team);
  if (team->segments != NULL && team->direct_map != NULL && describe(team, members))
    return team;
  dart__team_delete(team);
  return NULL;
}

void dart__team_delete(dart__team_t *team)
{
  if (team == NULL)
    return;
  if (!team->shares_lists)
    free((void *)(uintptr_t)team->members.ids);
  if (team->has_nodes)
    dart__placement_clear(&team->nodes);
  free(team->node_units);
  free(team->near_table);
  free(team->node_bytes);
  dart__sparse_delete(team->aside);
  keep_tables(team);
  dart__level_add(DART__LEVEL_TABLES, team->ended != NULL ? -(int64_t)ENDED_BYTES : 0);
  dart__memory_delete_table(team->ended, ENDED_BYTES);
  free(team);
}

/* ---- lists that the units of a node share ------------------------------------------------------- */

size_t dart__team_lists_bytes(const dart__team_t *team)
{
  size_t elements = (team->members.ids != NULL ? (size_t)team->nunits : 0) +
                    (team->has_nodes ? dart__placement_elements(&team->nodes) : 0);

  return elements * sizeof(int32_t);
}

void dart__team_lists_copy(const dart__team_t *team, void *memory)
{
  size_t   count = (size_t)team->nunits;
  int32_t *to    = memory;

  if (team->members.ids != NULL) {
    memcpy(to, team->members.ids, count * sizeof *to);
    to += count;
  }
  if (team->has_nodes)
    dart__placement_copy(&team->nodes, to);
}

void dart__team_lists_share(dart__team_t *team, const void *memory)
{
  const int32_t *from = memory;

  if (team->members.ids != NULL) {
    free((void *)(uintptr_t)team->members.ids);
    team->members.ids = team->nodes.members.ids = from;
    from += team->nunits;
  }
  if (team->has_nodes)
    dart__placement_share(&team->nodes, from);
  team->shares_lists = true;
}

/* ---- tables by id ------------------------------------------------------------------------------- */

/* Its kind is that of its name: names of units are at different addresses. */
void dart__team_begin_call(dart__team_t *team, const char *function)
{
  team->call.kind_without_data = dart__hash_fold(dart__hash_text(DART__HASH_OF_NOTHING, function));
  team->call.number++;
  dart__call_share(function, dart__team_call_number(team));
}

/* Threads may enter teams at a time. */
static void count_id(dart_team_t id)
{
  int32_t end = atomic_load_explicit(&dart__teams_end, memory_order_relaxed);

  while (end <= id &&
         !atomic_compare_exchange_weak_explicit(&dart__teams_end, &end, id + 1,
                                                memory_order_relaxed, memory_order_relaxed))
    ;
}

void dart__team_enter(dart__team_t *team, dart_team_t id)
{
  count_id(id);
  team->id              = id;
  dart__teams[id]       = team;
  dart__team_direct[id] = team->direct_map;
  dart__waits_join(id, true);
}

/* A table by team ids, as pages. Ids are not reused before dart_exit, so the pages touched by teams that are
 * gone would only accumulate: they are released once all entries on them are NULL. One such page is kept,
 * the last, for teams that come and go have ids that follow each other: `empty`. */
static bool is_empty(const void *page)
{
  static const char nothing[PAGE];

  return memcmp(page, nothing, PAGE) == 0;
}

static void trim(void *entry, void **empty)
{
  void *page = (void *)((uintptr_t)entry & ~(uintptr_t)(PAGE - 1));

  if (page == *empty || !is_empty(page))
    return;
  /* Where the kernel's pages are larger, madvise would release the neighbours of this one, too. */
  if (*empty != NULL && is_empty(*empty) && sysconf(_SC_PAGESIZE) == PAGE)
    madvise(*empty, PAGE, MADV_DONTNEED);
  *empty = page;
}

void dart__team_leave(dart__team_t *team)
{
  static void *empty_team, *empty_direct;

  dart__waits_join(team->id, false);
  dart__teams[team->id]       = NULL;
  dart__team_direct[team->id] = NULL;
  count_withdrawn();
  trim(&dart__teams[team->id], &empty_team);
  trim(&dart__team_direct[team->id], &empty_direct);
}

int16_t dart__team_free_segid(dart__team_t *team)
{
  while (team->first_free <= INT16_MAX && team->segments[team->first_free] != NULL)
    team->first_free++;
  return team->first_free <= INT16_MAX ? (int16_t)team->first_free : 0;
}

int16_t dart__team_free_registered(const dart__team_t *team, int16_t from)
{
  for (int32_t id = from; id >= INT16_MIN; id--)
    if (team->segments[(uint16_t)id] == NULL)
      return (int16_t)id;
  return 0;
}

/* Bytes of the smallest portion on this node, less what exceeds a multiple of 8 (dart_inline_map_t). */
static uint64_t mapped_bytes(const dart__team_t *team, const dart__segment_t *segment)
{
  uint64_t nbytes = segment->nbytes;

  for (int32_t i = 0; i < team->node_nunits; i++) {
    uint64_t size = dart__segment_size(segment, team->node_units[i]);

    nbytes = size < nbytes ? size : nbytes;
  }
  return nbytes - nbytes % 8;
}

/* Whether all portions are near, and lie at a constant step. In a job of several nodes the list is taken in any case,
 * for the poll budget (far/poll_budget.h): a unit that polls a portion may wait for a far unit. */
static bool lies_at_step(const dart__team_t *team, const dart__segment_t *segment,
                         uint64_t *step_out)
{
  uintptr_t first = (uintptr_t)segment->near[0], step;

  if (dart__world.many_nodes)
    return false;
  step = team->nunits > 1 ? (uintptr_t)segment->near[1] - first : 0;
  for (int32_t u = 0; u < team->nunits; u++)
    if (segment->near[u] == NULL || (uintptr_t)segment->near[u] != first + (uintptr_t)u * step)
      return false;
  *step_out = step;
  return true;
}

/* By arithmetic if that gives all portions; else by the list, if this unit's is near, and there is one by units. None if
 * near operations are counted, for these then have to be calls that take the general path. */
static dart__direct_map_t direct_map_of(const dart__team_t *team, const dart__segment_t *segment)
{
  dart__direct_map_t map = { .nbytes = mapped_bytes(team, segment) };

  if (dart__counts_near || team->is_scattered || segment->near[team->me] == NULL)
    return (dart__direct_map_t){ .nunits = 0 };
  if (lies_at_step(team, segment, &map.step)) {
    map.first  = segment->near[0] + segment->base;
    map.nunits = (uint32_t)team->nunits;
  } else {
    map.first   = (char *)(uintptr_t)segment->base;
    map.step    = (uint64_t)(uintptr_t)segment->near;
    map.nlisted = (uint32_t)team->nunits;
  }
  return map;
}

/* Only the numbers of units change: a thread that has just read one may go on by the map. relaxed: other threads may
 * read them now, and all else in the map stays as it was. */
static void set_units(dart__direct_map_t *map, uint32_t nunits, uint32_t nlisted)
{
  __atomic_store_n(&map->nunits, nunits, __ATOMIC_RELAXED);
  __atomic_store_n(&map->nlisted, nlisted, __ATOMIC_RELAXED);
  count_withdrawn();
}

void dart__segment_enter(dart__team_t *team, dart__segment_t *segment)
{
  static _Atomic uint32_t count; /* relaxed: only to be different */
  dart__direct_map_t     *map = &team->direct_map[(uint16_t)segment->id];

  segment->number = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  *map            = direct_map_of(team, segment);
  dart__count(map->nunits + map->nlisted > 0 ? DART__COUNT_SEGMENT_DIRECT
                                             : DART__COUNT_SEGMENT_GENERAL);
  team->segments[(uint16_t)segment->id] = segment;
  team->nsegments++;
  if (team->nsegments > team->most_segments)
    team->most_segments = team->nsegments;
}

void dart__segment_leave(dart__team_t *team, dart__segment_t *segment)
{
  set_units(&team->direct_map[(uint16_t)segment->id], 0, 0);
  team->segments[(uint16_t)segment->id] = NULL;
  team->nsegments--;
  if (segment->id > 0 && segment->id < team->first_free)
    team->first_free = segment->id;
}

bool dart__segment_prepare_ended(dart__team_t *team)
{
  if (team->ended != NULL)
    return true;
  team->ended = dart__memory_new_table(ENDED_BYTES);
  dart__level_add(DART__LEVEL_TABLES, team->ended != NULL ? (int64_t)ENDED_BYTES : 0);
  return team->ended != NULL;
}

void dart__segment_end(dart__team_t *team, dart__segment_t *segment)
{
  atomic_store_explicit(&segment->has_ended, true, memory_order_relaxed);
  team->ended[~segment->id] = segment;
  team->nended++;
}

dart__segment_t *dart__segment_take_ended(dart__team_t *team, int16_t id)
{
  dart__segment_t *segment = team->ended == NULL ? NULL : team->ended[~id];

  if (segment == NULL)
    return NULL;
  team->ended[~id] = NULL;
  team->nended--;
  return segment;
}

void dart__segment_withdraw(dart__team_t *team, const dart__segment_t *segment)
{
  set_units(&team->direct_map[(uint16_t)segment->id], 0, 0);
}

void dart__segment_restore(dart__team_t *team, const dart__segment_t *segment)
{
  dart__direct_map_t *map       = &team->direct_map[(uint16_t)segment->id];
  bool                is_listed = map->step == (uint64_t)(uintptr_t)segment->near;
  bool                has_step  = !is_listed && map->first != NULL;

  set_units(map, has_step ? (uint32_t)team->nunits : 0, is_listed ? (uint32_t)team->nunits : 0);
}
