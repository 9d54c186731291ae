#ifndef DART__RMA_GATE_H
#define DART__RMA_GATE_H
/* The gate of epochs: what an entry point asks before it starts an operation on a segment that has had epochs
 * (dart__segment_epoch is not NULL). The room of epochs sets it. */
#include "model/rma.h"

typedef enum {
  DART__ACCESS_PASS,    /* go on as outside of epochs */
  DART__ACCESS_DONE,    /* it was started or deferred */
  DART__ACCESS_REFUSED, /* after a log line: DART_ERR_INVAL */
  DART__ACCESS_NOMEM,   /* refused: DART_ERR_NOMEM */
  DART__ACCESS_LOST     /* refused: DART_ERR_UNIT_LOST */
} dart__access_t;

/** What the operation returns, unless it is to go on. */
static inline dart_ret_t dart__access_result(dart__access_t goes)
{
  return goes == DART__ACCESS_DONE    ? DART_OK
         : goes == DART__ACCESS_NOMEM ? DART_ERR_NOMEM
         : goes == DART__ACCESS_LOST  ? DART_ERR_UNIT_LOST
                                      : DART_ERR_INVAL;
}

typedef struct {
  /** An operation that may be deferred; an operand that dart__rma_is_copied is copied then. */
  dart__access_t (*later)(const char *function, const dart__rma_t *rma);

  /** An operation that has to start now; never DONE. Waits until the target is open. */
  dart__access_t (*now)(const char *function, const dart__address_t *at, dart__rma_kind_t kind);

  /** Open the unit, or (-1) all units, for which operations are deferred, and start these. DART_ERR_INVAL: memory is
   *  gone, after a log line. */
  dart_ret_t (*flush)(dart__team_t *team, dart__segment_t *segment, int32_t unit);
} dart__gate_t;

extern dart__gate_t dart__gate;

/** DART_OK: an operation that has to start now may do so. Else what it returns. */
static inline dart_ret_t dart__gate_pass(const char *function, const dart__address_t *at,
                                         dart__rma_kind_t kind)
{
  dart__access_t goes;

  if (__builtin_expect(dart__segment_epoch(at->segment) == NULL, 1))
    return DART_OK;
  goes = dart__gate.now(function, at, kind);
  return goes == DART__ACCESS_PASS ? DART_OK : dart__access_result(goes);
}

#endif
