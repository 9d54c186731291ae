/* Joining the job: MPI, which may be running already, the node's communicator, and the end of it.
 *
 * MPI cannot start twice in a process, but DART can. So an MPI that DART started is ended when the
 * process ends, and one that the program started is the program's to end. The communicators of the
 * job stay from the first init on, for they are slow to make and would be the same again. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/config.h"
#include "base/log.h"
#include "launcher.h"
#include "model/world.h"
#include "mpi_port.h"
#include "mpi_type.h"
#include "service.h"

#define COLLECT_BYTES 256 /* larger ones gain little: copying is what takes the time then */

#define LOOKS    8  /* at a request, for every look at what others want */
#define AWAKE_NS (10 * 1000 * 1000) /* a unit with a core stays awake for so long after a request */
#define NAP_US   20 /* the shortest nap of one without */

dart__mpi_t dart__mpi = { .world = MPI_COMM_NULL, .node = MPI_COMM_NULL, .service = MPI_COMM_NULL,
                          .mail = MPI_COMM_NULL };

static pid_t mpi_pid;     /* who registered end_of_process */
static bool  mpi_is_ours; /* DART started it */

/* MPICH looks for address space that is free on all units of a node by asking the kernel about
 * every page: 0.3 ms per MiB of a shared window. DART has no use for equal addresses. */
static void skip_symmetric_addresses(bool running)
{
  int provided, index, count, value = 0;

  if (!running) {
    setenv("MPIR_CVAR_SHM_SYMHEAP_RETRY", "0", 0);
    return;
  }
  /* The program has started MPI: it is too late for the environment. (And before MPI is started it
   * is too early for this: MPICH 4.0 does not survive an MPI_T_finalize before MPI_Init.) */
  if (DART__MPI_CALL(MPI_T_init_thread, MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
    return;
  if (DART__MPI_CALL(MPI_T_cvar_get_index, "MPIR_CVAR_SHM_SYMHEAP_RETRY", &index) == MPI_SUCCESS) {
    MPI_T_cvar_handle handle;

    if (DART__MPI_CALL(MPI_T_cvar_handle_alloc, index, NULL, &handle, &count) == MPI_SUCCESS) {
      if (count == 1 && DART__MPI_CALL(MPI_T_cvar_write, handle, &value) != MPI_SUCCESS)
        dart__info("MPIR_CVAR_SHM_SYMHEAP_RETRY cannot be set; large allocations may be slow");
      MPI_T_cvar_handle_free(&handle);
    }
  }
  MPI_T_finalize();
}

/* MPICH's launcher may end everything before it has passed on what units wrote last, which is most
 * likely the reason: give it a moment. */
static void abort_mpi(int code) __attribute__((noreturn));
static void abort_mpi(int code)
{
  struct timespec moment = { 0, 100 * 1000 * 1000 };

  dart__launcher_tell(DART__UNIT_ABORTS, code);
  fflush(NULL);
  nanosleep(&moment, NULL);
  MPI_Abort(MPI_COMM_WORLD, code);
  _exit(code);
}

/* Forked children are no units. */
static void end_of_process(int status, void *unused)
{
  int finalized;

  (void)unused;
  if (getpid() != mpi_pid)
    return;
  MPI_Finalized(&finalized);
  if (!finalized && dart__world.initialized)
    dart__world.leave(status);
  dart__launcher_tell(DART__UNIT_ENDS, 0);
  if (finalized || !mpi_is_ours)
    return;
  dart__mpi_part();
  MPI_Finalize();
}

/* The program ends MPI, and with it what is left of DART. MPI lets go of what hangs on MPI_COMM_SELF
 * first, while all else still works; but in MPICH only one thread may use it by then. */
static int end_of_mpi(MPI_Comm self, int key, void *value, void *extra)
{
  (void)self, (void)key, (void)value, (void)extra;
  if (getpid() != mpi_pid || !dart__world.initialized)
    return MPI_SUCCESS;
  dart__agent_close();
  dart__world.leave(EXIT_SUCCESS);
  return MPI_SUCCESS;
}

static void hear_of_the_end(void)
{
  int key;

  mpi_pid = getpid();
  on_exit(end_of_process, NULL);
  if (mpi_is_ours)
    return;
  DART__MPI(MPI_Comm_create_keyval, MPI_COMM_NULL_COPY_FN, end_of_mpi, &key, NULL);
  DART__MPI(MPI_Comm_set_attr, MPI_COMM_SELF, key, NULL);
  DART__MPI(MPI_Comm_free_keyval, &key);
}

static dart_ret_t start_mpi(int *argc, char ***argv, int wanted, int *provided_out)
{
  int running, finalized;

  DART__MPI(MPI_Initialized, &running);
  skip_symmetric_addresses(running);
  if (running) {
    DART__MPI(MPI_Finalized, &finalized);
    if (finalized) {
      dart__error("dart_init: the program has finalised MPI already");
      return DART_ERR_OTHER;
    }
    DART__MPI(MPI_Query_thread, provided_out);
  }
  else {
    DART__MPI(MPI_Init_thread, argc, argv, wanted, provided_out);
    mpi_is_ours = true;
  }
  if (mpi_pid == 0)
    hear_of_the_end();
  return DART_OK;
}

/* dart-shmem's launcher would get as many programs of one unit. */
static dart_ret_t check_launcher(int nunits)
{
  const char *units = getenv("DART_SHMEM_UNITS");

  if (units == NULL || nunits > 1 || atoi(units) <= 1)
    return DART_OK;
  dart__error("dart-shmem's dartrun started %s units, but this program is linked with dart-mpi: "
              "start it with mpiexec or dart-mpi's dartrun", units);
  return DART_ERR_OTHER;
}

/* How long a unit that waits may sleep: while others ask it for something, it gives its core away but
 * stays awake, if it has one; if not, it sleeps an eighth of the time since they last did. */
static uint32_t pause_us(void)
{
  int64_t quiet = dart__service_quiet_ns();

  if (dart__world.wait.yields > 0)
    return quiet < AWAKE_NS ? 0 : dart__world.wait.nap_us;
  quiet /= 8 * 1000;
  if (quiet >= dart__world.wait.nap_us)
    return dart__world.wait.nap_us;
  return quiet < NAP_US ? NAP_US : (uint32_t)quiet;
}

/* Number the nodes by their first unit, so that everyone has the same numbers. */
static void find_nodes(void)
{
  int first = dart__world.me, node_units;

  if (dart__mpi.node == MPI_COMM_NULL)
    DART__MPI(MPI_Comm_split_type, dart__mpi.world, MPI_COMM_TYPE_SHARED, dart__world.me,
              MPI_INFO_NULL, &dart__mpi.node);
  DART__MPI(MPI_Comm_size, dart__mpi.node, &node_units);
  DART__MPI(MPI_Bcast, &first, 1, MPI_INT, 0, dart__mpi.node);
  DART__MPI(MPI_Allgather, &first, 1, MPI_INT, dart__world.node_of, 1, MPI_INT, dart__mpi.world);
  dart__world.many_nodes = node_units < dart__world.nunits;
  dart__world.wait       = dart__world_wait_policy((uint32_t)node_units,
                                                   dart__world.many_nodes ? dart__port_progress : NULL);
  dart__world.wait.pause_us = pause_us;
}

/* Whether all units have an agent; a unit alone cannot know who serves it. And what follows from it: a
 * put that is collected waits for its unit's next call, and for its target's. With agents on both sides
 * it arrives by itself, so only then is it collected without having been asked for. */
static void find_agents(bool own_runs)
{
  int         all = own_runs;
  MPI_Request request;

  DART__MPI(MPI_Iallreduce, MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, dart__mpi.world, &request);
  dart__mpi_wait(&request);
  dart__mpi.agents = all;
  if (dart__settings.aggregate >= 0)
    dart__mpi.collect = (size_t)dart__settings.aggregate;
  else
    dart__mpi.collect = dart__mpi.agents ? COLLECT_BYTES : 0;
}

/* What carries operations between the nodes. */
static dart_ret_t open_nodes(bool mpi_has_threads)
{
  dart_ret_t ret = dart__port_agree(dart__service_open());

  if (ret == DART_OK)
    ret = dart__mail_open();
  if (ret != DART_OK)
    return ret;
  dart__windows_choose();
  find_agents(dart__agent_open(mpi_has_threads));
  dart__world.far_atomics = dart__settings.atomics == DART__ATOMICS_MPI;
  return DART_OK;
}

static dart_ret_t join(int *argc, char ***argv, dart_thread_support_level_t wanted,
                       dart_thread_support_level_t *provided_out)
{
  int        level, nunits;
  dart_ret_t ret;

  ret = start_mpi(argc, argv,
                  wanted == DART_THREAD_MULTIPLE || dart__settings.progress != DART__PROGRESS_NONE
                      ? MPI_THREAD_MULTIPLE
                      : MPI_THREAD_SINGLE,
                  &level);
  if (ret != DART_OK)
    return ret;
  *provided_out = wanted == DART_THREAD_MULTIPLE && level == MPI_THREAD_MULTIPLE
                      ? DART_THREAD_MULTIPLE
                      : DART_THREAD_SINGLE;

  if (dart__mpi.world == MPI_COMM_NULL)
    DART__MPI(MPI_Comm_dup, MPI_COMM_WORLD, &dart__mpi.world);
  /* duplicates and parts of it inherit this */
  DART__MPI(MPI_Comm_set_errhandler, dart__mpi.world, MPI_ERRORS_RETURN);
  DART__MPI(MPI_Comm_rank, dart__mpi.world, &dart__world.me);
  DART__MPI(MPI_Comm_size, dart__mpi.world, &nunits);
  dart__world.nunits  = nunits;
  dart__world.wait    = dart__world_wait_policy((uint32_t)nunits, NULL);
  dart__world.node_of = calloc((size_t)nunits, sizeof *dart__world.node_of);
  ret                 = check_launcher(nunits);
  if (ret == DART_OK && dart__world.node_of == NULL)
    ret = DART_ERR_NOMEM;
  ret = dart__port_agree(ret);
  if (ret == DART_OK)
    find_nodes();
  if (ret == DART_OK && dart__world.many_nodes)
    ret = open_nodes(level == MPI_THREAD_MULTIPLE);
  return ret;
}

dart_ret_t dart__port_init(int *argc, char ***argv, dart_thread_support_level_t wanted,
                           dart_thread_support_level_t *provided_out)
{
  dart_ret_t ret;

  dart__launcher_tell(DART__UNIT_BEGINS, 0);
  ret = join(argc, argv, wanted, provided_out);
  if (ret == DART_OK)
    dart__launcher_tell(DART__UNIT_MEETS, 0);
  else
    dart__port_exit();
  return ret;
}

void dart__port_exit(void)
{
  dart__agent_close();
  dart__mail_close();
  dart__service_close();
  dart__mpi_type_clear();
  free(dart__world.node_of);
  dart__world.node_of    = NULL;
  dart__world.many_nodes = false;
  dart__world.far_atomics = false;
  dart__world.nunits     = 0;
  dart__world.me         = -1;
  dart__launcher_tell(DART__UNIT_IS_OUT, mpi_is_ours);
}

static void wait_by(const dart__wait_policy_t *policy, MPI_Request *request)
{
  uint32_t turns = 0;
  int      done;

  for (uint32_t looks = 1;; looks++) {
    DART__MPI(MPI_Test, request, &done, MPI_STATUS_IGNORE);
    if (done)
      return;
    if (looks % LOOKS == 0) /* MPI makes progress in between, others are served here */
      dart__wait_turn(&turns, policy);
  }
}

void dart__mpi_wait(MPI_Request *request)
{
  wait_by(&dart__world.wait, request);
}

void dart__mpi_wait_in(const dart__team_t *team, MPI_Request *request)
{
  wait_by(&team->wait, request);
}

dart_ret_t dart__port_agree(dart_ret_t mine)
{
  int         worst = mine;
  MPI_Request request;

  DART__MPI(MPI_Iallreduce, MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, dart__mpi.world, &request);
  dart__mpi_wait(&request);
  return (dart_ret_t)worst;
}

void dart__port_abort(int code)
{
  int running, finalized;

  code = dart__exit_code(code);
  if (MPI_Initialized(&running) == MPI_SUCCESS && running &&
      MPI_Finalized(&finalized) == MPI_SUCCESS && !finalized)
    abort_mpi(code);
  if (getenv("PMI_RANK") != NULL && code != 0)
    raise(SIGKILL); /* Hydra takes no notice of a process that exits before MPI has started */
  _exit(code);
}

void dart__port_fail(int code)
{
  dart__port_abort(code);
}

/* MPI tells more than one line; the first one has its name and version. */
const char *dart__port_description(void)
{
  static char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int         length;

  DART__MPI(MPI_Get_library_version, text, &length);
  for (char *at = text; *at != '\0'; at++)
    if (*at == '\t')
      *at = ' ';
  text[strcspn(text, "\n")] = '\0';
  return text;
}

void dart__port_progress(void)
{
  dart__service_progress(true);
}

void dart__port_push(void)
{
  dart__lanes_send(true);
}

void dart__port_poke(void)
{
  static _Thread_local unsigned calls;

  if (++calls % 32 == 0)
    dart__service_progress(false);
}
