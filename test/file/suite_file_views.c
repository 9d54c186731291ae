/* dart/ext/dart_file.h: views, and the shared pointer. */
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_file.h>
#include <dash/dart/ext/dart_near.h>

#include "counted.h"
#include "file_calls.h"

SUITE(file_views);

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
