/* MPI_Finalize ends when all ranks have called it (MPI 3.1, 8.7): here rank 0 calls it while the
 * others are in another call of MPI.
 *
 * Over UCX's TCP (UCX_TLS=tcp,self) a rank in MPI_Finalize asks all whom it sent something to
 * confirm that it has arrived, and answers others until it has the answers. Then it waits in the
 * process manager, and answers no more. Who comes later asks in vain. (MPICH left out that wait in
 * 2023: pull request 6596.) */
#include "verdict.h"

int main(int argc, char **argv)
{
  int me, n, got;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  for (int i = 0; i < n; i++)
    MPI_Sendrecv(&me, 1, MPI_INT, (me + i) % n, 0, &got, 1, MPI_INT, (me + n - i) % n, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  wrong_by(SIGALRM, "MPI_Finalize hangs\n");
  alarm(3);
  MPI_Barrier(MPI_COMM_WORLD);
  for (double start = MPI_Wtime(); me > 0 && MPI_Wtime() - start < 0.2;)
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &got, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return RIGHT;
}
