/* dart/ext/dart_file.h: what goes wrong, and files that outlive what they were opened by. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dash/dart/ext/dart_file.h>

#include "file_calls.h"

SUITE(file_errors);

TEST(files_that_cannot_be_opened)
{
  char        path[300];
  dart_file_t file = (dart_file_t)&file;
  const char *made = test_path(DART_TEAM_ALL, "open");

  EXPECT_REFUSED(dart_file_open, (DART_TEAM_ALL, made, DART_FILE_READ, 0, &file), DART_ERR_NOTFOUND,
                 me == 0 ? made : "another unit");
  EXPECT_TRUE(file == DART_FILE_NULL);
  EXPECT_EQ(dart_file_error(), ENOENT);
  EXPECT_RET(dart_file_open(DART_TEAM_ALL, "/tmp", DART_FILE_READ, 0, &file), DART_ERR_OTHER);
  EXPECT_EQ(dart_file_error(), EISDIR);
  EXPECT_RET(dart_file_open(DART_TEAM_ALL, "/tmp", DART_FILE_WRITE, 0, &file), DART_ERR_OTHER);
  EXPECT_EQ(dart_file_error(), EISDIR);
  snprintf(path, sizeof path, "%s.fifo", made);
  if (me == 0)
    EXPECT_EQ(mkfifo(path, 0600), 0);
  test_barrier();
  EXPECT_RET(dart_file_open(DART_TEAM_ALL, path, DART_FILE_READ, 0, &file), DART_ERR_OTHER);
  EXPECT_RET(dart_file_open(DART_TEAM_ALL, path, DART_FILE_WRITE, 0, &file), DART_ERR_OTHER);
  test_barrier();
  if (me == 0)
    EXPECT_EQ(unlink(path), 0);
  file = open_file(DART_TEAM_ALL, made, CREATE);
  close_file(&file);
  EXPECT_RET(dart_file_open(DART_TEAM_ALL, made, CREATE | DART_FILE_EXCLUSIVE, 0600, &file),
             DART_ERR_OTHER);
  EXPECT_EQ(dart_file_error(), EEXIST);
  EXPECT_TRUE(file == DART_FILE_NULL);
}

/* The limit of the process is where the disk would be full; it is far away, for memory that DART shares is in
 * files, too. */
TEST(what_does_not_fit_is_not_said_to_be_written)
{
  enum { NBYTES = 5000, ROOM = 3200 };
  const uint64_t  base = (uint64_t)1 << 40;
  struct rlimit   before, less;
  dart_file_t     file;
  char            data[NBYTES];
  size_t          count = 0;
  dart_datatype_t type;

  memset(data, 'x', sizeof data);
  EXPECT_OK(dart_type_create_strided(BYTE, 200, 100, &type));
  EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  less = (struct rlimit){ base + ROOM, before.rlim_max };
  EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &less), 0);
  file = open_file(DART_TEAM_ALL, test_path(DART_TEAM_ALL, "limit"), CREATE);
  EXPECT_RET(dart_file_write_at(file, base, data, NBYTES, BYTE, BYTE, &count), DART_ERR_OTHER);
  EXPECT_EQ(dart_file_error(), EFBIG);
  EXPECT_EQ(count, ROOM);
  EXPECT_EQ(size_of(file), base + ROOM);
  EXPECT_RET(dart_file_write_at(file, base, data, 2000, BYTE, type, &count), DART_ERR_OTHER);
  EXPECT_EQ(count, ROOM / 2);
  EXPECT_RET(dart_file_write_all(file, base + (uint64_t)(n - 1 - me) * 100, data,
                                 me == 0 ? NBYTES : 10, BYTE, BYTE, &count),
             DART_ERR_OTHER);
  EXPECT_EQ(dart_file_error(), EFBIG);
  EXPECT_EQ(count, 0);
  EXPECT_RET(dart_file_resize(file, base + ROOM + 1), DART_ERR_OTHER);
  EXPECT_EQ(size_of(file), base + ROOM);
  EXPECT_OK(dart_file_set_atomicity(file, true));
  EXPECT_RET(dart_file_write_at(file, base, data, 2000, BYTE, type, &count), DART_ERR_OTHER);
  EXPECT_EQ(count, ROOM / 2);
  EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_OK(dart_type_destroy(&type));
  close_file(&file);
}

TEST(a_file_may_shrink_meanwhile)
{
  enum { NBYTES = 30000 };
  const char     *path = test_path(DART_TEAM_ALL, "shrink");
  dart_file_t     file = open_file(DART_TEAM_ALL, path, CREATE);
  char           *data = calloc(NBYTES, 1);
  size_t          count;
  dart_datatype_t type;

  EXPECT_OK(dart_type_create_strided(BYTE, 4, 1, &type));
  if (me == 0)
    EXPECT_OK(dart_file_write_at(file, 0, data, NBYTES, BYTE, BYTE, NULL));
  test_barrier();
  if (me == n - 1)
    EXPECT_EQ(truncate(path, 1001), 0); /* behind DART's back */
  test_barrier();
  EXPECT_OK(dart_file_read_at(file, 0, data, NBYTES, BYTE, BYTE, &count));
  EXPECT_EQ(count, 1001);
  EXPECT_OK(dart_file_read_at(file, 0, data, 1000, BYTE, type, &count));
  EXPECT_EQ(count, 251);
  EXPECT_OK(dart_file_resize(file, 5000));
  EXPECT_EQ(size_of(file), 5000);
  EXPECT_OK(dart_type_destroy(&type));
  free(data);
  close_file(&file);
}

TEST(files_of_parts_of_the_job)
{
  dart_team_t half  = test_split(DART_TEAM_ALL, 2);
  const char *path  = test_path(half, me % 2 == 0 ? "even" : "odd");
  dart_file_t file  = open_file(half, path, CREATE);
  int64_t     value = 10 * me, got[8] = { 0 };

  EXPECT_OK(dart_file_write_ordered(file, &value, 1, T_INT64, NULL));
  EXPECT_OK(dart_file_read_at(file, 0, got, (size_t)test_team_size(half), T_INT64, T_INT64, NULL));
  for (int i = 0; i < test_team_size(half); i++)
    EXPECT_EQ(got[i], 10 * (2 * i + me % 2));
  close_file(&file);
}

TEST(files_may_outlive_team_and_runtime)
{
  dart_team_t team = DART_TEAM_NULL;
  const char *path = test_path(DART_TEAM_ALL, "outlive");
  dart_file_t file, old;
  int64_t     value = 3;

  EXPECT_OK(dart_team_clone(DART_TEAM_ALL, &team));
  file = open_file(team, path, CREATE);
  EXPECT_OK(dart_file_set_atomicity(file, true));
  EXPECT_OK(dart_file_write_all(file, 8 * (uint64_t)me, &value, 1, T_INT64, T_INT64, NULL));
  EXPECT_OK(dart_team_destroy(&team));
  EXPECT_INVAL(dart_file_write_at(file, 0, &value, 1, T_INT64, T_INT64, NULL));
  close_file(&file);
  file = open_file(DART_TEAM_ALL, path, CREATE);
  old  = open_file(DART_TEAM_ALL, path, CREATE);
  EXPECT_OK(dart_file_write_all(old, 8 * (uint64_t)me, &value, 1, T_INT64, T_INT64, NULL));
  EXPECT_OK(dart_exit());
  close_file(&file);
  EXPECT_OK(dart_init(NULL, NULL));
  EXPECT_INVAL(dart_file_write_at(old, 0, &value, 1, T_INT64, T_INT64, NULL));
  close_file(&old);
}

TEST(wrong_arguments_of_files_are_refused)
{
  const char         *path = test_path(DART_TEAM_ALL, "arguments");
  dart_file_t         file = open_file(DART_TEAM_ALL, path, CREATE), bad;
  dart_file_request_t request;
  int64_t             value = 0;
  size_t              count;
  uint64_t            nbytes;
  int32_t             done;
  double              real = 0;

  EXPECT_REFUSED(dart_file_open, (12345, path, DART_FILE_READ, 0, &bad), DART_ERR_INVAL, "12345");
  EXPECT_REFUSED(dart_file_open, (DART_TEAM_ALL, NULL, DART_FILE_READ, 0, &bad), DART_ERR_INVAL,
                 "path");
  EXPECT_REFUSED(dart_file_open, (DART_TEAM_ALL, path, 0, 0, &bad), DART_ERR_INVAL, "flags 0");
  EXPECT_REFUSED(dart_file_open, (DART_TEAM_ALL, path, 64 + 1, 0, &bad), DART_ERR_INVAL,
                 "flags 0x41");
  EXPECT_REFUSED(dart_file_open,
                 (DART_TEAM_ALL, path, DART_FILE_READ | DART_FILE_TRUNCATE, 0, &bad),
                 DART_ERR_INVAL, "flags 0x11");
  EXPECT_REFUSED(dart_file_open, (DART_TEAM_ALL, path, DART_FILE_READ, 0, NULL), DART_ERR_INVAL,
                 "file");
  EXPECT_REFUSED(dart_file_size, (file, NULL), DART_ERR_INVAL, "nbytes");
  EXPECT_REFUSED(dart_file_size, (DART_FILE_NULL, &nbytes), DART_ERR_INVAL, "file");
  EXPECT_REFUSED(dart_file_sync, (DART_FILE_NULL), DART_ERR_INVAL, "file");
  EXPECT_REFUSED(dart_file_resize, (file, (uint64_t)1 << 63), DART_ERR_INVAL,
                 "9223372036854775808");
  EXPECT_REFUSED(dart_file_set_atomicity, (DART_FILE_NULL, true), DART_ERR_INVAL, "file");
  EXPECT_REFUSED(dart_file_set_view, (file, 0, (dart_datatype_t)99999), DART_ERR_INVAL,
                 "type 99999 ");
  EXPECT_REFUSED(dart_file_read_at, (file, 0, &value, 1, T_INT64, DART_TYPE_DOUBLE, &count),
                 DART_ERR_INVAL, "1 elements");
  EXPECT_REFUSED(dart_file_read_at, (file, 0, NULL, 1, T_INT64, T_INT64, &count), DART_ERR_INVAL,
                 "buffer");
  EXPECT_REFUSED(dart_file_write_at, (file, (uint64_t)1 << 63, &value, 1, T_INT64, T_INT64, &count),
                 DART_ERR_INVAL, "9223372036854775808");
  EXPECT_REFUSED(dart_file_write_at, (file, INT64_MAX - 6, &value, 1, T_INT64, T_INT64, &count),
                 DART_ERR_INVAL, "beyond");
  EXPECT_REFUSED(dart_file_write_at, (file, 0, &value, SIZE_MAX / 4, T_INT64, T_INT64, &count),
                 DART_ERR_INVAL, "elements");
  EXPECT_REFUSED(dart_file_write_all, (file, 0, &real, 1, DART_TYPE_DOUBLE, T_INT64, &count),
                 DART_ERR_INVAL, "1 elements");
  EXPECT_EQ(count, 0);
  EXPECT_REFUSED(dart_file_read_all, (DART_FILE_NULL, 0, &real, 1, T_INT64, T_INT64, &count),
                 DART_ERR_INVAL, "file");
  EXPECT_REFUSED(dart_file_write_shared, (file, &value, 1, DART_TYPE_UNDEFINED, &count),
                 DART_ERR_INVAL, "1 elements");
  EXPECT_REFUSED(dart_file_read_shared, (DART_FILE_NULL, &value, 1, T_INT64, &count),
                 DART_ERR_INVAL, "file");
  EXPECT_REFUSED(dart_file_seek_shared, (file, UINT64_MAX), DART_ERR_INVAL, "18446744073709551615");
  EXPECT_REFUSED(dart_file_tell_shared, (file, NULL), DART_ERR_INVAL, "offset");
  EXPECT_REFUSED(dart_file_read_at_request, (file, 0, &value, 1, T_INT64, T_INT64, NULL),
                 DART_ERR_INVAL, "request");
  EXPECT_REFUSED(dart_file_write_at_request, (file, 0, NULL, 1, T_INT64, T_INT64, &request),
                 DART_ERR_INVAL, "buffer");
  EXPECT_TRUE(request == DART_FILE_REQUEST_NULL);
  EXPECT_REFUSED(dart_file_wait, (NULL, &count), DART_ERR_INVAL, "request");
  EXPECT_REFUSED(dart_file_test, (&request, NULL, &count), DART_ERR_INVAL, "done");
  EXPECT_REFUSED(dart_file_test, (NULL, &done, &count), DART_ERR_INVAL, "request");
  EXPECT_EQ(size_of(file), 0);
  close_file(&file);
  EXPECT_OK(dart_file_close(&file));
  EXPECT_OK(dart_file_close(NULL));
  file = open_file(DART_TEAM_ALL, path, DART_FILE_READ);
  EXPECT_REFUSED(dart_file_write_at, (file, 0, &value, 1, T_INT64, T_INT64, &count), DART_ERR_INVAL,
                 "writing");
  close_file(&file);
}

/* By the running kernel: so for simulated nodes, too. */
static bool are_on_one_host(int one, int other)
{
  enum { LENGTH = 36 };
  char *all = calloc((size_t)n, LENGTH), own[LENGTH + 1] = "";
  FILE *boot = fopen("/proc/sys/kernel/random/boot_id", "r");
  bool  is_one;

  if (boot != NULL) {
    EXPECT_TRUE(fgets(own, sizeof own, boot) != NULL);
    fclose(boot);
  }
  EXPECT_OK(dart_allgather(own, all, LENGTH, DART_TYPE_BYTE, DART_TEAM_ALL));
  is_one =
      all[one * LENGTH] != '\0' && memcmp(all + one * LENGTH, all + other * LENGTH, LENGTH) == 0;
  free(all);
  return is_one;
}

/* A unit that opens another file than the others of its host, of this node or another, is found out, on all units. */
TEST_N(2, units_of_a_host_open_the_same_file)
{
  const char *path = test_path(DART_TEAM_ALL, "one");
  char        other[300];
  dart_file_t file = DART_FILE_NULL;

  snprintf(other, sizeof other, "%s-other", path);
  for (int i = 0; i < 2; i++) {
    EXPECT_OK(dart_file_open(DART_TEAM_ALL, i == 0 ? other : path, CREATE, 0600, &file));
    EXPECT_OK(dart_file_close(&file));
  }
  if (are_on_one_host(0, 1))
    EXPECT_RET(dart_file_open(DART_TEAM_ALL, me == 1 ? other : path, CREATE, 0600, &file),
               DART_ERR_INVAL);
  EXPECT_TRUE(file == DART_FILE_NULL);
  EXPECT_OK(dart_file_open(DART_TEAM_ALL, path, CREATE, 0600, &file));
  EXPECT_OK(dart_file_close(&file));
  test_barrier();
  if (me == 0)
    unlink(other);
}
