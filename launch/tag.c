/* See tag.h. Each unit writes into two pipes, whose reader is the launcher, or a process of the unit's own. */
#include "tag.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch.h"

#define LINE ((size_t)1 << 20) /* a longer line is passed on in parts */

typedef struct {
  int    from[2]; /* the pipe */
  int    to;      /* the launcher's own stream */
  size_t ntag;    /* bytes of its tag */
  size_t room;    /* for a line and its tag and end */
  size_t nbytes;  /* of an incomplete line ... */
  char  *line;    /* ... behind its tag */
} stream_t;

struct tag {
  uint32_t      nunits;
  struct rlimit files;    /* the limit on descriptors, for units */
  stream_t      stream[]; /* two for each unit */
};

enum { STREAMS = 2 };

/* Write what there is of a line, with its end. */
static void write_line(stream_t *stream)
{
  stream->line[stream->ntag + stream->nbytes] = '\n';
  launch_write(stream->to, stream->line, stream->ntag + stream->nbytes + 1);
  stream->nbytes = 0;
}

/* Have room for one more byte. False: the line is as long as it may be, or there is no memory. */
static bool make_room(stream_t *stream)
{
  size_t room = 2 * stream->room;
  char  *line;

  if (stream->ntag + stream->nbytes + 2 <= stream->room)
    return true;
  line = stream->nbytes < LINE ? realloc(stream->line, room) : NULL;
  if (line == NULL)
    return false;
  stream->line = line;
  stream->room = room;
  return true;
}

/* Read all that has arrived. False: nobody writes any more. */
static bool read_stream(stream_t *stream)
{
  char    bytes[4096];
  ssize_t n;

  while ((n = read(stream->from[0], bytes, sizeof bytes)) > 0)
    for (ssize_t i = 0; i < n; i++) {
      bool ends = bytes[i] == '\n';

      if (ends || !make_room(stream))
        write_line(stream);
      if (!ends)
        stream->line[stream->ntag + stream->nbytes++] = bytes[i];
    }
  return n != 0;
}

static void end_stream(stream_t *stream)
{
  read_stream(stream);
  if (stream->nbytes > 0)
    write_line(stream);
}

/* Stream `i` of all: each unit has two. */
static bool open_stream(stream_t *stream, uint32_t i)
{
  stream->to   = i % STREAMS == 0 ? STDOUT_FILENO : STDERR_FILENO;
  stream->room = 256;
  stream->line = malloc(stream->room);
  if (stream->line == NULL || pipe2(stream->from, O_CLOEXEC) != 0)
    return false;
  stream->ntag = (size_t)sprintf(stream->line, "[%u] ", i / STREAMS);
  return fcntl(stream->from[0], F_SETFL, O_NONBLOCK) == 0;
}

tag_t *tag_open(children_t *children, uint32_t nunits)
{
  tag_t *tag = calloc(1, sizeof *tag + STREAMS * nunits * sizeof tag->stream[0]);

  if (tag == NULL) {
    launch_say("--tag: out of memory; lines get no tag");
    return NULL;
  }
  launch_raise_files(&tag->files);
  tag->nunits = nunits;
  for (uint32_t i = 0; i < STREAMS * nunits; i++)
    tag->stream[i].from[0] = tag->stream[i].from[1] = -1;
  for (uint32_t i = 0; i < STREAMS * nunits; i++)
    if (!open_stream(&tag->stream[i], i) || !children_watch(children, tag->stream[i].from[0])) {
      launch_say("--tag: %s; lines get no tag", launch_reason(errno));
      tag_close(tag);
      return NULL;
    }
  return tag;
}

void tag_close(tag_t *tag)
{
  for (uint32_t i = 0; tag != NULL && i < STREAMS * tag->nunits; i++) {
    for (int end = 0; end < 2; end++)
      if (tag->stream[i].from[end] >= 0)
        close(tag->stream[i].from[end]);
    free(tag->stream[i].line);
  }
  free(tag);
}

void tag_become(const tag_t *tag, uint32_t unit)
{
  dup2(tag->stream[STREAMS * unit].from[1], STDOUT_FILENO);
  dup2(tag->stream[STREAMS * unit + 1].from[1], STDERR_FILENO);
  setrlimit(RLIMIT_NOFILE, &tag->files);
}

bool tag_readable(tag_t *tag, int fd)
{
  for (uint32_t i = 0; tag != NULL && i < STREAMS * tag->nunits; i++)
    if (tag->stream[i].from[0] == fd) {
      read_stream(&tag->stream[i]);
      return true;
    }
  return false;
}

void tag_ended(tag_t *tag, uint32_t unit)
{
  for (uint32_t i = STREAMS * unit; tag != NULL && i < STREAMS * (unit + 1); i++)
    end_stream(&tag->stream[i]);
}

/* ---- a unit that somebody else starts ----------------------------------------------------------- */

/* Close what the program has open: mpiexec takes the end of a connection for the end of the unit. */
static void close_others(const stream_t *streams)
{
  DIR           *folder = opendir("/proc/self/fd");
  struct dirent *entry;

  while (folder != NULL && (entry = readdir(folder)) != NULL) {
    int fd = entry->d_name[0] == '.' ? dirfd(folder) : atoi(entry->d_name);

    if (fd != STDOUT_FILENO && fd != STDERR_FILENO && fd != dirfd(folder) &&
        fd != streams[0].from[0] && fd != streams[1].from[0])
      close(fd);
  }
  if (folder != NULL)
    closedir(folder);
}

/* Pass lines on until nobody writes any more. Signals to the unit's group do not end this process, for the last lines
 * say why the unit ends. */
static void follow(stream_t *streams)
{
  struct pollfd polls[STREAMS];
  int           nopen = STREAMS;

  setsid();
  signal(SIGPIPE, SIG_IGN);
  close_others(streams);
  for (int i = 0; i < STREAMS; i++)
    polls[i] = (struct pollfd){ .fd = streams[i].from[0], .events = POLLIN };
  while (nopen > 0 && (poll(polls, STREAMS, -1) >= 0 || errno == EINTR))
    for (int i = 0; i < STREAMS; i++)
      if (polls[i].fd >= 0 && polls[i].revents != 0 && !read_stream(&streams[i])) {
        end_stream(&streams[i]);
        polls[i].fd = -1;
        nopen--;
      }
}

void tag_own_output(uint32_t unit)
{
  stream_t streams[STREAMS] = { 0 };
  pid_t    child            = -1, reader;
  int      status;

  if (open_stream(&streams[0], STREAMS * unit) && open_stream(&streams[1], STREAMS * unit + 1))
    child = fork();
  if (child == 0) { /* its child is none of the program's */
    reader = fork();
    if (reader == 0)
      follow(streams);
    _exit(reader < 0 ? errno : 0);
  }
  if (child > 0 && waitpid(child, &status, 0) == child)
    errno = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
  if (child < 0 || errno != 0) {
    launch_say("--tag: %s; lines of unit %u get no tag", launch_reason(errno), unit);
    return;
  }
  for (int i = 0; i < STREAMS; i++) {
    dup2(streams[i].from[1], streams[i].to);
    free(streams[i].line);
  }
}
