#ifndef RANDOM_RULES_H
#define RANDOM_RULES_H
/* What the contract allows, as a program: whether an operation may come next in a schedule.
 *
 * Accesses that conflict must be ordered: the first complete, and what its actor did then known to the
 * second's. Who knows what of whom is kept in vector clocks (Mattern, 1989; Fidge, 1988): barriers,
 * messages, notifications, flags and the other collectives hand them on as the headers say. Besides
 * there are accesses that never conflict: atomics of an actor on an element, updates of a shared word,
 * and what is done under a lock.
 *
 * So operations can be drawn blindly, and left out of a list blindly: what is not allowed any more is
 * left out too. */
#include "contract.h"
#include "scene.h"

typedef struct rules rules_t;

rules_t *rules_new(shape_t shape);
void     rules_delete(rules_t *rules);

/** Whether the operation may come next; if so, it does. */
bool rules_take(rules_t *rules, const op_t *op);

const scene_t *rules_scene(const rules_t *rules);

/** Operations of an actor that are not complete, to draw something that completes them: their number,
 *  and each. */
size_t      rules_pending(const rules_t *rules, int actor);
const op_t *rules_pending_op(const rules_t *rules, int actor, size_t index, bool *has_handle_out);

/** Leave out of a list what may not come where it is. */
void rules_filter(list_t *list);

#endif
