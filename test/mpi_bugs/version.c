/* Which MPI this is. */
#include <string.h>

#include "verdict.h"

int main(int argc, char **argv)
{
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int  length;

  MPI_Init(&argc, &argv);
  MPI_Get_library_version(text, &length);
  for (char *at = text; *at != '\0'; at++)
    if (*at == '\t')
      *at = ' ';
  text[strcspn(text, "\n")] = '\0';
  puts(text);
  MPI_Finalize();
  return RIGHT;
}
