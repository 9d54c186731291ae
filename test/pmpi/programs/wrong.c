/* Programs in plain MPI that are wrong: each does one thing that the standard forbids, and then
 * says so and ends well, if nobody has refused it. Two ranks at least. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int     me, n, cells[64], buffer[64];
static MPI_Win win, free_win;

static int other(void)
{
  return (me + 1) % n;
}

/* ---- windows: `win` is locked, `free_win` is not ---------------------------------------- */

static void put_without_an_epoch(void)
{
  MPI_Put(buffer, 1, MPI_INT, other(), 0, 1, MPI_INT, free_win);
}

static void flush_without_a_lock(void)
{
  MPI_Win_flush(other(), free_win);
}

static void put_after_unlock(void)
{
  MPI_Win_unlock_all(win);
  MPI_Put(buffer, 1, MPI_INT, other(), 0, 1, MPI_INT, win);
}

static void lock_twice(void)
{
  MPI_Win_lock(MPI_LOCK_SHARED, other(), 0, win);
}

static void unlock_what_is_not_locked(void)
{
  MPI_Win_unlock(other(), free_win);
}

static void fence_while_locked(void)
{
  MPI_Win_fence(0, win);
}

static void put_to_another_rank_than_locked(void)
{
  MPI_Win_lock(MPI_LOCK_SHARED, me, 0, free_win);
  MPI_Put(buffer, 1, MPI_INT, other(), 0, 1, MPI_INT, free_win);
}

static void put_beyond_the_window(void)
{
  MPI_Put(buffer, 2, MPI_INT, other(), 63, 2, MPI_INT, win);
}

static void put_before_the_window(void)
{
  MPI_Put(buffer, 1, MPI_INT, other(), -1, 1, MPI_INT, win);
}

static void put_to_no_rank(void)
{
  MPI_Put(buffer, 1, MPI_INT, n, 0, 1, MPI_INT, win);
}

static void put_a_negative_count(void)
{
  MPI_Put(buffer, -1, MPI_INT, other(), 0, -1, MPI_INT, win);
}

static void put_more_than_is_given(void)
{
  MPI_Put(buffer, 1, MPI_INT, other(), 0, 2, MPI_INT, win);
}

static void put_an_uncommitted_type(void)
{
  MPI_Datatype type;

  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Put(buffer, 1, type, other(), 0, 2, MPI_INT, win);
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
  (void)type;
  for (int i = 0; i < *count; i++)
    ((int *)inout)[i] += ((int *)in)[i];
}

static void accumulate_by_an_own_operator(void)
{
  MPI_Op op;

  MPI_Op_create(add, 1, &op);
  MPI_Accumulate(buffer, 1, MPI_INT, other(), 0, 1, MPI_INT, op, win);
}

static void fetch_a_derived_type(void)
{
  MPI_Datatype type;

  MPI_Type_contiguous(1, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Fetch_and_op(&buffer[0], &buffer[1], type, other(), 0, MPI_SUM, win);
}

static void free_a_locked_window(void)
{
  MPI_Win_free(&win);
}

static void free_a_window_before_its_requests(void)
{
  MPI_Request request;

  MPI_Rput(buffer, 1, MPI_INT, other(), 0, 1, MPI_INT, win, &request);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

/* ---- buffers ---------------------------------------------------------------------------- */

static void change_the_source_of_a_put(void)
{
  MPI_Put(buffer, 1, MPI_INT, other(), 0, 1, MPI_INT, win);
  buffer[0]++;
  MPI_Win_flush(other(), win);
}

static void change_the_source_of_an_accumulate(void)
{
  MPI_Accumulate(buffer, 1, MPI_INT, other(), 0, 1, MPI_INT, MPI_SUM, win);
  buffer[0]++;
  MPI_Win_flush_local(other(), win);
}

static void change_the_source_of_a_message(void)
{
  MPI_Request request;

  MPI_Isend(buffer, 1, MPI_INT, other(), 0, MPI_COMM_WORLD, &request);
  buffer[0]++;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void write_to_the_result_of_a_get(void)
{
  MPI_Get(buffer, 1, MPI_INT, other(), 0, 1, MPI_INT, win);
  buffer[0] = 0; /* it may be executed already; then this is seen by nobody */
  MPI_Win_flush(other(), win);
}

static void write_to_the_result_of_a_receive(void)
{
  MPI_Request request;

  MPI_Irecv(buffer, 4, MPI_INT, me, 0, MPI_COMM_WORLD, &request);
  buffer[3] = 0;
  MPI_Send(&me, 1, MPI_INT, me, 0, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void get_twice_to_one_place(void)
{
  MPI_Get(&buffer[0], 2, MPI_INT, other(), 0, 2, MPI_INT, win);
  MPI_Get(&buffer[1], 2, MPI_INT, other(), 4, 2, MPI_INT, win);
}

static void receive_over_a_source(void)
{
  MPI_Request requests[2];

  MPI_Irecv(buffer, 4, MPI_INT, other(), 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&buffer[3], 1, MPI_INT, other(), 7, MPI_COMM_WORLD, &requests[1]);
}

static void interleave_columns_wrongly(void)
{
  MPI_Datatype column;

  MPI_Type_vector(4, 2, 4, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Get(&buffer[0], 1, column, other(), 0, 8, MPI_INT, win); /* 0 1, 4 5, .. */
  MPI_Get(&buffer[1], 1, column, other(), 0, 8, MPI_INT, win); /* 1 2, 5 6, .. */
}

static void swap_in_place(void)
{
  MPI_Compare_and_swap(&buffer[0], &buffer[1], &buffer[0], MPI_INT, other(), 0, win);
}

/* ---- requests --------------------------------------------------------------------------- */

static void free_the_request_of_a_get(void)
{
  MPI_Request request;

  MPI_Rget(buffer, 1, MPI_INT, other(), 0, 1, MPI_INT, win, &request);
  MPI_Request_free(&request);
}

static void cancel_a_put(void)
{
  MPI_Request request;

  MPI_Rput(buffer, 1, MPI_INT, other(), 0, 1, MPI_INT, win, &request);
  MPI_Cancel(&request);
}

static void free_the_request_of_a_collective(void)
{
  MPI_Request request;

  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
}

/* ---- dynamic windows -------------------------------------------------------------------- */

static MPI_Win dynamic(void)
{
  MPI_Win made;

  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &made);
  MPI_Win_attach(made, cells, sizeof cells);
  MPI_Win_lock_all(0, made);
  return made;
}

static void attach_twice(void)
{
  MPI_Win made = dynamic();

  MPI_Win_attach(made, cells + 32, sizeof(int));
}

static void detach_what_is_not_attached(void)
{
  MPI_Win made = dynamic();

  MPI_Win_detach(made, cells + 1);
}

static void detach_while_in_use(void)
{
  MPI_Win  made = dynamic();
  MPI_Aint at;

  MPI_Get_address(cells, &at);
  MPI_Put(buffer, 1, MPI_INT, me, at, 1, MPI_INT, made);
  MPI_Win_detach(made, cells);
}

static void put_to_what_is_not_attached(void)
{
  MPI_Win  made = dynamic();
  MPI_Aint at;

  MPI_Get_address(buffer, &at);
  MPI_Put(cells, 1, MPI_INT, me, at, 1, MPI_INT, made);
}

/* ---- threads ---------------------------------------------------------------------------- */

static void *call_mpi(void *unused)
{
  int rank;

  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return unused;
}

static void *meet(void *unused)
{
  MPI_Barrier(MPI_COMM_WORLD);
  return unused;
}

static void in_thread(void *(*function)(void *))
{
  pthread_t thread;

  pthread_create(&thread, NULL, function, NULL);
  pthread_join(thread, NULL);
}

static void call_from_a_second_thread(void)
{
  in_thread(call_mpi);
}

/* The last rank comes late, so the others are in the barrier meanwhile. */
static void call_while_another_thread_is_inside(void)
{
  pthread_t thread;

  usleep(me == n - 1 ? 2000000 : 0);
  pthread_create(&thread, NULL, meet, NULL);
  usleep(200000);
  call_mpi(NULL);
  pthread_join(thread, NULL);
}

static void two_collectives_at_once(void)
{
  pthread_t thread;

  usleep(me == n - 1 ? 2000000 : 0);
  pthread_create(&thread, NULL, meet, NULL);
  usleep(200000);
  MPI_Bcast(buffer, 1, MPI_INT, 0, MPI_COMM_WORLD);
  pthread_join(thread, NULL);
}

/* ---- the end ---------------------------------------------------------------------------- */

static void call_after_the_end(void)
{
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Win_free(&free_win);
  MPI_Finalize();
  MPI_Barrier(MPI_COMM_WORLD);
}

static void end(void)
{
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Win_free(&free_win);
  MPI_Finalize();
}

static void leave_a_window(void)
{
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}

static void leave_a_communicator(void)
{
  MPI_Comm comm;

  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  end();
}

static void leave_a_datatype(void)
{
  MPI_Datatype type;

  MPI_Type_contiguous(2, MPI_INT, &type);
  end();
}

static void leave_a_request(void)
{
  MPI_Request request;

  MPI_Irecv(buffer, 1, MPI_INT, other(), 0, MPI_COMM_WORLD, &request);
  MPI_Send(buffer, 1, MPI_INT, other(), 0, MPI_COMM_WORLD);
  end();
}

static void leave_a_group(void)
{
  MPI_Group group;

  MPI_Comm_group(MPI_COMM_WORLD, &group);
  end();
}

static void leave_an_info(void)
{
  MPI_Info info;

  MPI_Info_create(&info);
  end();
}

static void leave_an_operator(void)
{
  MPI_Op op;

  MPI_Op_create(add, 1, &op);
  end();
}

/* ---- the table: what the refusal says --------------------------------------------------- */

#define WRONG_AT(level, name, says) \
  {                                 \
#name, name, says, level        \
  }
#define WRONG(name, says) WRONG_AT(MPI_THREAD_SINGLE, name, says)

static const struct {
  const char *name;
  void (*run)(void);
  const char *says;
  int         level; /* of threads */
} wrongs[] = {
  /* clang-format off */
  WRONG(put_without_an_epoch, "MPI_Put: there is no epoch"),
  WRONG(flush_without_a_lock, "MPI_Win_flush: no lock is held"),
  WRONG(put_after_unlock, "MPI_Put: there is no epoch"),
  WRONG(lock_twice, "MPI_Win_lock: an epoch is open"),
  WRONG(unlock_what_is_not_locked, "MPI_Win_unlock: no lock is held"),
  WRONG(fence_while_locked, "MPI_Win_fence: another epoch is open"),
  WRONG(put_to_another_rank_than_locked, "MPI_Put: there is no epoch"),
  WRONG(put_beyond_the_window, "MPI_Put: bytes 252 to 260"),
  WRONG(put_before_the_window, "MPI_Put: bytes -4 to 0"),
  WRONG(put_to_no_rank, "MPI_Put: rank"),
  WRONG(put_a_negative_count, "MPI_Put: count -1"),
  WRONG(put_more_than_is_given, "MPI_Put: 1 elements of 4 bytes, but at the target 2"),
  WRONG(put_an_uncommitted_type, "MPI_Put: a datatype was not committed"),
  WRONG(accumulate_by_an_own_operator, "MPI_Accumulate: the operator"),
  WRONG(fetch_a_derived_type, "MPI_Fetch_and_op: the datatype"),
  WRONG(free_a_locked_window, "MPI_Win_free: an epoch is open"),
  WRONG(free_a_window_before_its_requests, "MPI_Win_free: "),
  WRONG(change_the_source_of_a_put, "MPI_Win_flush: the source of MPI_Put"),
  WRONG(change_the_source_of_an_accumulate, "MPI_Win_flush_local: the source of MPI_Accumulate"),
  WRONG(change_the_source_of_a_message, "the source of MPI_Isend"),
  WRONG(write_to_the_result_of_a_get, "MPI_Win_flush: the result of MPI_Get"),
  WRONG(write_to_the_result_of_a_receive, "MPI_Wait: the result of MPI_Irecv"),
  WRONG(get_twice_to_one_place, "MPI_Get: its result"),
  WRONG(receive_over_a_source, "MPI_Isend: its source"),
  WRONG(interleave_columns_wrongly, "MPI_Get: its result"),
  WRONG(swap_in_place, "MPI_Compare_and_swap: its result"),
  WRONG(free_the_request_of_a_get, "MPI_Request_free: the request of MPI_Rget"),
  WRONG(cancel_a_put, "MPI_Cancel: the request of MPI_Rput"),
  WRONG(free_the_request_of_a_collective, "MPI_Request_free: the request of MPI_Ibarrier"),
  WRONG(attach_twice, "MPI_Win_attach: "),
  WRONG(detach_what_is_not_attached, "MPI_Win_detach: nothing is attached"),
  WRONG(detach_while_in_use, "MPI_Win_detach: an MPI_Put"),
  WRONG(put_to_what_is_not_attached, "MPI_Put: 4 bytes at"),
  WRONG(call_from_a_second_thread, "MPI_Comm_rank: called by a thread"),
  WRONG_AT(MPI_THREAD_SERIALIZED, call_while_another_thread_is_inside,
           "MPI_Comm_rank: another thread is inside"),
  WRONG_AT(MPI_THREAD_MULTIPLE, two_collectives_at_once,
           "MPI_Bcast: another thread is in MPI_Barrier"),
  WRONG(call_after_the_end, "MPI_Barrier: MPI has been finalized"),
  WRONG(leave_a_window, "1 of kind window"),
  WRONG(leave_a_communicator, "1 of kind communicator"),
  WRONG(leave_a_datatype, "1 of kind datatype"),
  WRONG(leave_a_request, "1 of kind request"),
  WRONG(leave_a_group, "1 of kind group"),
  WRONG(leave_an_info, "1 of kind info"),
  WRONG(leave_an_operator, "1 of kind operator"),
  /* clang-format on */
};

static void run(int *argc, char ***argv, size_t which)
{
  int  provided;
  int *base;

  MPI_Init_thread(argc, argv, wrongs[which].level, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  MPI_Win_allocate(sizeof cells, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  MPI_Win_allocate(sizeof cells, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &free_win);
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  wrongs[which].run();
  fprintf(stderr, "%s was not refused\n", wrongs[which].name);
  _exit(EXIT_SUCCESS);
}

int main(int argc, char **argv)
{
  size_t count = sizeof wrongs / sizeof wrongs[0];

  for (size_t i = 0; i < count; i++)
    if (argc == 2 && strcmp(argv[1], wrongs[i].name) == 0)
      run(&argc, &argv, i);
    else if (argc == 1)
      printf("%s %s\n", wrongs[i].name, wrongs[i].says);
  return argc == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
