/* Statement A4. MPI belongs to the program here: started before DART, usable between and after its cycles, and
 * ended by the program. A unit's global id is its rank. With the argument `threads` MPI is started for several,
 * so that there can be an agent. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/if/dart.h>

static int failures;

static void expect(int holds, const char *what, int cycle)
{
  if (holds)
    return;
  fprintf(stderr, "cycle %d: %s\n", cycle, what);
  failures++;
}

static int sum_of_ranks(int rank)
{
  int sum = -1;

  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

static void one_cycle(int cycle, int rank, int nranks)
{
  dart_global_unit_t me;
  size_t             nunits;
  dart_gptr_t        cells;
  int                value = -1, mine = 100 * cycle + rank;

  expect(dart_init(NULL, NULL) == DART_OK, "dart_init", cycle);
  dart_myid(&me);
  dart_size(&nunits);
  expect(me.id == rank, "the global id is not the rank", cycle);
  expect((int)nunits == nranks, "not as many units as ranks", cycle);

  dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_INT, &cells);
  cells.unitid = (rank + 1) % nranks;
  dart_put_blocking(cells, &mine, 1, DART_TYPE_INT, DART_TYPE_INT);
  dart_barrier(DART_TEAM_ALL);
  expect(sum_of_ranks(rank) == nranks * (nranks - 1) / 2, "MPI between init and exit", cycle);
  cells.unitid = rank;
  dart_get_blocking(&value, cells, 1, DART_TYPE_INT, DART_TYPE_INT);
  expect(value == 100 * cycle + (rank + nranks - 1) % nranks, "what the left neighbour put", cycle);
  expect(dart_exit() == DART_OK, "dart_exit", cycle);
  expect(sum_of_ranks(rank) == nranks * (nranks - 1) / 2, "MPI after exit", cycle);
}

/* What MPI does by itself needs no call of DART at its target, which waits inside MPI here. Without the argument
 * there is no agent, for MPI was started for one thread. */
static void targets_wait_in_mpi(int rank, int nranks)
{
  dart_gptr_t   cells;
  dart_handle_t handle;
  long          sent = 7000 + rank, got = -1;
  MPI_Comm      copy;

  dart_init(NULL, NULL);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 8, DART_TYPE_LONG, &cells);
  for (int form = 0; form < 4; form++) {
    dart_barrier(DART_TEAM_ALL);
    for (int unit = 0; unit < nranks && rank > 0; unit++) { /* unit 0 waits from now on */
      cells.unitid              = unit;
      cells.addr_or_offs.offset = sizeof sent * (size_t)(rank % 8);
      got                       = -1;
      switch (form) {
      case 0:
        dart_put_blocking(cells, &sent, 1, DART_TYPE_LONG, DART_TYPE_LONG);
        dart_get_blocking(&got, cells, 1, DART_TYPE_LONG, DART_TYPE_LONG);
        break;
      case 1:
        dart_put(cells, &sent, 1, DART_TYPE_LONG, DART_TYPE_LONG);
        dart_flush(cells);
        dart_get(&got, cells, 1, DART_TYPE_LONG, DART_TYPE_LONG);
        dart_flush_local(cells);
        break;
      case 2:
        dart_put(cells, &sent, 1, DART_TYPE_LONG, DART_TYPE_LONG);
        dart_flush_all(cells);
        dart_get(&got, cells, 1, DART_TYPE_LONG, DART_TYPE_LONG);
        dart_flush_local_all(cells);
        break;
      default:
        dart_put_handle(cells, &sent, 1, DART_TYPE_LONG, DART_TYPE_LONG, &handle);
        dart_wait(&handle);
        dart_get_handle(&got, cells, 1, DART_TYPE_LONG, DART_TYPE_LONG, &handle);
        dart_wait_local(&handle);
        break;
      }
      expect(got == sent, "a value put to a unit that waits in MPI", form);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_free(&copy);
  }
  dart_team_memfree(cells);
  dart_exit();
}

int main(int argc, char **argv)
{
  int rank, nranks, level;

  if (argc > 1 && strcmp(argv[1], "threads") == 0)
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  else
    MPI_Init(&argc, &argv);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &level); /* MPICH 4.0 forgets its variables then */
  MPI_T_finalize();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &nranks);
  for (int cycle = 0; cycle < 5; cycle++)
    one_cycle(cycle, rank, nranks);
  targets_wait_in_mpi(rank, nranks);
  MPI_Finalize();
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
