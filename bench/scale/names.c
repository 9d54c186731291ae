/* The names of places in the source: of the table whose memory is allocated there, or of the function. */
#include "names.h"

#include <stdio.h>
#include <string.h>

extern const char __executable_start; /* set by the linker */

/* "  team->members    = calloc(count, ..." → "team->members". False: the line assigns nothing. */
static bool assigned_in(const char *line, char *name, size_t size)
{
  const char *end = strstr(line, " = "), *from;

  if (end == NULL)
    return false;
  while (end > line && end[-1] == ' ')
    end--;
  for (from = end; from > line && strchr(" *({", from[-1]) == NULL;)
    from--;
  snprintf(name, size, "%.*s", (int)(end - from), from);
  return from < end;
}

/* Line `number` of a file. */
static bool read_line(const char *path, int number, char *line, int size)
{
  FILE *file = fopen(path, "r");
  bool  is_there;

  if (file == NULL)
    return false;
  do
    is_there = fgets(line, size, file) != NULL;
  while (is_there && --number > 0);
  fclose(file);
  return is_there;
}

/* Of the two lines that addr2line writes for an address: the function, and file:line. */
static void name_from(const char *function, char *at, site_name_t *name_out)
{
  char *colon = strrchr(at, ':'), line[256], table[48];
  int   number;
  char *file = strrchr(at, '/');

  snprintf(name_out->table, sizeof name_out->table, "%.47s()", function);
  if (colon == NULL || sscanf(colon, ":%d", &number) != 1)
    return;
  *colon = '\0';
  if (read_line(at, number, line, sizeof line) && assigned_in(line, table, sizeof table))
    snprintf(name_out->table, sizeof name_out->table, "%s", table);
  snprintf(name_out->file, sizeof name_out->file, "%.40s:%d", file == NULL ? at : file + 1, number);
}

void names_find(const place_t *places, size_t count, site_name_t *names_out)
{
  char  command[64 + SITES_MOST * 20], function[128], at[512];
  int   used = snprintf(command, sizeof command, "addr2line -f -e /proc/%d/exe", (int)getpid());
  FILE *output;

  for (size_t i = 0; i < count; i++) /* one before the return: still in the line of the call */
    used += snprintf(command + used, sizeof command - (size_t)used, " 0x%lx",
                     (unsigned long)(places[i].site - 1 - (uintptr_t)&__executable_start));
  output = popen(command, "r");
  for (size_t i = 0; i < count; i++) {
    snprintf(names_out[i].table, sizeof names_out[i].table, "%#lx", (unsigned long)places[i].site);
    names_out[i].file[0] = '\0';
    if (output != NULL && fscanf(output, "%127s %511[^\n]", function, at) == 2)
      name_from(function, at, &names_out[i]);
  }
  if (output != NULL)
    pclose(output);
}
