#ifndef DART__RMA_GATE_H
#define DART__RMA_GATE_H
/* The gate of epochs: what an entry point asks before it starts an operation on a segment that has had epochs
 * (dart__segment_epoch is not NULL). The room of epochs sets it. */
#include <dash/dart/ext/dart_value.h>

#include "data/type.h"
#include "model/address.h"

typedef enum { DART__EPOCH_PUT, DART__EPOCH_GET, DART__EPOCH_ACCUMULATE } dart__epoch_op_kind_t;

/* An operation. Bytes, and elements of a basic type, are consecutive on both sides. */
typedef struct {
  dart__epoch_op_kind_t kind;
  dart__address_t       at;
  const dart__type_t   *type;     /* of the portion */
  const dart__type_t *local_type; /* of the buffer; NULL: elements are consecutive on both sides */
  void               *buffer;     /* a put or accumulate does not write to it; NULL: `value` */
  size_t              nelem;
  dart_operation_t    op; /* accumulate */
  uint32_t
      next; /* deferred: the place of the next one for the same unit, or of the next free one */
  _Alignas(16) char value[DART_COPIED_MOST]; /* copied operand of a put or an accumulate */
} dart__epoch_op_t;

static inline const void *dart__epoch_source(const dart__epoch_op_t *op)
{
  return op->buffer != NULL ? op->buffer : op->value;
}

typedef enum {
  DART__ACCESS_PASS,    /* go on as outside of epochs */
  DART__ACCESS_DONE,    /* it was started or deferred */
  DART__ACCESS_REFUSED, /* after a log line: DART_ERR_INVAL */
  DART__ACCESS_NOMEM    /* refused: DART_ERR_NOMEM */
} dart__access_t;

/** What the operation returns, unless it is to go on. */
static inline dart_ret_t dart__access_result(dart__access_t goes)
{
  return goes == DART__ACCESS_DONE    ? DART_OK
         : goes == DART__ACCESS_NOMEM ? DART_ERR_NOMEM
                                      : DART_ERR_INVAL;
}

typedef struct {
  /** An operation that may be deferred. */
  dart__access_t (*later)(const char *function, const dart__epoch_op_t *op);

  /** An operation that has to start now; never DONE. Waits until the target is open. */
  dart__access_t (*now)(const char *function, const dart__address_t *at,
                        dart__epoch_op_kind_t kind);

  /** Open the unit, or (-1) all units, for which operations are deferred, and start these. DART_ERR_INVAL: memory is
   *  gone, after a log line. */
  dart_ret_t (*flush)(dart__team_t *team, dart__segment_t *segment, int32_t unit);
} dart__gate_t;

extern dart__gate_t dart__gate;

#endif
