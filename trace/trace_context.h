#ifndef DART__TRACE_TRACE_CONTEXT_H
#define DART__TRACE_TRACE_CONTEXT_H
/* Completion contexts (dash/dart/ext/dart_context.h), as numbers that fit in an event: from 1 on, 0 is none. */
#include <dash/dart/ext/dart_context.h>

#define DART__TRACE_CONTEXTS 63 /* at a time; operations in others are as if they were in none */

/** The number of a context, and its team; 0: it has none. */
unsigned dart__trace_context(dart_context_t context, dart_team_t *team_out);

/** That of the context that operations of the calling thread on memory of `team` are in. */
unsigned dart__trace_context_of(dart_team_t team);

/** The context is about to end. */
void dart__trace_context_forget(dart_context_t context);

#endif /* DART__TRACE_TRACE_CONTEXT_H */
