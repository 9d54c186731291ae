/* A program for the tests of the launchers: it is no DART program, and does what its arguments say.
 *
 *   cli_unit WHO:WHAT ...    WHO is a unit's id or *; a unit does what the first fitting word says
 *
 *   exit=N       exit with code N (also what a unit does for which no word fits: N = 0)
 *   kill=N       die of signal N
 *   show         print "UNIT UNITS NODES", as the environment has them
 *   memory       print "LINKS MODE BYTES" of the file of the job, from the inherited descriptor;
 *                or that descriptor, if it is 0, 1 or 2
 *   cpus         print the processors it may run on, "UNIT: a b c"
 *   cat          copy standard input to standard output
 *   wait         print its pid, then sleep for ever
 *   count        print its pid, count signals INT, TERM, HUP and USR2, print "UNIT got SIGNAL" for each;
 *                on USR1 print "UNIT counted N" and exit with 0
 *   stay         as wait, but SIGTERM is ignored
 *
 * Every line is one write(2), so lines of several units do not mix. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int unit;

static void __attribute__((format(printf, 1, 2))) say(const char *format, ...)
{
  char    text[4096];
  va_list args;
  int     length;

  va_start(args, format);
  length = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (write(STDOUT_FILENO, text, (size_t)length) != length)
    _exit(99);
}

static const char *env(const char *name)
{
  const char *value = getenv(name);

  return value != NULL ? value : "-";
}

static void show_memory(void)
{
  int         fd = atoi(env("DART_SHMEM_FD"));
  struct stat file;

  if (fd <= STDERR_FILENO)
    say("descriptor %d\n", fd);
  else if (fstat(fd, &file) != 0)
    say("%s\n", strerror(errno));
  else
    say("%u %o %lld\n", (unsigned)file.st_nlink, file.st_mode & 07777u, (long long)file.st_size);
}

static void show_cpus(void)
{
  cpu_set_t set;
  char      text[3072] = "";
  size_t    used       = 0;

  if (sched_getaffinity(0, sizeof set, &set) != 0)
    _exit(99);
  for (int cpu = 0; cpu < CPU_SETSIZE && used < sizeof text - 8; cpu++)
    if (CPU_ISSET(cpu, &set))
      used += (size_t)snprintf(text + used, sizeof text - used, " %d", cpu);
  say("%d:%s\n", unit, text);
}

static void copy_input(void)
{
  char    text[256];
  ssize_t n;

  while ((n = read(STDIN_FILENO, text, sizeof text)) > 0)
    if (write(STDOUT_FILENO, text, (size_t)n) != n)
      _exit(99);
}

static void count_signals(void)
{
  sigset_t set;
  int      count = 0, signal;

  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  sigprocmask(SIG_BLOCK, &set, NULL);
  say("%d\n", (int)getpid());
  while (sigwait(&set, &signal) == 0 && signal != SIGUSR1) {
    count++;
    say("%d got %d\n", unit, signal);
  }
  say("%d counted %d\n", unit, count);
}

static void sleep_forever(void)
{
  say("%d\n", (int)getpid());
  for (;;)
    pause();
}

static int act(const char *what)
{
  if (strncmp(what, "exit=", 5) == 0)
    return atoi(what + 5);
  if (strncmp(what, "kill=", 5) == 0) {
    signal(atoi(what + 5), SIG_DFL);
    raise(atoi(what + 5));
  } else if (strcmp(what, "show") == 0)
    say("%d %s %s\n", unit, env("DART_SHMEM_UNITS"), env("DART_NODES"));
  else if (strcmp(what, "memory") == 0)
    show_memory();
  else if (strcmp(what, "cpus") == 0)
    show_cpus();
  else if (strcmp(what, "cat") == 0)
    copy_input();
  else if (strcmp(what, "count") == 0)
    count_signals();
  else if (strcmp(what, "wait") == 0)
    sleep_forever();
  else if (strcmp(what, "stay") == 0) {
    signal(SIGTERM, SIG_IGN);
    sleep_forever();
  } else {
    fprintf(stderr, "cli_unit: what is '%s'?\n", what);
    return 98;
  }
  return 0;
}

int main(int argc, char **argv)
{
  const char *id = getenv("DART_SHMEM_UNIT");

  if (id == NULL)
    id = getenv("PMI_RANK"); /* started by mpiexec */
  unit = id != NULL ? atoi(id) : 0;

  for (int i = 1; i < argc; i++) {
    char *what = strchr(argv[i], ':');

    if (what != NULL && (argv[i][0] == '*' || atoi(argv[i]) == unit))
      return act(what + 1);
  }
  return 0;
}
