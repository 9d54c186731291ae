#ifndef RANDOM_RULES_STATE_H
#define RANDOM_RULES_STATE_H
/* What rules.c and rules_pending.c share. */
#include "op_access.h"
#include "scene.h"

typedef struct rules rules_t;

typedef struct {
  op_t     op;
  int      actor;
  uint32_t event; /* of its actor, when it was started */
  bool     has_handle;
  bool     is_here, is_there; /* complete here, there, by its own actor */
} pending_t;

typedef struct {
  actors_t    raisers;      /* since the last round */
  bool        is_set;       /* one of them did more than add: it is the only one */
  bool        is_unordered; /* they come in any order, even of one actor: gets are among them */
  uint32_t    awaited[ACTORS_MAX]; /* the event of each actor's last await; 0: none */
  knowledge_t then;                /* what all raisers knew */
} counter_t;

struct rules {
  scene_t     scene;
  bool        in_body; /* of a round: what units do between rounds is over */
  knowledge_t know[ACTORS_MAX];
  counter_t   counter[COUNTERS_MAX];
  op_t        last[ACTORS_MAX][2]; /* the last operation of each actor, and the one before */
  access_t   *access;
  size_t      naccesses, access_room;
  pending_t  *pending;
  size_t      npending, pending_room;
};

/** Accesses of operation `id` of an actor are complete, here or there, by what `by` did. */
void rules_finish(rules_t *rules, int actor, uint32_t id, complete_t how, int by);

/** An operation was started, and is not complete on return. */
void rules_start(rules_t *rules, const op_t *op);

/** `by` completes what it completes. */
void rules_complete(rules_t *rules, const op_t *by);

/** Whether all handles that an operation names are there; leave out those that are not. */
bool rules_has_handles(const rules_t *rules, const op_t *op);
void rules_drop_missing(const rules_t *rules, op_t *op);

#endif
