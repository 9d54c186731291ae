/* Counts calls and the bytes that they move, in the tables of the calling thread. */
#include "observe.h"

#include "events.h"
#include "trace_memory.h"
#include "trace_report.h"
#include "trace_type.h"

/* The events of a thread; NULL if there is no room for those of a call. */
static dart__trace_events_t *events_of(dart__trace_thread_t *thread)
{
  if (thread->events == NULL && !thread->has_no_events) {
    thread->events        = dart__trace_events_open(thread->number);
    thread->has_no_events = thread->events == NULL;
  }
  return thread->events != NULL && dart__trace_events_have_room(thread->events) ? thread->events
                                                                                : NULL;
}

static void enter_call(const dart__trace_frame_t *frame)
{
  const dart__trace_event_t event = { .time = frame->begin,
                                      .kind = DART__TRACE_ENTER,
                                      .call = frame->call & 0xfff };

  dart__trace_events_append(frame->events, &event);
}

dart__trace_frame_t dart__trace_enter(uint16_t call)
{
  return dart__trace_entered(call, 0);
}

dart__trace_frame_t dart__trace_entered(uint16_t call, uint64_t since)
{
  dart__trace_frame_t frame = { .call = call };

  /* acquire: pairs with dart_init's store, after which the job is known */
  if (!atomic_load_explicit(&dart__trace_job.is_on, memory_order_acquire))
    return frame;
  frame.thread = dart__trace_self();
  if (dart__trace_job.traces != NULL && frame.thread != NULL)
    frame.events = events_of(frame.thread);
  frame.begin = since != 0 ? since : dart__trace_now();
  if (frame.events != NULL)
    enter_call(&frame);
  return frame;
}

bool dart__trace_returned(dart__trace_frame_t *frame)
{
  if (frame->thread == NULL)
    return false;
  frame->end = dart__trace_now();
  return true;
}

void dart__trace_leave(const dart__trace_frame_t *frame)
{
  dart__trace_call_t *call;
  uint64_t            ns;

  if (frame->thread == NULL)
    return;
  call = &frame->thread->call[frame->call];
  ns   = frame->end - frame->begin;
  dart__trace_add(&call->count, 1);
  dart__trace_add(&call->ns, ns);
  if (ns > dart__trace_get(&call->most_ns))
    dart__trace_set(&call->most_ns, ns);
  if (frame->events != NULL)
    dart__trace_events_leave(frame->events, frame->call, frame->end);
}

/* Count `nbytes` that go to or come from the global unit `unit`. */
static void count_bytes(const dart__trace_frame_t *frame, dart__trace_kind_t kind, dart_unit_t unit,
                        uint64_t nbytes)
{
  dart__trace_traffic_t *row = dart__trace_row(frame->thread, dart__trace_job.nunits);

  dart__trace_add(&frame->thread->call[frame->call].bytes, nbytes);
  if (row == NULL || unit < 0 || (size_t)unit >= dart__trace_job.nunits)
    return;
  dart__trace_add(&row[unit].count[kind], 1);
  dart__trace_add(&row[unit].bytes[kind], nbytes);
}

void dart__trace_operation(const dart__trace_frame_t *frame, dart__trace_kind_t kind,
                           dart_gptr_t gptr, size_t nelem, dart_datatype_t type,
                           dart__trace_way_t way, dart_handle_t handle)
{
  dart_unit_t unit   = dart__trace_unit_of(gptr);
  uint64_t    nbytes = nelem * dart__trace_type_bytes(type);

  count_bytes(frame, kind, unit, nbytes);
  dart__trace_follow(frame, kind, gptr, unit, nbytes, way, handle);
}

void dart__trace_message(const dart__trace_frame_t *frame, dart_global_unit_t unit, int tag,
                         size_t nelem, dart_datatype_t type)
{
  uint64_t nbytes = nelem * dart__trace_type_bytes(type);

  count_bytes(frame, DART__TRACE_SEND, unit.id, nbytes);
  dart__trace_sent(frame, unit.id, tag, nbytes, false);
}

void dart__trace_received(const dart__trace_frame_t *frame, dart_global_unit_t unit, int tag,
                          size_t nelem, dart_datatype_t type)
{
  dart__trace_sent(frame, unit.id, tag, nelem * dart__trace_type_bytes(type), true);
}

void dart__trace_exchange(const dart__trace_frame_t *frame, dart_global_unit_t to, int to_tag,
                          size_t to_nelem, dart_datatype_t to_type, dart_global_unit_t from,
                          int from_tag, size_t from_nelem, dart_datatype_t from_type)
{
  dart__trace_message(frame, to, to_tag, to_nelem, to_type);
  dart__trace_received(frame, from, from_tag, from_nelem, from_type);
}

void dart__trace_collective(const dart__trace_frame_t *frame, dart_team_t team, dart_unit_t root,
                            size_t nelem, dart_datatype_t type)
{
  uint64_t nbytes = nelem * dart__trace_type_bytes(type);

  dart__trace_add(&frame->thread->call[frame->call].bytes, nbytes);
  dart__trace_together(frame, team, root, nbytes);
  if (dart__trace_job.reports == NULL)
    return;
  dart__trace_memory_sample(frame->end);
  dart__trace_report_now_and_then(frame->end);
}

void dart__trace_type(const dart__trace_frame_t *frame, dart_datatype_t type, dart_datatype_t base,
                      size_t nelem)
{
  (void)frame;
  dart__trace_type_note(type, base, nelem);
}
