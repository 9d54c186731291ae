#ifndef DART__RMA_CONTEXT_H
#define DART__RMA_CONTEXT_H
/* The completion context that a thread is in. */
#include <dash/dart/ext/dart_context.h>

#include "far/far_ops.h"
#include "model/address.h"

/* NULL: none. */
extern _Thread_local dart_context_t dart__context __attribute__((tls_model("initial-exec")));

void dart__context_add(const dart__address_t *at, dart__completion_t completion);

/** An operation on far memory was started by this thread. Returns its completion. */
static inline dart__completion_t dart__context_note(const dart__address_t *at,
                                                    dart__completion_t     completion)
{
  if (__builtin_expect(dart__context != NULL, 0))
    dart__context_add(at, completion);
  return completion;
}

#endif
