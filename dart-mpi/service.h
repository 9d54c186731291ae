#ifndef DART__MPI_SERVICE_H
#define DART__MPI_SERVICE_H
/* The service: small operations on far memory travel as requests to the unit that owns the memory.
 *
 *   unit (requests.c, lanes.h)                owner (owner.c)
 *   append to the open batch of the lane
 *   full, flushed, old, or waiting: send  →   apply each request, in order
 *   results to where they belong          ←   answer
 *
 * Requests to one unit are collected in a batch and travel together, in the order they were made; the
 * owner applies a batch whole. So batches of one unit are applied in order, because MPI delivers
 * messages of one sender in order and service.c receives into a ring of buffers that it handles in the
 * order they were posted. Nobody blocks: sends are non-blocking, and who waits for an answer serves
 * meanwhile.
 *
 * Every message tells how many batches of its receiver were applied by then. A batch is answered if it
 * asks for results, or if an answer is wanted: somebody waits, or many batches are under way.
 *
 * Messages start with a dart__message_t. Requests follow as records of whole words of 8 bytes: one
 * word that says what to do, then the operands. A record of SELECT says for those after it which
 * segment they are about, so an update of 8 bytes takes 16. An answer is followed by the results, each
 * in whole words.
 *
 * Data that are too many for a batch are a message of their own, received where they belong. The batch
 * that announces them ends with a dart__data_t for each message, in the order in which they are sent. It
 * is applied when all are here; later batches of the same unit wait for it. */
#include <stddef.h>
#include <stdint.h>

#include <dash/dart/if/dart_types.h>

#include "mpi_port.h"

#define DART__BATCH_BYTES  ((size_t)8000) /* of records, and of results */
#define DART__BATCH_WORDS  (DART__BATCH_BYTES / sizeof(uint64_t))

/* Tags of messages; data are the payload alone. */
enum { DART__TAG_MESSAGE, DART__TAG_DATA };

typedef enum {
  DART__REQUESTS,
  DART__ANSWER,
  DART__GONE /* words: the sender has left the program, see leave.c */
} dart__message_kind_t;

typedef struct {
  uint8_t  kind;
  uint8_t  is_wanted; /* requests: an answer is */
  uint16_t ndata;     /* requests: messages of data that come first */
  uint32_t applied;   /* batches of the receiver, since the start; wraps */
  uint64_t refused;   /* requests among them that named no memory */
} dart__message_t;

typedef enum {
  DART__SELECT,     /* operand: a dart__selection_t */
  DART__ACCUMULATE, /* count elements of type, op; operands: the elements */
  DART__FETCH,      /* type, op; operand: the element, nothing for NO_OP; result: an element */
  DART__SWAP,       /* type; operands: value, then compare; result: an element */
  DART__PUT,        /* count bytes; operand: these */
  DART__GET,        /* count bytes; result: these */
  DART__RAISE,      /* operand: what is added to the counter; who waits for it is woken */
  DART__NOTHING     /* is answered, no more */
} dart__request_kind_t;

typedef struct {
  int16_t  team;
  int16_t  segid;
  uint32_t offset_high; /* of the offsets of what follows, what is beyond their bits */
} dart__selection_t;

/* Where data go that are received in place. */
typedef struct {
  dart__selection_t selection; /* offset_high is 0 */
  uint64_t          offset;
  uint64_t          nbytes;
} dart__data_t;

#define DART__DATA_WORDS (sizeof(dart__data_t) / sizeof(uint64_t))
#define DART__DATA_BYTES ((size_t)1 << 30) /* of one, at most */
#define DART__DATA_MOST  8                 /* of a batch */

/* The word a record starts with: kind:4 type:4 op:4 count:12 offset:40. */
#define DART__OFFSET_BITS 40

_Static_assert(DART__SERVICE_MOST < 1 << 12 && DART__NOTIFIED_MOST < 1 << 12,
               "counts have 12 bits");

static inline uint64_t dart__request(dart__request_kind_t kind, unsigned type, unsigned op,
                                     size_t count, uint64_t offset)
{
  return (uint64_t)kind | type << 4 | op << 8 | (uint64_t)count << 12 | offset << 24;
}

static inline dart__request_kind_t dart__request_kind(uint64_t word)
{
  return (dart__request_kind_t)(word & 0xf);
}

static inline dart_datatype_t dart__request_type(uint64_t word)
{
  return (dart_datatype_t)(word >> 4 & 0xf);
}

static inline dart_operation_t dart__request_op(uint64_t word)
{
  return (dart_operation_t)(word >> 8 & 0xf);
}

static inline size_t dart__request_count(uint64_t word)
{
  return word >> 12 & 0xfff;
}

static inline uint64_t dart__request_offset(uint64_t word)
{
  return word >> 24;
}

/* Words that so many bytes take. */
static inline size_t dart__words(size_t nbytes)
{
  return (nbytes + 7) / 8;
}

/* ---- owner.c ----------------------------------------------------------------------------- */

/* What became of a batch. */
typedef struct {
  size_t   nresults; /* words */
  uint32_t refused;  /* requests that named no memory */
  bool     raised;   /* a counter that somebody may wait for */
} dart__applied_t;

/** Apply the `nwords` words of a batch to the own memory; results go to `results`, which has room for
 *  DART__BATCH_WORDS. One thread at a time. */
dart__applied_t dart__owner_apply(const uint64_t *words, size_t nwords, uint64_t *results);

/** The own memory where data belong; NULL if there is none. */
void *dart__owner_memory(const dart__data_t *data);

/* ---- requests.c --------------------------------------------------------------------------- */

/** Append a request that asks a unit (global id) for nothing but its answer. */
void dart__service_ask(dart_unit_t unit);

/* ---- service.c ---------------------------------------------------------------------------- */

/** Note in a message for `unit` what was applied of its requests. Any thread. */
void dart__service_tell(dart_unit_t unit, dart__message_t *head);

/* ---- leave.c ------------------------------------------------------------------------------ */

/** Take the `nwords` words of a message of kind DART__GONE. */
void dart__hear_gone(dart_unit_t unit, const uint64_t *words, size_t nwords);

/* ---- collect.c and lanes.c --------------------------------------------------------------- */

/* A record to be. */
typedef struct {
  uint64_t    word;
  const void *first; /* operands */
  const void *second;
  size_t      first_bytes;
  size_t      second_bytes;
  void       *result;
  size_t      result_bytes; /* 0: there is none */
} dart__record_t;

/** Append a record about memory at `offset` of the place's portion to the lane of a unit (global id);
 *  operands are copied. `at` is NULL if it is about no memory. */
void dart__lanes_append(dart_unit_t unit, const dart__place_t *at, uint64_t offset,
                        const dart__record_t *r);

/** Send data to a place, in messages of their own. `src` is read until the unit's requests with results
 *  are flushed. The requests that are appended next are applied when the data are there. */
void dart__lanes_send_data(const dart__place_t *at, const void *src, size_t nbytes);

/** Append a put (NULL: none) and a notification of the same unit, and send what was collected for it,
 *  unless more notifications are to be expected at once. What cannot be sent now is sent later. */
void dart__lanes_notify(const dart__place_t *at, const dart__record_t *put,
                        const dart__place_t *flag, const dart__record_t *raise);

dart_ret_t dart__lanes_open(void);
void       dart__lanes_close(void);

/** Take what a message of `unit` tells about batches that are under way to it. `results`: those of the
 *  newest it tells of; NULL: it brings none. */
void dart__lanes_hear(dart_unit_t unit, const dart__message_t *head, const uint64_t *results);

/** Send what was collected, if it is old; in any case if the caller waits. */
void dart__lanes_send(bool waiting);

#endif
