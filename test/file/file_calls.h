#ifndef FILE_CALLS_H
#define FILE_CALLS_H
/* Calls on files that have to succeed, for suites. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <dash/dart/ext/dart_file.h>

#include "file_path.h"

#define BYTE   DART_TYPE_BYTE
#define CREATE (DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE | DART_FILE_TRUNCATE)

static inline dart_file_t open_file(dart_team_t team, const char *path, unsigned flags)
{
  dart_file_t file = DART_FILE_NULL;

  EXPECT_OK(dart_file_open(team, path, flags, 0600, &file));
  EXPECT_TRUE(file != DART_FILE_NULL);
  return file;
}

static inline void close_file(dart_file_t *file)
{
  EXPECT_OK(dart_file_close(file));
  EXPECT_TRUE(*file == DART_FILE_NULL);
}

static inline uint64_t size_of(dart_file_t file)
{
  uint64_t nbytes = 77;

  EXPECT_OK(dart_file_size(file, &nbytes));
  return nbytes;
}

/* The whole file, by plain calls. Bytes beyond its end are `beyond`. */
static inline void read_plain(const char *path, unsigned char *buffer, size_t nbytes, int beyond)
{
  int fd = open(path, O_RDONLY);

  memset(buffer, beyond, nbytes);
  EXPECT_TRUE(fd >= 0 && read(fd, buffer, nbytes) >= 0);
  close(fd);
}

#endif
