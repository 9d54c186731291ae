/* What the system may answer to a call on a file, and what dart/ext/dart_file.h makes of it: less than was
 * asked for, an interruption, no space, a quota, a device that fails, an end that was not there before. The
 * program's own pread, preadv2, pwrite and fdatasync stand before the C library's, and answer so for the one file that a
 * test names. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <dash/dart/ext/dart_file.h>
#include <dash/dart/ext/dart_near.h>

#include "file_path.h"

SUITE(file_system);

#define BYTE   DART_TYPE_BYTE
#define CREATE (DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE | DART_FILE_TRUNCATE)

/* ---- a system that answers what it is told to --------------------------------------------------- */

static struct mood {
  ino_t  file;  /* 0: all calls pass */
  size_t most;  /* bytes of a call */
  int    every; /* so many calls, one is interrupted; 0: none is */
  int    error; /* after `room` bytes; 0: none */
  size_t room;
  int    calls;
  int    slow; /* us that a call takes */
  int   cut; /* in this call the file ends at `end`, as if another program had cut it; 0: in none */
  off_t end;
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
  if (mood.slow != 0)
    usleep((useconds_t)mood.slow);
  if (mood.calls == mood.cut)
    EXPECT_EQ(ftruncate(fd, mood.end), 0);
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

int fdatasync(int fd);

__attribute__((visibility("default"))) int fdatasync(int fd)
{
  return answer(fd, 0) < 0 ? -1 : (int)syscall(SYS_fdatasync, fd);
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

/* A unit without data, or with data that go by themselves, serves its window all the same. */
TEST_N(2, what_is_refused_to_a_unit_without_data_is_told)
{
  static char     data[1 << 20];
  const char     *path = test_path(DART_TEAM_ALL, "without");
  dart_file_t     file = open_file(path);
  dart_datatype_t type;
  size_t          count;
  int             near;

  /* the data of a single unit go through windows of its node alone */
  near = dart_near_ptr(test_unit(test_segment(DART_TEAM_ALL, 8, 0), 1)) != NULL;
  EXPECT_OK(dart_bcast(&near, 1, DART_TYPE_INT, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  EXPECT_OK(dart_type_create_strided(BYTE, 128, 64, &type));
  mood.file = number_of(path);
  for (int own = 0; near && own < 2; own++) {
    size_t nbytes = me == 0 ? sizeof data : me == n - 1 ? 64 * (size_t)own : 0;

    mood.error = me > 0 ? EIO : 0;
    mood.room  = 0;
    EXPECT_RET(dart_file_write_all(file, 0, data, nbytes, BYTE, type, &count), DART_ERR_OTHER);
    EXPECT_EQ(count, 0);
    EXPECT_EQ(dart_file_error(), EIO);
    mood.error = 0;
    test_barrier();
    EXPECT_OK(dart_file_write_all(file, 0, data, nbytes, BYTE, type, &count));
    EXPECT_EQ(count, nbytes);
    mood.error = me > 0 ? EIO : 0;
    EXPECT_RET(dart_file_read_all(file, 0, data, nbytes, BYTE, type, &count), DART_ERR_OTHER);
    mood.error = 0;
    test_barrier();
  }
  EXPECT_OK(dart_type_destroy(&type));
  close_file(&file);
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

/* Unit 0 asks for it, for its node, as often as it is interrupted; if it is refused, all are told. */
TEST(a_sync_waits_for_the_device)
{
  const char *path = test_path(DART_TEAM_ALL, "sync");
  dart_file_t file = open_file(path);

  mood = (struct mood){ .file = number_of(path), .every = 2, .calls = 1 };
  EXPECT_OK(dart_file_sync(file));
  if (me == 0)
    EXPECT_EQ(mood.calls, 3);
  mood = (struct mood){ .file = mood.file, .error = me == 0 ? EIO : 0 };
  EXPECT_RET(dart_file_sync(file), DART_ERR_OTHER);
  EXPECT_EQ(dart_file_error(), EIO);
  close_file(&file);
}

/* ---- a file that another program makes shorter ------------------------------------------------------ */

enum { SHORT = 808, LONG = 2000 };

/* LONG bytes of this unit alone, of which the second call on the file finds SHORT. */
static dart_file_t open_own(const char *path, char *data)
{
  dart_file_t file = DART_FILE_NULL;

  mood = (struct mood){ 0 };
  EXPECT_OK(dart_file_open(DART_TEAM_ALL, path, CREATE, 0600, &file));
  memset(data, 3, LONG);
  if (me == 0)
    EXPECT_OK(dart_file_write_at(file, 0, data, LONG, BYTE, BYTE, NULL));
  test_barrier();
  mood = (struct mood){ .file = number_of(path), .most = 100, .cut = 2, .end = SHORT };
  return file;
}

TEST(a_read_ends_where_the_file_ends_meanwhile)
{
  const char *path = test_path(DART_TEAM_ALL, "shrinks");
  char        data[LONG], got[LONG];
  size_t      count = 0;
  dart_file_t file  = open_own(path, data);

  if (me == 0) {
    EXPECT_OK(dart_file_read_at(file, 0, got, LONG, BYTE, BYTE, &count));
    EXPECT_EQ(count, SHORT);
    EXPECT_BYTES(got, data, SHORT);
    EXPECT_OK(dart_file_write_at(file, 0, data, LONG, BYTE, BYTE, NULL));
    mood.calls = 0;
    EXPECT_RET(dart_file_read_at(file, 0, got, LONG, BYTE, BYTE, NULL), DART_ERR_OTHER);
    EXPECT_EQ(dart_file_error(), 0);
  }
  close_file(&file);
}

/* What is behind the new end is written there all the same, and what was before it is zero. */
TEST(a_write_goes_on_behind_an_end_that_comes_meanwhile)
{
  const char *path = test_path(DART_TEAM_ALL, "shrinks");
  char        data[LONG], got[LONG], expected[LONG];
  size_t      count = 0;
  dart_file_t file  = open_own(path, data);

  if (me == 0) {
    mood.end = 50;
    EXPECT_OK(dart_file_write_at(file, 0, data, LONG, BYTE, BYTE, &count));
    EXPECT_EQ(count, LONG);
    mood.file = 0;
    EXPECT_OK(dart_file_read_at(file, 0, got, LONG, BYTE, BYTE, &count));
    memcpy(expected, data, LONG);
    memset(expected + 50, 0, 50);
    EXPECT_EQ(count, LONG);
    EXPECT_BYTES(got, expected, LONG);
  }
  close_file(&file);
}

/* One unit reads all of it, in a call of all. */
TEST(a_collective_read_ends_where_the_file_ends_meanwhile)
{
  const char *path = test_path(DART_TEAM_ALL, "shrinks");
  char        data[LONG], got[LONG];
  size_t      count = 0;
  dart_file_t file  = open_own(path, data);

  mood.cut = me == 0 ? 2 : 0;
  EXPECT_OK(dart_file_read_all(file, 0, got, me == 0 ? LONG : 0, BYTE, BYTE, &count));
  EXPECT_EQ(count, me == 0 ? SHORT : 0);
  EXPECT_BYTES(got, data, count);
  close_file(&file);
}

/* ---- a file that grows ------------------------------------------------------------------------------- */

/* Unit 0 writes piece by piece behind the end, and takes its time. Others read between the pieces: nothing, or what is
 * there when it is done. */
TEST_N(2, the_end_of_a_file_moves_by_whole_writes)
{
  enum { PIECES = 8, PIECE = 100, PERIOD = 8192, BETWEEN = (PIECES - 1) * PIECE };
  const char     *path                 = test_path(DART_TEAM_ALL, "grows");
  dart_file_t     file                 = open_file(path);
  char            data[PIECES * PIECE] = { 0 }, got[BETWEEN];
  dart_datatype_t type;
  size_t          count = 0;

  EXPECT_OK(dart_type_create_strided(BYTE, PERIOD, PIECE, &type));
  EXPECT_OK(dart_file_set_atomicity(file, true));
  if (me == 0) {
    mood = (struct mood){ .file = number_of(path), .slow = 3000 };
    EXPECT_OK(dart_file_write_at(file, 0, data, sizeof data, BYTE, type, NULL));
  }
  while (me > 0 && count == 0)
    if (!EXPECT_OK(dart_file_read_at(file, PERIOD / 2, got, BETWEEN, BYTE, type, &count)))
      break;
  EXPECT_EQ(count, me == 0 ? 0 : BETWEEN);
  EXPECT_OK(dart_type_destroy(&type));
  close_file(&file);
}

/* ---- tests of requests ------------------------------------------------------------------------------ */

/* Wait until all units but the caller have written. */
static void wait_for_writers(dart_gptr_t state)
{
  for (int u = 0; u < n - 1; u++) {
    int64_t written = 0;

    while (written == 0 && EXPECT_OK(dart_get_blocking(&written, test_at(test_unit(state, u), 1), 1,
                                                       T_INT64, T_INT64)))
      test_pause();
  }
}

/* All but the last unit write to the same bytes again and again, and take so long for it that somebody always waits for
 * these bytes, until the last one has written there, too, which tests in a loop. */
TEST_N(3, tests_in_a_loop_come_to_their_turn)
{
  const char         *path = test_path(DART_TEAM_ALL, "loop");
  dart_file_t         file = open_file(path);
  dart_file_request_t request;
  dart_gptr_t state = test_segment(DART_TEAM_ALL, 2 * sizeof(int64_t), 0); /* over, written */
  char        data[LONG];
  int64_t     over = 0, one = 1;
  int32_t     done  = 0;
  size_t      count = 0;

  memset(data, me, LONG);
  EXPECT_OK(dart_file_set_atomicity(file, true));
  mood = (struct mood){ .file = number_of(path), .slow = 1000 };
  while (me < n - 1 && over == 0) {
    if (!EXPECT_OK(dart_file_write_at(file, 0, data, LONG, BYTE, BYTE, NULL)))
      break;
    EXPECT_OK(dart_put_blocking(test_at(test_unit(state, me), 1), &one, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_get_blocking(&over, state, 1, T_INT64, T_INT64));
  }
  if (me == n - 1) {
    wait_for_writers(state);
    EXPECT_OK(dart_file_write_at_request(file, 0, data, LONG, BYTE, BYTE, &request));
    while (done == 0 && EXPECT_OK(dart_file_test(&request, &done, &count)))
      test_pause();
    EXPECT_EQ(count, LONG);
    EXPECT_OK(dart_put_blocking(state, &one, 1, T_INT64, T_INT64));
  }
  close_file(&file);
}
