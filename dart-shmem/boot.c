/* Joining the job.
 *
 * The launcher passes each unit the job's descriptor, its id and the number of units in the
 * environment; a program started without the launcher makes a job of one unit. The first init removes
 * these from the environment and has the descriptor closed on exec, so that programs that a unit starts
 * are no units; the job itself stays for later cycles of init and exit. */
#include "shmem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/backend_note.h"
#include "base/config.h"
#include "base/last_call.h"
#include "base/libc.h"
#include "base/log.h"
#include "base/started.h"
#include "model/lost.h"
#include "model/tell.h"
#include "model/world.h"
#include "net.h"

DART__BACKEND_NOTE("shmem");

static pid_t unit_pid;

static bool number_from(const char *name, long most, long *value_out)
{
  const char *text = getenv(name);
  char       *end;

  if (text == NULL)
    return dart__fail(false, "the launcher gave no %s", name);
  errno      = 0;
  *value_out = strtol(text, &end, 10);
  if (end != text && *end == '\0' && errno == 0 && *value_out >= 0 && *value_out <= most)
    return true;
  return dart__fail(false, "%s='%s' is not a number from 0 to %ld", name, text, most);
}

/* Refuse an MPI launcher, under which every process would be a job of one unit. The first one says so for all. */
static bool is_alone(void)
{
  bool        is_first;
  const char *processes = dart__started_processes(&is_first);

  if (processes != NULL && is_first)
    dart__error("an MPI launcher started %s processes, but this program is linked with dart-shmem: "
                "start it with dart-shmem's dartrun (dartrun-shmem)",
                processes);
  return processes == NULL;
}

static dart_ret_t open_job(int fd, long nunits)
{
  dart_ret_t ret = dart__job_open(fd, &dart__shmem.job);

  if (ret != DART_OK || dart__shmem.job->nunits == (uint32_t)nunits)
    return ret;
  dart__error("%s says %ld units, the job has %u", DART__JOB_ENV_UNITS, nunits,
              dart__shmem.job->nunits);
  dart__job_close(dart__shmem.job);
  dart__shmem.job = NULL;
  return DART_ERR_OTHER;
}

/* The unit's record, where the launcher finds it. Without memory for it the launcher sees nothing, and nothing is said
 * (dart__world.me is not set yet): there is none for what comes next, either. */
static dart__record_t *open_record(void)
{
  uint64_t at = dart__job_record(dart__shmem.unit);
  void    *record;

  if (dart__job_reserve(dart__shmem.fd, at, sizeof(dart__record_t), NULL, DART__TELL_INIT) !=
      DART_OK)
    return NULL;
  record = mmap(NULL, sizeof(dart__record_t), PROT_READ | PROT_WRITE, MAP_SHARED, dart__shmem.fd,
                (off_t)at);
  return record == MAP_FAILED ? NULL : record;
}

static dart_ret_t find_job(void)
{
  long       fd, unit = 0, nunits = 1;
  int        own = -1;
  dart_ret_t ret;

  if (getenv(DART__JOB_ENV_FD) == NULL) {
    if (!is_alone())
      return DART_ERR_OTHER;
    ret = dart__job_create(1, 1, &own);
    if (ret != DART_OK)
      return ret;
    fd = own;
  } else if (!number_from(DART__JOB_ENV_FD, INT_MAX, &fd) ||
             !number_from(DART__JOB_ENV_UNITS, DART__JOB_UNITS_MAX, &nunits) ||
             !number_from(DART__JOB_ENV_UNIT, nunits - 1, &unit)) {
    return DART_ERR_OTHER;
  }

  ret = open_job((int)fd, nunits);
  if (ret != DART_OK) {
    if (own >= 0) /* the launcher's stays: dart_init may be tried again */
      close(own);
    return ret;
  }
  fcntl((int)fd, F_SETFD, FD_CLOEXEC);
  unsetenv(DART__JOB_ENV_FD);
  unsetenv(DART__JOB_ENV_UNIT);
  unsetenv(DART__JOB_ENV_UNITS);
  dart__shmem.fd   = (int)fd;
  dart__shmem.unit = (uint32_t)unit;
  dart__record_open(open_record());
  /* The job may have served another program before; this unit took part in its last episode. */
  dart__shmem.episode = dart__event_count(&dart__shmem.job->barrier.open);
  return DART_OK;
}

/* ---- cycles of init and exit ------------------------------------------------------------------ */

static _Atomic uint32_t *own_cycle(void)
{
  return &dart__shmem.job->cycle[dart__shmem.unit];
}

/* Publish that this unit begins a cycle. If another unit has ended and cannot join, this process ends, too:
 * the launcher knows which unit it was and how it ended, and prints that. */
static dart_ret_t begin_cycle(void)
{
  /* relaxed: this unit alone writes it */
  uint32_t cycle = atomic_load_explicit(own_cycle(), memory_order_relaxed) + 1;

  if (cycle % 2 == 0)
    return dart__fail(DART_ERR_OTHER,
                      "unit %u ran a program before that has ended without dart_exit",
                      dart__shmem.unit);
  /* relaxed: a loss that comes later is one of this cycle */
  if (atomic_load_explicit(&dart__shmem.job->nlost, memory_order_relaxed) > 0)
    return dart__fail(
        DART_ERR_UNIT_LOST,
        "units were lost: the job cannot begin another cycle of dart_init and dart_exit");
  /* A unit that dies in dart_init ends the job. relaxed: the next store releases it */
  atomic_store_explicit(&dart__shmem.job->surviving, 0, memory_order_relaxed);
  /* seq_cst, both: pairs with the launcher's, see job_file.h */
  atomic_store_explicit(own_cycle(), cycle, memory_order_seq_cst);
  if (atomic_load_explicit(&dart__shmem.job->left, memory_order_seq_cst) >= cycle)
    return DART_OK;
  fflush(NULL);
  _exit(EXIT_FAILURE);
}

static void end_cycle(void)
{
  uint32_t cycle = atomic_load_explicit(own_cycle(), memory_order_relaxed);

  /* release: the launcher reads it when the process is gone; it must not see the end too early */
  atomic_store_explicit(own_cycle(), cycle + 1, memory_order_release);
}

/* ---- init and exit ---------------------------------------------------------------------------- */

/* On exit of the unit's own process; programs that it starts and forked children are no units. */
static void end_of_process(int status, void *unused)
{
  (void)unused;
  if (getpid() != unit_pid || !dart__world.initialized)
    return;
  dart__leave(status, false);
  if (!dart__world.initialized && dart__net.memory_stays) /* it has left, without dart__net_leave */
    end_cycle();
}

/* Units go round the nodes, as by dart-mpi's dartrun. */
static dart_ret_t open_nodes(void)
{
  dart_ret_t ret;

  for (int32_t unit = 0; unit < dart__world.nunits; unit++)
    dart__world.node_of[unit] = unit % (int32_t)dart__shmem.job->nnodes;
  dart__net.reaches_memory = !dart__shmem.model.is_software;
  dart__net.memory_stays   = false; /* puts and gets of others may need this process */
  ret                      = dart__simulated_open();
  if (ret != DART_OK)
    return ret;
  dart__net.messages = dart__shmem.comm;
  dart__net.arrivals = &dart__shmem.comm->link.inbox->arrivals;
  return DART_OK;
}

/* Whether the program has set DART_SURVIVE here, in a job that does not outlive units yet. */
static bool wants_to_survive(void)
{
  return dart__settings.survive == 1 && !dart__survives();
}

/* By unit 0, before any collective: room for the inboxes of all units, and for what a job has that outlives units. */
static dart_ret_t prepare_cycle(void)
{
  size_t     nunits = (size_t)dart__world.nunits;
  dart_ret_t ret    = DART_OK;

  atomic_store_explicit(&dart__shmem.job->told, 0, memory_order_relaxed); /* before a barrier */
  if (wants_to_survive())
    ret = dart__job_reserve_ballots(dart__shmem.fd, (uint32_t)dart__world.nunits);
  return ret == DART_OK && dart__world.many_nodes
             ? dart__job_cut_for(DART_TEAM_ALL, nunits * dart__inbox_bytes(dart__world.nunits))
             : ret;
}

static dart_ret_t read_net(void)
{
  const char *wrong = dart__net_model_read(dart__settings.net, &dart__shmem.model);

  if (wrong == NULL)
    return DART_OK;
  return dart__fail(DART_ERR_INVAL, DART__NET_MODEL_WRONG, dart__settings.net,
                    (int)strcspn(wrong, ","), wrong);
}

_Static_assert(DART__JOB_UNITS_MAX <= DART__LOST_MOST, "a bit for each loss");

/* From now on the launcher does not end the job when a unit dies. */
static void open_lost(void)
{
  dart__job_t *job = dart__shmem.job;

  atomic_store_explicit(&job->survives, 1, memory_order_relaxed); /* see dart__job_survives */
  dart__lost = (dart__lost_t){ &job->nlost, job->lost, &job->surviving, job->ballots };
}

/* The first collective call of all units: on whether they go on, and whether the job outlives units from now on. */
static dart_ret_t agree_on_start(dart_ret_t mine)
{
  bool    wants   = wants_to_survive();
  int32_t most[3] = { (int32_t)mine, wants, !wants };

  if (dart__survives())
    return dart__net_agree_on_result(mine);
  dart__net_agree(most, 3);
  if (most[0] == DART_OK && most[1] != 0 && most[2] == 0)
    open_lost();
  else if (most[1] != 0 && most[2] != 0 && dart__world.me == 0)
    dart__warn("DART_SURVIVE=1 on some units only: ignored");
  return (dart_ret_t)most[0];
}

dart_ret_t dart__net_join(int *argc, char ***argv, dart_thread_support_level_t wanted,
                          dart_thread_support_level_t *provided_out)
{
  dart__waiting_t *waiting;
  dart_ret_t       ret;

  (void)argc;
  (void)argv;
  if (dart__shmem.job == NULL) {
    ret = find_job();
    if (ret != DART_OK)
      return ret;
    unit_pid = getpid();
    on_exit(end_of_process, NULL);
  }
  ret = read_net();
  if (ret == DART_OK)
    ret = begin_cycle();
  if (ret != DART_OK)
    return ret;
  dart__world.nunits     = (int32_t)dart__shmem.job->nunits;
  dart__world.me         = (dart_unit_t)dart__shmem.unit;
  dart__world.many_nodes = dart__shmem.job->nnodes > 1;
  dart__world.one_host   = dart__shmem.job->shows_machines == 0;
  dart__world.told       = &dart__shmem.job->told;
  dart__lost             = (dart__lost_t){ .count = NULL };
  if (dart__job_survives(dart__shmem.job))
    open_lost();
  dart__world.node_of = calloc((size_t)dart__world.nunits, sizeof *dart__world.node_of);
  *provided_out       = wanted;
  dart__world_set_pace((uint32_t)dart__world.nunits); /* nodes share the processors, too */
  ret = dart__world.node_of == NULL ? DART_ERR_NOMEM : DART_OK;
  if (dart__world.me == 0 && ret == DART_OK)
    ret = prepare_cycle();
  /* the first barrier of all units: a unit that fails here must not leave the others waiting */
  waiting = dart__waiting_begin(dart__call, (dart__wait_for_t){ .kind = DART__WAIT_JOB });
  ret     = agree_on_start(ret);
  if (ret == DART_OK && dart__world.many_nodes)
    ret = open_nodes();
  dart__waiting_end(waiting);
  if (ret != DART_OK)
    dart__net_leave();
  return ret;
}

void dart__net_leave(void)
{
  dart__simulated_close();
  dart__net.arrivals = NULL;
  free(dart__world.node_of);
  dart__world.node_of    = NULL;
  dart__world.many_nodes = false;
  dart__world.told       = NULL;
  dart__world.nunits     = 0;
  dart__world.me         = -1;
  end_cycle();
}

static const char *describe_network(void)
{
  return dart__shmem.job != NULL && dart__shmem.job->nnodes > 1
             ? "simulated network in shared memory, no MPI"
             : "shared memory of one node, no MPI";
}

dart__net_t dart__net = { .describe     = describe_network,
                          .stats        = &dart__traffic_stats,
                          .idle_us      = dart__simulated_idle_us,
                          .drop_lost    = dart__simulated_drop_lost,
                          .largest_tag  = INT32_MAX,
                          .any_thread   = true,
                          .sends_alone  = true,
                          .memory_stays = true };
