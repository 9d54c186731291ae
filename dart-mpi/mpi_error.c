/* MPI is asked to return errors on everything DART makes; see boot.c and window.c. */
#include "mpi_error.h"

#include "base/log.h"

dart_ret_t dart__mpi_result(int code, const char *call)
{
  char text[MPI_MAX_ERROR_STRING];
  int  class, length;

  if (__builtin_expect(code == MPI_SUCCESS, 1))
    return DART_OK;
  MPI_Error_class(code, &class);
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
    text[0] = '\0';
  for (int i = 0; text[i] != '\0'; i++)
    if (text[i] == '\n')
      text[i] = ';';
  dart__error("%s: %s", call, text);
  return class == MPI_ERR_NO_MEM ? DART_ERR_NOMEM : DART_ERR_OTHER;
}
