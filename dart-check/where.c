/* Names of places in the program, by addr2line(1), which reads the debugging information that compilers write with -g.
 * It runs for reports only, and without preloaded libraries. If there is no addr2line or no such information, the name
 * is a file and an offset in it, for a later call of addr2line. */
#include "where.h"

#include <dlfcn.h>
#include <link.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct {
  uintptr_t address;
  uintptr_t base;
  char      file[512];
  bool      is_program;
} search_t;

/* Find the object that contains an address; dl_iterate_phdr calls this for each object, the program first. */
static int look(struct dl_phdr_info *info, size_t size, void *data)
{
  search_t *search = data;

  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uintptr_t first        = info->dlpi_addr + part->p_vaddr;

    if (part->p_type == PT_LOAD && search->address - first < part->p_memsz) {
      search->base       = info->dlpi_addr;
      search->is_program = info->dlpi_name[0] == '\0';
      snprintf(search->file, sizeof search->file, "%s", info->dlpi_name);
      return 1;
    }
  }
  return 0;
}

static bool find_object_of(const void *from, search_t *search)
{
  ssize_t length;

  search->address = (uintptr_t)from - 1; /* inside the call, not behind it */
  if (dl_iterate_phdr(look, search) == 0)
    return false;
  if (search->is_program) {
    length = readlink("/proc/self/exe", search->file, sizeof search->file - 1);
    search->file[length > 0 ? length : 0] = '\0';
  }
  return true;
}

static int first(struct dl_phdr_info *info, size_t size, void *data)
{
  (void)size;
  *(uintptr_t *)data = info->dlpi_addr;
  return 1;
}

static uintptr_t program_base(void)
{
  uintptr_t base = 0;

  dl_iterate_phdr(first, &base);
  return base;
}

uint64_t dart__check_place_number(const void *from)
{
  search_t search = { .is_program = false };

  search.address = (uintptr_t)from - 1;
  if (dl_iterate_phdr(look, &search) == 0 || !search.is_program)
    return 0;
  return (uintptr_t)from - search.base;
}

const void *dart__check_place_address(uint64_t number)
{
  return number == 0 ? NULL : (const void *)(program_base() + (uintptr_t)number);
}

/* The environment without LD_PRELOAD; it shares the entries. */
static char **plain_environment(void)
{
  size_t n = 0, kept = 0;
  char **plain;

  while (environ[n] != NULL)
    n++;
  plain = calloc(n + 1, sizeof *plain);
  for (size_t i = 0; plain != NULL && i < n; i++)
    if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
      plain[kept++] = environ[i];
  return plain;
}

/* Run `argv`, and store at most `nbytes` of its output. False: it cannot be started, or prints nothing. */
static bool output_of(char *const argv[], char *text, size_t nbytes)
{
  posix_spawn_file_actions_t actions;
  char                     **environment = plain_environment();
  size_t                     length      = 0;
  ssize_t                    n;
  int                        ends[2], failed;
  pid_t                      pid;

  if (environment == NULL || pipe(ends) != 0) {
    free(environment);
    return false;
  }
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
  failed = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environment);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  while (!failed && length + 1 < nbytes &&
         (n = read(ends[0], text + length, nbytes - 1 - length)) > 0)
    length += (size_t)n;
  text[length] = '\0';
  close(ends[0]);
  if (!failed)
    waitpid(pid, NULL, 0);
  free(environment);
  return !failed && length > 0;
}

/* Turn "function\nfile:line\n" into "function at file:line". False: the line is not known. */
static bool read_answer(char *answer, char *text, size_t nbytes)
{
  char *line = strchr(answer, '\n');

  if (line == NULL || answer[0] == '?')
    return false;
  *line++                    = '\0';
  line[strcspn(line, " \n")] = '\0'; /* it may end in "(discriminator 2)" */
  if (line[0] == '?')
    return false;
  snprintf(text, nbytes, "%s at %s", answer, line);
  return true;
}

void dart__check_where(const void *from, char *text, size_t nbytes)
{
  search_t search = { .is_program = false };
  char     number[32], answer[1024];

  if (from == NULL || !find_object_of(from, &search)) {
    snprintf(text, nbytes, "at an unknown place");
    return;
  }
  snprintf(number, sizeof number, "0x%lx", (unsigned long)(search.address - search.base));
  if (output_of((char *[]){ "addr2line", "-f", "-e", search.file, number, NULL }, answer,
                sizeof answer) &&
      read_answer(answer, text, nbytes))
    return;
  snprintf(text, nbytes, "at %s+%s", search.file, number);
}
