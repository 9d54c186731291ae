#ifndef RANDOM_OP_ACCESS_H
#define RANDOM_OP_ACCESS_H
/* What operations access, and when two accesses get into each other's way. */
#include "order.h"
#include "scene.h"

typedef enum {
  READS,
  WRITES,
  UPDATES,
  SHARES,
  LOCKS,
  HOLDS,
  RAISES,
  APPENDS,
  TAKES,
  GROWS,
  CONTESTS
} access_class_t;

/* An access to memory, under way or complete, since the last round. */
typedef struct {
  access_class_t class;
  int      actor;
  uint32_t op;           /* its id */
  uint32_t event;        /* of its actor, when it began */
  int      lead;         /* of the epoch that it is part of; -1: of none */
  int      name;         /* the segment by which the memory was named, ... */
  int      memory, unit; /* ... and the one that is no other name */
  uint64_t from, to;     /* bytes */
  layout_t layout;       /* of these the n elements, from `from` on */
  uint64_t n;
  int      key;      /* the type of an update, the word, the lock, the range object */
  int      counter;  /* data of a notification; -1: no */
  bool     is_here;  /* of the local buffer: complete when that is */
  bool     is_fresh; /* one element is written, with a value that was never there before */
  int      done_by;  /* who completed it, an actor of the same unit, ... */
  uint32_t done;     /* ... and its event then; 0: it is not complete */
  actors_t seen;     /* actors that know by what came with it */
  actors_t fenced;   /* actors that have ended its epoch by a fence since */
  bool
      is_ours; /* at its unit, by a put, a get, an atomic or a notification: what dart_order is about */
  bool is_word; /* a put of at most 8 bytes in a row, or an update: in program order with others */
  int  ordered_by;     /* who ordered it, an actor of the same unit, ... */
  uint32_t    ordered; /* ... and its event then; 0: nobody */
  uint32_t    before;  /* counters that it raised after that */
  knowledge_t then;    /* what its actor knew */
} access_t;

enum { TOUCHES_MAX = 2 * UNITS_MAX + 3 };

typedef struct {
  access_t touch[TOUCHES_MAX];
  int      n;
} touches_t;

/** The accesses of an operation, by actors that know this. */
void access_find(const scene_t *scene, const knowledge_t know[ACTORS_MAX], const op_t *op,
                 touches_t *touches_out);

/** Whether they share a byte. */
bool access_overlap(const access_t *a, const access_t *b);

/** Whether they may happen at the same time although they do. */
bool access_agree(const access_t *a, const access_t *b);

/** Whether the actor, which knows this, knows that the access is over. */
bool access_is_known(const access_t *access, const knowledge_t *know, int actor);

/** Whether an order of the actor, before its event `event`, is about the access and about what the actor does then to
 *  memory of a unit in a segment: the same unit, and the same scope, without epochs. */
bool access_is_ordered(const scene_t *scene, const access_t *old, int actor, uint32_t event,
                       int unit, int seg);

/** Whether the new one comes after the old one by program order: of puts of at most 8 bytes and atomics of one actor. */
bool access_is_program_ordered(const access_t *old, const access_t *new);

/** Whether the new one comes after the old one by a fence: it is of the same memory's epochs, or of its own
 *  portion. Of other units' portions a fence says no more: not even that what this unit did there is complete. */
bool access_is_fenced(const access_t *old, const access_t *new);

#endif
