#ifndef RANDOM_RUN_COMMON_H
#define RANDOM_RUN_COMMON_H
/* Executes a schedule by DART: this unit's part of it, by its threads.
 *
 * Units meet at the end of each round, and then every byte they own is compared (compare.h). What an
 * operation brings into a local buffer is compared as soon as the contract says that it is there, and
 * the buffer is overwritten with poison at once: an operation that was said to be complete too early
 * sends poison, or overwrites it. */
#include <stdatomic.h>

#include <dash/dart/ext/dart_file.h>
#include <dash/dart/ext/dart_range.h>
#include <dash/dart/if/dart.h>

#include "contract.h"
#include "explain.h"
#include "model.h"
#include "risk.h"

/* What an actor fetched from a shared word. */
typedef struct {
  bool          is_there;
  unsigned char bytes[16];
} fetched_t;

typedef struct unit {
  shape_t  shape;
  int      me;
  bool     is_verbose;
  uint64_t seed;    /* what the schedule was drawn from; 0: it was read */
  unsigned seconds; /* that a round may take */

  int         global[UNITS_MAX]; /* what DART calls the units: some may have been lost */
  int         node[UNITS_MAX];   /* of each unit of the job */
  bool        kills;             /* in each schedule some units are lost */
  const op_t *all;               /* the operations of the schedule, ... */
  uint64_t    doomed;            /* in this schedule */
  size_t      death_round,
      death_at;         /* ... its round in which units are lost, and where this one is, ... */
  uint64_t    death_us; /* ... and how long after that */
  bool        is_dying;
  risks_t     risks;       /* of that round; doomed 0: no unit is lost in this one */
  int         object_team; /* of what comes or goes */
  uint64_t    in_epochs;   /* segments: an epoch of theirs may have failed, and not be over */
  dart_team_t left;        /* the team of those that are left */
  double      longest;     /* seconds of an operation or a shrink, in such rounds */
  uint64_t    losses, at_risk, firm; /* units; operations of this unit in such rounds */

  model_t          model;
  dart_team_t      team[TEAMS_MAX];
  dart_gptr_t      gptr[SEGMENTS_MAX][UNITS_MAX]; /* start of each unit's portion */
  unsigned char   *own[SEGMENTS_MAX];             /* start of this unit's portion; NULL: none */
  unsigned char   *block[SEGMENTS_MAX];           /* registered memory with what is around it */
  size_t           block_nbytes[SEGMENTS_MAX];
  unsigned char    tail[SEGMENTS_MAX][64]; /* what lies behind a portion, to the next line */
  dart_lock_t      lock[LOCKS_MAX];
  dart_range_t     range[RANGES_MAX];
  dart_file_t      file[FILES_MAX];
  int              file_fd[FILES_MAX]; /* to look at it without DART */
  dart_allocator_t allocator[ALLOCATORS_MAX];

  const op_t *op; /* of this round */
  size_t      nops;
  expect_t   *expect;  /* what each must find */
  fetched_t  *fetched; /* what each found */
  explain_t   explain;

  _Atomic uint64_t
          *done;       /* in memory that all units share without DART: what each actor did last */
  uint32_t lists;      /* so many were executed, this one included */
  uint64_t operations; /* executed by this unit so far */
} unit_t;

/* A private buffer with a guard on either side. */
typedef struct buffer {
  struct buffer *next;
  const op_t    *op;
  unsigned char *block, *bytes;
  size_t         nbytes;
  bool           is_poisoned; /* nobody may read or write it any more */
} buffer_t;

/* An operation that is not complete. */
typedef struct under_way {
  struct under_way *next;
  const op_t       *op;
  buffer_t         *buffer; /* NULL: none, or in this unit's portion */
  dart_handle_t     handle;
  bool              has_handle, is_here, is_there;
  bool              is_lost; /* it may have been dropped: nothing is said of its result */

  dart_file_request_t request; /* of a file: it, its buffer, and types that live as long */
  buffer_t           *file_buffer;
  dart_datatype_t     types[2];
} under_way_t;

typedef struct thread {
  unit_t               *unit;
  int                   id;
  _Atomic(const op_t *) current; /* for who wants to know where it hangs */
  buffer_t             *buffers; /* since the last round */
  under_way_t          *under_way;
  bool                  has_failed; /* it has waited in vain, and leaves out what it does alone */
} thread_t;

/* ---- failures: print what, where and how to repeat it, and end the job ------------------------- */

void run_fail(const unit_t *unit, const op_t *op, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));

/** The call must return DART_OK. */
#define RUN_OK(unit, op, call) run_expect_ok(unit, op, call, #call)
void run_expect_ok(const unit_t *unit, const op_t *op, dart_ret_t ret, const char *call);

/** Bytes must be what is expected; `what` says what they are. */
void run_compare(const unit_t *unit, const op_t *op, const char *what, const void *found,
                 const void *expected, const void *vague, size_t nbytes);

/* ---- buffers ----------------------------------------------------------------------------------- */

/** A buffer of this round, filled with the pattern `what` of its operation. */
buffer_t *run_buffer(thread_t *thread, const op_t *op, size_t nbytes, int shift, int what);
/** Nobody may use it until the end of the round. */
void run_poison(thread_t *thread, buffer_t *buffer);
/** Compare all, and free them. */
void run_end_buffers(thread_t *thread);

/* ---- what is under way ------------------------------------------------------------------------- */

/** An operation was started. */
under_way_t *run_start(thread_t *thread, const op_t *op, buffer_t *buffer);
/** It is complete, here or there: its buffer is compared and poisoned. */
void run_complete(thread_t *thread, under_way_t *under_way, complete_t how);
/** `by` completed what it completes (NULL: nothing); what is done with leaves the list. */
void         run_completed(thread_t *thread, const op_t *by);
under_way_t *run_find(thread_t *thread, uint32_t id);

/** The result of an atomic that is complete, in its buffer. */
dart_ret_t run_inline_transfer(const op_t *op, dart_gptr_t gptr, void *local, dart_datatype_t here,
                               dart_datatype_t there, dart_handle_t *handle);
dart_ret_t run_inline_fetch(const op_t *op, dart_gptr_t gptr, const void *value, void *result);
dart_ret_t run_inline_swap(const op_t *op, dart_gptr_t gptr, const void *value, const void *compare,
                           void *result);
void       run_check_atomic(unit_t *unit, const op_t *op, const buffer_t *buffer);

/* ---- words of the list, as DART's ---------------------------------------------------------------- */

dart_gptr_t     run_gptr(const unit_t *unit, int seg, int to, uint64_t at);
dart_datatype_t run_type(const unit_t *unit, const op_t *op, const layout_t *layout);
void            run_end_type(const unit_t *unit, const op_t *op, dart_datatype_t *type);
/** What this operation must find. */
expect_t *run_expected(const unit_t *unit, const op_t *op);
/** Open an epoch; close those of a round, after its threads. */
void run_epoch(unit_t *unit, const op_t *op);
void run_end_epochs(unit_t *unit, const op_t *round);
/** DART_EPOCH_NOPUT, if that holds for the epoch that the operation begins, and is drawn to be said; else 0. */
int run_epoch_noput(const unit_t *unit, const op_t *op, int seg);

/** What concerns a file as a whole, by a member of its team; it is closed, by itself or with its team. */
void run_file_object(unit_t *unit, const op_t *op);
void run_close_file(unit_t *unit, const op_t *op, int file);
/** Complete a request. */
void run_file_finish(thread_t *thread, under_way_t *u, bool tests);
/** A file at the end of a round. */
void run_check_file(unit_t *unit, const op_t *round, int file);

/** A lock in a word is released for certain. */
void run_end_lock_at(unit_t *unit, const op_t *op, int lock);

/** Let others run. */
void run_yield(void);

/* ---- kinds of operations ------------------------------------------------------------------------- */

void run_object(unit_t *unit, const op_t *op); /* WHO_UNITS */
void run_end_objects(unit_t *unit);            /* all that is alive */
/** A segment, by a member of its team; it ends before the model forgets it. */
void run_new_segment(unit_t *unit, const op_t *op);
void run_end_segment(unit_t *unit, const op_t *op);
/** Registered memory is the program's again. */
void run_end_block(unit_t *unit, int seg);
/** A segment that this unit has a portion of, at the end of a round. */
void run_check_segment(unit_t *unit, const op_t *op, int seg);

typedef void run_op_t(thread_t *thread, const op_t *op);
run_op_t     run_transfer, run_put_value, run_store, run_load, run_atomic, run_stream, run_order,
    run_swap, run_swap_loop, run_flush, run_wait, run_notify, run_await, run_poll, run_locked,
    run_get_notify, run_file_access, run_file_wait, run_ranged, run_fence, run_section, run_refused,
    run_letters, run_pause, run_hold, run_message, run_ring, run_barrier, run_bcast, run_scatter,
    run_gather, run_allgather, run_allgatherv, run_alltoall, run_reduce, run_churn;

/** The counters that the thread's gets of this round raise are raised: of any unit. */
void run_finish_counters(thread_t *thread);

/** All that a thread has under way, in one of the ways of ROUND. */
void run_finish(thread_t *thread, const op_t *round);

/* ---- schedules ------------------------------------------------------------------------------------ */

/** Start DART; false: not with so many threads. */
bool run_init(unit_t *unit, int *argc, char ***argv);

/** An operation of this thread is done, as far as it goes. */
void run_note_done(thread_t *thread, const op_t *op);

/** Let all units see, outside of DART, what each does last. Collective, once. */
void run_open_board(unit_t *unit);

/* ---- units that are lost (run_loss.c) ------------------------------------------------------------- */

/** The names and nodes of all units of the job. */
void run_name_units(unit_t *unit);

/** Leave out of a list what a job with losses cannot do. */
void run_leave_out(const unit_t *unit, list_t *list);

/** Draw the units that are killed in a schedule, and the round in which they die. */
void run_plan_losses(unit_t *unit, const list_t *list);

/** Whether some are lost in this round of the schedule; it begins. */
bool run_begin_losses(unit_t *unit, size_t round);

/** An operation of such a round, of all that it brings along; true: it has succeeded. */
void run_at_risk(thread_t *thread, const op_t *op, run_op_t *run);
bool run_object_at_risk(unit_t *unit, const op_t *op);

/** A call has returned DART_ERR_UNIT_LOST: whether it may. If so, the operation ends, or goes on within run_go_on. */
bool run_may_lose(const unit_t *unit, const op_t *op);
void run_lose(void);
/** From here on the operation goes on, for it holds something; whether something has been lost since. */
void run_go_on(void);
bool run_has_lost(void);
/** Whether an operation of such a round may fail. */
bool run_is_at_risk(const unit_t *unit, const op_t *op);
/** In a loop that a doomed unit might end: the operation ends once one of these is lost. */
void run_look_for_losses(const unit_t *unit, const op_t *op);
bool run_all_are_lost(const unit_t *unit);

/** Whether another thread may have been told that the operation was dropped. */
bool run_is_untold(const unit_t *unit, const op_t *op);

/** What an operation that may fail leaves under way, once something is known to have been dropped. */
void run_drop(thread_t *thread, const op_t *by);

/** What may fail in the body of such a round; what that spoils is vague in the model: before the operations, and after each. */
void run_find_risks(unit_t *unit);
void run_spoil(unit_t *unit, const op_t *op);

/** All that are left meet in a new team; and go on with it as the team of all units. */
void run_shrink(unit_t *unit);
void run_take_team(unit_t *unit);

/** Execute a list that ends with a round; on return nothing of it is left. */
void run_list(unit_t *unit, const list_t *list);

/** What the unit does between operations, and which operation each thread is at. */
void run_phase(unit_t *unit, const char *phase);
void run_say_where(const char *why);

#endif
