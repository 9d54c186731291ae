/* The unit's side: see launcher.h. */
#include "start/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "model/record.h"
#include "mpi/vendor.h"
#include "wait/tuning.h"

static struct {
  bool     tried;
  int      socket; /* -1: no dartrun listens */
  int      record; /* the file of the unit's record, until it was sent; else -1 */
  uint32_t unit;
  uint32_t cycle;
} launcher = { .socket = -1, .record = -1 };

static void disconnect(void)
{
  if (launcher.socket >= 0)
    close(launcher.socket);
  launcher.socket = -1;
}

/* Move the connection to a descriptor above that of mpiexec; see launcher.h. */
static void move_descriptor(void)
{
  int mpiexec = dart__vendor_manager(), higher;

  if (mpiexec < launcher.socket)
    return;
  higher = fcntl(launcher.socket, F_DUPFD_CLOEXEC, mpiexec + 1);
  if (higher < 0)
    return;
  close(launcher.socket);
  launcher.socket = higher;
}

/* Make the unit's record. Without memory for it dartrun sees nothing. */
static void open_record(void)
{
  void *record = MAP_FAILED;
  int   fd     = memfd_create("dart-record", MFD_CLOEXEC);

  if (fd >= 0 && ftruncate(fd, sizeof(dart__record_t)) == 0)
    record = mmap(NULL, sizeof(dart__record_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (record == MAP_FAILED) {
    if (fd >= 0)
      close(fd);
    return;
  }
  launcher.record = fd;
  dart__record_open(record);
}

/* Connect, and remove the name from the environment, for programs that a unit starts are no units. */
static void open_socket(void)
{
  const char        *name = getenv(DART__LAUNCHER_ENV), *rank = dart__vendor_rank();
  struct sockaddr_un address;
  socklen_t          length;

  launcher.tried = true;
  if (name == NULL || rank == NULL)
    return;
  launcher.unit   = (uint32_t)strtoul(rank, NULL, 10);
  length          = dart__launcher_address(name, &address);
  launcher.socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  unsetenv(DART__LAUNCHER_ENV);
  if (launcher.socket < 0 || length == 0 ||
      connect(launcher.socket, (struct sockaddr *)&address, length) != 0)
    disconnect();
  if (launcher.socket < 0)
    return;
  move_descriptor();
  open_record();
  pthread_atfork(NULL, NULL, disconnect); /* a child is no unit, and may live longer */
}

/* Send a message, and the file of the record with the first one. */
static ssize_t send_message(dart__unit_message_t *message)
{
  union {
    struct cmsghdr header;
    char           room[CMSG_SPACE(sizeof(int))];
  } control          = { 0 };
  struct iovec  data = { message, sizeof *message };
  struct msghdr sent = { .msg_iov = &data, .msg_iovlen = 1 };

  if (launcher.record >= 0) {
    control.header.cmsg_len   = CMSG_LEN(sizeof(int));
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type  = SCM_RIGHTS;
    memcpy(CMSG_DATA(&control.header), &launcher.record, sizeof(int));
    sent.msg_control    = &control;
    sent.msg_controllen = sizeof control.room;
  }
  return sendmsg(launcher.socket, &sent, MSG_NOSIGNAL);
}

/* Without the message dartrun would take a unit that is out for one that has died, so a lack of memory in the
 * kernel is waited out, for a second. Other failures mean that dartrun is gone, and what it started is about to
 * be. */
static void send_with_patience(dart__unit_message_t *message)
{
  int tries = 1000;

  while (send_message(message) < 0) {
    if (errno == EINTR)
      continue;
    if ((errno != ENOBUFS && errno != ENOMEM) || --tries == 0)
      return;
    nanosleep(&(struct timespec){ 0, DART__AWAKE_US * 1000 }, NULL);
  }
}

void dart__launcher_report(dart__unit_event_t event, int value)
{
  dart__unit_message_t message;

  if (!launcher.tried)
    open_socket();
  launcher.cycle += event == DART__UNIT_BEGINS || event == DART__UNIT_IS_OUT;
  if (launcher.socket < 0)
    return;
  message = (dart__unit_message_t){
    .unit = launcher.unit, .event = event, .cycle = launcher.cycle, .value = value
  };
  send_with_patience(&message);
  if (launcher.record >= 0)
    close(launcher.record);
  launcher.record = -1;
}
