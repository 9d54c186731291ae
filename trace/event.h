#ifndef DART__TRACE_EVENT_H
#define DART__TRACE_EVENT_H
/* The file of a thread's events, as the layer writes it and dart-trace reads it: a header, and records of 32
 * bytes in the order of time. Both are made of one version of DART, on machines of one kind. */
#include <stdatomic.h>
#include <stdint.h>

#define DART__TRACE_MAGIC "DARTEVT1"

enum { DART__TRACE_HEADER_BYTES = 4096 };

typedef struct {
  char             magic[8]; /* written last: the file is whole from here on */
  char             version[16];
  char             host[64], program[64];
  uint32_t         ncalls; /* the reader has the same list of names */
  uint32_t         nunits;
  int32_t          unit, node;
  uint32_t         thread;
  int64_t          to_real_time; /* added to times of events: ns since 1970 by the host's clock */
  _Atomic uint64_t nevents;
  _Atomic uint64_t ndropped; /* calls that there was no room for */
} dart__trace_header_t;

typedef enum {
  DART__TRACE_ENTER = 1,
  DART__TRACE_LEAVE,
  DART__TRACE_RMA_PUT, /* `unit`: the global target, `bytes`, `id`: that of its completion */
  DART__TRACE_RMA_GET,
  DART__TRACE_RMA_ATOMIC,
  DART__TRACE_DONE,       /* the operation `id` is complete, on return of its call */
  DART__TRACE_DONE_HERE,  /* operations `id` so far are complete locally */
  DART__TRACE_DONE_THERE, /* and at their target */
  DART__TRACE_ALL_TOGETHER, /* a collective call of `team`, root `unit` or -1, which sent `bytes`, ended at time `id` */
  DART__TRACE_LOCK, /* the lock `id` of `unit` (-1: of all) was had; `bytes` 1: shared, 0: exclusive */
  DART__TRACE_UNLOCK,
  DART__TRACE_MEMBER, /* `unit` is member `id` of `team`, which has `bytes` members */
  DART__TRACE_ASK, /* the lock `id` was asked for, and is had some time until it is released; as LOCK */
  DART__TRACE_SENT,    /* a message of `bytes` with tag `id` to `unit` */
  DART__TRACE_RECEIVED /* and from `unit`; the last number that has room in `kind` */
} dart__trace_event_kind_t;

typedef struct {
  uint64_t time; /* ns */
  uint64_t bytes, id;
  int32_t  unit;
  int16_t  team;
  uint16_t kind : 4, call : 12; /* call: the number in names.h */
} dart__trace_event_t;

_Static_assert(sizeof(dart__trace_event_t) == 32, "records have one size");
_Static_assert(sizeof(dart__trace_header_t) <= DART__TRACE_HEADER_BYTES, "the header has room");

#endif /* DART__TRACE_EVENT_H */
