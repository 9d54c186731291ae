#ifndef DART__MPI_MPI_CALL_H
#define DART__MPI_MPI_CALL_H
/* Calls of MPI, and how their failures are handled.
 *
 * A failure of MPI ends the program, with one line that names the call and carries MPI's text: the
 * connection between units is lost, and a unit that went on would wait for ever. So a call that returns
 * has succeeded, and callers need no error paths.
 *
 * Some calls fail only for lack of a resource, and the program can go on without it. Where no other unit
 * takes part, that is DART__MPI_LOCAL. Where all units of the call get the same error, it is
 * DART__MPI_AGREED; an error that may be one unit's alone ends the program there too, for the other units
 * are still in the call. */
#include <mpi.h>
#include <stdbool.h>

#include <dash/dart/if/dart_types.h>

#include "mpi/plain_call.h"

/** Log one line, then end all units. */
void dart__mpi_end(int code, const char *call) __attribute__((noreturn, cold));

/** Whether this process has called MPI_Abort. */
bool dart__mpi_is_aborting(void);

/** Log one line; DART_ERR_NOMEM. `_of_all`: if the error may be one unit's alone, end all units instead. */
dart_ret_t dart__mpi_lack(int code, const char *call) __attribute__((cold));
dart_ret_t dart__mpi_lack_of_all(int code, const char *call) __attribute__((cold));

static inline void dart__mpi_check(int code, const char *call)
{
  if (__builtin_expect(code != MPI_SUCCESS, 0))
    dart__mpi_end(code, call);
}

static inline dart_ret_t dart__mpi_local(int code, const char *call)
{
  return code == MPI_SUCCESS ? DART_OK : dart__mpi_lack(code, call);
}

static inline dart_ret_t dart__mpi_agreed(int code, const char *call)
{
  return code == MPI_SUCCESS ? DART_OK : dart__mpi_lack_of_all(code, call);
}

/* Call; a failure ends the program. */
#define DART__MPI(function, ...) dart__mpi_check(DART__MPI_CALL(function, __VA_ARGS__), #function)

/* Call: DART_OK or DART_ERR_NOMEM. */
#define DART__MPI_LOCAL(function, ...) \
  dart__mpi_local(DART__MPI_CALL(function, __VA_ARGS__), #function)
#define DART__MPI_AGREED(function, ...) \
  dart__mpi_agreed(DART__MPI_CALL(function, __VA_ARGS__), #function)

#endif
