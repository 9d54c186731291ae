#ifndef DART__FAR_AM_WIRE_H
#define DART__FAR_AM_WIRE_H
/* The wire format of active messages.
 *
 * A message is a header and whole words of 8 bytes. A message of requests carries a batch of records: one word that
 * says what to do, then the operands. A SELECT record names the segment of the records after it, so an update of 8
 * bytes takes 16; those of a stream share a word, and take 12 (UPDATES). A reply carries the results of one batch,
 * each in whole words, in the order of their requests; or its header alone. Both share
 * a channel, so that a receiver looks for one message. But where there is no memory for a reply, the one that was kept for
 * that has a channel of its own: requests that wait for memory must not hold up a reply that makes memory free.
 *
 * Data that do not fit a batch are messages of their own on the data channel, received in place. The batch that
 * announces them ends with a dart__am_data_t for each, in the order in which they are sent. The batch is applied when
 * all of its data are here; later batches of the same peer wait for it. Data that are asked for in this way travel
 * back, on a channel of their own: then the batch is applied when they have left their place, and is done for its
 * origin when they have come.
 *
 * Batches from one peer to another are numbered from 1 in the order sent; 64 bits do not wrap. Every message
 * acknowledges the batches that its receiver has sent and its sender has applied. A header without a batch asks for
 * an acknowledgement alone. */
#include <stddef.h>
#include <stdint.h>

#include <dash/dart/if/dart_types.h>

#define DART__AM_BYTES     ((size_t)8000) /* of the records, or of the results, of a batch at most */
#define DART__AM_WORDS     (DART__AM_BYTES / sizeof(uint64_t))
#define DART__AM_DATA      8                 /* messages of data that a batch announces at most */
#define DART__AM_DATA_MOST ((size_t)1 << 20) /* bytes of one */

typedef struct {
  uint16_t wants_reply; /* of requests: a reply is awaited */
  uint16_t ndata;       /* of requests: messages of data that the batch announces */
  uint32_t is_reply;
  uint64_t batch;   /* number of the batch, of which a reply brings the results; 0: no requests, and
                         * their reply */
  uint64_t acked;   /* all batches of the receiver up to here were applied */
  uint64_t refused; /* requests in these that named no memory */
} dart__am_header_t;

typedef struct {
  dart__am_header_t header;
  uint64_t          words[DART__AM_WORDS];
} dart__am_message_t;

typedef enum {
  DART__AM_SELECT,     /* operand: a dart__am_selection_t */
  DART__AM_ACCUMULATE, /* count elements of type, op; operands: the elements */
  DART__AM_FETCH,      /* as ACCUMULATE, without operands for NO_OP; result: as many elements */
  DART__AM_SWAP,       /* type; operands: value, then compare; result: an element */
  DART__AM_PUT,        /* count bytes; operand: these */
  DART__AM_GET,        /* count bytes; result: these */
  DART__AM_NOTIFY,     /* as an accumulate of one element; threads that wait for it are woken */
  DART__AM_PING,       /* on no memory; no operand */
  DART__AM_INFORM,     /* on no memory; operand: a word for the target's host */
  DART__AM_EPOCH, /* about epochs, for the target's host; operands: count words, the first of which are a
                    * dart__am_epoch_t; result: offset words */
  DART__AM_CALL, /* count bytes, an operation on an object there; operand: these; result, if op is 1: a word */
  DART__AM_TYPE, /* on no memory: how the elements of the next records lie, see dart__am_type_op_t; operands:
                   * count words (data/describe.h) */
  DART__AM_PUT_TYPED, /* count bytes; operands: the number of the first element, then these */
  DART__AM_GET_TYPED, /* count bytes; operand: the number of the first element; result: these */
  DART__AM_UPDATES, /* count elements of type, op, each an accumulate of its own; operands: the elements, then for
                     * each where it goes, as the number of an element, of 32 bits */
  DART__AM_NEAR_UPDATE /* an accumulate of one element of 8 bytes in the portion of a unit of the target's node, by its
                        * index there, which is the count; operand: the element */
} dart__am_request_kind_t;

/* A unit keeps descriptions of its peers' types, in places that the peer decides on: a TYPE record's type is
 * the place, its offset the number that the peer gave to the description. */
typedef enum {
  DART__AM_TYPE_ONCE, /* the description is not kept */
  DART__AM_TYPE_KEEP, /* it is, if there is memory; result: its number, or 0 if there is none */
  DART__AM_TYPE_KEPT  /* it is what is in the place; no operands */
} dart__am_type_op_t;

#define DART__AM_TYPES 16 /* places for each peer */

typedef struct {
  int16_t  team;
  int16_t  segid;
  uint32_t offset_high; /* what the offsets of the records after it have beyond their own bits */
} dart__am_selection_t;

/* About epochs of a segment. */
typedef struct {
  int16_t  team;
  int16_t  segid;
  uint32_t what;  /* the hosts' */
  uint64_t value; /* as above */
} dart__am_epoch_t;

#define DART__AM_EPOCH_WORDS (sizeof(dart__am_epoch_t) / sizeof(uint64_t))

/* Where a message of data is received, or what is to be sent back. */
typedef struct {
  dart__am_selection_t selection; /* offset_high is 0 */
  uint64_t             offset;
  uint32_t             nbytes;
  uint32_t             is_got; /* it is sent back; without a byte, if there is no such memory */
} dart__am_data_t;

#define DART__AM_DATA_WORDS (sizeof(dart__am_data_t) / sizeof(uint64_t))

/* The word a record starts with: kind:4 type:5 op:4 count:12 offset:39. */
#define DART__AM_OFFSET_BITS 39
#define DART__AM_OFFSET_AT   (64 - DART__AM_OFFSET_BITS)
#define DART__AM_COUNT_AT    13
#define DART__AM_COUNT_MOST  ((size_t)1 << 12) /* counts are below */

static inline uint64_t dart__am_word(dart__am_request_kind_t kind, unsigned type, unsigned op,
                                     size_t count, uint64_t offset)
{
  return (uint64_t)kind | type << 4 | op << 9 | (uint64_t)count << DART__AM_COUNT_AT |
         offset << DART__AM_OFFSET_AT;
}

static inline dart__am_request_kind_t dart__am_word_kind(uint64_t word)
{
  return (dart__am_request_kind_t)(word & 0xf);
}

static inline dart_datatype_t dart__am_word_type(uint64_t word)
{
  return (dart_datatype_t)(word >> 4 & 0x1f);
}

static inline dart_operation_t dart__am_word_op(uint64_t word)
{
  return (dart_operation_t)(word >> 9 & 0xf);
}

static inline size_t dart__am_word_count(uint64_t word)
{
  return word >> DART__AM_COUNT_AT & 0xfff;
}

static inline uint64_t dart__am_word_offset(uint64_t word)
{
  return word >> DART__AM_OFFSET_AT;
}

/* Words that so many bytes take. */
static inline size_t dart__am_words(size_t nbytes)
{
  return (nbytes + 7) / 8;
}

#endif
