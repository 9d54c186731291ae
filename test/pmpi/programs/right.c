/* Programs in plain MPI that are right, and so cannot tell the adversary from another MPI. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int me, n, failures;

#define CHECK(condition)                                                                         \
  do {                                                                                           \
    if (!(condition)) {                                                                          \
      fprintf(stderr, "rank %d: %s:%d: %s does not hold\n", me, __FILE__, __LINE__, #condition); \
      failures++;                                                                                \
    }                                                                                            \
  } while (0)

#define ROUNDS 40
#define CELLS  64

static int right(void)
{
  return (me + 1) % n;
}

static int left(void)
{
  return (me + n - 1) % n;
}

static void meet(void)
{
  MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- windows of both kinds, always locked ----------------------------------------------- */

typedef struct {
  MPI_Win   win;
  int      *cells;
  MPI_Aint *disp; /* of each rank */
  int       is_dynamic;
} window_t;

static void open_window(window_t *w, int is_dynamic)
{
  MPI_Aint at = 0;

  w->is_dynamic = is_dynamic;
  w->disp       = calloc((size_t)n, sizeof *w->disp);
  if (is_dynamic) {
    w->cells = calloc(CELLS, sizeof *w->cells);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &w->win);
    MPI_Win_attach(w->win, w->cells, CELLS * sizeof *w->cells);
    MPI_Get_address(w->cells, &at);
  } else {
    MPI_Win_allocate(CELLS * sizeof *w->cells, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w->cells,
                     &w->win);
    memset(w->cells, 0, CELLS * sizeof *w->cells);
  }
  MPI_Allgather(&at, 1, MPI_AINT, w->disp, 1, MPI_AINT, MPI_COMM_WORLD);
  MPI_Win_lock_all(0, w->win);
}

static void close_window(window_t *w)
{
  MPI_Win_unlock_all(w->win);
  if (w->is_dynamic) {
    meet();
    MPI_Win_detach(w->win, w->cells);
  }
  MPI_Win_free(&w->win);
  if (w->is_dynamic)
    free(w->cells);
  free(w->disp);
}

static MPI_Aint cell(const window_t *w, int rank, int i)
{
  return w->disp[rank] + (MPI_Aint)(i * (int)sizeof(int));
}

static void see(const window_t *w) /* what others put */
{
  meet();
  MPI_Win_sync(w->win);
}

/* ---- puts and gets ---------------------------------------------------------------------- */

static void puts_are_there_after_a_flush(window_t *w)
{
  for (int round = 1; round <= ROUNDS; round++) {
    int value[3] = { round, 1000 * me, round + me };

    for (int i = 0; i < 3; i++)
      MPI_Put(&value[i], 1, MPI_INT, right(), cell(w, right(), 2 * i), 1, MPI_INT, w->win);
    MPI_Win_flush(right(), w->win);
    see(w);
    CHECK(w->cells[0] == round && w->cells[2] == 1000 * left() && w->cells[4] == round + left());
    CHECK(w->cells[1] == 0 && w->cells[3] == 0 && w->cells[5] == 0);
    meet();
  }
}

static void sources_are_ours_after_local_completion(window_t *w)
{
  for (int round = 1; round <= ROUNDS; round++) {
    int         by_flush = round, by_request = -round;
    MPI_Request request;

    MPI_Put(&by_flush, 1, MPI_INT, right(), cell(w, right(), 0), 1, MPI_INT, w->win);
    MPI_Win_flush_local(right(), w->win);
    by_flush = 77;
    MPI_Rput(&by_request, 1, MPI_INT, right(), cell(w, right(), 1), 1, MPI_INT, w->win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    by_request = 77;
    MPI_Win_flush_all(w->win);
    CHECK(by_flush == 77 && by_request == 77);
    see(w);
    CHECK(w->cells[0] == round && w->cells[1] == -round);
    meet();
  }
}

static void results_are_there_after_completion(window_t *w)
{
  for (int i = 0; i < CELLS; i++)
    w->cells[i] = 100 * me + i;
  see(w);
  for (int round = 0; round < ROUNDS; round++) {
    int         by_flush = -1, by_request = -1, by_test = -1, flag = 0, i = round % CELLS;
    MPI_Request requests[2];

    MPI_Get(&by_flush, 1, MPI_INT, right(), cell(w, right(), i), 1, MPI_INT, w->win);
    MPI_Rget(&by_request, 1, MPI_INT, left(), cell(w, left(), i), 1, MPI_INT, w->win, &requests[0]);
    MPI_Rget(&by_test, 1, MPI_INT, right(), cell(w, right(), 0), 1, MPI_INT, w->win, &requests[1]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    CHECK(by_request == 100 * left() + i);
    while (!flag)
      MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
    CHECK(by_test == 100 * right());
    MPI_Win_flush_local(right(), w->win);
    CHECK(by_flush == 100 * right() + i);
  }
  meet();
}

/* A column of a matrix into a row, and back; what lies between is not touched. */
static void holes_are_left_alone(window_t *w)
{
  int          matrix[16], column[4] = { 1, 2, 3, 4 };
  MPI_Datatype strided;

  MPI_Type_vector(4, 1, 4, MPI_INT, &strided);
  MPI_Type_commit(&strided);
  memset(w->cells, 0, CELLS * sizeof(int));
  for (int i = 0; i < 16; i++)
    matrix[i] = 50 + i;
  see(w);
  MPI_Put(column, 4, MPI_INT, right(), cell(w, right(), 1), 1, strided, w->win);
  MPI_Win_flush(right(), w->win);
  see(w);
  for (int i = 0; i < 16; i++)
    CHECK(w->cells[i] == (i % 4 == 1 ? i / 4 + 1 : 0));
  MPI_Get(&matrix[2], 1, strided, right(), cell(w, right(), 1), 1, strided, w->win);
  matrix[3] = 4711; /* a hole is the program's meanwhile */
  MPI_Type_free(&strided);
  MPI_Win_flush(right(), w->win);
  for (int i = 0; i < 16; i++)
    CHECK(matrix[i] == (i % 4 == 2 ? i / 4 + 1 : i == 3 ? 4711 : 50 + i));
  meet();
}

/* ---- atomics ---------------------------------------------------------------------------- */

static void accumulates_keep_their_order(window_t *w)
{
  memset(w->cells, 0, CELLS * sizeof(int));
  see(w);
  for (int round = 1; round <= ROUNDS; round++) {
    int three = 3, old = -1, minus = -round, values[2] = { round, round };

    MPI_Accumulate(values, 2, MPI_INT, right(), cell(w, right(), 0), 2, MPI_INT, MPI_REPLACE,
                   w->win);
    MPI_Accumulate(&three, 1, MPI_INT, right(), cell(w, right(), 1), 1, MPI_INT, MPI_SUM, w->win);
    MPI_Fetch_and_op(&minus, &old, MPI_INT, right(), cell(w, right(), 1), MPI_REPLACE, w->win);
    MPI_Win_flush_local(right(), w->win);
    CHECK(old == round + 3);
    MPI_Win_flush(right(), w->win);
    see(w);
    CHECK(w->cells[0] == round && w->cells[1] == -round);
    meet();
  }
}

static void no_update_is_lost(window_t *w)
{
  int one = 1, old, got = -1;

  memset(w->cells, 0, CELLS * sizeof(int));
  see(w);
  for (int round = 0; round < ROUNDS; round++) {
    int      expected = 0, zero = 0;
    MPI_Aint at = cell(w, 0, 0);

    do { /* a lock, by compare and swap */
      MPI_Compare_and_swap(&one, &zero, &expected, MPI_INT, 0, cell(w, 0, 1), w->win);
      MPI_Win_flush(0, w->win);
    } while (expected != 0);
    MPI_Accumulate(&zero, 1, MPI_INT, 0, cell(w, 0, 1), 1, MPI_INT, MPI_REPLACE, w->win);
    MPI_Fetch_and_op(&one, &old, MPI_INT, 0, at, MPI_SUM, w->win);
    MPI_Accumulate(&one, 1, MPI_INT, 0, at, 1, MPI_INT, MPI_SUM, w->win);
    MPI_Win_flush(0, w->win);
    CHECK(old >= 2 * round && old < 2 * n * ROUNDS);
  }
  meet();
  MPI_Fetch_and_op(NULL, &got, MPI_INT, 0, cell(w, 0, 0), MPI_NO_OP, w->win);
  MPI_Win_flush(0, w->win);
  CHECK(got == 2 * n * ROUNDS);
  meet();
}

/* ---- other epochs ----------------------------------------------------------------------- */

static void epochs_of_all_kinds_complete(void)
{
  MPI_Win   win;
  MPI_Group all, neighbours[2];
  int      *cells, value = 100 + me, got = -1, to = right(), from = left();

  MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &cells, &win);
  MPI_Win_fence(0, win);
  MPI_Put(&value, 1, MPI_INT, right(), 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  CHECK(cells[0] == 100 + left());
  MPI_Get(&got, 1, MPI_INT, left(), 0, 1, MPI_INT, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  CHECK(got == 100 + (left() + n - 1) % n);

  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right(), 0, win);
  MPI_Put(&value, 1, MPI_INT, right(), 1, 1, MPI_INT, win);
  MPI_Win_unlock(right(), win);
  meet();
  MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
  CHECK(cells[1] == 100 + left());
  MPI_Win_unlock(me, win);

  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &to, &neighbours[0]);
  MPI_Group_incl(all, 1, &from, &neighbours[1]);
  MPI_Win_post(neighbours[1], 0, win);
  MPI_Win_start(neighbours[0], 0, win);
  MPI_Put(&value, 1, MPI_INT, to, 2, 1, MPI_INT, win);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
  CHECK(cells[2] == 100 + left());
  MPI_Group_free(&all);
  MPI_Group_free(&neighbours[0]);
  MPI_Group_free(&neighbours[1]);
  MPI_Win_free(&win);
}

/* ---- messages --------------------------------------------------------------------------- */

static void messages_keep_their_order(void)
{
  enum { COUNT = 50 };
  int         sent[COUNT], got = -1;
  MPI_Request requests[COUNT];
  MPI_Status  status;

  for (int i = 0; i < COUNT; i++) {
    sent[i] = 100 * me + i;
    MPI_Isend(&sent[i], 1, MPI_INT, right(), i % 3, MPI_COMM_WORLD, &requests[i]);
  }
  for (int i = 0; i < COUNT; i++) {
    MPI_Recv(&got, 1, MPI_INT, left(), MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    CHECK(got == 100 * left() + i && status.MPI_TAG == i % 3);
  }
  MPI_Waitall(COUNT, requests, MPI_STATUSES_IGNORE);
}

/* A blocking send comes after what was sent before without waiting. */
static void blocking_sends_do_not_overtake(void)
{
  int         got[2] = { -1, -1 }, first = 1, second = 2;
  MPI_Request receives[2], send;

  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < 2; i++)
      MPI_Irecv(&got[i], 1, MPI_INT, left(), 9, MPI_COMM_WORLD, &receives[i]);
    MPI_Isend(&first, 1, MPI_INT, right(), 9, MPI_COMM_WORLD, &send);
    MPI_Send(&second, 1, MPI_INT, right(), 9, MPI_COMM_WORLD);
    MPI_Waitall(2, receives, MPI_STATUSES_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    CHECK(got[0] == 1 && got[1] == 2);
    meet();
  }
}

/* Requests of all kinds, completed by all kinds of calls. */
static void requests_complete(void)
{
  int         got[4] = { -1, -1, -1, -1 }, sent[4], index, count = 0, indices[4], flag = 0;
  MPI_Request r[8];

  for (int round = 0; round < ROUNDS / 4; round++) {
    for (int i = 0; i < 4; i++) {
      sent[i] = 10 * round + i;
      MPI_Irecv(&got[i], 1, MPI_INT, left(), i, MPI_COMM_WORLD, &r[i]);
      (i % 2 ? MPI_Isend : MPI_Issend)(&sent[i], 1, MPI_INT, right(), i, MPI_COMM_WORLD, &r[4 + i]);
    }
    MPI_Waitany(4, r, &index, MPI_STATUS_IGNORE);
    CHECK(index >= 0 && index < 4 && got[index] == 10 * round + index &&
          r[index] == MPI_REQUEST_NULL);
    MPI_Waitsome(4, r, &count, indices, MPI_STATUSES_IGNORE);
    CHECK(count >= 1);
    for (flag = 0; !flag;)
      MPI_Testall(8, r, &flag, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 4; i++)
      CHECK(got[i] == 10 * round + i);
    MPI_Testany(8, r, &index, &flag, MPI_STATUS_IGNORE);
    CHECK(flag && index == MPI_UNDEFINED);
  }
}

static void short_messages_leave_the_rest(void)
{
  int          got[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, sent[2] = { 10, 20 }, count;
  MPI_Request  requests[2];
  MPI_Status   statuses[2];
  MPI_Datatype strided;

  MPI_Type_vector(4, 1, 2, MPI_INT, &strided);
  MPI_Type_commit(&strided);
  MPI_Irecv(got, 1, strided, left(), 0, MPI_COMM_WORLD, &requests[0]);
  got[1] = 200; /* a hole */
  MPI_Isend(sent, 2, MPI_INT, right(), 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Type_free(&strided);
  MPI_Waitall(2, requests, statuses);
  MPI_Get_elements(&statuses[0], MPI_INT, &count);
  CHECK(count == 2 && statuses[0].MPI_SOURCE == left() && statuses[0].MPI_TAG == 0);
  CHECK(got[0] == 10 && got[1] == 200 && got[2] == 20);
  for (int i = 3; i < 8; i++)
    CHECK(got[i] == i + 1);

  MPI_Irecv(got, 8, MPI_INT, me, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], &statuses[0]);
  MPI_Test_cancelled(&statuses[0], &count);
  CHECK(count && got[0] == 10 && got[7] == 8);
}

static void probes_find_messages(void)
{
  int         sent = 5 + me, got = -1, found = 0, count;
  MPI_Request requests[2];
  MPI_Message message;
  MPI_Status  status;

  MPI_Isend(&sent, 1, MPI_INT, right(), 3, MPI_COMM_WORLD, &requests[0]);
  while (!found)
    MPI_Iprobe(left(), 3, MPI_COMM_WORLD, &found, &status);
  for (found = 0; !found;)
    MPI_Improbe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &found, &message, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == 1 && status.MPI_SOURCE == left());
  MPI_Imrecv(&got, 1, MPI_INT, &message, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK(got == 5 + left());
}

/* The receiver tells by other means, so the sender need not call MPI again. */
/* A message whose request was freed was sent when its receiver answers. */
static void an_answer_gives_a_source_back(void)
{
  for (int round = 0; round < ROUNDS; round++) {
    int         cell[2] = { me, round }, from[2] = { -1, -1 };
    MPI_Request request;

    MPI_Isend(cell, 2, MPI_INT, right(), 1, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Recv(from, 2, MPI_INT, left(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(from[0] == left() && from[1] == round);
    MPI_Send(from, 0, MPI_INT, left(), 2, MPI_COMM_WORLD);
    MPI_Recv(from, 0, MPI_INT, right(), 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(cell, 2, MPI_INT, left(), 3, MPI_COMM_WORLD, &request);
    MPI_Send(from, 2, MPI_INT, right(), 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(cell[1] == round);
  }
}

static void messages_arrive_though_their_sender_computes(void)
{
  MPI_Comm     node;
  MPI_Win      win;
  _Atomic int *told;
  MPI_Aint     nbytes;
  MPI_Request  request;
  int          sent = 8, got = -1, unit, node_me, node_n;

  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &node_me);
  MPI_Comm_size(node, &node_n);
  MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, node, &told, &win);
  MPI_Win_shared_query(win, 0, &nbytes, &unit, &told);
  if (node_me == 0)
    atomic_store(told, 0);
  MPI_Barrier(node);
  if (node_n > 1 && node_me == 0) {
    MPI_Isend(&sent, 1, MPI_INT, 1, 0, node, &request);
    while (!atomic_load(told))
      usleep(100);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (node_me == 1) {
    MPI_Recv(&got, 1, MPI_INT, 0, 0, node, MPI_STATUS_IGNORE);
    atomic_store(told, 1);
    CHECK(got == 8);
  }
  MPI_Win_free(&win);
  MPI_Comm_free(&node);
}

/* ---- threads ---------------------------------------------------------------------------- */

static void *work(void *comm_pointer)
{
  MPI_Comm comm = *(MPI_Comm *)comm_pointer;

  for (int round = 0; round < ROUNDS; round++) {
    int         sum = 0, got = -1, sent = me + round;
    MPI_Request requests[2];

    MPI_Irecv(&got, 1, MPI_INT, left(), 0, comm, &requests[0]);
    MPI_Isend(&sent, 1, MPI_INT, right(), 0, comm, &requests[1]);
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(sum == n * (n - 1) / 2 && got == left() + round);
  }
  return NULL;
}

static void threads_have_communicators_of_their_own(void)
{
  MPI_Comm  comms[2];
  pthread_t thread;

  for (int i = 0; i < 2; i++)
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  pthread_create(&thread, NULL, work, &comms[0]);
  work(&comms[1]);
  pthread_join(thread, NULL);
  for (int i = 0; i < 2; i++)
    MPI_Comm_free(&comms[i]);
}

int main(int argc, char **argv)
{
  int provided, all;

  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  for (int is_dynamic = 0; is_dynamic < 2; is_dynamic++) {
    window_t w;

    open_window(&w, is_dynamic);
    puts_are_there_after_a_flush(&w);
    sources_are_ours_after_local_completion(&w);
    results_are_there_after_completion(&w);
    holes_are_left_alone(&w);
    accumulates_keep_their_order(&w);
    no_update_is_lost(&w);
    close_window(&w);
  }
  epochs_of_all_kinds_complete();
  messages_keep_their_order();
  blocking_sends_do_not_overtake();
  requests_complete();
  short_messages_leave_the_rest();
  probes_find_messages();
  an_answer_gives_a_source_back();
  messages_arrive_though_their_sender_computes();
  if (provided == MPI_THREAD_MULTIPLE)
    threads_have_communicators_of_their_own();
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all != 0;
}
