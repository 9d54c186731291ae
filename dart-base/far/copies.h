#ifndef DART__FAR_COPIES_H
#define DART__FAR_COPIES_H
/* Copies of small operands (DART_COPIED_MOST).
 *
 * MPI may read the operands of a put or an atomic until the operation is complete, and its caller may reuse them when
 * the call returns. So MPI is given a copy, in a ring of each team. A copy is overwritten when the ring comes round. If
 * its operation may still be under way then, by a look at two numbers (far/completion.h), the ring grows instead of
 * waiting for it: the target may be outside of MPI for long. Only a ring that has DART__COPIES_MOST, or no memory to
 * grow, has it completed locally. Requests need no copy here, for they are one already. */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dash/dart/ext/dart_value.h>

#include "model/world.h"

#define DART__COPIES_MOST 65536

typedef struct dart__copy {
  _Alignas(16) char bytes[DART_COPIED_MOST];
  struct dart__copy *next; /* in the ring */
  uint64_t number;         /* of its operation on the unit (far/completion.h); 0: there was none */
  int32_t  unit;           /* team unit that its operation is about */
  bool     is_taken;       /* a thread is about to start one; only if there are many */
} dart__copy_t;

typedef struct dart__copies {
  dart__copy_t              *next;
  struct dart__copies_block *blocks; /* of the ring; the newest */
  size_t                     nblocks;
  pthread_mutex_t            lock; /* if there are many threads */
} dart__copies_t;

/** NULL: no memory. Nothing that was started with a copy is under way when they are deleted. */
dart__copies_t *dart__copies_new(void);
void            dart__copies_delete(dart__copies_t *copies); /* NULL: nothing */

/* What the functions below do in programs of many threads. */
dart__copy_t *dart__copies_take_locked(dart__copies_t *copies);
void          dart__copies_started_locked(dart__copies_t *copies, dart__copy_t *copy);

/** The next copy of the ring, which is the caller's until dart__copies_started, and whose last operation may be under
 *  way yet: see dart__completion_copy. Any thread; may wait for another one that starts an operation. */
static inline dart__copy_t *dart__copies_take(dart__copies_t *copies)
{
  dart__copy_t *copy;

  if (__builtin_expect(dart__world.many_threads, 0))
    return dart__copies_take_locked(copies);
  copy         = copies->next;
  copies->next = copy->next;
  return copy;
}

/** Another copy instead of `copy`, which was taken and stays as it is; never used before. NULL: there is none. */
dart__copy_t *dart__copies_more(dart__copies_t *copies, dart__copy_t *copy);

/** The operation was started, and its number noted. */
static inline void dart__copies_started(dart__copies_t *copies, dart__copy_t *copy)
{
  if (__builtin_expect(dart__world.many_threads, 0))
    dart__copies_started_locked(copies, copy);
}

#endif
