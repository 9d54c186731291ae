#ifndef DART__MPI_PORT_H
#define DART__MPI_PORT_H
/* What the files of this backend share. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi_error.h"
#include "port.h"

typedef struct {
  MPI_Comm world;   /* DART's duplicate of MPI_COMM_WORLD: global id == rank */
  MPI_Comm node;    /* the units of this node, by global id */
  MPI_Comm service; /* requests of far units and the replies, apart from all else */
  MPI_Comm mail;    /* messages of the user to far units, likewise */
  bool     agents;  /* every unit has one: requests are served wherever their target is */
  size_t   collect; /* puts and gets of up to so many bytes travel with the requests */
  bool     static_windows; /* chunks have windows of their own, see rma.c */
} dart__mpi_t;

extern dart__mpi_t dart__mpi;

/* What is outstanding towards one unit. Transfers are numbered from 1 when they have been started, and a
 * flush notes up to which it completed them. 64 bits do not wrap. */
typedef struct {
  _Atomic uint64_t started;
  _Atomic uint64_t last_put;   /* the newest transfer that is no get; 0: none */
  _Atomic uint64_t done_here;  /* up to here local buffers are the caller's again */
  _Atomic uint64_t done_there; /* up to here all are complete at the target too */
} dart__outstanding_t;

typedef struct dart__window {
  struct dart__window *next; /* windows of the same team */
  MPI_Win              win;  /* over the team's communicator; MPI_WIN_NULL: not made yet */
  dart__outstanding_t *unit; /* team unit → what is outstanding on this window */
} dart__window_t;

/* team->port. Communicators and window are made when the first chunk needs them. */
typedef struct {
  MPI_Comm         comm;    /* the team's units in team order */
  MPI_Comm         node;    /* those of this node */
  MPI_Comm         leaders; /* the nodes' first units, by node; on leaders, if there are several */
  int             *counts;  /* [nnodes], room for the arguments of the leaders' collectives */
  int             *starts;
  dart_unit_t     *units;   /* [nunits], room for the members of a communicator to be */
  dart__window_t  *dynamic; /* what has no static window is attached to it; NULL: one node */

  pthread_rwlock_t windows_lock;
  dart__window_t  *windows; /* all of the team */

  dart__outstanding_t *unit; /* team unit → what is outstanding towards it, on all windows */
  pthread_mutex_t  flushing;     /* held by who completes all that is on the list */
  pthread_mutex_t  touched_lock; /* for changes of the list */
  int32_t         *touched;      /* units that something was started towards */
  _Atomic int32_t  ntouched;
  _Atomic bool    *is_touched;   /* team unit → it is on the list */
} dart__team_port_t;

/* chunk->port */
typedef struct {
  char           *base;   /* the own part */
  void           *again;  /* the node's parts, mapped once more and used there; NULL: as MPI has them */
  MPI_Win         shared; /* over the node; MPI_WIN_NULL where this unit is alone on its node */
  dart__window_t *own;    /* one of its own, perhaps to be made; NULL: it gets none */
  dart__window_t *window; /* by which far units reach it, `own` or the team's; NULL: one node */
  MPI_Aint       *disp;   /* team unit → displacement of its part in the window; NULL: one node */
} dart__chunk_port_t;

static inline dart__team_port_t *dart__team_port(const dart__team_t *team)
{
  return team->port;
}

/** Wait for a request: progress is made, and the core given away, meanwhile. */
void dart__mpi_wait(MPI_Request *request);

/** The same, in a collective of a team. */
void dart__mpi_wait_in(const dart__team_t *team, MPI_Request *request);

/** Meet for the last time, so that MPI_Finalize does not hang. Collective over the job, after dart_exit,
 *  by who started MPI. */
void dart__mpi_part(void);

/** The team's communicators and window, made at the first call. Collective, after a barrier; agreed. */
dart_ret_t dart__team_connect(dart__team_t *team);

/** The worst of all units' results. Collective over a team that is connected. */
dart_ret_t dart__team_agree(const dart__team_t *team, dart_ret_t mine);

/* ---- rma.c: windows ----------------------------------------------------------------------- */

/** Choose the kind of windows, by the settings or what carries MPI. Collective over the job. */
void dart__windows_choose(void);

/** Whether this unit is for a static window for the chunk; all have to agree. */
bool dart__window_wants_static(const dart__team_t *team, const dart__chunk_t *chunk);

/** A window that is not made yet. Local. NULL: no memory. */
dart__window_t *dart__window_new(const dart__team_t *team);
void            dart__window_delete(dart__window_t *window); /* NULL: nothing */

/** Whether MPI can make one more over this communicator: DART_OK or DART_ERR_NOMEM. Collective over it;
 *  agreed. */
dart_ret_t dart__window_is_possible(MPI_Comm comm);

/** Collective over the team, which has its communicator; agreed. */
dart_ret_t dart__window_open_dynamic(dart__team_t *team, dart__window_t *window);
dart_ret_t dart__window_open_static(dart__team_t *team, void *base, size_t nbytes,
                                    dart__window_t *window);
void       dart__window_close(dart__team_t *team, dart__window_t *window);

/* ---- pace.c: which units are slow to answer ---------------------------------------------- */

dart_ret_t dart__pace_open(void);
void       dart__pace_close(void);

/** Whether a unit (global id) should be asked by a request, whose answer is waited for as DART waits,
 *  before MPI's flush waits for it: it was slow lately, or may need the core of this one. Never without
 *  agents: MPI moves a transfer while its target waits in any call of MPI, but nobody serves a request there. */
bool dart__pace_is_slow(dart_unit_t unit);

/** Around an operation that waits for MPI: when it began, 0 if this one is not measured; and what
 *  that tells of the unit. */
int64_t dart__pace_begin(void);
void    dart__pace_end(dart_unit_t unit, int64_t began, size_t nbytes);

/** In a stream of blocking transfers by MPI: a word to their target now and then, which would go to
 *  sleep without it. `began` as above. Not from a flush: the word is a request, to be flushed. */
void dart__pace_greet(dart_unit_t unit, int64_t began);

/* ---- outstanding.c: completion of transfers ---------------------------------------------- */

/** Count a transfer, after the call that started it: so a flush of another thread does not count it
 *  as flushed before MPI knows of it. `is_get`: it changes nothing at the target. */
void dart__window_started(dart__team_t *team, dart__window_t *window, int32_t unit, bool is_get);

/** Complete what was started towards a team unit, or all, at the target too or only here. */
void dart__window_flush(dart__team_t *team, int32_t unit, bool at_target);
void dart__window_flush_all(dart__team_t *team, bool at_target);

/** Give back the requests of abandoned handles, after a flush of the unit (handle.c). */
void dart__handles_flushed(const dart__team_t *team, int32_t unit);

/* ---- twosided.c: messages to far units --------------------------------------------------- */

/** Collective over the job, in a job of several nodes; agreed. */
dart_ret_t dart__mail_open(void);

/** Drop the messages that nobody received. Collective, after a barrier; not open: nothing. */
void dart__mail_close(void);

/* ---- service.c, requests.c, answers.c: requests to the owners of far memory -------------- */

dart_ret_t dart__service_open(void);
void       dart__service_close(void);

/** Serve what has come in, and send what was collected: what is old, or all if the caller waits. */
void dart__service_progress(bool waiting);

/** The same without being taken for the unit's own progress. True if others asked for something. */
bool dart__service_look(bool waiting);

/** How long ago anyone last asked this unit for something, ns. */
int64_t dart__service_quiet_ns(void);

/** Request to put or get at most DART__SERVICE_MOST bytes, which stay in one piece if they are an
 *  aligned word. `src` is copied before return. */
#define DART__SERVICE_MOST 1024
void dart__service_put(const dart__place_t *at, const void *src, size_t nbytes);
void dart__service_get(const dart__place_t *at, void *dst, size_t nbytes);

/** Request to put `nbytes`, at most DART__NOTIFIED_MOST, and then to raise a counter of the same unit
 *  (ext/dart_notify.h), after all that was requested of it before. `src` is copied. */
#define DART__NOTIFIED_MOST 3800 /* two fit in a batch */
void dart__service_notify(const dart__place_t *at, const void *src, size_t nbytes,
                          const dart__place_t *flag, uint64_t by);

/** Tell a unit (global id) that somebody is at work on its memory. */
void dart__service_greet(dart_unit_t unit);

/** Hear of a unit (global id): what was started towards it before is then most likely done. */
void dart__service_meet(dart_unit_t unit);

/** Atomics, as of the seam. */
void dart__service_accumulate(const dart__place_t *at, const void *values, size_t nelem,
                              dart_datatype_t type, dart_operation_t op);
void dart__service_fetch(const dart__place_t *at, const void *value, void *result,
                         dart_datatype_t type, dart_operation_t op);
void dart__service_swap(const dart__place_t *at, const void *value, const void *compare,
                        void *result, dart_datatype_t type);

/** Complete all requests to a unit (global id), or to all members of a team: at the target, or only
 *  those with results. */
dart_ret_t dart__service_flush(dart_unit_t unit, bool at_target);
dart_ret_t dart__service_flush_team(const dart__team_t *team, bool at_target);

/** The same for one unit, at the target; what was refused is left to the next flush. */
void dart__service_settle(dart_unit_t unit);

/* ---- agent.c: progress while the program computes --------------------------------------- */

/** Start the agent where the settings and the job ask for it; true if it runs. `mpi_has_threads`:
 *  several threads may call MPI. Without it, one log line if someone insisted. */
bool dart__agent_open(bool mpi_has_threads);

/** End it; not running: nothing. */
void dart__agent_close(void);

/* Counts the unit's own looks at requests: while it goes up, the agent keeps out of the way. */
extern _Atomic uint32_t dart__agent_looks;

#endif
