#ifndef DART__TRACE_EVENT_H
#define DART__TRACE_EVENT_H
/* The file of a thread's events, which the layer writes and dart-trace reads: a header, and records of 32 bytes in the
 * order of time. Both must be of the same version of DART, and on machines of the same kind. */
#include <stdatomic.h>
#include <stdint.h>

#define DART__TRACE_MAGIC "DARTEVT1"

enum { DART__TRACE_HEADER_BYTES = 4096 };

typedef struct {
  char             magic[8]; /* written last, when the header is complete */
  char             version[16];
  char             host[64], program[64];
  uint32_t         ncalls; /* names of calls; the reader has the same list */
  uint32_t         nunits;
  int32_t          unit, node;
  uint32_t         thread;
  int64_t          to_real_time; /* added to times of events: ns since 1970, by the host's clock */
  _Atomic uint64_t nevents;
  _Atomic uint64_t ndropped; /* calls that did not fit */
} dart__trace_header_t;

typedef enum {
  DART__TRACE_ENTER = 1,
  DART__TRACE_LEAVE,
  DART__TRACE_RMA_PUT, /* `unit`: the global target; `bytes`; `id`: of its completion */
  DART__TRACE_RMA_GET,
  DART__TRACE_RMA_ATOMIC,
  DART__TRACE_DONE,         /* the operation `id` is complete when its call returns */
  DART__TRACE_DONE_HERE,    /* operations `id` so far are complete locally */
  DART__TRACE_DONE_THERE,   /* and at their target */
  DART__TRACE_ALL_TOGETHER, /* collective: `team`, root `unit` or -1, `bytes` sent, end `id` */
  DART__TRACE_LOCK,         /* lock `id` of `unit` (-1: of all) is held; `bytes` 1: shared */
  DART__TRACE_UNLOCK,
  DART__TRACE_MEMBER,  /* `unit` is member `id` of `team`, which has `bytes` members */
  DART__TRACE_ASK,     /* lock `id` was requested, and is acquired before its release; see LOCK */
  DART__TRACE_SENT,    /* a message of `bytes` with tag `id` to `unit` */
  DART__TRACE_RECEIVED /* and from `unit`; the last number that fits in `kind` */
} dart__trace_event_kind_t;

typedef struct {
  uint64_t time; /* ns */
  uint64_t bytes, id;
  int32_t  unit;
  int16_t  team;
  uint16_t kind : 4, call : 12; /* call: its number in names.h */
} dart__trace_event_t;

_Static_assert(sizeof(dart__trace_event_t) == 32, "records have one size");
_Static_assert(sizeof(dart__trace_header_t) <= DART__TRACE_HEADER_BYTES, "the header has room");

#endif /* DART__TRACE_EVENT_H */
