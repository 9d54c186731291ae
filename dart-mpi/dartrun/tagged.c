/* See tagged.h. */
#include "tagged.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch.h"
#include "mpiexec.h"
#include "tag.h"

static char own_path[PATH_MAX];
static char option[] = "--tagged";

char *const *tagged_words(void)
{
  static char *const words[TAGGED_WORDS] = { own_path, option };

  if (readlink("/proc/self/exe", own_path, sizeof own_path - 1) < 0)
    launch_fail(LAUNCH_EXIT_FAILURE, "--tag: cannot read /proc/self/exe: %s", strerror(errno));
  return words;
}

void tagged_become(int argc, char **argv)
{
  const char *rank = mpiexec_rank();
  char      **program;

  if (argc <= TAGGED_WORDS || strcmp(argv[1], option) != 0)
    return;
  program = argv + TAGGED_WORDS;
  if (rank != NULL)
    tag_own_output((uint32_t)atoi(rank));
  execvp(program[0], program);
  launch_fail(LAUNCH_EXIT_NOEXEC, "cannot start %s: %s", program[0], strerror(errno));
}
