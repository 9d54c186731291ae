/* mremap with MREMAP_FIXED takes the new address as a fifth argument, and uses it. Not MPI, but
 * below it.
 *
 * UCX puts a function of its own in its place, which drops that argument. */
#include <string.h>
#include <sys/mman.h>

#include "verdict.h"

enum { NBYTES = 1 << 16 };

int main(int argc, char **argv)
{
  char *from, *to, *got;

  MPI_Init(&argc, &argv);
  from = mmap(NULL, NBYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  to   = mmap(NULL, NBYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  got  = mremap(from, NBYTES, NBYTES, MREMAP_MAYMOVE | MREMAP_FIXED, to);
  verdict(got != to, 1, "mappings were not moved where they were to be");
}
