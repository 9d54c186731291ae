/* Programs in plain MPI that rely on more than the standard promises, and find it with a kind MPI.
 * They end with 3 where they do not. Two ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define IN_VAIN 3

static int     me, n, value = 1, result = -1, values[8]; /* alive until all is complete */
static MPI_Win win;

static _Alignas(64) int cells[16];

static int other(void)
{
  return (me + 1) % n;
}

static void meet(void)
{
  MPI_Barrier(MPI_COMM_WORLD);
}

/* What the other put into the first cell, after a while. */
static int seen(void)
{
  meet();
  usleep(20000);
  meet();
  MPI_Win_sync(win);
  return cells[0];
}

static int a_put_is_there_without_a_flush(void)
{
  MPI_Put(&value, 1, MPI_INT, other(), 0, 1, MPI_INT, win);
  return seen() == 1;
}

static int a_put_is_there_after_a_local_flush(void)
{
  MPI_Put(&value, 1, MPI_INT, other(), 0, 1, MPI_INT, win);
  MPI_Win_flush_local(other(), win);
  return seen() == 1;
}

static int a_put_is_there_after_its_request(void)
{
  MPI_Request request;

  MPI_Rput(&value, 1, MPI_INT, other(), 0, 1, MPI_INT, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return seen() == 1;
}

static int a_result_is_there_without_a_flush(void)
{
  MPI_Get(&result, 1, MPI_INT, other(), 1, 1, MPI_INT, win);
  seen();
  return result == 4711;
}

static int puts_keep_their_order(void)
{
  for (int i = 0; i < 8; i++) {
    values[i] = i;
    MPI_Put(&values[i], 1, MPI_INT, other(), 0, 1, MPI_INT, win);
  }
  MPI_Win_flush(other(), win);
  return seen() == 7;
}

static int accumulates_without_order_keep_it(void)
{
  int      last;
  MPI_Info info;
  MPI_Win  unordered;

  MPI_Info_create(&info);
  MPI_Info_set(info, "accumulate_ordering", "none");
  MPI_Win_create(cells, sizeof cells, sizeof(int), info, MPI_COMM_WORLD, &unordered);
  MPI_Info_free(&info);
  MPI_Win_lock_all(0, unordered);
  for (int i = 0; i < 8; i++) {
    values[i] = i;
    MPI_Accumulate(&values[i], 1, MPI_INT, other(), 0, 1, MPI_INT, MPI_REPLACE, unordered);
  }
  MPI_Win_unlock_all(unordered);
  meet();
  last = cells[0];
  MPI_Win_free(&unordered);
  return last == 7;
}

static int a_message_is_there_after_a_barrier(void)
{
  int         found;
  MPI_Request request;

  MPI_Isend(&value, 1, MPI_INT, other(), 0, MPI_COMM_WORLD, &request);
  meet();
  MPI_Iprobe(other(), 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  MPI_Recv(&result, 1, MPI_INT, other(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return found;
}

static int a_test_comes_true_at_once(void)
{
  int         done;
  MPI_Request requests[2];

  MPI_Irecv(&result, 1, MPI_INT, me, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&value, 1, MPI_INT, me, 0, MPI_COMM_WORLD, &requests[1]);
  usleep(20000);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  return done;
}

static int what_is_received_can_be_seen_early(void)
{
  int         early;
  MPI_Request requests[2];

  MPI_Irecv(&result, 1, MPI_INT, me, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&value, 1, MPI_INT, me, 0, MPI_COMM_WORLD, &requests[1]);
  usleep(20000);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  early = result;
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  return early == 1;
}

/* With "tags": the program says that nobody receives any tag. */
static int messages_of_all_tags_come_in_order(void)
{
  int         in_order = 1;
  MPI_Request requests[8];
  MPI_Status  status;

  for (int i = 0; i < 8; i++)
    MPI_Isend(&values[i], 1, MPI_INT, me, i, MPI_COMM_WORLD, &requests[i]);
  usleep(20000);
  for (int i = 0; i < 8; i++) {
    MPI_Recv(&result, 1, MPI_INT, me, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    in_order &= status.MPI_TAG == i;
  }
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
  return in_order;
}

#define KIND(name) \
  {                \
#name, name    \
  }

static const struct {
  const char *name;
  int (*holds)(void);
} kinds[] = {
  KIND(a_put_is_there_without_a_flush),
  KIND(a_put_is_there_after_a_local_flush),
  KIND(a_put_is_there_after_its_request),
  KIND(a_result_is_there_without_a_flush),
  KIND(puts_keep_their_order),
  KIND(accumulates_without_order_keep_it),
  KIND(a_message_is_there_after_a_barrier),
  KIND(a_test_comes_true_at_once),
  KIND(what_is_received_can_be_seen_early),
  KIND(messages_of_all_tags_come_in_order),
};

static int run(int *argc, char ***argv, int (*holds)(void))
{
  int mine, all;

  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  MPI_Win_create(cells, sizeof cells, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  cells[0] = -1;
  cells[1] = 4711;
  meet();
  MPI_Win_lock_all(0, win);
  mine = holds();
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Finalize();
  return all ? EXIT_SUCCESS : IN_VAIN;
}

int main(int argc, char **argv)
{
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (argc == 2 && strcmp(argv[1], kinds[i].name) == 0)
      return run(&argc, &argv, kinds[i].holds);
    else if (argc == 1)
      puts(kinds[i].name);
  return argc == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
