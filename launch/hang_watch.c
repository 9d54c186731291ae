/* See hang_watch.h. This file decides when to print; hang_table.c prints.
 *
 * A report has two steps. First, SIGUSR1 asks the units to complete their records, if they take the signal for that. A
 * moment later the records are read, whether the units have answered or not. One timer is enough for this: it ticks
 * once a second while DART_HANG is set, and once after each question. */
#include "hang_watch.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/config.h"
#include "hang_table.h"
#include "launch.h"
#include "model/record.h"

#define ANSWER_NS (300 * 1000 * 1000) /* from the question to the table */
#define COARSE_NS (10 * 1000 * 1000)  /* how late the units' clock may be */
#define LONG_NS   INT64_C(5000000000) /* of a wait that may be why somebody ends the program */

struct hang {
  children_t *children;
  uint32_t    nunits;
  hang_place_t (*place)(void *owner, uint32_t unit);
  void           *owner;
  dart__record_t *record; /* of each unit, as last read */
  int64_t         limit;  /* ns that a wait may last; 0: any time */
  int64_t         told;   /* when the last table was printed; it has shown earlier waits */
  int             timer;
  bool            is_asked; /* the units were asked; the next tick prints the table */
};

/* The timer is created at the first tick, which may never be needed: launchers may have few descriptors. */
static bool has_timer(hang_t *hang)
{
  if (hang->timer >= 0)
    return true;
  hang->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (hang->timer >= 0 && children_watch(hang->children, hang->timer))
    return true;
  if (hang->timer >= 0)
    close(hang->timer);
  hang->timer = -1;
  return false;
}

/* Set the next tick: soon if units were asked, else in a second if there is a limit. False: there is no timer. */
static bool set_timer(hang_t *hang)
{
  struct itimerspec next = { .it_value = { .tv_sec = hang->limit > 0 } };

  if (hang->is_asked)
    next.it_value = (struct timespec){ .tv_nsec = ANSWER_NS };
  return has_timer(hang) && timerfd_settime(hang->timer, 0, &next, NULL) == 0;
}

static void read_records(hang_t *hang)
{
  for (uint32_t u = 0; u < hang->nunits; u++) {
    hang_place_t at = hang->place(hang->owner, u);

    if (at.is_lost || !dart__record_read(at.fd, at.offset, &hang->record[u]))
      memset(&hang->record[u], 0, sizeof hang->record[u]);
    if (at.is_lost)
      hang->record[u].waits.pid = -1; /* no process: see print_wait */
  }
}

/* Whether a unit has waited longer than the limit, in a wait that no table has shown. */
static bool is_overdue(const hang_t *hang)
{
  int64_t now = dart__now_ns();

  for (uint32_t u = 0; u < hang->nunits; u++) {
    dart__wait_seen_t seen = dart__waits_read(&hang->record[u].waits);

    if (seen.what.kind != DART__WAIT_NONE && seen.since > hang->told &&
        now - seen.since >= hang->limit)
      return true;
  }
  return false;
}

/* Ask the units that know the question; for others the signal has another meaning. */
static bool ask_units(hang_t *hang)
{
  bool any = false;

  for (uint32_t u = 0; u < hang->nunits; u++) {
    const dart__waits_t *waits = &hang->record[u].waits;

    if (waits->pid > 0 && waits->answers != 0 && kill(waits->pid, SIGUSR1) == 0)
      any = true;
  }
  hang->is_asked = any;
  return any;
}

static void print_waits(hang_t *hang, int64_t now)
{
  hang->is_asked = false;
  hang->told     = now;
  if (!children_are_ending(hang->children))
    table_print(hang->record, hang->nunits);
}

static void tick(hang_t *hang)
{
  int64_t now = dart__now_ns() - COARSE_NS;

  read_records(hang);
  if (hang->is_asked)
    print_waits(hang, now);
  else if (hang->limit > 0 && is_overdue(hang) && !ask_units(hang))
    print_waits(hang, now); /* no unit can be asked */
}

bool hang_readable(hang_t *hang, int fd)
{
  uint64_t ticks;

  if (hang == NULL || hang->timer < 0 || fd != hang->timer)
    return false;
  if (read(fd, &ticks, sizeof ticks) == sizeof ticks)
    tick(hang);
  set_timer(hang);
  return true;
}

void hang_asked(hang_t *hang)
{
  if (hang == NULL)
    return;
  read_records(hang);
  if (ask_units(hang) && !set_timer(hang))
    print_waits(hang, dart__now_ns() - COARSE_NS); /* without waiting for answers */
}

void hang_stopped(hang_t *hang)
{
  int64_t           now = dart__now_ns(), since = now - LONG_NS;
  uint32_t          longest = 0;
  dart__wait_seen_t seen, found = { .since = 0 };
  char              what[160];

  if (hang == NULL || hang->limit > 0 || hang->told > 0)
    return;
  read_records(hang);
  for (uint32_t u = 0; u < hang->nunits; u++) {
    seen = dart__waits_read(&hang->record[u].waits);
    if (seen.what.kind != DART__WAIT_NONE && seen.since > 0 && seen.since < since) {
      longest = u;
      found   = seen;
      since   = seen.since;
    }
  }
  if (found.since == 0)
    return;
  dart__wait_describe(&found, what, sizeof what);
  launch_say("unit %u has waited for %d s (%s): DART_HANG=%d shows what all units wait for",
             longest, (int)((now - since) / 1000000000), what, (int)(LONG_NS / 1000000000));
}

hang_t *hang_open(children_t *children, uint32_t                           nunits,
                  hang_place_t (*place)(void *owner, uint32_t unit), void *owner)
{
  hang_t *hang = calloc(1, sizeof *hang);

  if (hang == NULL)
    goto refuse;
  *hang = (hang_t){
    .children = children, .nunits = nunits, .place = place, .owner = owner, .timer = -1
  };
  hang->limit  = dart__settings.hang * INT64_C(1000000000);
  hang->record = calloc(nunits, sizeof *hang->record);
  if (hang->record == NULL || (hang->limit > 0 && !set_timer(hang)))
    goto close;
  return hang;

close:
  hang_close(hang);
refuse:
  launch_say("cannot watch what units wait for: %s", launch_reason(errno));
  return NULL;
}

void hang_close(hang_t *hang)
{
  if (hang == NULL)
    return;
  if (hang->timer >= 0)
    close(hang->timer);
  free(hang->record);
  free(hang);
}
