#ifndef RANDOM_CONTRACT_H
#define RANDOM_CONTRACT_H
/* When an operation is complete: the table at the head of dart_communication.h. The rules ask it for what
 * a schedule may do, the program for when it may look at a buffer. */
#include <stdbool.h>

#include "scene.h"

typedef enum {
  COMPLETE_NOT,
  COMPLETE_HERE, /* buffers are the caller's again, results are there */
  COMPLETE_THERE /* and the effect is in the target's memory */
} complete_t;

/** How far it is when its call returns. */
complete_t contract_on_return(const op_t *op);

/** How far `by`, a flush, a fence or a wait by the same actor, brings an operation that is under way. */
complete_t contract_completes(const scene_t *scene, const op_t *by, const op_t *op);

/** Whether a flush of a pointer into segment `a` is about `b`, too: all of a team but the pool, or the pool. */
bool contract_same_scope(const scene_t *scene, int a, int b);

/** Whether it completes what others started. */
bool contract_is_completion(const op_t *op);

/** Whether it is a request, which file_wait completes and nothing else. */
bool contract_is_request(const op_t *op);

/** Whether it has a handle; whether `by` takes that away from operation `id`. */
bool contract_has_handle(const op_t *op);
bool contract_names(const op_t *by, uint32_t id);

#endif
