/* See range.h. The tree is a treap (Seidel, Aragon: Randomized Search Trees, Algorithmica 16, 1996) ordered by first
 * number and index. Each node has the largest last number below it, and the ages of the newest and the oldest request,
 * once of all spans and once of the exclusive ones. So a search leaves out what ends before it begins. A search for a
 * shared span, which only exclusive ones conflict with, leaves out subtrees without exclusive ones. A search for the
 * newest, or for one that is older than a request, leaves out those that cannot have it. However many conflict, it goes
 * down to one. */
#include "lock/range.h"

#include <string.h>

#include "base/random.h"
#include "base/size.h"
#include "wait/mutex.h"

#define NONE 0U /* index of no node, of no request */

#ifndef VISIT /* a search reaches a node: a test that includes this file counts it */
#define VISIT() ((void)0)
#endif

/* A span of a request. */
typedef struct {
  dart__span_t span;
  uint64_t     most[2]; /* largest `last` in this subtree: of all spans; of exclusive ones, or 0 */
  uint64_t     newest[2]; /* largest age of each; 0: there is none */
  uint64_t     oldest[2]; /* smallest age; UINT64_MAX: there is none */
  uint64_t     age;       /* of the request */
  uint32_t     left;      /* of the tree; of a free node: the next one */
  uint32_t     right;
  uint32_t     priority; /* is above those of its children */
  uint32_t     request;
  uint32_t     next; /* span of the same request */
} node_t;

typedef struct {
  dart__range_waiter_t waiter;
  uint64_t             age;        /* number of the request, by which older ones are told */
  uint32_t             first;      /* node */
  uint32_t             blocker;    /* an older request that conflicts with it; NONE: it is held */
  uint32_t             waiters;    /* the first of those that have this one for a blocker */
  uint32_t             next;       /* free, or granted, or of the same blocker */
  uint32_t             before;     /* of the same blocker */
  uint32_t             generation; /* of its ticket */
  bool                 is_broken;  /* one in its way was held by a unit that is lost */
  bool                 is_told;    /* its waiter knows that it is held, or was listed */
} request_t;

struct dart__range_table {
  dart__mutex_t mutex;
  uint32_t      capacity;
  uint32_t      root;
  uint32_t      free_node;
  uint32_t      free_request;
  uint32_t      nfree; /* nodes; there are as many free requests at least */
  uint32_t soon; /* the last request whose blocker holds its spans, and whose waiter is not told */
  uint32_t granted[2]; /* the first and the last request whose waiter was not listed yet */
  uint64_t age;        /* of the newest request */
  uint64_t random;     /* state of the priorities */
};

static size_t requests_at(void)
{
  return (sizeof(dart__range_table_t) + DART__CACHE_LINE - 1) & ~((size_t)DART__CACHE_LINE - 1);
}

/* Indices count from 1. */
static request_t *request_at(const dart__range_table_t *t, uint32_t index)
{
  return (request_t *)(void *)((char *)(uintptr_t)t + requests_at()) + (index - 1);
}

static node_t *node_at(const dart__range_table_t *t, uint32_t index)
{
  return (node_t *)(void *)request_at(t, t->capacity + 1) + (index - 1);
}

size_t dart__range_bytes(uint32_t capacity)
{
  return requests_at() + capacity * (sizeof(request_t) + sizeof(node_t));
}

void dart__range_format(dart__range_table_t *t, uint32_t capacity)
{
  memset(t, 0, dart__range_bytes(capacity));
  t->capacity     = capacity;
  t->nfree        = capacity;
  t->free_node    = 1;
  t->free_request = 1;
  for (uint32_t i = 1; i < capacity; i++) {
    node_at(t, i)->left    = i + 1;
    request_at(t, i)->next = i + 1;
  }
}

/* ---- the tree ------------------------------------------------------------------------------ */

static void add_child(node_t *node, const node_t *child)
{
  for (int i = 0; i < 2; i++) {
    node->most[i]   = dart__most(node->most[i], child->most[i]);
    node->newest[i] = dart__most(node->newest[i], child->newest[i]);
    node->oldest[i] = dart__least(node->oldest[i], child->oldest[i]);
  }
}

/* As if the node had no children. */
static void forget_children(node_t *node)
{
  bool is_exclusive = node->span.exclusive != 0;

  node->most[0]   = node->span.last;
  node->most[1]   = is_exclusive ? node->span.last : 0;
  node->newest[0] = node->oldest[0] = node->age;
  node->newest[1]                   = is_exclusive ? node->age : 0;
  node->oldest[1]                   = is_exclusive ? node->age : UINT64_MAX;
}

static void update(dart__range_table_t *t, uint32_t at)
{
  node_t *node = node_at(t, at);

  forget_children(node);
  if (node->left != NONE)
    add_child(node, node_at(t, node->left));
  if (node->right != NONE)
    add_child(node, node_at(t, node->right));
}

static bool is_before(const dart__range_table_t *t, uint32_t a, uint32_t b)
{
  uint64_t first_a = node_at(t, a)->span.first, first_b = node_at(t, b)->span.first;

  return first_a != first_b ? first_a < first_b : a < b;
}

/* What is before node `by` of the tree `at`, and what is behind it. */
static void split(dart__range_table_t *t, uint32_t at, uint32_t by, uint32_t *before_out,
                  uint32_t *behind_out)
{
  if (at == NONE) {
    *before_out = *behind_out = NONE;
    return;
  }
  if (is_before(t, at, by)) {
    *before_out = at;
    split(t, node_at(t, at)->right, by, &node_at(t, at)->right, behind_out);
  } else {
    *behind_out = at;
    split(t, node_at(t, at)->left, by, before_out, &node_at(t, at)->left);
  }
  update(t, at);
}

/* The tree `at` with the node added. */
static uint32_t insert(dart__range_table_t *t, uint32_t at, uint32_t node)
{
  uint32_t *side;

  if (at == NONE || node_at(t, node)->priority > node_at(t, at)->priority) {
    split(t, at, node, &node_at(t, node)->left, &node_at(t, node)->right);
    update(t, node);
    return node;
  }
  side  = is_before(t, node, at) ? &node_at(t, at)->left : &node_at(t, at)->right;
  *side = insert(t, *side, node);
  update(t, at);
  return at;
}

/* Two trees as one; all of the left is before the right. */
static uint32_t merge_trees(dart__range_table_t *t, uint32_t left, uint32_t right)
{
  uint32_t top;

  if (left == NONE || right == NONE)
    return left != NONE ? left : right;
  if (node_at(t, left)->priority > node_at(t, right)->priority) {
    top                    = left;
    node_at(t, top)->right = merge_trees(t, node_at(t, top)->right, right);
  } else {
    top                   = right;
    node_at(t, top)->left = merge_trees(t, left, node_at(t, top)->left);
  }
  update(t, top);
  return top;
}

/* The tree `at` without the node, which is in it. */
static uint32_t erase(dart__range_table_t *t, uint32_t at, uint32_t node)
{
  uint32_t *side;

  if (at == node)
    return merge_trees(t, node_at(t, at)->left, node_at(t, at)->right);
  side  = is_before(t, node, at) ? &node_at(t, at)->left : &node_at(t, at)->right;
  *side = erase(t, *side, node);
  update(t, at);
  return at;
}

/* ---- conflicts ------------------------------------------------------------------------------- */

static bool conflict(const dart__span_t *a, const dart__span_t *b)
{
  return a->first <= b->last && b->first <= a->last && (a->exclusive || b->exclusive);
}

/* Which of the two values of a node concerns the spans that `span` may conflict with. */
static int among(const dart__span_t *span)
{
  return span->exclusive ? 0 : 1;
}

/* Whether nothing in the subtree that the span could conflict with reaches up to it. */
static bool ends_before(const node_t *top, const dart__span_t *span)
{
  return top->newest[among(span)] == 0 || top->most[among(span)] < span->first;
}

/* The newest request that conflicts with `span`, if it is newer than `*newest`, whose age that is. */
static void find_newest(dart__range_table_t *t, uint32_t at, const dart__span_t *span,
                        uint32_t *newest, uint64_t *age)
{
  const node_t *node = node_at(t, at);
  uint32_t      left, right;
  bool          is_left;

  if (at == NONE)
    return;
  VISIT();
  if (ends_before(node, span) || node->newest[among(span)] <= *age)
    return;
  if (node->age > *age && conflict(&node->span, span)) {
    *newest = node->request;
    *age    = node->age;
  }
  left    = node->left;
  right   = node->span.first <= span->last ? node->right : NONE;
  is_left = right == NONE || (left != NONE && node_at(t, left)->newest[among(span)] >
                                                  node_at(t, right)->newest[among(span)]);
  find_newest(t, is_left ? left : right, span, newest, age);
  find_newest(t, is_left ? right : left, span, newest, age);
}

/* A request that is older than `age` and conflicts with `span`, or NONE. */
static uint32_t find_older(dart__range_table_t *t, uint32_t at, const dart__span_t *span,
                           uint64_t age)
{
  const node_t *node = node_at(t, at);
  uint32_t      found;

  if (at == NONE)
    return NONE;
  VISIT();
  if (ends_before(node, span) || node->oldest[among(span)] >= age)
    return NONE;
  if (node->age < age && conflict(&node->span, span))
    return node->request;
  found = find_older(t, node->left, span, age);
  if (found != NONE || node->span.first > span->last)
    return found;
  return find_older(t, node->right, span, age);
}

/* ---- waiting ------------------------------------------------------------------------------- */

static bool is_held(const request_t *request)
{
  return request->first != NONE && request->blocker == NONE;
}

static void grant(dart__range_table_t *t, uint32_t index)
{
  request_t *request = request_at(t, index);

  request->blocker = NONE;
  request->next    = NONE;
  request->is_told = false;
  if (t->granted[0] == NONE)
    t->granted[0] = index;
  else
    request_at(t, t->granted[1])->next = index;
  t->granted[1] = index;
  if (request->waiters != NONE)
    t->soon = request->waiters;
}

static void wait_behind(dart__range_table_t *t, uint32_t index, uint32_t blocker)
{
  request_t *request = request_at(t, index);

  request->blocker = blocker;
  request->before  = NONE;
  request->next    = request_at(t, blocker)->waiters;
  if (request->next != NONE)
    request_at(t, request->next)->before = index;
  request_at(t, blocker)->waiters = index;
}

static void stop_waiting(dart__range_table_t *t, request_t *request)
{
  if (request->before != NONE)
    request_at(t, request->before)->next = request->next;
  else
    request_at(t, request->blocker)->waiters = request->next;
  if (request->next != NONE)
    request_at(t, request->next)->before = request->before;
}

/* The request has lost its blocker: find another one, or grant it. */
static void look_again(dart__range_table_t *t, uint32_t index)
{
  const request_t *request = request_at(t, index);
  uint32_t         older   = NONE;

  for (uint32_t at = request->first; at != NONE && older == NONE; at = node_at(t, at)->next)
    older = find_older(t, t->root, &node_at(t, at)->span, request->age);
  if (older == NONE)
    grant(t, index);
  else
    wait_behind(t, index, older);
}

/* ---- requests ------------------------------------------------------------------------------ */

/* Before the node `next` of the same request. Priorities differ, and are in no relation to the order of the spans: else
 * the tree becomes a list. */
static uint32_t new_node(dart__range_table_t *t, const dart__span_t *span, uint32_t request,
                         uint32_t next)
{
  uint32_t index = t->free_node;
  node_t  *node  = node_at(t, index);

  t->free_node = node->left;
  t->nfree--;
  *node = (node_t){ .span     = *span,
                    .age      = request_at(t, request)->age,
                    .priority = (uint32_t)(dart__random_next(&t->random) >> 32),
                    .request  = request,
                    .next     = next };
  return index;
}

static uint32_t new_request(dart__range_table_t *t, const dart__range_waiter_t *waiter)
{
  uint32_t   index   = t->free_request;
  request_t *request = request_at(t, index);

  t->free_request = request->next;
  *request        = (request_t){
           .waiter = *waiter, .age = ++t->age, .generation = request->generation + 1, .is_told = true
  };
  return index;
}

/* Record whether the request exists: its first node, or NONE. After a unit was lost in the middle of a change this is
 * all that is trusted; nodes of removed requests may still be in the tree. */
static void set_first(request_t *request, uint32_t first)
{
  atomic_signal_fence(memory_order_seq_cst); /* of stores of a unit that is killed, too */
  request->first = first;
  atomic_signal_fence(memory_order_seq_cst);
}

static void insert_nodes(dart__range_table_t *t, const request_t *request)
{
  for (uint32_t at = request->first; at != NONE; at = node_at(t, at)->next)
    t->root = insert(t, t->root, at);
}

static uint64_t ticket_of(const dart__range_table_t *t, uint32_t index)
{
  return (uint64_t)request_at(t, index)->generation << 24 | index;
}

/* NULL: nobody has such a ticket. */
static request_t *find_request(const dart__range_table_t *t, uint64_t ticket)
{
  uint32_t index = ticket & 0xffffff;

  if (index == NONE || index > t->capacity || ticket_of(t, index) != ticket ||
      request_at(t, index)->first == NONE)
    return NULL;
  return request_at(t, index);
}

/* Whether some request conflicts with the spans. */
static bool is_blocked(dart__range_table_t *t, const dart__span_t *spans, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (find_older(t, t->root, &spans[i], UINT64_MAX) != NONE)
      return true;
  return false;
}

static uint32_t newest_blocker(dart__range_table_t *t, const dart__span_t *spans, size_t n)
{
  uint32_t newest = NONE;
  uint64_t age    = 0;

  for (size_t i = 0; i < n; i++)
    find_newest(t, t->root, &spans[i], &newest, &age);
  return newest;
}

/* All its spans are removed from the tree before its waiters look for another blocker. */
static void remove_request(dart__range_table_t *t, request_t *request)
{
  uint32_t waiter = request->waiters, at = request->first, next;

  if (!is_held(request))
    stop_waiting(t, request);
  set_first(request, NONE);
  for (; at != NONE; at = next) {
    next                 = node_at(t, at)->next;
    t->root              = erase(t, t->root, at);
    node_at(t, at)->left = t->free_node;
    t->free_node         = at;
    t->nfree++;
  }
  request->next   = t->free_request;
  t->free_request = (uint32_t)(request - request_at(t, 1)) + 1;
  for (; waiter != NONE; waiter = next) {
    next = request_at(t, waiter)->next;
    look_again(t, waiter);
  }
}

/* ---- units that are lost --------------------------------------------------------------------- */

static bool (*is_unit_lost)(int32_t unit); /* NULL: none is ever */

void dart__range_set_robust(bool (*is_lost)(int32_t unit))
{
  is_unit_lost = is_lost;
}

static bool is_left_behind(const request_t *request)
{
  return is_unit_lost != NULL && request->first != NONE && is_unit_lost(request->waiter.unit);
}

/* Whether the request was granted and is on the list of waiters that are still to be told. */
static bool is_to_be_told(const request_t *request)
{
  return is_held(request) && !request->is_told;
}

/* Its waiter is not told any more. */
static void forget_granted(dart__range_table_t *t, uint32_t index)
{
  uint32_t *link = &t->granted[0], last = NONE;

  for (; *link != index; link = &request_at(t, last)->next)
    last = *link;
  *link = request_at(t, index)->next;
  if (t->granted[1] == index)
    t->granted[1] = last;
}

/* Remove the request of a lost unit. If it held its spans, each of its waiters learns when it is granted that the range
 * was broken. */
static void break_request(dart__range_table_t *t, uint32_t index)
{
  request_t *request = request_at(t, index);

  for (uint32_t i = request->waiters; i != NONE && is_held(request); i = request_at(t, i)->next)
    request_at(t, i)->is_broken = true;
  if (is_to_be_told(request))
    forget_granted(t, index);
  remove_request(t, request);
}

typedef struct {
  const dart__span_t *spans;
  size_t              n;
} spans_t;

/* Remove the requests of lost units that `is_meant` accepts. Waiting ones go first, so that none is granted a span that
 * another one leaves. Returns whether one of them was held and nobody waited for it. */
static bool break_lost(dart__range_table_t *t,
                       bool (*is_meant)(const dart__range_table_t *t, const request_t *request,
                                        const spans_t *spans),
                       const spans_t *spans)
{
  bool any = false;

  for (int held = 0; is_unit_lost != NULL && held <= 1; held++)
    for (uint32_t i = 1; i <= t->capacity; i++) {
      request_t *request = request_at(t, i);

      if (!is_left_behind(request) || is_held(request) != held || !is_meant(t, request, spans))
        continue;
      any = any || (held && request->waiters == NONE);
      break_request(t, i);
    }
  return any;
}

static bool is_in_the_way(const dart__range_table_t *t, const request_t *request,
                          const spans_t *spans)
{
  for (uint32_t at = request->first; at != NONE; at = node_at(t, at)->next)
    for (size_t i = 0; i < spans->n; i++)
      if (conflict(&node_at(t, at)->span, &spans->spans[i]))
        return true;
  return false;
}

static bool is_any(const dart__range_table_t *t, const request_t *request, const spans_t *spans)
{
  (void)t, (void)request, (void)spans;
  return true;
}

/* Whether the request waits, or others wait for it. */
static bool is_in_a_queue(const dart__range_table_t *t, const request_t *request,
                          const spans_t *spans)
{
  (void)t, (void)spans;
  return !is_held(request) || request->waiters != NONE;
}

static bool break_those_in_the_way(dart__range_table_t *t, const dart__span_t *spans, size_t n)
{
  return break_lost(t, is_in_the_way, &(spans_t){ spans, n });
}

/* Make room. The next holders of these spans do not learn that a unit was lost. */
static void drop_lost(dart__range_table_t *t)
{
  break_lost(t, is_any, NULL);
}

/* The oldest request that came after `age`; NONE: there is none. */
static uint32_t next_by_age(const dart__range_table_t *t, uint64_t age)
{
  uint32_t oldest = NONE;

  for (uint32_t i = 1; i <= t->capacity; i++)
    if (request_at(t, i)->first != NONE && request_at(t, i)->age > age &&
        (oldest == NONE || request_at(t, i)->age < request_at(t, oldest)->age))
      oldest = i;
  return oldest;
}

/* Rebuild the free lists: nodes without a request, and requests that do not exist. */
static void find_free(dart__range_table_t *t)
{
  for (uint32_t i = 1; i <= t->capacity; i++)
    node_at(t, i)->request = NONE;
  t->free_node = t->free_request = NONE;
  t->nfree                       = 0;
  for (uint32_t i = 1; i <= t->capacity; i++) {
    request_t *request = request_at(t, i);

    for (uint32_t at = request->first; at != NONE; at = node_at(t, at)->next)
      node_at(t, at)->request = i;
    if (request->first != NONE)
      continue;
    request->next   = t->free_request;
    t->free_request = i;
  }
  for (uint32_t i = 1; i <= t->capacity; i++) {
    if (node_at(t, i)->request != NONE)
      continue;
    node_at(t, i)->left = t->free_node;
    t->free_node        = i;
    t->nfree++;
  }
}

/* Insert the request again. It waits if an earlier request in the tree conflicts with it; otherwise it is held. */
static void enter_again(dart__range_table_t *t, uint32_t index)
{
  request_t *request = request_at(t, index);
  uint32_t   newest  = NONE;
  uint64_t   age     = 0;

  for (uint32_t at = request->first; at != NONE; at = node_at(t, at)->next)
    find_newest(t, t->root, &node_at(t, at)->span, &newest, &age);
  request->waiters = request->blocker = NONE;
  if (newest != NONE)
    wait_behind(t, index, newest);
  else if (!request->is_told)
    grant(t, index);
  insert_nodes(t, request);
}

/* A unit was lost while it changed the table: rebuild everything from the requests that exist (set_first). */
static void put_in_order(dart__range_table_t *t)
{
  uint32_t index;

  find_free(t);
  t->root = t->soon = t->granted[0] = t->granted[1] = NONE;
  for (uint64_t age = 0; (index = next_by_age(t, age)) != NONE; age = request_at(t, index)->age)
    enter_again(t, index);
}

static void lock_table(dart__range_table_t *t)
{
  if (dart__mutex_lock(&t->mutex, &dart__wait_briefly))
    put_in_order(t);
}

/* ---- entering and leaving -------------------------------------------------------------------------- */

static dart__range_state_t enter_request(dart__range_table_t *t, const dart__range_waiter_t *waiter,
                                         const dart__span_t *spans, size_t n, bool may_wait,
                                         uint64_t *ticket_out)
{
  uint32_t blocker = NONE, first = NONE, index;
  bool     is_broken = false;

  if (n > t->nfree)
    drop_lost(t);
  if (n > t->nfree)
    return DART__RANGE_FULL;
  if (!may_wait && is_blocked(t, spans, n))
    is_broken = break_those_in_the_way(t, spans, n);
  if (may_wait)
    blocker = newest_blocker(t, spans, n);
  else if (is_blocked(t, spans, n))
    return DART__RANGE_BUSY;
  index                           = new_request(t, waiter);
  request_at(t, index)->is_broken = is_broken;
  for (size_t i = 0; i < n; i++)
    first = new_node(t, &spans[i], index, first);
  set_first(request_at(t, index), first);
  insert_nodes(t, request_at(t, index));
  *ticket_out = ticket_of(t, index);
  if (blocker == NONE)
    return DART__RANGE_HELD;
  request_at(t, index)->is_told = false;
  wait_behind(t, index, blocker);
  return is_held(request_at(t, blocker)) ? DART__RANGE_NEXT : DART__RANGE_WAITS;
}

dart__range_state_t dart__range_enter(dart__range_table_t *t, const dart__range_waiter_t *waiter,
                                      const dart__span_t *spans, size_t n, bool may_wait,
                                      uint64_t *ticket_out)
{
  dart__range_state_t state;

  lock_table(t);
  state = enter_request(t, waiter, spans, n, may_wait, ticket_out);
  dart__mutex_unlock(&t->mutex);
  return state;
}

static size_t list_granted(dart__range_table_t *t, dart__range_waiter_t *granted, size_t most)
{
  size_t count = 0;

  while (count < most && t->granted[0] != NONE) {
    request_t *request = request_at(t, t->granted[0]);

    granted[count++] = request->waiter;
    t->granted[0]    = request->next;
    request->is_told = true;
  }
  return count;
}

/* The waiter that is likely to be next, once. It may have been granted since, or have left. */
static dart__range_waiter_t take_soon(dart__range_table_t *t)
{
  uint32_t index = t->soon;

  t->soon = NONE;
  if (index == NONE || request_at(t, index)->first == NONE || is_held(request_at(t, index)) ||
      !request_at(t, index)->waiter.wants_hint)
    return (dart__range_waiter_t){ .unit = -1 };
  return request_at(t, index)->waiter;
}

/* The end of a call: list what it has granted. */
static size_t unlock_table(dart__range_table_t *t, dart__range_waiter_t *granted, size_t most)
{
  size_t count = list_granted(t, granted, most);

  dart__mutex_unlock(&t->mutex);
  return count;
}

size_t dart__range_leave(dart__range_table_t *t, uint64_t ticket, dart__range_waiter_t *granted,
                         size_t most, dart__range_waiter_t *soon_out)
{
  request_t *request;

  lock_table(t);
  request = find_request(t, ticket);
  if (request != NULL)
    remove_request(t, request);
  if (soon_out != NULL)
    *soon_out = take_soon(t);
  return unlock_table(t, granted, most);
}

size_t dart__range_leave_all(dart__range_table_t *t, int32_t unit, dart__range_waiter_t *granted,
                             size_t most)
{
  lock_table(t);
  for (uint32_t i = 1; i <= t->capacity; i++) {
    request_t *request = request_at(t, i);

    /* what waited, and is granted by this, is not held by a call that has returned */
    if (is_held(request) && request->waiter.unit == unit && !is_to_be_told(request))
      remove_request(t, request);
  }
  return unlock_table(t, granted, most);
}

size_t dart__range_leave_lost(dart__range_table_t *t, dart__range_waiter_t *granted, size_t most)
{
  lock_table(t);
  break_lost(t, is_in_a_queue, NULL);
  return unlock_table(t, granted, most);
}

bool dart__range_is_held(dart__range_table_t *t, uint64_t ticket, bool *is_broken_out)
{
  const request_t *request;
  bool             holds;

  lock_table(t);
  request        = find_request(t, ticket);
  holds          = request != NULL && is_held(request);
  *is_broken_out = holds && request->is_broken;
  dart__mutex_unlock(&t->mutex);
  return holds;
}

bool dart__range_cancel(dart__range_table_t *t, uint64_t ticket, dart__range_waiter_t *granted,
                        size_t most, size_t *ngranted_out)
{
  request_t *request;
  bool       waits;

  lock_table(t);
  request = find_request(t, ticket);
  waits   = request != NULL && !is_held(request);
  if (waits)
    remove_request(t, request);
  *ngranted_out = unlock_table(t, granted, most);
  return waits;
}

size_t dart__range_granted(dart__range_table_t *t, dart__range_waiter_t *granted, size_t most)
{
  lock_table(t);
  return unlock_table(t, granted, most);
}
