/* What one unit of a job of N units keeps: memory by table, for jobs that no machine here could run.
 *
 * This process plays unit 0 of the job, with DART's own code, over a network of which only its side exists (one_side.c).
 * Every shape of a job is a process of its own. All memory is counted by the place in the source that allocates it
 * (count.c): what was asked for, and what of that is on pages that exist. From four shapes the growth of each table is
 * computed: bytes = constant + a * nodes + b * units + c * units of a node. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <dash/dart/ext/dart_adopt.h>
#include <dash/dart/ext/dart_file.h>
#include <dash/dart/ext/dart_memalign.h>
#include <dash/dart/ext/dart_range.h>
#include <dash/dart/if/dart.h>
#include <dash/dart/if/dart_locality.h>

#include "../common/bench.h"
#include "coll/step.h"
#include "names.h"
#include "scale.h"
#include "team/hosts.h"

#define TOTALS_MOST 8 /* shapes from 4 units to 10 millions, by tens */
#define LEAST_SHOWN \
  1024.0 /* bytes: tables that grow by less from one shape to another are not listed */

typedef enum { FORMAT_TEXT, FORMAT_CSV, FORMAT_MARKDOWN } format_t;

typedef struct {
  format_t    format;
  placement_t placement;
  uint64_t    least;
  uint64_t    most;
  uint64_t    per_node;
  uint64_t    segments;
} options_t;

static const bench_job_t alone = { .nunits = 1, .nnodes = 1 };

/* ---- steps of a program ------------------------------------------------------------------------- */

static uint64_t nsegments;

static void init(void)
{
  BENCH_OK(dart_init(NULL, NULL));
}

static void make_teams(void)
{
  dart_team_t team;

  for (int i = 0; i < 10; i++)
    BENCH_OK(dart_team_clone(DART_TEAM_ALL, &team));
}

static double
    create_ms; /* processor time of the dart_team_create below: no message is waited for */

static double processor_ms(void)
{
  struct timespec now;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Half of the units, by chance. */
static void make_irregular_team(void)
{
  dart_group_t group;
  dart_team_t  team;
  uint32_t     state = 1;
  size_t       nunits;
  double       start;

  BENCH_OK(dart_size(&nunits));
  BENCH_OK(dart_group_create(&group));
  for (size_t u = 0; u < nunits; u++) {
    state = state * 1664525 + 1013904223;
    if (u == 0 || state >> 31 == 0)
      BENCH_OK(dart_group_addmember(group, dart_create_global_unit((dart_unit_t)u)));
  }
  start = processor_ms();
  BENCH_OK(dart_team_create(DART_TEAM_ALL, group, &team));
  create_ms = processor_ms() - start;
  BENCH_OK(dart_group_destroy(&group));
}

static dart_gptr_t segment; /* the last one that was allocated */

static void make_segments(void)
{
  for (uint64_t i = 0; i < nsegments; i++)
    BENCH_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 64, DART_TYPE_LONG, &segment));
}

/* Portions of which one is longer than all others. */
static void make_unequal_segment(void)
{
  dart_gptr_t unequal;

  scale_last_differs = true;
  BENCH_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 64, DART_TYPE_LONG, &unequal));
  scale_last_differs = false;
}

static void adopt_memory(void)
{
  static _Alignas(4096) char memory[8192];
  dart_gptr_t                adopted;

  scale_last_differs = true;
  BENCH_OK(dart_team_adopt(DART_TEAM_ALL, memory + 64, 4096, &adopted));
  scale_last_differs = false;
}

static void register_memory(void)
{
  static char memory[4096];
  dart_gptr_t registered;

  BENCH_OK(
      dart_team_memregister(DART_TEAM_ALL, sizeof memory, DART_TYPE_BYTE, memory, &registered));
}

static void make_locks(void)
{
  static dart_lock_t locks[10];

  for (int i = 0; i < 10; i++)
    BENCH_OK(dart_team_lock_init(DART_TEAM_ALL, &locks[i]));
}

static void make_ranges(void)
{
  static dart_range_t range;

  BENCH_OK(dart_team_range_init(DART_TEAM_ALL, 0, 0, &range));
}

/* What the first broadcast and the first allgather of 1,000 bytes have memory made for. */
static void make_room(void)
{
  dart__step_make_room(dart__teams[DART_TEAM_ALL], 1000);
}

static void make_room_for_all(void)
{
  dart__step_make_room_for_all(dart__teams[DART_TEAM_ALL], 1000);
}

/* An empty one, which has no name any more. */
static void open_file(void)
{
  static dart_file_t file;
  char               path[] = P_tmpdir "/scale.XXXXXX";
  int                fd     = mkstemp(path);

  if (fd < 0) {
    perror(path);
    exit(BENCH_FAILED);
  }
  close(fd);
  BENCH_OK(dart_file_open(DART_TEAM_ALL, path, DART_FILE_READ | DART_FILE_WRITE, 0, &file));
  unlink(path);
  BENCH_OK(dart_file_set_atomicity(file, true));
}

static void ask_locality(void)
{
  dart_unit_locality_t *locality;

  BENCH_OK(dart_unit_locality(DART_TEAM_ALL, dart_create_team_unit(0), &locality));
}

/* No other unit has described itself: spread those of the node over the cores of HWLOC_SYNTHETIC below. All nodes are alike. */
static void spread_units(void)
{
  dart__hardware_t *units = (dart__hardware_t *)(uintptr_t)dart__hosts_here();
  int               n     = dart__teams[DART_TEAM_ALL]->node_nunits;

  for (int i = 1; units != NULL && i < n; i++) {
    int core = i * 128 / n;

    units[i] = units[0];
    for (int s = 0; s < units[i].info.num_scopes; s++)
      units[i].info.scopes[s].index =
          units[i].info.scopes[s].scope == DART_LOCALITY_SCOPE_CORE   ? core
          : units[i].info.scopes[s].scope == DART_LOCALITY_SCOPE_NUMA ? core / 16
                                                                      : core / 64;
  }
}

static void make_tree(void)
{
  dart_domain_locality_t *root;

  spread_units();
  BENCH_OK(dart_domain_team_locality(DART_TEAM_ALL, ".", &root));
}

static const struct {
  const char *name;
  void (*run)(void);
} steps[] = { { "init", init },
              { "10 teams", make_teams },
              { "irregular team", make_irregular_team },
              { "segments", make_segments },
              { "unequal segment", make_unequal_segment },
              { "adopted", adopt_memory },
              { "registered", register_memory },
              { "10 locks", make_locks },
              { "ranges", make_ranges },
              { "atomic file", open_file },
              { "bcast", make_room },
              { "allgather", make_room_for_all },
              { "locality", ask_locality },
              { "tree", make_tree } };

#define STEPS (sizeof steps / sizeof steps[0])

/* ---- one shape ---------------------------------------------------------------------------------- */

typedef struct {
  bool    is_done;
  place_t after[STEPS][SITES_MOST]; /* all that is allocated after each step */
  size_t  peak[STEPS];              /* the most during it */
  double  resolve_ns;               /* resolve.c; 0: not measured */
  double  create_ms;
} measured_t;

static void run_steps(measured_t *measured)
{
  setenv("DART_PROGRESS", "none", 1);
  setenv("HWLOC_SYNTHETIC", "package:2 numa:4 core:16 pu:1", 0);
  count_start();
  for (size_t i = 0; i < STEPS; i++) {
    steps[i].run();
    measured->peak[i] = count_peak();
    count_read(measured->after[i]);
  }
  if (nsegments > 0)
    measured->resolve_ns = resolve_ns(segment);
  measured->create_ms = create_ms;
  measured->is_done   = true;
}

static measured_t *measure(shape_t shape)
{
  measured_t *measured =
      mmap(NULL, sizeof *measured, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t child;

  if (measured == MAP_FAILED || (child = fork()) < 0)
    return NULL;
  if (child == 0) {
    scale_shape = shape;
    run_steps(measured);
    _exit(0);
  }
  while (waitpid(child, NULL, 0) < 0)
    ;
  if (measured->is_done)
    return measured;
  bench_complain(&alone, "the unit of a job of %d units has failed", shape.nunits);
  exit(BENCH_FAILED);
}

/* Bytes of a place after a step, less those before it. */
typedef struct {
  double asked;
  double resident;
} bytes_t;

static const place_t *find_place(const measured_t *m, size_t step, const place_t *like)
{
  for (size_t i = 0; i < SITES_MOST && m->after[step][i].site != 0; i++)
    if (m->after[step][i].site == like->site && m->after[step][i].is_pool == like->is_pool)
      return &m->after[step][i];
  return NULL;
}

static bytes_t grown(const measured_t *m, size_t step, const place_t *like)
{
  const place_t *after  = find_place(m, step, like);
  const place_t *before = step > 0 ? find_place(m, step - 1, like) : NULL;
  bytes_t        bytes  = { 0, 0 };

  if (after != NULL)
    bytes = (bytes_t){ (double)after->asked, (double)after->resident };
  if (before != NULL) {
    bytes.asked -= (double)before->asked;
    bytes.resident -= (double)before->resident;
  }
  return bytes;
}

static bytes_t grown_in_all(const measured_t *m, size_t step, bool is_pool)
{
  bytes_t sum = { 0, 0 };

  for (size_t i = 0; i < SITES_MOST && m->after[step][i].site != 0; i++)
    if (m->after[step][i].is_pool == is_pool) {
      bytes_t bytes = grown(m, step, &m->after[step][i]);

      sum.asked += bytes.asked;
      sum.resident += bytes.resident;
    }
  return sum;
}

/* ---- growth ------------------------------------------------------------------------------------- */

enum { WHOLE, HALF_NODES, HALF_UNITS, BOTH_HALVES, SHAPES };

typedef struct {
  double constant, node, unit, near;
} growth_t;

/* From values at (N, U), (N, U/2), (N/2, U), (N/2, U/2) for N units, U of them on a node. */
static growth_t growth_of(const double value[SHAPES], const options_t *o)
{
  double   n = (double)o->most, u = (double)o->per_node;
  double   of_u = value[WHOLE] - value[HALF_NODES]; /* of the same units on twice as many nodes */
  double   of_half_u = value[HALF_UNITS] - value[BOTH_HALVES];
  growth_t g         = { .node = (of_u - of_half_u) / (-n / u / 2) };

  g.near     = (of_u + g.node * n / u) / (u / 2);
  g.unit     = (value[WHOLE] - value[HALF_UNITS] - g.node * n / u / 2) / (n / 2);
  g.constant = value[WHOLE] - g.unit * n - g.node * n / u - g.near * u;
  return g;
}

/* ---- reports ------------------------------------------------------------------------------------ */

static const char *const total_formats[] = {
  "%8" PRIu64 " %7d  %-15s %12.0f %12.0f %12.0f %10.0f\n",
  "%" PRIu64 ",%d,\"%s\",%.0f,%.0f,%.0f,%.0f\n",
  "| %" PRIu64 " | %d | %s | %.0f | %.0f | %.0f | %.0f |\n",
};

static const char *const table_formats[] = {
  "%-15s %-8s %-34s %-26s %12.0f %12.0f %10.0f %8.2f %8.3f %8.1f\n",
  "\"%s\",%s,\"%s\",%s,%.0f,%.0f,%.0f,%.3f,%.4f,%.2f\n",
  "| %s | %s | `%s` | %s | %.0f | %.0f | %.0f | %.2f | %.3f | %.1f |\n",
};

static void show_totals_head(const options_t *o)
{
  switch (o->format) {
  case FORMAT_TEXT:
    printf("%8s %7s  %-15s %12s %12s %12s %10s\n", "units", "nodes", "step", "asked", "resident",
           "most", "pool");
    return;
  case FORMAT_CSV: printf("units,nodes,step,asked,resident,most,pool\n"); return;
  default:
    printf("| units | nodes | step | asked for | resident | most meanwhile | pool |\n"
           "|---|---|---|---|---|---|---|\n");
  }
}

static void show_totals(const options_t *o, shape_t shape, const measured_t *m)
{
  for (size_t i = 0; i < STEPS; i++) {
    bytes_t own = grown_in_all(m, i, false), pool = grown_in_all(m, i, true);

    printf(total_formats[o->format], (uint64_t)shape.nunits, scale_nodes(shape), steps[i].name,
           own.asked, own.resident, (double)m->peak[i], pool.asked);
  }
  fflush(stdout);
}

static void show_tables_head(const options_t *o)
{
  switch (o->format) {
  case FORMAT_TEXT:
    printf("\n%-15s %-8s %-34s %-26s %12s %12s %10s %8s %8s %8s\n", "step", "memory", "table",
           "source", "asked", "resident", "constant", "/node", "/unit", "/near");
    return;
  case FORMAT_CSV:
    printf("\nstep,memory,table,source,asked,resident,constant,node,unit,near_unit\n");
    return;
  default:
    printf("\n| step | memory | table | source | asked for | resident | constant | a node | a unit "
           "| a unit of the node |\n|---|---|---|---|---|---|---|---|---|---|\n");
  }
}

/* What a step keeps of a table, and what it needs beyond that meanwhile. */
typedef double bytes_of_t(const measured_t *m, size_t step, const place_t *like);

static double kept(const measured_t *m, size_t step, const place_t *like)
{
  return grown(m, step, like).asked;
}

static double in_passing(const measured_t *m, size_t step, const place_t *like)
{
  const place_t *place = find_place(m, step, like);

  return place == NULL ? 0 : (double)(place->most - place->asked);
}

/* Whether the table is larger in a job of more units on nodes as large. */
static bool grows(const double value[SHAPES])
{
  return value[WHOLE] - value[HALF_UNITS] >= LEAST_SHOWN;
}

/* A number that is not to be printed as -0.00. */
static double clean(double value)
{
  return value > -0.0005 && value < 0.0005 ? 0 : value;
}

static void show_table(const options_t *o, size_t step, const place_t *place,
                       const site_name_t *name, measured_t *const m[SHAPES], bytes_of_t *bytes_of)
{
  double   asked[SHAPES], resident = 0;
  growth_t g;

  for (int i = 0; i < SHAPES; i++)
    asked[i] = bytes_of(m[i], step, place);
  if (!grows(asked))
    return;
  g = growth_of(asked, o);
  if (bytes_of == kept)
    resident = grown(m[WHOLE], step, place).resident;
  printf(table_formats[o->format], steps[step].name, place->is_pool ? "pool" : "private",
         name->table, name->file, asked[WHOLE], resident, clean(g.constant), clean(g.node),
         clean(g.unit), clean(g.near));
}

static int by_size(const void *a, const void *b)
{
  const place_t *left = a, *right = b;

  return (left->asked < right->asked) - (left->asked > right->asked);
}

static const char *const time_formats[][2] = {
  { "\n%8s %7s  %s  %s\n", "%8" PRIu64 " %7d  %13.2f  %14.2f\n" },
  { "\n%s,%s,%s,%s\n", "%" PRIu64 ",%d,%.3f,%.3f\n" },
  { "\n| %s | %s | %s | %s |\n|---|---|---|---|\n", "| %" PRIu64 " | %d | %.2f | %.2f |\n" },
};

static void show_times(const options_t *o, measured_t *const m[], const shape_t shapes[],
                       size_t count)
{
  printf(time_formats[o->format][0], "units", "nodes", "ns to resolve", "ms of a create");
  for (size_t i = 0; i < count; i++)
    if (m[i]->resolve_ns > 0)
      printf(time_formats[o->format][1], (uint64_t)shapes[i].nunits, scale_nodes(shapes[i]),
             m[i]->resolve_ns, m[i]->create_ms);
}

/* Every table that grows with the units of the job, and how. */
static void show_growth(const options_t *o, measured_t *const m[SHAPES], bytes_of_t *bytes_of)
{
  static site_name_t names[SITES_MOST];

  show_tables_head(o);
  for (size_t step = 0; step < STEPS; step++) {
    place_t places[SITES_MOST];
    size_t  count = 0;

    memcpy(places, m[WHOLE]->after[step], sizeof places);
    while (count < SITES_MOST && places[count].site != 0)
      count++;
    qsort(places, count, sizeof *places, by_size);
    names_find(places, count, names);
    for (size_t i = 0; i < count; i++)
      show_table(o, step, &places[i], &names[i], m, bytes_of);
  }
}

/* ---- the command line --------------------------------------------------------------------------- */

static error_t parse_name(struct argp_state *state, const char *option, const char *text,
                          const char *const names[3], const char *wanted, int *index_out)
{
  for (int i = 0; i < 3; i++)
    if (strcmp(text, names[i]) == 0) {
      *index_out = i;
      return 0;
    }
  return bench_bad_value(state, option, text, wanted);
}

static error_t parse(int key, char *text, struct argp_state *state)
{
  static const char *const formats[]    = { "text", "csv", "markdown" };
  static const char *const placements[] = { "block", "cyclic", "random" };
  options_t               *o            = state->input;
  int                      index        = 0;
  error_t                  error;

  switch (key) {
  case 'f':
    error     = parse_name(state, "--format", text, formats, "text, csv or markdown", &index);
    o->format = (format_t)index;
    return error;
  case 'p':
    error = parse_name(state, "--placement", text, placements, "block, cyclic or random", &index);
    o->placement = (placement_t)index;
    return error;
  case 'l': return bench_number(state, "--least", text, 4, 10000000, &o->least);
  case 'm': return bench_number(state, "--most", text, 4, 10000000, &o->most);
  case 'n': return bench_number(state, "--per-node", text, 2, 4096, &o->per_node);
  case 's': return bench_number(state, "--segments", text, 0, 30000, &o->segments);
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option known[] = {
  { "format", 'f', "NAME", 0, "Print text, csv or markdown (text)", 0 },
  { "least", 'l', "N", 0, "Units of the smallest job (100)", 0 },
  { "most", 'm', "N", 0, "Units of the largest job, for which growth is shown (1000000)", 0 },
  { "per-node", 'n', "N", 0, "Units on a node (128)", 0 },
  { "placement", 'p', "NAME", 0, "Units lie on nodes by block, cyclic or random (block)", 0 },
  { "segments", 's', "N", 0, "Allocate N segments (1000)", 0 },
  { 0 }
};

static const struct argp arguments = {
  .options = known,
  .parser  = parse,
  .doc     = "Show what one unit of a large job keeps, in bytes. This process plays unit 0 of "
             "jobs of 100, 1000, ... units over a network of which only its own side exists; no "
             "launcher is needed."
             "\v"
             "The first table has what each step has added to the memory of the process: bytes that "
             "were asked for, bytes on pages that exist, the most that was allocated meanwhile, and "
             "bytes in the pool. The second names each table that grows with the job, with the "
             "bytes that were asked for as a sum: a constant, and so many bytes for each node, for "
             "each unit, and for each unit of its node. The third names in the same way what a step "
             "needs meanwhile, and does not keep. The "
             "fourth has how long it takes to resolve a pointer to a far unit, of all in any order.\n\n"
             "Examples:\n"
             "  scale --most=100000\n"
             "  scale --least=1000000 --placement=random --format=markdown",
};

static shape_t shape_of(const options_t *o, uint64_t nunits, uint64_t per_node)
{
  return (shape_t){ (int32_t)nunits, (int32_t)per_node, o->placement };
}

int main(int argc, char **argv)
{
  options_t options = { .least = 100, .most = 1000000, .per_node = 128, .segments = 1000 },
            *o      = &options;
  measured_t *m[SHAPES], *timed[TOTALS_MOST];
  shape_t     shapes[TOTALS_MOST];
  size_t      count = 0;
  int         code;

  if (!bench_parse(&alone, &arguments, argc, argv, o, &code))
    return code;
  nsegments = o->segments;
  show_totals_head(o);
  for (uint64_t n = o->least; n < o->most; n *= 10, count++) {
    shapes[count] = shape_of(o, n, o->per_node);
    timed[count]  = measure(shapes[count]);
    show_totals(o, shapes[count], timed[count]);
  }
  for (int i = 0; i < SHAPES; i++)
    m[i] = measure(shape_of(o, i < HALF_UNITS ? o->most : o->most / 2,
                            i % 2 == 0 ? o->per_node : o->per_node / 2));
  show_totals(o, shape_of(o, o->most, o->per_node), m[WHOLE]);
  show_growth(o, m, kept);
  show_growth(o, m, in_passing);
  shapes[count] = shape_of(o, o->most, o->per_node);
  timed[count]  = m[WHOLE];
  show_times(o, timed, shapes, count + 1);
  return BENCH_VERIFIED;
}
