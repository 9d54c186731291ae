#ifndef DART__MPI_WINDOW_NESTED_WINDOW_H
#define DART__MPI_WINDOW_NESTED_WINDOW_H
/* Chunks of this backend: nested windows. */
#include "data/type.h"
#include "model/team.h"
#include "window/window.h"

/* chunk->net */
typedef struct {
  char   *base;   /* this unit's portion */
  void   *again;  /* DART's own mapping of the node's portions; NULL: that of `shared` is used */
  MPI_Win shared; /* over the node; MPI_WIN_NULL where this unit is alone on its node */
  dart__window_t *own;    /* the chunk's static window, perhaps to be opened; NULL: it gets none */
  dart__window_t *window; /* by which far units reach it, `own` or the team's; NULL: one node */
  MPI_Aint       *disp; /* team unit → displacement of its portion in `window`; NULL: all are 0 */
  size_t disp_map; /* bytes of it, where the units of the node share it; 0: it is this unit's */
} dart__chunk_net_t;

static inline dart__chunk_net_t *dart__chunk_net(const dart__chunk_t *chunk)
{
  return chunk->net;
}

/** Where `offset` of a unit's portion is in the chunk's window. */
static inline MPI_Aint dart__chunk_disp(const dart__chunk_t *chunk, int32_t unit, uint64_t offset)
{
  const MPI_Aint *disp = dart__chunk_net(chunk)->disp;

  return (disp == NULL ? 0 : disp[unit]) + (MPI_Aint)offset;
}

/** dart__net_transfer. */
size_t dart__window_transfer(dart__team_t *team, dart__chunk_t *chunk, int32_t unit,
                             uint64_t offset, const dart__type_t *at_type, void *buffer,
                             const dart__type_t *type, size_t from, size_t nelem, bool is_put);

#endif
