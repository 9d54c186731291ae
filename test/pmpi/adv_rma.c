/* Operations on windows: looked at, and then held (adv_held.c). */
#include <stdlib.h>

#include "adversary.h"

/* ---- what is forbidden ------------------------------------------------------------------ */

static bool has_access(const adv_window_t *w, int target)
{
  return (w->epoch & (ADV_EPOCH_LOCK_ALL | ADV_EPOCH_FENCE)) != 0 || w->locked[target] ||
         ((w->epoch & ADV_EPOCH_START) != 0 && w->open[target]);
}

static void check_types(int count, MPI_Datatype type, int target_count, MPI_Datatype target_type)
{
  int size, target_size;

  if (count < 0 || target_count < 0)
    adv_refuse("count %d, at the target %d", count, target_count);
  if (!adv_type_is_usable(type) || !adv_type_is_usable(target_type))
    adv_refuse("a datatype was not committed, or is gone");
  PMPI_Type_size(type, &size);
  PMPI_Type_size(target_type, &target_size);
  if ((size_t)count * (size_t)size != (size_t)target_count * (size_t)target_size)
    adv_refuse("%d elements of %d bytes, but at the target %d of %d bytes", count, size,
               target_count, target_size);
}

static bool is_attached(const adv_window_t *w, MPI_Aint from, MPI_Aint to)
{
  for (const adv_region_t *r = w->attached; r != NULL; r = r->next)
    if (from >= (MPI_Aint)(intptr_t)r->base && to <= (MPI_Aint)(intptr_t)r->base + r->nbytes)
      return true;
  return false;
}

/* Where the operation goes, as bytes of the target's memory, or addresses on a dynamic window. */
static void check_place(const adv_window_t *w, adv_op_t *op)
{
  MPI_Aint lower;
  size_t   span, nbytes;
  bool     is_dense;

  adv_extent(op->count, op->type, &lower, &span, &nbytes, &is_dense);
  op->from = op->disp * (w->unit != NULL ? w->unit[op->target] : 1) + lower;
  op->to   = op->from + (MPI_Aint)span;
  if (nbytes == 0)
    return;
  if (w->nbytes != NULL && (op->from < 0 || op->to > w->nbytes[op->target]))
    adv_refuse("bytes %lld to %lld of rank %d, whose window has %lld", (long long)op->from,
               (long long)op->to, op->target, (long long)w->nbytes[op->target]);
  if (w->is_dynamic && op->target == w->me && !is_attached(w, op->from, op->to))
    adv_refuse("%zu bytes at %p, which are not attached", span, (void *)(intptr_t)op->from);
}

static void check(adv_window_t *w, adv_op_t *op)
{
  if (op->target < 0 || op->target >= w->nranks)
    adv_refuse("rank %d of %d", op->target, w->nranks);
  if (!has_access(w, op->target))
    adv_refuse("there is no epoch towards rank %d", op->target);
  check_place(w, op);
}

/* ---- starting --------------------------------------------------------------------------- */

/* The arguments of any operation. */
typedef struct {
  const void  *source;
  const void  *compare;
  void        *result;
  int          count, result_count;
  MPI_Datatype type, result_type;
} here_t;

/* With a target that is in `op`. */
static void start(adv_window_t *w, const adv_op_t *model, const here_t *here, MPI_Request *request)
{
  adv_op_t *op = malloc(sizeof *op);

  *op      = *model;
  op->call = adv_call();
  check(w, op);
  op->type = adv_type_keep(model->type);
  if (here->source != NULL && op->op != MPI_NO_OP)
    adv_source_open(&op->source, here->source, here->count, here->type);
  if (here->compare != NULL)
    adv_source_open(&op->compare, here->compare, here->count, here->type);
  if (op->kind != ADV_PUT && op->kind != ADV_ACCUMULATE)
    adv_result_open(&op->result, here->result, here->result_count, here->result_type);
  adv_hold(w, op, request);
}

/* False: the adversary stays out of it. */
static bool begin(const char *call, int target, MPI_Win win, adv_window_t **w_out)
{
  if (target == MPI_PROC_NULL || !adv_enter(call))
    return false;
  adv_lock();
  *w_out = adv_window(win);
  if (*w_out != NULL)
    return true;
  adv_unlock();
  adv_leave();
  return false;
}

static int end(void)
{
  adv_unlock();
  adv_leave();
  return MPI_SUCCESS;
}

#define PUT_PARAMETERS                                                                           \
  const void *source, int count, MPI_Datatype type, int target, MPI_Aint disp, int target_count, \
      MPI_Datatype target_type
#define GET_PARAMETERS                                                                     \
  void *result, int count, MPI_Datatype type, int target, MPI_Aint disp, int target_count, \
      MPI_Datatype target_type
#define AT_TARGET .target = target, .disp = disp, .count = target_count, .type = target_type

static int put(PUT_PARAMETERS, adv_window_t *w, MPI_Request *request)
{
  check_types(count, type, target_count, target_type);
  start(w, &(adv_op_t){ .kind = ADV_PUT, AT_TARGET, .op = MPI_OP_NULL },
        &(here_t){ .source = source, .count = count, .type = type }, request);
  return end();
}

static int get(GET_PARAMETERS, adv_window_t *w, MPI_Request *request)
{
  check_types(count, type, target_count, target_type);
  start(w, &(adv_op_t){ .kind = ADV_GET, AT_TARGET, .op = MPI_OP_NULL },
        &(here_t){ .result = result, .result_count = count, .result_type = type }, request);
  return end();
}

static int accumulate(PUT_PARAMETERS, MPI_Op op, adv_window_t *w, MPI_Request *request)
{
  check_types(count, type, target_count, target_type);
  if (adv_object_is(ADV_OP, ADV_HANDLE(op)))
    adv_refuse("the operator is not a predefined one");
  start(w, &(adv_op_t){ .kind = ADV_ACCUMULATE, AT_TARGET, .op = op },
        &(here_t){ .source = source, .count = count, .type = type }, request);
  return end();
}

#define GET_ACCUMULATE_PARAMETERS                                                   \
  const void *source, int count, MPI_Datatype type, void *result, int result_count, \
      MPI_Datatype result_type, int target, MPI_Aint disp, int target_count,        \
      MPI_Datatype target_type, MPI_Op op

static int get_accumulate(GET_ACCUMULATE_PARAMETERS, adv_window_t *w, MPI_Request *request)
{
  if (op != MPI_NO_OP)
    check_types(count, type, target_count, target_type);
  check_types(result_count, result_type, target_count, target_type);
  if (adv_object_is(ADV_OP, ADV_HANDLE(op)))
    adv_refuse("the operator is not a predefined one");
  start(w, &(adv_op_t){ .kind = ADV_GET_ACCUMULATE, AT_TARGET, .op = op },
        &(here_t){ .source       = source,
                   .count        = count,
                   .type         = type,
                   .result       = result,
                   .result_count = result_count,
                   .result_type  = result_type },
        request);
  return end();
}

/* ---- the calls -------------------------------------------------------------------------- */

#define PUT_ARGUMENTS source, count, type, target, disp, target_count, target_type
#define GET_ARGUMENTS result, count, type, target, disp, target_count, target_type

int MPI_Put(PUT_PARAMETERS, MPI_Win win)
{
  adv_window_t *w;

  return begin("MPI_Put", target, win, &w) ? put(PUT_ARGUMENTS, w, NULL)
                                           : PMPI_Put(PUT_ARGUMENTS, win);
}

int MPI_Rput(PUT_PARAMETERS, MPI_Win win, MPI_Request *request)
{
  adv_window_t *w;

  return begin("MPI_Rput", target, win, &w) ? put(PUT_ARGUMENTS, w, request)
                                            : PMPI_Rput(PUT_ARGUMENTS, win, request);
}

int MPI_Get(GET_PARAMETERS, MPI_Win win)
{
  adv_window_t *w;

  return begin("MPI_Get", target, win, &w) ? get(GET_ARGUMENTS, w, NULL)
                                           : PMPI_Get(GET_ARGUMENTS, win);
}

int MPI_Rget(GET_PARAMETERS, MPI_Win win, MPI_Request *request)
{
  adv_window_t *w;

  return begin("MPI_Rget", target, win, &w) ? get(GET_ARGUMENTS, w, request)
                                            : PMPI_Rget(GET_ARGUMENTS, win, request);
}

int MPI_Accumulate(PUT_PARAMETERS, MPI_Op op, MPI_Win win)
{
  adv_window_t *w;

  return begin("MPI_Accumulate", target, win, &w) ? accumulate(PUT_ARGUMENTS, op, w, NULL)
                                                  : PMPI_Accumulate(PUT_ARGUMENTS, op, win);
}

int MPI_Raccumulate(PUT_PARAMETERS, MPI_Op op, MPI_Win win, MPI_Request *request)
{
  adv_window_t *w;

  return begin("MPI_Raccumulate", target, win, &w)
             ? accumulate(PUT_ARGUMENTS, op, w, request)
             : PMPI_Raccumulate(PUT_ARGUMENTS, op, win, request);
}

#define GET_ACCUMULATE_ARGUMENTS                                                                   \
  source, count, type, result, result_count, result_type, target, disp, target_count, target_type, \
      op

int MPI_Get_accumulate(GET_ACCUMULATE_PARAMETERS, MPI_Win win)
{
  adv_window_t *w;

  return begin("MPI_Get_accumulate", target, win, &w)
             ? get_accumulate(GET_ACCUMULATE_ARGUMENTS, w, NULL)
             : PMPI_Get_accumulate(GET_ACCUMULATE_ARGUMENTS, win);
}

int MPI_Rget_accumulate(GET_ACCUMULATE_PARAMETERS, MPI_Win win, MPI_Request *request)
{
  adv_window_t *w;

  return begin("MPI_Rget_accumulate", target, win, &w)
             ? get_accumulate(GET_ACCUMULATE_ARGUMENTS, w, request)
             : PMPI_Rget_accumulate(GET_ACCUMULATE_ARGUMENTS, win, request);
}

static void check_element(MPI_Datatype type)
{
  if (adv_object_is(ADV_TYPE, ADV_HANDLE(type)) || type == MPI_DATATYPE_NULL)
    adv_refuse("the datatype is not a predefined one");
}

int MPI_Fetch_and_op(const void *source, void *result, MPI_Datatype type, int target, MPI_Aint disp,
                     MPI_Op op, MPI_Win win)
{
  adv_window_t *w;

  if (!begin("MPI_Fetch_and_op", target, win, &w))
    return PMPI_Fetch_and_op(source, result, type, target, disp, op, win);
  check_element(type);
  start(w,
        &(adv_op_t){
            .kind = ADV_FETCH, .target = target, .disp = disp, .count = 1, .type = type, .op = op },
        &(here_t){ .source       = source,
                   .count        = 1,
                   .type         = type,
                   .result       = result,
                   .result_count = 1,
                   .result_type  = type },
        NULL);
  return end();
}

int MPI_Compare_and_swap(const void *source, const void *compare, void *result, MPI_Datatype type,
                         int target, MPI_Aint disp, MPI_Win win)
{
  adv_window_t *w;

  if (!begin("MPI_Compare_and_swap", target, win, &w))
    return PMPI_Compare_and_swap(source, compare, result, type, target, disp, win);
  check_element(type);
  start(w,
        &(adv_op_t){ .kind   = ADV_SWAP,
                     .target = target,
                     .disp   = disp,
                     .count  = 1,
                     .type   = type,
                     .op     = MPI_OP_NULL },
        &(here_t){ .source       = source,
                   .compare      = compare,
                   .count        = 1,
                   .type         = type,
                   .result       = result,
                   .result_count = 1,
                   .result_type  = type },
        NULL);
  return end();
}
