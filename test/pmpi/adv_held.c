/* Operations on windows that are held back, and their execution in a legal order.
 *
 * An operation goes through this: it is held; it is executed, by MPI's own call; it is complete
 * here, when its buffers are the program's again; it is complete there, of which MPI knows more
 * than the adversary. A put whose source was copied is complete here while it is still held.
 *
 * Any order is legal but for accumulates by one unit to the same place, which stay in the order in
 * which they were started unless the window was made without that ("accumulate_ordering"). */
#include <stdlib.h>

#include "adversary.h"

static uint64_t executions;

/* ---- executing one ---------------------------------------------------------------------- */

static bool is_accumulate(const adv_op_t *op)
{
  return op->kind >= ADV_ACCUMULATE;
}

static bool has_result(const adv_op_t *op)
{
  return op->kind != ADV_PUT && op->kind != ADV_ACCUMULATE;
}

static bool is_towards(const adv_op_t *op, int target)
{
  return target == ADV_ALL_RANKS || op->target == target;
}

static bool is_small_put(const adv_op_t *op)
{
  return op->kind == ADV_PUT && op->to - op->from <= 8;
}

static bool must_follow(const adv_op_t *op, const adv_op_t *earlier)
{
  if (op->target != earlier->target || op->from >= earlier->to || earlier->from >= op->to)
    return false;
  return (!op->window->is_unordered && is_accumulate(op) && is_accumulate(earlier)) ||
         (!adv_does(ADV_PUTS) && is_small_put(op) && is_small_put(earlier));
}

/* The calls take source and result alike: this and the next are their arguments. */
#define SOURCE(op) adv_buffer_base(&(op)->source), (op)->source.count, (op)->source.type
#define RESULT(op) adv_buffer_base(&(op)->result), (op)->result.count, (op)->result.type
#define TARGET(op) (op)->target, (op)->disp, (op)->count, (op)->type
#define WINDOW(op) (op)->window->win

static int call(adv_op_t *op)
{
  switch (op->kind) {
  case ADV_PUT: return PMPI_Put(SOURCE(op), TARGET(op), WINDOW(op));
  case ADV_GET: return PMPI_Get(RESULT(op), TARGET(op), WINDOW(op));
  case ADV_ACCUMULATE: return PMPI_Accumulate(SOURCE(op), TARGET(op), op->op, WINDOW(op));
  case ADV_GET_ACCUMULATE:
    return PMPI_Get_accumulate(SOURCE(op), RESULT(op), TARGET(op), op->op, WINDOW(op));
  case ADV_FETCH:
    return PMPI_Fetch_and_op(adv_buffer_base(&op->source), op->result.address, op->type, op->target,
                             op->disp, op->op, WINDOW(op));
  default:
    return PMPI_Compare_and_swap(adv_buffer_base(&op->source), adv_buffer_base(&op->compare),
                                 op->result.address, op->type, op->target, op->disp, WINDOW(op));
  }
}

static int call_with_request(adv_op_t *op)
{
  switch (op->kind) {
  case ADV_PUT: return PMPI_Rput(SOURCE(op), TARGET(op), WINDOW(op), &op->real);
  case ADV_GET: return PMPI_Rget(RESULT(op), TARGET(op), WINDOW(op), &op->real);
  case ADV_ACCUMULATE:
    return PMPI_Raccumulate(SOURCE(op), TARGET(op), op->op, WINDOW(op), &op->real);
  default:
    return PMPI_Rget_accumulate(SOURCE(op), RESULT(op), TARGET(op), op->op, WINDOW(op), &op->real);
  }
}

static void execute(adv_op_t *op)
{
  int error;

  if (op->is_executed)
    return;
  for (adv_op_t *e = op->window->ops; e != op; e = e->next)
    if (!e->is_executed && must_follow(op, e))
      execute(e);
  if (!op->is_local) {
    adv_source_check(&op->source);
    adv_source_check(&op->compare);
    adv_result_check(&op->result);
  }
  error = op->request != NULL && !op->is_local ? call_with_request(op) : call(op);
  if (error != MPI_SUCCESS)
    op->window->error = error;
  op->is_executed = true;
  op->executed_at = ++executions;
}

/* ---- completing one --------------------------------------------------------------------- */

static void forget(adv_op_t *op)
{
  adv_op_t **link = &op->window->ops;

  while (*link != op)
    link = &(*link)->next;
  *link = op->next;
  adv_buffer_close(&op->source);
  adv_buffer_close(&op->compare);
  adv_buffer_close(&op->result);
  adv_type_drop(&op->type);
  free(op);
}

/* The buffers are the program's again. */
static void complete_here(adv_op_t *op)
{
  if (op->is_local)
    return;
  if (op->real != MPI_REQUEST_NULL)
    PMPI_Wait(&op->real, MPI_STATUS_IGNORE);
  adv_source_check(&op->source);
  adv_source_check(&op->compare);
  adv_buffer_return(&op->source);
  adv_buffer_return(&op->compare);
  adv_buffer_return(&op->result);
  op->is_local = true;
}

/* Complete an operation without a result here, by copying what it would read. */
static void copy_source(adv_op_t *op)
{
  adv_source_check(&op->source);
  adv_source_copy(&op->source);
  adv_buffer_return(&op->source);
  op->is_local = true;
}

static bool may_stay_held(const adv_op_t *op)
{
  return !op->is_executed && !has_result(op) && (op->is_local || adv_chance(50));
}

/* ---- requests --------------------------------------------------------------------------- */

static bool advance(adv_request_t *r, MPI_Status *status)
{
  adv_op_t *op   = r->what;
  int       done = 1;

  adv_status_clear(status);
  if (op->is_local)
    return true;
  if (may_stay_held(op)) {
    copy_source(op);
    return true;
  }
  execute(op);
  if (op->real != MPI_REQUEST_NULL)
    PMPI_Test(&op->real, &done, MPI_STATUS_IGNORE);
  if (done)
    complete_here(op);
  return done;
}

static void finish(adv_request_t *r)
{
  adv_op_t *op = r->what;

  op->window->requests--;
  op->request = NULL;
  if (op->is_executed)
    forget(op);
}

static const adv_request_class_t rma_class = { advance, finish, adv_refuse_release,
                                               adv_refuse_cancel };

/* ---- holding ---------------------------------------------------------------------------- */

void adv_hold(adv_window_t *w, adv_op_t *op, MPI_Request *request)
{
  adv_op_t **link = &w->ops;

  op->window = w;
  op->real   = MPI_REQUEST_NULL;
  op->due    = adv_random_due();
  while (*link != NULL)
    link = &(*link)->next;
  *link = op;
  if (request != NULL) {
    *request = adv_request_make(&rma_class, op, &op->request);
    w->requests++;
  }
  if (!adv_does(ADV_HOLD) || adv_chance(10))
    execute(op);
  for (adv_op_t *o = w->ops; o != NULL && adv_does(ADV_HOLD); o = o->next)
    if (adv_chance(1))
      execute(o);
  if (!adv_does(ADV_FOREVER))
    adv_wake();
}

int64_t adv_execute_due(adv_window_t *windows, int64_t now)
{
  int64_t next = now + 1000000000;

  for (adv_window_t *w = windows; w != NULL; w = w->next)
    for (adv_op_t *op = w->ops; op != NULL; op = op->next)
      if (!op->is_executed && op->due <= now)
        execute(op);
      else if (!op->is_executed && op->due < next)
        next = op->due;
  return next;
}

bool adv_is_busy(const adv_window_t *w, int target)
{
  for (const adv_op_t *op = w->ops; op != NULL; op = op->next)
    if (op->is_executed && !op->is_local && is_towards(op, target))
      return true;
  return false;
}

bool adv_has_ops(const adv_window_t *w)
{
  return w->ops != NULL;
}

/* ---- executing many --------------------------------------------------------------------- */

static void shuffle(adv_op_t **ops, size_t n)
{
  for (size_t i = n; i > 1; i--) { /* Fisher and Yates */
    size_t    j    = adv_random((uint32_t)i);
    adv_op_t *last = ops[i - 1];

    ops[i - 1] = ops[j];
    ops[j]     = last;
  }
}

uint64_t adv_execute(adv_window_t *w, int target, bool is_local)
{
  adv_op_t **ops;
  size_t     n = 0;

  for (const adv_op_t *op = w->ops; op != NULL; op = op->next)
    n += is_towards(op, target) && !op->is_executed;
  ops = calloc(n + 1, sizeof *ops);
  n   = 0;
  for (adv_op_t *op = w->ops; op != NULL; op = op->next)
    if (is_towards(op, target) && !op->is_executed)
      ops[n++] = op;
  if (adv_does(ADV_SHUFFLE))
    shuffle(ops, n);
  for (size_t i = 0; i < n; i++)
    if (!is_local || !adv_does(ADV_HOLD) || !may_stay_held(ops[i]))
      execute(ops[i]);
    else if (!ops[i]->is_local)
      copy_source(ops[i]);
  free(ops);
  return executions;
}

void adv_executed(adv_window_t *w, int target, uint64_t until)
{
  for (adv_op_t *op = w->ops, *next; op != NULL; op = next) {
    next = op->next;
    if (!op->is_executed || op->executed_at > until || !is_towards(op, target))
      continue;
    complete_here(op);
    if (op->request == NULL)
      forget(op);
  }
}
