/* See leader_messages.h. */
#include "coll/leader_messages.h"

#include <dash/dart/ext/dart_profile.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "coll/step.h"
#include "far/engine.h"
#include "far/far_team.h"
#include "far/host.h"
#include "model/lost.h"
#include "model/tell.h"
#include "model/world.h"
#include "net.h"

/* The leader of a node, as a peer. */
static dart_unit_t leader(const dart__team_t *team, int32_t node)
{
  return dart__team_member(team, dart__team_unit_at(team, dart__team_node_start(team, node)));
}

/* ---- leaders in different collectives ----------------------------------------------------------- */

#define LOOKS       3  /* that find another collective, before the job ends */
#define CALL_LOOKS  2  /* more, of a leader that does not know the other one's call yet */
#define MORE_LOOKS  4  /* more, of the higher of two leaders: the lower one speaks */
#define FIRST_TOLD  2  /* look at which the other leader is told, and ... */
#define MOST_TOLD   18 /* ... the last one */
#define MOST_PASSED 60 /* the last one at which a leader tells all on the way that it waits */
#define ROUNDS      2  /* looks before which it has heard of itself, before the job ends */
#define TEAM_BITS   16 /* of a tag: the team's id, which is not negative */
#define TEAM_LEFT   17 /* bits left of the team in a word that says where a leader waits */

/* Other for most collectives, sizes and roots, where the network has tags for that: by as many bits as it has. */
static inline int tag_of_kind(const dart__team_t *team, uint32_t kind)
{
  unsigned largest = (unsigned)dart__net.largest_tag;
  unsigned bits    = 31 - (unsigned)__builtin_clz((largest >> TEAM_BITS) + 1);

  kind ^= kind >> 16;
  return team->id | (int)((kind & ((1u << bits) - 1)) << TEAM_BITS);
}

static inline int tag_of(const dart__team_t *team)
{
  return tag_of_kind(team, team->call.kind);
}

/* A wait for a message of a node's leader. */
typedef struct {
  dart__team_t *team;
  int32_t       node;
  int64_t       since;        /* ns, when it looked last; 0: it has not waited long */
  unsigned      nlooks;       /* so far */
  unsigned      nfound;       /* how often in a row the other leader was in another collective */
  uint64_t      call;         /* the other leader's, as call_word; 0: it is not known */
  unsigned      nrounds;      /* looks before which it has heard of itself */
  bool          hears_itself; /* since the last look; ... */
  int32_t       npassed;      /* ... and how many others it has passed on */
  dart_unit_t   waiter; /* that waits for this unit in another collective; -1: none is known */
} watch_t;

/* A call in a word, so that the other leader can name it: the flag, a function's place below, and from the lowest bits on
 * the root, one higher, and the bytes. */
#define ROOT_BITS   16
#define NBYTES_BITS 36
#define NAME_AT     (ROOT_BITS + NBYTES_BITS)

#define NAME_OF(function) #function,
static const char *const names[] = { DART_FUNCTIONS(NAME_OF) };
#define NNAMES (sizeof names / sizeof names[0])

/* 0: a word has no room for it. */
static uint64_t call_word(const dart__team_t *team)
{
  const dart__collective_t *data;
  const char               *function = dart__step_call(team, &data);
  uint64_t                  root     = data != NULL ? (uint64_t)(data->root + 1) : 0;
  uint64_t                  nbytes = data != NULL ? data->nbytes : 0, name = 0;

  while (name < NNAMES && strcmp(names[name], function) != 0)
    name++;
  if (name == NNAMES || root >> ROOT_BITS != 0 || nbytes >> NBYTES_BITS != 0)
    return 0;
  return DART__INFORM_CALL | name << NAME_AT | nbytes << ROOT_BITS | root;
}

static void describe_other(const watch_t *w, dart_unit_t unit, char *text, size_t nbytes)
{
  size_t             name = (w->call & ~DART__INFORM_CALL) >> NAME_AT;
  dart__collective_t data = { .nbytes = w->call >> ROOT_BITS & ((UINT64_C(1) << NBYTES_BITS) - 1),
                              .root   = (int32_t)(w->call & ((1 << ROOT_BITS) - 1)) - 1 };

  if (w->call != 0 && name < NNAMES && unit == leader(w->team, w->node))
    dart__step_write_call(unit, "is", names[name], &data, text, nbytes);
  else
    snprintf(text, nbytes, "unit %d in another one, or with another size or root", (int)unit);
}

static _Noreturn void end_different(const watch_t *w, dart_unit_t unit)
{
  char own[200], other[200];

  dart__step_describe(w->team, own, sizeof own);
  describe_other(w, unit, other, sizeof other);
  if (dart__tells_first(DART__TELL_UNMATCHED)) /* the other leader may see it, too */
    dart__error("collective calls of team %d do not match between nodes: %s, %s", (int)w->team->id,
                own, other);
  dart__net_abort(DART_EXIT_ABORT, false);
}

/* The message of another collective may come before the last piece of this one's, for a moment. */
static bool is_message_different(const watch_t *w)
{
  dart__net_message_t found;

  return dart__net_probe(dart__net.messages, leader(w->team, w->node), DART__CHANNEL_LEADERS,
                         DART__ANY_TAG, false, &found) &&
         (found.tag & ((1 << TEAM_BITS) - 1)) == w->team->id && found.tag != tag_of(w->team);
}

/* Where this leader waits. */
static uint64_t own_wait(const watch_t *w)
{
  const dart__collective_t *call = &w->team->call;

  return DART__INFORM_WAITS | (uint64_t)(call->number & DART__INFORM_NUMBER) << 47 |
         (uint64_t)w->team->id << 32 | call->kind;
}

/* Two leaders that wait for each other may have sent nothing. So each tells the other where it waits. One that has sent data
 * which are under way may be in a later collective: so both have to be in the same one by its number. */
static bool is_wait_different(watch_t *w)
{
  uint64_t own = own_wait(w), other, its_call, told = call_word(w->team);

  /* relaxed, all: see informed in far/host.c */
  other    = atomic_exchange_explicit(&dart__awaited_waits, 0, memory_order_relaxed);
  its_call = atomic_exchange_explicit(&dart__awaited_call, 0, memory_order_relaxed);
  if (its_call != 0 && other << TEAM_LEFT >> (TEAM_LEFT + 32) == (uint64_t)w->team->id)
    w->call = its_call;
  if (w->nlooks <= MOST_TOLD) {
    if (told != 0)
      dart__am_inform(dart__engine.am, leader(w->team, w->node), told);
    dart__am_inform(dart__engine.am, leader(w->team, w->node), own);
  }
  return w->nlooks > FIRST_TOLD && other >> 32 == own >> 32 && other != own;
}

/* More leaders may wait in a circle, each for the next one. That one waiter is in another collective proves nothing: it may
 * be in a later step of the call. So a leader tells with each look that it waits, and the one for which it waits passes that
 * on at once, as in Chandy, Misra, Haas (Distributed deadlock detection, ACM TOCS 1(2), 1983). One that hears of itself is
 * in a circle. What is told by leaders outside of a circle would go round in it without end, but for the bound. */
static void hear_of_waits(watch_t *w)
{
  uint64_t own = own_wait(w), passed, waits;

  /* relaxed, all: see note_wait in far/host.c */
  passed = atomic_exchange_explicit(&dart__waits_passed, 0, memory_order_relaxed);
  waits  = atomic_exchange_explicit(&dart__waiter_waits, 0, memory_order_relaxed);
  if (w->nlooks <= FIRST_TOLD) /* they may be of an earlier wait */
    return;
  if (waits >> 32 == own >> 32 && waits != own)
    w->waiter = atomic_load_explicit(&dart__waiter, memory_order_relaxed);
  if ((passed & ~DART__INFORM_PASSED) >> 32 != own >> 32)
    return;
  if ((int32_t)(uint32_t)passed == dart__world.me)
    w->hears_itself = true;
  else if (w->npassed++ < w->team->nnodes)
    dart__am_inform(dart__engine.am, leader(w->team, w->node), passed);
}

/* With each look: two of them in a circle, so nothing has been on its way meanwhile. */
static bool is_circle_different(watch_t *w)
{
  w->nrounds += w->hears_itself;
  w->hears_itself = false;
  w->npassed      = 0;
  if (w->nlooks <= MOST_PASSED)
    dart__am_inform(dart__engine.am, leader(w->team, w->node),
                    own_wait(w) >> 32 << 32 | DART__INFORM_PASSED | (uint32_t)dart__world.me);
  return w->nrounds >= ROUNDS && w->waiter >= 0;
}

/* The lower leader waits a little to know the other one's call. */
static unsigned looks_wanted(const watch_t *w)
{
  if (w->team->node > w->node)
    return LOOKS + MORE_LOOKS;
  return w->call != 0 ? LOOKS : LOOKS + CALL_LOOKS;
}

/* A first look sends nothing: many waits last as long. */
static void look_for_different(watch_t *w)
{
  bool is_found = is_message_different(w);

  atomic_store_explicit(&dart__awaited, leader(w->team, w->node), memory_order_relaxed);
  if (++w->nlooks >= FIRST_TOLD) /* what has come before may be of an earlier wait */
    is_found |= is_wait_different(w);
  w->nfound = is_found ? w->nfound + 1 : 0;
  if (w->nfound >= looks_wanted(w))
    end_different(w, leader(w->team, w->node));
  if (w->nlooks >= FIRST_TOLD && is_circle_different(w))
    end_different(w, w->waiter);
}

bool dart__nodes_has_tag(const dart__team_t *team, uint32_t kind, int tag)
{
  return tag_of_kind(team, kind) == tag;
}

dart_team_t dart__nodes_team_of(int tag)
{
  return (dart_team_t)(tag & ((1 << TEAM_BITS) - 1));
}

/* Tags of the channel OWN, which may be found, have no more bits than a team. */
bool dart__nodes_find_left(const dart__team_t *all, dart__net_message_t *left_out)
{
  if (dart__lost_count() > 0 ||
      !dart__team_is_leader(all)) /* abandoned calls leave messages, too */
    return false;
  return dart__net_probe(dart__net.messages, DART__ANY_PEER, DART__CHANNEL_LEADERS, DART__ANY_TAG,
                         false, left_out) &&
         left_out->tag >> TEAM_BITS != 0 &&
         left_out->tag != tag_of(all); /* of a leader that is further on in dart_exit */
}

/* The check of a wait: gives up where the team's does, and looks twice in the time after which nothing is in flight. */
static bool watch(void *subject)
{
  watch_t                   *w    = subject;
  const dart__wait_policy_t *wait = &w->team->wait;
  int64_t                    now  = dart__now_ns();

  if (wait->check != NULL && wait->check(wait->subject))
    return true;
  hear_of_waits(w);
  if (w->since == 0) {
    w->since = now;
  } else if (now - w->since > DART__NEWS_US * INT64_C(500)) {
    w->since = now;
    look_for_different(w);
  }
  return false;
}

static __attribute__((noinline)) void watch_for(dart__team_t *team, int32_t node,
                                                dart__net_request_t *request)
{
  watch_t             w      = { .team = team, .node = node, .waiter = -1 };
  dart__wait_policy_t policy = team->wait;

  if (dart__team_is_broken(team)) { /* nobody sends what others wait for */
    dart__net_cancel(dart__net.messages, request);
    return;
  }
  policy.check   = watch;
  policy.subject = &w;
  policy.note    = NULL; /* the step has noted it */
  dart__engine_wait_by(&policy, request);
}

static inline void await_message(dart__team_t *team, int32_t node, dart__net_request_t *request)
{
  if (!dart__engine_is_soon_done(request))
    watch_for(team, node, request);
}

/* ---- one message -------------------------------------------------------------------------------- */

static void send_to(const dart__team_t *team, int32_t node, const void *send, size_t nbytes,
                    dart__net_request_t *request)
{
  dart__net_send(dart__net.messages, leader(team, node), DART__CHANNEL_LEADERS, tag_of(team), send,
                 nbytes, request);
}

static void recv_from(const dart__team_t *team, int32_t node, void *recv, size_t nbytes,
                      dart__net_request_t *request)
{
  dart__net_recv(dart__net.messages, leader(team, node), DART__CHANNEL_LEADERS, tag_of(team), NULL,
                 recv, nbytes, request);
}

void dart__nodes_exchange(dart__team_t *team, int32_t to, const void *send, size_t send_nbytes,
                          int32_t from, void *recv, size_t recv_nbytes)
{
  dart__net_request_t sent = DART__NET_DONE, received = DART__NET_DONE;

  if (dart__team_is_broken(team))
    return;
  if (to != DART__NOBODY) /* before the receive is posted, so it arrives sooner */
    send_to(team, to, send, send_nbytes, send_nbytes > 0 ? &sent : NULL);
  if (from != DART__NOBODY)
    recv_from(team, from, recv, recv_nbytes, &received);
  if (from != DART__NOBODY)
    await_message(team, from, &received);
  if (sent.id != DART__NET_DONE.id)
    await_message(team, to, &sent);
}

/* ---- to or from all others at a time --------------------------------------------------------- */

static void wait_for_all(dart__team_t *team)
{
  dart__net_request_t *request = dart__far_team(team)->requests;

  for (int32_t node = 0; node < team->nnodes; node++)
    if (node != team->node)
      await_message(team, node, &request[node]);
}

void dart__nodes_send_blocks(dart__team_t *team, const char *send, const size_t *starts)
{
  if (dart__team_is_broken(team))
    return;
  for (int32_t node = 0; node < team->nnodes; node++)
    if (node != team->node)
      send_to(team, node, send + starts[node], starts[node + 1] - starts[node],
              &dart__far_team(team)->requests[node]);
  wait_for_all(team);
}

void dart__nodes_recv_blocks(dart__team_t *team, char *recv, const size_t *starts)
{
  if (dart__team_is_broken(team))
    return;
  for (int32_t node = 0; node < team->nnodes; node++)
    if (node != team->node)
      recv_from(team, node, recv + starts[node], starts[node + 1] - starts[node],
                &dart__far_team(team)->requests[node]);
  wait_for_all(team);
}

#define AT_A_TIME 8 /* more messages to be sent may find no room in the network */

/* Each begins with the leader of the next node, so that not all send to one at a time. */
void dart__nodes_swap_blocks(dart__team_t *team, const char *send, char *recv, size_t nbytes)
{
  dart__net_request_t received[AT_A_TIME], sent[AT_A_TIME];
  int32_t             n = team->nnodes;

  if (send == recv)
    send = memcpy(dart__far_team(team)->room, recv, (size_t)n * nbytes);
  for (int32_t step = 1, count; step < n && !dart__team_is_broken(team); step += count) {
    count = n - step < AT_A_TIME ? n - step : AT_A_TIME;
    for (int32_t i = 0; i < count; i++) {
      int32_t node = (team->node + n - step - i) % n;

      recv_from(team, node, recv + (size_t)node * nbytes, nbytes, &received[i]);
    }
    for (int32_t i = 0; i < count; i++) {
      int32_t node = (team->node + step + i) % n;

      send_to(team, node, send + (size_t)node * nbytes, nbytes, &sent[i]);
    }
    for (int32_t i = 0; i < count; i++)
      await_message(team, (team->node + n - step - i) % n, &received[i]);
    for (int32_t i = 0; i < count; i++)
      await_message(team, (team->node + step + i) % n, &sent[i]);
  }
}
