#ifndef DART__CHECK_OPERATION_H
#define DART__CHECK_OPERATION_H
/* The list of outstanding operations, in the order in which they have started. All functions need the lock.
 *
 * The list is bounded. If it is full, further operations are not checked, and one line says so. */
#include "buffer.h"

typedef struct {
  uint64_t             serial; /* counts from 1 */
  dart_gptr_t          gptr;
  dart__check_buffer_t buffer;
  bool                 has_handle; /* the program has the handle, which is its address */
  dart_handle_t        inner;
  bool                 is_done;  /* complete; the program may still have the handle */
  bool                 in_epoch; /* the end of the epoch completes it */
  const void          *context;  /* to which it belongs, or NULL */
} dart__operation_t;

typedef struct {
  dart__operation_t **operation;
  size_t              n;
  uint64_t            serial; /* of the newest operation */
} dart__operations_t;

extern dart__operations_t dart__operations;

/** Add an operation, in this thread's context; NULL: there is no room. */
dart__operation_t *dart__operation_add(dart_gptr_t gptr, dart__at_t at);

/** Whether an operation on gptr's segment would be in an epoch now. */
bool dart__operation_in_epoch(dart_gptr_t gptr);

/** The context to which an operation of this thread on gptr's segment would belong, or NULL. */
const void *dart__operation_context(dart_gptr_t gptr);

/** Whether there is room for one more operation. */
bool dart__operation_fits(void);

/** Remove the operations for which nothing is left to check. */
void dart__operations_sweep(void);

/** This thread has entered a context for memory of `team`, or has left it. */
void dart__check_context_entered(const void *context, dart_team_t team);
void dart__check_context_left(const void *context);

#endif
