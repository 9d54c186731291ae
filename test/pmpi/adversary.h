#ifndef ADVERSARY_H
#define ADVERSARY_H
/* An adversarial MPI: a library that stands between a program and its MPI (LD_PRELOAD), and does
 * what the MPI standard allows but no MPI does.
 *
 * The problem: an MPI under test conditions is kind. A put is at its target when MPI_Put returns,
 * the buffer of a get is left alone until the data come, a message is sent when it is passed to MPI.
 * So a program can rely on far more than it was promised, and nobody sees it until the network
 * changes.
 *
 * The idea: what is started is kept back (adv_held.c, adv_send.c), until the call that must complete it,
 * in an order that is drawn by lot from those that are legal. Until then the buffers of results
 * hold poison, and sources are read as late as may be. Tests say "not yet" a few times, calls
 * sleep and yield. And what the standard forbids is refused: one line that names call, rank and
 * reason, then MPI_Abort.
 *
 * The invariant: a correct program cannot tell it from an MPI. Every call completes what the
 * standard says that it completes; a test that is repeated comes true; a message that was started
 * arrives though its sender never calls MPI again (a thread sees to that, adv_send.c).
 *
 * Settings, of the environment:
 *   ADVERSARY_SEED   what is drawn by lot follows from it, the rank and the thread; 1
 *   ADVERSARY        what it does: words of the list below, "all" (not: tags); a word after '-' is
 *                    left out: ADVERSARY=all,tags,-delay; "all"
 *   ADVERSARY_SLEEP  MICROSECONDS:ONE_IN, the longest sleep and how seldom; 200:256
 *   ADVERSARY_LEVEL  single, funneled or serialized: MPI gives no more threads than that
 *   ADVERSARY_KEPT   communicators and attribute keys that the program may keep, as C:K; 0:0
 *
 * What it cannot see: memory that is detached at its target while others still write to it; which
 * calls the units of a communicator make in different order; what is wrong in a foreign layer of
 * MPI (files). */
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- chance.c: settings and lots -------------------------------------------------------- */

typedef enum {
  ADV_HOLD    = 1 << 0, /* operations are kept back */
  ADV_SHUFFLE = 1 << 1, /* and executed in another order */
  ADV_TAGS    = 1 << 2, /* even messages of different tags; where no MPI_ANY_TAG would notice */
  ADV_POISON  = 1 << 3, /* buffers of results hold poison until completion */
  ADV_LATER   = 1 << 4, /* tests and probes say "not yet" */
  ADV_DELAY   = 1 << 5, /* calls sleep and yield */
  ADV_CHECK   = 1 << 6, /* what is forbidden is refused */
  ADV_LEAKS   = 1 << 7, /* what was not freed is refused at the end */
  ADV_ATTACH  = 1 << 8, /* memory that overlaps what is attached is refused */
  ADV_FOREVER =
      1 << 9, /* operations on windows are held until they must be complete, not for a while */
  ADV_PUTS = 1 << 10 /* even puts of at most 8 bytes to one place are shuffled */
} adv_behaviour_t;

bool adv_does(adv_behaviour_t what);

/** A number below `n`, or true in `percent` of 100. Any thread. */
uint32_t adv_random(uint32_t n);
bool     adv_chance(uint32_t percent);

/** The lots of this rank begin. */
void adv_chance_open(int rank);

/** Sleep or yield now and then. */
void adv_stumble(void);

/** The seed, for messages. */
unsigned long adv_seed(void);

/** The level of thread support that this MPI gives to one who asks for `wanted`. */
int adv_level(int wanted);

/** How many communicators (0) or attribute keys (1) may be kept. */
int adv_kept(int which);

/* ---- guard.c: who is inside, and refusing ----------------------------------------------- */

/** Enter a call of MPI. False: the thread is inside one already, the adversary stays out of it. */
bool adv_enter(const char *call);
void adv_leave(void);

/** A thread of the adversary's own begins: it is not looked at. */
void adv_enter_unseen(const char *call);

/** The call that this thread is inside. */
const char *adv_call(void);

/** Refuse the call: one line, then MPI_Abort. Without "check", nothing. */
void adv_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** MPI was started, for calls of `level`, or ended. */
void adv_started(int level);
void adv_ended(void);
int  adv_rank(void);
int  adv_thread_level(void);

/** The lock of all state. Calls of MPI that may block are made without it. */
void  adv_lock(void);
void  adv_unlock(void);
void *adv_lock_of_all(void); /* a pthread_mutex_t */

/** Around the collective calls of a communicator: one at a time in a process. */
void adv_collective_begin(MPI_Comm comm);
void adv_collective_end(MPI_Comm comm);

/* A wrapper that only looks who calls. */
#define ADV_PLAIN(name, parameters, arguments) \
  int name parameters                          \
  {                                            \
    int ret;                                   \
                                               \
    if (!adv_enter(#name))                     \
      return P##name arguments;                \
    ret = P##name arguments;                   \
    adv_leave();                               \
    return ret;                                \
  }                                            \
  extern int adv_no_semicolon_missing

/* ---- objects.c: what is alive ----------------------------------------------------------- */

typedef enum {
  ADV_COMMUNICATOR,
  ADV_KEYVAL,
  ADV_WINDOW,
  ADV_TYPE,
  ADV_GROUP,
  ADV_INFO,
  ADV_OP,
  ADV_REQUEST,
  ADV_KINDS
} adv_kind_t;

typedef struct adv_object {
  struct adv_object *next;
  adv_kind_t         kind;
  uint64_t           handle;
  const char        *made_by; /* the call */
  void              *data;
} adv_object_t;

/* Handles are numbers in one MPI and pointers in another. */
static inline uint64_t adv_bits(const void *handle, size_t nbytes)
{
  uint64_t bits = 0;

  memcpy(&bits, handle, nbytes);
  return bits;
}
#define ADV_HANDLE(handle) adv_bits(&(handle), sizeof(handle))

/* With the lock held. Adding what is there replaces its data. */
void  adv_object_add(adv_kind_t kind, uint64_t handle, void *data);
void *adv_object_find(adv_kind_t kind, uint64_t handle); /* its data, or NULL */
bool  adv_object_is(adv_kind_t kind, uint64_t handle);
bool  adv_object_remove(adv_kind_t kind, uint64_t handle);

/** Without the lock. */
void adv_made(adv_kind_t kind, uint64_t handle);
void adv_gone(adv_kind_t kind, uint64_t handle);

/** Whether a datatype may be used for communication. With the lock held. */
bool adv_type_is_usable(MPI_Datatype type);

/** Refuse what is still there at the end. */
void adv_leaks(void);

/* ---- adv_buffer.c: the program's buffers ---------------------------------------------------- */

/* A buffer that an outstanding operation reads or writes. */
typedef struct adv_buffer {
  struct adv_buffer  *next; /* of all that are outstanding */
  struct adv_buffer **link; /* NULL: it is not */
  const char         *call; /* that it was given to */
  char               *address;
  int                 count;
  MPI_Datatype        type;  /* own duplicate, unless it is predefined */
  MPI_Aint            lower; /* from the address to the first byte */
  size_t              span;  /* from there to behind the last one */
  size_t              nbytes;
  bool                is_dense;
  bool                is_result; /* is written */
  uint64_t            sum;       /* of a source */
  char               *copy;      /* what was there before the poison; or a copy of a source */
} adv_buffer_t;

/* With the lock held. A source is summed, a result may be poisoned; both are looked for among
 * those that are outstanding, and refused if they overlap. Nothing is there for 0 elements. */
void adv_source_open(adv_buffer_t *b, const void *address, int count, MPI_Datatype type);
void adv_result_open(adv_buffer_t *b, void *address, int count, MPI_Datatype type);

/** The source is read now, the result written: refuse what was changed. The result is not
 *  outstanding to the eye, but still to the check of overlaps. */
void adv_source_check(adv_buffer_t *b);
void adv_result_check(adv_buffer_t *b);

/** Copy a source, which the program has back from then on. */
void adv_source_copy(adv_buffer_t *b);

/** Put back what was there before the poison. */
void adv_result_restore(adv_buffer_t *b);

/** Where an operation finds it: the program's, or the copy. */
void *adv_buffer_base(const adv_buffer_t *b);

/** It is the program's again. */
void adv_buffer_return(adv_buffer_t *b);

/** Forget it. */
void adv_buffer_close(adv_buffer_t *b);

/** As packed bytes: from the buffer, or into it, the first `nbytes` of them. */
void adv_pack(const adv_buffer_t *b, char *packed);
void adv_unpack(const adv_buffer_t *b, const char *packed);

/* A datatype that outlives the program's. */
MPI_Datatype adv_type_keep(MPI_Datatype type);
void         adv_type_drop(MPI_Datatype *type);

/** What `count` elements cover. */
void adv_extent(int count, MPI_Datatype type, MPI_Aint *lower_out, size_t *span_out,
                size_t *nbytes_out, bool *is_dense_out);

/* ---- adv_request.c: requests ---------------------------------------------------------------- */

typedef struct adv_request adv_request_t;

/* What is behind a request of the program. Called with the lock held. */
typedef struct {
  /** Go on with it. True: it may be reported as complete, with this status. */
  bool (*advance)(adv_request_t *r, MPI_Status *status);
  /** It has been reported, and the handle is gone. */
  void (*finish)(adv_request_t *r);
  /** The program frees or cancels it. */
  void (*release)(adv_request_t *r, MPI_Request *request);
  void (*cancel)(adv_request_t *r, MPI_Request *request);
} adv_request_class_t;

struct adv_request {
  const adv_request_class_t *class;
  const char *call;
  unsigned    patience; /* tests that say "not yet" */
  bool        is_own;   /* the handle is the adversary's, a generalized request */
  bool        is_done;  /* and then this is its status */
  MPI_Status  status;
  MPI_Request handle; /* what the program has */
  void       *what;   /* held operation, receive, .. */
};

/** Watch a request that MPI made. With the lock held. */
void adv_request_watch(MPI_Request request, const adv_request_class_t *class, void *what);

/** Make one that MPI does not know. With the lock held. */
MPI_Request adv_request_make(const adv_request_class_t *class, void *what, adv_request_t **r_out);

/** Requests that MPI made of collective calls. */
extern const adv_request_class_t adv_collective_class;

/** For classes that MPI completes by the handle itself. */
bool adv_advance_real(adv_request_t *r, MPI_Status *status);

/** Test, without looking who calls. Without the lock. */
bool adv_test(MPI_Request *request, MPI_Status *status, int *ret_out);

/** Forbid what the standard forbids for requests that are not of messages. */
void adv_refuse_release(adv_request_t *r, MPI_Request *request);
void adv_refuse_cancel(adv_request_t *r, MPI_Request *request);

/** A status that says nothing. */
void adv_status_clear(MPI_Status *status);

/* ---- adv_send.c: messages that are held ----------------------------------------------------- */

/** The time, and until when something is held. */
int64_t adv_now_ns(void);
int64_t adv_random_due(void);

/** Send what is held of a communicator (or of all: MPI_COMM_NULL), before a call that may not
 *  overtake it. */
void adv_sends_release(MPI_Comm comm);

/** Forget the messages that neither the program nor MPI needs any more; the lock is held. */
void adv_sends_tidy(void);

/** Start the thread that sends what was held long enough; stop it, and send what is left. */
void adv_sends_open(void);
void adv_wake(void); /* something new is held */
void adv_sends_close(void);

/* ---- adv_window.c and adv_held.c: windows, and operations on them that are held ----------------- */

typedef enum {
  ADV_PUT,
  ADV_GET,
  ADV_ACCUMULATE,
  ADV_GET_ACCUMULATE,
  ADV_FETCH,
  ADV_SWAP
} adv_op_kind_t;

typedef struct adv_window adv_window_t;

typedef struct adv_op {
  struct adv_op *next; /* of the window, by age */
  adv_window_t  *window;
  adv_op_kind_t  kind;
  const char    *call;
  adv_buffer_t   source;
  adv_buffer_t   compare;
  adv_buffer_t   result;
  int            target;
  MPI_Aint       disp;
  int            count; /* at the target */
  MPI_Datatype   type;
  MPI_Op         op;
  MPI_Aint       from, to; /* bytes of the window that it touches, for the order of accumulates */
  bool           is_executed;
  uint64_t       executed_at;
  int64_t        due;      /* ns; without "forever" */
  adv_request_t *request;  /* NULL: none, or the program has completed it */
  MPI_Request    real;     /* what MPI made of it */
  bool           is_local; /* complete locally: the buffers are the program's */
} adv_op_t;

typedef struct adv_region {
  struct adv_region *next;
  char              *base;
  MPI_Aint           nbytes;
} adv_region_t;

enum { ADV_EPOCH_LOCK_ALL = 1, ADV_EPOCH_FENCE = 2, ADV_EPOCH_START = 4 };

struct adv_window {
  adv_window_t *next; /* of all */
  MPI_Win       win;
  int           me, nranks;
  bool          is_dynamic;
  bool          is_unordered; /* accumulates need not keep their order */
  MPI_Aint     *nbytes;       /* rank → size of its memory; NULL: not known */
  int          *unit;         /* rank → displacement unit */
  unsigned      epoch;
  bool         *locked; /* rank → is */
  bool         *open;   /* rank → by MPI_Win_start */
  adv_op_t     *ops;
  adv_region_t *attached;
  unsigned      requests; /* that the program has not completed */
  int           error;    /* of an operation that MPI refused when it was executed */
};

#define ADV_ALL_RANKS (-1)

/** The window of a handle; NULL: not known, the adversary stays out of it. With the lock held. */
adv_window_t *adv_window(MPI_Win win);

/** Hold an operation whose buffers are open, or execute it at once; `request`: of the program, or
 *  NULL. With the lock held. */
void adv_hold(adv_window_t *w, adv_op_t *op, MPI_Request *request);

/** Execute all towards a rank. What was executed up to the number that is returned is completed by
 *  MPI's own call that follows. `is_local`: it need be complete here only. With the lock held. */
uint64_t adv_execute(adv_window_t *w, int target, bool is_local);

/** That call was made. */
void adv_executed(adv_window_t *w, int target, uint64_t until);

/** Execute what has been held for long enough, and return when the next has. With the lock held. */
int64_t       adv_execute_due(adv_window_t *windows, int64_t now);
adv_window_t *adv_windows(void);

/** Whether something that was executed towards a rank is not complete here. */
bool adv_is_busy(const adv_window_t *w, int target);

/** Whether something is not complete. */
bool adv_has_ops(const adv_window_t *w);

#endif
