/* Messages that are held back.
 *
 * A message leaves when its sender waits for it, by chance in another call, or when it has been
 * held for long enough: a thread sees to that, for a message must arrive though its sender
 * computes. Messages of one communicator to one receiver keep their order, for a receive of any
 * tag would see it; with "tags" only those of one tag do.
 *
 * A send may be complete before its message leaves: then it is copied first. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "adversary.h"

#define HELD_US   1000      /* at most, most of them */
#define LONG_US   5000      /* some */
#define COPY_MOST (1 << 16) /* bytes; larger ones are not complete before they leave */

typedef int (*send_call_t)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

typedef struct message {
  struct message *next; /* by age */
  send_call_t     send;
  MPI_Comm        comm;
  int             to, tag;
  adv_buffer_t    source;
  int64_t         due;       /* ns */
  bool            is_copied; /* and so complete */
  bool            is_sent;   /* given to MPI */
  MPI_Request     real;      /* then; NULL: complete */
  adv_request_t  *request;   /* NULL: the program has completed it */
} message_t;

static message_t     *messages; /* held, or not complete */
static pthread_t      network;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static bool           is_open, stop;
static unsigned       nheld;

/* ---- with the lock held ----------------------------------------------------------------- */

int64_t adv_now_ns(void)
{
  struct timespec time;

  clock_gettime(CLOCK_REALTIME, &time); /* pthread_cond_timedwait's */
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t adv_random_due(void)
{
  return adv_now_ns() + 1000 * (int64_t)adv_random(adv_random(32) == 0 ? LONG_US : HELD_US);
}

static bool must_follow(const message_t *m, const message_t *earlier)
{
  return m->comm == earlier->comm && m->to == earlier->to &&
         (m->tag == earlier->tag || !adv_does(ADV_TAGS));
}

static void give(message_t *m)
{
  if (m->is_sent)
    return;
  for (message_t *e = messages; e != m; e = e->next)
    if (!e->is_sent && must_follow(m, e))
      give(e);
  adv_source_check(&m->source);
  m->send(adv_buffer_base(&m->source), m->source.count, m->source.type, m->to, m->tag, m->comm,
          &m->real);
  m->is_sent = true;
  nheld--;
}

static void forget(message_t *m)
{
  message_t **link = &messages;

  while (*link != m)
    link = &(*link)->next;
  *link = m->next;
  adv_buffer_close(&m->source);
  free(m);
}

static bool is_sent_off(message_t *m)
{
  int done = m->real == MPI_REQUEST_NULL;

  if (!done)
    PMPI_Test(&m->real, &done, MPI_STATUS_IGNORE);
  return done;
}

void adv_sends_tidy(void)
{
  for (message_t *m = messages, *next; m != NULL; m = next) {
    next = m->next;
    if (m->is_sent && m->request == NULL && is_sent_off(m))
      forget(m);
  }
}

/* Send some, now and then. */
static void give_some(void)
{
  for (message_t *m = messages; m != NULL && nheld > 0; m = m->next)
    if (!m->is_sent && adv_chance(10))
      give(m);
}

/* ---- the thread that sends what was held for long enough -------------------------------- */

#define LATER_NS 1000000000

/* Send what is due, and return when the next is. */
static int64_t give_due(int64_t now)
{
  int64_t next = now + LATER_NS;

  for (message_t *m = messages; m != NULL; m = m->next)
    if (!m->is_sent && m->due <= now)
      give(m);
    else if (!m->is_sent && m->due < next)
      next = m->due;
  return next;
}

/* The same of operations on windows, if they are not held for ever. */
static int64_t execute_due(int64_t now)
{
  return adv_does(ADV_FOREVER) ? now + LATER_NS : adv_execute_due(adv_windows(), now);
}

static void *run(void *lock)
{
  adv_enter_unseen("MPI_Isend");
  pthread_mutex_lock(lock);
  while (!stop) {
    int64_t         now = adv_now_ns(), message = give_due(now), operation = execute_due(now);
    int64_t         next = message < operation ? message : operation;
    struct timespec time = { next / 1000000000, next % 1000000000 };

    pthread_cond_timedwait(&wake, lock, &time);
  }
  pthread_mutex_unlock(lock);
  return NULL;
}

void adv_wake(void)
{
  pthread_cond_signal(&wake);
}

void adv_sends_open(void)
{
  is_open = adv_does(ADV_HOLD) && pthread_create(&network, NULL, run, adv_lock_of_all()) == 0;
}

void adv_sends_close(void)
{
  adv_sends_release(MPI_COMM_NULL);
  adv_lock();
  stop = true;
  pthread_cond_signal(&wake);
  adv_unlock();
  if (is_open)
    pthread_join(network, NULL);
  is_open = false;
  while (messages != NULL) { /* those that were complete before they left */
    PMPI_Wait(&messages->real, MPI_STATUS_IGNORE);
    forget(messages);
  }
}

void adv_sends_release(MPI_Comm comm)
{
  if (!is_open)
    return;
  adv_lock();
  for (message_t *m = messages; m != NULL; m = m->next)
    if (comm == MPI_COMM_NULL || m->comm == comm)
      give(m);
  adv_unlock();
}

/* ---- requests --------------------------------------------------------------------------- */

static bool advance(adv_request_t *r, MPI_Status *status)
{
  message_t *m = r->what;

  adv_status_clear(status);
  give_some();
  if (!m->is_sent && m->send == PMPI_Isend && m->source.nbytes <= COPY_MOST && adv_chance(50)) {
    adv_source_check(&m->source);
    adv_source_copy(&m->source);
    adv_buffer_return(&m->source);
    m->is_copied = true;
  }
  if (!m->is_copied)
    give(m);
  if (!m->is_copied && !is_sent_off(m))
    return false;
  adv_source_check(&m->source);
  adv_buffer_return(&m->source);
  return true;
}

static void finish(adv_request_t *r)
{
  ((message_t *)r->what)->request = NULL;
  adv_sends_tidy();
}

/* It is sent all the same, and its source stays as it is until then. */
static void release(adv_request_t *r, MPI_Request *request)
{
  adv_object_remove(ADV_REQUEST, ADV_HANDLE(*request));
  PMPI_Grequest_complete(*request);
  PMPI_Wait(request, MPI_STATUS_IGNORE);
  ((message_t *)r->what)->request = NULL;
  free(r);
}

/* Too late, always. */
static void cancel(adv_request_t *r, MPI_Request *request)
{
  (void)request;
  give(r->what);
}

static const adv_request_class_t send_class = { advance, finish, release, cancel };

/* ---- starting --------------------------------------------------------------------------- */

static void check(int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
  int nranks;

  PMPI_Comm_size(comm, &nranks);
  if (count < 0 || tag < 0)
    adv_refuse("count %d, tag %d", count, tag);
  if (!adv_type_is_usable(type))
    adv_refuse("the datatype was not committed, or is gone");
  if (to < 0 || to >= nranks)
    adv_refuse("rank %d of %d", to, nranks);
}

static void hold(send_call_t send, const void *buffer, int count, MPI_Datatype type, int to,
                 int tag, MPI_Comm comm, MPI_Request *request)
{
  message_t  *m    = calloc(1, sizeof *m);
  message_t **link = &messages;

  check(count, type, to, tag, comm);
  m->send = send;
  m->comm = comm;
  m->to   = to;
  m->tag  = tag;
  m->due  = adv_random_due();
  m->real = MPI_REQUEST_NULL;
  adv_source_open(&m->source, buffer, count, type);
  *request = adv_request_make(&send_class, m, &m->request);
  while (*link != NULL)
    link = &(*link)->next;
  *link = m;
  nheld++;
  give_some();
  if (!is_open || adv_chance(10))
    give(m);
  adv_wake();
}

static int isend(const char *call, send_call_t send, const void *buffer, int count,
                 MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
  if (to == MPI_PROC_NULL || !adv_enter(call))
    return send(buffer, count, type, to, tag, comm, request);
  adv_lock();
  hold(send, buffer, count, type, to, tag, comm, request);
  adv_unlock();
  adv_leave();
  return MPI_SUCCESS;
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  return isend("MPI_Isend", PMPI_Isend, buffer, count, type, to, tag, comm, request);
}

int MPI_Issend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request *request)
{
  return isend("MPI_Issend", PMPI_Issend, buffer, count, type, to, tag, comm, request);
}

/* ---- sends that wait must not overtake those that are held ------------------------------ */

#define RELEASING(name, parameters, arguments) \
  int name parameters                          \
  {                                            \
    int ret;                                   \
                                               \
    if (!adv_enter(#name))                     \
      return P##name arguments;                \
    adv_sends_release(comm);                   \
    ret = P##name arguments;                   \
    adv_leave();                               \
    return ret;                                \
  }                                            \
  extern int adv_no_semicolon_missing

#define SEND_PARAMETERS \
  (const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
#define SEND_ARGUMENTS (buffer, count, type, to, tag, comm)

RELEASING(MPI_Send, SEND_PARAMETERS, SEND_ARGUMENTS);
RELEASING(MPI_Ssend, SEND_PARAMETERS, SEND_ARGUMENTS);
RELEASING(MPI_Bsend, SEND_PARAMETERS, SEND_ARGUMENTS);
RELEASING(MPI_Rsend, SEND_PARAMETERS, SEND_ARGUMENTS);
RELEASING(MPI_Sendrecv,
          (const void *buffer, int count, MPI_Datatype type, int to, int tag, void *into, int most,
           MPI_Datatype into_type, int from, int from_tag, MPI_Comm comm, MPI_Status *status),
          (buffer, count, type, to, tag, into, most, into_type, from, from_tag, comm, status));
RELEASING(MPI_Sendrecv_replace,
          (void *buffer, int count, MPI_Datatype type, int to, int tag, int from, int from_tag,
           MPI_Comm comm, MPI_Status *status),
          (buffer, count, type, to, tag, from, from_tag, comm, status));
