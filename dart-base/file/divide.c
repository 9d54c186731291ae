/* Collective calls: what each node reads and writes. See collective_call.h.
 *
 * A node has a domain, a piece of the file that its units read or write in their windows, round by round. Where nodes
 * interleave, all that is accessed is divided into one domain for each node, in their order and in proportion to
 * their units, at blocks of the file system; data go to the node that has their domain. Domains are contiguous, so
 * where a distribution follows the numbers of the units, as most do by and large, most data are on the right node
 * already. Where nodes do not interleave, what the units of a node access is its domain, and nothing goes between
 * nodes.
 *
 * They interleave if what they span adds up to a quarter more than what all of them span. Domains of nodes that
 * overlap less, at the edges of blocks for example, are written in large pieces anyway. All of it is decided from
 * plans that all units have seen, so they decide alike. */
#include "file/collective_call.h"

#include "base/log.h"
#include "coll/coll.h"
#include "file/file_window.h"

#define SMALL_RUN  ((uint64_t)16 * 1024) /* bytes of a mean piece, below which two phases pay ... */
#define MOST_HOLES 8                     /* ... if one byte in so many is accessed */
#define MOST_BLOCK ((uint64_t)1 << 30)
#define PAGE       4096

typedef dart__file_plan_t plan_t;

/* ---- plans ---------------------------------------------------------------------------------------- */

/* The worst of all units' results of their arguments, of which the file is one. */
static dart_ret_t worst(const dart__file_call_t *c)
{
  const plan_t *plans   = c->file->plans;
  uint64_t      ret     = DART_OK;
  bool          is_same = true;

  for (int32_t u = 0; u < c->team->nunits; u++) {
    ret     = plans[u].ret > ret ? plans[u].ret : ret;
    is_same = is_same && plans[u].name == plans[0].name;
  }
  if (is_same)
    return (dart_ret_t)ret;
  dart__error("%s: units of team %d give different files", c->function, c->team->id);
  return ret > DART_ERR_INVAL ? (dart_ret_t)ret : DART_ERR_INVAL;
}

dart_ret_t dart__file_share_plans(dart__file_call_t *c, dart_ret_t ret)
{
  plan_t own = { .ret = ret, .block = c->file->block };

  if (ret == DART_OK && c->access->nbytes > 0) {
    dart__survey_t survey = dart__access_survey(c->access);

    own = (plan_t){ ret,          survey.first,        survey.end,     c->access->nbytes,
                    survey.nruns, survey.is_ascending, c->file->block, 0 };
  }
  own.name = c->file->name;
  dart__coll_share(c->team, &own, c->file->plans, sizeof own);
  if (dart__team_is_broken(c->team))
    return DART_ERR_UNIT_LOST;
  return worst(c);
}

static void add_plan(plan_t *sum, const plan_t *plan)
{
  sum->first = plan->first < sum->first ? plan->first : sum->first;
  sum->end   = plan->end > sum->end ? plan->end : sum->end;
  sum->nbytes += plan->nbytes;
  sum->nruns += plan->nruns;
}

static uint64_t span_of(const plan_t *plan)
{
  return plan->nbytes == 0 ? 0 : plan->end - plan->first;
}

/* What the units of a node access that join in two phases. */
static plan_t plan_of_node(const dart__file_call_t *c, int32_t node)
{
  plan_t sum = { .first = UINT64_MAX };

  for (int32_t i = dart__team_node_start(c->team, node);
       i < dart__team_node_start(c->team, node + 1); i++) {
    const plan_t *plan = &c->file->plans[dart__team_unit_at(c->team, i)];

    if (plan->joins)
      add_plan(&sum, plan);
  }
  return sum;
}

/* ---- domains ------------------------------------------------------------------------------------- */

static uint64_t units_of(const dart__file_call_t *c, int32_t node)
{
  return (uint64_t)dart__team_units_on(c->team, node);
}

/* Blocks of the file system, as the first unit sees it, or pages, if they make no sense. */
static uint64_t block_of(const dart__file_call_t *c)
{
  uint64_t block = c->file->plans[0].block;

  return block < PAGE || block > MOST_BLOCK || block % PAGE != 0 ? PAGE : block;
}

/* Where `part` of `whole` equal parts of the span end, at a block. */
static uint64_t cut(const plan_t *all, uint64_t part, uint64_t whole, uint64_t block)
{
  uint64_t span = span_of(all);
  uint64_t at   = all->first + span / whole * part + span % whole * part / whole;

  return part == whole ? all->end : at / block * block;
}

/* Divide what all units access. */
static void divide_all(const dart__file_call_t *c, const plan_t *all)
{
  uint64_t block = block_of(c), whole = (uint64_t)c->team->nunits,
           start = all->first / block * block;

  for (int32_t node = 0; node < c->team->nnodes; node++) {
    uint64_t end = cut(all, (uint64_t)dart__team_node_start(c->team, node + 1), whole, block);

    end                    = end > start ? end : start;
    c->file->domains[node] = (dart__file_domain_t){ .start = start, .end = end };
    start                  = end;
  }
}

/* A domain for what each node's own units access. The result is the sum of what they span. */
static uint64_t divide_by_nodes(const dart__file_call_t *c, plan_t *all)
{
  uint64_t sum = 0;

  for (int32_t node = 0; node < c->team->nnodes; node++) {
    plan_t plan = plan_of_node(c, node);

    c->file->domains[node] = (dart__file_domain_t){ 0 };
    if (plan.nbytes == 0)
      continue;
    add_plan(all, &plan);
    c->file->domains[node] = (dart__file_domain_t){ plan.first / PAGE * PAGE, plan.end, 0 };
    if (__builtin_add_overflow(sum, span_of(&plan), &sum))
      sum = UINT64_MAX;
  }
  return sum;
}

static void count_rounds(dart__file_call_t *c)
{
  c->rounds = 0;
  for (int32_t node = 0; node < c->team->nnodes; node++) {
    const dart__file_domain_t *domain = &c->file->domains[node];
    uint64_t                   bytes  = units_of(c, node) * DART__WINDOW_BYTES;
    uint64_t                   rounds = (domain->end - domain->start + bytes - 1) / bytes;

    c->rounds = rounds > c->rounds ? rounds : c->rounds;
  }
}

bool dart__file_divide(dart__file_call_t *c)
{
  plan_t   all = { .first = UINT64_MAX };
  uint64_t sum = divide_by_nodes(c, &all), span = span_of(&all);

  if (all.nruns == 0 || all.nbytes / all.nruns >= SMALL_RUN)
    return false;
  c->between = sum > span && sum - span > span / 4;
  if ((c->between ? span : sum) / MOST_HOLES > all.nbytes)
    return false;
  if (c->between)
    divide_all(c, &all);
  count_rounds(c);
  return true;
}

void dart__file_enter_domains(dart__file_call_t *c)
{
  dart__file_domain_t *domains = c->file->domains;
  int32_t              node    = c->between ? 0 : c->team->node;
  int32_t              end     = c->between ? c->team->nnodes : node + 1;

  for (size_t at = 0, n; at < c->access->nbytes; at += n) {
    uint64_t offset;

    n = dart__access_file_run(c->access, at, &offset);
    for (; node < end && offset + n > domains[node].start; node++)
      domains[node].at = offset >= domains[node].start ? at : at + (domains[node].start - offset);
  }
  for (; node < end; node++)
    domains[node].at = c->access->nbytes;
}

uint64_t dart__file_area(const dart__file_call_t *c, int32_t node, uint64_t round)
{
  const dart__file_domain_t *domain = &c->file->domains[node];
  uint64_t                   before = round * units_of(c, node) * DART__WINDOW_BYTES;

  return before < domain->end - domain->start ? domain->start + before : domain->end;
}
