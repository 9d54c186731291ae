#ifndef DART__FAR_FAR_OPERATION_H
#define DART__FAR_FAR_OPERATION_H
/* Puts and gets that are part of another operation: dart__far_start and others are in far_ops.h. */
#include "far/far_ops.h"
#include "far/way.h"

/** Start a put or get by RECORD, TYPED or MESSAGE. */
void dart__far_request(dart__way_t way, const dart__rma_t *rma, bool is_put);

/** A put or get by ELEMENTS, complete on return. */
void dart__far_elements_blocking(const dart__rma_t *rma);

#endif
