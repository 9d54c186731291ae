/* See relay.h. What Hydra (4.0) writes, and is kept:
 *
 *   to stderr   [proxy:0:0@host] ..., [mpiexec@host] ...   its own errors
 *               Abort(N) on node ...: application called MPI_Abort(...
 *   to stdout   [mpiexec@host] Exit codes: [host] 0,1792,0: how processes ended, as waitpid says; and a line
 *               [host] 0,... for each further host
 *               three lines about Ctrl-C, which are dropped
 *   to stdout   an empty line, a rule of '=', lines that begin with "=   ", a rule, and up to three sentences
 *
 * Hydra writes a rule, and a line of its errors, in several pieces. So of an incomplete line, what may become one of these
 * waits for more, and so does an empty line, which may begin a banner. Other text is passed on at once: prompts are not
 * delayed. */
#include "relay.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch.h"

#define LINE 65536 /* no line of Hydra's is longer, for as many processes as RELAY_CODES */
#define RULE 83    /* letters of a rule */
#define KEPT 8192  /* bytes that are kept */

typedef enum { PROGRAM, BANNER, SENTENCES } place_t;

typedef struct {
  int     from[2]; /* the pipe; -1: there is none */
  int     to;
  place_t place;
  bool    is_inside;      /* the beginning of this line was passed on */
  size_t  nbytes;         /* of an incomplete line */
  char    line[LINE + 1]; /* a complete one ends with 0 */
  bool    has_blank;      /* before this line there was an empty one, which is not passed on yet */
  bool    has_rule;       /* ... or a rule */
  bool    has_codes;      /* the line before said how processes ended */
} stream_t;

static stream_t streams[2] = { { .from = { -1, -1 }, .to = STDOUT_FILENO },
                               { .from = { -1, -1 }, .to = STDERR_FILENO } };

static size_t nkept;
static char   kept[KEPT];
static bool   lost_proxy;      /* an error was that of a proxy that has ended */
static pid_t  named;           /* the process that the banner is about ... */
static int    code, killed_by; /* ... its code, and the signal that a sentence names */

/* How processes have ended, as Hydra says of all at once. */
static struct {
  int      first; /* code of the first process that has exited with another than 0; 0: none, or it is not known */
  int64_t  first_unit;
  uint32_t n; /* units whose status is known: 0, or all */
  bool     any_killed;
  int      status[RELAY_CODES]; /* as waitpid says */
} ends;

static bool begins(const char *line, const char *with)
{
  return strncmp(line, with, strlen(with)) == 0;
}

/* If nobody reads the launcher's output, mpiexec's next write meets that, as it would without the launcher. */
static void forward(stream_t *stream, const char *bytes, size_t nbytes)
{
  if (launch_write(stream->to, bytes, nbytes))
    return;
  close(stream->from[0]);
  stream->from[0] = -1;
}

static void keep_line(const char *line, size_t nbytes)
{
  if (nbytes > KEPT - nkept)
    nbytes = KEPT - nkept;
  memcpy(kept + nkept, line, nbytes);
  nkept += nbytes;
}

/* What stood before this line begins no banner. */
static void forward_held(stream_t *stream)
{
  char rule[RULE + 1];

  memset(rule, '=', RULE);
  rule[RULE] = '\n';
  if (stream->has_blank)
    forward(stream, "\n", 1);
  if (stream->has_rule)
    forward(stream, rule, sizeof rule);
  stream->has_blank = stream->has_rule = false;
}

/* ---- whole lines ------------------------------------------------------------------------------ */

static const char *const sentences[] = {
  "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: ",
  "This typically refers to a problem with your application.",
  "Please see the FAQ page for debugging suggestions"
};

static bool is_rule(const char *line)
{
  return strspn(line, "=") == RULE && line[RULE] == '\n';
}

/* [proxy:0:0@host] or [mpiexec@host], and a blank. */
static bool is_error(const char *line)
{
  const char *host = strchr(line, '@'), *end = strchr(line, ']');
  int         first, second;

  return host != NULL && end != NULL && end[1] == ' ' &&
         (begins(line, "[mpiexec@") || sscanf(line, "[proxy:%d:%d@", &first, &second) == 2);
}

/* A unit may stand before it: [1]. */
static bool is_abort(const char *line)
{
  const char *tag_end = line[0] == '[' ? strstr(line, "] ") : NULL;

  return begins(tag_end != NULL ? tag_end + 2 : line, "Abort(") &&
         strstr(line, ": application called MPI_Abort(") != NULL;
}

/* What Hydra says about the user's SIGINT: two of its errors; and about a second one. */
static bool is_interrupt(const char *line)
{
  return strcmp(line, "Ctrl-C caught... cleaning up processes\n") == 0 ||
         strstr(line, "] Sending Ctrl-C to processes as requested\n") != NULL ||
         strstr(line, "] Press Ctrl-C again to force abort\n") != NULL;
}

static bool is_sentence(const char *line)
{
  for (size_t i = 0; i < sizeof sentences / sizeof sentences[0]; i++)
    if (begins(line, sentences[i]))
      return true;
  return false;
}

static const char *codes_of(const char *line)
{
  static const char between[] = "] Exit codes: [";
  const char       *place     = begins(line, "[mpiexec@") ? strstr(line, between) : NULL;

  return place != NULL ? place + strlen(between) : NULL;
}

/* The same of a line that follows one of these. */
static const char *more_codes_of(const char *line)
{
  const char *end = line[0] == '[' ? strchr(line, ']') : NULL;

  return end != NULL && end[1 + strspn(end + 1, " 0123456789,\n")] == '\0' ? line + 1 : NULL;
}

#define UNKNOWN \
  1 /* what Hydra says of a process, too, that it has not waited for; else it is SIGHUP */

/* Processes are in the order of units, if all are on one host. */
static void learn_codes(const char *list, bool is_first_line)
{
  bool     is_one_host = is_first_line && strchr(list, '[') == NULL;
  uint32_t n           = 0;
  char    *next;

  if (!is_one_host)
    ends.first_unit = -1;
  for (; (list = strpbrk(list, "],")) != NULL && n < RELAY_CODES; n++) {
    int status = (int)strtol(list + 1, &next, 10);

    ends.status[n]  = status != UNKNOWN ? status : -1;
    ends.any_killed = ends.any_killed || (status != UNKNOWN && WIFSIGNALED(status));
    if (ends.first == 0 && WIFEXITED(status) && WEXITSTATUS(status) != 0) {
      ends.first      = WEXITSTATUS(status);
      ends.first_unit = is_one_host ? (int64_t)n : -1;
    }
    list = next;
  }
  ends.n = is_one_host ? n : 0;
}

/* A line of Hydra's about the end of a process. */
static void learn(const char *line, size_t nbytes)
{
  const char *signal = strstr(line, "(signal ");

  sscanf(line, "=   PID %d ", &named);
  sscanf(line, "=   EXIT CODE: %d", &code);
  if (signal != NULL)
    killed_by = atoi(signal + strlen("(signal "));
  keep_line(line, nbytes);
}

static void keep_error(const char *line, size_t nbytes)
{
  lost_proxy = lost_proxy || strstr(line, ": assert (!closed) failed\n") != NULL;
  keep_line(line, nbytes);
}

/* A line of the program's, or one that begins a banner. */
static void take_other(stream_t *stream)
{
  const char *line = stream->line;
  size_t      n    = stream->nbytes;

  if (stream->has_rule && begins(line, "=   BAD TERMINATION")) {
    keep_line(line, n);
    stream->has_blank = stream->has_rule = false;
    stream->place                        = BANNER;
    return;
  }
  if (stream->has_rule || !is_rule(line))
    forward_held(stream);
  if (n == 1)
    stream->has_blank = true;
  else if (is_rule(line))
    stream->has_rule = true;
  else if (is_interrupt(line))
    return;
  else if (is_error(line) || is_abort(line))
    keep_error(line, n);
  else
    forward(stream, line, n);
}

static void take_line(stream_t *stream)
{
  const char *codes, *more;

  stream->line[stream->nbytes] = '\0';
  codes                        = stream->is_inside ? NULL : codes_of(stream->line);
  more                         = stream->has_codes ? more_codes_of(stream->line) : NULL;
  if (codes != NULL || more != NULL) { /* it may be within a banner */
    learn_codes(codes != NULL ? codes : more, codes != NULL);
    stream->has_codes = true;
    stream->nbytes    = 0;
    return;
  }
  stream->has_codes = false;
  if (stream->place == BANNER && stream->line[0] != '=')
    stream->place = SENTENCES;
  if (stream->place == SENTENCES && !is_sentence(stream->line))
    stream->place = PROGRAM;
  if (stream->is_inside)
    forward(stream, stream->line, stream->nbytes);
  else if (stream->place != PROGRAM)
    learn(stream->line, stream->nbytes);
  else
    take_other(stream);
  stream->is_inside = false;
  stream->nbytes    = 0;
}

/* ---- parts ------------------------------------------------------------------------------------ */

/* Whether what there is of a line may become one of Hydra's. */
static bool may_be_hydras(stream_t *stream)
{
  const char *line = stream->line;

  if (stream->is_inside)
    return false;
  stream->line[stream->nbytes] = '\0';
  return stream->place != PROGRAM || (stream->has_rule && line[0] == '=') ||
         (stream->has_codes && line[0] == '[') ||
         (strspn(line, "=") == stream->nbytes && stream->nbytes <= RULE) ||
         begins(line, "[proxy:") || begins(line, "[mpiexec@");
}

static void forward_part(stream_t *stream)
{
  forward_held(stream);
  if (stream->nbytes == 0)
    return;
  forward(stream, stream->line, stream->nbytes);
  stream->is_inside = true;
  stream->nbytes    = 0;
}

/* Read all that has arrived. */
static void read_stream(stream_t *stream)
{
  char    bytes[LINE];
  ssize_t n;

  while (stream->from[0] >= 0 && (n = read(stream->from[0], bytes, sizeof bytes)) > 0)
    for (ssize_t i = 0; i < n; i++) {
      stream->line[stream->nbytes++] = bytes[i];
      if (bytes[i] == '\n')
        take_line(stream);
      else if (stream->nbytes == LINE)
        forward_part(stream);
    }
  if (!may_be_hydras(stream))
    forward_part(stream);
}

/* ---- the whole ---------------------------------------------------------------------------------- */

void relay_open(children_t *children)
{
  for (int i = 0; i < 2; i++) {
    stream_t *stream = &streams[i];

    if (pipe2(stream->from, O_CLOEXEC) == 0 && fcntl(stream->from[0], F_SETFL, O_NONBLOCK) == 0 &&
        children_watch(children, stream->from[0]))
      continue;
    for (int end = 0; end < 2; end++) {
      if (stream->from[end] >= 0)
        close(stream->from[end]);
      stream->from[end] = -1;
    }
  }
}

void relay_become(void)
{
  for (int i = 0; i < 2; i++)
    if (streams[i].from[1] >= 0)
      dup2(streams[i].from[1], streams[i].to);
}

bool relay_readable(int fd)
{
  for (int i = 0; i < 2; i++)
    if (streams[i].from[0] == fd) {
      read_stream(&streams[i]);
      return true;
    }
  return false;
}

void relay_ended(void)
{
  for (int i = 0; i < 2; i++) {
    read_stream(&streams[i]);
    forward_part(&streams[i]);
  }
}

pid_t relay_killed(int *signal_out)
{
  *signal_out = killed_by;
  if (killed_by <= UNKNOWN)
    return 0;
  return killed_by == code ? named : -1;
}

int relay_exit_code(int64_t *unit_out)
{
  *unit_out = ends.first_unit;
  return ends.first;
}

bool relay_has_exited(void)
{
  return ends.first != 0 && !ends.any_killed;
}

int relay_status(uint32_t unit)
{
  return unit < ends.n ? ends.status[unit] : -1;
}

bool relay_lost_proxy(void)
{
  return lost_proxy;
}

bool relay_write_kept(void)
{
  launch_write(STDERR_FILENO, kept, nkept);
  return nkept > 0;
}
