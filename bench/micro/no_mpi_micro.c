/* The sides of MPI in a program without MPI: there are none. */
#include "micro.h"

void mpi_start(micro_t *m)
{
  m->mpi = false;
}

void mpi_stop(void)
{
}

const side_t *mpi_side(const case_t *c, window_t window)
{
  (void)c, (void)window;
  return NULL;
}

void mpi_choose(window_t window)
{
  (void)window;
}

void mpi_meet(void)
{
}
