#ifndef TEST_RANGE_CHECK_H
#define TEST_RANGE_CHECK_H
/* Checks every invariant of a table of range locks, and counts the nodes that its searches visit. It includes the
 * source of the tables, for it reads what the library shows to nobody. */
static unsigned long visited;

#define VISIT() ((void)visited++)

#include "lock/range.c"

/* Whether the node has what `update` would write to it. */
static bool is_updated(const dart__range_table_t *t, const node_t *node)
{
  node_t expected = *node;

  forget_children(&expected);
  if (node->left != NONE)
    add_child(&expected, node_at(t, node->left));
  if (node->right != NONE)
    add_child(&expected, node_at(t, node->right));
  return memcmp(expected.most, node->most, sizeof node->most) == 0 &&
         memcmp(expected.newest, node->newest, sizeof node->newest) == 0 &&
         memcmp(expected.oldest, node->oldest, sizeof node->oldest) == 0;
}

/* Number of nodes of a subtree; sets `*wrong_out` if it is not what it should be. */
static uint32_t check_tree(const dart__range_table_t *t, uint32_t at, const char **wrong_out)
{
  const node_t *node = node_at(t, at);
  uint32_t      sides[2];

  if (at == NONE)
    return 0;
  sides[0] = node->left;
  sides[1] = node->right;
  for (int i = 0; i < 2; i++) {
    if (sides[i] == NONE)
      continue;
    if (node_at(t, sides[i])->priority > node->priority)
      *wrong_out = "a child has a higher priority";
    if (is_before(t, sides[i], at) != (i == 0))
      *wrong_out = "the order is wrong";
  }
  if (node->age != request_at(t, node->request)->age)
    *wrong_out = "a span is not as old as its request";
  if (!is_updated(t, node))
    *wrong_out = "what a node has of its subtree is wrong";
  return 1 + check_tree(t, node->left, wrong_out) + check_tree(t, node->right, wrong_out);
}

static uint32_t depth_of(const dart__range_table_t *t, uint32_t at)
{
  return at == NONE ? 0
                    : 1 + (uint32_t)dart__most(depth_of(t, node_at(t, at)->left),
                                               depth_of(t, node_at(t, at)->right));
}

/* Far more than a random tree of so many nodes ever has: 4.3 ln n on average (Devroye: A Note on the Height of Binary
 * Search Trees, JACM 33(3), 1986). */
static uint32_t most_depth(uint32_t count)
{
  uint32_t bits = 1;

  while (count >> bits != 0)
    bits++;
  return 16 + 5 * bits;
}

/* Whether a span conflicts with a request that is older than `age`. */
static bool has_older(const dart__range_table_t *t, uint32_t at, const dart__span_t *span,
                      uint64_t age)
{
  const node_t *node = node_at(t, at);

  if (at == NONE || node->most[0] < span->first) /* the order and these were checked before */
    return false;
  if (has_older(t, node->left, span, age))
    return true;
  return node->span.first <= span->last &&
         ((conflict(&node->span, span) && node->age < age) || has_older(t, node->right, span, age));
}

static bool is_in_way(const dart__range_table_t *t, const request_t *older,
                      const dart__span_t *span)
{
  for (uint32_t at = older->first; at != NONE; at = node_at(t, at)->next)
    if (conflict(&node_at(t, at)->span, span))
      return true;
  return false;
}

/* What is wrong with a request that is in the table, or NULL. */
static const char *check_request(const dart__range_table_t *t, const request_t *request)
{
  const request_t *blocker = request->blocker == NONE ? NULL : request_at(t, request->blocker);
  bool             is_free = true, is_blocked_by_it = false;

  for (uint32_t at = request->first; at != NONE; at = node_at(t, at)->next) {
    is_free &= !has_older(t, t->root, &node_at(t, at)->span, request->age);
    is_blocked_by_it |= blocker != NULL && is_in_way(t, blocker, &node_at(t, at)->span);
  }
  if (is_free != (blocker == NULL))
    return "a request is held that should wait, or waits for nobody";
  if (blocker != NULL && (!is_blocked_by_it || blocker->age > request->age))
    return "a request waits for one that it may pass";
  return NULL;
}

/* Number of requests that wait for this one; sets `*wrong_out` if they do not know. */
static uint32_t check_waiters(const dart__range_table_t *t, uint32_t index, const char **wrong_out)
{
  uint32_t before = NONE, count = 0;

  for (uint32_t i = request_at(t, index)->waiters; i != NONE; i = request_at(t, i)->next) {
    if (request_at(t, i)->blocker != index || request_at(t, i)->before != before)
      *wrong_out = "the list of those that wait for a request is wrong";
    before = i;
    count++;
  }
  return count;
}

/* What is wrong with the table, or NULL. */
static const char *range_check(const dart__range_table_t *t)
{
  const char *wrong = NULL;
  uint32_t    count = check_tree(t, t->root, &wrong), listed = 0, waiting = 0;

  if (count + t->nfree != t->capacity)
    wrong = "nodes are lost";
  if (depth_of(t, t->root) > most_depth(count))
    wrong = "the tree is too deep";
  for (uint32_t i = 1; i <= t->capacity; i++) {
    const request_t *request = request_at(t, i);
    const char      *found   = request->first == NONE ? NULL : check_request(t, request);

    wrong = found != NULL ? found : wrong;
    if (request->first == NONE)
      continue;
    listed += check_waiters(t, i, &wrong);
    waiting += is_held(request) ? 0 : 1;
  }
  return listed == waiting ? wrong : "a request waits, and nobody knows";
}

#endif
