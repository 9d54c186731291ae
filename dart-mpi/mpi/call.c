/* MPI is asked to return errors on all communicators and windows that DART makes. Errors of calls that
 * belong to none, such as those on datatypes, go to the handler of MPI_COMM_WORLD, the program's: by
 * default MPI then ends the program itself, with a message of its own. */
#include "mpi/call.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "mpi/vendor.h"
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

void dart__mpi_end(int code, const char *call)
{
  dart__error("%s failed, which ends the program: %s%s", call, text_of(code).text,
              dart__vendor_advice(call));
  dart__net_abort(EXIT_FAILURE, false);
}

dart_ret_t dart__mpi_lack(int code, const char *call)
{
  return dart__fail(DART_ERR_NOMEM, "%s: %s", call, text_of(code).text);
}

dart_ret_t dart__mpi_lack_of_all(int code, const char *call)
{
  if (!dart__vendor_is_of_all(text_of(code).text))
    dart__mpi_end(code, call);
  return dart__mpi_lack(code, call);
}
