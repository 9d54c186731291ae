#ifndef DART__TRACE_OBSERVE_H
#define DART__TRACE_OBSERVE_H
/* Around each call: a frame, and functions that record the call's arguments. The table `calls` names the functions of
 * each call. They are called if the call has succeeded, between its return and dart__trace_leave. */
#include "trace_job.h"
#include "trace_thread.h"

typedef struct {
  dart__trace_thread_t      *thread; /* NULL: the call is not recorded */
  struct dart__trace_events *events; /* NULL: the call writes no events */
  uint64_t                   begin, end;
  uint16_t                   call;
} dart__trace_frame_t;

/** The call of this number (names.h) begins. */
dart__trace_frame_t dart__trace_enter(uint16_t call);

/** The call has begun at `since`, but is recorded only from now on. */
dart__trace_frame_t dart__trace_entered(uint16_t call, uint64_t since);

/** The call has returned. True: it is recorded. */
bool dart__trace_returned(dart__trace_frame_t *frame);

/** Count the call. */
void dart__trace_leave(const dart__trace_frame_t *frame);

/* How an operation is completed: by a flush, when its call returns, or by a handle. */
typedef enum {
  DART__TRACE_BY_FLUSH,
  DART__TRACE_BY_RETURN,
  DART__TRACE_BY_HANDLE
} dart__trace_way_t;

/** An operation on `nelem` elements of `type` at `gptr`. `handle`: NULL if there is none, or if it is complete. */
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

/** A message to `unit`; one from `unit`; both in one call. */
void dart__trace_message(const dart__trace_frame_t *frame, dart_global_unit_t unit, int tag,
                         size_t nelem, dart_datatype_t type);
void dart__trace_received(const dart__trace_frame_t *frame, dart_global_unit_t unit, int tag,
                          size_t nelem, dart_datatype_t type);
void dart__trace_exchange(const dart__trace_frame_t *frame, dart_global_unit_t to, int to_tag,
                          size_t to_nelem, dart_datatype_t to_type, dart_global_unit_t from,
                          int from_tag, size_t from_nelem, dart_datatype_t from_type);

/** A collective call with `root`, or -1. The caller passed `nelem` elements of `type`. */
void dart__trace_collective(const dart__trace_frame_t *frame, dart_team_t team, dart_unit_t root,
                            size_t nelem, dart_datatype_t type);

/** A new type, whose element has `nelem` elements of `base`. */
void dart__trace_type(const dart__trace_frame_t *frame, dart_datatype_t type, dart_datatype_t base,
                      size_t nelem);

/* ---- for traces only (follow.c): these do nothing if no events are written ------------------------ */

/** Write the events of an operation of `nbytes` at `gptr`, in memory of the global unit `unit`. */
void dart__trace_follow(const dart__trace_frame_t *frame, dart__trace_kind_t kind, dart_gptr_t gptr,
                        dart_unit_t unit, uint64_t nbytes, dart__trace_way_t way,
                        dart_handle_t handle);

/** Write the event of a collective call that passed `nbytes`. */
void dart__trace_together(const dart__trace_frame_t *frame, dart_team_t team, dart_unit_t root,
                          uint64_t nbytes);

/** The global unit that `gptr` names; -1: none. */
dart_unit_t dart__trace_unit_of(dart_gptr_t gptr);

/** A message of `nbytes` was sent or received. */
void dart__trace_sent(const dart__trace_frame_t *frame, dart_unit_t unit, int tag, uint64_t nbytes,
                      bool is_received);

/** A flush of gptr's unit, or of all units: locally, or also at the target. */
void dart__trace_flushed(const dart__trace_frame_t *frame, dart_gptr_t gptr, bool remotely);
void dart__trace_flushed_all(const dart__trace_frame_t *frame, dart_gptr_t gptr, bool remotely);

/** A context was made. The thread has entered it, or left it (NULL). It was flushed, for a unit of its team or for all
 *  (-1), locally or also at the target. It was tested. It is about to be destroyed, which flushes it. */
void dart__trace_context_made(const dart__trace_frame_t *frame, dart_team_t team,
                              dart_context_t context);
void dart__trace_context_is(const dart__trace_frame_t *frame, dart_context_t context);
void dart__trace_context_flushed(const dart__trace_frame_t *frame, dart_context_t context,
                                 dart_unit_t unit, bool remotely);
void dart__trace_context_tested(const dart__trace_frame_t *frame, dart_context_t context,
                                int is_complete);
void dart__trace_context_ended(const dart__trace_frame_t *frame, const dart_context_t *context);

/** A call is about to wait for `n` handles; the call has returned, and they are complete or not. */
void dart__trace_handles(const dart__trace_frame_t *frame, const dart_handle_t *handles, size_t n);
void dart__trace_waited(const dart__trace_frame_t *frame, int is_complete);

/** A lock in the memory of `unit` (-1: unknown) was acquired; a try has acquired it or not; it was released. */
void dart__trace_locked(const dart__trace_frame_t *frame, dart_unit_t unit, uint64_t lock);
void dart__trace_tried(const dart__trace_frame_t *frame, dart_unit_t unit, uint64_t lock,
                       int is_had);
void dart__trace_unlocked(const dart__trace_frame_t *frame, dart_unit_t unit, uint64_t lock);

/** A fence on gptr's segment; the end of an access epoch of dart_epoch_start, for all units. */
void dart__trace_fenced(const dart__trace_frame_t *frame, dart_gptr_t gptr);
void dart__trace_ended(const dart__trace_frame_t *frame, dart_gptr_t gptr);

/** An epoch's lock was requested, for gptr's unit or for all units; it was released, with these assertions. */
void dart__trace_epoch_locked(const dart__trace_frame_t *frame, dart_gptr_t gptr,
                              dart_epoch_lock_t kind);
void dart__trace_epoch_locked_all(const dart__trace_frame_t *frame, dart_gptr_t gptr);
void dart__trace_epoch_unlocked(const dart__trace_frame_t *frame, dart_gptr_t gptr, int assertions);
void dart__trace_epoch_unlocked_all(const dart__trace_frame_t *frame, dart_gptr_t gptr,
                                    int assertions);

/** Ranges were acquired as `hold`; the call that releases `*hold` begins; it has returned. */
void dart__trace_held(const dart__trace_frame_t *frame, dart_range_hold_t hold,
                      const dart_range_span_t spans[], size_t n);
void dart__trace_releasing(const dart__trace_frame_t *frame, const dart_range_hold_t *hold);
void dart__trace_released(const dart__trace_frame_t *frame);

/** A number for the lock in the word at `gptr`; the same on all units. */
uint64_t dart__trace_lock_at(dart_gptr_t gptr);

/** A team was created; DART_TEAM_NULL: this unit is not a member. */
void dart__trace_team(const dart__trace_frame_t *frame, dart_team_t team);

#endif /* DART__TRACE_OBSERVE_H */
