#ifndef DART__MEMORY_CHUNK_H
#define DART__MEMORY_CHUNK_H
/* Chunks as this backend has them: nested windows. */
#include "memory/window.h"
#include "model/address.h"

/* chunk->port */
typedef struct {
  char   *base;   /* the own part */
  void   *again;  /* the node's parts, mapped once more and used there; NULL: as MPI has them */
  MPI_Win shared; /* over the node; MPI_WIN_NULL where this unit is alone on its node */
  dart__window_t *own;    /* one of its own, perhaps to be made; NULL: it gets none */
  dart__window_t *window; /* by which far units reach it, `own` or the team's; NULL: one node */
  MPI_Aint       *disp;   /* team unit → displacement of its part in the window; NULL: one node */
} dart__chunk_port_t;

/** The window by which a far address is reached, and the displacement there. */
static inline dart__window_t *dart__window_of(const dart__address_t *at)
{
  return ((const dart__chunk_port_t *)at->segment->chunk->port)->window;
}

static inline MPI_Aint dart__disp_of(const dart__address_t *at)
{
  const dart__chunk_port_t *port = at->segment->chunk->port;

  return port->disp[at->unit] + (MPI_Aint)(at->segment->base + at->offset);
}

/** Attach the own part to the team's dynamic window, and learn where those of the others are: whoever
 *  knows an address can use it. Collective; agreed: a unit that could not attach tells that. */
dart_ret_t dart__chunk_attach(dart__team_t *team, size_t nbytes, dart__chunk_port_t *port);

#endif
