#ifndef RANDOM_SCENE_H
#define RANDOM_SCENE_H
/* What there is at a point of a schedule: teams, segments, locks and the like, by their small numbers in
 * the list. Plain data that follows from the operations before; no DART. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "random_op.h"

typedef struct {
  bool     alive;
  uint64_t members; /* global units */
} scene_team_t;

typedef enum { SEGMENT_ALLOCATED, SEGMENT_REGISTERED, SEGMENT_POOL, SEGMENT_BLOCK } segment_kind_t;

typedef struct {
  bool           alive;
  segment_kind_t kind;
  int            team;
  int            allocator;        /* of a block */
  int64_t        sizes[UNITS_MAX]; /* bytes of each unit's portion; -1: no member */
  uint64_t       gone;             /* units that deregistered */
  int            shift;            /* registered: bytes by which portions are misaligned */
  int            alias;            /* registered memory of another segment: which, or -1 */
  uint64_t       alias_at;
  int            epoch; /* 1 + how of the one that is open in this round; 0: none */
  int lead; /* the segment that was named to open it: it is for all blocks of one memory of DART */
  uint64_t pairs[UNITS_MAX]; /* of PSCW and LOCK: for each origin its targets */
  bool     fenced;           /* there was a fence since */
  uint64_t issued;           /* units that may have operations in it since its last fence; ... */
  uint64_t sent;             /* ... and those that have for certain */
} scene_segment_t;

typedef struct {
  bool     alive;
  int      team;
  bool     is_word; /* dart_lock_at.h: eight bytes here */
  int      seg, unit;
  uint64_t at;
} scene_lock_t;

/* A file. Its bytes are counted from `base` on, where no byte before was written. */
typedef struct {
  bool     alive;
  int      team;
  uint64_t base, size;
  uint64_t settled;     /* its size when the round began */
  uint64_t pointer;     /* the shared one */
  uint64_t append_from; /* where it was when the round began, if some append in any order */
  uint64_t append_low;  /* that, or the end of the file if it was before */
  bool     appended;    /* they do */
  uint64_t
      take_from;     /* where it was when the round began, if some take records in any order, ... */
  uint64_t taken;    /* ... of so many bytes each; 0: they do not */
  bool     atomic;   /* atomic mode */
  int      contests; /* accesses in it, in this round */
  bool     viewed;   /* a view is set: ... */
  layout_t view;     /* ... elements, */
  uint64_t view_at[UNITS_MAX]; /* and where they begin, from `base` on */
} scene_file_t;

typedef struct {
  bool     alive;
  int      team;
  uint64_t nbytes;
} scene_allocator_t;

/* A counter of notifications. */
typedef struct {
  bool     alive;
  int      seg, unit;
  uint64_t at;
  uint64_t count; /* what it holds when all so far have arrived */
} scene_counter_t;

/* A word that several actors update at once. Of the family FIELDS each actor owns some bits. */
typedef struct {
  bool     alive;
  int      seg, unit, type, family;
  uint64_t at;
  int      oper;              /* that all use; 0: nobody has yet */
  int      writer;            /* TURN: the actor that replaces; -1: nobody has yet */
  uint64_t field[ACTORS_MAX]; /* FIELDS: what they hold */
} scene_word_t;

typedef struct scene {
  shape_t           shape;
  scene_team_t      team[TEAMS_MAX];
  scene_segment_t   segment[SEGMENTS_MAX];
  scene_lock_t      lock[LOCKS_MAX];
  scene_lock_t      range[RANGES_MAX]; /* objects of range locks */
  scene_allocator_t allocator[ALLOCATORS_MAX];
  scene_file_t      file[FILES_MAX];
  scene_counter_t   counter[COUNTERS_MAX];
  scene_word_t      word[WORDS_MAX];
} scene_t;

void scene_open(scene_t *scene, shape_t shape);

/** Whether what the operation names is alive, in bounds and of the right kind. */
bool scene_valid(const scene_t *scene, const op_t *op);

/** Whether the epochs that are open allow it; part of that. */
bool scene_valid_in_epochs(const scene_t *scene, const op_t *op);

/** Whether it is right about files. */
bool scene_valid_for_file(const scene_t *scene, const op_t *op);

/** Let the operation create, change and end what it does. It is valid. */
void scene_apply(scene_t *scene, const op_t *op);

/** The same for files. */
void scene_apply_to_file(scene_t *scene, const op_t *op);

/** A round is over, and with it its epochs. */
void scene_end_epochs(scene_t *scene);
/** ... and what was open in files. */
void scene_end_contests(scene_t *scene);

/** Whether segments are blocks of one memory of DART, which has one epoch. */
bool scene_same_memory(const scene_t *scene, int a, int b);

/** Whether the unit may operate on the portion of `to`, if there is an epoch; whether it has a part in it. */
bool scene_covers(const scene_t *scene, int seg, int unit, int to);
bool scene_has_part(const scene_t *scene, int seg, int unit);

/** Whether the unit has a portion locked, but for sections. */
bool scene_has_lock(const scene_t *scene, int unit);

/** All actors; the units of a team that are not members are none. */
actors_t scene_actors(const scene_t *scene);

/** The actors that execute an operation. */
actors_t scene_who(const scene_t *scene, const op_t *op);

/** The thread of each member that a team's collectives belong to. */
int scene_thread(const scene_t *scene, int team);

/** The team whose units an operation is for. */
int scene_team(const scene_t *scene, const op_t *op);

int scene_members(const scene_t *scene, int team);
/** The position of a unit in a team, and the unit at a position; -1 if there is none. */
int scene_team_id(const scene_t *scene, int team, int unit);
int scene_unit(const scene_t *scene, int team, int team_id);

/** The segment whose memory it is, and where in it, for segments that are other names of memory. */
int scene_memory(const scene_t *scene, int seg, uint64_t *at);

/** Bytes of a unit's portion that can be accessed: 0 also if there is none. */
uint64_t scene_size(const scene_t *scene, int seg, int unit);

/** Whether elements of `size` bytes at `at` are aligned. */
bool scene_is_aligned(const scene_t *scene, int seg, uint64_t at, size_t size);

/** Whether the bytes are a counter's, a lock's or a shared word's, of which `word` does not count. */
bool scene_is_reserved(const scene_t *scene, int seg, int unit, uint64_t at, uint64_t nbytes,
                       int word);

/** The bits of a word of family FIELDS that are the actor's: their number, and the lowest; no bits: 0. */
int scene_field(const scene_t *scene, const scene_word_t *word, int actor, int *low_out);

/** What a counter holds after a notification. */
uint64_t scene_count_after(const scene_t *scene, const op_t *op);

/** What an actor's field holds after an operation on it; false: that does not fit. */
bool scene_field_after(const scene_t *scene, const scene_word_t *word, const op_t *op,
                       uint64_t *field_out);

/** What such an operation has as its operand, as bits of the whole word. */
uint64_t scene_field_operand(const scene_t *scene, const scene_word_t *word, const op_t *op);

#endif
