/* dart/ext/dart_file.h: what is written is there, in every layout, by one unit and by all. Views are in
 * suite_file_views.c, what goes wrong in suite_file_errors.c, atomic mode in suite_file_atomic.c. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dash/dart/ext/dart_file.h>

#include "file_calls.h"

SUITE(file);

enum { MOST = 1 << 16 };

TEST(what_is_written_is_read)
{
  enum { NBYTES = 1000 };
  const char   *path = test_path(DART_TEAM_ALL, "plain");
  dart_file_t   file = open_file(DART_TEAM_ALL, path, CREATE);
  unsigned char mine[NBYTES], got[NBYTES];
  size_t        count = 5;

  for (int round = 0; round < 3; round++) {
    int other = (me + 1) % n;

    test_fill(mine, me, round, NBYTES);
    EXPECT_OK(dart_file_write_at(file, (uint64_t)me * NBYTES, mine, NBYTES, BYTE, BYTE, &count));
    EXPECT_EQ(count, NBYTES);
    test_barrier();
    test_fill(mine, other, round, NBYTES);
    EXPECT_OK(dart_file_read_at(file, (uint64_t)other * NBYTES, got, NBYTES, BYTE, BYTE, &count));
    EXPECT_EQ(count, NBYTES);
    EXPECT_BYTES(got, mine, NBYTES);
    test_barrier();
  }
  EXPECT_EQ(size_of(file), (uint64_t)n * NBYTES);
  memset(got, 0x33, NBYTES);
  EXPECT_OK(dart_file_read_at(file, (uint64_t)n * NBYTES - 10, got, NBYTES / 8, DART_TYPE_LONG,
                              DART_TYPE_LONG, &count));
  EXPECT_EQ(count, 1); /* whole elements before the end */
  EXPECT_FILLED(got + 10, 0x33, NBYTES - 10);
  EXPECT_OK(dart_file_read_at(file, INT64_MAX - NBYTES, got, NBYTES, BYTE, BYTE, &count));
  EXPECT_EQ(count, 0);
  EXPECT_OK(dart_file_sync(file));
  close_file(&file);
  file = open_file(DART_TEAM_ALL, path, DART_FILE_READ);
  EXPECT_OK(dart_file_read_at(file, (uint64_t)me * NBYTES, got, NBYTES, BYTE, BYTE, NULL));
  test_fill(mine, me, 2, NBYTES);
  EXPECT_BYTES(got, mine, NBYTES);
  close_file(&file);
}

/* ---- layouts ------------------------------------------------------------------------------------ */

/* A type of int64_t, with the positions of its elements listed. */
typedef struct {
  dart_datatype_t type;
  size_t          count; /* elements of an instance */
  size_t          extent;
  size_t          at[64];
} layout_t;

static layout_t strided(size_t blocklen, size_t stride)
{
  layout_t l = { .count = blocklen, .extent = stride };

  for (size_t i = 0; i < blocklen; i++)
    l.at[i] = i;
  EXPECT_OK(dart_type_create_strided(T_INT64, stride, blocklen, &l.type));
  return l;
}

static layout_t indexed(const size_t *length, const size_t *offset, size_t nblocks)
{
  layout_t l     = { .count = 0 };
  size_t   first = SIZE_MAX, end = 0;

  for (size_t b = 0; b < nblocks; b++)
    for (size_t i = 0; i < length[b]; i++)
      l.at[l.count++] = offset[b] + i;
  EXPECT_OK(dart_type_create_indexed(T_INT64, nblocks, length, offset, &l.type));
  for (size_t i = 0; i < l.count; i++) { /* from the first position to the last */
    first = l.at[i] < first ? l.at[i] : first;
    end   = l.at[i] >= end ? l.at[i] + 1 : end;
  }
  l.extent = end - first;
  return l;
}

static layout_t contiguous(void)
{
  return (layout_t){ .type = T_INT64, .count = 1, .extent = 1 };
}

static size_t position(const layout_t *l, size_t elem)
{
  return elem / l->count * l->extent + l->at[elem % l->count];
}

static void destroy(layout_t *l)
{
  if (l->type != T_INT64)
    EXPECT_OK(dart_type_destroy(&l->type));
}

/* Write and read `nelem` elements from one layout to the other, and compare with moving them one by one. */
static void try_layouts(dart_file_t file, const layout_t *mem, const layout_t *in_file,
                        size_t nelem, bool all)
{
  int64_t *memory = malloc(MOST * 8), *contents = calloc(MOST, 8), *model = calloc(MOST, 8);
  uint64_t base  = (uint64_t)me * MOST * 8 + 24;
  size_t   count = 0;

  for (size_t i = 0; i < MOST; i++)
    memory[i] = 1000000 * (me + 1) + (int64_t)i;
  EXPECT_OK(dart_file_write_at(file, base - 24, contents, MOST, T_INT64, T_INT64, NULL));
  test_barrier(); /* collective writes of others must not change this, nor be changed */
  for (size_t i = 0; i < nelem; i++)
    model[3 + position(in_file, i)] = memory[position(mem, i)];
  if (all)
    EXPECT_OK(dart_file_write_all(file, base, memory, nelem, mem->type, in_file->type, &count));
  else
    EXPECT_OK(dart_file_write_at(file, base, memory, nelem, mem->type, in_file->type, &count));
  EXPECT_EQ(count, nelem);
  EXPECT_OK(dart_file_read_at(file, base - 24, contents, MOST, T_INT64, T_INT64, NULL));
  EXPECT_BYTES(contents, model, MOST * 8);

  memset(memory, 0x44, MOST * 8);
  memset(model, 0x44, MOST * 8);
  for (size_t i = 0; i < nelem; i++)
    model[position(mem, i)] = contents[3 + position(in_file, i)];
  if (all)
    EXPECT_OK(dart_file_read_all(file, base, memory, nelem, mem->type, in_file->type, &count));
  else
    EXPECT_OK(dart_file_read_at(file, base, memory, nelem, mem->type, in_file->type, &count));
  EXPECT_EQ(count, nelem);
  EXPECT_BYTES(memory, model, MOST * 8);
  free(memory);
  free(contents);
  free(model);
}

/* By all in one call and by each alone; with and without locks; instances that many. */
static void try_all_layouts(bool all, bool atomic)
{
  static const size_t length[] = { 1, 3, 2, 7 }, offset[] = { 2, 5, 9, 13 };
  static const size_t length2[] = { 4, 1, 1 }, offset2[] = { 6, 0, 11 }; /* not ascending */
  static const size_t counts[] = { 0, 1, 5, 1300 };
  dart_file_t         file = open_file(DART_TEAM_ALL, test_path(DART_TEAM_ALL, "layouts"), CREATE);
  layout_t            l[]  = { contiguous(),
                               strided(1, 2),
                               strided(13, 40),
                               indexed(length, offset, 4),
                               indexed(length2, offset2, 3),
                               strided(6, 6) };
  size_t              nlayouts = sizeof l / sizeof *l;

  EXPECT_OK(dart_file_set_atomicity(file, atomic));
  for (size_t m = 0; m < nlayouts; m++)
    for (size_t f = 0; f < nlayouts; f++) {
      size_t nelem = l[m].count * l[f].count * counts[(m + f + (all ? (size_t)me : 0)) % 4];

      test_note("memory %zu, file %zu, %zu elements", m, f, nelem);
      try_layouts(file, &l[m], &l[f], nelem < MOST / 4 ? nelem : 0, all);
    }
  for (size_t i = 0; i < nlayouts; i++)
    destroy(&l[i]);
  close_file(&file);
}

TEST(elements_go_from_any_layout_to_any)
{
  try_all_layouts(false, false);
}

TEST(elements_go_from_any_layout_to_any_in_atomic_mode)
{
  try_all_layouts(false, true);
}

TEST(elements_of_all_units_go_from_any_layout_to_any)
{
  try_all_layouts(true, false);
}

/* ---- collective --------------------------------------------------------------------------------- */

/* A matrix in row-major order, of which each unit has a block: rows of few bytes go through windows, those of many
 * do not. */
static void try_matrix(size_t rows, size_t columns, int units_across, bool atomic)
{
  const char     *path  = test_path(DART_TEAM_ALL, "matrix");
  dart_file_t     file  = open_file(DART_TEAM_ALL, path, CREATE);
  size_t          width = columns / (size_t)units_across;
  size_t          high  = rows / (((size_t)n + (size_t)units_across - 1) / (size_t)units_across);
  size_t          row = (size_t)me / (size_t)units_across * high, count = 0, wrong = 0;
  size_t          column = (size_t)me % (size_t)units_across * width;
  int64_t        *block = malloc(high * width * 8), *got = malloc(high * width * 8), *whole;
  dart_datatype_t type;
  uint64_t        start = 8 * (row * columns + column);

  EXPECT_OK(dart_type_create_strided(T_INT64, columns, width, &type));
  EXPECT_OK(dart_file_set_atomicity(file, atomic));
  for (size_t i = 0; i < high * width; i++)
    block[i] = (int64_t)((row + i / width) * columns + column + i % width) + 5;
  EXPECT_OK(dart_file_write_all(file, start, block, high * width, T_INT64, type, &count));
  EXPECT_EQ(count, high * width);
  EXPECT_OK(dart_file_read_all(file, start, got, high * width, T_INT64, type, &count));
  EXPECT_EQ(count, high * width);
  EXPECT_BYTES(got, block, high * width * 8);
  test_barrier();
  whole = malloc(rows * columns * 8);
  read_plain(path, (unsigned char *)whole, rows * columns * 8, 0);
  for (int u = 0; u < n; u++) /* everybody's */
    for (size_t i = 0; i < high * width; i += 17) {
      size_t at = ((size_t)(u / units_across) * high + i / width) * columns +
                  (size_t)(u % units_across) * width + i % width;

      wrong += whole[at] != (int64_t)at + 5;
    }
  EXPECT_EQ(wrong, 0);
  EXPECT_OK(dart_type_destroy(&type));
  free(whole);
  free(block);
  free(got);
  close_file(&file);
}

TEST(blocks_of_a_matrix)
{
  try_matrix(64, 96, 1, false);
  try_matrix(64, 96, 2, false);
  try_matrix(600, 1200, 3, false); /* more than a window */
  try_matrix(600, 1200, n, false);
  try_matrix(20, 16000, 2, false);
  try_matrix(64, 96, 2, true);
}

TEST(a_collective_read_ends_where_the_file_does)
{
  enum { CELLS = 50 };
  dart_file_t     file = open_file(DART_TEAM_ALL, test_path(DART_TEAM_ALL, "end"), CREATE);
  int64_t         cells[CELLS];
  dart_datatype_t cyclic;
  size_t          count;

  EXPECT_OK(dart_type_create_strided(T_INT64, (size_t)n, 1, &cyclic));
  for (int i = 0; i < CELLS; i++)
    cells[i] = 100 * me + i;
  EXPECT_OK(dart_file_write_all(file, 8 * (uint64_t)me, cells, CELLS, T_INT64, cyclic, &count));
  EXPECT_OK(dart_file_resize(file, 8 * (uint64_t)n * (CELLS / 2) + 8)); /* unit 0 has one more */
  memset(cells, 0, sizeof cells);
  EXPECT_OK(dart_file_read_all(file, 8 * (uint64_t)me, cells, CELLS, T_INT64, cyclic, &count));
  EXPECT_EQ(count, CELLS / 2 + (me == 0));
  for (int i = 0; i < CELLS; i++)
    EXPECT_EQ(cells[i], i < (int)count ? 100 * me + i : 0);
  EXPECT_RET(dart_file_read_all(file, 8 * (uint64_t)me, cells, CELLS, T_INT64, cyclic, NULL),
             DART_ERR_OTHER);
  EXPECT_OK(dart_file_resize(file, 0));
  EXPECT_OK(dart_file_read_all(file, 8 * (uint64_t)me, cells, CELLS, T_INT64, cyclic, &count));
  EXPECT_EQ(count, 0);
  EXPECT_OK(dart_type_destroy(&cyclic));
  close_file(&file);
}

TEST(units_of_a_collective_call_agree_on_its_failure)
{
  dart_file_t     file  = open_file(DART_TEAM_ALL, test_path(DART_TEAM_ALL, "agree"), CREATE);
  int64_t         value = me;
  dart_datatype_t type  = me == n - 1 ? (dart_datatype_t)12345 : T_INT64;
  size_t          count = 7;

  EXPECT_INVAL(dart_file_write_all(file, 8 * (uint64_t)me, &value, 1, type, type, &count));
  EXPECT_EQ(count, 0);
  EXPECT_INVAL(dart_file_write_ordered(file, &value, 1, type, &count));
  EXPECT_EQ(size_of(file), 0);
  EXPECT_OK(dart_file_write_ordered(file, &value, 1, T_INT64, &count));
  EXPECT_EQ(count, 1);
  EXPECT_INVAL(dart_file_set_view(file, 0, type));
  close_file(&file);
}

TEST(the_number_of_an_error_stays_until_the_next_one)
{
  dart_file_t file = open_file(DART_TEAM_ALL, test_path(DART_TEAM_ALL, "stays"), CREATE), none;
  char        byte = 1, cells[100];
  size_t      count;

  EXPECT_RET(dart_file_open(DART_TEAM_ALL, "", DART_FILE_READ, 0, &none), DART_ERR_NOTFOUND);
  EXPECT_EQ(dart_file_error(), ENOENT);
  EXPECT_OK(dart_file_write_all(file, (uint64_t)me, &byte, 1, BYTE, BYTE, &count));
  EXPECT_OK(dart_file_read_ordered(file, &byte, 1, BYTE, &count));
  EXPECT_INVAL(dart_file_write_all(file, UINT64_MAX, &byte, 1, BYTE, BYTE, &count));
  EXPECT_INVAL(dart_file_open(DART_TEAM_ALL, "", 64, 0, &none));
  EXPECT_EQ(dart_file_error(), ENOENT);
  EXPECT_RET(dart_file_read_all(file, 0, cells, sizeof cells, BYTE, BYTE, NULL), DART_ERR_OTHER);
  EXPECT_EQ(dart_file_error(), 0); /* the system refused nothing: the file ends before */
  close_file(&file);
}

/* Calls of which one unit's arguments are wrong, or not those of the others: all units return that, and nothing is
 * done. `odd`: this unit is the one. */
static void expect_refused_everywhere(const char *path, bool odd)
{
  dart_file_t file = open_file(DART_TEAM_ALL, path, CREATE), other = file;
  uint64_t    at = 7;

  EXPECT_OK(dart_file_seek_shared(file, 5));
  EXPECT_INVAL(dart_file_open(DART_TEAM_ALL, odd ? NULL : path, CREATE, 0600, &other));
  EXPECT_TRUE(other == DART_FILE_NULL);
  EXPECT_INVAL(dart_file_open(DART_TEAM_ALL, path, odd ? 64 : CREATE, 0600, &other));
  EXPECT_INVAL(dart_file_open(DART_TEAM_ALL, path, CREATE, 0600, odd ? NULL : &other));
  EXPECT_INVAL(dart_file_open(DART_TEAM_ALL, path, odd ? DART_FILE_READ : CREATE, 0600, &other));
  EXPECT_INVAL(dart_file_resize(file, odd ? UINT64_MAX : 100));
  EXPECT_INVAL(dart_file_resize(file, odd ? 99 : 100));
  EXPECT_EQ(size_of(file), 0);
  EXPECT_INVAL(dart_file_seek_shared(file, odd ? UINT64_MAX : 100));
  EXPECT_INVAL(dart_file_seek_shared(file, odd ? 99 : 100));
  EXPECT_OK(dart_file_tell_shared(file, &at));
  EXPECT_EQ(at, 5);
  EXPECT_INVAL(dart_file_set_atomicity(file, odd));
  close_file(&file);
}

TEST_N(2, units_agree_on_wrong_arguments)
{
  const char *path = test_path(DART_TEAM_ALL, "odd");

  expect_refused_everywhere(path, me == 0);
  expect_refused_everywhere(path, me == n - 1);
}

/* One unit gives another open file of the team in a collective call: all are told, and neither file is changed. */
TEST_N(2, units_that_give_different_files_are_told)
{
  dart_file_t file  = open_file(DART_TEAM_ALL, test_path(DART_TEAM_ALL, "one"), CREATE);
  dart_file_t other = open_file(DART_TEAM_ALL, test_path(DART_TEAM_ALL, "other"), CREATE);
  dart_file_t mine = me == n - 1 ? other : file, kept = mine;
  int64_t     value = me;
  uint64_t    at    = 7;
  size_t      count = 7;

  EXPECT_INVAL(dart_file_write_all(mine, 8 * (uint64_t)me, &value, 1, T_INT64, T_INT64, &count));
  EXPECT_EQ(count, 0);
  EXPECT_INVAL(dart_file_read_all(mine, 8 * (uint64_t)me, &value, 1, T_INT64, T_INT64, &count));
  EXPECT_INVAL(dart_file_write_ordered(mine, &value, 1, T_INT64, &count));
  EXPECT_INVAL(dart_file_read_ordered(mine, &value, 1, T_INT64, &count));
  EXPECT_INVAL(dart_file_resize(mine, 100));
  EXPECT_INVAL(dart_file_sync(mine));
  EXPECT_INVAL(dart_file_set_atomicity(mine, true));
  EXPECT_INVAL(dart_file_set_view(mine, 8, T_INT64));
  EXPECT_INVAL(dart_file_seek_shared(mine, 100));
  EXPECT_INVAL(dart_file_close(&mine));
  EXPECT_TRUE(mine == kept);
  for (int i = 0; i < 2; i++) {
    EXPECT_EQ(size_of(i == 0 ? file : other), 0);
    EXPECT_OK(dart_file_tell_shared(i == 0 ? file : other, &at));
    EXPECT_EQ(at, 0);
  }
  EXPECT_OK(dart_file_write_ordered(other, &value, 1, T_INT64, &count));
  EXPECT_EQ(size_of(other), 8 * (uint64_t)n);
  close_file(&other);
  EXPECT_OK(dart_file_sync(file));
  close_file(&file);
}

/* A file with a request pending is not closed, and the request does what it would have done. */
TEST(a_file_with_a_request_pending_stays_open)
{
  const char         *path    = test_path(DART_TEAM_ALL, "pending");
  dart_file_t         file    = open_file(DART_TEAM_ALL, path, CREATE);
  dart_file_request_t request = DART_FILE_REQUEST_NULL;
  int64_t             value = 77, found = 0;
  size_t              count = 0;

  for (int atomic = 0; atomic < 2;
       atomic++, value++) { /* by the file's thread, then when it is completed */
    EXPECT_OK(dart_file_set_atomicity(file, atomic != 0));
    if (me == n - 1)
      EXPECT_OK(dart_file_write_at_request(file, 16, &value, 1, T_INT64, T_INT64, &request));
    EXPECT_INVAL(dart_file_close(&file));
    EXPECT_TRUE(file != DART_FILE_NULL);
    if (me == n - 1) {
      EXPECT_OK(dart_file_wait(&request, &count));
      EXPECT_EQ(count, 1);
    }
    test_barrier();
    EXPECT_OK(dart_file_read_at(file, 16, &found, 1, T_INT64, T_INT64, &count));
    EXPECT_EQ(found, value);
    test_barrier();
  }
  close_file(&file);
}

/* The team is gone, or DART has ended: what was begun can be completed, and the file be closed. */
TEST(a_request_may_outlive_team_and_runtime)
{
  const char         *path = test_path(DART_TEAM_ALL, "outlive");
  dart_file_request_t request;
  dart_team_t         team = DART_TEAM_NULL;
  dart_file_t         file;
  int64_t             value = 5 + me;
  int32_t             done;
  size_t              count;

  for (int ends = 0; ends < 2; ends++) {
    EXPECT_OK(dart_team_clone(DART_TEAM_ALL, &team));
    file = open_file(team, path, CREATE);
    EXPECT_OK(
        dart_file_write_at_request(file, 8 * (uint64_t)me, &value, 1, T_INT64, T_INT64, &request));
    EXPECT_OK(ends ? dart_exit() : dart_team_destroy(&team));
    EXPECT_INVAL(dart_file_close(&file));
    EXPECT_TRUE(file != DART_FILE_NULL);
    for (done = me % 2; done == 0;)
      EXPECT_OK(dart_file_test(&request, &done, &count));
    if (me % 2 != 0)
      EXPECT_OK(dart_file_wait(&request, &count));
    EXPECT_EQ(count, 1);
    close_file(&file);
    if (ends)
      EXPECT_OK(dart_init(NULL, NULL));
  }
}

/* What is not cached comes from the disk: piece by piece, and by requests. */
TEST(pieces_are_read_from_the_disk)
{
  enum { PIECES = 400, PIECE = 64, STRIDE = 1024 };
  const char         *path = test_path(DART_TEAM_ALL, "cold");
  dart_file_t         file = open_file(DART_TEAM_ALL, path, CREATE);
  int64_t            *data = malloc(PIECES * STRIDE * 8);
  uint64_t            base = (uint64_t)me * PIECES * STRIDE * 8;
  dart_file_request_t request[PIECES];
  dart_datatype_t     type;
  size_t              wrong = 0;

  EXPECT_OK(dart_type_create_strided(T_INT64, STRIDE, PIECE, &type));
  for (int i = 0; i < PIECES * STRIDE; i++)
    data[i] = 1000000 * (me + 1) + i;
  EXPECT_OK(dart_file_write_at(file, base, data, PIECES * STRIDE, T_INT64, T_INT64, NULL));
  for (int by_requests = 0; by_requests < 2; by_requests++) {
    int fd = open(path, O_RDONLY);

    EXPECT_OK(dart_file_sync(file));
    EXPECT_EQ(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
    close(fd);
    test_barrier();
    memset(data, 0, PIECES * PIECE * 8);
    for (int i = 0; by_requests && i < PIECES; i++)
      EXPECT_OK(dart_file_read_at_request(file, base + (uint64_t)i * STRIDE * 8, data + i * PIECE,
                                          PIECE, T_INT64, T_INT64, &request[i]));
    for (int i = 0; by_requests && i < PIECES; i++)
      EXPECT_OK(dart_file_wait(&request[i], NULL));
    if (!by_requests)
      EXPECT_OK(dart_file_read_at(file, base, data, PIECES * PIECE, T_INT64, type, NULL));
    for (int i = 0; i < PIECES * PIECE; i++)
      wrong += data[i] != 1000000 * (me + 1) + i / PIECE * STRIDE + i % PIECE;
    EXPECT_EQ(wrong, 0);
  }
  EXPECT_OK(dart_type_destroy(&type));
  free(data);
  close_file(&file);
}

/* ---- requests ------------------------------------------------------------------------------------- */

TEST(requests_are_completed_by_wait_and_test)
{
  enum { REQUESTS = 12, NELEM = 3000 };
  dart_file_t         file = open_file(DART_TEAM_ALL, test_path(DART_TEAM_ALL, "requests"), CREATE);
  dart_file_request_t request[REQUESTS], none = DART_FILE_REQUEST_NULL;
  int64_t            *data = malloc(REQUESTS * NELEM * 8);
  size_t              count;
  int32_t             done;

  for (int atomic = 0; atomic < 2; atomic++) {
    EXPECT_OK(dart_file_set_atomicity(file, atomic != 0));
    for (int i = 0; i < REQUESTS * NELEM; i++)
      data[i] = 1000000 * (me + 1) + i + atomic;
    for (int writes = 1; writes >= 0; writes--) {
      for (int i = 0; i < REQUESTS; i++) {
        uint64_t at     = 8 * (uint64_t)NELEM * (uint64_t)(me * REQUESTS + i);
        int64_t *buffer = data + i * NELEM;

        if (writes)
          EXPECT_OK(
              dart_file_write_at_request(file, at, buffer, NELEM, T_INT64, T_INT64, &request[i]));
        else
          EXPECT_OK(
              dart_file_read_at_request(file, at, buffer, NELEM, T_INT64, T_INT64, &request[i]));
        EXPECT_TRUE(request[i] != DART_FILE_REQUEST_NULL);
      }
      for (int i = REQUESTS - 1; i >= 0; i--) {
        count = 5;
        for (done = i % 2; i % 2 == 0 && done == 0;) {
          EXPECT_OK(dart_file_test(&request[i], &done, &count));
          test_pause();
        }
        if (i % 2 != 0)
          EXPECT_OK(dart_file_wait(&request[i], &count));
        EXPECT_EQ(count, NELEM);
        EXPECT_TRUE(request[i] == DART_FILE_REQUEST_NULL);
      }
      for (int i = 0; i < REQUESTS * NELEM; i++)
        if (!EXPECT_EQ(data[i], 1000000 * (me + 1) + i + atomic))
          break;
      if (writes)
        memset(data, 0, REQUESTS * NELEM * 8);
    }
  }
  EXPECT_OK(dart_file_write_at_request(file, 8 * (uint64_t)me, data, me == 0, T_INT64, T_INT64,
                                       &request[0]));
  if (me != 0)
    EXPECT_OK(dart_file_wait(&request[0], NULL));
  EXPECT_RET(dart_file_set_atomicity(file, false), DART_ERR_INVAL); /* that of unit 0 is pending */
  EXPECT_RET(dart_file_set_view(file, 0, T_INT64), DART_ERR_INVAL);
  EXPECT_OK(dart_file_wait(&request[0], NULL));
  EXPECT_OK(dart_file_set_atomicity(file, false));
  EXPECT_OK(dart_file_wait(&none, &count));
  EXPECT_EQ(count, 0);
  EXPECT_OK(dart_file_test(&none, &done, &count));
  EXPECT_EQ(done, 1);
  EXPECT_OK(
      dart_file_read_at_request(file, (uint64_t)INT64_MAX / 2, data, 1, T_INT64, T_INT64, &none));
  EXPECT_RET(dart_file_wait(&none, NULL), DART_ERR_OTHER); /* the file has ended before */
  free(data);
  close_file(&file);
}
