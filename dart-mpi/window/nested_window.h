#ifndef DART__MPI_WINDOW_NESTED_WINDOW_H
#define DART__MPI_WINDOW_NESTED_WINDOW_H
/* Chunks of this backend: nested windows. */
#include "model/address.h"
#include "window/window.h"

/* chunk->port */
typedef struct {
  char   *base;   /* this unit's portion */
  void   *again;  /* DART's own mapping of the node's portions; NULL: that of `shared` is used */
  MPI_Win shared; /* over the node; MPI_WIN_NULL where this unit is alone on its node */
  dart__window_t *own;    /* the chunk's static window, perhaps to be opened; NULL: it gets none */
  dart__window_t *window; /* by which far units reach it, `own` or the team's; NULL: one node */
  MPI_Aint       *disp; /* team unit → displacement of its portion in `window`; NULL: one node */
} dart__chunk_port_t;

/** The window by which a far address is reached, and the displacement in it. */
static inline dart__window_t *dart__window_of(const dart__address_t *at)
{
  return ((const dart__chunk_port_t *)at->segment->chunk->port)->window;
}

static inline MPI_Aint dart__disp_of(const dart__address_t *at)
{
  const dart__chunk_port_t *port = at->segment->chunk->port;

  return port->disp[at->unit] + (MPI_Aint)(at->segment->base + at->offset);
}

/** Attach this unit's portion to the team's dynamic window, and exchange the displacements of all.
 *  Collective; agreed, for a unit that could not attach sends that instead of its displacement. */
dart_ret_t dart__chunk_attach(dart__team_t *team, size_t nbytes, dart__chunk_port_t *port);

#endif
