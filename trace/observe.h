#ifndef DART__TRACE_OBSERVE_H
#define DART__TRACE_OBSERVE_H
/* Around each call: a frame, and what the layer notes of the call's arguments. The table `calls` says which of these
 * functions is about which call; they are called if it succeeded, between its return and dart__trace_leave. */
#include "trace_job.h"
#include "trace_thread.h"

typedef struct {
  dart__trace_thread_t      *thread; /* NULL: nothing is noted */
  struct dart__trace_events *events; /* NULL: no events of it are written */
  uint64_t                   begin, end;
  uint16_t                   call;
} dart__trace_frame_t;

/** The call of this number (names.h) begins. */
dart__trace_frame_t dart__trace_enter(uint16_t call);

/** It has begun at `since`, and noting begins only now. */
dart__trace_frame_t dart__trace_entered(uint16_t call, uint64_t since);

/** It has returned: whether it is noted. */
bool dart__trace_returned(dart__trace_frame_t *frame);

/** Count it. */
void dart__trace_leave(const dart__trace_frame_t *frame);

/* How an operation is completed: by a flush, on return, by a handle. */
typedef enum {
  DART__TRACE_BY_FLUSH,
  DART__TRACE_BY_RETURN,
  DART__TRACE_BY_HANDLE
} dart__trace_way_t;

/** An operation on `nelem` elements of `type` at `gptr`; `handle`: NULL if it has none, or is complete. */
void dart__trace_operation(const dart__trace_frame_t *frame, dart__trace_kind_t kind,
                           dart_gptr_t gptr, size_t nelem, dart_datatype_t type,
                           dart__trace_way_t way, dart_handle_t handle);
#define dart__trace_transfer(frame, kind, gptr, nelem, type)                                \
  dart__trace_operation(frame, DART__TRACE_##kind, gptr, nelem, type, DART__TRACE_BY_FLUSH, \
                        DART_HANDLE_NULL)
#define dart__trace_complete(frame, kind, gptr, nelem, type)                                 \
  dart__trace_operation(frame, DART__TRACE_##kind, gptr, nelem, type, DART__TRACE_BY_RETURN, \
                        DART_HANDLE_NULL)
#define dart__trace_started(frame, kind, gptr, nelem, type, handle) \
  dart__trace_operation(frame, DART__TRACE_##kind, gptr, nelem, type, DART__TRACE_BY_HANDLE, handle)

/** A message to `unit`, one from `unit`, or both in a call. */
void dart__trace_message(const dart__trace_frame_t *frame, dart_global_unit_t unit, int tag,
                         size_t nelem, dart_datatype_t type);
void dart__trace_received(const dart__trace_frame_t *frame, dart_global_unit_t unit, int tag,
                          size_t nelem, dart_datatype_t type);
void dart__trace_exchange(const dart__trace_frame_t *frame, dart_global_unit_t to, int to_tag,
                          size_t to_nelem, dart_datatype_t to_type, dart_global_unit_t from,
                          int from_tag, size_t from_nelem, dart_datatype_t from_type);

/** A call that all units of a team make, with `root`, or -1: the caller gave `nelem` elements of `type`. */
void dart__trace_collective(const dart__trace_frame_t *frame, dart_team_t team, dart_unit_t root,
                            size_t nelem, dart_datatype_t type);

/** A type was made, whose elements are `nelem` of `base`. */
void dart__trace_type(const dart__trace_frame_t *frame, dart_datatype_t type, dart_datatype_t base,
                      size_t nelem);

/* ---- for traces alone (follow.c): nothing where no events are written ----------------------------- */

/** The events of an operation of `nbytes` at `gptr`, which is memory of the global unit `unit`. */
void dart__trace_follow(const dart__trace_frame_t *frame, dart__trace_kind_t kind, dart_gptr_t gptr,
                        dart_unit_t unit, uint64_t nbytes, dart__trace_way_t way,
                        dart_handle_t handle);

/** Those of a collective call that gave `nbytes`. */
void dart__trace_together(const dart__trace_frame_t *frame, dart_team_t team, dart_unit_t root,
                          uint64_t nbytes);

/** The global unit that `gptr` names; -1: none. */
dart_unit_t dart__trace_unit_of(dart_gptr_t gptr);

/** A message of `nbytes`, sent or received. */
void dart__trace_sent(const dart__trace_frame_t *frame, dart_unit_t unit, int tag, uint64_t nbytes,
                      bool is_received);

/** A flush of the unit of `gptr`, or of all, locally or also at the target. */
void dart__trace_flushed(const dart__trace_frame_t *frame, dart_gptr_t gptr, bool remotely);
void dart__trace_flushed_all(const dart__trace_frame_t *frame, dart_gptr_t gptr, bool remotely);

/** A context was made; the thread has entered it, or left it (NULL). It was flushed, of a unit of its team or of all
 *  (-1), locally or also at the target; or tested. Before it is destroyed, which flushes it. */
void dart__trace_context_made(const dart__trace_frame_t *frame, dart_team_t team,
                              dart_context_t context);
void dart__trace_context_is(const dart__trace_frame_t *frame, dart_context_t context);
void dart__trace_context_flushed(const dart__trace_frame_t *frame, dart_context_t context,
                                 dart_unit_t unit, bool remotely);
void dart__trace_context_tested(const dart__trace_frame_t *frame, dart_context_t context,
                                int is_complete);
void dart__trace_context_ended(const dart__trace_frame_t *frame, const dart_context_t *context);

/** Before a call that waits for `n` handles, and after it, with whether they are complete. */
void dart__trace_handles(const dart__trace_frame_t *frame, const dart_handle_t *handles, size_t n);
void dart__trace_waited(const dart__trace_frame_t *frame, int is_complete);

/** A lock, which lies in the memory of `unit` (-1: it is not known where), was had, or not; was released. */
void dart__trace_locked(const dart__trace_frame_t *frame, dart_unit_t unit, uint64_t lock);
void dart__trace_tried(const dart__trace_frame_t *frame, dart_unit_t unit, uint64_t lock,
                       int is_had);
void dart__trace_unlocked(const dart__trace_frame_t *frame, dart_unit_t unit, uint64_t lock);

/** A fence on the segment of `gptr`; the end of an access to all units that dart_epoch_start began. */
void dart__trace_fenced(const dart__trace_frame_t *frame, dart_gptr_t gptr);
void dart__trace_ended(const dart__trace_frame_t *frame, dart_gptr_t gptr);

/** The portion of the unit of `gptr`, or of all, was asked for as an epoch's lock; it ended, with what was asserted. */
void dart__trace_epoch_locked(const dart__trace_frame_t *frame, dart_gptr_t gptr,
                              dart_epoch_lock_t kind);
void dart__trace_epoch_locked_all(const dart__trace_frame_t *frame, dart_gptr_t gptr);
void dart__trace_epoch_unlocked(const dart__trace_frame_t *frame, dart_gptr_t gptr, int assertions);
void dart__trace_epoch_unlocked_all(const dart__trace_frame_t *frame, dart_gptr_t gptr,
                                    int assertions);

/** Ranges were had, as `hold`. Before the call that releases `*hold`, and after it. */
void dart__trace_held(const dart__trace_frame_t *frame, dart_range_hold_t hold,
                      const dart_range_span_t spans[], size_t n);
void dart__trace_releasing(const dart__trace_frame_t *frame, const dart_range_hold_t *hold);
void dart__trace_released(const dart__trace_frame_t *frame);

/** A number for the lock in the word at `gptr`, the same on all units. */
uint64_t dart__trace_lock_at(dart_gptr_t gptr);

/** A team was made; DART_TEAM_NULL: this unit is not in it. */
void dart__trace_team(const dart__trace_frame_t *frame, dart_team_t team);

#endif /* DART__TRACE_OBSERVE_H */
