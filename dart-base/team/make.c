/* What every way of making a team needs: see make.h. */
#include "team/make.h"

#include <pthread.h>
#include <string.h>

#include "base/config.h"
#include "base/size.h"
#include "far/far_team.h"
#include "far/gone.h"
#include "memory/pool.h"
#include "model/world.h"
#include "net.h"

#define RESULT_BYTES    (64 * DART__KI)
#define RESULT_PER_UNIT 64

dart__team_t *dart__team_describe(const dart_unit_t *members, size_t count)
{
  dart__team_t *team = dart__team_new(members, (int32_t)count);

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

static size_t result_bytes(const dart__team_t *team)
{
  size_t least = (size_t)team->nunits * RESULT_PER_UNIT;

  return least > RESULT_BYTES ? least : RESULT_BYTES;
}

static size_t slot_bytes(void)
{
  return dart__round_up(dart__settings.slot, DART__CACHE_LINE);
}

dart_unit_t dart__team_leader(const dart__team_t *team)
{
  return team->members[team->node_units[0]];
}

dart_ret_t dart__team_exchange_alloc(const dart__team_t *team, uint64_t *offset_out)
{
  size_t     nbytes = dart__exchange_bytes((uint32_t)team->node_nunits, (uint32_t)team->nunits,
                                           slot_bytes(), result_bytes(team));
  dart_ret_t ret    = dart__pool_alloc(nbytes, offset_out);

  if (ret == DART_OK)
    dart__exchange_format(dart__pool_address(dart__world.me, *offset_out),
                          (uint32_t)team->node_nunits, (uint32_t)team->nunits);
  return ret;
}

void dart__team_exchange_open(dart__team_t *team, uint64_t offset)
{
  team->exchange_offset = offset;
  dart__exchange_open(&team->exchange, dart__pool_address(dart__team_leader(team), offset),
                      (uint32_t)team->node_nunits, (uint32_t)team->nunits, (uint32_t)team->node_me,
                      slot_bytes(), result_bytes(team));
  dart__gone_watch(team);
}

void dart__team_exchange_close(dart__team_t *team)
{
  _Atomic uint32_t *left  = &team->exchange.shared->left;
  dart__turns_t     turns = { 0 };

  if (!dart__team_is_leader(team)) {
    /* release: pairs with the leader's acquire; the last access to the exchange */
    atomic_fetch_add_explicit(left, 1, memory_order_release);
    return;
  }
  while (atomic_load_explicit(left, memory_order_acquire) != (uint32_t)team->node_nunits - 1)
    dart__wait_turn(&turns, &dart__world.wait);
  dart__pool_free(team->exchange_offset);
}
