#ifndef DART__MPI_TRANSFER_RMA_H
#define DART__MPI_TRANSFER_RMA_H
/* The far operations of port.h, dart__far_ops_t: far_put_get.c, far_bytes.c, amo.c, far_notify.c, object_call.c,
 * far_flush.c and far_handle.c have them; progress and push are in progress/engine.c. */
#include "port.h"

/* The way that the newest operation of the calling thread went, for dart__far_mark: by MPI, or as requests. What
 * starts an operation says it; messages of DART's own between do not. */
extern _Thread_local bool dart__far_went_by_mpi;

dart_ret_t dart__far_put(const dart__address_t *at, const dart__type_t *at_type, const void *src,
                         const dart__type_t *src_type, size_t nelem, dart_handle_t *handle_out);
dart_ret_t dart__far_get(const dart__address_t *at, const dart__type_t *at_type, void *dst,
                         const dart__type_t *dst_type, size_t nelem, dart_handle_t *handle_out);
dart_ret_t dart__far_put_blocking(const dart__address_t *at, const dart__type_t *at_type,
                                  const void *src, const dart__type_t *src_type, size_t nelem);
dart_ret_t dart__far_get_blocking(const dart__address_t *at, const dart__type_t *at_type, void *dst,
                                  const dart__type_t *dst_type, size_t nelem);
void dart__far_updates(const dart__address_t *at, const uint64_t *values, const uint32_t *places,
                       size_t nelem, dart_datatype_t type, dart_operation_t op);
void dart__far_accumulate(const dart__address_t *at, const void *values, size_t nelem,
                          dart_datatype_t type, dart_operation_t op);
void dart__far_fetch(const dart__address_t *at, const void *value, void *result,
                     dart_datatype_t type, dart_operation_t op);
void dart__far_fetch_elements(const dart__address_t *at, const void *values, void *results,
                              size_t nelem, dart_datatype_t type, dart_operation_t op);
void dart__far_swap(const dart__address_t *at, const void *value, const void *compare, void *result,
                    dart_datatype_t type);
void dart__far_put_notify(const dart__address_t *at, const dart__type_t *at_type, const void *src,
                          const dart__type_t *src_type, size_t nelem, const dart__signal_t *signal);
bool dart__far_get_notify(const dart__address_t *at, const dart__type_t *at_type, void *dst,
                          const dart__type_t *dst_type, size_t nelem, const dart__signal_t *signal);
void dart__far_call(const dart__address_t *at, const void *operand, size_t nbytes,
                    uint64_t *result_out);
dart_ret_t dart__far_flush(dart__team_t *team, int32_t unit);
dart_ret_t dart__far_flush_all(dart__team_t *team);
dart_ret_t dart__far_flush_local(dart__team_t *team, int32_t unit);
dart_ret_t dart__far_flush_local_all(dart__team_t *team);
void       dart__far_order(dart__team_t *team, int32_t unit);
void       dart__far_mark(const dart__team_t *team, int32_t unit, dart__mark_t *mark);
void dart__far_ask_to(dart__team_t *team, int32_t unit, const dart__mark_t *mark, bool at_target);
void dart__far_settle_to(dart__team_t *team, int32_t unit, const dart__mark_t *mark,
                         bool at_target);
bool dart__far_test_to(dart__team_t *team, int32_t unit, dart__mark_t *mark);
void dart__far_settle(dart__team_t *team, int32_t unit);
void dart__far_wait(dart_handle_t *handle, bool at_target);
bool dart__far_test(dart_handle_t handle);
void dart__far_release(dart_handle_t *handle);

dart_handle_t dart__far_handle_new(const dart__address_t *at);
void          dart__far_handle_mark(dart_handle_t handle);

#endif
