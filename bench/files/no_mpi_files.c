/* The side of ROMIO in a program without MPI: there is none. */
#include "files.h"

const files_side_t *files_romio(void)
{
  return NULL;
}
