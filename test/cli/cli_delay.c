/* A wire that takes its time, for tests between two hosts where the kernel cannot delay frames:
 *
 *   cli_delay MICROSECONDS DEVICE DEVICE
 *
 * makes two Ethernet devices (TAP) in its network namespace and prints "ready". From then on what
 * is sent at one arrives at the other, not before MICROSECONDS are over. The devices may be moved
 * to other namespaces. They are gone when it ends: by a signal, or with who started it.
 *
 * Frames are read as soon as they are there, into a queue that grows. As all wait equally long,
 * they leave in the order of arrival, and one queue does for both directions. So none is lost here;
 * the kernel loses some when more than a device's txqueuelen come before they are read. The devices
 * offer neither segmentation nor checksums: every frame is whole, and no longer than their MTU. */
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
  MAX_FRAME = 65536 + 18, /* the longest MTU, and the Ethernet header with a VLAN's tag */
  MAX_US    = 1000000000,
  NS_PER_US = 1000,
  NS_PER_S  = 1000000000
};

typedef struct frame frame_t;
struct frame {
  frame_t *next;
  uint64_t due_ns; /* when it may leave, by CLOCK_MONOTONIC */
  int      to;     /* descriptor of the device it leaves by */
  size_t   nbytes;
  uint8_t  bytes[];
};

typedef struct {
  frame_t  *first;
  frame_t **end; /* where to link the next one */
} queue_t;

static void __attribute__((noreturn)) give_up(const char *what)
{
  fprintf(stderr, "cli_delay: %s: %s\n", what, strerror(errno));
  exit(EXIT_FAILURE);
}

static uint64_t now_ns(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static int make_device(const char *name)
{
  struct ifreq request = { .ifr_flags = IFF_TAP | IFF_NO_PI };
  int          fd      = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);

  if (fd < 0)
    give_up("/dev/net/tun");
  if (strlen(name) >= sizeof request.ifr_name) {
    errno = ENAMETOOLONG;
    give_up(name);
  }
  strcpy(request.ifr_name, name);
  if (ioctl(fd, TUNSETIFF, &request) != 0)
    give_up(name);
  return fd;
}

/* One frame from a device into the queue; the device may turn out to have none. */
static void take_in(queue_t *queue, int from, int to, uint64_t delay_ns)
{
  static uint8_t bytes[MAX_FRAME];
  ssize_t        nbytes = read(from, bytes, sizeof bytes);
  frame_t       *frame;

  if (nbytes < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (nbytes < 0)
    give_up("reading a frame");
  frame = malloc(sizeof *frame + (size_t)nbytes);
  if (frame == NULL)
    give_up("keeping a frame");
  frame->next   = NULL;
  frame->due_ns = now_ns() + delay_ns;
  frame->to     = to;
  frame->nbytes = (size_t)nbytes;
  memcpy(frame->bytes, bytes, frame->nbytes);
  *queue->end = frame;
  queue->end  = &frame->next;
}

/* The first frame leaves. A device that is down does not take it (EIO), as with any wire. */
static void let_out(queue_t *queue)
{
  frame_t *frame = queue->first;

  if (write(frame->to, frame->bytes, frame->nbytes) < 0 && errno != EIO)
    give_up("writing a frame");
  queue->first = frame->next;
  if (queue->first == NULL)
    queue->end = &queue->first;
  free(frame);
}

static void __attribute__((noreturn)) relay(int red, int blue, uint64_t delay_ns)
{
  queue_t       queue = { .first = NULL, .end = &queue.first };
  struct pollfd end[] = { { .fd = red, .events = POLLIN }, { .fd = blue, .events = POLLIN } };

  for (;;) {
    struct timespec wait = { 0, 0 };

    if (queue.first != NULL) {
      uint64_t now = now_ns(), due = queue.first->due_ns;

      if (due > now) {
        wait.tv_sec  = (time_t)((due - now) / NS_PER_S);
        wait.tv_nsec = (long)((due - now) % NS_PER_S);
      }
    }
    if (ppoll(end, 2, queue.first != NULL ? &wait : NULL, NULL) < 0 && errno != EINTR)
      give_up("waiting for a frame");
    if (end[0].revents != 0)
      take_in(&queue, red, blue, delay_ns);
    if (end[1].revents != 0)
      take_in(&queue, blue, red, delay_ns);
    while (queue.first != NULL && queue.first->due_ns <= now_ns())
      let_out(&queue);
  }
}

static uint64_t number_of_us(const char *text)
{
  char              *end;
  unsigned long long us;

  errno = 0;
  us    = strtoull(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || us > MAX_US) {
    fprintf(stderr, "cli_delay: '%s' is no number of microseconds up to %d\n", text, MAX_US);
    exit(EXIT_FAILURE);
  }
  return us;
}

int main(int argc, char **argv)
{
  pid_t    parent = getppid();
  uint64_t delay_ns;
  int      red, blue;

  if (argc != 4) {
    fprintf(stderr, "usage: cli_delay MICROSECONDS DEVICE DEVICE\n");
    return EXIT_FAILURE;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) /* it ended just before */
    return EXIT_FAILURE;

  delay_ns = number_of_us(argv[1]) * NS_PER_US;
  red      = make_device(argv[2]);
  blue     = make_device(argv[3]);
  prctl(PR_SET_TIMERSLACK, 1); /* ns: waiting ends as soon as it may */
  /* ... even where others keep every processor busy. Where this is not allowed, frames are late. */
  setpriority(PRIO_PROCESS, 0, -20);
  if (puts("ready") < 0 || fflush(stdout) != 0)
    give_up("standard output");
  relay(red, blue, delay_ns);
}
