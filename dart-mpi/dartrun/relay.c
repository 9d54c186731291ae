/* See relay.h. What Hydra (4.0) writes, and is kept:
 *
 *   to stderr   [proxy:... or [mpiexec@...           its own errors
 *               Abort(N) on node ...: application called MPI_Abort(...
 *   to stdout   an empty line, a rule of '=', lines that begin with "=   ", a rule, and up to three sentences, of which
 *               the first names a signal that has killed a process
 *
 * An empty line and a rule are held until the next line shows what they are. What a program writes without the end of a
 * line is passed on at once, unless it may become one of these lines. */
#include "relay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launch.h"

#define LINE 1024 /* no line of Hydra's is longer */
#define KEPT 8192 /* bytes that are kept */

typedef enum { PROGRAM, BANNER, SENTENCES } place_t;

typedef struct {
  int     from[2]; /* the pipe; -1: there is none */
  int     to;
  place_t place;
  bool    is_inside; /* the beginning of this line was passed on */
  size_t  nbytes;    /* of an incomplete line */
  char    line[LINE];
  size_t  nheld; /* of an empty line and a rule, which may begin a banner */
  char    held[2 * LINE];
} stream_t;

static stream_t streams[2] = { { .from = { -1, -1 }, .to = STDOUT_FILENO },
                               { .from = { -1, -1 }, .to = STDERR_FILENO } };

static size_t nkept;
static char   kept[KEPT];
static pid_t  named; /* the process that the banner is about */
static int    killed_by;

static bool begins(const char *line, size_t nbytes, const char *with)
{
  return nbytes >= strlen(with) && memcmp(line, with, strlen(with)) == 0;
}

/* Whether an incomplete line may become one that begins so. */
static bool may_begin(const char *line, size_t nbytes, const char *with)
{
  return memcmp(line, with, nbytes < strlen(with) ? nbytes : strlen(with)) == 0;
}

/* What mpiexec's next write meets if nobody reads the launcher's output is what it would meet without the launcher. */
static void forward(stream_t *stream, const char *bytes, size_t nbytes)
{
  while (nbytes > 0) {
    ssize_t n = write(stream->to, bytes, nbytes);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0) {
      close(stream->from[0]);
      stream->from[0] = -1;
      return;
    }
    bytes += n;
    nbytes -= (size_t)n;
  }
}

static void keep_line(const char *line, size_t nbytes)
{
  if (nbytes > KEPT - nkept)
    nbytes = KEPT - nkept;
  memcpy(kept + nkept, line, nbytes);
  nkept += nbytes;
}

static void forward_held(stream_t *stream)
{
  forward(stream, stream->held, stream->nheld);
  stream->nheld = 0;
}

static void hold(stream_t *stream)
{
  memcpy(stream->held + stream->nheld, stream->line, stream->nbytes);
  stream->nheld += stream->nbytes;
}

/* ---- whole lines ------------------------------------------------------------------------------ */

static const char *const errors[]    = { "[proxy:", "[mpiexec@" };
static const char *const sentences[] = {
  "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: ",
  "This typically refers to a problem with your application.",
  "Please see the FAQ page for debugging suggestions"
};

#define ABORT "Abort("

static bool is_rule(const char *line, size_t nbytes)
{
  return nbytes > 40 && strspn(line, "=") == nbytes - 1;
}

static bool is_error(const char *line, size_t nbytes)
{
  return begins(line, nbytes, errors[0]) || begins(line, nbytes, errors[1]) ||
         (begins(line, nbytes, ABORT) &&
          memmem(line, nbytes, ": application called MPI_Abort(", 31) != NULL);
}

static bool is_sentence(const char *line, size_t nbytes)
{
  for (size_t i = 0; i < sizeof sentences / sizeof sentences[0]; i++)
    if (begins(line, nbytes, sentences[i]))
      return true;
  return false;
}

/* A line of Hydra's about the end of a process. */
static void learn(char *line, size_t nbytes)
{
  const char *signal;

  line[nbytes - 1] = '\0'; /* for the end of the line */
  sscanf(line, "=   PID %d ", &named);
  signal = strstr(line, "(signal ");
  if (signal != NULL)
    killed_by = atoi(signal + strlen("(signal "));
  line[nbytes - 1] = '\n';
  keep_line(line, nbytes);
}

/* A line of the program's, or one that begins a banner. */
static void take_other(stream_t *stream)
{
  const char *line = stream->line;
  size_t      n    = stream->nbytes;

  if (stream->nheld > 0 && begins(line, n, "=   BAD TERMINATION")) {
    keep_line(stream->held, stream->nheld);
    keep_line(line, n);
    stream->nheld = 0;
    stream->place = BANNER;
  } else if (is_rule(line, n) && stream->nheld <= 1) {
    hold(stream);
  } else {
    forward_held(stream);
    if (n == 1)
      hold(stream);
    else if (is_error(line, n))
      keep_line(line, n);
    else
      forward(stream, line, n);
  }
}

static void take_line(stream_t *stream)
{
  if (stream->place == BANNER && stream->line[0] != '=')
    stream->place = SENTENCES;
  if (stream->place == SENTENCES && !is_sentence(stream->line, stream->nbytes))
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

static bool may_be_kept(const stream_t *stream)
{
  const char *line = stream->line;
  size_t      n    = stream->nbytes;
  bool may = line[0] == '=' || may_begin(line, n, errors[0]) || may_begin(line, n, errors[1]) ||
             may_begin(line, n, ABORT);

  for (size_t i = 0; stream->place != PROGRAM && i < sizeof sentences / sizeof sentences[0]; i++)
    may = may || may_begin(line, n, sentences[i]);
  return may && n < LINE;
}

static void forward_part(stream_t *stream)
{
  forward_held(stream);
  forward(stream, stream->line, stream->nbytes);
  stream->is_inside = true;
  stream->nbytes    = 0;
}

/* Read all that has come. */
static void read_stream(stream_t *stream)
{
  char    bytes[LINE];
  ssize_t n;

  while (stream->from[0] >= 0 && (n = read(stream->from[0], bytes, sizeof bytes)) > 0) {
    for (ssize_t i = 0; i < n; i++) {
      stream->line[stream->nbytes++] = bytes[i];
      if (bytes[i] == '\n')
        take_line(stream);
      else if (stream->nbytes == LINE)
        forward_part(stream);
    }
    if (stream->nbytes > 0 && (stream->is_inside || !may_be_kept(stream)))
      forward_part(stream);
  }
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
  return killed_by > 0 ? named : 0;
}

bool relay_write_kept(void)
{
  stream_t to = { .from = { -1, -1 }, .to = STDERR_FILENO };

  if (nkept == 0)
    return false;
  forward(&to, kept, nkept);
  return true;
}
