/* How many cache lines change hands in the barriers, reductions and broadcasts of the units of one node, by DART's own code on
 * machines of many cores: with one barrier for all units, and with units in groups. See lines.h.
 *
 * The machines are hwloc's, which makes them from a line, or reads what lstopo has recorded. DART finds out itself where its
 * units are, as when HWLOC_SYNTHETIC or HWLOC_XMLFILE shows it another machine. It looks once in the life of a process, so
 * each machine has one of its own. */
#include <argp.h>
#include <hwloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coll/coll.h"
#include "coll/step.h"
#include "lines.h"
#include "model/world.h"
#include "team/team_locality.h"
#include "topology/hardware.h"

enum {
  SLOT   = 512, /* bytes */
  RESULT = 65536,
  CALLS  = 8,
  WARM   = 4
};

/* Times to fetch a line from another core are assumed; the counts do not depend on them. */
typedef struct {
  const char *name;
  const char *shape; /* a line of hwloc's, or a file */
  double      ns[LINES_DISTANCES];
} machine_t;

static const machine_t machines[] = {
  { "2 packages of 8 domains", "package:2 numa:8 l3:2 core:8 pu:1", { 25, 90, 110, 200 } },
  { "2 Epyc 7763", "package:2 numa:1 l3:8 core:8 pu:1", { 25, 110, 110, 200 } },
  { "2 Epyc 7451", "package:2 numa:4 l3:2 core:3 pu:2", { 25, 90, 110, 200 } },
  { "128 Arm cores", "package:2 numa:2 l3:1 core:32 pu:1", { 60, 60, 60, 140 } },
};

typedef enum { BARRIER, AGREE, ALLREDUCE, BCAST, ALLREDUCE_512, CASES } case_t;

static const char *const case_names[CASES] = { "barrier", "agreement", "allreduce 8 B", "bcast 8 B",
                                               "allreduce 512 B" };

static uint32_t           most = LINES_UNITS, fan = 8; /* options; team/make.c has this fan */
static const char        *recorded;                    /* the option --machine */
static const machine_t   *machine;
static dart__tree_place_t places[LINES_UNITS]; /* of the units of this run */
static case_t             which;
static dart__team_t      *teams[LINES_UNITS];

static void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

static void fail(const char *format, ...)
{
  va_list args;

  va_start(args, format);
  fputs("lines: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  exit(2);
}

/* ---- the machine ------------------------------------------------------------------------ */

/* Whether hwloc can show it. By the variables below it would show this machine instead. */
static bool is_known(const char *shape, bool is_file)
{
  hwloc_topology_t topology;
  bool             known;

  if (hwloc_topology_init(&topology) != 0)
    return false;
  known = (is_file ? hwloc_topology_set_xml(topology, shape)
                   : hwloc_topology_set_synthetic(topology, shape)) == 0 &&
          hwloc_topology_load(topology) == 0;
  hwloc_topology_destroy(topology);
  return known;
}

/* Have hwloc show it. */
static void choose_machine(void)
{
  const char *shape   = machine->shape;
  size_t      length  = strlen(shape);
  bool        is_file = length >= 4 && strcmp(shape + length - 4, ".xml") == 0;

  if (!is_known(shape, is_file))
    fail("hwloc cannot show the machine '%s'", shape);
  unsetenv(is_file ? "HWLOC_SYNTHETIC" : "HWLOC_XMLFILE");
  setenv(is_file ? "HWLOC_XMLFILE" : "HWLOC_SYNTHETIC", shape, 1);
}

static uint32_t print_name(void)
{
  dart__hardware_t h;

  dart__hardware_here(0, 1, &h);
  printf("%s: %d packages, %d NUMA domains, %d cores\n", machine->name, h.info.num_sockets,
         h.info.num_numa, (int)h.host_cores);
  return (uint32_t)h.host_cores;
}

static void place_units(uint32_t nunits)
{
  for (uint32_t u = 0; u < nunits; u++) {
    dart__hardware_t h;

    dart__hardware_here(u, nunits, &h);
    places[u] = dart__locality_place(&h);
  }
}

static lines_distance_t distance(uint32_t a, uint32_t b)
{
  for (int level = 0; level < DART__TREE_LEVELS; level++)
    if (places[a].domain[level] == places[b].domain[level])
      return (lines_distance_t)level;
  return LINES_NODE;
}

/* ---- units ---------------------------------------------------------------------------------- */

static void call(dart__team_t *team)
{
  int64_t       values[64];
  unsigned long most[2] = { (unsigned long)team->me, 7 };

  for (int i = 0; i < 64; i++)
    values[i] = team->me + i;
  switch (which) {
  case BARRIER: dart__coll_barrier(team); break;
  case AGREE: dart__coll_most(team, most, 2); break;
  case BCAST: dart__coll_bcast(team, values, 8, 0); break;
  default:
    dart__coll_reduce(team, values, values, which == ALLREDUCE ? 1 : 64, DART_TYPE_LONGLONG,
                      DART_OP_SUM, DART__EVERY_UNIT);
  }
  if ((which == ALLREDUCE || which == ALLREDUCE_512) &&
      values[0] != (int64_t)team->nunits * (team->nunits - 1) / 2)
    fail("allreduce: wrong result %lld", (long long)values[0]);
  if (which == AGREE && most[0] != (unsigned long)team->nunits - 1)
    fail("agreement: wrong result %lu", most[0]);
  if (which == BCAST && values[0] != 0)
    fail("bcast: wrong result %lld", (long long)values[0]);
}

static void work(uint32_t unit)
{
  for (int i = 0; i < WARM; i++)
    call(teams[unit]);
  lines_begin();
  for (int i = 0; i < CALLS; i++)
    call(teams[unit]);
  lines_end();
}

/* ---- a node ------------------------------------------------------------------------------ */

static size_t rounded(size_t nbytes)
{
  return (nbytes + DART__CACHE_LINE - 1) / DART__CACHE_LINE * DART__CACHE_LINE;
}

static dart__tree_plan_t *plan_groups(uint32_t nunits)
{
  dart__tree_plan_t *plan = dart__tree_plan(places, nunits, fan);

  if (plan == NULL)
    fail("no memory");
  return plan;
}

static void open_team(uint32_t unit, uint32_t nunits, char *memory, char *tree)
{
  dart__members_t members = { .count = (int32_t)nunits, .stride = 1 };

  dart__world.me = (dart_unit_t)unit;
  teams[unit]    = dart__team_new(&members);
  if (teams[unit] == NULL)
    fail("no memory");
  dart__exchange_open(&teams[unit]->exchange, memory, nunits, nunits, unit, SLOT, RESULT);
  if (tree != NULL)
    dart__step_use_tree(teams[unit], tree);
}

static void count(uint32_t nunits, bool in_groups, lines_counts_t *counts_out)
{
  static int32_t     node_of[LINES_UNITS];
  dart__tree_plan_t *plan     = in_groups ? plan_groups(nunits) : NULL;
  size_t             exchange = rounded(dart__exchange_bytes(nunits, nunits, SLOT, RESULT));
  size_t             nbytes   = exchange + (in_groups ? rounded(dart__tree_bytes(plan)) : 0);
  char              *memory   = aligned_alloc(DART__CACHE_LINE, nbytes);
  char              *tree     = in_groups ? memory + exchange : NULL;

  if (memory == NULL)
    fail("no memory");
  memset(memory, 0, nbytes);
  dart__world.nunits  = (int32_t)nunits;
  dart__world.node_of = node_of;
  dart__world.me      = 0;
  if (!dart__world_find_nodes())
    fail("no memory");
  dart__exchange_format(memory, nunits, nunits);
  if (in_groups)
    dart__tree_format(tree, plan, 0);
  for (uint32_t u = 0; u < nunits; u++)
    open_team(u, nunits, memory, tree);
  lines_run(nunits, work, memory, nbytes, distance, machine->ns, counts_out);
  for (uint32_t u = 0; u < nunits; u++)
    dart__team_delete(teams[u]);
  dart__placement_clear(&dart__world.nodes);
  free(memory);
  free(plan);
}

static void print(uint32_t nunits, const char *form, const lines_counts_t *c)
{
  uint32_t all = 0;

  for (int d = 0; d < LINES_DISTANCES; d++)
    all += c->transfers[d];
  printf("%-16s %6u  %-7s %9.1f %11.1f %8.1f %8.1f %9.0f\n", case_names[which], nunits, form,
         (double)all / CALLS, (double)c->transfers[LINES_NODE] / CALLS, (double)c->most / CALLS,
         (double)c->chain / CALLS, c->ns / CALLS);
}

/* ---- options ------------------------------------------------------------------------------ */

static uint32_t number(const char *name, const char *text, uint32_t least)
{
  char         *end;
  unsigned long value = strtoul(text, &end, 10);

  if (*text < '0' || *text > '9' || *end != '\0' || value < least || value > LINES_UNITS)
    fail("--%s=%s is not in %u..%d", name, text, (unsigned)least, LINES_UNITS);
  return (uint32_t)value;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
  (void)state;
  if (key == 'u')
    most = number("units", arg, 2);
  else if (key == 'f')
    fan = number("fan", arg, 2);
  else if (key == 'm')
    recorded = arg;
  else
    return ARGP_ERR_UNKNOWN;
  return 0;
}

static const struct argp_option options[] = {
  { "units", 'u', "N", 0, "most units, 2 to 256 (default 256)", 0 },
  { "fan", 'f', "N", 0, "most units in a group (default 8, as in DART)", 0 },
  { "machine", 'm', "FILE", 0,
    "a machine that lstopo has recorded (FILE.xml), or a line of hwloc's such as 'numa:4 core:8 "
    "pu:1', in place of those that are known",
    0 },
  { 0 }
};

static const struct argp argp = {
  options,
  parse,
  NULL,
  "Cache lines that change hands in the barriers, reductions and broadcasts of the units of one "
  "node, by DART's own code on modelled machines: with one barrier for all units, and with units "
  "in groups."
  "\vExample:\n  lines --units=64 --machine='numa:4 core:8 pu:1'",
  NULL,
  NULL,
  NULL
};

static void print_row(uint32_t n)
{
  lines_counts_t counts;

  count(n, false, &counts);
  print(n, "one", &counts);
  if (n <= fan)
    return;
  count(n, true, &counts);
  print(n, "groups", &counts);
}

static void print_machine(void)
{
  uint32_t ncores;

  choose_machine();
  ncores = print_name();
  printf("%-16s %6s  %-7s %9s %11s %8s %8s %9s\n", "call", "units", "", "transfers", "of packages",
         "a unit", "chain", "ns");
  for (uint32_t n = 2; n <= most && n <= ncores; n *= 2) {
    place_units(n);
    for (which = 0; which < CASES; which++)
      print_row(n);
  }
}

/* In a process of its own. */
static void run_machine(void)
{
  int   status = 0;
  pid_t child;

  fflush(stdout);
  child = fork();
  if (child == 0) {
    print_machine();
    exit(0);
  }
  if (child < 0 || waitpid(child, &status, 0) < 0)
    fail("no process for a machine");
  if (status != 0)
    exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

int main(int argc, char **argv)
{
  static const dart__wait_pace_t pace = { .spins = UINT32_MAX };

  argp_parse(&argp, argc, argv, 0, NULL, NULL);
  dart__world.wait.pace = &pace;
  if (recorded != NULL) {
    machine_t other = machines[0];

    other.name = other.shape = recorded;
    machine                  = &other;
    run_machine();
    return 0;
  }
  for (machine = machines; machine < machines + sizeof machines / sizeof *machines; machine++) {
    if (machine > machines)
      putchar('\n');
    run_machine();
  }
  return 0;
}
