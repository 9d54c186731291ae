#ifndef DART__FAR_RUN_H
#define DART__FAR_RUN_H
/* A run: far updates of one word each that wait to be requested together, as near ones wait for their cache lines.
 *
 * In a stream of updates at random places most of the time goes into what every update repeats. It finds and checks the
 * segment, takes the lock of the endpoint, and has a branch on whether the word is near or far, which no processor can
 * predict. So the first update of a stream that may be in a run prepares it for those of the same segment, type and
 * operator. They are written to the run, and to the queue of near updates, and count in one of the two.
 *
 * The run ends where a stream does (progress.h), and before all that must come after its updates: updates of a
 * unit on a word are applied in their order. It belongs to one thread, as the queue does. */
#include <string.h>

#include "far/engine.h"
#include "wait/deferred.h"

#define DART__RUN_MOST 64

typedef struct {
  dart_datatype_t  type;
  dart_operation_t op;
  uint64_t         ids;      /* team and segment, as in a global pointer */
  uint64_t         noffsets; /* offsets of words in a portion are below; 0: nothing is prepared */
  uint64_t         nunits;
  char          **near; /* team unit → its portion of the chunk, where those of the segment ... */
  uint64_t        base; /* ... start here; NULL: it is far */
  dart__address_t at;   /* of an update; at.unit is that of all in the run */
  uint32_t        count;
  uint64_t        value[DART__RUN_MOST + 1]; /* one more is written, and does not count */
  uint32_t        place[DART__RUN_MOST + 1]; /* numbers of words in the portion */
} dart__run_t;

extern dart__run_t      dart__run;
extern dart__deferred_t dart__deferred; /* the queue of near updates */

/** Prepare the run for updates such as this one, of one element of 8 bytes, in a stream. */
void dart__run_prepare(const dart__address_t *at, dart_datatype_t type, dart_operation_t op);

/** Request the updates of the run. */
void dart__run_send(void);

/** Request the updates of the run, if there are any, and prepare for nothing. */
static inline void dart__run_end(void)
{
  if (__builtin_expect(dart__run.noffsets == 0, 1))
    return;
  if (dart__run.count > 0)
    dart__run_send();
  dart__run.noffsets = 0;
}

/** An update of one element, as those that the run was prepared for. False: it is not, and nothing was done. */
static inline bool dart__run_add(dart_inline_ids_t ids, const void *value, dart_datatype_t type,
                                 dart_operation_t op)
{
  static _Alignas(DART__DEFERRED_LINE) uint64_t nowhere;
  dart__run_t                                  *run = &dart__run;
  uint64_t                                      operand;
  uintptr_t                                     near, word;
  bool                                          is_far;

  if (__builtin_expect((ids.team << 16 | ids.segment) != run->ids || ids.offset >= run->noffsets ||
                           ids.offset % sizeof operand != 0 || ids.unit >= run->nunits ||
                           type != run->type || op != run->op ||
                           dart__segment_epoch(run->at.segment) != NULL,
                       0))
    return false;
  memcpy(&operand, value, sizeof operand);
  near   = (uintptr_t)run->near[ids.unit];
  is_far = near == 0;
  word   = (uintptr_t)&nowhere; /* by arithmetic, lest the compiler branches */
  word += (near + run->base + ids.offset - word) & ((uintptr_t)is_far - 1);
  if (__builtin_expect(dart__deferred_is_hot(&dart__deferred, (void *)word), 0))
    return false;
  if (__builtin_expect(((ids.unit ^ (uint64_t)run->at.unit) & -(uint64_t)is_far) != 0, 0)) {
    if (run->count > 0)
      dart__run_send();
    run->at.unit = (int32_t)ids.unit;
  }
  run->value[run->count] = operand;
  run->place[run->count] = (uint32_t)(ids.offset / sizeof operand);
  run->count += is_far;
  if (__builtin_expect(run->count == DART__RUN_MOST, 0))
    dart__run_send();
  if (dart__deferred_add_if(&dart__deferred, !is_far, (void *)word, operand, type, op))
    dart__engine_poke();
  return true;
}

#endif
