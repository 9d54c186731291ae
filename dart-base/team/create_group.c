/* Teams that are made by their members alone.
 *
 * The parent's collectives cannot be used, for its other units do not come; nor the new team's own, before it has an
 * id that no other team of its units has. So members agree by messages with the call's tag, along a binomial tree of
 * the group: results go up to the first member, and come down joined; two members tell each other. The tree is arithmetic
 * on the group, and a message never fails, so a unit that has no memory for anything else can still say so.
 *
 * Ids: the highest of the members' next ids, which each takes. Only where threads of a unit make several teams at a time
 * can another team have taken it there meanwhile. So if a member has several threads, all say whether they have it; if
 * not, all propose again, and spread their proposals more and more, so that two such groups come apart. Ids taken in
 * vain are lost.
 *
 * Invariant: all members know the worst result of all before anything is entered anywhere. Where the backend has to open
 * the team, or units may be lost, they agree once more after that, by the team's own exchange. */
#include <dash/dart/ext/dart_team_group.h>

#include <limits.h>

#include "base/profile.h"
#include "coll/coll.h"
#include "model/argument_check.h"
#include "model/lost.h"
#include "model/world.h"
#include "net.h"
#include "p2p/twosided.h"
#include "team/create_group.h"
#include "team/group.h"
#include "team/make.h"

DART__PROFILED(dart_team_create_group);

_Static_assert(-1 - DART_TEAM_TAG_MOST >= DART__TWOSIDED_TAG_LEAST, "each tag has its message");

#define OWN_TAG (DART_TEAM_TAG_MOST + 1) /* of dart_team_shrink: its networks have room for it */

/* One call. */
typedef struct {
  const char        *function;
  dart_team_t        parent;
  uint64_t           number; /* of dart_team_shrink's; else 0 */
  const dart_unit_t *ids;    /* of the group */
  size_t             count;
  size_t             me; /* index in it */
  int                tag;
  dart__team_plan_t  plan;
} call_t;

/* What members say, and what they are told. */
typedef struct {
  uint64_t subject; /* of parent and group: equal on all */
  uint64_t more; /* an exchange; while an id is agreed on: whether a member has several threads */
  int32_t  id;
  int32_t  ret;
} message_t;

_Static_assert(sizeof(message_t) <= DART__TWOSIDED_OWN_MOST, "it is one message");

/* ---- agreement along the tree ---------------------------------------------------------------- */

static uint64_t mixed(uint64_t hash, uint64_t value)
{
  hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

static uint64_t subject_of(const call_t *call)
{
  uint64_t hash = mixed(mixed(call->count, (uint64_t)call->parent), call->number);

  for (size_t i = 0; i < call->count; i++)
    hash = mixed(hash, (uint64_t)call->ids[i]);
  return hash;
}

static void send_message(const call_t *call, dart_unit_t unit, const message_t *message)
{
  dart__twosided_send(call->function, unit, -1 - call->tag, message, sizeof *message);
}

/* Calls that failed because a unit was lost may have left messages behind. */
static bool is_left_behind(const call_t *call, const message_t *message)
{
  return dart__lost_count() > 0 && message->subject != subject_of(call);
}

/* False: the unit is lost, and no message has come. */
static bool hear(const call_t *call, dart_unit_t unit, message_t *message_out)
{
  do {
    if (dart__twosided_recv(call->function, unit, -1 - call->tag, message_out,
                            sizeof *message_out) != DART_OK)
      return false;
  } while (is_left_behind(call, message_out));
  return true;
}

/* The member that comes `step`, a power of two, after this one is its child; its parent is without the lowest bit. */
static bool has_child(const call_t *call, size_t step)
{
  return (call->me == 0 || step < (call->me & -call->me)) && call->me + step < call->count;
}

static void merge_messages(message_t *message, const message_t *other)
{
  if (other->id > message->id)
    message->id = other->id;
  if (other->ret > message->ret)
    message->ret = other->ret;
  if (other->subject != message->subject && message->ret < DART_ERR_INVAL)
    message->ret = DART_ERR_INVAL;
  message->more |= other->more;
}

/* Merge the messages of all members at the first member: each merges those of its children in the tree, and sends the
 * result to its parent. */
static void collect_messages(const call_t *call, message_t *message)
{
  message_t other;

  for (size_t step = 1; has_child(call, step); step *= 2) {
    if (hear(call, call->ids[call->me + step], &other))
      merge_messages(message, &other);
    else
      message->ret = DART_ERR_UNIT_LOST;
  }
  if (call->me > 0)
    send_message(call, call->ids[call->me & (call->me - 1)], message);
}

/* Send the first member's message down the tree to all members. A member whose parent is lost tells its children that:
 * so every member that waits gets a message, or sees that the sender is lost. */
static void spread_message(const call_t *call, message_t *message)
{
  if (call->me > 0 && !hear(call, call->ids[call->me & (call->me - 1)], message))
    message->ret = DART_ERR_UNIT_LOST;
  for (size_t step = 1; has_child(call, step); step *= 2)
    send_message(call, call->ids[call->me + step], message);
}

static void swap_messages(const call_t *call, message_t *message)
{
  dart_unit_t other = call->ids[1 - call->me];
  message_t   come;
  bool        is_heard = dart__twosided_swap(call->function, other, -1 - call->tag, message, &come,
                                             sizeof come) == DART_OK;

  if (is_heard && is_left_behind(call, &come))
    is_heard = hear(call, other, &come);
  if (is_heard)
    merge_messages(message, &come);
  else
    message->ret = DART_ERR_UNIT_LOST;
}

/* Merge the messages of all members at each of them. */
static void join_messages(const call_t *call, message_t *message)
{
  if (call->count == 2) {
    swap_messages(call, message);
  } else {
    collect_messages(call, message);
    spread_message(call, message);
  }
}

/* ---- the id ---------------------------------------------------------------------------------- */

#define SPREAD_MOST 10

/* Choose an id from the highest next id of all members: that one, and after `failures` one of some above it. All choose
 * alike. */
static void propose(const call_t *call, unsigned failures, message_t *message)
{
  uint64_t most =
      failures == 0 ? 1 : UINT64_C(2) << (failures < SPREAD_MOST ? failures : SPREAD_MOST);
  uint64_t step = mixed(mixed(failures, (uint64_t)call->tag), message->subject) % most;

  if (message->ret != DART_OK)
    return;
  if (message->id > INT16_MAX)
    message->ret = DART_ERR_OTHER;
  else if ((uint64_t)message->id + step <= INT16_MAX)
    message->id += (int32_t)step;
}

/* An id that all members have taken, and the worst of their results. */
static dart_ret_t agree_on_id(const call_t *call, dart_ret_t mine, int32_t *id_out)
{
  message_t message;

  for (unsigned failures = 0;; failures++) {
    message = (message_t){ .subject = subject_of(call),
                           .more    = dart__world.many_threads,
                           .id      = dart__team_next_id(),
                           .ret     = (int32_t)mine };
    join_messages(call, &message);
    propose(call, failures, &message);
    *id_out = message.id;
    if (message.ret != DART_OK)
      return (dart_ret_t)message.ret;
    message.ret = dart__team_take_id(message.id) ? DART_OK : DART_PENDING;
    if (message.more != 0)
      join_messages(call, &message);
    if (message.ret != DART_PENDING)
      return (dart_ret_t)message.ret;
  }
}

/* ---- the team -------------------------------------------------------------------------------- */

static bool is_on_node(dart_unit_t unit)
{
  return dart__team_is_on_node(dart__teams[DART_TEAM_ALL], unit);
}

/* The leader of each node tells the others where its exchange is. Where units may be lost, members may have different
 * results: a unit between some of them and the first member of the tree was lost. So there all leaders send this message,
 * and all others take it, whatever their results are: a message that nobody takes might hold up its sender for ever. */
static dart_ret_t share_exchange(const call_t *call, dart_ret_t ret, uint64_t *exchange_out)
{
  message_t message = { .subject = subject_of(call),
                        .more    = call->plan.exchange,
                        .ret     = (int32_t)ret };
  size_t    leader  = 0;

  if (ret != DART_OK && !dart__survives())
    return ret; /* so have all */
  while (!is_on_node(call->ids[leader]))
    leader++;
  for (size_t i = leader + 1; i < call->count && leader == call->me; i++)
    if (is_on_node(call->ids[i]))
      send_message(call, call->ids[i], &message);
  if (leader != call->me && !hear(call, call->ids[leader], &message))
    return dart__worse(ret, DART_ERR_UNIT_LOST);
  *exchange_out = message.more;
  return dart__worse(ret, (dart_ret_t)message.ret);
}

/* Open the team, whose id is agreed on. Agreed. */
static dart_ret_t open_team(call_t *call, int32_t id, uint64_t exchange)
{
  dart__team_t *team = call->plan.team;
  dart_ret_t    ret;

  dart__team_exchange_open(team, exchange);
  dart__team_enter(team, (dart_team_t)id);
  if (!dart__team_agrees_twice())
    return DART_OK;
  ret = dart__coll_agree(team, dart__net_team_open(team));
  if (ret == DART_OK)
    return DART_OK;
  dart__team_exchange_close(team);
  call->plan.exchange = 0;
  dart__team_leave(team);
  return ret;
}

static dart_ret_t create(call_t *call, dart_ret_t mine, dart_team_t *newteam)
{
  dart__members_t members  = dart__members_of(call->ids, (int32_t)call->count);
  uint64_t        exchange = 0;
  int32_t         id;
  dart_ret_t      ret = mine == DART_OK ? dart__team_plan(&members, &call->plan) : mine;

  ret = agree_on_id(call, ret, &id);
  ret = share_exchange(call, ret, &exchange);
  if (ret == DART_OK)
    ret = open_team(call, id, exchange);
  if (ret != DART_OK) {
    if (id > INT16_MAX)
      dart__error("%s: the %d team ids are used up", call->function, INT16_MAX);
    else if (mine == DART_OK && ret != DART_ERR_UNIT_LOST)
      dart__error("%s: no team with tag %d on every unit of a group of %zu", call->function,
                  call->tag, call->count);
    dart__team_plan_discard(&call->plan);
    return ret;
  }
  dart__team_exchange_group(call->plan.team);
  *newteam = call->plan.team->id;
  return DART_OK;
}

dart_ret_t dart__team_create_of(const char *function, dart_team_t parent, uint64_t number,
                                const dart_unit_t *ids, size_t count, size_t me,
                                dart_team_t *newteam)
{
  call_t call = { .function = function,
                  .parent   = parent,
                  .number   = number,
                  .ids      = ids,
                  .count    = count,
                  .me       = me,
                  .tag      = OWN_TAG };

  return create(&call, DART_OK, newteam);
}

/* ---- entry point ----------------------------------------------------------------------------- */

/* Without this the caller cannot say to the others that it is wrong. */
static bool can_take_part(const char *function, const struct dart_group_struct *group, int tag)
{
  if (dart__check_team(function, DART_TEAM_ALL) == NULL)
    return false;
  if (group == NULL || !dart__group_has(group, dart__world.me))
    return dart__fail(false, "%s: %s", function,
                      group == NULL ? "group is NULL" : "this unit is not in the group");
  if (tag < 0 || tag > DART_TEAM_TAG_MOST)
    return dart__fail(false, "%s: tag %d is not in 0..%d", function, tag, DART_TEAM_TAG_MOST);
  return true;
}

static dart_ret_t check_members(const char *function, dart_team_t parent_id,
                                const struct dart_group_struct *group, const dart_team_t *newteam)
{
  const dart__team_t *parent = dart__check_team(function, parent_id);

  if (newteam == NULL)
    dart__error("%s: newteam is NULL", function);
  if (newteam == NULL || parent == NULL)
    return DART_ERR_INVAL;
  for (size_t i = 0; i < group->count; i++)
    if (dart__team_unit_of(parent, group->ids[i]) < 0)
      return dart__fail(DART_ERR_INVAL, "%s: unit %d is no member of team %d", function,
                        group->ids[i], parent_id);
  return DART_OK;
}

dart_ret_t dart_team_create_group(dart_team_t parent, const dart_group_t group, int tag,
                                  dart_team_t *newteam)
{
  call_t call = { .function = __func__, .parent = parent, .tag = tag };

  if (newteam != NULL)
    *newteam = DART_TEAM_NULL;
  if (!can_take_part(__func__, group, tag))
    return DART_ERR_INVAL;
  call.ids   = group->ids;
  call.count = group->count;
  call.me    = dart__group_position(group, dart__world.me);
  return create(&call, check_members(__func__, parent, group, newteam), newteam);
}
