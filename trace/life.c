/* When the layer records: from dart_init, if DART_REPORT or DART_TRACE is set, to dart_exit.
 *
 * A program may have several cycles of init and exit; they are one run, and one report. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "events.h"
#include "layer_settings.h"
#include "observe.h"
#include "trace_memory.h"
#include "trace_report.h"

/* ---- begin ------------------------------------------------------------------------------------- */

/* Find the folder that the variable names, and make it if necessary. NULL: the variable is not set. False, after one
 * line: there is no folder. */
static bool find_folder(const char *variable, char **folder_out)
{
  const char *path = dart__layer_value(variable);

  free(*folder_out);
  *folder_out = NULL;
  if (path == NULL)
    return true;
  if (dart__trace_make_folder(path))
    *folder_out = realpath(path, NULL);
  if (*folder_out == NULL)
    dart__trace_say("%s: cannot make the folder %s: %s", variable, path, strerror(errno));
  return *folder_out != NULL;
}

/* Before DART begins: a program without its report or trace is not to start. */
static bool prepare_trace(void)
{
  dart_layers |= DART_LAYER_TRACE;
  if (pdart_initialized())
    return true; /* DART refuses the call */
  if (dart__trace_events_read_room() && find_folder("DART_REPORT", &dart__trace_job.reports) &&
      find_folder("DART_TRACE", &dart__trace_job.traces))
    return true;
  dart__layer_failed();
  return false;
}

/* The unit of a report or of a thread's events with this name; -1: it is another file. */
static dart_unit_t unit_of(const char *name, bool is_report)
{
  int      unit = -1, length = 0;
  unsigned thread;

  if (is_report)
    sscanf(name, "unit-%d.json%n", &unit, &length);
  else
    sscanf(name, "unit-%d.%u.events%n", &unit, &thread, &length);
  return length > 0 && name[length] == '\0' ? unit : -1;
}

/* Remove what an earlier run has left, so that files of two runs are never read as one: each unit removes its own files,
 * and unit 0 those of units that this run does not have. */
static void clear(const char *path, bool is_report)
{
  DIR           *folder = path != NULL ? opendir(path) : NULL;
  struct dirent *entry;
  bool           was_larger = false;

  while (folder != NULL && (entry = readdir(folder)) != NULL) {
    dart_unit_t unit     = unit_of(entry->d_name, is_report);
    bool        is_other = dart__trace_job.me == 0 && unit >= (dart_unit_t)dart__trace_job.nunits;

    if (unit == dart__trace_job.me || is_other)
      was_larger |= unlinkat(dirfd(folder), entry->d_name, 0) == 0 && is_other;
  }
  if (was_larger)
    dart__trace_say("removed what an earlier run of more units had left in %s", path);
  if (folder != NULL)
    closedir(folder);
}

/* The least unit whose memory is near; this unit is near, too. */
static dart_unit_t least_near(void)
{
  dart_team_unit_t least;
  size_t           n;

  if (pdart_team_near_units(DART_TEAM_ALL, 1, &least, &n) != DART_OK || n == 0)
    return dart__trace_job.me;
  return least.id; /* of DART_TEAM_ALL, so a global id */
}

static dart_hwinfo_t own_place(void)
{
  static const dart_hwinfo_t unknown = { .core_id = -1, .cpu_id = -1, .numa_id = -1 };
  dart_unit_locality_t      *place   = NULL;

  return pdart_unit_locality(DART_TEAM_ALL, DART_TEAM_UNIT_ID(dart__trace_job.me), &place) ==
                 DART_OK
             ? place->hwinfo
             : unknown;
}

static void stop(const char *ended)
{
  atomic_store_explicit(&dart__trace_job.is_on, false, memory_order_relaxed);
  for (dart__trace_thread_t *thread = dart__trace_threads(); thread != NULL; thread = thread->next)
    if (thread->events != NULL)
      dart__trace_events_trim(thread->events);
  dart__trace_report_write(ended);
}

/* The process ends inside a cycle. */
static void at_exit(void)
{
  if (atomic_load_explicit(&dart__trace_job.is_on, memory_order_relaxed))
    stop("exit");
}

static void begin_trace(uint64_t now)
{
  static bool        is_registered;
  dart_global_unit_t me;

  if (dart__trace_job.reports == NULL && dart__trace_job.traces == NULL)
    return;
  if (pdart_myid(&me) != DART_OK || pdart_size(&dart__trace_job.nunits) != DART_OK)
    return;
  dart__trace_job.me    = me.id;
  dart__trace_job.node  = least_near();
  dart__trace_job.place = own_place();
  if (dart__trace_job.begin == 0) { /* the first cycle of this process */
    clear(dart__trace_job.reports, true);
    clear(dart__trace_job.traces, false);
    dart__trace_job.begin = now;
  }
  if (!is_registered)
    is_registered = atexit(at_exit) == 0;
  atomic_store_explicit(&dart__trace_job.is_on, true,
                        memory_order_release); /* pairs with the load in dart__trace_entered */
}

/* Record the call of dart_init itself, too. */
static dart_ret_t begun(dart_ret_t ret, uint16_t call, uint64_t since)
{
  dart__trace_frame_t frame;

  if (ret != DART_OK)
    return ret;
  begin_trace(since);
  frame = dart__trace_entered(call, since);
  if (dart__trace_returned(&frame))
    dart__trace_collective(&frame, DART_TEAM_ALL, -1, 0, DART_TYPE_BYTE);
  dart__trace_leave(&frame);
  return ret;
}

dart_ret_t dart_init(int *argc, char ***argv)
{
  uint64_t since = dart__trace_now();

  if (!prepare_trace())
    return DART_ERR_INVAL;
  return begun(pdart_init(argc, argv), DART__TRACE_dart_init, since);
}

dart_ret_t dart_init_thread(int *argc, char ***argv, dart_thread_support_level_t *thread_safety)
{
  uint64_t since = dart__trace_now();

  if (!prepare_trace())
    return DART_ERR_INVAL;
  return begun(pdart_init_thread(argc, argv, thread_safety), DART__TRACE_dart_init_thread, since);
}

/* ---- end --------------------------------------------------------------------------------------- */

dart_ret_t dart_exit(void)
{
  dart__trace_frame_t frame = dart__trace_enter(DART__TRACE_dart_exit);
  dart_ret_t          ret;

  if (frame.thread != NULL) {
    dart__trace_memory_last(frame.begin);
    dart__trace_report_statistics();
  }
  ret = pdart_exit();
  (void)dart__trace_returned(&frame);
  dart__trace_leave(&frame);
  if (frame.thread != NULL)
    stop("dart_exit");
  return ret;
}

void dart_abort(int errorcode)
{
  if (atomic_load_explicit(&dart__trace_job.is_on, memory_order_relaxed))
    stop("dart_abort");
  pdart_abort(errorcode);
  __builtin_unreachable();
}
