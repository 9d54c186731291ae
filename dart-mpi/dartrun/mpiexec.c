/* See mpiexec.h. Each MPI leaves the other's variables alone. */
#include "mpiexec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/openmpi.h"
#include "relay.h"

static bool is_hydra(const char *mpiexec)
{
  return DART_MPIEXEC_IS_HYDRA && strcmp(mpiexec, DART_MPIEXEC) == 0;
}

/* ---- the file of hosts --------------------------------------------------------------------------- */

/* Hydra's words behind a host are these two. */
static bool is_hydra_word(const char *word)
{
  return strncmp(word, "user=", 5) == 0 || strncmp(word, "binding=", 8) == 0;
}

/* A line of the file, without its comment. */
static void check_hydra_line(const char *path, int number, char *line)
{
  static const char spaces[] = " \t\r\n\v\f";
  char             *word     = strtok(line, spaces);

  if (word == NULL)
    return;
  if (!launch_is_host(word))
    launch_fail(LAUNCH_EXIT_USAGE, "--hosts-file '%s', line %d: '%s' is not HOST or HOST:UNITS",
                path, number, word);
  while ((word = strtok(NULL, spaces)) != NULL)
    if (!is_hydra_word(word))
      launch_fail(LAUNCH_EXIT_USAGE,
                  "--hosts-file '%s', line %d: '%s' is not in MPICH's format, HOST:UNITS", path,
                  number, word);
}

void mpiexec_check_hosts_file(const char *mpiexec, const launch_t *launch)
{
  FILE  *file   = NULL;
  char  *line   = NULL;
  size_t size   = 0;
  int    number = 0;

  if (launch->hosts_file != NULL && is_hydra(mpiexec))
    file = fopen(launch->hosts_file, "re"); /* launch_parse has looked whether it can be read */
  if (file == NULL)
    return;
  while (getline(&line, &size, file) > 0) {
    line[strcspn(line, "#")] = '\0';
    check_hydra_line(launch->hosts_file, ++number, line);
  }
  free(line);
  fclose(file);
}

/* ---- the environment ---------------------------------------------------------------------------- */

static void set_default(const char *name, const char *value)
{
  if (getenv(name) == NULL)
    launch_set(name, value);
}

/* With MPIR_CVAR_NUM_CLIQUES, MPICH divides the processes of one machine into groups that may not share memory, so DART
 * sees several nodes. With another MPI the units divide it, as DART_NODES says. Without --nodes, mpiexec determines the
 * nodes, and nothing is set. */
static void set_nodes(const launch_t *launch)
{
  if (launch->nnodes == 0)
    return;
  launch_set_number("MPIR_CVAR_NUM_CLIQUES", launch->nnodes);
  launch_set_number("DART_NODES", launch->nnodes);
}

/* UCX, below MPICH, prints where a process crashed, and then other handlers cannot. DART's report also names the
 * unit. A SIGHUP does not end a process with UCX, but makes it print all that it does. */
static void set_signals(void)
{
  const char *own = getenv("DART_BACKTRACE");

  set_default("UCX_DEBUG_SIGNO", "0");
  if (own == NULL || strcmp(own, "0") != 0)
    set_default("UCX_HANDLE_ERRORS", "none");
}

/* What is for DART and for networks reaches other hosts. Hydra passes on all there is. */
static void pass_environment_on(void)
{
  char  *list = NULL;
  size_t size;
  FILE  *text = open_memstream(&list, &size);

  for (char **variable = environ; text != NULL && *variable != NULL; variable++)
    if (strncmp(*variable, "DART_", 5) == 0 || strncmp(*variable, "UCX_", 4) == 0 ||
        strncmp(*variable, "FI_", 3) == 0 || strncmp(*variable, "LD_PRELOAD=", 11) == 0)
      fprintf(text, "%.*s;", (int)strcspn(*variable, "="), *variable);
  if (text == NULL || fclose(text) != 0)
    launch_fail(LAUNCH_EXIT_FAILURE, "out of memory");
  if (size > 0)
    list[size - 1] = '\0';
  set_default(DART__OPENMPI_PASSED_ON, list);
  free(list);
}

void mpiexec_set_up(const launch_t *launch)
{
  const char *option;

  set_nodes(launch);
  set_signals();
  dart__openmpi_set_launcher(set_default);
  if (launch_hosts(launch, &option) != NULL)
    pass_environment_on();
}

const char *mpiexec_rank(void)
{
  const char *text = getenv("PMI_RANK"); /* MPICH and others */

  return text != NULL ? text : getenv(DART__OPENMPI_RANK);
}

/* ---- the command -------------------------------------------------------------------------------- */

/* The list for mpiexec, in which each host has its number of units: it divides `nunits` evenly, in the order of the
 * hosts, if the user's has no numbers. */
static char *divide_units(const char *hosts, int nunits)
{
  char  *list = NULL;
  size_t size;
  int    nhosts = 1, h = 0;
  FILE  *text = open_memstream(&list, &size);

  for (const char *comma = hosts; (comma = strchr(comma, ',')) != NULL; comma++)
    nhosts++;
  if (text != NULL && strchr(hosts, ':') != NULL)
    fputs(hosts, text);
  else
    for (const char *host = hosts; text != NULL && h < nhosts && h < nunits; h++) {
      int length = (int)strcspn(host, ",");

      fprintf(text, "%s%.*s:%d", h > 0 ? "," : "", length, host,
              nunits / nhosts + (h < nunits % nhosts));
      host += length + 1;
    }
  if (text == NULL || fclose(text) != 0)
    launch_fail(LAUNCH_EXIT_FAILURE, "out of memory");
  return list;
}

/* mpiexec's word for `bind`; NULL: units are not bound. */
static const char *bind_word(launch_bind_t bind)
{
  switch (bind) {
  case LAUNCH_BIND_CPU: return "hwthread";
  case LAUNCH_BIND_CORE: return "core";
  case LAUNCH_BIND_NUMA: return "numa";
  case LAUNCH_BIND_PACKAGE: return "socket";
  default: return NULL;
  }
}

/* The options are words that both MPIs know, but for one of Hydra, MPICH's mpiexec. The texts that are not the user's are
 * not freed: dartrun makes one command. */
char **mpiexec_command(const char *mpiexec, const launch_t *launch, char *const *before,
                       size_t nbefore)
{
  static char nunits[16];
  size_t      nwords = 0, own = 0;
  char      **command;

  while (launch->command[nwords] != NULL)
    nwords++;
  command = calloc(10 + nbefore + nwords + 1, sizeof command[0]);
  if (command == NULL)
    launch_fail(LAUNCH_EXIT_FAILURE, "out of memory");
  snprintf(nunits, sizeof nunits, "%d", launch->nunits);
  command[own++] = (char *)mpiexec;
  if (is_hydra(mpiexec) && launch->nunits <= RELAY_CODES)
    command[own++] = "-print-all-exitcodes"; /* for relay.h */
  if (launch->hosts != NULL) {
    command[own++] = "-host";
    command[own++] = divide_units(launch->hosts, launch->nunits);
  }
  if (launch->hosts_file != NULL) {
    command[own++] = "-hostfile";
    command[own++] = (char *)launch->hosts_file;
  }
  if (bind_word(launch->bind) != NULL) {
    command[own++] = "-bind-to";
    command[own++] = (char *)bind_word(launch->bind);
  }
  command[own++] = "-n";
  command[own++] = nunits;
  for (size_t i = 0; i < nbefore; i++)
    command[own++] = before[i];
  memcpy(command + own, launch->command, nwords * sizeof command[0]);
  return command;
}
