/* Files. */
#include "prepare.h"

#include <stdlib.h>

#include <dash/dart/ext/dart_file.h>

static dart_file_t file;

static void new_file(void)
{
  buffers();
  MUST(dart_file_open(DART_TEAM_ALL, getenv("SURVIVE_FILE"),
                      DART_FILE_CREATE | DART_FILE_READ | DART_FILE_WRITE, 0600, &file));
}

static dart_ret_t file_open(void)
{
  return dart_file_open(DART_TEAM_ALL, getenv("SURVIVE_FILE"),
                        DART_FILE_CREATE | DART_FILE_READ | DART_FILE_WRITE, 0600, &file);
}

static dart_ret_t file_close(void)
{
  return dart_file_close(&file);
}

static dart_ret_t file_write_all(void)
{
  return dart_file_write_all(file, (uint64_t)me * 80, in, 10, DART_TYPE_LONG, DART_TYPE_LONG, NULL);
}

static dart_ret_t file_read_all(void)
{
  return dart_file_read_all(file, 0, out, 10, DART_TYPE_LONG, DART_TYPE_LONG, NULL);
}

static dart_ret_t file_write_ordered(void)
{
  return dart_file_write_ordered(file, in, 10, DART_TYPE_LONG, NULL);
}

static dart_ret_t file_read_ordered(void)
{
  size_t nread;

  return dart_file_read_ordered(file, out, 10, DART_TYPE_LONG, &nread);
}

static dart_ret_t file_read_shared(void)
{
  size_t nread; /* the file is empty */

  return dart_file_read_shared(file, out, 10, DART_TYPE_LONG, &nread);
}

static dart_ret_t file_tell_shared(void)
{
  uint64_t offset;

  return dart_file_tell_shared(file, &offset);
}

static dart_ret_t file_read_at(void)
{
  size_t nread;

  return dart_file_read_at(file, 0, out, 10, DART_TYPE_LONG, DART_TYPE_LONG, &nread);
}

/* Atomic accesses hold ranges of the file. */
static void atomic_file(void)
{
  new_file();
  MUST(dart_file_set_atomicity(file, true));
}

static dart_ret_t file_requests(void)
{
  dart_file_request_t request;
  int32_t             done = 0;
  dart_ret_t          ret;

  ret = dart_file_write_at_request(file, 0, in, 10, DART_TYPE_LONG, DART_TYPE_LONG, &request);
  if (ret == DART_OK)
    ret = dart_file_wait(&request, NULL);
  if (ret == DART_OK)
    ret = dart_file_read_at_request(file, 0, out, 10, DART_TYPE_LONG, DART_TYPE_LONG, &request);
  while (ret == DART_OK && done == 0)
    ret = dart_file_test(&request, &done, NULL);
  return ret;
}

static dart_ret_t file_write_shared(void)
{
  return dart_file_write_shared(file, in, 10, DART_TYPE_LONG, NULL);
}

static dart_ret_t file_write_at(void)
{
  return dart_file_write_at(file, (uint64_t)me * 80, in, 10, DART_TYPE_LONG, DART_TYPE_LONG, NULL);
}

static dart_ret_t file_resize(void)
{
  return dart_file_resize(file, 1000);
}

static dart_ret_t file_sync(void)
{
  return dart_file_sync(file);
}

static dart_ret_t file_set_atomicity(void)
{
  return dart_file_set_atomicity(file, true);
}

static dart_ret_t file_set_view(void)
{
  return dart_file_set_view(file, 0, DART_TYPE_LONG);
}

static dart_ret_t file_seek_shared(void)
{
  return dart_file_seek_shared(file, 0);
}

static const entry_t entries[] = {
  { "file_open", buffers, file_open, LOST },
  { "file_close", new_file, file_close, LOST },
  { "file_write_all", new_file, file_write_all, LOST },
  { "file_read_all", new_file, file_read_all, LOST },
  { "file_write_ordered", new_file, file_write_ordered, LOST },
  { "file_read_ordered", new_file, file_read_ordered, LOST },
  { "file_read_shared", new_file, file_read_shared, EITHER },
  { "file_tell_shared", new_file, file_tell_shared, EITHER },
  { "file_read_at", new_file, file_read_at, DONE },
  { "file_requests", new_file, file_requests, DONE },
  { "file_atomic_requests", atomic_file, file_requests, EITHER },
  { "file_write_shared", new_file, file_write_shared, EITHER },
  { "file_write_at", new_file, file_write_at, DONE },
  { "file_resize", new_file, file_resize, LOST },
  { "file_sync", new_file, file_sync, LOST },
  { "file_set_atomicity", new_file, file_set_atomicity, LOST },
  { "file_set_view", new_file, file_set_view, EITHER },
  { "file_seek_shared", new_file, file_seek_shared, LOST },
};

const call_table_t file_calls = { entries, sizeof entries / sizeof *entries };
