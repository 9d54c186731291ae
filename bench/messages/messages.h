#ifndef BENCH_MESSAGES_MESSAGES_H
#define BENCH_MESSAGES_MESSAGES_H
/* The cases whose messages are counted. */
#include "../common/bench.h"

typedef struct {
  uint64_t messages; /* of all units */
  uint64_t bytes;
  uint64_t chain;         /* the longest of a unit when it has made its calls */
  uint64_t busiest;       /* messages that the unit with the most has sent or taken */
  uint64_t unit;          /* which that is */
  uint64_t busiest_bytes; /* of the unit that sent the most */
} counts_t;

/* What no library could do with less. `messages` and `chain` are not always possible together. */
typedef struct {
  uint64_t    messages;
  uint64_t    chain;
  const char *why;
} least_t;

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

/** What the cases need; collective. */
void cases_open(const bench_job_t *job);
void cases_close(void);

/** Have all that this unit has sent acknowledged, so that no acknowledgement of one case falls into the next. */
void cases_settle(void);

/** Make progress until nothing is under way; for cases that need an order that no message makes. Only units that do
 *  not call this may wait, and they wait for a message. */
void await_silence(void);

#endif
