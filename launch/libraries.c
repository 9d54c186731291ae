/* See libraries.h.
 *
 * Where a library is depends on run paths of programs and libraries, on the environment, and on a cache of the system. The
 * dynamic linker knows all of that. Called by itself with --list, it prints a line for each library, and does not run the
 * program: that of glibc, and that of musl. */
#include "libraries.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_S 5 /* then the linker is ended, and what it has listed counts */

static void become_linker(const char *linker, const char *program, int output)
{
  char *const command[] = { (char *)linker, (char *)"--list", (char *)program, NULL };
  int         nothing   = open("/dev/null", O_WRONLY | O_CLOEXEC);

  dup2(output, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  alarm(LIMIT_S); /* lasts beyond exec */
  execv(linker, command);
  _exit(127);
}

/* The path in a line as "libm.so.6 => /lib/libm.so.6 (0x7f12)". NULL: it has none, as that of a library which is not
 * found. */
static const char *path_of(char *line)
{
  char *arrow = strstr(line, " => "), *end = strrchr(line, '(');
  char *path = arrow != NULL ? arrow + strlen(" => ") : line + strspn(line, "\t ");

  if (end == NULL || end - path < 2)
    return NULL;
  end[-1] = '\0';
  return strchr(path, '/') != NULL ? path : NULL;
}

static const char *find_in(FILE *list, libraries_look_t *look)
{
  const char *found = NULL, *path;
  char       *line  = NULL;
  size_t      size  = 0;

  while (found == NULL && getline(&line, &size, list) > 0)
    if ((path = path_of(line)) != NULL)
      found = look(path);
  free(line);
  return found;
}

const char *libraries_find(const char *linker, const char *program, libraries_look_t *look)
{
  char path[PATH_MAX]; /* where links lead: what is relative to the program is relative to that */
  const char *found = NULL;
  FILE       *list;
  int         output[2];
  pid_t       pid;

  if (realpath(program, path) == NULL || pipe2(output, O_CLOEXEC) != 0)
    return NULL;
  pid = fork();
  if (pid == 0)
    become_linker(linker, path, output[1]);
  close(output[1]);
  list = fdopen(output[0], "r");
  if (list == NULL) {
    close(output[0]);
  } else {
    found = find_in(list, look);
    fclose(list);
  }
  if (pid > 0)
    waitpid(pid, NULL, 0);
  return found;
}
