/* dart-info: describes the DART that is installed: its version and backend, every environment variable that
 * it reads, and with --topology the machine: nodes, NUMA domains, cores, the units on them, and which units
 * are near to each other. As text, or with --json for other programs.
 *
 *   dart-info-shmem
 *   dartrun -n 4 dart-info-shmem --topology
 *   dartrun -n 4 dart-info-shmem --doctor        what the machine lacks: see doctor.h
 *
 * The settings come from the library's own table. Which units are near is taken from an allocation, not from
 * the tree: so the two can be compared. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_name.h>
#include <dash/dart/ext/dart_profile.h>
#include <dash/dart/if/dart.h>
#include <dash/dart/if/dart_locality.h>

#include "base/config.h"
#include "doctor.h"
#include "layer_settings.h"
#include "model/team.h"
#include "net.h"

/* For a call that cannot fail here. If it does, all units end, as others may already wait for this one. */
#define MUST(call)                                      \
  do {                                                  \
    if ((call) != DART_OK) {                            \
      fprintf(stderr, "dart-info: %s failed\n", #call); \
      dart_abort(EXIT_FAILURE);                         \
    }                                                   \
  } while (0)

enum { BAD_INPUT = 2, MATRIX_MAX = 64, SHOWN_MAX = 256 };

typedef struct {
  bool json;
  bool topology;
  bool doctor;
  bool help;
  bool version;
} options_t;

static int    me;
static size_t nunits;

/* ---- variables --------------------------------------------------------------------------- */

typedef struct {
  const char *name;
  char        value[SHOWN_MAX];
  char        standard[SHOWN_MAX]; /* the default value */
  const char *meaning;
  bool        number; /* a number, not words */
} variable_t;

enum { VARIABLES_MAX = 64 };

static variable_t variables[VARIABLES_MAX];
static int        nvariables;

static variable_t *add_variable(const char *name, const char *meaning, bool number)
{
  variable_t *variable = &variables[nvariables];

  if (nvariables == VARIABLES_MAX) {
    fprintf(stderr, "dart-info: the table has no room for %s\n", name);
    dart_abort(EXIT_FAILURE);
  }
  nvariables++;
  *variable = (variable_t){ .name = name, .meaning = meaning, .number = number };
  return variable;
}

static void add_number(const char *name, long long value, long long standard, const char *meaning)
{
  variable_t *variable = add_variable(name, meaning, true);

  snprintf(variable->value, sizeof variable->value, "%lld", value);
  snprintf(variable->standard, sizeof variable->standard, "%lld", standard);
}

/* The `index`-th word of "a|b|c". */
static void copy_choice(char *word, size_t size, const char *choices, int index)
{
  for (; index > 0; index--)
    choices = strchr(choices, '|') + 1;
  snprintf(word, size, "%.*s", (int)strcspn(choices, "|"), choices);
}

static void __attribute__((unused))
add_choice(const char *name, int value, int standard, const char *choices, const char *meaning)
{
  variable_t *variable = add_variable(name, meaning, false);

  copy_choice(variable->value, sizeof variable->value, choices, value);
  copy_choice(variable->standard, sizeof variable->standard, choices, standard);
}

/* Variables that are not in the table of settings: launchers read them, or DART reads them before the settings. */
static void add_text(const char *name, const char *standard, const char *meaning)
{
  variable_t *variable = add_variable(name, meaning, false);
  const char *text     = getenv(name);

  snprintf(variable->value, sizeof variable->value, "%s", text != NULL ? text : standard);
  snprintf(variable->standard, sizeof variable->standard, "%s", standard);
}

static void find_variables(void)
{
#define ADD_SIZE(field, name, value, least, most, meaning) \
  add_number(name, (long long)dart__settings.field, (long long)(value), meaning);
#define ADD_INT(field, name, value, least, most, meaning) \
  add_number(name, dart__settings.field, value, meaning);
#define ADD_CHOICE(field, name, value, choices, meaning) \
  add_choice(name, dart__settings.field, value, choices, meaning);
#define ADD_OUTPUT(field, name, choices, meaning) add_text(name, "none", meaning);
#define ADD_TEXT(field, name, value, meaning)     add_text(name, value, meaning);
  DART__CONFIG_TABLE(ADD_SIZE, ADD_INT, ADD_CHOICE, ADD_OUTPUT, ADD_TEXT)

  add_text("DART_LOG_LEVEL", "TRACE", "print lines up to ERROR, WARN, INFO, DEBUG or TRACE");
  add_text("DART_BIND", "auto",
           "dartrun binds units to: auto, none, cpu, core, numa or package, as by --bind");
  add_text("DART_MPIEXEC", DART_MPIEXEC, "the mpiexec that dart-mpi's dartrun starts");
  add_text("DART_CHECK", "0",
           "the debug mode: 1, or some of memory,completion,collectives,locks,races");
  add_text("DART_CHECK_PATIENCE", "30", "seconds until the debug mode names a unit that is late");
  add_text("DART_REPORT", "", "a folder for a report");
  add_text("DART_TRACE", "", "a folder for a trace");
  add_text("DART_TRACE_BUFFER", "64", "MiB for the events of a thread");
  add_text("DASH_MAX_SHMEM_MBPS", "1235", "the memory bandwidth that descriptors report, MB/s");
}

/* ---- the job ----------------------------------------------------------------------------- */

/* Unit 0 gets the units that are near to `unit`: those with an address in the chunk of the segment on `unit`. */
static void near_of(int unit, unsigned char *near)
{
  const dart__team_t *all = dart__team_find(DART_TEAM_ALL);

  for (size_t u = 0; u < nunits; u++)
    near[u] = dart__team_near(all, all->chunks->near, (int32_t)u) != NULL;
  MUST(dart_bcast(near, nunits, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(unit), DART_TEAM_ALL));
}

static const dart_hwinfo_t *hardware_of(int unit)
{
  dart_unit_locality_t *located;

  MUST(dart_unit_locality(DART_TEAM_ALL, DART_TEAM_UNIT_ID(unit), &located));
  return &located->hwinfo;
}

static const char *scope_name(dart_locality_scope_t scope)
{
  switch (scope) {
  case DART_LOCALITY_SCOPE_GLOBAL: return "global";
  case DART_LOCALITY_SCOPE_NODE: return "node";
  case DART_LOCALITY_SCOPE_MODULE: return "module";
  case DART_LOCALITY_SCOPE_NUMA: return "numa";
  case DART_LOCALITY_SCOPE_PACKAGE: return "package";
  case DART_LOCALITY_SCOPE_CACHE: return "cache";
  case DART_LOCALITY_SCOPE_CORE: return "core";
  default: return "other";
  }
}

/* ---- text -------------------------------------------------------------------------------- */

/* Print 65536 as 64K. */
static void print_size(const char *number, char *text, size_t size)
{
  static const char units[] = "KMGT";
  long long         value   = strtoll(number, NULL, 10);
  int               unit    = -1;

  while (value > 0 && value % 1024 == 0 && unit < 3) {
    value /= 1024;
    unit++;
  }
  snprintf(text, size, unit >= 0 ? "%lld%c" : "%lld", value, unit >= 0 ? units[unit] : '\0');
}

/* The text for a column of the table. */
static const char *shown(const variable_t *variable, const char *value, char *text, size_t size)
{
  if (variable->number)
    print_size(value, text, size);
  else
    snprintf(text, size, "%s", value[0] != '\0' ? value : "-");
  return text;
}

static void print_variables(void)
{
  char value[SHOWN_MAX], standard[SHOWN_MAX];
  int  widest = 0;

  for (int i = 0; i < nvariables; i++) {
    int length = (int)strlen(shown(&variables[i], variables[i].value, value, sizeof value));

    widest = length > widest ? length : widest;
    length = (int)strlen(shown(&variables[i], variables[i].standard, standard, sizeof standard));
    widest = length > widest ? length : widest;
  }
  printf("\n%-20s  %-*s  %-*s  %s\n", "variable", widest, "value", widest, "default", "meaning");
  for (int i = 0; i < nvariables; i++)
    printf("%-20s %c%-*s  %-*s  %s\n", variables[i].name,
           getenv(variables[i].name) != NULL ? '*' : ' ', widest,
           shown(&variables[i], variables[i].value, value, sizeof value), widest,
           shown(&variables[i], variables[i].standard, standard, sizeof standard),
           variables[i].meaning);
  printf("* is set in the environment\n");
}

static void print_count(int count, const char *what)
{
  if (count > 0)
    printf(", %d %s%s", count, what, count == 1 ? "" : "s");
}

static void print_node(const dart_domain_locality_t *node)
{
  const dart_hwinfo_t *info   = hardware_of(node->unit_ids[0].id);
  const char          *before = "; caches of";

  printf("node %d: %s", node->global_index, node->host);
  print_count(node->num_cores, "core");
  print_count(info->num_sockets, "package");
  print_count(info->num_numa, "NUMA domain");
  if (info->system_memory_bytes > 0)
    printf(", %d MiB", info->system_memory_bytes);
  for (int level = 0; level < DART_LOCALITY_MAX_CACHE_LEVELS; level++)
    if (info->cache_sizes[level] > 0) {
      printf("%s %d KiB", before, info->cache_sizes[level] / 1024);
      before = ",";
    }
  printf("\n");
}

static void print_domain(const dart_domain_locality_t *domain, int depth)
{
  int below = depth + 1;

  switch (domain->scope) {
  case DART_LOCALITY_SCOPE_GLOBAL: /* printed with other lines */
  case DART_LOCALITY_SCOPE_MODULE: below = depth; break;
  case DART_LOCALITY_SCOPE_NODE: print_node(domain); break;
  case DART_LOCALITY_SCOPE_NUMA:
    printf("%*sNUMA domain %d", 2 * depth, "", domain->global_index);
    if (hardware_of(domain->unit_ids[0].id)->numa_memory_bytes > 0)
      printf(", %d MiB", hardware_of(domain->unit_ids[0].id)->numa_memory_bytes);
    printf("\n");
    break;
  case DART_LOCALITY_SCOPE_CORE:
    if (domain->global_index < 0) /* unknown */
      printf("%*score ?: ", 2 * depth, "");
    else
      printf("%*score %d: ", 2 * depth, "", domain->global_index);
    printf(domain->num_units == 1 ? "unit" : "units");
    for (int u = 0; u < domain->num_units; u++)
      printf(" %d", domain->unit_ids[u].id);
    printf("\n");
    break;
  default: printf("%*s%s %d\n", 2 * depth, "", scope_name(domain->scope), domain->global_index);
  }
  for (int i = 0; i < domain->num_domains; i++)
    print_domain(domain->children[i], below);
}

/* A row of the matrix if there are few units; else ranges of units. */
static void print_near(int unit, const unsigned char *near)
{
  if (nunits <= MATRIX_MAX) {
    printf("%4d ", unit);
    for (size_t u = 0; u < nunits; u++)
      printf("%3s", near[u] ? "+" : ".");
    printf("\n");
    return;
  }
  printf("%6d: near", unit);
  for (size_t u = 0, last; u < nunits; u = last + 1) {
    last = u;
    if (!near[u])
      continue;
    while (last + 1 < nunits && near[last + 1])
      last++;
    printf(last > u ? " %zu-%zu" : " %zu", u, last);
  }
  printf("\n");
}

/* How many cores each unit has for itself: one if units are bound to cores. */
static void print_shares(void)
{
  int least = hardware_of(0)->num_cores, most = least;

  for (size_t u = 1; u < nunits; u++) {
    int ncores = hardware_of((int)u)->num_cores;

    least = ncores < least ? ncores : least;
    most  = ncores > most ? ncores : most;
  }
  printf("; a unit's share is %d", least);
  if (most > least)
    printf(" to %d", most);
  printf(" core%s\n", most == 1 ? "" : "s");
}

static void print_topology(const dart_domain_locality_t *root, unsigned char *near)
{
  if (me == 0) {
    printf("\n%zu unit%s on %d node%s", nunits, nunits == 1 ? "" : "s", root->num_nodes,
           root->num_nodes == 1 ? "" : "s");
    print_shares();
    print_domain(root, 0);
    printf("\nnear (+) is what a unit can load and store, far (.) is what has to be sent:\n");
    if (nunits <= MATRIX_MAX) {
      printf("%4s ", "");
      for (size_t u = 0; u < nunits; u++)
        printf("%3zu", u);
      printf("\n");
    }
  }
  for (size_t u = 0; u < nunits; u++) {
    near_of((int)u, near);
    if (me == 0)
      print_near((int)u, near);
  }
}

static void print_text(const dart_domain_locality_t *root, unsigned char *near)
{
  if (me == 0) {
    printf("DART %s\n", DART_VERSION_STR);
    printf("backend    dart-%s, of these: %s\n", DART_BACKEND_NAME, DART_BACKEND_NAMES);
    printf("transport  %s\n", dart__net.describe());
    print_variables();
  }
  if (root != NULL)
    print_topology(root, near);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void json_string(const char *text)
{
  putchar('"');
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\')
      putchar('\\');
    if ((unsigned char)*text < ' ')
      printf("\\u%04x", (unsigned)*text);
    else
      putchar(*text);
  }
  putchar('"');
}

static void json_field(const char *name, const char *text, const char *end)
{
  printf("\"%s\": ", name);
  json_string(text);
  printf("%s", end);
}

/* Print "a b" as ["a", "b"]. */
static void json_words(const char *name, const char *words, const char *end)
{
  const char *before = "[";

  printf("\"%s\": ", name);
  while (*words != '\0') {
    int length = (int)strcspn(words, " ");

    printf("%s\"%.*s\"", before, length, words);
    before = ", ";
    words += length + strspn(words + length, " ");
  }
  printf("]%s", end);
}

static void json_value(const char *name, const variable_t *variable, const char *value)
{
  printf("\"%s\": ", name);
  if (value[0] == '\0')
    printf("null");
  else if (variable->number)
    printf("%s", value);
  else
    json_string(value);
  printf(", ");
}

static void json_variables(void)
{
  printf("  \"variables\": [\n");
  for (int i = 0; i < nvariables; i++) {
    const variable_t *variable = &variables[i];

    printf("    { ");
    json_field("name", variable->name, ", ");
    json_value("value", variable, variable->value);
    json_value("default", variable, variable->standard);
    printf("\"set\": %s, ", getenv(variable->name) != NULL ? "true" : "false");
    json_field("meaning", variable->meaning, i + 1 < nvariables ? " },\n" : " }\n");
  }
  printf("  ]");
}

static void json_domain(const dart_domain_locality_t *domain, int depth)
{
  printf("%*s{ ", 2 * depth, "");
  json_field("scope", scope_name(domain->scope), ", ");
  json_field("tag", domain->domain_tag, ", ");
  json_field("host", domain->host, ", ");
  printf("\"index\": %d, \"cores\": %d, \"units\": [", domain->global_index, domain->num_cores);
  for (int u = 0; u < domain->num_units; u++)
    printf("%s%d", u > 0 ? ", " : "", domain->unit_ids[u].id);
  printf("], \"children\": [%s", domain->num_domains > 0 ? "\n" : "");
  for (int i = 0; i < domain->num_domains; i++) {
    json_domain(domain->children[i], depth + 1);
    printf(i + 1 < domain->num_domains ? ",\n" : "\n%*s", 2 * depth, "");
  }
  printf("] }");
}

static void json_topology(const dart_domain_locality_t *root, unsigned char *near)
{
  if (me == 0) {
    printf(",\n  \"nodes\": %d,\n  \"topology\":\n", root->num_nodes);
    json_domain(root, 2);
    printf(",\n  \"near\": [\n");
  }
  for (size_t u = 0; u < nunits; u++) {
    const char *before = "    [";

    near_of((int)u, near);
    for (size_t other = 0; me == 0 && other < nunits; other++)
      if (near[other]) {
        printf("%s%zu", before, other);
        before = ", ";
      }
    if (me == 0)
      printf(u + 1 < nunits ? "],\n" : "]\n  ]");
  }
}

static void print_json(const dart_domain_locality_t *root, unsigned char *near)
{
  if (me == 0) {
    printf("{\n  ");
    json_field("version", DART_VERSION_STR, ",\n  ");
    json_field("backend", "dart-" DART_BACKEND_NAME, ",\n  ");
    json_words("backends", DART_BACKEND_NAMES, ",\n  ");
    json_field("transport", dart__net.describe(), ",\n");
    printf("  \"units\": %zu,\n", nunits);
    json_variables();
  }
  if (root != NULL)
    json_topology(root, near);
  if (me == 0)
    printf("\n}\n");
}

/* ---- main -------------------------------------------------------------------------------- */

/* All units parse the same arguments; only unit 0 prints errors. */
static bool read_options(int argc, char **argv, options_t *options)
{
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--json") == 0)
      options->json = true;
    else if (strcmp(argv[i], "--topology") == 0)
      options->topology = true;
    else if (strcmp(argv[i], "--doctor") == 0)
      options->doctor = true;
    else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
      options->help = true;
    else if (strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "-V") == 0)
      options->version = true;
    else {
      if (me == 0)
        fprintf(stderr,
                "dart-info: unknown argument '%s'; there are --json, --topology, --doctor, "
                "--version, --help\n",
                argv[i]);
      return false;
    }
  }
  return true;
}

static void print_help(void)
{
  printf(
      "Usage: dart-info [--json] [--topology] | --doctor\n"
      "Print DART's version and backend, and the environment variables it reads.\n"
      "  --topology  print the machine, too, the units on it, and which are near to each other:\n"
      "              dartrun -n 4 dart-info --topology\n"
      "  --json      print JSON, for other programs\n"
      "  --doctor    look at the machine for what makes jobs fail or slow, and say what helps;\n"
      "              with the launcher and the number of units of the job\n"
      "  --version   print the version and the backend\n");
}

/* dart-info runs without layers, and so without what they refuse. */
static bool refuses_check(void)
{
  const char *value = getenv("DART_CHECK");
  unsigned    kinds;

  if (value == NULL || dart__check_read_kinds(value, &kinds))
    return false;
  fprintf(stderr, "dart-info: DART_CHECK=%s: it is " DART__CHECK_MAY_BE "\n", value);
  return true;
}

int main(int argc, char **argv)
{
  options_t               options = { 0 };
  dart_domain_locality_t *root    = NULL;
  unsigned char          *near    = NULL;
  dart_gptr_t             segment;
  dart_global_unit_t      unit;
  bool                    good;

  if (refuses_check())
    return EXIT_FAILURE;
  dart_layers |=
      DART_LAYER_CHECK | DART_LAYER_TRACE; /* it works where others are checked, or traced */
  if (dart_init(&argc, &argv) != DART_OK)
    return EXIT_FAILURE; /* the library has printed the reason */
  MUST(dart_myid(&unit));
  MUST(dart_size(&nunits));
  me   = unit.id;
  good = read_options(argc, argv, &options);
  if (!good || options.help || options.version) {
    if (good && me == 0 && options.help)
      print_help();
    else if (good && me == 0)
      printf("dart-info (dart-" DART_BACKEND_NAME ") %s\n", dart_version());
    MUST(dart_exit());
    return good ? EXIT_SUCCESS : BAD_INPUT;
  }

  if (options.doctor) {
    doctor();
    MUST(dart_exit());
    return EXIT_SUCCESS;
  }
  find_variables();
  if (options.topology) {
    MUST(dart_domain_team_locality(DART_TEAM_ALL, ".", &root));
    MUST(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_BYTE, &segment));
    near = malloc(nunits);
    MUST(near != NULL ? DART_OK : DART_ERR_NOMEM);
  }
  if (options.json)
    print_json(root, near);
  else
    print_text(root, near);
  if (options.topology) {
    MUST(dart_team_memfree(segment));
    free(near);
  }
  MUST(dart_exit());
  return EXIT_SUCCESS;
}
