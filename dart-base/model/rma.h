#ifndef DART__MODEL_RMA_H
#define DART__MODEL_RMA_H
/* The descriptor of a one-sided operation: entry points fill it when they have checked their arguments, and all folders
 * up to the network take it as it is. How the operation completes is said by the function that starts it. */
#include <dash/dart/if/dart_types.h>

#include "data/type.h"
#include "model/address.h"

typedef enum { DART__PUT, DART__GET, DART__ACCUMULATE, DART__FETCH, DART__SWAP } dart__rma_kind_t;

/* Fields that the kind does not name are not set. `local_type` is NULL where `nbytes` are in a row on both sides; then
 * `type` and `nelem` of a put or get may not be set. */
typedef struct {
  dart__address_t     at;
  dart__rma_kind_t    kind;
  const dart__type_t *type;       /* layout of the portion; atomics: a basic type */
  const dart__type_t *local_type; /* layout of the buffer */
  size_t              nelem;
  size_t              nbytes;  /* of all elements */
  void               *buffer;  /* source or operand, which is not written; destination of a get */
  void               *result;  /* fetch, swap */
  const void         *compare; /* swap */
  dart_operation_t    op;      /* accumulate, fetch */
} dart__rma_t;

/** Whether the operand, of a put or an atomic, is copied before the call returns. */
static inline bool dart__rma_is_copied(const dart__rma_t *rma)
{
  return rma->nbytes <= DART_COPIED_MOST && rma->kind != DART__GET &&
         (rma->local_type == NULL || dart__type_is_contiguous(rma->local_type));
}

/** Make it an atomic on `nelem` elements in a row; `values` may be NULL for DART_OP_NO_OP. The address is set before or
 *  after: a copy of one that was just written by fields would wait for these stores. */
static inline void dart__rma_set(dart__rma_t *rma, dart__rma_kind_t kind, const void *values,
                                 size_t nelem, dart_datatype_t type, dart_operation_t op)
{
  rma->kind       = kind;
  rma->type       = &dart__type_basic[type];
  rma->local_type = NULL;
  rma->nelem      = nelem;
  rma->nbytes     = nelem * dart__type_basic_size(type);
  rma->buffer     = (void *)(uintptr_t)values;
  rma->op         = op;
}

static inline void dart__rma_set_fetch(dart__rma_t *rma, const void *values, void *results,
                                       size_t nelem, dart_datatype_t type, dart_operation_t op)
{
  dart__rma_set(rma, DART__FETCH, values, nelem, type, op);
  rma->result = results;
}

/** A compare-and-swap of one element. */
static inline void dart__rma_set_swap(dart__rma_t *rma, const void *value, const void *compare,
                                      void *result, dart_datatype_t type)
{
  dart__rma_set(rma, DART__SWAP, value, 1, type, DART_OP_REPLACE);
  rma->compare = compare;
  rma->result  = result;
}

/** Such operations with an address. */
static inline dart__rma_t dart__rma_accumulate(const dart__address_t *at, const void *values,
                                               size_t nelem, dart_datatype_t type,
                                               dart_operation_t op)
{
  dart__rma_t rma = { .at = *at };

  dart__rma_set(&rma, DART__ACCUMULATE, values, nelem, type, op);
  return rma;
}

static inline dart__rma_t dart__rma_fetch(const dart__address_t *at, const void *values,
                                          void *results, size_t nelem, dart_datatype_t type,
                                          dart_operation_t op)
{
  dart__rma_t rma = { .at = *at };

  dart__rma_set_fetch(&rma, values, results, nelem, type, op);
  return rma;
}

static inline dart__rma_t dart__rma_swap(const dart__address_t *at, const void *value,
                                         const void *compare, void *result, dart_datatype_t type)
{
  dart__rma_t rma = { .at = *at };

  dart__rma_set_swap(&rma, value, compare, result, type);
  return rma;
}

#endif
