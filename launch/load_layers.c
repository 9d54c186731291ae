/* A layer defines functions of DART, whose first names are weak, and passes the calls on to their second names
 * (dash/dart/ext/dart_profile.h). A program linked with DART's shared library gets the layer by LD_PRELOAD. A
 * statically linked program must be linked with the layer; preloading then has no effect. */
#include "load_layers.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sanitizer.h"
#include "launch.h"
#include "layer_settings.h"

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

/* ---- values -------------------------------------------------------------------------------------- */

/* A layer would refuse them, too, but in each unit: here one line says so. */

static bool are_kinds(const char *text)
{
  unsigned kinds;

  return dart__check_read_kinds(text, &kinds);
}

static bool is_patience(const char *text)
{
  double seconds;

  return dart__check_read_seconds(text, &seconds);
}

static bool is_buffer(const char *text)
{
  unsigned long mib;

  return dart__trace_read_mib(text, &mib);
}

static void check_values(void)
{
  static const struct {
    const char *variable;
    bool (*is_good)(const char *);
    const char *allowed;
  } values[] = { { "DART_CHECK", are_kinds, DART__CHECK_MAY_BE },
                 { "DART_CHECK_PATIENCE", is_patience, DART__PATIENCE_MAY_BE },
                 { "DART_TRACE_BUFFER", is_buffer, DART__TRACE_BUFFER_MAY_BE } };

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
  const char *path = dart__layer_value(variable);

  if (path != NULL && !(dart__trace_make_folder(path) && access(path, W_OK | X_OK) == 0))
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
    if (dart__layer_value(layers[i].variable) == NULL)
      continue;
    if (find_library(&layers[i], path))
      preload(path);
    else
      launch_say("%s is set, but there is no %s here: it works only in programs linked with it",
                 layers[i].variable, layers[i].file);
  }
}
