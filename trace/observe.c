/* Counting calls, and what they move, in the tables of the calling thread. */
#include "observe.h"

#include "memory.h"
#include "report.h"
#include "type.h"

dart__trace_frame_t dart__trace_enter(uint16_t call)
{
  dart__trace_frame_t frame = { .call = call };

  /* acquire: pairs with dart_init's store, after which the job is known */
  if (!atomic_load_explicit(&dart__trace_job.is_on, memory_order_acquire))
    return frame;
  frame.thread = dart__trace_self();
  frame.begin  = dart__trace_now();
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
}

/* `nbytes` that go to or come from the global unit `unit`. */
static void count(const dart__trace_frame_t *frame, dart__trace_kind_t kind, dart_unit_t unit,
                  uint64_t nbytes)
{
  dart__trace_traffic_t *row = dart__trace_row(frame->thread, dart__trace_job.nunits);

  dart__trace_add(&frame->thread->call[frame->call].bytes, nbytes);
  if (row == NULL || unit < 0 || (size_t)unit >= dart__trace_job.nunits)
    return;
  dart__trace_add(&row[unit].count[kind], 1);
  dart__trace_add(&row[unit].bytes[kind], nbytes);
}

/* The global unit that `gptr` names; -1: none. */
static dart_unit_t unit_of(dart_gptr_t gptr)
{
  dart_global_unit_t unit;

  if (gptr.teamid == DART_TEAM_ALL)
    return gptr.unitid;
  return pdart_team_unit_l2g(gptr.teamid, DART_TEAM_UNIT_ID(gptr.unitid), &unit) == DART_OK
             ? unit.id
             : -1;
}

void dart__trace_operation(const dart__trace_frame_t *frame, dart__trace_kind_t kind,
                           dart_gptr_t gptr, size_t nelem, dart_datatype_t type)
{
  count(frame, kind, unit_of(gptr), nelem * dart__trace_type_bytes(type));
}

void dart__trace_message(const dart__trace_frame_t *frame, dart_global_unit_t unit, size_t nelem,
                         dart_datatype_t type)
{
  count(frame, DART__TRACE_SEND, unit.id, nelem * dart__trace_type_bytes(type));
}

void dart__trace_collective(const dart__trace_frame_t *frame, size_t nelem, dart_datatype_t type)
{
  dart__trace_add(&frame->thread->call[frame->call].bytes, nelem * dart__trace_type_bytes(type));
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
