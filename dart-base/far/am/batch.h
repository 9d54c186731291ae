#ifndef DART__FAR_AM_BATCH_H
#define DART__FAR_AM_BATCH_H
/* A batch: requests to one peer that travel together, being collected or under way.
 *
 * Batches come from a pool. There is at least one, and at most DART__AM_BATCHES_MOST, so that requests to
 * slow peers cannot use up memory: a thread that finds no batch, and no memory for one more, waits for
 * acknowledgements. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "data/type.h"
#include "far/am/spin.h"
#include "far/am/wire.h"
#include "net.h"
#include "wait/wait.h"

#define DART__AM_BATCHES_MOST 1024 /* of a unit, 27 MB */

/* Where a result goes. */
typedef struct {
  void    *to;
  uint32_t nbytes;
  uint32_t scattered; /* index in the batch's `scatter`, plus one; 0: bytes in a row */
} dart__am_result_t;

#define DART__AM_SCATTERS 16 /* results of a batch that are not */

/* A flag of the origin itself that is updated when a batch is done, and all before it to this peer. */
typedef struct {
  void            *flag; /* a word of 64 bits */
  uint64_t         value;
  dart_operation_t op;
  dart__event_t *event; /* raised then, for units of the node that wait for the flag; NULL: none */
} dart__am_arrival_t;

#define DART__AM_ARRIVALS 16 /* of a batch */

/* How such a result lies in the buffer at `to`. */
typedef struct {
  dart__type_t type; /* a copy */
  size_t       from; /* the result's first element */
} dart__am_scatter_t;

typedef struct dart__am_batch {
  struct dart__am_batch *next;
  uint64_t               number;  /* once it is sent */
  int64_t                seen_ns; /* when progress first found it open; 0: not yet */
  size_t                 nwords;
  size_t                 nrequests;
  size_t                 nown; /* of these DART's own: nobody is told if they are dropped */
  size_t                 nresults;
  size_t                 result_words;
  bool                   has_results; /* they were delivered */
  bool                   is_posted;   /* it and all its data were handed to the transport */
  bool                   is_full;     /* of data, scattered results or arrivals: it takes no more */
  dart__am_selection_t   selection;   /* what the last SELECT said */
  bool                   is_selected; /* there was one */
  uint64_t               described;   /* number of the type that the last TYPE named; 0: none */
  size_t                 ndata;       /* messages of data it announces, ... */
  size_t                 ndata_sent;  /* ... and of these, those handed to the transport */
  dart__am_data_t        data[DART__AM_DATA];
  const void            *src[DART__AM_DATA];
  void                  *dst[DART__AM_DATA];      /* of data that are asked for, and ... */
  dart__net_request_t    got[DART__AM_DATA];      /* ... their receives, when it is posted */
  dart__am_result_t      results[DART__AM_WORDS]; /* in the order of their requests */
  size_t                 nscatters;
  dart__am_scatter_t     scatter[DART__AM_SCATTERS];
  size_t                 narrivals;
  dart__am_arrival_t     arrival[DART__AM_ARRIVALS];
  dart__am_message_t     message;
} dart__am_batch_t;

typedef struct {
  dart__am_spin_t   lock;
  dart__am_batch_t *free;
  int               made;
} dart__am_pool_t;

/** An empty batch from the pool. NULL: there is none; with `may_make`: nor memory for one more, or there
 *  are as many as there may be. Without `may_make` nothing is allocated, so a caller may hold a spin lock. */
dart__am_batch_t *dart__am_batch_take(dart__am_pool_t *pool, bool may_make);
void              dart__am_batch_give(dart__am_pool_t *pool, dart__am_batch_t *batch);

/** Make the first one. False: no memory. */
bool dart__am_pool_fill(dart__am_pool_t *pool);

/** Free all of it; every batch was released. */
void dart__am_pool_clear(dart__am_pool_t *pool);

/* A record to be appended. */
typedef struct {
  uint64_t    word;
  const void *first; /* operands */
  const void *second;
  size_t      first_bytes;
  size_t      second_bytes;
  void       *result; /* where it goes; NULL if there is none */
  size_t      result_bytes;
  bool        is_internal; /* the result is DART's: no operation of the program waits for it */
  /* How `second`, or the result, lies in the buffer, and its first element there; NULL: it is consecutive. */
  const dart__type_t *type;
  size_t              from;
} dart__am_record_t;

/* Words that a record takes, with a selection before it. */
static inline size_t dart__am_record_words(const dart__am_record_t *r)
{
  return 3 + dart__am_words(r->first_bytes + r->second_bytes);
}

static inline bool dart__am_batch_fits(const dart__am_batch_t *batch, size_t nwords,
                                       size_t result_words, size_t most)
{
  return !batch->is_full && batch->nwords + batch->ndata * DART__AM_DATA_WORDS + nwords <= most &&
         batch->result_words + result_words <= most;
}

static inline dart__am_selection_t dart__am_selection_of(int16_t team, int16_t segid,
                                                         uint64_t offset)
{
  return (dart__am_selection_t){ team, segid, (uint32_t)(offset >> DART__AM_OFFSET_BITS) };
}

/** Whether the batch's last record was on this segment. */
static inline bool dart__am_batch_has_selected(const dart__am_batch_t     *batch,
                                               const dart__am_selection_t *selection)
{
  return batch->is_selected && memcmp(&batch->selection, selection, sizeof *selection) == 0;
}

/** Append a SELECT for the next record, unless the last record was on the same segment. */
static inline void dart__am_batch_select(dart__am_batch_t *batch, int16_t team, int16_t segid,
                                         uint64_t offset)
{
  dart__am_selection_t selection = dart__am_selection_of(team, segid, offset);

  if (dart__am_batch_has_selected(batch, &selection))
    return;
  batch->is_selected                  = true;
  batch->selection                    = selection;
  batch->message.words[batch->nwords] = dart__am_word(DART__AM_SELECT, 0, 0, 0, 0);
  memcpy(&batch->message.words[batch->nwords + 1], &selection, sizeof selection);
  batch->nwords += 2;
}

/** Copy the second operand of a record, which has a type, behind the first. */
void dart__am_batch_gather(uint64_t *words, const dart__am_record_t *r);

/** Note where the result of a record, which has a type, goes; its index, plus one. There is room. */
uint32_t dart__am_batch_scatter(dart__am_batch_t *batch, const dart__am_record_t *r);

/** Take a result of the batch to where it goes. */
void dart__am_batch_deliver(dart__am_batch_t *batch, const dart__am_result_t *result,
                            const uint64_t *words);

/** Append a record that fits. Operands are copied. */
static inline void dart__am_batch_append(dart__am_batch_t *batch, const dart__am_record_t *r)
{
  uint64_t *words = &batch->message.words[batch->nwords];
  char     *at    = (char *)&words[1];

  words[0] = r->word;
  if (r->first_bytes == sizeof(uint64_t)) { /* the common case, in one move */
    memcpy(at, r->first, sizeof(uint64_t));
  } else if (r->first_bytes > 0) {
    words[dart__am_words(r->first_bytes + r->second_bytes)] = 0; /* no stray bytes on the wire */
    memcpy(at, r->first, r->first_bytes);
  }
  if (r->second_bytes > 0 && r->type != NULL)
    dart__am_batch_gather(words, r);
  else if (r->second_bytes > 0)
    memcpy(at + r->first_bytes, r->second, r->second_bytes);
  batch->nwords += 1 + dart__am_words(r->first_bytes + r->second_bytes);
  batch->nrequests++;
  if (r->result_bytes > 0) {
    batch->results[batch->nresults++] =
        (dart__am_result_t){ r->result, (uint32_t)r->result_bytes,
                             r->type == NULL ? 0 : dart__am_batch_scatter(batch, r) };
    batch->result_words += dart__am_words(r->result_bytes);
  }
}

#endif
