/* The injector: see inject.h. The library is linked with this file in builds with DART_INJECT=ON. */
#include "inject.h"

#include <stdarg.h>

enum { OFF, COUNT, LIST, FAIL };

static struct {
  int              mode;
  long             unit;   /* this one; -1: not a unit */
  uint64_t         number; /* of the point that fails */
  int              error;  /* 0: the usual one */
  _Atomic uint64_t count;
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

__attribute__((constructor)) static void read_environment(void)
{
  const char        *text = getenv("DART_INJECT");
  long               unit;
  unsigned long long number;
  int                found;

  inject.unit = own_unit();
  if (text == NULL || inject.unit < 0)
    return;
  if (strcmp(text, "count") == 0)
    inject.mode = COUNT;
  else if (strcmp(text, "list") == 0)
    inject.mode = LIST;
  else if ((found = sscanf(text, "%ld:%llu:%d", &unit, &number, &inject.error)) >= 2) {
    inject.mode   = unit == inject.unit ? FAIL : OFF;
    inject.number = number;
  } else {
    say("does not understand DART_INJECT='%s'\n", text);
    exit(EXIT_FAILURE);
  }
}

__attribute__((destructor)) static void tell_count(void)
{
  if (inject.mode == COUNT || inject.mode == LIST)
    say("reached %llu points\n", (unsigned long long)atomic_load(&inject.count));
}

static const char *name_of(const char *path)
{
  const char *slash = strrchr(path, '/');

  return slash != NULL ? slash + 1 : path;
}

bool dart__inject(dart__inject_site_t *site, int error)
{
  uint64_t reached, number;

  if (inject.mode == OFF)
    return false;
  reached = atomic_fetch_add(&site->reached, 1) + 1;
  if (site->polls && (reached & (reached - 1)) != 0)
    return false;
  number = atomic_fetch_add(&inject.count, 1) + 1;
  if (inject.mode == LIST)
    say("point %llu is %s, %s:%d\n", (unsigned long long)number, site->call, name_of(site->file),
        site->line);
  if (inject.mode != FAIL || number != inject.number)
    return false;
  say("fails at point %llu: %s, %s:%d, time %llu\n", (unsigned long long)number, site->call,
      name_of(site->file), site->line, (unsigned long long)reached);
  atomic_store(&inject.fired, true);
  errno = inject.error != 0 ? inject.error : error;
  return true;
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
