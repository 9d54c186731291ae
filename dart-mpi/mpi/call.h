#ifndef DART__MPI_CALL_H
#define DART__MPI_CALL_H
/* Calls of MPI, and what becomes of one that fails.
 *
 * A failure of the transport ends the program, with one line that names the call and carries MPI's
 * text: the units have lost each other, and whoever went on would wait for ever. So a call stands for
 * its success, and nobody needs a path for anything else.
 *
 * Some calls fail only for want of something, and the program can go on with less. Where no other unit
 * takes part, that is DART__MPI_LOCAL. Where the units find out together, so that all of them get the
 * error, it is DART__MPI_AGREED; an error that may be one unit's alone ends the program there too, for
 * it has left the others in the call. */
#include <mpi.h>

#include <dash/dart/if/dart_types.h>

/** One line, then the end of all units. */
void dart__mpi_end(int code, const char *call) __attribute__((noreturn, cold));

/** One line; DART_ERR_NOMEM. `_of_all`: only if the error is known to be every unit's. */
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

/* Call, or end. */
#define DART__MPI(function, ...) dart__mpi_check(DART__MPI_CALL(function, __VA_ARGS__), #function)

/* Call: DART_OK or DART_ERR_NOMEM. */
#define DART__MPI_LOCAL(function, ...) \
  dart__mpi_local(DART__MPI_CALL(function, __VA_ARGS__), #function)
#define DART__MPI_AGREED(function, ...) \
  dart__mpi_agreed(DART__MPI_CALL(function, __VA_ARGS__), #function)

/* Call: MPI's code. (Tests put something else in its place: test/inject.) */
#ifndef DART__MPI_CALL
#define DART__MPI_CALL(function, ...) function(__VA_ARGS__)
#endif

#endif
