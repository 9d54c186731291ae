#ifndef DART_TEST_SURVIVE_CALLS_H
#define DART_TEST_SURVIVE_CALLS_H
/* Calls of DART that a unit's death may disturb: tables by subject, which main.c goes through. */
#include <stdbool.h>
#include <stddef.h>

#include <dash/dart/ext/dart_survive.h>
#include <dash/dart/if/dart.h>

extern int me, n, victim;

/** How many nodes there are; units go round them. */
int nnodes(void);

/* Whether a unit is on the node of this one. */
bool is_near(int unit);

/* What survivors may get, where the victim is dead or dies while they are in the call. */
typedef enum {
  LOST,     /* all of them DART_ERR_UNIT_LOST */
  DONE,     /* all of them DART_OK: the call needs no lost unit */
  EITHER,   /* each of them one of the two */
  ONE_DONE, /* one after the other, DART_OK; the first is told that a lock was broken */
  NEAR, /* of the victim's memory: DART_OK on its node; on others LOST, or, if it dies meanwhile, EITHER */
  ROOTED, /* LOST; but between nodes EITHER, for a unit waits for few others */
  AHEAD, /* the victim is told, and not waited for: LOST, but, if it is far and dies meanwhile, EITHER */
  WORD, /* as NEAR; but on its node, too, EITHER if it dies meanwhile, for a far unit may have the lock */
  AT_FIRST /* ONE_DONE; but of a lock that is at unit 0, if that is the victim, and there are several nodes: LOST */
} outcome_t;

typedef struct {
  const char *name;
  void (*prepare)(void); /* by all units, before one dies; NULL: nothing */
  dart_ret_t (*call)(void);
  outcome_t outcome;
} entry_t;

typedef struct {
  const entry_t *entries;
  size_t         n;
} call_table_t;

extern const call_table_t collective_calls, team_calls, transfer_calls, lock_calls, wait_calls,
    epoch_calls, portion_calls, file_calls;

/* Seconds of a call, or a drawn step: then it waits for ever. Virtual machines were seen to stand still for a minute. */
#define LIMIT_S 150

#define MUST(call) must(call, #call, __LINE__)
void must(dart_ret_t ret, const char *call, int line);
void fail(const char *what, int line);

#endif
