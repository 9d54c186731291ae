/* Printing statistics: a table of values, one row for each unit, in three forms.
 *
 * What unit 0's environment says holds for all, so units whose environments differ do not wait for each other. Unit 0
 * gathers the rows and writes one file; if the file's name has %u each unit writes its own row to its own
 * file, which needs no memory for all of them. A process may have several cycles of init and exit: each adds to the
 * file of the one before. */
#include "job/job.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dash/dart/ext/dart_profile.h>
#include <dash/dart/ext/dart_stats.h>

#include "base/config.h"
#include "base/counters.h"
#include "base/hash.h"
#include "base/log.h"
#include "coll/coll.h"
#include "model/lost.h"
#include "model/world.h"
#include "net.h"

typedef struct {
  FILE       *to;
  bool        adds;  /* to a file that has the tables of cycles before */
  dart_unit_t first; /* unit of the first row */
  int32_t     nunits;
  uint64_t   *values; /* a row after the other */
  size_t      size;   /* of a row */
} table_t;

void dart__report_open(void)
{
  dart__counts_near = dart__settings.stats.near;
  dart__stats_begin();
}

static uint64_t value(const table_t *t, int32_t row, size_t index)
{
  return t->values[(size_t)row * t->size + index];
}

static dart_stats_info_t info_of(size_t index)
{
  dart_stats_info_t info;

  pdart_stats_describe(index, &info);
  return info;
}

static int32_t nnodes(void)
{
  return dart__teams[DART_TEAM_ALL]->nnodes;
}

/* ---- summary ------------------------------------------------------------------------------- */

static void print_value(FILE *to, dart_stats_kind_t kind, uint64_t number)
{
  if (kind == DART_STATS_TIME)
    fprintf(to, " %14.6f s", (double)number * 1e-9);
  else
    fprintf(to, " %14" PRIu64 "%s", number,
            kind == DART_STATS_EVENTS || kind == DART_STATS_VALUE ? "  " : " B");
}

/* A value, and the unit whose it is. */
static void print_extreme(const table_t *t, dart_stats_kind_t kind, size_t index, int32_t row)
{
  print_value(t->to, kind, value(t, row, index));
  fprintf(t->to, " %6d", (int)(t->first + row));
}

static void print_line(const table_t *t, size_t index)
{
  dart_stats_info_t info  = info_of(index);
  int32_t           least = 0, most = 0;
  uint64_t          sum = 0;

  for (int32_t row = 0; row < t->nunits; row++) {
    sum += value(t, row, index);
    if (value(t, row, index) < value(t, least, index))
      least = row;
    if (value(t, row, index) > value(t, most, index))
      most = row;
  }
  if (value(t, most, index) == 0)
    return;
  fprintf(t->to, "%-22s", info.name);
  print_value(t->to, info.kind, sum);
  if (t->nunits > 1) {
    print_extreme(t, info.kind, index, least);
    print_extreme(t, info.kind, index, most);
  }
  fprintf(t->to, "  %s\n", info.meaning);
}

static void print_summary(const table_t *t)
{
  fprintf(t->to, "DART statistics: %s, %d units, %d nodes\n", dart__net.describe(),
          (int)dart__world.nunits, (int)nnodes());
  if (t->nunits > 1)
    fprintf(t->to, "%-22s %14s   %14s %8s %14s %8s  meaning\n", "statistic", "sum", "least", "unit",
            "most", "unit");
  else
    fprintf(t->to, "%-22s %12s %d    meaning\n", "statistic", "unit", (int)t->first);
  for (size_t i = 0; i < t->size; i++)
    print_line(t, i);
  if (!dart__settings.stats.near)
    fputs("Operations on near memory are not counted; DART_STATS=near,summary counts them, too.\n",
          t->to);
}

/* ---- csv, json ----------------------------------------------------------------------------- */

static void print_csv(const table_t *t)
{
  if (!t->adds) {
    fputs("unit,node,cycle", t->to);
    for (size_t i = 0; i < t->size; i++)
      fprintf(t->to, ",%s", info_of(i).name);
    fputc('\n', t->to);
  }
  for (int32_t row = 0; row < t->nunits; row++) {
    fprintf(t->to, "%d,%d,%u", (int)(t->first + row), (int)dart__world_node(t->first + row),
            (unsigned)dart__world.cycle);
    for (size_t i = 0; i < t->size; i++)
      fprintf(t->to, ",%" PRIu64, value(t, row, i));
    fputc('\n', t->to);
  }
}

/* A string of JSON. Control characters, of which the texts have none, are left out. */
static void print_string(FILE *to, const char *text)
{
  fputc('"', to);
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\')
      fputc('\\', to);
    if ((unsigned char)*text >= ' ')
      fputc(*text, to);
  }
  fputc('"', to);
}

static void print_member(FILE *to, const char *before, const char *name, const char *text)
{
  fprintf(to, "%s\"%s\": ", before, name);
  print_string(to, text);
}

static void print_json(const table_t *t)
{
  static const char *const kinds[] = { "events", "bytes", "time", "level", "peak", "value" };

  print_member(t->to, "{\n", "transport", dart__net.describe());
  fprintf(t->to, ",\n\"units\": %d,\n\"nodes\": %d,\n\"cycle\": %u,\n\"statistics\": [",
          (int)dart__world.nunits, (int)nnodes(), (unsigned)dart__world.cycle);
  for (size_t i = 0; i < t->size; i++) {
    dart_stats_info_t info = info_of(i);

    print_member(t->to, i == 0 ? "\n  { " : ",\n  { ", "name", info.name);
    print_member(t->to, ", ", "kind", kinds[info.kind]);
    print_member(t->to, ", ", "meaning", info.meaning);
    fputs(" }", t->to);
  }
  fputs("\n],\n\"values\": [", t->to);
  for (int32_t row = 0; row < t->nunits; row++) {
    fprintf(t->to, "%s\n  { \"unit\": %d, \"node\": %d", row == 0 ? "" : ",", (int)(t->first + row),
            (int)dart__world_node(t->first + row));
    for (size_t i = 0; i < t->size; i++)
      fprintf(t->to, ", \"%s\": %" PRIu64, info_of(i).name, value(t, row, i));
    fputs(" }", t->to);
  }
  fputs("\n]\n}\n", t->to);
}

/* ---- where to ------------------------------------------------------------------------------ */

/* The file's name, with each %u replaced by this unit's id. False: it is too long. */
static bool name_file(const char *pattern, char *name, size_t nbytes)
{
  size_t used = 0;

  while (*pattern != '\0') {
    bool is_unit = strncmp(pattern, "%u", 2) == 0;
    int  more    = is_unit ? snprintf(name + used, nbytes - used, "%d", (int)dart__world.me)
                           : snprintf(name + used, nbytes - used, "%c", *pattern);

    used += (size_t)more;
    if (used >= nbytes)
      return false;
    pattern += is_unit ? 2 : 1;
  }
  return true;
}

static bool print(table_t *t, int form)
{
  bool failed;

  if (t->to == NULL)
    return false;
  if (form == DART__STATS_CSV)
    print_csv(t);
  else if (form == DART__STATS_JSON)
    print_json(t);
  else
    print_summary(t);
  failed = ferror(t->to) != 0;
  return fclose(t->to) == 0 && !failed;
}

/* Another stream to stderr, with a buffer of its own, so that lines of other units come between as little as
 * possible. */
static FILE *open_stderr(void)
{
  int   file = dup(STDERR_FILENO);
  FILE *to   = file < 0 ? NULL : fdopen(file, "w");

  if (to == NULL && file >= 0)
    close(file);
  return to;
}

static void write_table(const dart__output_t *output, table_t *t)
{
  static char written[2 * DART__OUTPUT_FILE]; /* the file of the cycle before */
  char        name[2 * DART__OUTPUT_FILE] = "stderr";

  if (output->file[0] != '\0' && !name_file(output->file, name, sizeof name)) {
    dart__warn("the name of the file of DART_STATS, '%s', is too long", output->file);
    return;
  }
  errno = 0;
  if (output->file[0] == '\0') {
    t->to = open_stderr();
  } else {
    t->adds = strcmp(name, written) == 0;
    t->to   = fopen(name, t->adds ? "a" : "w");
    if (t->to != NULL)
      memcpy(written, name, sizeof name);
  }
  if (!print(t, output->form))
    dart__warn("DART_STATS: cannot write %s: %s", name, strerror(errno));
}

/* ---- what ---------------------------------------------------------------------------------- */

/* The values of this unit; NULL: no memory. */
static uint64_t *read_own(size_t size)
{
  uint64_t *own = calloc(size, sizeof *own);

  if (own != NULL)
    pdart_stats_read(own, size);
  return own;
}

static void report_alone(const dart__output_t *output)
{
  table_t table = { .first = dart__world.me, .nunits = 1, .size = pdart_stats_size() };

  table.values = read_own(table.size);
  if (table.values != NULL)
    write_table(output, &table);
  else
    dart__warn("DART_STATS: no memory for the statistics of unit %d", (int)dart__world.me);
  free(table.values);
}

/* The list of this unit as a number: other lists have others, most likely. */
static uint64_t number_of_list(void)
{
  uint64_t number = DART__HASH_OF_NOTHING;

  for (size_t i = 0; i < pdart_stats_size(); i++)
    number = dart__hash_text(number, info_of(i).name);
  return number;
}

/* How many statistics a table of all units has: all, or, where lists of the transport differ between units, DART's
 * own, which come first. Collective. */
static size_t size_of_all(dart__team_t *all)
{
  uint64_t own = number_of_list(), first = own;

  if (dart__coll_bcast(all, &first, sizeof first, 0) != DART_OK)
    first = ~own;
  if (dart__coll_agree(all, first == own ? DART_OK : DART_ERR_OTHER) == DART_OK)
    return pdart_stats_size();
  if (dart__world.me == 0)
    dart__warn(
        "DART_STATS: the transport's statistics are not the same on all units, and left out");
  return pdart_stats_size() - (dart__net.stats == NULL ? 0 : dart__net.stats->size());
}

static void report_all(const dart__output_t *output)
{
  dart__team_t *all   = dart__teams[DART_TEAM_ALL];
  table_t       table = { .nunits = dart__world.nunits, .size = size_of_all(all) };
  uint64_t     *own   = read_own(table.size);
  dart_ret_t    ret   = own != NULL ? DART_OK : DART_ERR_NOMEM;

  if (dart__world.me == 0) {
    table.values = calloc((size_t)dart__world.nunits, table.size * sizeof *own);
    ret          = table.values != NULL ? ret : DART_ERR_NOMEM;
  }
  ret = dart__coll_agree(all, ret);
  if (ret == DART_OK)
    ret = dart__coll_gather(all, own, table.values, table.size * sizeof *own, 0);
  if (dart__world.me == 0 && ret == DART_OK)
    write_table(output, &table);
  else if (dart__world.me == 0)
    dart__warn("dart_exit: DART_STATS: no memory for the statistics of %d units",
               (int)dart__world.nunits);
  free(table.values);
  free(own);
}

static bool has_own_file(const dart__output_t *output)
{
  return strstr(output->file, "%u") != NULL;
}

void dart__report_left(void)
{
  const dart__output_t *output = &dart__settings.stats;

  if (output->form == DART__STATS_NONE || (dart__world.nunits > 1 && !has_own_file(output)))
    return;
  report_alone(output);
}

void dart__report_aborted(void)
{
  if (dart__settings.stats.form != DART__STATS_NONE)
    report_alone(&dart__settings.stats);
}

/* There is no table of all units any more: each survivor has its own. */
static void report_survivor(void)
{
  const dart__output_t *output = &dart__settings.stats;
  dart_unit_t           first  = 0;

  if (output->form == DART__STATS_NONE)
    return;
  while (dart__is_lost(first))
    first++;
  if (output->file[0] == '\0' || has_own_file(output))
    report_alone(output);
  else if (dart__world.me == first)
    dart__warn("DART_STATS: units were lost, so %s is not written; with %%u in its name each unit "
               "writes a file",
               output->file);
}

void dart__report(void)
{
  dart__team_t  *all    = dart__teams[DART_TEAM_ALL];
  dart__output_t output = dart__settings.stats;
  unsigned long  form   = dart__world.me == 0 ? (unsigned long)output.form : DART__STATS_NONE;

  if (dart__lost_count() > 0) {
    report_survivor();
    return;
  }
  dart__coll_most(all, &form, 1);
  output.form = (int)form;
  if (output.form == DART__STATS_NONE ||
      dart__coll_bcast(all, output.file, sizeof output.file, 0) != DART_OK)
    return;
  if (has_own_file(&output))
    report_alone(&output);
  else
    report_all(&output);
}
