#ifndef DART__TRACE_TRACE_CONTEXT_H
#define DART__TRACE_TRACE_CONTEXT_H
/* Completion contexts (dash/dart/ext/dart_context.h), as numbers that fit in an event: from 1 on; 0 is none. */
#include <dash/dart/ext/dart_context.h>

#define DART__TRACE_CONTEXTS 63 /* at a time; operations in further ones count as in none */

/** The number of a context, and its team; 0: it has no number. */
unsigned dart__trace_context(dart_context_t context, dart_team_t *team_out);

/** The number of the context for operations of the calling thread on memory of `team`. */
unsigned dart__trace_context_of(dart_team_t team);

/** The context is about to be destroyed. */
void dart__trace_context_forget(dart_context_t context);

#endif /* DART__TRACE_TRACE_CONTEXT_H */
