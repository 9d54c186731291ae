/* Who is inside MPI: calls before its start and after its end, of several threads where that was
 * not asked for, and two collective calls on a communicator at once are refused.
 *
 * A thread that is inside a call is not looked at again: MPI calls functions of the program, and
 * those may call MPI. */
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "adversary.h"

#define EXIT_REFUSED 86

enum { BEFORE, RUNNING, ENDED };

static _Atomic int               state;   /* of MPI */
static _Atomic int               ninside; /* threads */
static int                       level = MPI_THREAD_SINGLE;
static int                       rank  = -1;
static pthread_t                 main_thread;
static _Thread_local const char *inside; /* the call */
static pthread_mutex_t           lock = PTHREAD_MUTEX_INITIALIZER;

/* A collective call under way. */
typedef struct active {
  struct active *next;
  uint64_t       comm;
  const char    *call;
} active_t;

static active_t              *collectives;
static _Thread_local active_t mine;

/* ---- refusing --------------------------------------------------------------------------- */

void adv_refuse(const char *format, ...)
{
  static _Atomic int refused;
  char               text[512];
  va_list            args;

  if (!adv_does(ADV_CHECK))
    return;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (atomic_exchange(&refused, 1) == 0)
    fprintf(stderr, "adversary: rank %d: %s: %s (seed %lu)\n", rank, adv_call(), text, adv_seed());
  fflush(NULL);
  usleep(100000); /* MPICH's launcher may end everything before it has passed the line on */
  if (atomic_load(&state) == RUNNING)
    PMPI_Abort(MPI_COMM_WORLD, EXIT_REFUSED);
  _exit(EXIT_REFUSED);
}

/* ---- entering --------------------------------------------------------------------------- */

static void check_state(void)
{
  if (atomic_load(&state) == BEFORE)
    adv_refuse("MPI has not been started");
  if (atomic_load(&state) == ENDED)
    adv_refuse("MPI has been finalized");
}

static void check_threads(int others)
{
  if (level == MPI_THREAD_MULTIPLE)
    return;
  if (level < MPI_THREAD_SERIALIZED && !pthread_equal(pthread_self(), main_thread))
    adv_refuse("called by a thread that did not start MPI, which was asked for no more than "
               "MPI_THREAD_%s",
               level == MPI_THREAD_SINGLE ? "SINGLE" : "FUNNELED");
  if (others > 0)
    adv_refuse("another thread is inside MPI, which was not asked for MPI_THREAD_MULTIPLE");
}

bool adv_enter(const char *call)
{
  if (inside != NULL)
    return false;
  inside = call;
  check_state();
  check_threads(atomic_fetch_add(&ninside, 1));
  adv_stumble();
  return true;
}

void adv_enter_unseen(const char *call)
{
  inside = call;
}

void adv_leave(void)
{
  adv_stumble();
  atomic_fetch_sub(&ninside, 1);
  inside = NULL;
}

const char *adv_call(void)
{
  return inside != NULL ? inside : "MPI";
}

/* ---- state ------------------------------------------------------------------------------ */

void adv_started(int provided)
{
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  level       = provided;
  main_thread = pthread_self();
  adv_chance_open(rank);
  atomic_store(&state, RUNNING);
}

void adv_ended(void)
{
  atomic_store(&state, ENDED);
}

int adv_rank(void)
{
  return rank;
}

int adv_thread_level(void)
{
  return level;
}

void adv_lock(void)
{
  adv_stumble();
  pthread_mutex_lock(&lock);
}

void adv_unlock(void)
{
  pthread_mutex_unlock(&lock);
  adv_stumble();
}

void *adv_lock_of_all(void)
{
  return &lock;
}

/* ---- collective calls ------------------------------------------------------------------- */

void adv_collective_begin(MPI_Comm comm)
{
  adv_lock();
  for (active_t *a = collectives; a != NULL; a = a->next)
    if (a->comm == ADV_HANDLE(comm))
      adv_refuse("another thread is in %s on the same communicator", a->call);
  mine        = (active_t){ collectives, ADV_HANDLE(comm), adv_call() };
  collectives = &mine;
  adv_unlock();
}

void adv_collective_end(MPI_Comm comm)
{
  (void)comm;
  adv_lock();
  for (active_t **link = &collectives; *link != NULL; link = &(*link)->next)
    if (*link == &mine) {
      *link = mine.next;
      break;
    }
  adv_unlock();
}
