/* A layer defines functions of DART, whose first names are weak, and passes the calls on to their second names
 * (dash/dart/ext/dart_profile.h). A program linked with DART's shared library gets the layer by LD_PRELOAD. A
 * statically linked program must be linked with the layer; preloading then has no effect. */
#include "load_layers.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

void launch_layers(void)
{
  char path[2 * PATH_MAX];

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
