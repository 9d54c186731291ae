/* dart/ext/dart_file.h: what is written is there, in every layout, by one unit and by all; errors. Atomic mode is in
 * suite_file_atomic.c. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dash/dart/ext/dart_file.h>
#include <dash/dart/ext/dart_near.h>

#include "counted.h"
#include "file_path.h"

SUITE(file);

#define BYTE   DART_TYPE_BYTE
#define CREATE (DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE | DART_FILE_TRUNCATE)

enum { MOST = 1 << 16 };

static dart_file_t open_file(dart_team_t team, const char *path, unsigned flags)
{
  dart_file_t file = DART_FILE_NULL;

  EXPECT_OK(dart_file_open(team, path, flags, 0600, &file));
  EXPECT_TRUE(file != DART_FILE_NULL);
  return file;
}

static void close_file(dart_file_t *file)
{
  EXPECT_OK(dart_file_close(file));
  EXPECT_TRUE(*file == DART_FILE_NULL);
}

static uint64_t size_of(dart_file_t file)
{
  uint64_t nbytes = 77;

  EXPECT_OK(dart_file_size(file, &nbytes));
  return nbytes;
}

/* The whole file, by plain calls. Bytes beyond its end are `beyond`. */
static void read_plain(const char *path, unsigned char *buffer, size_t nbytes, int beyond)
{
  int fd = open(path, O_RDONLY);

  memset(buffer, beyond, nbytes);
  EXPECT_TRUE(fd >= 0 && read(fd, buffer, nbytes) >= 0);
  close(fd);
}

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

/* ---- views -------------------------------------------------------------------------------------- */

/* Each unit sees its column of a matrix, the last row first. */
TEST(a_view_may_go_backwards)
{
  enum { ROWS = 7 };
  const char     *path = test_path(DART_TEAM_ALL, "backwards");
  dart_file_t     file = open_file(DART_TEAM_ALL, path, CREATE);
  int64_t         column[ROWS], got[ROWS], *whole = calloc((size_t)n * ROWS, sizeof *whole);
  size_t          ones[ROWS], offsets[ROWS], count;
  dart_datatype_t type;

  for (size_t row = 0; row < ROWS; row++) {
    ones[row]    = 1;
    offsets[row] = (ROWS - 1 - row) * (size_t)n;
  }
  EXPECT_OK(dart_type_create_indexed(T_INT64, ROWS, ones, offsets, &type));
  for (int way = 0; way < 4; way++) {
    test_note("way %d", way);
    EXPECT_OK(dart_file_set_atomicity(file, way % 2 != 0));
    EXPECT_OK(dart_file_set_view(file, (uint64_t)me * 8, type));
    for (int row = 0; row < ROWS; row++)
      column[row] = 1000 * way + 100 * me + row;
    if (way < 2) {
      EXPECT_OK(dart_file_write_at(file, 0, column, 3, T_INT64, T_INT64, &count));
      EXPECT_OK(dart_file_write_at(file, 24, column + 3, ROWS - 3, T_INT64, T_INT64, &count));
    } else {
      EXPECT_OK(dart_file_write_all(file, 0, column, ROWS, T_INT64, T_INT64, &count));
    }
    EXPECT_OK(dart_file_read_at(file, 8, got, ROWS - 1, T_INT64, T_INT64, &count));
    EXPECT_EQ(count, ROWS - 1);
    EXPECT_BYTES((unsigned char *)got, (unsigned char *)(column + 1), sizeof got - sizeof *got);
    EXPECT_OK(dart_file_read_all(file, 0, got, ROWS, T_INT64, T_INT64, &count));
    EXPECT_BYTES((unsigned char *)got, (unsigned char *)column, sizeof got);
    EXPECT_OK(dart_file_set_view(file, 0, BYTE));
    EXPECT_OK(dart_file_read_at(file, 0, whole, (size_t)n * ROWS, T_INT64, T_INT64, NULL));
    for (int i = 0; i < n * ROWS; i++)
      EXPECT_EQ(whole[i], 1000 * way + 100 * (i % n) + ROWS - 1 - i / n);
    test_barrier();
  }
  EXPECT_OK(dart_type_destroy(&type));
  free(whole);
  close_file(&file);
}

/* Four elements, and four in a view that starts before them: the pointer counts on. */
TEST(a_view_does_not_move_the_shared_pointer)
{
  const char *path   = test_path(DART_TEAM_ALL, "moved");
  dart_file_t file   = open_file(DART_TEAM_ALL, path, CREATE);
  int64_t     four[] = { 1, 2, 3, 4 }, found = -1;
  uint64_t    at = 77;
  size_t      count;

  EXPECT_OK(dart_file_set_view(file, 800, T_INT64));
  if (me == 0)
    EXPECT_OK(dart_file_write_shared(file, four, 4, T_INT64, &count));
  test_barrier();
  EXPECT_OK(dart_file_tell_shared(file, &at));
  EXPECT_EQ(at, 32);
  EXPECT_OK(dart_file_set_view(file, 80, T_INT64)); /* backwards */
  EXPECT_OK(dart_file_tell_shared(file, &at));
  EXPECT_EQ(at, 32);
  test_barrier();
  if (me == n - 1)
    EXPECT_OK(dart_file_write_shared(file, four, 4, T_INT64, &count));
  test_barrier();
  EXPECT_OK(dart_file_set_view(file, 0, BYTE));
  EXPECT_OK(dart_file_tell_shared(file, &at));
  EXPECT_EQ(at, 64);
  for (uint64_t i = 0; i < 4; i++) {
    EXPECT_OK(dart_file_read_at(file, 800 + 8 * i, &found, 1, T_INT64, T_INT64, &count));
    EXPECT_EQ(found, i + 1);
    EXPECT_OK(dart_file_read_at(file, 80 + 32 + 8 * i, &found, 1, T_INT64, T_INT64, &count));
    EXPECT_EQ(found, i + 1);
    EXPECT_OK(dart_file_read_at(file, 80 + 8 * i, &found, 1, T_INT64, T_INT64, &count));
    EXPECT_EQ(found, 0);
  }
  test_barrier();
  close_file(&file);
}

TEST(units_see_their_part_of_the_file)
{
  enum { BLOCK = 3, BLOCKS = 40 };
  const char     *path = test_path(DART_TEAM_ALL, "view");
  dart_file_t     file = open_file(DART_TEAM_ALL, path, CREATE);
  int64_t         mine[BLOCK * BLOCKS], *whole = malloc(8 * (size_t)n * BLOCK * BLOCKS);
  dart_datatype_t type;
  size_t          count, wrong = 0;

  EXPECT_OK(dart_type_create_strided(T_INT64, (size_t)n * BLOCK, BLOCK, &type));
  for (int atomic = 0; atomic < 2; atomic++) {
    EXPECT_OK(dart_file_set_atomicity(file, atomic != 0));
    EXPECT_OK(dart_file_set_view(file, (uint64_t)me * BLOCK * 8, type));
    for (int i = 0; i < BLOCK * BLOCKS; i++)
      mine[i] = 1000 * me + i + atomic;
    EXPECT_OK(dart_file_write_at(file, 0, mine, 20, T_INT64, T_INT64, &count));
    EXPECT_OK(dart_file_write_at(file, 160, mine + 20, 71, T_INT64, T_INT64, &count));
    EXPECT_OK(
        dart_file_write_all(file, 728, mine + 91, BLOCK * BLOCKS - 91, T_INT64, T_INT64, &count));
    EXPECT_OK(dart_file_read_at(file, 8, mine + 1, BLOCK * BLOCKS - 1, T_INT64, T_INT64, &count));
    EXPECT_EQ(count, BLOCK * BLOCKS - 1);
    for (int i = 0; i < BLOCK * BLOCKS; i++)
      EXPECT_EQ(mine[i], 1000 * me + i + atomic);
    EXPECT_INVAL(dart_file_read_at(file, 0, mine, BLOCK, T_INT64, type, &count));
    EXPECT_OK(dart_file_set_view(file, 0, BYTE));
    EXPECT_OK(
        dart_file_read_at(file, 0, whole, (size_t)n * BLOCK * BLOCKS, T_INT64, T_INT64, NULL));
    for (int i = 0; i < n * BLOCK * BLOCKS; i++) {
      int unit = i / BLOCK % n, at = i / BLOCK / n * BLOCK + i % BLOCK;

      wrong += whole[i] != 1000 * unit + at + atomic;
    }
    EXPECT_EQ(wrong, 0);
    test_barrier();
  }
  EXPECT_OK(dart_type_destroy(&type));
  free(whole);
  close_file(&file);
}

enum { CALLS = 20 };

/* Whether this unit sends a request for each of its writes. One unit writes at a time: the unit that has the table of
 * locks sends requests, too, to tell far units that have waited for a lock. */
static bool writes_by_requests(dart_file_t file)
{
  int64_t value  = me;
  bool    result = false;

  for (int writer = 0; writer < n; writer++) {
    test_barrier();
    if (writer != me)
      continue;
    look();
    for (int i = 0; i < CALLS; i++)
      EXPECT_OK(dart_file_write_at(file, (uint64_t)i * 8, &value, 1, T_INT64, T_INT64, NULL));
    result = since(DART__COUNT_REQUEST) >= CALLS;
  }
  test_barrier();
  return result;
}

/* The lock of the file's first bytes is in a table of the first unit: a unit that is far from it sends a request. The
 * last unit's view may have a period of its own: one by which it meets the others' somewhere, or a multiple of theirs. */
TEST(views_that_are_apart_take_no_locks)
{
  enum { WAYS = 4 };
  static const struct {
    bool is_apart;
    bool has_own_place;
    int  more,
        times; /* the last unit's period, in elements: that of the others times that, plus that */
  } ways[WAYS] = {
    { false, false, 0, 1 }, { true, true, 0, 1 }, { false, true, 1, 1 }, { true, true, 0, 2 }
  };
  dart_file_t     file   = open_file(DART_TEAM_ALL, test_path(DART_TEAM_ALL, "apart"), CREATE);
  dart_gptr_t     memory = test_segment(DART_TEAM_ALL, 8, 0);
  bool            is_far = dart_near_ptr(test_unit(memory, 0)) == NULL;
  dart_datatype_t type;

  EXPECT_OK(dart_file_set_atomicity(file, true));
  for (int way = 0; way < WAYS; way++) {
    int period = me == n - 1 ? n * ways[way].times + ways[way].more : n;

    EXPECT_OK(dart_type_create_strided(T_INT64, (size_t)period, 1, &type));
    EXPECT_OK(dart_file_set_view(file, ways[way].has_own_place ? (uint64_t)me * 8 : 0, type));
    EXPECT_OK(dart_type_destroy(&type));
    EXPECT_EQ(writes_by_requests(file), is_far && !ways[way].is_apart);
  }
  close_file(&file);
}

/* ---- the shared pointer --------------------------------------------------------------------------- */

TEST(records_of_all_units_are_appended_without_gaps)
{
  enum { RECORDS = 30 };
  dart_file_t file = open_file(DART_TEAM_ALL, test_path(DART_TEAM_ALL, "log"), CREATE);
  uint64_t    at   = 1;
  int64_t     record[3];
  size_t      count;
  char       *seen = calloc((size_t)n * RECORDS, 1);

  for (int i = 0; i < RECORDS; i++) {
    record[0] = record[2] = me;
    record[1]             = i;
    EXPECT_OK(dart_file_write_shared(file, record, 3, T_INT64, &count));
    EXPECT_EQ(count, 3);
  }
  test_barrier();
  EXPECT_OK(dart_file_tell_shared(file, &at));
  EXPECT_EQ(at, (uint64_t)n * RECORDS * 24);
  EXPECT_EQ(size_of(file), at);
  for (int i = 0; i < n * RECORDS; i++) {
    EXPECT_OK(dart_file_read_at(file, (uint64_t)i * 24, record, 3, T_INT64, T_INT64, NULL));
    EXPECT_EQ(record[0], record[2]);
    EXPECT_EQ(seen[record[0] * RECORDS + record[1]]++, 0);
  }
  EXPECT_OK(dart_file_seek_shared(file, 24 * RECORDS));
  EXPECT_OK(dart_file_read_shared(file, record, 3, T_INT64, &count));
  EXPECT_EQ(count, n == 1 ? 0 : 3);
  EXPECT_EQ(record[0], record[2]);
  free(seen);
  close_file(&file);
}

TEST(records_stand_in_the_order_of_the_team)
{
  const char *path = test_path(DART_TEAM_ALL, "ordered");
  dart_file_t file = open_file(DART_TEAM_ALL, path, CREATE);
  int64_t     values[20], at = 0;
  size_t      count;

  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 20; i++)
      values[i] = 100 * me + round;
    EXPECT_OK(dart_file_write_ordered(file, values, (size_t)(me + round), T_INT64, &count));
    EXPECT_EQ(count, (size_t)(me + round));
  }
  close_file(&file);
  file = open_file(DART_TEAM_ALL, path, DART_FILE_READ | DART_FILE_WRITE | DART_FILE_APPEND);
  for (int round = 0; round < 3; round++)
    for (int u = 0; u < n; u++)
      for (int i = 0; i < u + round; i++, at += 8) {
        EXPECT_OK(dart_file_read_at(file, (uint64_t)at, values, 1, T_INT64, T_INT64, NULL));
        EXPECT_EQ(values[0], 100 * u + round);
      }
  EXPECT_EQ(size_of(file), (uint64_t)at);
  values[0] = 7 + me;
  EXPECT_OK(dart_file_write_ordered(file, values, 1, T_INT64, &count)); /* behind the end */
  EXPECT_OK(dart_file_seek_shared(file, (uint64_t)at));
  EXPECT_OK(dart_file_read_ordered(file, values, 1, T_INT64, &count));
  EXPECT_EQ(values[0], 7 + me);
  close_file(&file);
}

TEST(a_refused_access_leaves_the_shared_pointer)
{
  const uint64_t last  = INT64_MAX - 4;
  dart_file_t    file  = open_file(DART_TEAM_ALL, test_path(DART_TEAM_ALL, "refused"), CREATE);
  int64_t        value = 1;
  uint64_t       at    = 0;
  size_t         count;

  EXPECT_OK(dart_file_seek_shared(file, last));
  if (me == n - 1) {
    EXPECT_INVAL(dart_file_write_shared(file, &value, 1, T_INT64, &count));
    EXPECT_INVAL(dart_file_read_shared(file, &value, 1, T_INT64, &count));
  }
  test_barrier();
  EXPECT_OK(dart_file_tell_shared(file, &at));
  EXPECT_EQ(at, last);
  test_barrier();
  EXPECT_INVAL(dart_file_write_ordered(file, &value, me == n - 1, T_INT64, &count));
  EXPECT_OK(dart_file_tell_shared(file, &at));
  EXPECT_EQ(at, last);
  EXPECT_EQ(size_of(file), 0);
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

/* ---- what goes wrong -------------------------------------------------------------------------------- */

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
