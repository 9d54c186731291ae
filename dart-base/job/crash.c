/* Where a unit was when it crashed, and, with DART_BACKTRACE=2, when it met an error.
 *
 * In the handler of the signal: the addresses come from backtrace(3), and files and lines from addr2line, once for each
 * object that they lie in. The names of exported functions come from dladdr where addr2line is not there or knows
 * nothing. All of a unit goes out in one write of at most a page, so that what several units say does not mix.
 *
 * Nothing here may wait for what the interrupted thread holds. addr2line is started by vfork, which calls no handlers
 * of MPI's, and has LIMIT_MS. backtrace has loaded what it needs at init. dladdr takes the lock of the dynamic linker,
 * and an alarm ends the process should it never get it. */
#include "job/job.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/config.h"
#include "base/libc.h"
#include "base/log.h"
#include "base/sanitizer.h"
#include "model/world.h"

enum { FRAMES = 32, PAGE = 4096, LIMIT_MS = 5000, LIMIT_S = 20, STACK = 64 * 1024 };

static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

enum { SIGNALS = sizeof signals / sizeof signals[0] };

typedef struct {
  uintptr_t   address;   /* of the call, or of what crashed */
  uintptr_t   base;      /* of its object; 0: unknown */
  const char *object;    /* its file */
  const char *symbol;    /* an exported function, or NULL */
  uintptr_t   beyond;    /* bytes behind the symbol */
  char        line[128]; /* "function at file:line"; "": unknown */
} frame_t;

typedef struct {
  char   room[PAGE];
  size_t used;
} text_t;

static void add_text(text_t *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_text(text_t *text, const char *format, ...)
{
  va_list args;
  int     n;

  va_start(args, format);
  n = vsnprintf(text->room + text->used, sizeof text->room - text->used, format, args);
  va_end(args);
  if (n > 0)
    text->used += (size_t)n;
  if (text->used >= sizeof text->room)
    text->used = sizeof text->room - 1;
}

static void write_text(const text_t *text)
{
  if (write(STDERR_FILENO, text->room, text->used) < 0)
    return;
}

/* ---- addresses --------------------------------------------------------------------------------- */

/* The instruction that was interrupted; 0: unknown on this machine. */
static uintptr_t interrupted(const void *context)
{
#if defined(__x86_64__)
  return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.pc;
#else
  (void)context;
  return 0;
#endif
}

static void locate(frame_t *frame)
{
  Dl_info info;

  if (dladdr((void *)frame->address, &info) == 0 || info.dli_fname == NULL)
    return;
  frame->base   = (uintptr_t)info.dli_fbase;
  frame->object = info.dli_fname;
  frame->symbol = info.dli_sname;
  frame->beyond = frame->address - (uintptr_t)info.dli_saddr;
}

/* The frames from the interrupted one on; what is above it is this handler's. `context` NULL: all of them. A return address
 * is one behind its call. */
static int collect_frames(frame_t *frames, const void *context)
{
  void     *addresses[FRAMES + 4];
  uintptr_t at = context != NULL ? interrupted(context) : 0;
  int       n = backtrace(addresses, FRAMES + 4), first = 0, count = 0;

  if (n == 0 && at != 0)
    addresses[n++] = (void *)at;
  while (first < n && (uintptr_t)addresses[first] != at)
    first++;
  if (context == NULL)
    first = 0;
  else if (first == n) /* it is not among them: a call through a wrong pointer, for instance */
    first = n > 3 ? 3 : 0;
  for (int i = first; i < n && count < FRAMES; i++, count++) {
    frames[count] = (frame_t){ .address = (uintptr_t)addresses[i] - (i > first) };
    locate(&frames[count]);
  }
  return count;
}

/* ---- lines --------------------------------------------------------------------------------------- */

/* Its place in the file, as addr2line wants it. */
static uintptr_t place_in_object(const frame_t *frame)
{
  const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)frame->base;

  return header->e_type == ET_EXEC ? frame->address : frame->address - frame->base;
}

/* In the child that vfork has made: nothing but calls of the kernel. */
static void become(char **command, int out)
{
  int null = open("/dev/null", O_RDWR);

  dup2(out, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  execvp(command[0], command);
  _exit(127);
}

/* Read until the end, or the limit. */
static void read_all(int fd, text_t *text)
{
  struct pollfd ready = { .fd = fd, .events = POLLIN };
  ssize_t       n;

  while (text->used + 1 < sizeof text->room && poll(&ready, 1, LIMIT_MS) > 0 &&
         (n = read(fd, text->room + text->used, sizeof text->room - 1 - text->used)) > 0)
    text->used += (size_t)n;
  text->room[text->used] = '\0';
}

static void run_command(char **command, text_t *text)
{
  int   ends[2];
  pid_t child;

  if (pipe2(ends, O_CLOEXEC) != 0)
    return;
  child = vfork();
  if (child == 0)
    become(command, ends[1]);
  close(ends[1]);
  if (child > 0)
    read_all(ends[0], text);
  close(ends[0]);
  if (child > 0) {
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
  }
}

/* Give each frame of an object its line, of those that addr2line has printed in their order. */
static void take_lines(frame_t *frames, int n, uintptr_t base, char *lines)
{
  for (int i = 0; i < n && lines != NULL && *lines != '\0'; i++) {
    char *end = strchr(lines, '\n');

    if (frames[i].base != base)
      continue;
    if (end != NULL)
      *end = '\0';
    if (strncmp(lines, "??", 2) != 0)
      snprintf(frames[i].line, sizeof frames[i].line, "%.*s", (int)sizeof frames[i].line - 1,
               lines);
    lines = end != NULL ? end + 1 : NULL;
  }
}

/* Ask addr2line about all frames that lie in the object of the first one. */
static void ask_addr2line(frame_t *frames, int n)
{
  char   numbers[FRAMES][20], program[32];
  char  *command[FRAMES + 8] = { "addr2line", "-Cfpse", (char *)frames[0].object };
  int    nwords              = 3;
  text_t text                = { .used = 0 };

  if (strcmp(frames[0].object, program_invocation_name) ==
      0) { /* which may have been found by PATH */
    snprintf(program, sizeof program, "/proc/%d/exe", (int)getpid());
    command[2] = program;
  }
  for (int i = 0; i < n; i++)
    if (frames[i].base == frames[0].base) {
      snprintf(numbers[i], sizeof numbers[i], "%#lx", (unsigned long)place_in_object(&frames[i]));
      command[nwords++] = numbers[i];
    }
  command[nwords] = NULL;
  run_command(command, &text);
  take_lines(frames, n, frames[0].base, text.room);
}

static void find_lines(frame_t *frames, int n)
{
  for (int i = 0; i < n; i++) {
    bool is_first = frames[i].base != 0;

    for (int j = 0; j < i && is_first; j++)
      is_first = frames[j].base != frames[i].base;
    if (is_first)
      ask_addr2line(frames + i, n - i);
  }
}

/* ---- the handler --------------------------------------------------------------------------------- */

static const char *file_of(const char *path)
{
  const char *slash = path != NULL ? strrchr(path, '/') : NULL;

  return path == NULL ? "?" : slash != NULL ? slash + 1 : path;
}

static void add_frame(text_t *text, int number, const frame_t *frame)
{
  if (frame->line[0] != '\0')
    add_text(text, "  #%-2d %s\n", number, frame->line);
  else if (frame->symbol != NULL)
    add_text(text, "  #%-2d %s+%#lx in %s\n", number, frame->symbol, (unsigned long)frame->beyond,
             file_of(frame->object));
  else
    add_text(text, "  #%-2d %#lx in %s\n", number, (unsigned long)(frame->address - frame->base),
             file_of(frame->object));
}

static void report_crash(int signal, const siginfo_t *info, const void *context)
{
  static frame_t frames[FRAMES];
  static text_t  text;
  int            n = collect_frames(frames, context);

  add_text(&text, "DART: unit %d (pid %d) crashed by signal %d (%s)", dart__world.me, (int)getpid(),
           signal, strsignal(signal));
  if (info->si_code > 0 && signal != SIGABRT)
    add_text(&text, ", address %p", info->si_addr);
  add_text(&text, "\n");
  find_lines(frames, n);
  for (int i = 0; i < n; i++)
    add_frame(&text, i, &frames[i]);
  write_text(&text);
}

static void handle(int signal, siginfo_t *info, void *context)
{
  static _Atomic bool has_begun;
  struct sigaction    standard = { .sa_handler = SIG_DFL };

  sigemptyset(&standard.sa_mask);
  if (!atomic_exchange_explicit(&has_begun, true, memory_order_relaxed)) {
    sigaction(SIGALRM, &standard, NULL);
    alarm(LIMIT_S);
    report_crash(signal, info, context);
    dart__log_sum_up();
  }
  sigaction(signal, &standard, NULL);
  raise(signal); /* taken when the handler returns */
}

static const char *frame_name(const frame_t *frame)
{
  return frame->line[0] != '\0' ? frame->line : frame->symbol != NULL ? frame->symbol : "";
}

static bool is_dart(const frame_t *frame)
{
  const char *name = frame_name(frame);

  return strncmp(name, "dart_", 5) == 0 || strncmp(name, "pdart_", 6) == 0;
}

/* After the line of an error, which names the function: the calls that came there. If several threads meet errors at a
 * time, one of them reports. */
static void report_error(void)
{
  static atomic_flag is_taken = ATOMIC_FLAG_INIT;
  static frame_t     frames[FRAMES];
  static text_t      text;
  int                n, first = 0;

  if (atomic_flag_test_and_set_explicit(&is_taken, memory_order_acquire)) /* pairs with the clear */
    return;
  n = collect_frames(frames, NULL);
  find_lines(frames, n);
  for (int i = 0; i < n; i++)
    first = is_dart(&frames[i]) ? i + 1 : first;
  text.used = 0;
  for (int i = first; i < n && strncmp(frame_name(&frames[i]), "__libc_start", 12) != 0; i++)
    add_frame(&text, i - first, &frames[i]);
  write_text(&text);
  atomic_flag_clear_explicit(&is_taken, memory_order_release);
}

/* So that a handler can run where the stack is used up. */
static void make_stack(void)
{
  static char room[STACK];
  stack_t     stack = { .ss_sp = room, .ss_size = sizeof room }, before;

  if (sigaltstack(NULL, &before) == 0 && (before.ss_flags & SS_DISABLE) != 0)
    sigaltstack(&stack, NULL);
}

void dart__crash_open(void)
{
  struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK };
  struct sigaction before;
  void            *one;

  dart__log_set_trace(dart__settings.backtrace == 2 ? report_error : NULL);
  if (DART__ASAN || DART__TSAN || dart__settings.backtrace == 0)
    return;
  backtrace(&one, 1); /* loads the unwinder, which allocates memory */
  make_stack();
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < SIGNALS; i++)
    if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
      sigaction(signals[i], &action, NULL);
}
