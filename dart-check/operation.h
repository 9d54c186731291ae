#ifndef DART__CHECK_OPERATION_H
#define DART__CHECK_OPERATION_H
/* The list of operations under way, in the order in which they started. With the lock.
 *
 * The list is bounded. Operations that find it full are not looked at, which is said once. */
#include "buffer.h"

typedef struct {
  uint64_t             serial; /* counts from 1 */
  dart_gptr_t          gptr;
  dart__check_buffer_t buffer;
  bool                 has_handle; /* and the program has it still: its address is the handle */
  dart_handle_t        inner;
  bool                 is_done;  /* completed, but for its handle */
  bool                 in_epoch; /* whose end completes it */
  const void          *context;  /* that it is in, or NULL */
} dart__operation_t;

typedef struct {
  dart__operation_t **operation;
  size_t              n;
  uint64_t            serial; /* of the newest one */
} dart__operations_t;

extern dart__operations_t dart__operations;

/** A new operation, of this thread's context; NULL: there is no room. */
dart__operation_t *dart__operation_add(dart_gptr_t gptr, dart__at_t at);

/** Whether operations on gptr's segment are in an epoch now. */
bool dart__operation_in_epoch(dart_gptr_t gptr);

/** The context that an operation of this thread on gptr's segment is in, or NULL. */
const void *dart__operation_context(dart_gptr_t gptr);

/** Whether there is room for one more. */
bool dart__operation_fits(void);

/** Remove the operations that have nothing left to look at. */
void dart__operations_sweep(void);

/** This thread is in a context for memory of `team`, or leaves it. */
void dart__check_context_entered(const void *context, dart_team_t team);
void dart__check_context_left(const void *context);

#endif
