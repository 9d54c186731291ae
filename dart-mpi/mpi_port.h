#ifndef DART__MPI_PORT_H
#define DART__MPI_PORT_H
/* What the files of this backend share. */
#include <mpi.h>
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
} dart__mpi_t;

extern dart__mpi_t dart__mpi;

/* What is outstanding on a window, towards one unit or all: transfers are counted when they have
 * been started, and a flush notes how many it completed. Counts wrap. */
typedef struct {
  _Atomic uint32_t started;
  _Atomic uint32_t done_here;   /* of them, local buffers are the caller's again */
  _Atomic uint32_t done_there;  /* of them, complete at the target too */
} dart__outstanding_t;

/* team->port. Communicators and window are made when the first chunk needs them. */
typedef struct {
  MPI_Comm         comm;    /* the team's units in team order */
  MPI_Comm         node;    /* those of this node */
  MPI_Comm         leaders; /* the nodes' first units, by node; on leaders, if there are several */
  int             *counts;  /* [nnodes], room for the arguments of the leaders' collectives */
  int             *starts;
  MPI_Win          window;  /* dynamic, over comm; chunks are attached to it */
  dart__outstanding_t *unit; /* team unit → what is outstanding towards it */
  dart__outstanding_t  all;
} dart__team_port_t;

/* chunk->port */
typedef struct {
  char     *base;   /* the own part */
  MPI_Win   shared; /* over the node; MPI_WIN_NULL where this unit is alone on its node */
  MPI_Aint *disp;   /* team unit → displacement of its part in the team's window; NULL: one node */
} dart__chunk_port_t;

static inline dart__team_port_t *dart__team_port(const dart__team_t *team)
{
  return team->port;
}

/** Wait for a request: progress is made, and the core given away, meanwhile. */
dart_ret_t dart__mpi_wait(MPI_Request *request);

/** The team's communicators and window, made at the first call. Collective, after a barrier. */
dart_ret_t dart__team_connect(dart__team_t *team);

/* ---- twosided.c: messages to far units --------------------------------------------------- */

/** Collective over the job, in a job of several nodes; agreed. */
dart_ret_t dart__mail_open(void);

/** Drop the messages that nobody received. Collective, after a barrier; not open: nothing. */
void dart__mail_close(void);

/* ---- service.c: atomics from far -------------------------------------------------------- */

dart_ret_t dart__service_open(void);
void       dart__service_close(void);

/** Serve what has come in. `waiting`: the caller waits, so send what was collected, too. */
void dart__service_progress(bool waiting);

/** Complete all requests to a unit (global id), or to all members of a team. */
dart_ret_t dart__service_flush(dart_unit_t unit);
dart_ret_t dart__service_flush_team(const dart__team_t *team);

#endif
