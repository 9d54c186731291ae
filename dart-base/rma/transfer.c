/* The general checks of a put or get: the cold half of transfer.h. */
#include "rma/transfer.h"

#include "data/name.h"
#include "rma/gate.h"

dart__gate_t dart__gate;

/* Whether so many elements are in a row: of a strided type, those of one block. */
static bool is_run(const dart__type_t *type, size_t nelem)
{
  return dart__type_is_contiguous(type) ||
         (type->kind == DART__TYPE_STRIDED && nelem <= type->elem_count);
}

dart_ret_t dart__transfer_check(const char *function, const void *buffer, size_t nelem,
                                dart_datatype_t global_type, dart_datatype_t local_type,
                                dart__rma_t *rma_out, size_t *span_out)
{
  const dart__type_t *global = dart__type_find(global_type), *local = dart__type_find(local_type);

  if (global == NULL || local == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: unknown type %s", function,
                      dart__type_text(global == NULL ? global_type : local_type).text);
  if (!dart__type_compatible(local, global, nelem))
    return dart__fail(DART_ERR_INVAL, "%s: %zu elements do not go from type %s to type %s",
                      function, nelem, dart__type_text(local_type).text,
                      dart__type_text(global_type).text);
  if (buffer == NULL && nelem > 0)
    return dart__fail(DART_ERR_INVAL, "%s: the local buffer is NULL for %zu elements", function,
                      nelem);
  *span_out = dart__type_span(global, nelem);
  if (*span_out == SIZE_MAX || dart__type_span(local, nelem) == SIZE_MAX)
    return dart__fail(DART_ERR_INVAL, "%s: %zu elements are more than memory can hold", function,
                      nelem);
  rma_out->type       = global;
  rma_out->local_type = is_run(global, nelem) && is_run(local, nelem) ? NULL : local;
  rma_out->nbytes     = nelem * global->elem_size;
  return DART_OK;
}
