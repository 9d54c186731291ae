/* See random_job.h. */
#include "random_job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "actors.h"

enum { WORDS_MAX = 40, WORD_MAX = 320, SPARE_SECONDS = 20 };

/* ---- what is drawn ------------------------------------------------------------------------- */

/* Where a setting matters. */
enum { ANYWHERE, ON_NODES, OVER_MPI, SIMULATED };

/* Settings that matter, and values away from the default, with how often in percent. */
static const struct {
  const char *name, *values;
  unsigned    percent;
  int         where;
} settings[] = {
  { "DART_MPI_WINDOW", "dynamic static", 60, OVER_MPI },
  { "DART_NET", "software rdma,jitter=9us,seed= software,jitter=9us,seed= software,latency=3us", 75,
    SIMULATED },
  { "DART_PROGRESS", "none thread", 45, ON_NODES },
  { "DART_AGGREGATE", "0 8 256 3800", 50, ON_NODES },
  { "DART_TEST_TYPES", "0 1 2", 25, OVER_MPI },
  { "DART_TEST_RELAYED", "1", 30, ON_NODES },
  { "DART_TEST_COUNTED", "0", 30, ON_NODES },
  { "DART_TEST_SCATTERED", "1", 30, ON_NODES },
  { "DART_TEST_AGENT_NAP", "40 5000", 15, ON_NODES },
  { "DART_TEST_NAP", "1 2000", 15, ON_NODES },
  { "UCX_TLS", "tcp,self", 10, OVER_MPI },
  { "DART_HEAP_CHUNK", "64K 1M", 25, ANYWHERE },
  { "DART_TEST_SLOT", "256 1K 64K", 30, ANYWHERE },
  { "DART_POOL", "16M", 20, ANYWHERE },
  { "DART_TEST_SPIN", "0 1 20000", 30, ANYWHERE },
  { "DART_HUGE_PAGES", "none", 10, ANYWHERE },
};

enum { NSETTINGS = sizeof settings / sizeof settings[0] };

static void draw_word(draw_t *draw, const char *words, char word[32])
{
  size_t n = 1, pick;

  for (const char *c = words; *c != '\0'; c++)
    n += *c == ' ';
  for (pick = draw_below(draw, n); pick > 0; pick--)
    words = strchr(words, ' ') + 1;
  snprintf(word, 32, "%.*s", (int)strcspn(words, " "), words);
}

bool job_set(job_t *job, const char *setting)
{
  size_t n = strcspn(setting, "=") + 1;
  int    i = 0;

  while (i < job->nsettings && strncmp(job->settings[i], setting, n) != 0)
    i++;
  if (i == JOB_SETTINGS_MAX)
    return false;
  snprintf(job->settings[i], sizeof job->settings[i], "%s", setting);
  if (i == job->nsettings)
    job->nsettings++;
  return true;
}

static bool is_set(const job_t *job, const char *setting)
{
  for (int i = 0; i < job->nsettings; i++)
    if (strcmp(job->settings[i], setting) == 0)
      return true;
  return false;
}

/* Of units that are lost some must be left. */
static void draw_shape_of_losses(job_t *job, draw_t *draw)
{
  job->units   = job->units > 0 ? job->units : (int)draw_range(draw, 2, UNITS_SMALL);
  job->nodes   = job->nodes > 0 ? job->nodes : (int)draw_range(draw, 1, 4);
  job->nodes   = job->nodes < job->units ? job->nodes : job->units;
  job->threads = 1;
}

static void draw_shape(job_t *job, draw_t *draw, bool is_mpi)
{
  size_t most_nodes = draw_chance(draw, 60) ? 2 : 4;
  int    nodes = draw_chance(draw, is_mpi ? 12 : 30) ? 1 : (int)draw_range(draw, 2, most_nodes);
  size_t most_units = draw_chance(draw, 80) ? 4 : 6;
  int    units      = (int)draw_range(draw, (size_t)nodes, most_units);

  job->threads = draw_chance(draw, 75) ? 1 : (int)draw_range(draw, 2, 3);
  if (job->nodes == 0)
    job->nodes = job->units > 0 && job->units < nodes ? job->units : nodes;
  if (job->units == 0)
    job->units = units > job->nodes ? units : job->nodes;
}

static bool matters(const job_t *job, int where)
{
  bool is_mpi = strcmp(job->backend, "mpi") == 0;

  return where == ANYWHERE || (where == OVER_MPI && is_mpi) ||
         (where == ON_NODES && (is_mpi || job->nodes > 1)) ||
         (where == SIMULATED && !is_mpi && job->nodes > 1);
}

/* Many units with so short naps leave no processor to those that work: 64 on 2 processors took up to 100 seconds for a
 * schedule that takes one. */
static bool is_too_busy(const job_t *job, const char *setting)
{
  return job->units > UNITS_SMALL && strcmp(setting, "DART_TEST_NAP=1") == 0;
}

void job_draw(job_t *job, draw_t *draw, const char *const *forced, int nforced)
{
  bool is_mpi = strcmp(job->backend, "mpi") == 0;
  char word[32], setting[64];

  if (job->kills)
    draw_shape_of_losses(job, draw);
  else
    draw_shape(job, draw, is_mpi);
  job->nsettings = 0;
  for (int i = 0; i < NSETTINGS; i++) {
    bool wanted = draw_chance(draw, settings[i].percent);

    draw_word(draw, settings[i].values, word);
    snprintf(setting, sizeof setting, "%s=%s", settings[i].name, word);
    if (setting[strlen(setting) - 1] == '=')
      snprintf(setting + strlen(setting), sizeof setting - strlen(setting), "%d",
               (int)draw_below(draw, 1000));
    if (wanted && matters(job, settings[i].where) && !is_too_busy(job, setting))
      job_set(job, setting);
  }
  for (int i = 0; i < nforced; i++)
    job_set(job, forced[i]);
  if (job->kills)
    job_set(job, "DART_SURVIVE=1");
  if (is_mpi && is_set(job, "DART_PROGRESS=none"))
    job->threads = 1; /* MPI is started for one thread then */
}

/* ---- the command line ------------------------------------------------------------------------ */

typedef struct {
  char  word[WORDS_MAX][WORD_MAX];
  char *argv[WORDS_MAX + 1];
  int   n;
} command_t;

static void __attribute__((format(printf, 2, 3))) add(command_t *c, const char *format, ...)
{
  va_list args;

  va_start(args, format);
  vsnprintf(c->word[c->n], WORD_MAX, format, args);
  va_end(args);
  c->argv[c->n]   = c->word[c->n];
  c->argv[++c->n] = NULL;
}

static void add_program(command_t *c, const job_t *job)
{
  add(c, "%s/dart-%s/dartrun", job->build, job->backend);
  if (strcmp(job->backend, "mpi") == 0 || job->nodes > 1) {
    add(c, "--nodes");
    add(c, "%d", job->nodes);
  }
  add(c, "-n");
  add(c, "%d", job->units);
  if (job->program != NULL)
    add(c, "%s", job->program);
  else
    add(c, "%s/test/random/dart-random-%s", job->build, job->backend);
}

static void add_number(command_t *c, const char *option, unsigned long long number)
{
  add(c, "--%s", option);
  add(c, "%llu", number);
}

static void make_command(command_t *c, const job_t *job)
{
  c->n = 0;
  add_program(c, job);
  if (job->list[0] != '\0') {
    add(c, "--list");
    add(c, "%s", job->list);
    add_number(c, "times", job->times);
  } else {
    add_number(c, "seed", job->seed);
    add_number(c, "threads", (unsigned long long)job->threads);
    if (job->schedules > 0)
      add_number(c, "schedules", job->schedules);
    if (job->kills)
      add(c, "--kill");
  }
  if (job->seconds > 0) {
    add(c, "--seconds");
    add(c, "%.1f", job->seconds);
  }
  add_number(c, "round-seconds", job->round_seconds);
}

void job_text(const job_t *job, char text[JOB_TEXT_MAX])
{
  command_t c;
  size_t    used = 0;

  make_command(&c, job);
  text[0] = '\0';
  for (int i = 0; i < job->nsettings; i++)
    used += (size_t)snprintf(text + used, JOB_TEXT_MAX - used, "%s ", job->settings[i]);
  for (int i = 0; i < c.n && used < JOB_TEXT_MAX - WORD_MAX; i++)
    used += (size_t)snprintf(text + used, JOB_TEXT_MAX - used, "%s%s", i > 0 ? " " : "", c.word[i]);
}

/* ---- how it ended ---------------------------------------------------------------------------- */

/* What ended it, by the first that is said: a unit that has found a difference ends the others. */
static job_end_t end_as_said(const char *output)
{
  const char *said      = strstr(output, "random: FAILED:");
  const char *assertion = strstr(output, "assertion failed");
  char        line[256] = "";

  if (said == NULL || (assertion != NULL && assertion < said))
    return JOB_CRASHED;
  snprintf(line, sizeof line, "%.*s", (int)strcspn(said, "\n"), said);
  if (strstr(line, ": crashed") != NULL || strstr(line, ": aborted") != NULL)
    return JOB_CRASHED;
  return strstr(line, ": the round takes too long") != NULL ? JOB_HUNG : JOB_FAILED;
}

/* A job with kills that has come to no schedule in its time has lost nobody. */
static int good_code(const job_t *job, const char *output)
{
  return job->kills && strstr(output, "random: 0 schedules,") == NULL ? 128 + SIGKILL : 0;
}

static job_end_t end_of(const job_t *job, bool ended, const job_result_t *result)
{
  if (!ended)
    return JOB_HUNG;
  if (result->code == good_code(job, result->output) &&
      strstr(result->output, "random: FAILED:") == NULL)
    return JOB_PASSED;
  if (result->code == 127 || result->code == 2)
    return JOB_NOT_STARTED;
  return end_as_said(result->output);
}

/* ---- run ------------------------------------------------------------------------------------- */

static double now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* In a group of its own, which can be ended as a whole. The place where unit 0 notes its seed is a file
 * that both map. */
static pid_t start(const job_t *job, int output, const char *state)
{
  command_t c;
  pid_t     pid;

  make_command(&c, job);
  add(&c, "--state");
  add(&c, "%s", state);
  add(&c, "-v");
  pid = fork();
  if (pid != 0)
    return pid;
  setpgid(0, 0);
  setenv("DART_LOG_LEVEL", "WARN", 1);
  for (int i = 0; i < job->nsettings; i++)
    putenv((char *)(uintptr_t)job->settings[i]);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  close(STDIN_FILENO);
  open("/dev/null", O_RDONLY);
  execv(c.argv[0], c.argv);
  _exit(127);
}

static void end_group(pid_t pid)
{
  int status;

  kill(-pid, SIGTERM);
  for (int i = 0; i < 100; i++) {
    if (waitpid(pid, &status, WNOHANG) == pid) {
      kill(-pid, SIGKILL);
      return;
    }
    usleep(20000);
  }
  kill(-pid, SIGKILL);
  waitpid(pid, &status, 0);
}

/* False: it did not end in time, and was made to. */
static bool wait_until(pid_t pid, double end, int *status_out)
{
  useconds_t nap = 1000;

  while (true) {
    pid_t got = waitpid(pid, status_out, WNOHANG);

    if (got == pid)
      return true;
    if ((got < 0 && errno != EINTR) || now() > end)
      break;
    usleep(nap);
    nap = nap < 20000 ? 2 * nap : nap;
  }
  end_group(pid);
  return false;
}

/* The beginning says what failed, the end how it all ended: of a long output both are kept. */
static void read_output(int fd, char text[JOB_TEXT_MAX])
{
  off_t   size = lseek(fd, 0, SEEK_END);
  ssize_t n, half = (JOB_TEXT_MAX - 64) / 2;

  if (size <= 2 * half) {
    n                   = pread(fd, text, JOB_TEXT_MAX - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    return;
  }
  n = pread(fd, text, (size_t)half, 0);
  n += sprintf(text + n, "\n[...]\n");
  n += pread(fd, text + n, (size_t)half, size - half);
  text[n] = '\0';
}

static uint64_t seed_of(const job_t *job, const char *output, int state)
{
  const char        *line = strstr(output, "random: FAILED:");
  const char        *word = line != NULL ? strstr(line, "seed ") : NULL;
  unsigned long long seed;
  uint64_t           noted;

  if (word != NULL && sscanf(word, "seed %llu", &seed) == 1)
    return seed;
  if (pread(state, &noted, sizeof noted, 0) == (ssize_t)sizeof noted)
    return noted;
  return job->seed;
}

static int open_temporary(char path[32])
{
  strcpy(path, "/tmp/dart-random-XXXXXX");
  return mkostemp(path, O_CLOEXEC);
}

void job_run(const job_t *job, job_result_t *result_out)
{
  char   output_path[32], state_path[32];
  int    output = open_temporary(output_path), state = open_temporary(state_path), status = 0;
  double most = job->seconds + job->round_seconds + SPARE_SECONDS;
  pid_t  pid;

  memset(result_out, 0, sizeof *result_out);
  result_out->end = JOB_NOT_STARTED;
  pid             = output >= 0 && state >= 0 ? start(job, output, state_path) : -1;
  if (pid > 0) {
    bool ended = wait_until(pid, now() + most, &status);

    read_output(output, result_out->output);
    result_out->seed = seed_of(job, result_out->output, state);
    result_out->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result_out->end  = end_of(job, ended, result_out);
  }
  close(output);
  close(state);
  unlink(output_path);
  unlink(state_path);
}

/* ---- a line ---------------------------------------------------------------------------------- */

bool job_parse(const char *line, job_t *job)
{
  unsigned long long seed, schedules;
  char               word[64];
  int                used;

  if (sscanf(line, "%15s units=%d nodes=%d threads=%d seed=%llu%n", job->backend, &job->units,
             &job->nodes, &job->threads, &seed, &used) != 5)
    return false;
  job->seed      = seed;
  job->nsettings = 0;
  for (line += used; sscanf(line, " %63s%n", word, &used) == 1 && word[0] != '#'; line += used) {
    if (sscanf(word, "kill=%llu", &schedules) == 1) {
      job->kills     = true;
      job->schedules = schedules;
    } else if (strchr(word, '=') == NULL || !job_set(job, word)) {
      return false;
    }
  }
  return true;
}
