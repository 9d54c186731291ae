#ifndef RANDOM_RANDOM_OP_H
#define RANDOM_RANDOM_OP_H
/* One operation of a schedule, as data.
 *
 * A schedule is a list of these. Each is one line of text (text.h), which a person reads and the program
 * takes back; each names who executes it; and each actor, a thread of a unit, executes those that are
 * its own in the order of the list. An operation waits only for operations before it, so nothing can
 * deadlock; and the list itself is a legal order of everything, so applying it from the top to the
 * bottom (model.h) tells what every byte and every result must be.
 *
 * A kind of operation is a row of KINDS below, and one in each of the tables that give it a meaning: what
 * it touches and orders (rules.c), what it does to memory (model.c), how DART is called (run_common.c), and
 * how it is drawn (schedule.c). */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "actors.h"
#include "layout.h"

enum {
  TEAMS_MAX      = 16,
  SEGMENTS_MAX   = 48,
  LOCKS_MAX      = 8,
  RANGES_MAX     = 4,
  FILES_MAX      = 3,
  COUNTERS_MAX   = 16,
  WORDS_MAX      = 16,
  ALLOCATORS_MAX = 6,
  OP_LIST_MAX    = 8
};

/* Who executes an operation. */
typedef enum {
  WHO_UNITS, /* all units of its team, between rounds, before other threads start */
  WHO_ACTOR, /* the actor it names */
  WHO_PAIR,  /* that and its peer */
  WHO_TEAM,  /* all units of its team, by the thread that the team's collectives belong to */
  WHO_ALL    /* everyone */
} who_t;

/* Fields of an operation, as bits. */
typedef enum {
  HAS_BY   = 1 << 0,
  HAS_PEER = 1 << 1,
  HAS_TEAM = 1 << 2,
  HAS_OF   = 1 << 3,
  HAS_SEG  = 1 << 4,
  HAS_TO   = 1 << 5, /* segment, unit and offset */
  HAS_HERE =
      1 << 6, /* segment and offset of a local buffer in this unit's portion, if it is there */
  HAS_LOCK      = 1 << 7,
  HAS_COUNTER   = 1 << 8,
  HAS_WORD      = 1 << 9,
  HAS_ALLOCATOR = 1 << 10,
  HAS_N         = 1 << 11,
  HAS_LOCAL     = 1 << 12,
  HAS_REMOTE    = 1 << 13,
  HAS_TYPE      = 1 << 14,
  HAS_OPER      = 1 << 15,
  HAS_VALUE     = 1 << 16,
  HAS_ROOT      = 1 << 17,
  HAS_SHIFT     = 1 << 18, /* bytes by which local buffers are misaligned; of a ring, places */
  HAS_HOW       = 1 << 19,
  HAS_TAG       = 1 << 20,
  HAS_UNITS     = 1 << 21,
  HAS_SIZES     = 1 << 22,
  HAS_OPS       = 1 << 23,
  HAS_RANGE     = 1 << 24,
  HAS_PAIRS     = 1 << 25, /* origins and their targets, units */
  HAS_FILE      = 1 << 26,
  HAS_AT        = 1 << 27, /* bytes, in a file */
  HAS_FORM      = 1 << 28  /* by the call, or by the form that dart_inline.h has of it */
} field_t;

#define HAS_TRANSFER (HAS_BY | HAS_TO | HAS_HERE | HAS_N | HAS_LOCAL | HAS_REMOTE | HAS_SHIFT)
#define HAS_ACCESS   (HAS_FILE | HAS_AT | HAS_N | HAS_LOCAL | HAS_REMOTE | HAS_SHIFT)
#define HAS_ATOMIC   (HAS_BY | HAS_TO | HAS_WORD | HAS_N | HAS_TYPE | HAS_OPER | HAS_VALUE)

/* X(kind, "its name", who, fields, "the ways to do it") */
#define KINDS(X)                                                                                   \
  X(TEAM, "team", WHO_UNITS, HAS_TEAM | HAS_OF | HAS_UNITS | HAS_HOW, "all null")                  \
  X(CLONE, "clone", WHO_UNITS, HAS_TEAM | HAS_OF, "")                                              \
  X(END_TEAM, "endteam", WHO_UNITS, HAS_TEAM, "")                                                  \
  X(ALLOC, "alloc", WHO_UNITS, HAS_SEG | HAS_TEAM | HAS_TYPE | HAS_SIZES | HAS_HOW, "filled raw")  \
  X(FREE, "free", WHO_UNITS, HAS_SEG, "")                                                          \
  X(REGISTER, "register", WHO_UNITS,                                                               \
    HAS_SEG | HAS_TEAM | HAS_TYPE | HAS_SIZES | HAS_SHIFT | HAS_HERE | HAS_HOW, "each aligned")    \
  X(DEREGISTER, "deregister", WHO_UNITS, HAS_SEG | HAS_UNITS, "")                                  \
  X(POOL, "pool", WHO_UNITS, HAS_SEG | HAS_SIZES, "")                                              \
  X(END_POOL, "endpool", WHO_UNITS, HAS_SEG, "")                                                   \
  X(ALLOCATOR, "allocator", WHO_UNITS, HAS_ALLOCATOR | HAS_TEAM | HAS_N, "")                       \
  X(END_ALLOCATOR, "endallocator", WHO_UNITS, HAS_ALLOCATOR, "")                                   \
  X(BLOCK, "block", WHO_UNITS, HAS_SEG | HAS_ALLOCATOR | HAS_SIZES, "")                            \
  X(END_BLOCK, "endblock", WHO_UNITS, HAS_SEG, "")                                                 \
  X(LOCK, "lock", WHO_UNITS, HAS_LOCK | HAS_TEAM, "")                                              \
  X(END_LOCK, "endlock", WHO_UNITS, HAS_LOCK, "")                                                  \
  X(LOCK_AT, "lock_at", WHO_UNITS, HAS_LOCK | HAS_TO, "")                                          \
  X(RANGE, "range", WHO_UNITS, HAS_RANGE | HAS_TEAM | HAS_N, "")                                   \
  X(END_RANGE, "endrange", WHO_UNITS, HAS_RANGE, "")                                               \
  X(FILE_OPEN, "file", WHO_UNITS, HAS_FILE | HAS_TEAM | HAS_N | HAS_VALUE | HAS_HOW,               \
    "memory disk")                                                                                 \
  X(FILE_CLOSE, "endfile", WHO_UNITS, HAS_FILE, "")                                                \
  X(FILE_RESIZE, "resize", WHO_UNITS, HAS_FILE | HAS_N, "")                                        \
  X(FILE_SYNC, "filesync", WHO_UNITS, HAS_FILE, "")                                                \
  X(FILE_MODE, "atomicity", WHO_UNITS, HAS_FILE | HAS_HOW, "off on")                               \
  X(FILE_VIEW, "view", WHO_UNITS, HAS_FILE | HAS_REMOTE | HAS_SIZES | HAS_HOW, "all part")         \
  X(FILE_SEEK, "seek", WHO_UNITS, HAS_FILE | HAS_AT, "")                                           \
  X(COUNTER, "counter", WHO_UNITS, HAS_COUNTER | HAS_TO, "")                                       \
  X(WORD, "word", WHO_UNITS, HAS_WORD | HAS_TO | HAS_TYPE | HAS_HOW,                               \
    "fields turn extreme product logic")                                                           \
  X(MEET, "meet", WHO_UNITS, 0, "")                                                                \
  X(EPOCH, "epoch", WHO_UNITS, HAS_SEG | HAS_PAIRS | HAS_HOW, "fence lock_all pscw lock sections") \
  X(RESTART, "restart", WHO_UNITS, 0, "")                                                          \
  X(PUT, "put", WHO_ACTOR, HAS_TRANSFER | HAS_FORM, "")                                            \
  X(GET, "get", WHO_ACTOR, HAS_TRANSFER | HAS_FORM, "")                                            \
  X(PUT_HANDLE, "put_handle", WHO_ACTOR, HAS_TRANSFER | HAS_FORM, "")                              \
  X(GET_HANDLE, "get_handle", WHO_ACTOR, HAS_TRANSFER | HAS_FORM, "")                              \
  X(PUT_BLOCKING, "put_blocking", WHO_ACTOR, HAS_TRANSFER | HAS_FORM, "")                          \
  X(GET_BLOCKING, "get_blocking", WHO_ACTOR, HAS_TRANSFER | HAS_FORM, "")                          \
  X(PUT_VALUE, "put_value", WHO_ACTOR, HAS_BY | HAS_TO | HAS_N | HAS_LOCAL | HAS_REMOTE, "")       \
  X(STORE, "store", WHO_ACTOR, HAS_BY | HAS_TO | HAS_N, "")                                        \
  X(LOAD, "load", WHO_ACTOR, HAS_BY | HAS_TO | HAS_N, "")                                          \
  X(ACCUMULATE, "accumulate", WHO_ACTOR, HAS_ATOMIC, "")                                           \
  X(ACCUMULATE_LOCAL, "accumulate_blocking_local", WHO_ACTOR, HAS_ATOMIC, "")                      \
  X(STREAM, "stream", WHO_ACTOR, HAS_ATOMIC | HAS_HOW, "up down mixed thrice")                     \
  X(FETCH, "fetch_and_op", WHO_ACTOR, HAS_ATOMIC | HAS_FORM, "")                                   \
  X(SWAP, "compare_and_swap", WHO_ACTOR,                                                           \
    HAS_BY | HAS_TO | HAS_TYPE | HAS_VALUE | HAS_HOW | HAS_FORM, "hit miss")                       \
  X(SWAP_LOOP, "swap_loop", WHO_ACTOR, HAS_ATOMIC, "")                                             \
  X(FLUSH, "flush", WHO_ACTOR, HAS_BY | HAS_TO, "")                                                \
  X(FLUSH_ALL, "flush_all", WHO_ACTOR, HAS_BY | HAS_SEG, "")                                       \
  X(FLUSH_LOCAL, "flush_local", WHO_ACTOR, HAS_BY | HAS_TO, "")                                    \
  X(FLUSH_LOCAL_ALL, "flush_local_all", WHO_ACTOR, HAS_BY | HAS_SEG, "")                           \
  X(ORDER, "order", WHO_ACTOR, HAS_BY | HAS_TO, "")                                                \
  X(WAIT, "wait", WHO_ACTOR, HAS_BY | HAS_OPS, "")                                                 \
  X(WAIT_LOCAL, "wait_local", WHO_ACTOR, HAS_BY | HAS_OPS, "")                                     \
  X(TEST, "test", WHO_ACTOR, HAS_BY | HAS_OPS, "")                                                 \
  X(TEST_LOCAL, "test_local", WHO_ACTOR, HAS_BY | HAS_OPS, "")                                     \
  X(HANDLE_FREE, "handle_free", WHO_ACTOR, HAS_BY | HAS_OPS, "")                                   \
  X(NOTIFY, "put_notify", WHO_ACTOR, HAS_TRANSFER | HAS_COUNTER | HAS_OPER | HAS_VALUE, "")        \
  X(GET_NOTIFY, "get_notify", WHO_ACTOR, HAS_TRANSFER | HAS_COUNTER | HAS_OPER | HAS_VALUE, "")    \
  X(AWAIT, "await", WHO_ACTOR, HAS_BY | HAS_COUNTER | HAS_HOW, "wait any some look fetch word")    \
  X(POLL, "poll", WHO_ACTOR, HAS_BY | HAS_TO | HAS_TYPE | HAS_HOW,                                 \
    "blocking flush handle fetch word any some all look")                                          \
  X(LOCKED, "locked", WHO_ACTOR, HAS_BY | HAS_LOCK | HAS_TO | HAS_N | HAS_HOW, "acquire try")      \
  X(RANGED, "ranged", WHO_ACTOR, HAS_BY | HAS_RANGE | HAS_TO | HAS_N | HAS_REMOTE | HAS_HOW,       \
    "wait timed try mixed shared shared_try")                                                      \
  X(SECTION, "section", WHO_ACTOR, HAS_BY | HAS_TO | HAS_N | HAS_HOW,                              \
    "blocking flushed put_off lazy shared")                                                        \
  X(REFUSED, "refused", WHO_ACTOR, HAS_BY | HAS_TO | HAS_HOW,                                      \
    "put get accumulate fetch again flags noprecede")                                              \
  X(FILE_READ, "read_at", WHO_ACTOR, HAS_BY | HAS_ACCESS | HAS_HOW, "now request")                 \
  X(FILE_WRITE, "write_at", WHO_ACTOR, HAS_BY | HAS_ACCESS | HAS_HOW, "now request")               \
  X(FILE_WAIT, "file_wait", WHO_ACTOR, HAS_BY | HAS_OPS | HAS_HOW, "wait test")                    \
  X(FILE_APPEND, "write_shared", WHO_ACTOR, HAS_BY | HAS_FILE | HAS_N | HAS_LOCAL | HAS_SHIFT, "") \
  X(FILE_TAKE, "read_shared", WHO_ACTOR, HAS_BY | HAS_FILE | HAS_N | HAS_LOCAL | HAS_SHIFT, "")    \
  X(LETTERS, "letters", WHO_ACTOR, HAS_BY | HAS_N | HAS_LOCAL | HAS_VALUE | HAS_TAG, "")           \
  X(PAUSE, "pause", WHO_ACTOR, HAS_BY | HAS_VALUE, "")                                             \
  X(HOLD, "hold", WHO_ACTOR, HAS_BY | HAS_PEER | HAS_VALUE, "")                                    \
  X(MESSAGE, "message", WHO_PAIR,                                                                  \
    HAS_BY | HAS_PEER | HAS_N | HAS_LOCAL | HAS_VALUE | HAS_SHIFT | HAS_TAG, "")                   \
  X(RING, "ring", WHO_TEAM, HAS_TEAM | HAS_N | HAS_LOCAL | HAS_SHIFT | HAS_VALUE | HAS_TAG, "")    \
  X(BARRIER, "barrier", WHO_TEAM, HAS_TEAM, "")                                                    \
  X(BCAST, "bcast", WHO_TEAM, HAS_TEAM | HAS_N | HAS_LOCAL | HAS_ROOT | HAS_HERE | HAS_SHIFT, "")  \
  X(SCATTER, "scatter", WHO_TEAM, HAS_TEAM | HAS_N | HAS_LOCAL | HAS_ROOT | HAS_SHIFT, "")         \
  X(GATHER, "gather", WHO_TEAM, HAS_TEAM | HAS_N | HAS_LOCAL | HAS_ROOT | HAS_SHIFT, "")           \
  X(ALLGATHER, "allgather", WHO_TEAM,                                                              \
    HAS_TEAM | HAS_N | HAS_LOCAL | HAS_HERE | HAS_SHIFT | HAS_HOW, "apart null same")              \
  X(ALLGATHERV, "allgatherv", WHO_TEAM, HAS_TEAM | HAS_LOCAL | HAS_SIZES | HAS_SHIFT | HAS_HOW,    \
    "apart null same")                                                                             \
  X(ALLTOALL, "alltoall", WHO_TEAM, HAS_TEAM | HAS_N | HAS_LOCAL | HAS_SHIFT | HAS_HOW,            \
    "apart null same")                                                                             \
  X(REDUCE, "reduce", WHO_TEAM, HAS_TEAM | HAS_N | HAS_TYPE | HAS_OPER | HAS_ROOT | HAS_SHIFT, "") \
  X(ALLREDUCE, "allreduce", WHO_TEAM,                                                              \
    HAS_TEAM | HAS_N | HAS_TYPE | HAS_OPER | HAS_SHIFT | HAS_HOW, "apart null same")               \
  X(FILE_READ_ALL, "read_all", WHO_TEAM, HAS_TEAM | HAS_ACCESS | HAS_VALUE | HAS_UNITS, "")        \
  X(FILE_WRITE_ALL, "write_all", WHO_TEAM, HAS_TEAM | HAS_ACCESS | HAS_VALUE | HAS_UNITS, "")      \
  X(FILE_READ_ORDERED, "read_ordered", WHO_TEAM,                                                   \
    HAS_TEAM | HAS_FILE | HAS_N | HAS_LOCAL | HAS_SHIFT | HAS_UNITS, "")                           \
  X(FILE_WRITE_ORDERED, "write_ordered", WHO_TEAM,                                                 \
    HAS_TEAM | HAS_FILE | HAS_N | HAS_LOCAL | HAS_SHIFT | HAS_UNITS, "")                           \
  X(FENCE, "fence", WHO_TEAM, HAS_TEAM | HAS_SEG | HAS_HOW, "plain lazy noprecede")                \
  X(CHURN, "churn", WHO_TEAM, HAS_TEAM | HAS_N | HAS_VALUE, "")                                    \
  X(ROUND, "round", WHO_ALL, HAS_HOW, "flush flush_all wait")

typedef enum {
#define KIND_ID(kind, name, who, fields, hows) kind,
  KINDS(KIND_ID)
#undef KIND_ID
      NKINDS
} kind_t;

/* The ways of a kind, in the order of its last column. */
enum { TEAM_ALL_PASS, TEAM_NULL };
enum { ALLOC_FILLED, ALLOC_RAW };
enum { REGISTER_EACH, REGISTER_ALIGNED };
enum { WORD_FIELDS, WORD_TURN, WORD_EXTREME, WORD_PRODUCT, WORD_LOGIC };
enum { EPOCH_FENCE, EPOCH_LOCK_ALL, EPOCH_PSCW, EPOCH_LOCK, EPOCH_SECTIONS };
enum { SECTION_BLOCKING, SECTION_FLUSHED, SECTION_PUT_OFF, SECTION_LAZY, SECTION_SHARED };
enum {
  REFUSED_PUT,
  REFUSED_GET,
  REFUSED_ACCUMULATE,
  REFUSED_FETCH,
  REFUSED_AGAIN,
  REFUSED_FLAGS,
  REFUSED_NOPRECEDE
};
enum { FENCE_PLAIN, FENCE_LAZY, FENCE_NOPRECEDE };
enum { STREAM_UP, STREAM_DOWN, STREAM_MIXED, STREAM_THRICE };
enum { SWAP_HIT, SWAP_MISS };
enum { AWAIT_WAIT, AWAIT_ANY, AWAIT_SOME, AWAIT_LOOK, AWAIT_FETCH, AWAIT_WORD };
enum {
  POLL_BLOCKING,
  POLL_FLUSH,
  POLL_HANDLE,
  POLL_FETCH,
  POLL_WORD, /* from here on by dart_wait_word.h */
  POLL_ANY,
  POLL_SOME,
  POLL_ALL,
  POLL_LOOK
};
enum { LOCKED_ACQUIRE, LOCKED_TRY };
enum { RANGED_WAIT, RANGED_TIMED, RANGED_TRY, RANGED_MIXED, RANGED_SHARED, RANGED_SHARED_TRY };
enum { FILE_IN_MEMORY, FILE_ON_DISK };
enum { MODE_OFF, MODE_ATOMIC };
enum { VIEW_ALL, VIEW_PART };
enum { ACCESS_NOW, ACCESS_REQUEST };
enum { FILE_WAIT_WAIT, FILE_WAIT_TEST };
enum { APART, IN_PLACE_NULL, IN_PLACE_SAME };
enum { ROUND_FLUSH, ROUND_FLUSH_ALL, ROUND_WAIT };

/* An operator that the tester brings along, after DART's own: see value.h. */
enum { OPER_AFFINE = 100, OPER_MERGE };

typedef struct op {
  uint32_t id; /* from 1; tells patterns apart, so it stays when others leave the list */
  kind_t   kind;
  int      unit, thread;      /* HAS_BY: global id, thread */
  int      peer, peer_thread; /* HAS_PEER */
  int      team, of;
  int      seg, to; /* HAS_SEG, HAS_TO: a segment; the unit by global id; ... */
  uint64_t at;      /* ... bytes */
  int      here;    /* HAS_HERE: a segment, -1: the buffer is private; ... */
  uint64_t here_at; /* ... bytes */
  int      lock, range, counter, allocator, file;
  int      word; /* of an atomic: -1: no word that is shared */
  uint64_t n;    /* elements; bytes of a store, a load, an allocator's pool */
  layout_t local, remote;
  int      type, oper;
  uint64_t value;
  uint64_t pairs[UNITS_MAX]; /* for each origin its targets: a set of units */
  int      root, shift, how, tag;
  bool     is_inline;        /* HAS_FORM */
  uint64_t units;            /* a set */
  int64_t  sizes[UNITS_MAX]; /* bytes per global unit; allgatherv: elements */
  uint32_t ops[OP_LIST_MAX]; /* HAS_OPS: ids of operations with handles */
  int      nops;
} op_t;

typedef struct op_kind {
  const char *name;
  who_t       who;
  uint32_t    fields;
  const char *hows;
} op_kind_t;

extern const op_kind_t op_kinds[NKINDS];

/** An operation with nothing in it. */
op_t op_new(kind_t kind);

static inline bool op_has(const op_t *op, field_t field)
{
  return (op_kinds[op->kind].fields & (uint32_t)field) != 0;
}

/** Whether it is one of put, get and their like, with a buffer here and memory there. */
bool op_is_put(const op_t *op); /* put_notify and put_value are */
bool op_is_get(const op_t *op); /* get_notify is */

/** Whether it raises a counter. */
bool op_raises(const op_t *op);

/** Whether it reads or writes a file, and which of both; whether it uses the shared pointer; by all units. */
bool op_is_file_access(const op_t *op);
bool op_is_file_write(const op_t *op);
bool op_is_file_shared(const op_t *op);

/** Whether its operand, in a row, is so small that it is copied before the call returns. */
bool op_is_copied(const op_t *op);

/** Whether it updates or reads elements atomically. */
bool op_is_atomic(const op_t *op);

/** The updates of a stream, one call each; and the element that the one with number `k` is of. */
size_t op_updates(const op_t *op);
size_t op_updated(const op_t *op, size_t k);

/** Whether it holds the elements of run `run` of its layout alone, and changes them, or holds them with others. */
bool op_holds_alone(const op_t *op, size_t run);

/** Bytes from the place of an operation (HAS_TO) to the end of what it may touch there. */
uint64_t op_extent(const op_t *op);

/** Bytes that a unit gets from a collective over so many members: bcast, allgather. */
uint64_t op_received(int members, const op_t *op);

/* ---- A list of operations, and what it is for ------------------------------------------------- */

typedef struct shape {
  int      units, threads; /* of each unit */
  uint64_t salt;           /* patterns depend on it */
} shape_t;

typedef struct list {
  shape_t shape;
  op_t   *op;
  size_t  n, room;
} list_t;

void list_add(list_t *list, const op_t *op);
void list_free(list_t *list);

#endif
