#ifndef DART__MPI_ERROR_H
#define DART__MPI_ERROR_H
/* From MPI's error codes to DART's. */
#include <mpi.h>

#include <dash/dart/if/dart_types.h>

/** DART_OK for MPI_SUCCESS; otherwise DART_ERR_OTHER (DART_ERR_NOMEM for want of memory) after a
 *  log line that names the call and carries MPI's text. */
dart_ret_t dart__mpi_result(int code, const char *call);

/* Call and translate; the call's name goes into the log line. */
#define DART__MPI(function, ...) dart__mpi_result(function(__VA_ARGS__), #function)

#endif
