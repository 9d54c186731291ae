#ifndef DART__MPI_WINDOW_TEAM_WINDOWS_H
#define DART__MPI_WINDOW_TEAM_WINDOWS_H
/* What this backend has of a team: its communicators, its windows, and what is outstanding on them.
 *
 * Most teams only synchronise, and MPI has few context ids, so a team costs no MPI object until it allocates:
 * the leaders of its nodes know one another's messages by their tag (leaders/leader_messages.h). */
#include <pthread.h>
#include <stdatomic.h>

#include "far/burst.h"
#include "model/team.h"
#include "mpi/call.h"
#include "window/copies.h"
#include "window/window.h"

/* Bytes of room for the leaders' collectives, of which only what is used costs memory. */
#define DART__TEAM_ROOM ((size_t)256 * 1024)

/* Sets of words that small puts and atomics are outstanding on, see transfer/word_order.h. */
typedef struct {
  uint64_t bits, first, last; /* no bits: none */
} dart__word_set_t;

typedef struct {
  dart__word_set_t requested;
  dart__word_set_t by_mpi; /* puts */
  _Atomic uint64_t last;   /* number of the newest transfer in by_mpi, as in dart__outstanding_t */
} dart__words_t;

/* team->port */
typedef struct {
  MPI_Comm     comm; /* the team's units in team order; made when it first allocates, as is ... */
  MPI_Comm     node; /* ... that of this node's units */
  MPI_Request *requests;   /* [nnodes], room for the leaders' collectives */
  size_t      *starts;     /* [nnodes + 1], the same */
  char        *room;       /* DART__TEAM_ROOM, the same; NULL: one node */
  dart_unit_t *units;      /* [node_nunits], room for the members of `node`, before it is made */
  dart__window_t *dynamic; /* what has no static window is attached to it; NULL: one node */

  dart__windows_t windows; /* all of the team */

  dart__copies_t *copies; /* of small operands */
  _Atomic uint64_t *
      ordered; /* team unit → the batch of requests that transfers come after, see transfer/order.h */
  dart__words_t       *words;    /* team unit → what is outstanding on its words */
  dart__burst_t       *burst;    /* team unit → small transfers to it, see far/burst.h */
  dart__outstanding_t *unit;     /* team unit → what is outstanding towards it, on all windows */
  pthread_mutex_t      flushing; /* held by a thread that completes all that is on the list */
  pthread_mutex_t      touched_lock; /* for changes of the list */
  int32_t             *touched;      /* units that something was started towards */
  _Atomic int32_t      ntouched;
  _Atomic bool        *is_touched; /* team unit → it is on the list */
} dart__team_port_t;

static inline dart__team_port_t *dart__team_port(const dart__team_t *team)
{
  return team->port;
}

/** The team's communicators and dynamic window, made at the first call. Collective, after a barrier;
 *  agreed. DART_ERR_NOMEM: MPI has no more of them. */
dart_ret_t dart__team_connect(dart__team_t *team);

/** The worst of all units' results. Collective over a team that is connected. */
dart_ret_t dart__team_agree(const dart__team_t *team, dart_ret_t mine);

#endif
