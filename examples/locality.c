/* Locality: teams that follow the machine, and a sum in two levels.
 *
 * Units that share a node, or a NUMA domain, reach each other faster than others. So a reduction does
 * better to combine inside each of these first, and to let one unit of each, its leader, speak for it
 * among the others. The library's own reductions do so for nodes; here it is done by hand, for nodes
 * and for NUMA domains, with teams made from the tree of domains that DART has of the machine.
 *
 *   dartrun -n 4 ./locality */
#include <dash/dart/if/dart.h>
#include <dash/dart/if/dart_locality.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* A call that cannot fail here. Ends all units: the others may already wait for this one. */
#define MUST(call)                                     \
  do {                                                 \
    if ((call) != DART_OK) {                           \
      fprintf(stderr, "locality: %s failed\n", #call); \
      dart_abort(EXIT_FAILURE);                        \
    }                                                  \
  } while (0)

/* The machine cut into parts: the caller's, and the team of the parts' first units. */
typedef struct {
  size_t      nparts;
  dart_team_t part;
  dart_team_t leaders; /* DART_TEAM_NULL, if the caller is no leader */
} levels_t;

/* A team for every domain of `scope`. Collective: all units make all of these teams, one by one, and
 * each becomes a member of one. */
static levels_t split(dart_locality_scope_t scope)
{
  levels_t                levels = { 0, DART_TEAM_NULL, DART_TEAM_NULL };
  dart_domain_locality_t *machine, **domains;
  dart_group_t            everyone, leaders, *groups;
  int                     ndomains;

  MUST(dart_domain_team_locality(DART_TEAM_ALL, ".", &machine));
  MUST(dart_domain_scope_domains(machine, scope, &ndomains, &domains));
  free(domains);
  groups = calloc((size_t)ndomains, sizeof *groups);
  MUST(groups != NULL ? DART_OK : DART_ERR_NOMEM);

  MUST(dart_team_get_group(DART_TEAM_ALL, &everyone));
  MUST(dart_group_locality_split(everyone, machine, scope, (size_t)ndomains, &levels.nparts,
                                 groups));
  MUST(dart_group_destroy(&everyone));

  MUST(dart_group_create(&leaders));
  for (size_t p = 0; p < levels.nparts; p++) {
    dart_team_t         team;
    dart_global_unit_t *members;
    size_t              size;

    MUST(dart_group_size(groups[p], &size)); /* no domain is without units */
    members = malloc(size * sizeof *members);
    MUST(members != NULL ? DART_OK : DART_ERR_NOMEM);
    MUST(dart_group_getmembers(groups[p], members));
    MUST(dart_group_addmember(leaders, members[0]));
    free(members);

    MUST(dart_team_create(DART_TEAM_ALL, groups[p], &team));
    MUST(dart_group_destroy(&groups[p]));
    if (team != DART_TEAM_NULL)
      levels.part = team;
  }
  MUST(dart_team_create(DART_TEAM_ALL, leaders, &levels.leaders));
  MUST(dart_group_destroy(&leaders));
  free(groups);
  return levels;
}

/* The sum of all units' values, on all units. */
static long sum_by_levels(const levels_t *levels, long value)
{
  dart_team_unit_t leader = DART_TEAM_UNIT_ID(0);
  long             part = 0, sum = 0;

  MUST(dart_reduce(&value, &part, 1, DART_TYPE_LONG, DART_OP_SUM, leader, levels->part));
  if (levels->leaders != DART_TEAM_NULL)
    MUST(dart_allreduce(&part, &sum, 1, DART_TYPE_LONG, DART_OP_SUM, levels->leaders));
  MUST(dart_bcast(&sum, 1, DART_TYPE_LONG, leader, levels->part));
  return sum;
}

/* Both sums, which must be the same. */
static int check(int me, const char *what, dart_locality_scope_t scope)
{
  levels_t levels = split(scope);
  long     value  = (me + 1) * (me + 1), sum, expected;

  sum = sum_by_levels(&levels, value);
  MUST(dart_allreduce(&value, &expected, 1, DART_TYPE_LONG, DART_OP_SUM, DART_TEAM_ALL));
  if (sum != expected)
    fprintf(stderr, "locality: unit %d got %ld by %ss, not %ld\n", me, sum, what, expected);
  else if (me == 0)
    printf("The sum over %zu %s%s is %ld.\n", levels.nparts, what, levels.nparts == 1 ? "" : "s",
           sum);

  if (levels.leaders != DART_TEAM_NULL)
    MUST(dart_team_destroy(&levels.leaders));
  MUST(dart_team_destroy(&levels.part));
  return sum != expected;
}

/* Not every machine tells of NUMA domains. All units look at the same, and decide alike. */
static bool all_are_in_numa_domains(void)
{
  dart_unit_locality_t *located;
  size_t                nunits;

  MUST(dart_size(&nunits));
  for (size_t u = 0; u < nunits; u++) {
    MUST(dart_unit_locality(DART_TEAM_ALL, DART_TEAM_UNIT_ID((dart_unit_t)u), &located));
    if (located->hwinfo.numa_id < 0)
      return false;
  }
  return true;
}

int main(int argc, char **argv)
{
  dart_global_unit_t    me;
  dart_unit_locality_t *here;
  int                   wrong;

  MUST(dart_init(&argc, &argv));
  MUST(dart_myid(&me));
  MUST(dart_unit_locality(DART_TEAM_ALL, DART_TEAM_UNIT_ID(me.id), &here));
  printf("Unit %d runs on %s, NUMA domain %d, core %d: domain %s.\n", me.id, here->hwinfo.host,
         here->hwinfo.numa_id, here->hwinfo.core_id, here->domain_tag);

  wrong = check(me.id, "node", DART_LOCALITY_SCOPE_NODE);
  if (all_are_in_numa_domains())
    wrong |= check(me.id, "NUMA domain", DART_LOCALITY_SCOPE_NUMA);
  MUST(dart_exit());
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
