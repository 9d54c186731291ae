/* OTF2, the format that Score-P writes and Vampir reads: an archive FOLDER/otf2/trace.otf2 with a location for each
 * thread.
 *
 * Calls are regions. Each team with collective calls has an RMA window; operations are on the window of all units, and
 * name their target by its global id. A completion has the id of its operation (follow.c). Messages are records of
 * MPI's on the communicator of all units, as OTF2 has no others. */
#include <otf2/otf2.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "names.h"
#include "teams.h"
#include "trace.h"

typedef struct {
  const trace_t        *trace;
  OTF2_Archive         *archive;
  OTF2_GlobalDefWriter *definitions;
  OTF2_StringRef        nstrings;
  teams_t               teams;
  uint64_t             *nevents; /* in each file */
} otf2_t;

/* ---- events ------------------------------------------------------------------------------------ */

/* The first thread of a unit has the unit's number as its location. */
static OTF2_LocationRef location_of(const trace_t *trace, size_t i)
{
  const dart__trace_header_t *header = trace->file[i].header;

  return header->thread == 0 ? (OTF2_LocationRef)header->unit : trace->nunits + i;
}

static OTF2_CollectiveOp collective_of(unsigned call)
{
  static const struct {
    unsigned          call;
    OTF2_CollectiveOp op;
  } table[] = {
    { DART__TRACE_dart_bcast, OTF2_COLLECTIVE_OP_BCAST },
    { DART__TRACE_dart_scatter, OTF2_COLLECTIVE_OP_SCATTER },
    { DART__TRACE_dart_gather, OTF2_COLLECTIVE_OP_GATHER },
    { DART__TRACE_dart_reduce, OTF2_COLLECTIVE_OP_REDUCE },
    { DART__TRACE_dart_allgather, OTF2_COLLECTIVE_OP_ALLGATHER },
    { DART__TRACE_dart_allgatherv, OTF2_COLLECTIVE_OP_ALLGATHERV },
    { DART__TRACE_dart_allreduce, OTF2_COLLECTIVE_OP_ALLREDUCE },
    { DART__TRACE_dart_alltoall, OTF2_COLLECTIVE_OP_ALLTOALL },
    { DART__TRACE_dart_team_memalloc_aligned, OTF2_COLLECTIVE_OP_ALLOCATE },
    { DART__TRACE_dart_team_memalign, OTF2_COLLECTIVE_OP_ALLOCATE },
    { DART__TRACE_dart_team_memfree, OTF2_COLLECTIVE_OP_DEALLOCATE },
  };

  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (table[i].call == call)
      return table[i].op;
  return OTF2_COLLECTIVE_OP_BARRIER;
}

static OTF2_RmaAtomicType atomic_of(unsigned call)
{
  switch (call) {
  case DART__TRACE_dart_compare_and_swap: return OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP;
  case DART__TRACE_dart_fetch_and_op:
  case DART__TRACE_dart_fetch_and_op_typed:
  case DART__TRACE_dart_fetch_and_op_handle: return OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE;
  default: return OTF2_RMA_ATOMIC_TYPE_ACCUMULATE;
  }
}

static void write_atomic(OTF2_EvtWriter *to, uint64_t time, const dart__trace_event_t *event)
{
  OTF2_RmaAtomicType type     = atomic_of(event->call);
  uint64_t           received = type == OTF2_RMA_ATOMIC_TYPE_ACCUMULATE ? 0 : event->bytes;

  OTF2_EvtWriter_RmaAtomic(to, NULL, time, 0, (uint32_t)event->unit, type, event->bytes, received,
                           event->id);
}

static void write_collective(otf2_t *otf2, OTF2_EvtWriter *to, const trace_file_t *file,
                             uint64_t time, const dart__trace_event_t *event)
{
  uint32_t win  = (uint32_t)(event->team > 0 ? otf2->teams.of_id[event->team] : 0);
  uint32_t root = event->unit < 0 ? (uint32_t)OTF2_COLLECTIVE_ROOT_NONE : (uint32_t)event->unit;

  OTF2_EvtWriter_RmaCollectiveBegin(to, NULL, time);
  OTF2_EvtWriter_RmaCollectiveEnd(to, NULL, trace_time(file, event->id), collective_of(event->call),
                                  OTF2_RMA_SYNC_LEVEL_PROCESS, win, root, event->bytes, 0);
}

static OTF2_LockType type_of_lock(const dart__trace_event_t *event)
{
  return event->bytes == 1 ? OTF2_LOCK_SHARED : OTF2_LOCK_EXCLUSIVE;
}

static void write_event(otf2_t *otf2, OTF2_EvtWriter *to, const trace_file_t *file,
                        const dart__trace_event_t *event)
{
  uint64_t time   = trace_time(file, event->time);
  uint32_t remote = event->unit < 0 ? OTF2_UNDEFINED_UINT32 : (uint32_t)event->unit;

  switch (event->kind) {
  case DART__TRACE_ENTER: OTF2_EvtWriter_Enter(to, NULL, time, event->call); break;
  case DART__TRACE_LEAVE: OTF2_EvtWriter_Leave(to, NULL, time, event->call); break;
  case DART__TRACE_RMA_PUT:
    OTF2_EvtWriter_RmaPut(to, NULL, time, 0, remote, event->bytes, event->id);
    break;
  case DART__TRACE_RMA_GET:
    OTF2_EvtWriter_RmaGet(to, NULL, time, 0, remote, event->bytes, event->id);
    break;
  case DART__TRACE_RMA_ATOMIC: write_atomic(to, time, event); break;
  case DART__TRACE_DONE: OTF2_EvtWriter_RmaOpCompleteBlocking(to, NULL, time, 0, event->id); break;
  case DART__TRACE_DONE_HERE:
    OTF2_EvtWriter_RmaOpCompleteNonBlocking(to, NULL, time, 0, event->id);
    break;
  case DART__TRACE_DONE_THERE:
    OTF2_EvtWriter_RmaOpCompleteRemote(to, NULL, time, 0, event->id);
    break;
  case DART__TRACE_ALL_TOGETHER: write_collective(otf2, to, file, time, event); break;
  case DART__TRACE_LOCK:
    OTF2_EvtWriter_RmaAcquireLock(to, NULL, time, 0, remote, event->id, type_of_lock(event));
    break;
  case DART__TRACE_ASK:
    OTF2_EvtWriter_RmaRequestLock(to, NULL, time, 0, remote, event->id, type_of_lock(event));
    break;
  case DART__TRACE_UNLOCK:
    OTF2_EvtWriter_RmaReleaseLock(to, NULL, time, 0, remote, event->id);
    break;
  case DART__TRACE_SENT:
    OTF2_EvtWriter_MpiSend(to, NULL, time, remote, 0, (uint32_t)event->id, event->bytes);
    break;
  case DART__TRACE_RECEIVED:
    OTF2_EvtWriter_MpiRecv(to, NULL, time, remote, 0, (uint32_t)event->id, event->bytes);
    break;
  case DART__TRACE_MEMBER: teams_add_member(&otf2->teams, event); break;
  default: break;
  }
}

static void write_events(otf2_t *otf2, size_t i)
{
  const trace_file_t *file  = &otf2->trace->file[i];
  OTF2_EvtWriter     *to    = OTF2_Archive_GetEvtWriter(otf2->archive, location_of(otf2->trace, i));
  size_t              nopen = trace_open_calls(file);

  teams_forget_ids(&otf2->teams);
  for (size_t e = 0; e < file->n; e++)
    write_event(otf2, to, file, &file->event[e]);
  for (; nopen > 0; nopen--) /* a thread may end inside a call */
    OTF2_EvtWriter_Leave(to, NULL, trace_time(file, file->event[file->n - 1].time),
                         file->event[file->n - 1].call);
  OTF2_EvtWriter_GetNumberOfEvents(to, &otf2->nevents[i]);
  OTF2_Archive_CloseEvtWriter(otf2->archive, to);
}

/* ---- definitions ------------------------------------------------------------------------------- */

static OTF2_StringRef string(otf2_t *otf2, const char *text)
{
  OTF2_GlobalDefWriter_WriteString(otf2->definitions, otf2->nstrings, text);
  return otf2->nstrings++;
}

static OTF2_StringRef numbered(otf2_t *otf2, const char *word, long number)
{
  char text[64];

  snprintf(text, sizeof text, "%s %ld", word, number);
  return string(otf2, text);
}

static void define_regions(otf2_t *otf2)
{
  OTF2_StringRef none = string(otf2, "");

  for (unsigned call = 0; call < DART__TRACE_NCALLS; call++) {
    OTF2_StringRef  name = string(otf2, trace_call(call));
    OTF2_RegionRole role =
        call == DART__TRACE_dart_barrier ? OTF2_REGION_ROLE_BARRIER : OTF2_REGION_ROLE_FUNCTION;

    OTF2_GlobalDefWriter_WriteRegion(otf2->definitions, call, name, name, none, role,
                                     OTF2_PARADIGM_UNKNOWN, OTF2_REGION_FLAG_NONE, none, 0, 0);
  }
}

/* The file of a unit's first thread; NULL: there is none. */
static const trace_file_t *first_of(const trace_t *trace, uint32_t unit)
{
  for (size_t i = 0; i < trace->nfiles; i++)
    if ((uint32_t)trace->file[i].header->unit == unit && trace->file[i].header->thread == 0)
      return &trace->file[i];
  return NULL;
}

/* The tree node of a unit's node. The job is node 0; a node has the number of its least unit plus 1. */
static OTF2_SystemTreeNodeRef tree_of(const trace_t *trace, uint32_t unit)
{
  const trace_file_t *file = first_of(trace, unit);

  return 1 + (file != NULL ? (uint32_t)file->header->node : unit);
}

/* Define the job, and for each unit a process and a tree node. The tree node is used if the unit is the least of its
 * node. */
static void define_units(otf2_t *otf2)
{
  OTF2_StringRef machine = string(otf2, "machine"), node = string(otf2, "node");
  uint32_t       nunits = otf2->trace->nunits;

  OTF2_GlobalDefWriter_WriteSystemTreeNode(otf2->definitions, 0, string(otf2, "job"), machine,
                                           OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  for (uint32_t unit = 0; unit < nunits; unit++) {
    const trace_file_t *file = first_of(otf2->trace, unit);
    OTF2_StringRef      host = string(otf2, file != NULL ? file->header->host : "unknown");

    OTF2_GlobalDefWriter_WriteSystemTreeNode(otf2->definitions, 1 + unit, host, node, 0);
  }
  for (uint32_t unit = 0; unit < nunits; unit++)
    OTF2_GlobalDefWriter_WriteLocationGroup(
        otf2->definitions, unit, numbered(otf2, "unit", unit), OTF2_LOCATION_GROUP_TYPE_PROCESS,
        tree_of(otf2->trace, unit), OTF2_UNDEFINED_LOCATION_GROUP);
}

/* Define the units that have left no file, as groups contain them, too. */
static void define_missing(otf2_t *otf2)
{
  for (uint32_t unit = 0; unit < otf2->trace->nunits; unit++)
    if (first_of(otf2->trace, unit) == NULL)
      OTF2_GlobalDefWriter_WriteLocation(otf2->definitions, unit, numbered(otf2, "unit", unit),
                                         OTF2_LOCATION_TYPE_CPU_THREAD, 0, unit);
}

static void define_threads(otf2_t *otf2)
{
  for (size_t i = 0; i < otf2->trace->nfiles; i++) {
    const dart__trace_header_t *header   = otf2->trace->file[i].header;
    OTF2_LocationRef            location = location_of(otf2->trace, i);
    OTF2_DefWriter             *local    = OTF2_Archive_GetDefWriter(otf2->archive, location);

    OTF2_GlobalDefWriter_WriteLocation(
        otf2->definitions, location, numbered(otf2, "thread", header->thread),
        OTF2_LOCATION_TYPE_CPU_THREAD, otf2->nevents[i], (uint32_t)header->unit);
    OTF2_Archive_CloseDefWriter(otf2->archive, local);
  }
}

/* Group 0 contains the locations of all groups. Then come a group, a communicator and a window for each team. */
static void define_teams(otf2_t *otf2)
{
  const team_t *all = &otf2->teams.team[0];

  OTF2_GlobalDefWriter_WriteGroup(otf2->definitions, 0, string(otf2, "units"),
                                  OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_UNKNOWN,
                                  OTF2_GROUP_FLAG_NONE, (uint32_t)all->nmembers, all->member);
  for (uint32_t i = 0; i < otf2->teams.n; i++) {
    const team_t  *team = &otf2->teams.team[i];
    OTF2_StringRef name = numbered(otf2, "team", team->id);

    OTF2_GlobalDefWriter_WriteGroup(otf2->definitions, 1 + i, name, OTF2_GROUP_TYPE_COMM_GROUP,
                                    OTF2_PARADIGM_UNKNOWN, OTF2_GROUP_FLAG_NONE,
                                    (uint32_t)team->nmembers, team->member);
    OTF2_GlobalDefWriter_WriteComm(otf2->definitions, i, name, 1 + i,
                                   i == 0 ? OTF2_UNDEFINED_COMM : 0, OTF2_COMM_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteRmaWin(otf2->definitions, i, name, i, OTF2_RMA_WIN_FLAG_NONE);
  }
}

static void define(otf2_t *otf2)
{
  const trace_t *trace = otf2->trace;

  otf2->definitions = OTF2_Archive_GetGlobalDefWriter(otf2->archive);
  OTF2_GlobalDefWriter_WriteClockProperties(otf2->definitions, 1000000000, trace->begin,
                                            trace->end - trace->begin + 1, trace->begin);
  define_regions(otf2);
  define_units(otf2);
  define_missing(otf2);
  define_threads(otf2);
  define_teams(otf2);
}

/* ---- the archive ------------------------------------------------------------------------------- */

static OTF2_FlushType flush_buffers(void *data, OTF2_FileType type, OTF2_LocationRef location,
                                    void *caller, bool is_final)
{
  (void)data, (void)type, (void)location, (void)caller, (void)is_final;
  return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flushes = { .otf2_pre_flush = flush_buffers };

/* Whether OTF2 gives a location's file this name. */
static bool is_of_location(const char *name)
{
  size_t ndigits = strspn(name, "0123456789");

  return ndigits > 0 &&
         (strcmp(name + ndigits, ".evt") == 0 || strcmp(name + ndigits, ".def") == 0);
}

/* Remove the archive that an earlier call has made: OTF2 would write the definitions of the new one beside its events.
 * Other files stay. 0, or the errno of what failed. */
static int remove_archive(const char *folder)
{
  static const char *const names[] = { "trace.otf2", "trace.def", "trace.marker" };
  char                     path[4096];
  DIR                     *locations;
  struct dirent           *entry;
  int                      error = 0;

  snprintf(path, sizeof path, "%s/otf2/trace", folder);
  locations = opendir(path);
  while (locations != NULL && (entry = readdir(locations)) != NULL)
    if (is_of_location(entry->d_name) && unlinkat(dirfd(locations), entry->d_name, 0) != 0)
      error = errno;
  if (locations != NULL)
    closedir(locations);
  rmdir(path); /* OTF2 says an error of a folder that is there; one with other files stays */
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    snprintf(path, sizeof path, "%s/otf2/%s", folder, names[i]);
    if (unlink(path) != 0 && errno != ENOENT && errno != ENOTDIR)
      error = errno;
  }
  return error;
}

static OTF2_Archive *open_archive(const char *folder)
{
  char          path[4096];
  OTF2_Archive *archive;

  snprintf(path, sizeof path, "%s/otf2", folder);
  archive = OTF2_Archive_Open(path, "trace", OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20,
                              OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive == NULL)
    return NULL;
  OTF2_Archive_SetFlushCallbacks(archive, &flushes, NULL);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_SetCreator(archive, "dart-trace");
  return archive;
}

static int write_otf2(const trace_t *trace, const char *folder)
{
  otf2_t otf2  = { .trace = trace };
  int    error = remove_archive(folder);

  if (error != 0) {
    trace_say("%s/otf2: the archive that is there cannot be removed: %s", folder, strerror(error));
    return -1;
  }
  otf2.archive = open_archive(folder);
  if (otf2.archive == NULL) {
    trace_say("%s/otf2: cannot make an archive", folder); /* OTF2 has printed the reason */
    return -1;
  }
  otf2.teams   = teams_make(trace->nunits);
  otf2.nevents = calloc(trace->nfiles, sizeof otf2.nevents[0]);
  if (otf2.nevents == NULL)
    return -1;
  OTF2_Archive_OpenEvtFiles(otf2.archive);
  for (size_t i = 0; i < trace->nfiles; i++)
    write_events(&otf2, i);
  teams_forget_ids(&otf2.teams);
  OTF2_Archive_OpenDefFiles(otf2.archive);
  define(&otf2);
  OTF2_Archive_CloseDefFiles(otf2.archive);
  OTF2_Archive_CloseEvtFiles(otf2.archive);
  teams_free(&otf2.teams);
  free(otf2.nevents);
  return OTF2_Archive_Close(otf2.archive) == OTF2_SUCCESS ? 0 : -1;
}

const trace_form_t trace_otf2 = { "otf2", "otf2/trace.otf2", write_otf2 };
