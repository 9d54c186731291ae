#ifndef DART__MPI_HANDLE_H
#define DART__MPI_HANDLE_H
/* A handle, while its transfer is started; handle.c does the rest. */
#include "mpi_port.h"

struct dart_handle_struct {
  dart_handle_t   next; /* among abandoned ones */
  dart__team_t   *team;
  dart__window_t *window;
  int32_t         unit;
  bool            is_put;
  bool            by_flush; /* the requests alone do not tell */
  size_t          nrequests;
  MPI_Request     requests[];
};

/** A handle of so many requests, all null. NULL: no memory. */
dart_handle_t dart__handle_new(dart__team_t *team, dart__window_t *window, int32_t unit,
                               size_t nrequests);

#endif
