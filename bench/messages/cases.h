#ifndef BENCH_MESSAGES_CASES_H
#define BENCH_MESSAGES_CASES_H
/* What the cases share: the shapes of a case, bounds, memory. Unit 0 is the origin, unit 1 the target, where there is
 * one of each. */
#include <dash/dart/ext/dart_range.h>

#include "messages.h"

#define ELEMENTS 8192 /* as many as units at least */

/* cases_shared.c: made by cases_open. `memory` has ELEMENTS words, the last of which counts notifications, and epochs. */
extern bench_job_t job;
extern dart_gptr_t memory;
extern uint64_t    local[ELEMENTS], other[ELEMENTS];

/** Element `element` of a unit's portion of a segment of 64-bit words. */
static inline dart_gptr_t place(dart_gptr_t segment, size_t unit, size_t element)
{
  BENCH_OK(dart_gptr_setunit(&segment, DART_TEAM_UNIT_ID((int32_t)unit)));
  BENCH_OK(dart_gptr_incaddr(&segment, (int64_t)(element * sizeof(uint64_t))));
  return segment;
}

/** Element `element` of this unit's portion. */
static inline uint64_t *here(dart_gptr_t segment, size_t element)
{
  void *address;

  BENCH_OK(dart_gptr_getaddr(place(segment, (size_t)job.me, element), &address));
  return address;
}

static inline dart_gptr_t at(size_t unit, size_t element)
{
  return place(memory, unit, element);
}

/* STEP(NAME) { ... }: what all units call, of `n` operations or partners. */
#define STEP(name) static void name(__attribute__((unused)) size_t n)

/* ORIGIN(NAME) { ... }: what unit 0 calls. */
#define ORIGIN(name)               \
  static void name##_of(size_t n); \
  STEP(name)                       \
  {                                \
    if (job.me == 0)               \
      name##_of(n);                \
  }                                \
  static void name##_of(__attribute__((unused)) size_t n)

/* RUN(NAME, CALL): a step of one call; CALL(NAME, CALL): of one call of DART. */
#define RUN(name, call) \
  STEP(name)            \
  {                     \
    call;               \
  }
#define CALL(name, call) RUN(name, BENCH_OK(call))

/* LEAST(NAME, MESSAGES, CHAIN, WHY): of `shape` operations or partners, in a job of `nunits`. */
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
LEAST(least_barrier, 2 * (nunits - 1), 1, "all must hear of all")
LEAST(least_one, nunits - 1, 1, "one for each other unit")
LEAST(least_agree, 2 * (nunits - 1), 1, "all must agree")

/* The cases of one file. */
typedef struct {
  const case_t *cases;
  size_t        ncases;
} case_list_t;

#define CASE_LIST(name, cases) const case_list_t name = { cases, sizeof(cases) / sizeof(cases)[0] };

extern const case_list_t operation_cases, epoch_cases, object_cases, pair_cases;

/* cases_objects.c: a lock and a range object, made and ended by all units. */
extern dart_lock_t  case_lock;
extern dart_range_t case_range;
void                make_lock(size_t n);
void                end_lock(size_t n);
void                make_range(size_t n);
void                end_range(size_t n);

void cases_open_objects(void);
void cases_close_objects(void);

/* cases_pairs.c */
void cases_open_pairs(void);
void cases_settle_pairs(void);
void cases_close_pairs(void);

#endif
