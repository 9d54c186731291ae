/* The injector: see inject.h. The library is linked with this file in builds with DART_INJECT=ON. */
#include "inject.h"

#include <stdarg.h>

enum { OFF, LIST, FAIL };

static struct {
  int              mode;
  long             unit;       /* this one; -1: not a unit */
  char             list[4096]; /* the file for the names of points */
  char             point[256]; /* the one that fails */
  int              error;      /* 0: the usual one */
  _Atomic uint64_t part;
  _Atomic bool     fired;
  _Atomic long     alive;
} inject;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
  char    text[512];
  int     length = snprintf(text, sizeof text, "inject: unit %ld ", inject.unit);
  va_list args;

  va_start(args, format);
  length += vsnprintf(text + length, sizeof text - (size_t)length, format, args);
  va_end(args);
  if (write(STDERR_FILENO, text, (size_t)length) < 0)
    return;
}

/* Launchers say which unit this is; without one it is the only one. */
static long own_unit(void)
{
  const char *launched = getenv("DART_SHMEM_UNIT");

  if (launched == NULL)
    launched = getenv("PMI_RANK");
  if (launched != NULL)
    return atol(launched);
  return strcmp(program_invocation_short_name, "dartrun") == 0 ? -1 : 0;
}

static void open_list(const char *path)
{
  snprintf(inject.list, sizeof inject.list, "%s.%ld", path, inject.unit);
  inject.mode = LIST;
}

/* "unit:point", or "unit:point:error"; there are three colons in the name of a point. */
static bool set_point(const char *text)
{
  long  unit;
  char *colon = inject.point - 1;

  if (sscanf(text, "%ld:%255s", &unit, inject.point) != 2)
    return false;
  for (int i = 0; colon != NULL && i < 4; i++)
    colon = strchr(colon + 1, ':');
  if (colon != NULL) {
    inject.error = atoi(colon + 1);
    *colon       = '\0';
  }
  inject.mode = unit == inject.unit ? FAIL : OFF;
  return true;
}

__attribute__((constructor)) static void read_environment(void)
{
  const char *text = getenv("DART_INJECT");

  inject.unit = own_unit();
  if (text == NULL || inject.unit < 0)
    return;
  if (strncmp(text, "list:", 5) == 0)
    open_list(text + 5);
  else if (!set_point(text)) {
    say("does not understand DART_INJECT='%s'\n", text);
    exit(EXIT_FAILURE);
  }
}

static const char *name_of(const char *path)
{
  const char *slash = strrchr(path, '/');

  return slash != NULL ? slash + 1 : path;
}

/* How often the place was reached in this part of the program. */
static uint32_t count(dart__inject_site_t *site, uint64_t part)
{
  uint64_t old = atomic_load(&site->reached), next;

  do
    next = (old >> 32 == part ? old : part << 32) + 1;
  while (!atomic_compare_exchange_weak(&site->reached, &old, next));
  return (uint32_t)next;
}

/* Whether the call is a point: all are, or the 1st, 2nd, 4th ..., or the 1st, 8th, 64th ... in a part. */
static bool is_point(const dart__inject_site_t *site, uint32_t time)
{
  uint32_t base = site->polls ? 8 : strncmp(site->call, "MPI_", 4) == 0 ? 2 : 1;

  while (base > 1 && time % base == 0)
    time /= base;
  return base == 1 || time == 1;
}

/* Nothing stays open: what the unit leaves behind is counted. */
static void list(const char *point)
{
  char line[300];
  int  fd = open(inject.list, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600), length;

  length = snprintf(line, sizeof line, "%ld:%s\n", inject.unit, point);
  if (fd < 0 || write(fd, line, (size_t)length) != length)
    say("cannot write to %s\n", inject.list);
  if (fd >= 0)
    close(fd);
}

/* Of the clock that /proc/uptime shows. */
static long long now_ms(void)
{
  struct timespec now;

  clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

bool dart__inject(dart__inject_site_t *site, int error)
{
  int      before = errno;
  uint64_t part   = atomic_load(&inject.part);
  uint32_t time;
  char     point[256];

  if (inject.mode == OFF || (inject.mode == FAIL && atomic_load(&inject.fired)))
    return false;
  time = count(site, part);
  if (!is_point(site, time))
    return false;
  snprintf(point, sizeof point, "%s:%s:%d:%u.%u", site->call, name_of(site->file), site->line,
           (unsigned)part, time);
  if (inject.mode == LIST)
    list(point);
  errno = before;
  if (inject.mode == LIST || strcmp(point, inject.point) != 0 ||
      atomic_exchange(&inject.fired, true))
    return false;
  say("fails at %s, at %lld ms\n", point, now_ms());
  errno = inject.error != 0 ? inject.error : error;
  return true;
}

void dart__inject_part(void)
{
  atomic_fetch_add(&inject.part, 1);
}

bool dart__inject_fired(void)
{
  return atomic_load(&inject.fired);
}

/* ---- memory ------------------------------------------------------------------------------ */

long dart__inject_alive(void)
{
  return atomic_load(&inject.alive);
}

void *dart__inject_got(void *memory)
{
  if (memory != NULL)
    atomic_fetch_add(&inject.alive, 1);
  return memory;
}

void *dart__inject_realloc(dart__inject_site_t *site, void *memory, size_t nbytes)
{
  bool is_new = memory == NULL;

  if (dart__inject(site, ENOMEM))
    return NULL;
  memory = realloc(memory, nbytes);
  return is_new ? dart__inject_got(memory) : memory;
}

void dart__inject_free(void *memory)
{
  if (memory != NULL)
    atomic_fetch_sub(&inject.alive, 1);
  free(memory);
}

int dart__inject_close(dart__inject_site_t *site, int fd)
{
  int ret = close(fd);

  return dart__inject(site, EIO) ? -1 : ret;
}

/* ---- other processes' memory: these are called by their address -------------------------- */

ssize_t dart__inject_readv(pid_t pid, const struct iovec *here, unsigned long nhere,
                           const struct iovec *there, unsigned long nthere, unsigned long flags)
{
  return DART__INJECT(process_vm_readv, ENOMEM)
             ? -1
             : process_vm_readv(pid, here, nhere, there, nthere, flags);
}

ssize_t dart__inject_writev(pid_t pid, const struct iovec *here, unsigned long nhere,
                            const struct iovec *there, unsigned long nthere, unsigned long flags)
{
  return DART__INJECT(process_vm_writev, ENOMEM)
             ? -1
             : process_vm_writev(pid, here, nhere, there, nthere, flags);
}
