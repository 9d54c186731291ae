/* MPI is asked to return errors on all communicators and windows that DART makes. Errors of calls that
 * belong to none, such as those on datatypes, go to the handler of MPI_COMM_WORLD, the program's: by
 * default MPI then ends the program itself, with a message of its own. */
#include "mpi/call.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "net.h"

typedef struct {
  char text[MPI_MAX_ERROR_STRING];
} error_text_t;

/* MPI's text as one line. */
static error_text_t text_of(int code)
{
  error_text_t e;
  int          length;

  if (MPI_Error_string(code, e.text, &length) != MPI_SUCCESS)
    e.text[0] = '\0';
  for (char *at = e.text; *at != '\0'; at++)
    if (*at == '\n')
      *at = ';';
  return e;
}

/* Whether all units of a collective call got this error. MPICH 4.0 has no error class for errors that its
 * units have agreed on, only messages: that no context id is left for a communicator or window (there are
 * 2048 of them), or that some unit of a node cannot make or map shared memory. The latter was seen with
 * limits on address space and on descriptors, on one unit alone and on all. */
static bool is_of_all(const char *text)
{
  return strstr(text, "Too many communicators") != NULL ||
         strstr(text, "because of fragmentation") != NULL ||
         strstr(text, "allocate shared memory") != NULL ||
         strstr(text, "remove shared memory") != NULL;
}

void dart__mpi_end(int code, const char *call)
{
  dart__error("%s failed, which ends the program: %s", call, text_of(code).text);
  dart__net_abort(EXIT_FAILURE, false);
}

dart_ret_t dart__mpi_lack(int code, const char *call)
{
  dart__error("%s: %s", call, text_of(code).text);
  return DART_ERR_NOMEM;
}

dart_ret_t dart__mpi_lack_of_all(int code, const char *call)
{
  if (!is_of_all(text_of(code).text))
    dart__mpi_end(code, call);
  return dart__mpi_lack(code, call);
}
