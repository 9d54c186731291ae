/* The unit's side of reports about hangs; the launcher's is launch/hang_watch.h.
 *
 * What a unit waits for stands in its record (wait/waiting.h), which a launcher reads without it. But for the name of
 * the call: the record has an address, and the unit writes the name to it when a wait turns out to be long. For the
 * others SIGUSR1 makes it write the names: it interrupts a unit that computes, too. If no launcher reads the record
 * (a job of mpiexec, or another host), the unit prints its line itself, when it gets SIGUSR1, and when a wait has
 * lasted for DART_HANG.
 *
 * The handler runs anywhere, in the middle of malloc, too. It loads and stores words, and calls snprintf with integers
 * and strings and write: glibc's takes no lock and no memory for those. */
#include "job/job.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/config.h"
#include "base/log.h"
#include "base/thread.h"
#include "model/holds.h"
#include "model/world.h"
#include "wait/wait.h"
#include "wait/waiting.h"

/* One line, by one call. */
static void print_wait(const dart__wait_seen_t *seen)
{
  char what[160], held[128], since[32] = "", text[400];
  int  n;

  dart__wait_describe(seen, what, sizeof what);
  dart__holds_own(held, sizeof held);
  if (seen->what.kind != DART__WAIT_NONE && seen->since != 0)
    snprintf(since, sizeof since, " for %d s",
             (int)((dart__coarse_ns() - seen->since) / 1000000000));
  n = snprintf(text, sizeof text, "DART: unit %d (pid %d) waits%s: %s%s%s\n", dart__world.me,
               (int)getpid(), since, what, held[0] != '\0' ? "; it holds " : "", held);
  if (n > 0 && write(STDERR_FILENO, text, strnlen(text, sizeof text)) < 0)
    return;
}

static void answer_signal(int signal)
{
  int error = errno;

  (void)signal;
  dart__waits_complete();
  if (dart__world.holds == NULL) {
    dart__wait_seen_t seen = dart__waits_read(dart__waits);

    print_wait(&seen);
  }
  atomic_fetch_add_explicit(&dart__waits->answered, 1, memory_order_release);
  errno = error;
}

void dart__hang_answer(void)
{
  struct sigaction action = { .sa_handler = answer_signal, .sa_flags = SA_RESTART }, before;

  sigemptyset(&action.sa_mask);
  if (sigaction(SIGUSR1, NULL, &before) != 0 || before.sa_handler != SIG_DFL)
    return;
  sigaction(SIGUSR1, &action, NULL);
  atomic_store_explicit(&dart__waits->answers, 1, memory_order_relaxed);
}

/* Says each wait once: the newest that it has told of began at `told`. */
static void *watch_own_waits(void *unused)
{
  int64_t         limit = dart__settings.hang * INT64_C(1000000000), told = 0;
  struct timespec part = { limit / DART__PART / 1000000000, limit / DART__PART % 1000000000 };

  (void)unused;
  for (;;) {
    dart__wait_seen_t seen;

    nanosleep(&part, NULL);
    seen = dart__waits_read(dart__waits);
    if (seen.what.kind == DART__WAIT_NONE || seen.since <= told ||
        dart__coarse_ns() - seen.since < limit)
      continue;
    told = seen.since;
    print_wait(&seen);
  }
  return NULL;
}

void dart__hang_watch(void)
{
  static bool watched;
  pthread_t   thread;

  dart__world.holds_words = dart__settings.hang > 0 ? dart__world.holds : NULL;
  if (dart__settings.hang == 0 || dart__world.holds != NULL || watched)
    return;
  watched = dart__thread_start(&thread, "dart-hang", watch_own_waits, NULL) == 0;
  if (watched)
    pthread_detach(thread);
  else
    dart__warn("DART_HANG: no thread to watch the waits of unit %d", dart__world.me);
}
