/* MPI_MIN and MPI_MAX compare unsigned types as unsigned numbers, in reductions and in accumulates
 * (MPI 3.1, 5.9.2 and 11.3.4).
 *
 * MPICH 4.0 compares them as signed ones, in both. */
#include <limits.h>

#include "verdict.h"

enum { ROOM = 64 };

static _Alignas(64) char memory[ROOM];

/* The larger number of a type is all ones, the smaller one is 1. */
#define TRY(type, mpi_type, op, expected)                               \
  do {                                                                  \
    type     small = 1, large = (type)-1;                               \
    type    *cell = (type *)memory, want = expected;                    \
    MPI_Aint zero = 0;                                                  \
                                                                        \
    *cell = small;                                                      \
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);                        \
    MPI_Accumulate(&large, 1, mpi_type, 0, zero, 1, mpi_type, op, win); \
    MPI_Win_unlock(0, win);                                             \
    MPI_Reduce_local(&large, &small, 1, mpi_type, op);                  \
    tried += 2;                                                         \
    if (*cell != want || small != want)                                 \
      printf("%s of %s is wrong\n", #op, #type);                        \
    wrong += (*cell != want) + (small != want);                         \
  } while (0)

#define TRY_BOTH(type, mpi_type)         \
  do {                                   \
    TRY(type, mpi_type, MPI_MIN, small); \
    TRY(type, mpi_type, MPI_MAX, large); \
  } while (0)

int main(int argc, char **argv)
{
  int     me, wrong = 0, tried = 0;
  MPI_Win win;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Win_create(memory, ROOM, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  if (me == 0) {
    TRY_BOTH(unsigned char, MPI_UNSIGNED_CHAR);
    TRY_BOTH(unsigned short, MPI_UNSIGNED_SHORT);
    TRY_BOTH(unsigned, MPI_UNSIGNED);
    TRY_BOTH(unsigned long, MPI_UNSIGNED_LONG);
    TRY_BOTH(unsigned long long, MPI_UNSIGNED_LONG_LONG);
  }
  MPI_Win_free(&win);
  verdict(wrong, tried, "comparisons of unsigned numbers were wrong");
}
