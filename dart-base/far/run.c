/* See run.h. */
#include "far/run.h"

#include "base/counters.h"
#include "far/engine.h"
#include "far/far_ops.h"

#define FEW 3 /* updates that take less room as requests of their own */

dart__deferred_t dart__deferred;
dart__run_t      dart__run;

/* Portions of one size, at most 32 GiB, that are in the chunk where all see them alike, with a table by units. */
static bool may_run(const dart__address_t *at)
{
  const dart__segment_t *segment = at->segment;

  return at->team->nnodes > 1 && !at->team->is_scattered && segment->address == NULL &&
         segment->heads == NULL && segment->sizes == NULL &&
         segment->base % sizeof(uint64_t) == 0 &&
         segment->nbytes / sizeof(uint64_t) <= UINT32_MAX && !dart__counts_near;
}

void dart__run_prepare(const dart__address_t *at, dart_datatype_t type, dart_operation_t op)
{
  dart__run_end();
  if (!may_run(at))
    return;
  dart__run.type     = type;
  dart__run.op       = op;
  dart__run.ids      = (uint64_t)(uint16_t)at->team->id << 16 | (uint16_t)at->segment->id;
  dart__run.noffsets = at->segment->nbytes / sizeof(uint64_t) * sizeof(uint64_t);
  dart__run.nunits   = (uint64_t)at->team->nunits;
  dart__run.near     = at->segment->near;
  dart__run.base     = at->segment->base;
  dart__run.at       = *at;
}

void dart__run_send(void)
{
  dart__run_t *run   = &dart__run;
  size_t       count = run->count;

  run->count = 0;
  dart__count_by(DART__COUNT_ATOMIC_FAR, count);
  if (count > FEW) {
    dart__far_updates(&run->at, run->value, run->place, count, run->type, run->op);
  } else {
    for (size_t i = 0; i < count; i++) {
      dart__rma_t rma = dart__rma_accumulate(&run->at, &run->value[i], 1, run->type, run->op);

      rma.at.offset = run->place[i] * sizeof(uint64_t);
      dart__far_update(&rma);
    }
  }
  dart__engine_poke();
}
