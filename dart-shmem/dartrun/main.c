/* dartrun of dart-shmem: starts a program as units of one machine.
 *
 * The launcher makes the job, which is the memory that the units share (job_file.h). It passes the memory and a unit's
 * id to each unit in the environment, and stays until the last unit has ended (units.h). */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/config.h"
#include "bind.h"
#include "executable.h"
#include "job_file.h"
#include "launch.h"
#include "load_layers.h"
#include "net_model.h"
#include "units.h"

static const launch_about_t about = {
  .backend = "dart-shmem",
  .what    = "Usage: dartrun [OPTION...] -n N PROGRAM [ARG...]\n"
             "Start a DART program on this machine.\n\n",
  .more    = "\nUnit 0 reads the standard input. Signals sent to dartrun go to all units. When a\n"
             "unit is killed or exits with anything but 0, dartrun says so, ends the others and\n"
             "exits with the code of that unit (128 + the signal's number, if one killed it).\n"
             "Units are bound by default (auto) if there are as many as cores: each to a core of\n"
             "its own. A program with fewer may share the machine with others, and more units\n"
             "than cores are better off wherever there is room.\n"
             "With --nodes, unit U is on node U modulo K. The network between nodes is simulated,\n"
             "as the environment variable DART_NET says:\n"
             "rdma|software,latency=2us,bandwidth=10G,jitter=1us,seed=7.\n",
};

/* dartrun prints one line, where each unit would print it. */
static void check_net(void)
{
  const char       *text = getenv("DART_NET"), *wrong = text;
  dart__net_model_t model;

  if (text != NULL && strlen(text) <= DART__TEXT)
    wrong = dart__net_model_read(text, &model);
  if (wrong != NULL)
    launch_fail(LAUNCH_EXIT_USAGE, DART__NET_MODEL_WRONG, text, (int)strcspn(wrong, ","), wrong);
}

#define HEAD_LINES 8 /* of a file in hwloc's XML, at most, before the machine begins */

/* hwloc takes this machine for one that it cannot read, and says nothing. */
static void check_machine(const char *file, size_t length)
{
  char  name[PATH_MAX], line[256];
  FILE *stream;
  bool  is_one = false;

  snprintf(name, sizeof name, "%.*s", (int)length, file);
  stream = fopen(name, "r");
  for (int i = 0; i < HEAD_LINES && stream != NULL && !is_one; i++)
    is_one = fgets(line, sizeof line, stream) != NULL && strstr(line, "<topology") != NULL;
  if (stream != NULL)
    fclose(stream);
  if (!is_one)
    launch_fail(LAUNCH_EXIT_USAGE, "HWLOC_XMLFILE: '%s' is no machine in hwloc's XML", name);
}

/* Recorded machines, one for each node: several files, with colons between them; or one file with a colon in its name. The
 * launcher binds units to processors of this one. */
static char *find_machines(dart__job_t *job)
{
  const char *files = getenv("HWLOC_XMLFILE"), *file = files;
  char       *copy;

  if (files == NULL || *files == '\0')
    return NULL;
  if (job->nnodes == 1 || strchr(files, ':') == NULL || access(files, F_OK) == 0) {
    check_machine(files, strlen(files));
    return NULL;
  }
  do {
    check_machine(file, strcspn(file, ":"));
    file += strcspn(file, ":");
  } while (*file++ == ':');
  job->shows_machines = 1;
  copy                = strdup(files);
  unsetenv("HWLOC_XMLFILE");
  return copy;
}

/* Programs of dart-mpi have become dartrun-mpi's by now. */
static void check_hosts(const launch_t *launch)
{
  const char *option, *value = launch_hosts(launch, &option);

  if (value != NULL)
    launch_fail(LAUNCH_EXIT_USAGE,
                "%s '%s': dart-shmem runs on this host only, dart-mpi on several", option, value);
}

int main(int argc, char **argv)
{
  launch_t     launch = { .nunits_most = DART__JOB_UNITS_MAX };
  units_plan_t plan   = { 0 };
  bind_t      *bind;
  int          code;

  launch_keep_standard_streams();
  launch_parse(&about, argc, argv, &launch);

  launch_check_program("shmem", launch.command[0], argv);
  check_hosts(&launch);
  check_net();
  launch_check_settings();
  launch_layers(&launch);
  if (launch.nnodes == 0)
    launch.nnodes = 1;
  plan.command   = launch.command;
  plan.nunits    = (uint32_t)launch.nunits;
  plan.is_tagged = launch.is_tagged;
  if (dart__job_create(plan.nunits, (uint32_t)launch.nnodes, &plan.job_fd) != DART_OK ||
      dart__job_open(plan.job_fd, &plan.job) != DART_OK)
    return LAUNCH_EXIT_FAILURE;

  launch_set_number(DART__JOB_ENV_FD, plan.job_fd);
  launch_set_number(DART__JOB_ENV_UNITS, launch.nunits);
  launch_set_number("DART_NODES", launch.nnodes);

  plan.machines = find_machines(plan.job);
  bind          = bind_plan(launch.bind, plan.nunits);
  plan.bind     = bind;
  code          = units_run(&plan);
  if (bind != NULL)
    bind_free(bind);
  free(plan.machines);
  dart__job_close(plan.job);
  return code;
}
