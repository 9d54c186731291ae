/* The events of a call between its beginning and its end: operations, and which call completes them; collective calls;
 * locks.
 *
 * An operation has an id that its completion has, too. Those that flushes complete share one: all of this unit
 * on a target of a team, in the pool or in its other memory, which is what a flush is about. One with a handle
 * has an id made of that, and one that is complete on return has an id of its own. */
#include "events.h"
#include "observe.h"

static const uint64_t OF_A_HANDLE = (uint64_t)1 << 63, OF_A_CALL = (uint64_t)1 << 62;

/* `id` without its target: the memory that a flush of all is about. */
static uint64_t area_of(dart_gptr_t gptr)
{
  return (uint64_t)(uint16_t)gptr.teamid << 33 | (uint64_t)(gptr.segid == 0) << 32;
}

static uint64_t id_of(dart_gptr_t gptr)
{
  return area_of(gptr) | (uint32_t)gptr.unitid;
}

static void append(const dart__trace_frame_t *frame, dart__trace_event_kind_t kind, uint64_t time,
                   dart_unit_t unit, uint64_t nbytes, uint64_t id)
{
  const dart__trace_event_t event = { .time  = time,
                                      .kind  = (unsigned)kind & 0xf,
                                      .call  = frame->call & 0xfff,
                                      .unit  = unit,
                                      .bytes = nbytes,
                                      .id    = id };

  dart__trace_events_append(frame->events, &event);
}

/* ---- operations -------------------------------------------------------------------------------- */

static dart__trace_event_kind_t event_of(dart__trace_kind_t kind)
{
  switch (kind) {
  case DART__TRACE_GET: return DART__TRACE_RMA_GET;
  case DART__TRACE_ATOMIC: return DART__TRACE_RMA_ATOMIC;
  default: return DART__TRACE_RMA_PUT;
  }
}

void dart__trace_follow(const dart__trace_frame_t *frame, dart__trace_kind_t kind, dart_gptr_t gptr,
                        dart_unit_t unit, uint64_t nbytes, dart__trace_way_t way,
                        dart_handle_t handle)
{
  bool     is_complete = way != DART__TRACE_BY_FLUSH && handle == DART_HANDLE_NULL;
  uint64_t id;

  if (frame->events == NULL)
    return;
  if (is_complete)
    id = OF_A_CALL | dart__trace_get(&frame->thread->call[frame->call].count) << 16 | frame->call;
  else if (way == DART__TRACE_BY_HANDLE)
    id = OF_A_HANDLE | (uintptr_t)handle;
  else
    id = id_of(gptr);
  append(frame, event_of(kind), frame->begin, unit, nbytes, id);
  if (is_complete)
    append(frame, DART__TRACE_DONE, frame->end, unit, 0, id);
  else if (way == DART__TRACE_BY_FLUSH)
    dart__trace_events_pending(frame->events, id);
}

/* ---- completion -------------------------------------------------------------------------------- */

typedef struct {
  const dart__trace_frame_t *frame;
  uint64_t                   id, mask; /* those whose bits of `mask` are those of `id` */
  bool                       remotely;
} flush_t;

static bool complete(dart__trace_events_t *events, uint64_t id, void *argument)
{
  const flush_t *flush = argument;

  (void)events;
  if ((id & flush->mask) != flush->id)
    return false;
  append(flush->frame, flush->remotely ? DART__TRACE_DONE_THERE : DART__TRACE_DONE_HERE,
         flush->frame->end, (dart_unit_t)(uint32_t)id, 0, id);
  return flush->remotely;
}

void dart__trace_flushed(const dart__trace_frame_t *frame, dart_gptr_t gptr, bool remotely)
{
  flush_t flush = { frame, id_of(gptr), UINT64_MAX, remotely };

  if (frame->events != NULL)
    dart__trace_events_each(frame->events, complete, &flush);
}

void dart__trace_flushed_all(const dart__trace_frame_t *frame, dart_gptr_t gptr, bool remotely)
{
  flush_t flush = { frame, area_of(gptr), ~(uint64_t)UINT32_MAX, remotely };

  if (frame->events != NULL)
    dart__trace_events_each(frame->events, complete, &flush);
}

void dart__trace_handles(const dart__trace_frame_t *frame, const dart_handle_t *handles, size_t n)
{
  uint64_t *ids;

  if (frame->events == NULL)
    return;
  ids = dart__trace_events_remember(frame->events, handles != NULL ? n : 0);
  for (size_t i = 0; ids != NULL && handles != NULL && i < n; i++)
    ids[i] = (uintptr_t)handles[i];
}

void dart__trace_waited(const dart__trace_frame_t *frame, int is_complete)
{
  const uint64_t *ids;
  size_t          n;

  if (frame->events == NULL || !is_complete)
    return;
  n = dart__trace_events_remembered(frame->events, &ids);
  for (size_t i = 0; i < n; i++)
    if (ids[i] != 0)
      append(frame, DART__TRACE_DONE, frame->end, -1, 0, OF_A_HANDLE | ids[i]);
}

/* ---- collective calls, locks, teams ------------------------------------------------------------ */

void dart__trace_together(const dart__trace_frame_t *frame, dart_team_t team, dart_unit_t root,
                          uint64_t nbytes)
{
  const dart__trace_event_t event = { .time  = frame->begin,
                                      .kind  = DART__TRACE_ALL_TOGETHER,
                                      .call  = frame->call & 0xfff,
                                      .team  = team,
                                      .unit  = root,
                                      .bytes = nbytes,
                                      .id    = frame->end };

  if (frame->events != NULL && team != DART_TEAM_NULL)
    dart__trace_events_append(frame->events, &event);
}

void dart__trace_locked(const dart__trace_frame_t *frame, dart_unit_t unit, uint64_t lock)
{
  if (frame->events != NULL)
    append(frame, DART__TRACE_LOCK, frame->end, unit, 0, lock);
}

void dart__trace_tried(const dart__trace_frame_t *frame, dart_unit_t unit, uint64_t lock,
                       int is_had)
{
  if (is_had)
    dart__trace_locked(frame, unit, lock);
}

void dart__trace_unlocked(const dart__trace_frame_t *frame, dart_unit_t unit, uint64_t lock)
{
  if (frame->events != NULL)
    append(frame, DART__TRACE_UNLOCK, frame->begin, unit, 0, lock);
}

uint64_t dart__trace_lock_at(dart_gptr_t gptr)
{
  return (uint64_t)(uint16_t)gptr.teamid << 48 | (uint64_t)(uint16_t)gptr.segid << 32 |
         ((uint64_t)(uint32_t)gptr.unitid << 20 ^ (gptr.addr_or_offs.offset & UINT32_MAX));
}

void dart__trace_team(const dart__trace_frame_t *frame, dart_team_t team)
{
  dart__trace_event_t event = {
    .time = frame->end, .kind = DART__TRACE_MEMBER, .call = frame->call & 0xfff, .team = team
  };
  dart_global_unit_t unit;
  size_t             size;

  if (frame->events == NULL || team == DART_TEAM_NULL || pdart_team_size(team, &size) != DART_OK)
    return;
  event.bytes = size;
  for (size_t i = 0; i < size; i++)
    if (pdart_team_unit_l2g(team, DART_TEAM_UNIT_ID((dart_unit_t)i), &unit) == DART_OK) {
      event.unit = unit.id;
      event.id   = i;
      dart__trace_events_append(frame->events, &event);
    }
}
