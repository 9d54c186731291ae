/* A file is mapped as a whole, and its blocks are allocated in steps, before they are written to. So its contents stay
 * readable however the process ends, and a full disk is an error of a call, not of a store. The number of events is
 * raised after each event, so all events below it are complete. */
#include "events.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "layer_settings.h"
#include "names.h"
#include "trace_job.h"

enum {
  STEP      = 1 << 15, /* events; a file grows by this many at a time */
  ROOM      = 64,      /* events that a call has room for, at least */
  USUAL_MIB = 64
};

struct dart__trace_events {
  dart__trace_header_t *header;
  dart__trace_event_t  *event;
  size_t                n, room, most; /* events written, with blocks, and at most */
  int                   file;
  uint64_t             *pending; /* a set, in no order */
  size_t                npending, pending_room;
  uint64_t             *remembered;
  size_t                nremembered, remembered_room;
};

/* ---- the file ---------------------------------------------------------------------------------- */

static size_t most_events; /* of a file */

bool dart__trace_events_read_room(void)
{
  const char   *text    = getenv("DART_TRACE_BUFFER");
  unsigned long mib     = USUAL_MIB;
  bool          is_good = text == NULL || dart__trace_read_mib(text, &mib);

  most_events = ((size_t)mib << 20) / sizeof(dart__trace_event_t);
  if (!is_good)
    dart__trace_say("DART_TRACE_BUFFER is '%s'; it may be " DART__TRACE_BUFFER_MAY_BE, text);
  return is_good;
}

static int64_t to_real_time(void)
{
  struct timespec real;

  clock_gettime(CLOCK_REALTIME, &real);
  return (int64_t)real.tv_sec * 1000000000 + real.tv_nsec - (int64_t)dart__trace_now();
}

static void fill_header(dart__trace_header_t *header, unsigned thread)
{
  snprintf(header->version, sizeof header->version, "%s", DART_VERSION_STR);
  snprintf(header->host, sizeof header->host, "%.63s", dart__trace_job.place.host);
  snprintf(header->program, sizeof header->program, "%.63s", program_invocation_short_name);
  header->ncalls       = DART__TRACE_NCALLS;
  header->nunits       = (uint32_t)dart__trace_job.nunits;
  header->unit         = dart__trace_job.me;
  header->node         = dart__trace_job.node;
  header->thread       = thread;
  header->to_real_time = to_real_time();
  memcpy(header->magic, DART__TRACE_MAGIC, sizeof header->magic);
}

/* Allocate blocks for one more step. False: there is no room. */
static bool grow(dart__trace_events_t *events)
{
  size_t room = events->n + STEP < events->most ? events->n + STEP : events->most;
  off_t  from = (off_t)(DART__TRACE_HEADER_BYTES + events->room * sizeof(dart__trace_event_t));

  if (room <= events->room ||
      posix_fallocate(events->file, from,
                      (off_t)((room - events->room) * sizeof(dart__trace_event_t))) != 0)
    return false;
  events->room = room;
  return true;
}

static bool map_events(dart__trace_events_t *events, unsigned thread)
{
  size_t nbytes;
  char  *first;

  events->most = most_events;
  nbytes       = DART__TRACE_HEADER_BYTES + events->most * sizeof(dart__trace_event_t);
  if (posix_fallocate(events->file, 0, DART__TRACE_HEADER_BYTES) != 0)
    return false;
  first = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, events->file, 0);
  if (first == MAP_FAILED)
    return false;
  events->header = (dart__trace_header_t *)(void *)first;
  events->event  = (dart__trace_event_t *)(void *)(first + DART__TRACE_HEADER_BYTES);
  fill_header(events->header, thread);
  return true;
}

dart__trace_events_t *dart__trace_events_open(unsigned thread)
{
  dart__trace_events_t *events = calloc(1, sizeof *events);
  char                  path[4096];

  if (events == NULL)
    return NULL;
  snprintf(path, sizeof path, "%s/unit-%d.%u.events", dart__trace_job.traces, dart__trace_job.me,
           thread);
  events->file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (events->file >= 0 && map_events(events, thread))
    return events;
  dart__trace_say("cannot write %s: %s", path, strerror(errno));
  if (events->file >= 0)
    close(events->file);
  free(events);
  return NULL;
}

/* ---- events ------------------------------------------------------------------------------------ */

bool dart__trace_events_have_room(dart__trace_events_t *events)
{
  if (events->room - events->n >= ROOM || (grow(events) && events->room - events->n >= ROOM))
    return true;
  atomic_fetch_add_explicit(&events->header->ndropped, 1, memory_order_relaxed);
  return false;
}

static void put(dart__trace_events_t *events, const dart__trace_event_t *event)
{
  events->event[events->n++] = *event;
  /* release: a reader of the number sees the events below it */
  atomic_store_explicit(&events->header->nevents, events->n, memory_order_release);
}

void dart__trace_events_append(dart__trace_events_t *events, const dart__trace_event_t *event)
{
  if (events->room - events->n >= 2 || grow(events))
    put(events, event);
}

void dart__trace_events_leave(dart__trace_events_t *events, uint16_t call, uint64_t time)
{
  const dart__trace_event_t event = { .time = time,
                                      .kind = DART__TRACE_LEAVE,
                                      .call = call & 0xfff };

  put(events, &event);
}

void dart__trace_events_trim(dart__trace_events_t *events)
{
  if (ftruncate(events->file,
                (off_t)(DART__TRACE_HEADER_BYTES + events->n * sizeof(dart__trace_event_t))) == 0)
    events->room = events->n;
}

/* ---- incomplete operations --------------------------------------------------------------------- */

/* Make room for `n` numbers in `*array`. False: there is no memory. */
static bool make_room(uint64_t **array, size_t *room, size_t n)
{
  uint64_t *larger;

  if (n <= *room)
    return true;
  larger = realloc(*array, 2 * n * sizeof **array);
  if (larger == NULL)
    return false;
  *array = larger;
  *room  = 2 * n;
  return true;
}

void dart__trace_events_pending(dart__trace_events_t *events, uint64_t id)
{
  for (size_t i = events->npending; i-- > 0;) /* usually one of the last */
    if (events->pending[i] == id)
      return;
  if (make_room(&events->pending, &events->pending_room, events->npending + 1))
    events->pending[events->npending++] = id;
}

void dart__trace_events_each(dart__trace_events_t *events,
                             bool (*act)(dart__trace_events_t *, uint64_t id, void *argument),
                             void *argument)
{
  size_t kept = 0;

  for (size_t i = 0; i < events->npending; i++)
    if (!act(events, events->pending[i], argument))
      events->pending[kept++] = events->pending[i];
  events->npending = kept;
}

uint64_t *dart__trace_events_remember(dart__trace_events_t *events, size_t n)
{
  events->nremembered = 0;
  if (!make_room(&events->remembered, &events->remembered_room, n))
    return NULL;
  events->nremembered = n;
  return events->remembered;
}

size_t dart__trace_events_remembered(dart__trace_events_t *events, const uint64_t **numbers)
{
  *numbers = events->remembered;
  return events->nremembered;
}
