#ifndef DART__TRACE_EVENTS_H
#define DART__TRACE_EVENTS_H
/* DART_TRACE=FOLDER: the events of a thread, in a file of bounded size. Only that thread calls these functions. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"

typedef struct dart__trace_events dart__trace_events_t;

/** Read DART_TRACE_BUFFER, before the first thread has events. False, after one line: it is no number of MiB. */
bool dart__trace_events_read_room(void);

/** A new file for thread `thread` of this unit, in the folder of dart__trace_job. NULL, after one line: there is
 *  none. */
dart__trace_events_t *dart__trace_events_open(unsigned thread);

/** Whether there is room for the events of a call. If not, the call is counted as dropped, and appends no events. */
bool dart__trace_events_have_room(dart__trace_events_t *events);

/** Append an event of a call for which there was room. If one call has very many, the last are left out. */
void dart__trace_events_append(dart__trace_events_t *events, const dart__trace_event_t *event);

/** Append the end of the call; there is always room for it. */
void dart__trace_events_leave(dart__trace_events_t *events, uint16_t call, uint64_t time);

/** Cut the file behind its last event. More events may follow. */
void dart__trace_events_trim(dart__trace_events_t *events);

/* ---- incomplete operations --------------------------------------------------------------------- */

/** Record that operations `id` are not complete. */
void dart__trace_events_pending(dart__trace_events_t *events, uint64_t id);

/** For each recorded `id`, call `act` with it and `argument`. True: these operations are complete. */
void dart__trace_events_each(dart__trace_events_t *events,
                             bool (*act)(dart__trace_events_t *, uint64_t id, void *argument),
                             void *argument);

/** Store `n` numbers from the beginning of a call to its end. Returns where to write them; NULL: no memory. */
uint64_t *dart__trace_events_remember(dart__trace_events_t *events, size_t n);

/** The stored numbers, and how many there are. */
size_t dart__trace_events_remembered(dart__trace_events_t *events, const uint64_t **numbers);

#endif /* DART__TRACE_EVENTS_H */
