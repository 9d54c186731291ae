#ifndef DART__TRACE_OBSERVE_H
#define DART__TRACE_OBSERVE_H
/* Around each call: a frame, and what the layer notes of the call's arguments. The table `calls` says which of these
 * functions is about which call; they are called if it succeeded, between its return and dart__trace_leave. */
#include "job.h"
#include "thread.h"

typedef struct {
  dart__trace_thread_t *thread; /* NULL: nothing is noted */
  uint64_t              begin, end;
  uint16_t              call;
} dart__trace_frame_t;

/** The call of this number (names.h) begins. */
dart__trace_frame_t dart__trace_enter(uint16_t call);

/** It has returned: whether it is noted. */
bool dart__trace_returned(dart__trace_frame_t *frame);

/** Count it. */
void dart__trace_leave(const dart__trace_frame_t *frame);

/** An operation on `nelem` elements of `type` at `gptr`. */
void dart__trace_operation(const dart__trace_frame_t *frame, dart__trace_kind_t kind,
                           dart_gptr_t gptr, size_t nelem, dart_datatype_t type);
#define dart__trace_transfer(frame, kind, ...) \
  dart__trace_operation(frame, DART__TRACE_##kind, __VA_ARGS__)

/** A message to `unit`. */
void dart__trace_message(const dart__trace_frame_t *frame, dart_global_unit_t unit, size_t nelem,
                         dart_datatype_t type);

/** A call that all units of a team make: the caller gave `nelem` elements of `type`. */
void dart__trace_collective(const dart__trace_frame_t *frame, size_t nelem, dart_datatype_t type);

/** A type was made, whose elements are `nelem` of `base`. */
void dart__trace_type(const dart__trace_frame_t *frame, dart_datatype_t type, dart_datatype_t base,
                      size_t nelem);

#endif /* DART__TRACE_OBSERVE_H */
