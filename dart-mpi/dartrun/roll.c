/* The roll: dartrun's list of units. Units are children of mpiexec, not of dartrun. mpiexec does not name units, and
 * its exit code says little: it is 0 even for a unit that left the others by _exit(0). So units report their events to
 * dartrun (launcher.h). The first unit whose connection closes before it has reported its end is the cause, and is
 * named. All later ends are consequences.
 *
 * What ended the unit is known when mpiexec has ended, for its last lines (relay.h) name a signal.
 *
 * Mostly, mpiexec then ends the other units itself. If it does not, dartrun asks it to. mpiexec does nothing about a
 * unit that ends before dart_init, or after its last dart_exit while others wait for it. Such a unit ended well. A unit
 * that ends before dart_init does not report to dartrun at all. So if some units wait in dart_init and others have not
 * reported, dartrun looks for the processes of these. */
#include "roll.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "children.h"
#include "hang_watch.h"
#include "held.h"
#include "input.h"
#include "launch.h"
#include "model/record.h"
#include "processes.h"
#include "relay.h"
#include "shortage.h"
#include "start/launcher.h"

#define PATIENCE 5 /* seconds for mpiexec to end the others, or for a unit to appear */

typedef struct {
  int      connection; /* -1: none, or closed */
  int      record;     /* a file with its record (model/record.h); -1: none sent */
  pid_t    pid;        /* 0: the unit has not reported yet */
  uint32_t cycle;      /* as in dart__unit_message_t */
  bool     bound;      /* the unit must report its end before it ends */
  bool     ended;      /* it has reported its end, or ended outside a cycle */
  unsigned unseen;     /* how often in a row the unit was not found */
  int      status;     /* how the unit has ended, as waitpid says, if that is known; else 0 */
} unit_t;

typedef struct {
  unit_t       *unit;
  bool         *there;  /* result of processes_find */
  uint32_t      nthere; /* that it found when it looked last */
  uint32_t      nunits;
  int           listener; /* units connect to it */
  int           closings; /* epoll, for ends of connections alone; -1: none yet */
  int           timer;    /* ticks once a second until all have begun, and at the end */
  bool          has_hosts;
  bool          logs_in;  /* mpiexec starts units on other hosts */
  bool          begun;    /* a unit is in dart_init */
  bool          complete; /* all units have entered the first cycle */
  bool          closed;   /* the program ends: print no more lines */
  bool          died;     /* the program ends because of a unit */
  bool          said;     /* why it ends */
  bool          aborted;  /* by dart_abort; its line comes after what mpiexec passes on */
  const unit_t *aborter; /* that called it, though another unit was seen to end before; else NULL */
  int           its_code;
  const unit_t *cause; /* the unit that left the others, of which nothing is said yet; NULL: none */
  unsigned      patience; /* ticks until mpiexec is asked to end; 0: never */
  unsigned      nfailed;  /* how often in a row a child of mpiexec was found that has failed */
  struct rlimit files;    /* the limit on descriptors at dartrun's start */
  hang_t       *hang;     /* NULL: nobody watches */
} roll_t;

/* ---- the end of the program --------------------------------------------------------------- */

static void tick(const roll_t *roll)
{
  struct itimerspec every_second = { { 1, 0 }, { 1, 0 } };

  timerfd_settime(roll->timer, 0, &every_second, NULL);
}

static void stop_ticking(const roll_t *roll)
{
  timerfd_settime(roll->timer, 0, &(struct itimerspec){ 0 }, NULL);
}

/* Whether this event is the first one, which ends the program. */
static bool is_first(roll_t *roll, const children_t *children)
{
  bool first = !roll->closed && !children_are_ending(children);

  roll->closed = true;
  roll->said   = roll->said || first;
  return first;
}

/* Whether to print an event: it is the first one, and not a consequence of the user's signal. */
static bool is_news(roll_t *roll, const children_t *children)
{
  if (children_signal(children) == 0)
    return is_first(roll, children);
  roll->closed = true;
  return false;
}

/* Let mpiexec end the other units, with its own message. If mpiexec has not ended after PATIENCE, dartrun ends it. */
static void let_mpiexec_end(roll_t *roll)
{
  roll->died = true;
  if (roll->patience == 0) {
    roll->patience = PATIENCE;
    tick(roll);
  }
}

/* ---- reports of units --------------------------------------------------------------------- */

/* A unit that has ended, and so cannot join a cycle that another unit has begun; or -1. */
static int64_t missed_unit(const roll_t *roll)
{
  uint32_t furthest = 0;
  int64_t  missed   = -1;

  for (uint32_t u = 0; u < roll->nunits; u++)
    if (roll->unit[u].cycle > furthest)
      furthest = roll->unit[u].cycle;
  for (uint32_t u = 0; u < roll->nunits && missed < 0; u++)
    if (roll->unit[u].ended && roll->unit[u].cycle < furthest)
      missed = u;
  return missed;
}

static void look_for_missed(roll_t *roll, children_t *children)
{
  int64_t missed = missed_unit(roll);

  if (missed < 0 || roll->closed)
    return;
  if (is_news(roll, children))
    launch_say(LAUNCH_MISSED, (unsigned)missed, (int)roll->unit[missed].pid);
  roll->died = true;
  children_end(children, LAUNCH_EXIT_FAILURE);
}

static void note_left(roll_t *roll, children_t *children, unit_t *unit)
{
  if (is_news(roll, children)) {
    roll->cause  = unit;
    unit->status = processes_status(unit->pid, unit->connection);
  }
  let_mpiexec_end(roll);
}

/* The first message of a unit on this connection: from its first program, or from the next one. */
static void begin_connection(unit_t *unit, int connection)
{
  struct ucred peer   = { .pid = 0 };
  socklen_t    length = sizeof peer;

  getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length);
  unit->connection = connection;
  unit->pid        = peer.pid;
  unit->bound      = false;
}

/* The unit has the file that came with a message. */
static void take_file(unit_t *unit, int fd)
{
  if (fd < 0)
    return;
  if (unit->record >= 0)
    close(unit->record);
  unit->record = fd;
}

static void take_message(roll_t *roll, children_t *children, const dart__unit_message_t *message,
                         int connection)
{
  unit_t *unit = &roll->unit[message->unit];

  if (unit->connection != connection)
    begin_connection(unit, connection);
  unit->cycle = message->cycle;
  unit->ended = false;
  switch ((dart__unit_event_t)message->event) {
  case DART__UNIT_BEGINS:
    roll->begun = true;
    input_begin();
    break;
  case DART__UNIT_JOINED: roll->complete = true; break;
  case DART__UNIT_IS_OUT: unit->bound = message->value != 0; break;
  case DART__UNIT_ENDS:
    unit->ended = true;
    if (unit->cycle % 2 == 1)
      note_left(roll, children, unit);
    break;
  case DART__UNIT_ABORTS:
    unit->ended = true;
    if (!roll->aborted) {
      roll->aborter  = unit;
      roll->its_code = message->value;
    }
    if (is_first(roll, children)) /* also as the program's answer to the user's signal */
      roll->aborted = true;
    let_mpiexec_end(roll);
    break;
  }
  look_for_missed(roll, children);
}

static void note_closed(roll_t *roll, children_t *children, unit_t *unit)
{
  if (!unit->ended) {
    unit->ended = true;
    if (unit->cycle % 2 == 1 || unit->bound)
      note_left(roll, children, unit);
    else
      look_for_missed(roll, children);
  }
  unit->connection = -1; /* not before: note_left asks by it how the unit has ended */
}

/* Report the end of `connection` by roll->closings, and not by the messages before it. So the ends of connections are
 * reported in the order in which they came: otherwise a unit with an unread message would go before the unit whose death
 * made mpiexec kill it. */
static bool watch_closing(roll_t *roll, int connection)
{
  struct epoll_event event = { .events = EPOLLRDHUP, .data.fd = connection };

  if (roll->closings < 0)
    roll->closings = epoll_create1(EPOLL_CLOEXEC);
  return epoll_ctl(roll->closings, EPOLL_CTL_ADD, connection, &event) == 0;
}

/* Accept a connection, but only from a process of this user. If there are no more descriptors, accept no further
 * ones. False: there is none. */
static bool accept_connection(roll_t *roll, children_t *children)
{
  int          connection = accept4(roll->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  struct ucred peer       = { .pid = 0 };
  socklen_t    length     = sizeof peer;

  if (connection < 0 && (errno == EMFILE || errno == ENFILE)) {
    close(roll->listener);
    roll->listener = -1;
  }
  if (connection >= 0 && (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 ||
                          peer.uid != getuid() || !watch_closing(roll, connection) ||
                          !children_watch(children, connection)))
    close(connection);
  return connection >= 0;
}

/* Receive a message, and the file that came with it, or -1. */
static ssize_t receive(int connection, dart__unit_message_t *message, int *fd_out)
{
  union {
    struct cmsghdr header;
    char           room[CMSG_SPACE(sizeof(int))];
  } control                    = { 0 };
  struct iovec          data   = { message, sizeof *message };
  struct msghdr         came   = { .msg_iov        = &data,
                                   .msg_iovlen     = 1,
                                   .msg_control    = &control,
                                   .msg_controllen = sizeof control.room };
  ssize_t               nbytes = recvmsg(connection, &came, MSG_CMSG_CLOEXEC);
  const struct cmsghdr *header = nbytes > 0 ? CMSG_FIRSTHDR(&came) : NULL;

  *fd_out = -1;
  if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
    memcpy(fd_out, CMSG_DATA(header), sizeof *fd_out);
  return nbytes;
}

/* Take the messages that have arrived. False: the connection has ended. */
static bool read_messages(roll_t *roll, children_t *children, int connection)
{
  dart__unit_message_t message;
  ssize_t              nbytes;
  int                  fd;

  while ((nbytes = receive(connection, &message, &fd)) > 0) {
    if (nbytes == sizeof message && message.unit < roll->nunits) {
      take_file(&roll->unit[message.unit], fd);
      take_message(roll, children, &message, connection);
    } else if (fd >= 0) {
      close(fd);
    }
  }
  return nbytes < 0 && (errno == EAGAIN || errno == EINTR);
}

/* Take the ends of connections, each after its messages. */
static void take_closings(roll_t *roll, children_t *children)
{
  struct epoll_event event;

  while (epoll_wait(roll->closings, &event, 1, 0) == 1) {
    int connection = event.data.fd;

    read_messages(roll, children, connection);
    for (uint32_t u = 0; u < roll->nunits; u++)
      if (roll->unit[u].connection == connection)
        note_closed(roll, children, &roll->unit[u]);
    close(connection);
  }
}

/* Take what units have said before their end that was not read yet. */
static void take_last_words(roll_t *roll, children_t *children)
{
  while (accept_connection(roll, children))
    ;
  take_closings(roll, children);
}

/* ---- units that never report -------------------------------------------------------------- */

/* Whether mpiexec has started more units since the last look. */
static bool have_more_started(roll_t *roll)
{
  uint32_t before = roll->nthere;

  roll->nthere = 0;
  for (uint32_t u = 0; u < roll->nunits; u++)
    roll->nthere += roll->there[u];
  return roll->nthere > before;
}

/* Some units wait in dart_init for others that may have ended. mpiexec may not have started these yet, so a unit counts
 * as missing after PATIENCE looks in a row, in which no other one has appeared. */
static void look_for_unseen(roll_t *roll, children_t *children)
{
  if (!processes_find(children_pid(children, 0), roll->there, roll->nunits))
    return;
  if (have_more_started(roll)) {
    for (uint32_t u = 0; u < roll->nunits; u++)
      roll->unit[u].unseen = 0;
    return;
  }
  for (uint32_t u = 0; u < roll->nunits; u++) {
    unit_t *unit = &roll->unit[u];

    unit->unseen = unit->pid != 0 || roll->there[u] ? 0 : unit->unseen + 1;
    if (unit->unseen < PATIENCE)
      continue;
    if (is_news(roll, children))
      launch_say("unit %u has ended, and others wait for it in dart_init", u);
    roll->died = true;
    children_end(children, LAUNCH_EXIT_FAILURE);
    return;
  }
}

/* mpiexec logs in to each other host by ssh. Hydra's (4.0) does not notice that a login has failed, and waits for ever. */
static void look_for_failed(roll_t *roll, children_t *children)
{
  char name[PROCESSES_NAME];
  int  status = processes_failed(children_pid(children, 0), name);

  roll->nfailed = status != 0 ? roll->nfailed + 1 : 0;
  if (roll->nfailed < PATIENCE)
    return;
  if (is_news(roll, children))
    launch_say("mpiexec cannot start units on some host: %s has ended with code %d", name,
               WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
  children_end(children, LAUNCH_EXIT_FAILURE);
}

static void take_tick(roll_t *roll, children_t *children)
{
  uint64_t ticks;

  if (read(roll->timer, &ticks, sizeof ticks) != sizeof ticks)
    return;
  if (roll->died && roll->patience > 0) {
    if (--roll->patience == 0)
      children_end(children, LAUNCH_EXIT_FAILURE);
  } else if (roll->complete || roll->closed) {
    stop_ticking(roll);
  } else {
    if (roll->logs_in)
      look_for_failed(roll, children);
    if (roll->begun)
      look_for_unseen(roll, children);
  }
}

/* ---- the whole ---------------------------------------------------------------------------- */

static void readable(void *owner, children_t *children, int fd)
{
  roll_t *roll = owner;

  if (relay_readable(fd) || hang_readable(roll->hang, fd))
    return;
  if (fd == roll->timer)
    take_tick(roll, children);
  else if (fd == roll->listener)
    accept_connection(roll, children);
  else if (!read_messages(roll, children, fd))
    take_closings(roll, children);
}

static void prepare(void *owner, uint32_t child)
{
  const roll_t *roll = owner;

  (void)child;
  setrlimit(RLIMIT_NOFILE, &roll->files);
  relay_become();
  input_become();
}

static void started(void *owner)
{
  (void)owner;
  input_started();
}

/* How this unit has ended, as waitpid says; 0: with code 0, or it is not known. A signal has its number as status. */
static int status_of(const roll_t *roll, const unit_t *unit)
{
  int   signal, status = relay_status((uint32_t)(unit - roll->unit));
  pid_t killed = relay_killed(&signal);

  if (unit->status != 0)
    return unit->status;
  if (status >= 0)
    return status;
  return killed == unit->pid ? signal : 0;
}

/* The user's signal that has ended the program; 0: there was none, or the program has handled it, and its units have then
 * exited with codes of their own. */
static int asked_signal(const children_t *children)
{
  return relay_has_exited() ? 0 : children_signal(children);
}

static void say_cause(const roll_t *roll)
{
  const unit_t *unit   = roll->cause;
  unsigned      number = (unsigned)(unit - roll->unit);
  const char   *held   = launch_held(unit->record, offsetof(dart__record_t, holds));
  int           status = status_of(roll, unit);

  if (WIFSIGNALED(status))
    launch_say(LAUNCH_KILLED "%s", number, (int)unit->pid, WTERMSIG(status),
               strsignal(WTERMSIG(status)), held);
  else if (status != 0)
    launch_say(LAUNCH_EXITED "%s", number, (int)unit->pid, WEXITSTATUS(status), held);
  else if (unit->cycle % 2 == 1)
    launch_say(LAUNCH_LEFT "%s", number, (int)unit->pid, held);
  else
    launch_say("unit %u (pid %d) has ended by a signal or by _exit, so MPI could not end", number,
               (int)unit->pid);
}

/* `pid` below 0: it is not known. */
static void say_killed(pid_t pid, int signal)
{
  if (pid > 0)
    launch_say("a unit (pid %d) was killed by signal %d (%s)", (int)pid, signal, strsignal(signal));
  else
    launch_say("a unit was killed by signal %d (%s)", signal, strsignal(signal));
}

/* Nothing is known of the end but what mpiexec says. */
static void say_end(const children_t *children, int code)
{
  int     signal, asked = asked_signal(children);
  pid_t   pid = relay_killed(&signal);
  int64_t unit;
  int     failed = relay_exit_code(&unit);

  if (children_are_ending(children))
    return;
  if (asked != 0)
    launch_say("the program has ended by signal %d (%s) to dartrun", asked, strsignal(asked));
  else if (pid != 0)
    say_killed(pid, signal);
  else if (failed != 0 && unit >= 0)
    launch_say("unit %u exited with code %d", (unsigned)unit, failed);
  else if (failed != 0)
    launch_say("a unit exited with code %d", failed);
  else if (!relay_write_kept())
    launch_say("mpiexec ended with code %d", code);
}

/* Until all units have started, Hydra kills the others of one that has exited with a code, or by dart_abort: that one is
 * the cause, or it is not known. */
static void find_cause(roll_t *roll)
{
  int     status = roll->cause != NULL ? status_of(roll, roll->cause) : 0, signal;
  int64_t unit;

  if (roll->complete || !WIFSIGNALED(status))
    return;
  if (relay_exit_code(&unit) != 0 && unit >= 0 && unit < roll->nunits) {
    roll->cause = &roll->unit[unit];
  } else if (WTERMSIG(status) == SIGKILL && relay_killed(&signal) != roll->cause->pid) {
    roll->cause = NULL;
    roll->said  = false; /* that was another unit, which mpiexec has killed */
  }
  if (roll->cause == NULL && roll->aborter != NULL)
    roll->aborted = true;
}

/* Hydra's proxy sends the signals that end the others to the process groups of units, and so to itself, if one has no group
 * of its own yet: a program that crashes at once kills it in a tenth of all jobs, or more. Its units are dartrun's then. */
static int say_lost_proxy(int code)
{
  pid_t pid;
  int   status = processes_orphan(&pid), signal = WTERMSIG(status);

  if (status == 0) {
    launch_say("mpiexec has lost its proxy: it was killed, or units have crashed at once");
    return code;
  }
  say_killed(pid, signal);
  return 128 + signal;
}

/* The code of dart_abort is the unit's word: Hydra may have seen another end first. Of a unit that a signal has killed, or
 * the whole program, it is 128 and the number of the signal, as a shell has it; Hydra's is the number. Of several units
 * that have failed Hydra combines the codes; dartrun takes that of the unit that was the cause, or of the first. Of the user's
 * SIGINT or SIGQUIT Hydra often says 0 for all units: that some have left the others shows that it has ended them. */
static int code_of_end(const roll_t *roll, const children_t *children, int code)
{
  int64_t unit;
  int     status = 0, failed = relay_exit_code(&unit);

  if (roll->aborted && roll->its_code != 0)
    return roll->its_code;
  if (roll->cause != NULL)
    status = status_of(roll, roll->cause);
  else if ((code != 0 || roll->died) && asked_signal(children) != 0)
    status = asked_signal(children);
  else if (roll->said || relay_killed(&status) == 0)
    status = 0;
  if (status == 0 && roll->cause != NULL && relay_status((uint32_t)(roll->cause - roll->unit)) == 0)
    return LAUNCH_EXIT_FAILURE;
  if (status != 0)
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return roll->cause == NULL && !roll->said && failed != 0 ? failed : code;
}

static void mpiexec_ended(void *owner, children_t *children, uint32_t child, pid_t pid, int status)
{
  roll_t *roll = owner;
  int     code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);

  (void)child;
  relay_ended();
  take_last_words(roll, children);
  find_cause(roll);
  code = code_of_end(roll, children, code);
  if (WIFSIGNALED(status) && is_news(roll, children))
    launch_say("mpiexec (pid %d) was killed by signal %d (%s)", (int)pid, WTERMSIG(status),
               strsignal(WTERMSIG(status)));
  if (code != 0 && !roll->complete && !children_are_ending(children) &&
      children_signal(children) == 0)
    roll->said = shortage_say(roll->nunits, roll->files.rlim_cur) || roll->said;
  if (roll->aborted)
    launch_say("unit %u (pid %d) ends the program with code %d",
               (unsigned)(roll->aborter - roll->unit), (int)roll->aborter->pid, roll->its_code);
  else if (roll->cause != NULL)
    say_cause(roll);
  else if (code == 0)
    relay_write_kept();
  else if (!roll->said && relay_lost_proxy() && children_signal(children) == 0)
    code = say_lost_proxy(code);
  else if (!roll->said)
    say_end(children, code);
  children_end(children, code == 0 && roll->died ? LAUNCH_EXIT_FAILURE : code);
}

/* Make the socket, and put its name into the environment. Without it units cannot report, but the program starts all
 * the same. */
static void listen_to_units(roll_t *roll)
{
  struct sockaddr_un address;
  uint64_t           number;
  char               name[48];

  if (getrandom(&number, sizeof number, 0) != sizeof number)
    number = 0;
  snprintf(name, sizeof name, "dart-%d-%016" PRIx64, (int)getpid(), number);
  roll->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (roll->listener < 0 ||
      bind(roll->listener, (struct sockaddr *)&address, dart__launcher_address(name, &address)) !=
          0 ||
      listen(roll->listener, SOMAXCONN) != 0 || setenv(DART__LAUNCHER_ENV, name, 1) != 0)
    launch_say("cannot make a socket: %s; units that die are not named", launch_reason(errno));
}

/* Kill units that mpiexec has left: one that was killed itself may do so. The connection of a living process is open, so
 * the number is its own still. */
static void kill_left(const roll_t *roll)
{
  for (uint32_t u = 0; u < roll->nunits; u++) {
    struct pollfd connection = { .fd = roll->unit[u].connection, .events = POLLRDHUP };

    if (connection.fd >= 0 && poll(&connection, 1, 0) == 0)
      kill(roll->unit[u].pid, SIGKILL);
  }
}

static hang_place_t record_of(void *owner, uint32_t unit)
{
  return (hang_place_t){ ((const roll_t *)owner)->unit[unit].record, 0, false };
}

/* Hydra passes on what ends a program, and SIGUSR1. Of the others it would die itself. */
static bool send_past_hydra(void *owner, const children_t *children, int signal)
{
  (void)owner;
  return (signal == SIGHUP || signal == SIGUSR2) &&
         processes_send(children_pid(children, 0), signal);
}

static void asked(void *owner)
{
  hang_asked(((const roll_t *)owner)->hang);
}

static void stopped(void *owner)
{
  hang_stopped(((const roll_t *)owner)->hang);
}

static void begin(void *owner, children_t *children)
{
  roll_t *roll = owner;

  prctl(PR_SET_CHILD_SUBREAPER, 1UL, 0UL, 0UL, 0UL); /* for say_lost_proxy */
  relay_open(children);
  input_open(!roll->has_hosts);
  listen_to_units(roll);
  roll->hang  = hang_open(children, roll->nunits, record_of, roll);
  roll->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  if (roll->listener >= 0)
    children_watch(children, roll->listener);
  if (roll->timer >= 0 && children_watch(children, roll->timer))
    tick(roll);
}

int roll_run(char **command, uint32_t nunits, bool has_hosts, bool logs_in)
{
  roll_t roll = { .nunits = nunits, .closings = -1, .has_hosts = has_hosts, .logs_in = logs_in };
  children_plan_t children = {
    .command      = command,
    .kind         = "mpiexec",
    .count        = 1,
    .death_signal = SIGTERM, /* then mpiexec ends the units */
    .owner        = &roll,
    .begin        = begin,
    .prepare      = prepare,
    .started      = started,
    .ended        = mpiexec_ended,
    .forward      = send_past_hydra,
    .asked        = asked,
    .stopped      = stopped,
    .readable     = readable,
  };
  int code;

  roll.unit  = calloc(nunits, sizeof roll.unit[0]);
  roll.there = calloc(nunits, sizeof roll.there[0]);
  if (roll.unit == NULL || roll.there == NULL)
    launch_fail(LAUNCH_EXIT_FAILURE, "out of memory for %u units", nunits);
  for (uint32_t u = 0; u < nunits; u++)
    roll.unit[u].connection = roll.unit[u].record = -1;
  launch_raise_files(&roll.files); /* two for each unit; mpiexec gets the limit of before */
  code = children_run(&children);
  kill_left(&roll);
  hang_close(roll.hang);
  free(roll.there);
  free(roll.unit);
  return code;
}
