/* What the system may answer to a call on a file, and what dart/ext/dart_file.h makes of it: less than was asked for, an
 * interruption, no space, a quota, a device that fails. The program's own pread, preadv2 and pwrite stand before the C
 * library's, and answer so for the one file that a test names. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <dash/dart/ext/dart_file.h>

#include "file_path.h"

SUITE(file_system);

#define BYTE   DART_TYPE_BYTE
#define CREATE (DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE | DART_FILE_TRUNCATE)

/* ---- a system that answers what it is told to --------------------------------------------------- */

static struct {
  ino_t  file;  /* 0: all calls pass */
  size_t most;  /* bytes of a call */
  int    every; /* so many calls, one is interrupted; 0: none is */
  int    error; /* after `room` bytes; 0: none */
  size_t room;
  int    calls;
} mood;

static bool is_meant(int fd)
{
  struct stat status;

  return mood.file != 0 && fstat(fd, &status) == 0 && status.st_ino == mood.file;
}

/* How many bytes of a call to do; -1 with errno: none. */
static ssize_t answer(int fd, size_t nbytes)
{
  if (!is_meant(fd))
    return (ssize_t)nbytes;
  mood.calls++;
  if (mood.every != 0 && mood.calls % mood.every == 0) {
    errno = EINTR;
    return -1;
  }
  if (mood.error != 0 && mood.room == 0) {
    errno = mood.error;
    return -1;
  }
  nbytes = mood.most != 0 && nbytes > mood.most ? mood.most : nbytes;
  if (mood.error != 0) {
    nbytes = nbytes < mood.room ? nbytes : mood.room;
    mood.room -= nbytes;
  }
  return (ssize_t)nbytes;
}

ssize_t pread(int fd, void *buffer, size_t nbytes, off_t offset);
ssize_t pwrite(int fd, const void *buffer, size_t nbytes, off_t offset);
ssize_t preadv2(int fd, const struct iovec *pieces, int n, off_t offset, int flags);

__attribute__((visibility("default"))) ssize_t pread(int fd, void *buffer, size_t nbytes,
                                                     off_t offset)
{
  ssize_t n = answer(fd, nbytes);

  return n < 0 ? n : syscall(SYS_pread64, fd, buffer, (size_t)n, offset);
}

__attribute__((visibility("default"))) ssize_t pwrite(int fd, const void *buffer, size_t nbytes,
                                                      off_t offset)
{
  ssize_t n = answer(fd, nbytes);

  return n < 0 ? n : syscall(SYS_pwrite64, fd, buffer, (size_t)n, offset);
}

__attribute__((visibility("default"))) ssize_t preadv2(int fd, const struct iovec *pieces, int n,
                                                       off_t offset, int flags)
{
  struct iovec first = pieces[0];
  ssize_t      nbytes;

  if (n != 1 || !is_meant(fd))
    return syscall(SYS_preadv2, fd, pieces, n, (long)offset, 0L, flags);
  nbytes        = answer(fd, first.iov_len);
  first.iov_len = nbytes < 0 ? 0 : (size_t)nbytes;
  return nbytes < 0 ? nbytes : syscall(SYS_preadv2, fd, &first, 1, (long)offset, 0L, flags);
}

/* ---- files --------------------------------------------------------------------------------------- */

static ino_t number_of(const char *path)
{
  struct stat status = { 0 };

  EXPECT_EQ(stat(path, &status), 0);
  return status.st_ino;
}

static dart_file_t open_file(const char *path)
{
  dart_file_t file = DART_FILE_NULL;

  EXPECT_OK(dart_file_open(DART_TEAM_ALL, path, CREATE, 0600, &file));
  return file;
}

static void close_file(dart_file_t *file)
{
  mood.file = 0;
  test_barrier();
  EXPECT_OK(dart_file_close(file));
}

/* Every element of every unit, by each way there is. */
enum { NELEM = 600 };

static void write_and_read(dart_file_t file, uint64_t base, dart_datatype_t type, bool all)
{
  int64_t data[NELEM];
  size_t  count = 0, wrong = 0;

  for (int i = 0; i < NELEM; i++)
    data[i] = 1000 * (me + 1) + i;
  if (all)
    EXPECT_OK(dart_file_write_all(file, base, data, NELEM, T_INT64, type, &count));
  else
    EXPECT_OK(dart_file_write_at(file, base, data, NELEM, T_INT64, type, &count));
  EXPECT_EQ(count, NELEM);
  memset(data, 0, sizeof data);
  if (all)
    EXPECT_OK(dart_file_read_all(file, base, data, NELEM, T_INT64, type, &count));
  else
    EXPECT_OK(dart_file_read_at(file, base, data, NELEM, T_INT64, type, &count));
  EXPECT_EQ(count, NELEM);
  for (int i = 0; i < NELEM; i++)
    wrong += data[i] != 1000 * (me + 1) + i;
  EXPECT_EQ(wrong, 0);
  test_barrier();
}

TEST(short_and_interrupted_calls_are_continued)
{
  const char     *path = test_path(DART_TEAM_ALL, "short");
  dart_file_t     file = open_file(path);
  dart_datatype_t type;

  EXPECT_OK(dart_type_create_strided(T_INT64, 10 * (size_t)n, 10, &type));
  mood.file  = number_of(path);
  mood.most  = 37;
  mood.every = 3;
  mood.error = mood.calls = 0;
  for (int atomic = 0; atomic < 2; atomic++) {
    EXPECT_OK(dart_file_set_atomicity(file, atomic != 0));
    write_and_read(file, (uint64_t)me * NELEM * 8, T_INT64, false);
    write_and_read(file, (uint64_t)me * 80, type, false);
    write_and_read(file, (uint64_t)me * 80, type, true);
  }
  EXPECT_TRUE(mood.calls > NELEM * 8 / 37);
  EXPECT_OK(dart_type_destroy(&type));
  close_file(&file);
}

/* The first bytes up to where the system refuses, and its reason; others go on. */
static void try_refusal(dart_file_t file, const char *path, int error)
{
  enum { NBYTES = 2000, ROOM = 808 };
  char                data[NBYTES], got[NBYTES];
  size_t              count = 0;
  uint64_t            base  = (uint64_t)me * NBYTES;
  dart_file_request_t request;

  memset(data, me + 1, NBYTES);
  mood.file = number_of(path);
  mood.most = mood.every = 0;
  for (int by_request = 0; by_request < 2; by_request++) {
    EXPECT_OK(dart_file_resize(file, 0));
    mood.error = me == n - 1 ? error : 0;
    mood.room  = ROOM;
    if (by_request)
      EXPECT_OK(dart_file_write_at_request(file, base, data, NBYTES, BYTE, BYTE, &request));
    EXPECT_RET(by_request ? dart_file_wait(&request, &count)
                          : dart_file_write_at(file, base, data, NBYTES, BYTE, BYTE, &count),
               me == n - 1 ? DART_ERR_OTHER : DART_OK);
    EXPECT_EQ(count, me == n - 1 ? ROOM : NBYTES);
    if (me == n - 1)
      EXPECT_EQ(dart_file_error(), error);
    mood.error = 0;
    EXPECT_OK(dart_file_read_at(file, base, got, NBYTES, BYTE, BYTE, &count));
    EXPECT_EQ(count, me == n - 1 ? ROOM : NBYTES);
    EXPECT_BYTES(got, data, count);
    test_barrier();
  }
}

/* All units of a collective call are told the same, whichever met it, and whether its data go through windows. */
static void try_refusal_of_one(dart_file_t file, int error, size_t piece)
{
  static char     data[40000];
  dart_datatype_t type;
  size_t          count = 5;

  EXPECT_OK(dart_type_create_strided(BYTE, piece * (size_t)n, piece, &type));
  for (int reads = 0; reads < 2; reads++) {
    mood.error = me == 0 ? error : 0;
    mood.room  = 0;
    if (reads)
      EXPECT_RET(dart_file_read_all(file, piece * (uint64_t)me, data, 40000, BYTE, type, &count),
                 DART_ERR_OTHER);
    else
      EXPECT_RET(dart_file_write_all(file, piece * (uint64_t)me, data, 40000, BYTE, type, &count),
                 DART_ERR_OTHER);
    EXPECT_EQ(count, 0);
    EXPECT_EQ(dart_file_error(), error);
    mood.error = 0;
    test_barrier();
    EXPECT_OK(dart_file_write_all(file, piece * (uint64_t)me, data, 40000, BYTE, type, &count));
    EXPECT_EQ(count, 40000);
  }
  EXPECT_OK(dart_type_destroy(&type));
}

TEST(what_the_system_refuses_is_told)
{
  static const int errors[] = { ENOSPC, EDQUOT, EIO };
  const char      *path     = test_path(DART_TEAM_ALL, "refused");
  dart_file_t      file     = open_file(path);

  for (int i = 0; i < 3; i++) {
    try_refusal(file, path, errors[i]);
    try_refusal_of_one(file, errors[i], 100);
    try_refusal_of_one(file, errors[i], 20000);
  }
  close_file(&file);
}
