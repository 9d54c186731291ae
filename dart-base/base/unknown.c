/* See unknown.h. */
#include "base/unknown.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/log.h"
#include "base/size.h"

#define PREFIX  "DART_"
#define LONGEST 32 /* bytes of a name that is compared */

#define NAME_SIZE(field, name, value, least, most, meaning) name,
#define NAME_INT(field, name, value, least, most, meaning)  name,
#define NAME_CHOICE(field, name, value, choices, meaning)   name,
#define NAME_OUTPUT(field, name, choices, meaning)          name,
#define NAME_TEXT(field, name, value, meaning)              name,

static const char *const known[] = { DART__CONFIG_TABLE(NAME_SIZE, NAME_INT, NAME_CHOICE,
                                                        NAME_OUTPUT, NAME_TEXT)
                                     /* those of launchers, of layers, and of scripts */
                                     "DART_LOG_LEVEL",
                                     "DART_BIND",
                                     "DART_MPIEXEC",
                                     "DART_CHECK",
                                     "DART_CHECK_PATIENCE",
                                     "DART_REPORT",
                                     "DART_TRACE",
                                     "DART_TRACE_BUFFER",
                                     "DART_BUILD_DIR" };

enum { KNOWN = sizeof known / sizeof known[0] };

/* Set by launchers, and by tests; and what CMake reads. */
static const char *const internal[] = { "DART_TEST_", "DART_SHMEM_", "DART_MPI_LAUNCHER",
                                        "DART_NODES", "DART_INJECT", "DART_ROOT",
                                        "DART_DIR" };

static bool is_internal(const char *name)
{
  for (size_t i = 0; i < sizeof internal / sizeof internal[0]; i++)
    if (strncmp(name, internal[i], strlen(internal[i])) == 0)
      return true;
  return false;
}

static bool is_known(const char *name, size_t length)
{
  for (int i = 0; i < KNOWN; i++)
    if (strlen(known[i]) == length && strncmp(known[i], name, length) == 0)
      return true;
  return false;
}

/* How many letters have to be inserted, deleted or replaced to make one of the other (Levenshtein 1966). */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
  size_t row[LONGEST + 1], above_left, above;

  for (size_t j = 0; j <= nb; j++)
    row[j] = j;
  for (size_t i = 1; i <= na; i++) {
    above_left = row[0];
    row[0]     = i;
    for (size_t j = 1; j <= nb; j++) {
      above  = row[j];
      row[j] = dart__least(dart__least(row[j - 1], above) + 1, above_left + (a[i - 1] != b[j - 1]));
      above_left = above;
    }
  }
  return row[nb];
}

static const char *nearest(const char *name, size_t length)
{
  size_t least = SIZE_MAX;
  int    found = 0;

  for (int i = 0; i < KNOWN; i++) {
    size_t d = distance(name, length, known[i], strlen(known[i]));

    if (d < least) {
      least = d;
      found = i;
    }
  }
  return known[found];
}

void dart__unknown_look(const char *function)
{
  extern char **environ;

  for (char **at = environ; at != NULL && *at != NULL; at++) {
    size_t length = strcspn(*at, "=");

    if (strncmp(*at, PREFIX, strlen(PREFIX)) != 0 || is_internal(*at) || is_known(*at, length))
      continue;
    dart__warn("%s: %.*s is no setting of DART; the nearest is %s", function, (int)length, *at,
               nearest(*at, dart__least(length, LONGEST)));
  }
}
