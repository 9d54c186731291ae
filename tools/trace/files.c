/* Each file is mapped, and only the events that it counts are read: a program that was killed has left empty room
 * behind them. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dash/dart/if/dart.h>

#include "clocks.h"
#include "names.h"
#include "trace.h"

static void fail(const char *path, const char *why)
{
  trace_say("%s: %s", path, why);
  exit(1);
}

static const char *map_file(const char *path, size_t *nbytes_out)
{
  int         file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat about;
  void       *first;

  if (file < 0 || fstat(file, &about) != 0)
    fail(path, strerror(errno));
  if (about.st_size < DART__TRACE_HEADER_BYTES)
    fail(path, "not a file of events");
  first = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  if (first == MAP_FAILED)
    fail(path, strerror(errno));
  close(file);
  *nbytes_out = (size_t)about.st_size;
  return first;
}

static trace_file_t read_file(const char *path)
{
  size_t       nbytes;
  const char  *first = map_file(path, &nbytes);
  trace_file_t file  = { .header = (const void *)first,
                         .event  = (const void *)(first + DART__TRACE_HEADER_BYTES) };

  if (memcmp(file.header->magic, DART__TRACE_MAGIC, sizeof file.header->magic) != 0)
    fail(path, "not a file of events");
  if (strcmp(file.header->version, DART_VERSION_STR) != 0 ||
      file.header->ncalls != DART__TRACE_NCALLS)
    fail(path, "made by another version of DART");
  file.n = atomic_load((_Atomic uint64_t *)&file.header->nevents);
  if (file.n > (nbytes - DART__TRACE_HEADER_BYTES) / sizeof file.event[0])
    fail(path, "cut short");
  return file;
}

static int by_unit_and_thread(const void *a, const void *b)
{
  const dart__trace_header_t *one   = ((const trace_file_t *)a)->header;
  const dart__trace_header_t *other = ((const trace_file_t *)b)->header;

  if (one->unit != other->unit)
    return one->unit < other->unit ? -1 : 1;
  return one->thread < other->thread ? -1 : one->thread > other->thread;
}

static void note_times(trace_t *trace, const trace_file_t *file)
{
  uint64_t begin, end;

  if (file->n == 0)
    return;
  begin        = trace_time(file, file->event[0].time);
  end          = trace_time(file, file->event[file->n - 1].time);
  trace->begin = trace->begin == 0 || begin < trace->begin ? begin : trace->begin;
  trace->end   = end > trace->end ? end : trace->end;
}

void trace_read(const char *folder, trace_t *trace_out)
{
  char    pattern[4096];
  glob_t  found;
  trace_t trace = { 0 };

  snprintf(pattern, sizeof pattern, "%s/unit-*.events", folder);
  if (glob(pattern, 0, NULL, &found) != 0)
    fail(folder, "no files of events: was the program run with DART_TRACE, and is it linked with "
                 "DART's shared library, or with -l:libdart-trace.a?");
  trace.nfiles = found.gl_pathc;
  trace.file   = calloc(trace.nfiles, sizeof trace.file[0]);
  if (trace.file == NULL)
    fail(folder, "out of memory");
  for (size_t i = 0; i < trace.nfiles; i++) {
    trace.file[i] = read_file(found.gl_pathv[i]);
    trace.ndropped += atomic_load((_Atomic uint64_t *)&trace.file[i].header->ndropped);
  }
  globfree(&found);
  qsort(trace.file, trace.nfiles, sizeof trace.file[0], by_unit_and_thread);
  trace.nunits = trace.file[0].header->nunits;
  clocks_agree(&trace);
  for (size_t i = 0; i < trace.nfiles; i++)
    note_times(&trace, &trace.file[i]);
  *trace_out = trace;
}

void trace_forget(trace_t *trace)
{
  free(trace->file); /* the mappings end with the process */
  trace->file = NULL;
}
