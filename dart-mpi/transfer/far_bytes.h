#ifndef DART__MPI_TRANSFER_FAR_BYTES_H
#define DART__MPI_TRANSFER_FAR_BYTES_H
/* Puts and gets of `nbytes` > 0 bytes in a row on both sides; of dart__far_ops_t. */
#include <dash/dart/if/dart_communication.h>

#include "model/address.h"

dart_ret_t dart__far_put_bytes(const dart__address_t *at, const void *src, size_t nbytes,
                               dart_handle_t *handle_out);
dart_ret_t dart__far_get_bytes(const dart__address_t *at, void *dst, size_t nbytes,
                               dart_handle_t *handle_out);
dart_ret_t dart__far_put_bytes_blocking(const dart__address_t *at, const void *src, size_t nbytes);
dart_ret_t dart__far_get_bytes_blocking(const dart__address_t *at, void *dst, size_t nbytes);

#endif
