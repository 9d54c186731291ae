#ifndef BENCH_MESSAGES_MESSAGES_H
#define BENCH_MESSAGES_MESSAGES_H
/* The cases whose messages are counted. */
#include <dash/dart/ext/dart_range.h>

#include "../common/bench.h"

typedef struct {
  uint64_t messages; /* of all units */
  uint64_t bytes;
  uint64_t chain;         /* the longest of a unit when it has made its calls */
  uint64_t busiest;       /* messages that the unit with the most has sent or taken */
  uint64_t unit;          /* which that is */
  uint64_t busiest_bytes; /* of the unit that sent the most */
} counts_t;

/** Element `element` of a unit's portion of a segment of 64-bit words. */
static inline dart_gptr_t place(dart_gptr_t segment, size_t unit, size_t element)
{
  BENCH_OK(dart_gptr_setunit(&segment, DART_TEAM_UNIT_ID((int32_t)unit)));
  BENCH_OK(dart_gptr_incaddr(&segment, (int64_t)(element * sizeof(uint64_t))));
  return segment;
}

/* What no library could do with less. `messages` and `chain` are not always possible together. */
typedef struct {
  uint64_t    messages;
  uint64_t    chain;
  const char *why;
} least_t;

/* LEAST(NAME, MESSAGES, CHAIN, WHY): one that is the same for all shapes and any number of units. */
#define LEAST(name, messages, chain, why)                 \
  static inline least_t name(size_t shape, size_t nunits) \
  {                                                       \
    (void)shape, (void)nunits;                            \
    return (least_t){ messages, chain, why };             \
  }

LEAST(least_put, 1, 2, "one message has all data")
LEAST(least_notify, 1, 1, "data and counter in one")
LEAST(least_answer, 2, 2, "a request and its answer")
LEAST(least_portion, 2, 2, "lock, data and unlock in one message, and its answer")
LEAST(least_lock_free, 3, 2, "a request, the grant, and the release, which nobody awaits")

typedef struct {
  const char *name;
  /* What is not counted, before and after; NULL: nothing. `shape` is how many operations or partners there are. */
  void (*prepare)(size_t shape);
  /* The calls of this unit. */
  void (*run)(size_t shape);
  void (*finish)(size_t shape);
  least_t (*least)(size_t shape, size_t nunits);
  size_t shapes[5];       /* up to the first 0 */
  bool   is_for_partners; /* shapes are 1, 3, 7 as far as there are units */
  bool   is_for_all;      /* what all units call, wherever they are */
} case_t;

/** The cases, one after the other; NULL behind the last one. */
const case_t *case_number(size_t i);

/** Whether only two units take part, in a job of any size. */
bool case_is_of_pair(size_t i);

/* cases.c, for cases of either file: a lock and a range object, made and ended by all units. */
extern dart_lock_t  case_lock;
extern dart_range_t case_range;
void                make_lock(size_t n);
void                end_lock(size_t n);
void                make_range(size_t n);
void                end_range(size_t n);

/* cases_pairs.c */
extern const case_t pair_cases[];
extern const size_t npair_cases;

void cases_open_pairs(const bench_job_t *job);
void cases_settle_pairs(void);
void cases_close_pairs(void);

/** What the cases need; collective. */
void cases_open(const bench_job_t *job);
void cases_close(void);

/** Have all that this unit has sent acknowledged, so that no acknowledgement of one case falls into the next. */
void cases_settle(void);

/** Make progress until nothing is under way; for cases that need an order that no message makes. Only units that do
 *  not call this may wait, and they wait for a message. */
void await_silence(void);

#endif
