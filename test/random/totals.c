/* See totals.h. */
#include "totals.h"

#include <stdio.h>
#include <string.h>

static void add_path(totals_t *totals, const char *name, uint64_t count)
{
  int i = 0;

  while (i < totals->npaths && strcmp(totals->path[i].name, name) != 0)
    i++;
  if (i == PATHS_MAX)
    return;
  if (i == totals->npaths)
    snprintf(totals->path[totals->npaths++].name, sizeof totals->path[0].name, "%s", name);
  totals->path[i].count += count;
}

static void add_line(totals_t *totals, const char *line)
{
  unsigned long long a, b, c;
  double             longest;
  char               name[80];

  if (sscanf(line, "random: %llu schedules, %llu operations", &a, &b) == 2) {
    totals->schedules += a;
    totals->operations += b;
  } else if (sscanf(line,
                    "random: %llu units lost; unit 0: %llu operations at risk, %llu not; the "
                    "longest took %lf",
                    &a, &b, &c, &longest) == 4) {
    totals->lost += a;
    totals->at_risk += b;
    totals->firm += c;
    totals->nlate += longest > LATE_SECONDS;
    totals->longest = longest > totals->longest ? longest : totals->longest;
  } else if (sscanf(line, "path %llu %79[^\n]", &a, name) == 2)
    add_path(totals, name, a);
}

void totals_add(totals_t *totals, const char *output)
{
  totals->jobs++;
  for (const char *line = output; line != NULL && *line != '\0';) {
    const char *end = strchr(line, '\n');

    add_line(totals, line);
    line = end != NULL ? end + 1 : NULL;
  }
}

void totals_print(const totals_t *totals, bool with_paths)
{
  printf("random: %llu jobs, %llu schedules, %llu operations, %llu failures\n",
         (unsigned long long)totals->jobs, (unsigned long long)totals->schedules,
         (unsigned long long)totals->operations, (unsigned long long)totals->failures);
  if (totals->lost > 0)
    printf("random: %llu units lost; of units 0: %llu operations at risk, %llu not; the longest of "
           "all took %.3f s, more than %d in %llu jobs\n",
           (unsigned long long)totals->lost, (unsigned long long)totals->at_risk,
           (unsigned long long)totals->firm, totals->longest, LATE_SECONDS,
           (unsigned long long)totals->nlate);
  for (int i = 0; i < totals->npaths && with_paths; i++)
    if (totals->path[i].count == 0)
      printf("never taken: %s\n", totals->path[i].name);
    else
      printf("%12llu %s\n", (unsigned long long)totals->path[i].count, totals->path[i].name);
}
