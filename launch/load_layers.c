/* A layer defines functions of DART, whose first names are weak, and passes the calls on to their second names
 * (dash/dart/ext/dart_profile.h). A program linked with DART's shared library gets the layer by LD_PRELOAD. A
 * statically linked program must be linked with the layer; preloading then has no effect. */
#include "load_layers.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sanitizer.h"
#include "launch.h"

typedef struct {
  const char *variable; /* selects the layer if it is set and not 0 */
  const char *folder;   /* of the library in a build */
  const char *file;     /* the shared library */
} layer_t;

static const layer_t layers[] = {
  { "DART_CHECK", "dart-check", "libdart-check.so" },
  { "DART_REPORT", "trace", "libdart-trace.so" },
  { "DART_TRACE", "trace", "libdart-trace.so" },
};

void launch_own_folder(char folder[PATH_MAX])
{
  ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
  char   *slash;

  folder[length > 0 ? length : 0] = '\0';
  if ((slash = strrchr(folder, '/')) != NULL)
    *slash = '\0';
}

/* Find the layer's library, and store its path. */
static int find_library(const layer_t *layer, char path[2 * PATH_MAX])
{
  char folder[PATH_MAX];

  launch_own_folder(folder);
  snprintf(path, 2 * PATH_MAX, "%s/../%s/%s", folder, DART_LIBRARY_FOLDER, layer->file);
  if (access(path, R_OK) == 0)
    return 1;
  snprintf(path, 2 * PATH_MAX, "%s/../%s/%s", folder, layer->folder, layer->file);
  return access(path, R_OK) == 0;
}

static void preload(const char *path)
{
  const char *others = getenv("LD_PRELOAD");
  char        list[4 * PATH_MAX];

  if (others != NULL && strstr(others, path) != NULL)
    return; /* two variables select it */
  snprintf(list, sizeof list, "%s%s%s", path, others != NULL ? ":" : "",
           others != NULL ? others : "");
  if (setenv("LD_PRELOAD", list, 1) != 0)
    launch_fail(LAUNCH_EXIT_FAILURE, "out of memory");
}

static int is_wanted(const layer_t *layer)
{
  const char *value = getenv(layer->variable);

  return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

/* ---- values -------------------------------------------------------------------------------------- */

/* A layer would refuse them, too, but in each unit: here one line says so. */

static bool is_kind(const char *word, size_t length)
{
  static const char *const kinds[] = {
    "memory", "completion", "collectives", "locks", "races", "1"
  };

  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (strlen(kinds[i]) == length && strncmp(kinds[i], word, length) == 0)
      return true;
  return false;
}

static bool are_kinds(const char *text)
{
  size_t length;

  if (text[0] == '\0' || strcmp(text, "0") == 0)
    return true;
  for (; is_kind(text, length = strcspn(text, ",")); text += length + 1)
    if (text[length] == '\0')
      return true;
  return false;
}

static bool is_patience(const char *text)
{
  char  *end;
  double seconds = strtod(text, &end);

  return end != text && *end == '\0' && seconds > 0;
}

static bool is_buffer(const char *text)
{
  char         *end;
  unsigned long mib = strtoul(text, &end, 10);

  return isdigit((unsigned char)text[0]) && *end == '\0' && mib >= 1 && mib <= 1u << 20;
}

static void check_values(void)
{
  static const struct {
    const char *variable;
    bool (*is_good)(const char *);
    const char *allowed;
  } values[] = { { "DART_CHECK", are_kinds,
                   "0, 1, or some of memory, completion, collectives, locks and races, with commas "
                   "between them" },
                 { "DART_CHECK_PATIENCE", is_patience, "a number of seconds, more than 0" },
                 { "DART_TRACE_BUFFER", is_buffer, "a number of MiB, from 1 to 1048576" } };

  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    const char *text = getenv(values[i].variable);

    if (text != NULL && !values[i].is_good(text))
      launch_fail(LAUNCH_EXIT_USAGE, "%s is '%s'; it may be %s", values[i].variable, text,
                  values[i].allowed);
  }
}

/* Make the folder that the variable names, unless it is not set. */
static void make_folder(const char *variable)
{
  const char *path = getenv(variable);
  struct stat file;

  if (path == NULL || path[0] == '\0' || strcmp(path, "0") == 0 || mkdir(path, 0777) == 0)
    return;
  if (errno == EEXIST && stat(path, &file) == 0) {
    if (S_ISDIR(file.st_mode) && access(path, W_OK | X_OK) == 0)
      return;
    errno = S_ISDIR(file.st_mode) ? errno : ENOTDIR;
  }
  launch_fail(LAUNCH_EXIT_USAGE, "%s: cannot make the folder '%s': %s", variable, path,
              strerror(errno));
}

static void make_folders(const launch_t *launch)
{
  const char *option;

  if (launch_hosts(launch, &option) != NULL)
    return; /* they are on other hosts */
  make_folder("DART_REPORT");
  make_folder("DART_TRACE");
}

void launch_layers(const launch_t *launch)
{
  char path[2 * PATH_MAX];

  check_values();
  make_folders(launch);
#if DART__ASAN
  return; /* the sanitizer's library must be loaded first, so programs of such a build are linked with layers */
#endif
  for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
    if (!is_wanted(&layers[i]))
      continue;
    if (find_library(&layers[i], path))
      preload(path);
    else
      launch_say("%s is set, but there is no %s here: it works only in programs linked with it",
                 layers[i].variable, layers[i].file);
  }
}
