/* The events of a call between its beginning and its end: operations and the calls that complete them; collective
 * calls; locks.
 *
 * An operation and its completion have the same id. Operations that flushes complete share one id for each target,
 * segment and context (or none), since an epoch completes those of one segment. A flush completes those of all segments
 * of a team, or those of the pool. An operation with a handle has an id made of the handle. One that is complete when
 * its call returns has a new id. */
#include "events.h"
#include "observe.h"
#include "trace_context.h"

/* Bits of an id: what it names; for a portion, the team, segment, context and unit, or EACH for all units. */
static const uint64_t OF_A_HANDLE = (uint64_t)1 << 63, OF_A_CALL = (uint64_t)1 << 62;

enum {
  TEAM_SHIFT    = 46,
  SEGMENT_SHIFT = 30,
  CONTEXT_SHIFT = 24,
  EACH          = (1 << CONTEXT_SHIFT) - 1,
  ANY_CONTEXT   = (1 << SEGMENT_SHIFT) - 1 - EACH
};

static uint64_t id_of(dart_gptr_t gptr, uint32_t unit)
{
  return (uint64_t)(uint16_t)gptr.teamid << TEAM_SHIFT |
         (uint64_t)(uint16_t)gptr.segid << SEGMENT_SHIFT | (unit & EACH);
}

dart_unit_t dart__trace_unit_of(dart_gptr_t gptr)
{
  dart_global_unit_t unit;

  if (gptr.teamid == DART_TEAM_ALL)
    return gptr.unitid;
  return pdart_team_unit_l2g(gptr.teamid, DART_TEAM_UNIT_ID(gptr.unitid), &unit) == DART_OK
             ? unit.id
             : -1;
}

static void append_event(const dart__trace_frame_t *frame, dart__trace_event_kind_t kind,
                         uint64_t time, dart_unit_t unit, uint64_t nbytes, uint64_t id)
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
    id = id_of(gptr, (uint32_t)gptr.unitid) | (uint64_t)dart__trace_context_of(gptr.teamid)
                                                  << CONTEXT_SHIFT;
  append_event(frame, event_of(kind), frame->begin, unit, nbytes, id);
  if (is_complete)
    append_event(frame, DART__TRACE_DONE, frame->end, unit, 0, id);
  else if (way == DART__TRACE_BY_FLUSH)
    dart__trace_events_pending(frame->events, id);
}

/* ---- completion -------------------------------------------------------------------------------- */

/* What a call completes: the operations on the portion of a unit, or of EACH, in a segment; for a flush, in all its
 * segments. In one context, or in any and none. */
typedef struct {
  const dart__trace_frame_t *frame;
  uint64_t                   id; /* of a portion */
  bool                       is_flush, remotely;
  unsigned                   context; /* 0: any, and none */
} end_t;

static bool is_ended_by(uint64_t id, const end_t *end)
{
  const uint64_t each = EACH, segment = (uint64_t)UINT16_MAX << SEGMENT_SHIFT;
  const uint64_t differs = (id ^ end->id) & ~(uint64_t)ANY_CONTEXT;

  if (end->context != 0 && (id & ANY_CONTEXT) >> CONTEXT_SHIFT != end->context)
    return false;
  if ((end->id & each) != each && (differs & each) != 0)
    return false;
  if (end->context != 0) /* a context covers all segments of its team, and the pool */
    return (differs & ~each & ~segment) == 0;
  if (end->is_flush)
    return (differs & ~each & ~segment) == 0 && ((id & segment) == 0) == ((end->id & segment) == 0);
  return (differs & ~each) == 0;
}

/* True: no other call will complete it. After the end of an epoch, no flush does. */
static bool complete_operation(dart__trace_events_t *events, uint64_t id, void *argument)
{
  const end_t *end = argument;

  (void)events;
  if (!is_ended_by(id, end))
    return false;
  append_event(end->frame, end->remotely ? DART__TRACE_DONE_THERE : DART__TRACE_DONE_HERE,
               end->frame->end, -1, 0, id);
  return end->remotely || !end->is_flush;
}

static void complete_all(const dart__trace_frame_t *frame, uint64_t id, bool is_flush,
                         bool remotely)
{
  end_t end = { frame, id, is_flush, remotely, 0 };

  if (frame->events != NULL)
    dart__trace_events_each(frame->events, complete_operation, &end);
}

void dart__trace_flushed(const dart__trace_frame_t *frame, dart_gptr_t gptr, bool remotely)
{
  complete_all(frame, id_of(gptr, (uint32_t)gptr.unitid), true, remotely);
}

void dart__trace_flushed_all(const dart__trace_frame_t *frame, dart_gptr_t gptr, bool remotely)
{
  complete_all(frame, id_of(gptr, EACH), true, remotely);
}

void dart__trace_context_flushed(const dart__trace_frame_t *frame, dart_context_t context,
                                 dart_unit_t unit, bool remotely)
{
  end_t       end  = { .frame = frame, .is_flush = true, .remotely = remotely };
  dart_gptr_t gptr = DART_GPTR_NULL;

  gptr.segid  = 0;
  end.context = dart__trace_context(context, &gptr.teamid);
  end.id      = id_of(gptr, unit < 0 ? EACH : (uint32_t)unit);
  if (frame->events != NULL && end.context != 0)
    dart__trace_events_each(frame->events, complete_operation, &end);
}

void dart__trace_context_tested(const dart__trace_frame_t *frame, dart_context_t context,
                                int is_complete)
{
  if (is_complete)
    dart__trace_context_flushed(frame, context, -1, true);
}

void dart__trace_context_ended(const dart__trace_frame_t *frame, const dart_context_t *context)
{
  if (context == NULL || *context == DART_CONTEXT_NULL)
    return;
  dart__trace_context_flushed(frame, *context, -1, true);
  dart__trace_context_forget(*context);
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
      append_event(frame, DART__TRACE_DONE, frame->end, -1, 0, OF_A_HANDLE | ids[i]);
}

/* ---- collective calls, locks ------------------------------------------------------------------- */

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
    append_event(frame, DART__TRACE_LOCK, frame->end, unit, 0, lock);
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
    append_event(frame, DART__TRACE_UNLOCK, frame->begin, unit, 0, lock);
}

uint64_t dart__trace_lock_at(dart_gptr_t gptr)
{
  return (uint64_t)(uint16_t)gptr.teamid << 48 | (uint64_t)(uint16_t)gptr.segid << 32 |
         ((uint64_t)(uint32_t)gptr.unitid << 20 ^ (gptr.addr_or_offs.offset & UINT32_MAX));
}

/* ---- epochs, ranges ---------------------------------------------------------------------------- */

void dart__trace_fenced(const dart__trace_frame_t *frame, dart_gptr_t gptr)
{
  dart__trace_together(frame, gptr.teamid, -1, 0);
  complete_all(frame, id_of(gptr, EACH), false, false);
}

void dart__trace_ended(const dart__trace_frame_t *frame, dart_gptr_t gptr)
{
  complete_all(frame, id_of(gptr, EACH), false, false);
}

/* The number of the lock of a portion, or of all portions of a segment; no other lock has it. */
static uint64_t epoch_lock(uint64_t id)
{
  return OF_A_HANDLE | id;
}

static void ask(const dart__trace_frame_t *frame, dart_unit_t unit, uint64_t id, bool is_shared)
{
  if (frame->events != NULL)
    append_event(frame, DART__TRACE_ASK, frame->begin, unit, is_shared, epoch_lock(id));
}

static void end_lock(const dart__trace_frame_t *frame, dart_unit_t unit, uint64_t id,
                     int assertions)
{
  complete_all(frame, id, false, (assertions & DART_EPOCH_LAZY) == 0);
  if (frame->events != NULL)
    append_event(frame, DART__TRACE_UNLOCK, frame->end, unit, 0, epoch_lock(id));
}

void dart__trace_epoch_locked(const dart__trace_frame_t *frame, dart_gptr_t gptr,
                              dart_epoch_lock_t kind)
{
  ask(frame, dart__trace_unit_of(gptr), id_of(gptr, (uint32_t)gptr.unitid),
      kind == DART_EPOCH_SHARED);
}

void dart__trace_epoch_locked_all(const dart__trace_frame_t *frame, dart_gptr_t gptr)
{
  ask(frame, -1, id_of(gptr, EACH), true);
}

void dart__trace_epoch_unlocked(const dart__trace_frame_t *frame, dart_gptr_t gptr, int assertions)
{
  end_lock(frame, dart__trace_unit_of(gptr), id_of(gptr, (uint32_t)gptr.unitid), assertions);
}

void dart__trace_epoch_unlocked_all(const dart__trace_frame_t *frame, dart_gptr_t gptr,
                                    int assertions)
{
  end_lock(frame, -1, id_of(gptr, EACH), assertions);
}

void dart__trace_held(const dart__trace_frame_t *frame, dart_range_hold_t hold,
                      const dart_range_span_t spans[], size_t n)
{
  bool is_shared = true;

  for (size_t i = 0; i < n; i++)
    is_shared &= spans[i].mode == DART_RANGE_SHARED;
  if (frame->events != NULL && hold != DART_RANGE_HOLD_NULL)
    append_event(frame, DART__TRACE_LOCK, frame->end, -1, is_shared, (uintptr_t)hold);
}

void dart__trace_releasing(const dart__trace_frame_t *frame, const dart_range_hold_t *hold)
{
  uint64_t *number;

  if (frame->events == NULL)
    return;
  number = dart__trace_events_remember(frame->events, hold != NULL);
  if (number != NULL && hold != NULL)
    *number = (uintptr_t)*hold;
}

void dart__trace_released(const dart__trace_frame_t *frame)
{
  const uint64_t *hold;

  if (frame->events != NULL && dart__trace_events_remembered(frame->events, &hold) == 1 &&
      *hold != 0)
    append_event(frame, DART__TRACE_UNLOCK, frame->begin, -1, 0, *hold);
}

/* ---- messages, teams --------------------------------------------------------------------------- */

void dart__trace_sent(const dart__trace_frame_t *frame, dart_unit_t unit, int tag, uint64_t nbytes,
                      bool is_received)
{
  if (frame->events != NULL)
    append_event(frame, is_received ? DART__TRACE_RECEIVED : DART__TRACE_SENT,
                 is_received ? frame->end : frame->begin, unit, nbytes, (uint32_t)tag);
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
