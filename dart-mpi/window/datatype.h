#ifndef DART__MPI_WINDOW_DATATYPE_H
#define DART__MPI_WINDOW_DATATYPE_H
/* How elements lie in memory, in MPI's terms. */
#include <mpi.h>
#include <stdbool.h>

#include "data/type.h"

/* One side of an MPI call: `count` times `type`, `nbytes_off` bytes from element 0. */
typedef struct {
  MPI_Aint     nbytes_off;
  int          count;
  MPI_Datatype type;
  void        *made; /* the cache entry of `type`; NULL: the type is MPI's own */
} dart__mpi_layout_t;

/** Elements that one MPI call should move between two types: whole instances of both, no count beyond an
 *  int, and of scattered data no more than MPI moves fast, if so many are whole instances. 0: not even the least
 *  number of whole instances fits, or not even a single element; the caller then goes by runs. */
size_t dart__mpi_piece(const dart__type_t *a, const dart__type_t *b);

/** Elements [from, from + nelem) of a buffer of `type`; from and nelem are whole instances, nelem
 *  at most a piece. Any thread. The caller frees the layout right after the call of MPI that uses it.
 *  False: no memory. */
bool dart__mpi_layout(const dart__type_t *type, size_t from, size_t nelem,
                      dart__mpi_layout_t *layout_out);
void dart__mpi_layout_free(dart__mpi_layout_t *layout);

/** Free the MPI datatypes in the cache (exit). */
void dart__mpi_type_clear(void);

#endif
