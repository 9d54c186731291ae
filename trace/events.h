#ifndef DART__TRACE_EVENTS_H
#define DART__TRACE_EVENTS_H
/* DART_TRACE=FOLDER: the events of a thread, in a file of its own, which is bounded. By its thread alone. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"

typedef struct dart__trace_events dart__trace_events_t;

/** A new file for thread `thread` of this unit in the folder of dart__trace_job; NULL, after one line: there is
 *  none. */
dart__trace_events_t *dart__trace_events_open(unsigned thread);

/** Whether there is room for a call: if not, it is counted as dropped, and nothing is appended for it. */
bool dart__trace_events_have_room(dart__trace_events_t *events);

/** Append an event of a call that there was room for. Of very many in one call the last are left out. */
void dart__trace_events_append(dart__trace_events_t *events, const dart__trace_event_t *event);

/** The end of the call; there is always room for it. */
void dart__trace_events_leave(dart__trace_events_t *events, uint16_t call, uint64_t time);

/** Cut the file behind its last event; more may come. */
void dart__trace_events_trim(dart__trace_events_t *events);

/* ---- what is not complete ---------------------------------------------------------------------- */

/** Note that operations `id` are not complete. */
void dart__trace_events_pending(dart__trace_events_t *events, uint64_t id);

/** For each `id` of those: call `act` with it and `argument`; if that returns true, it is complete. */
void dart__trace_events_each(dart__trace_events_t *events,
                             bool (*act)(dart__trace_events_t *, uint64_t id, void *argument),
                             void *argument);

/** Remember `n` numbers from the beginning of a call to its end; NULL: no memory. */
uint64_t *dart__trace_events_remember(dart__trace_events_t *events, size_t n);

/** What is remembered: how many. */
size_t dart__trace_events_remembered(dart__trace_events_t *events, const uint64_t **numbers);

#endif /* DART__TRACE_EVENTS_H */
