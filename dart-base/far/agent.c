/* The progress agent: a thread that moves far operations on while the program computes.
 *
 * Without it a unit that computes holds up all units that need it: the MPI underneath makes no progress
 * unless it is called, and requests of other units wait to be applied. The agent naps, polls, serves
 * the requests it finds, and naps again. Any call of MPI makes progress on all of its traffic, so polling
 * for requests is also progress for transfers on the windows.
 *
 * The agent takes time of the core that the unit computes on, so it polls rarely. Without traffic it
 * polls once a millisecond, so that waking up and polling stay below one percent
 * of a core. After a request it stays awake for a moment, for its origin is likely to send another, and
 * then naps for four times as long as it was awake. From there naps grow with the time since the
 * last request, of which they are a sixteenth: a stream of requests, slow or fast, is served at about
 * its own rate. While the unit itself makes progress the agent does not poll: it would only contend.
 *
 * The agent runs where the process may run when DART starts. The agent of a unit that is bound to a core
 * is bound there too: the cores next to it are other units', and a thread that needs a hundredth of a core
 * can share it.
 *
 * Over a network whose sends need nothing more of the sender, nobody needs the agent of a unit that has neither memory,
 * nor a lock, a range or a file that far units reach, and has requested nothing of them: collectives and messages are the
 * work of those that call them. So the thread starts with the first of these (dart__agent_start). Many programs of a
 * thousand units never come to it, and those that do have dart_init behind them. What is made by all units of a team
 * starts it before they agree that it is there, so a request never finds a unit without. Two things are not made
 * by all. dart_memalloc starts it at the unit that has the memory; and the first request, at the unit that sends it. Both
 * leave out the units in between, so updates of such memory are not relayed (far/relayed.h). A block of the
 * pool that is for near units alone, such as what a team's leader has for its node, starts it, too. */
#include "far/agent.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/config.h"
#include "base/counters.h"
#include "base/log.h"
#include "base/thread.h"
#include "far/engine.h"
#include "model/tell.h"
#include "model/world.h"
#include "wait/tuning.h"
#include "wait/wait.h"

#define AWAKE_NS (DART__AGENT_US * INT64_C(1000)) /* at most in a row; and the shortest nap */
#define STAY_NS  (AWAKE_NS / 2)                   /* for the next request of a stream */

static struct {
  pthread_mutex_t  lock; /* of the start */
  _Atomic bool     runs; /* there is a thread; only if dart__world.has_agent */
  pthread_t        thread;
  cpu_set_t        places; /* where the process might run when DART started */
  bool             has_places;
  _Atomic uint32_t stop;    /* 1: end; a futex */
  _Atomic bool     hold;    /* another thread wants it not to write ... */
  _Atomic bool     is_held; /* ... and it does not */
} agent = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local bool is_agent;

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
  return value < least ? least : value > most ? most : value;
}

/* Poll as if waiting: the unit makes no progress itself, so its open batches will not fill further. */
static bool poll_once(void)
{
  bool any = dart__am_progress(dart__engine.am, true);

  dart__count(DART__COUNT_AGENT_LOOK);
  if (any)
    dart__count(DART__COUNT_AGENT_SERVED);
  return any;
}

/* Poll until no request has come for STAY_NS, or for AWAKE_NS in all. True if requests came; `*last_out`
 * is then the time of the last. */
static bool serve_requests(int64_t start, int64_t *last_out)
{
  int64_t now = start;

  if (!poll_once())
    return false;
  *last_out = start;
  do {
    if (poll_once())
      *last_out = now;
    now = dart__now_ns();
  } while (now - *last_out < STAY_NS && now - start < AWAKE_NS);
  return true;
}

static void pause_a_moment(void)
{
  nanosleep(&(struct timespec){ .tv_nsec = STAY_NS }, NULL);
}

/* Neither this thread's futex nor what it is told by may be moved while it waits for it (memory/pages.c), so it
 * polls. */
static void wait_while_held(void)
{
  if (!atomic_load_explicit(&agent.hold, memory_order_relaxed))
    return;
  /* release: what it wrote before is there to be copied; pairs with the acquire in dart__agent_hold */
  atomic_store_explicit(&agent.is_held, true, memory_order_release);
  while (atomic_load_explicit(&agent.hold, memory_order_acquire)) /* pairs with its release */
    pause_a_moment();
  atomic_store_explicit(&agent.is_held, false, memory_order_release);
}

static void wake(void)
{
  dart__futex_wake(&agent.stop, 1);
  dart__wait_tell(&dart__world.pace);
}

/* acquire: pairs with the release in start_thread, perhaps of another thread */
static bool agent_runs(void)
{
  return atomic_load_explicit(&agent.runs, memory_order_acquire);
}

void dart__agent_hold(bool hold)
{
  if (!agent_runs())
    return;
  atomic_store_explicit(&agent.hold, hold, memory_order_release);
  while (atomic_load_explicit(&agent.is_held, memory_order_acquire) != hold) {
    wake(); /* it may nap, or be about to */
    pause_a_moment();
  }
}

/* Take what has come, and sleep until more comes; false: the network wakes nobody, or it wakes the unit itself, which
 * waits. The agent also looks for what this unit has collected, so rarely that the agents of a core look together as
 * often as one. */
static bool sleep_until_wanted(int64_t longest)
{
  const dart__wait_pace_t *pace     = &dart__world.pace;
  dart__event_t           *arrivals = dart__wait_arrivals(pace);
  uint32_t                 seen;

  /* relaxed: a unit that has just begun to sleep, or to compute, is noticed at the next look */
  if (arrivals == NULL || atomic_load_explicit(&arrivals->sleepers, memory_order_relaxed) > 0)
    return false;
  do
    seen = dart__event_count(arrivals);
  while (poll_once());
  /* acquire: pairs with the release in dart__agent_close, which raises the event then */
  if (atomic_load_explicit(&agent.stop, memory_order_acquire) == 0)
    dart__arrivals_sleep(pace, seen, (uint32_t)(longest / 1000));
  return true;
}

/* The longest nap: the agents of a core together look as often as one, where something else than a look wakes them. */
static int64_t longest_nap(void)
{
  const dart__wait_pace_t *pace = &dart__world.pace;
  uint32_t                 us   = (uint32_t)dart__settings.agent_nap;

  return (dart__wait_arrivals(pace) == NULL ? us : dart__wait_shared_us(pace, us)) * INT64_C(1000);
}

static void *run_agent(void *unused)
{
  int64_t  nap = longest_nap(), last = dart__now_ns() - DART__PART * nap;
  uint32_t looks    = 0;
  bool     is_alone = false; /* the unit has made no progress itself since the last look */

  (void)unused;
  is_agent = true;
  if (agent.has_places) /* the thread that starts this one may have been bound since */
    sched_setaffinity(0, sizeof agent.places, &agent.places);
  prctl(PR_SET_TIMERSLACK, 1UL); /* or short naps take 50 µs longer */
  /* acquire: pairs with the release in dart__agent_close */
  while (atomic_load_explicit(&agent.stop, memory_order_acquire) == 0) {
    int64_t  longest  = longest_nap(), start;
    bool     is_woken = is_alone && sleep_until_wanted(longest);
    uint32_t seen;

    if (!is_woken)
      dart__futex_wait(&agent.stop, 0, (uint32_t)(nap / 1000));
    wait_while_held();
    dart__count(DART__COUNT_AGENT_WAKE);
    /* relaxed: whether the unit made progress itself meanwhile; a stale value costs one poll */
    seen     = atomic_load_explicit(&dart__engine.own_calls, memory_order_relaxed);
    is_alone = seen == looks;
    looks    = seen;
    if (is_woken)
      continue;
    start = dart__now_ns();
    if (is_alone && serve_requests(start, &last))
      nap = clamp(DART__FEW * (dart__now_ns() - start), AWAKE_NS, longest);
    else
      nap = clamp((start - last) / DART__PART, AWAKE_NS, longest);
  }
  return NULL;
}

/* Say why there is no agent although the settings ask for one: one line in the job, for the program may
 * depend on the agent without knowing. */
static void go_without(const char *why)
{
  static bool said;

  if (dart__world.me == 0 && !said)
    dart__warn("dart_init: no progress agent: %s. Atomics, locks, notifications and epochs between "
               "nodes wait until their target calls DART",
               why);
  said = true;
}

/* Its stack has the default size: glibc takes the program's thread-local data from it, and MPICH uses 128 KiB at a
 * time. 0, or an errno. */
static int start_thread(void)
{
  int error;

  atomic_store_explicit(&agent.stop, 0, memory_order_relaxed); /* no thread is there to see it */
  error = dart__thread_start(&agent.thread, "dart-agent", run_agent, NULL);
  if (error == 0)
    atomic_store_explicit(&agent.runs, true, memory_order_release);
  return error;
}

bool dart__agent_open(bool has_threads, bool is_late)
{
  int error = 0;

  if (dart__settings.progress == DART__PROGRESS_NONE)
    return false;
  if (!has_threads) {
    go_without("MPI was not started for several threads (MPI_Init_thread, MPI_THREAD_MULTIPLE)");
    return false;
  }
  agent.has_places      = is_late && sched_getaffinity(0, sizeof agent.places, &agent.places) == 0;
  dart__world.has_agent = true; /* for the agent to see, too */
  if (!is_late)
    error = start_thread();
  if (error != 0) {
    dart__world.has_agent = false;
    go_without(strerror(error));
  }
  return dart__world.has_agent;
}

dart_ret_t dart__agent_start(void)
{
  int error = 0;

  if (!dart__world.has_agent || agent_runs())
    return DART_OK;
  pthread_mutex_lock(&agent.lock);
  if (!agent_runs())
    error = start_thread();
  pthread_mutex_unlock(&agent.lock);
  if (error != 0 && dart__tells_call())
    dart__error("no progress agent: %s", strerror(error));
  return error == 0 ? DART_OK : DART_ERR_NOMEM;
}

void dart__agent_close(void)
{
  if (agent_runs()) {
    /* release: pairs with the acquire in run_agent */
    atomic_store_explicit(&agent.stop, 1, memory_order_release);
    wake();
    pthread_join(agent.thread, NULL);
    atomic_store_explicit(&agent.runs, false, memory_order_relaxed); /* no other thread is there */
  }
  dart__world.has_agent = false;
}

bool dart__agent_is_me(void)
{
  return is_agent;
}
