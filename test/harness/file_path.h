#ifndef FILE_PATH_H
#define FILE_PATH_H
/* Names of files for tests, and their end. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "dart_test.h"

static char test_path_last[256]; /* which this unit removes; "": none */

static inline void test_path_remove(void)
{
  if (test_path_last[0] != '\0')
    unlink(test_path_last);
  test_path_last[0] = '\0';
}

/** The path of a file that does not exist, the same on all units of the team; collective. It is valid until the
 *  next call, which removes the file, as the end of the program does. */
static inline const char *test_path(dart_team_t team, const char *name)
{
  static char path[256];
  const char *folder = getenv("TMPDIR");
  int64_t     number = getpid();

  EXPECT_OK(dart_bcast(&number, 1, T_INT64, DART_TEAM_UNIT_ID(0), team));
  if (path[0] == '\0')
    atexit(test_path_remove);
  test_path_remove();
  snprintf(path, sizeof path, "%s/dart-test-%ld-%s", folder != NULL ? folder : "/tmp", (long)number,
           name);
  if (test_team_me(team) == 0)
    snprintf(test_path_last, sizeof test_path_last, "%s", path);
  return path;
}

#endif
