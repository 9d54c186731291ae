#ifndef DART__LAUNCH_LAYER_SETTINGS_H
#define DART__LAUNCH_LAYER_SETTINGS_H
/* Settings of the layers (dart-check, trace): what they may be. A layer reads them in each unit; launchers look at them
 * before that, so that one line refuses a wrong one. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- DART_CHECK, DART_CHECK_PATIENCE ------------------------------------------------------------- */

#define DART__CHECK_MAY_BE \
  "0, 1, or some of memory, completion, collectives, locks and races, with commas between them"
#define DART__PATIENCE_MAY_BE "a number of seconds, more than 0"

/* The kinds of checks. */
enum {
  DART__CHECK_MEMORY      = 1,
  DART__CHECK_COMPLETION  = 2,
  DART__CHECK_COLLECTIVES = 4,
  DART__CHECK_RACES       = 8,
  DART__CHECK_LOCKS       = 16,
  DART__CHECK_ALL         = 31
};

static const struct {
  const char *name;
  unsigned    kinds;
} dart__check_words[] = { { "memory", DART__CHECK_MEMORY },
                          { "completion", DART__CHECK_COMPLETION },
                          { "collectives", DART__CHECK_COLLECTIVES },
                          { "locks", DART__CHECK_LOCKS },
                          { "races", DART__CHECK_RACES },
                          { "1", DART__CHECK_ALL } };

enum { DART__CHECK_WORDS = sizeof dart__check_words / sizeof dart__check_words[0] };

static inline unsigned dart__check_kinds_named(const char *word, size_t length)
{
  for (size_t i = 0; i < DART__CHECK_WORDS; i++)
    if (strlen(dart__check_words[i].name) == length &&
        strncmp(dart__check_words[i].name, word, length) == 0)
      return dart__check_words[i].kinds;
  return 0;
}

static inline bool dart__check_read_kinds(const char *text, unsigned *kinds_out)
{
  *kinds_out = 0;
  if (text[0] == '\0' || strcmp(text, "0") == 0)
    return true;
  for (;; text++) {
    size_t   length = strcspn(text, ",");
    unsigned kinds  = dart__check_kinds_named(text, length);

    *kinds_out |= kinds;
    text += length;
    if (kinds == 0 || *text == '\0')
      return kinds != 0;
  }
}

static inline bool dart__check_read_seconds(const char *text, double *seconds_out)
{
  char *end;

  *seconds_out = strtod(text, &end);
  return end != text && *end == '\0' && *seconds_out > 0;
}

/* ---- DART_TRACE_BUFFER, DART_TRACE, DART_REPORT --------------------------------------------------- */

#define DART__TRACE_BUFFER_MAY_BE "a number of MiB, from 1 to 1048576"

static inline bool dart__trace_read_mib(const char *text, unsigned long *mib_out)
{
  char *end;

  *mib_out = strtoul(text, &end, 10);
  return isdigit((unsigned char)text[0]) && *end == '\0' && *mib_out >= 1 && *mib_out <= 1UL << 20;
}

/* Whether there is this folder, or it could be made; else see errno. */
static inline bool dart__trace_make_folder(const char *path)
{
  struct stat file;

  if (mkdir(path, 0777) == 0)
    return true;
  if (errno != EEXIST || stat(path, &file) != 0)
    return false;
  errno = ENOTDIR;
  return S_ISDIR(file.st_mode);
}

/* The value of a setting that selects a layer; NULL: it is not set, or 0. */
static inline const char *dart__layer_value(const char *variable)
{
  const char *value = getenv(variable);

  return value == NULL || value[0] == '\0' || strcmp(value, "0") == 0 ? NULL : value;
}

#endif
