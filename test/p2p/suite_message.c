/* Messages whose sender, tag or size the receiver does not know (dart_message.h). A message names its sender, so
 * what is found can be compared with what was received. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_message.h>

#include "dart_test.h"

SUITE(message);

enum { GUARD = 16 };

/* Sizes around those at which a message travels in pieces. */
static const size_t sizes[] = { 0, 1, 1000, 65537, 262145, (1 << 20) + 3 };

enum { SIZES = sizeof sizes / sizeof *sizes };

static dart_global_unit_t unit(int id)
{
  return (dart_global_unit_t){ (id % n + n) % n };
}

static const dart_message_t nothing = { { -7 }, -7, 7 };

/* ---- what is found ------------------------------------------------------------------------------------- */

/* Every unit sends to unit 0, which knows of no message what it is. */
static void expect_any(int round, size_t nbytes, bool *seen)
{
  dart_message_t found  = nothing;
  char          *buffer = malloc(nbytes + GUARD), *expected = malloc(nbytes + 1);

  memset(buffer, 0x5a, nbytes + GUARD);
  EXPECT_OK(dart_recv_any(buffer, nbytes + GUARD, DART_TYPE_BYTE, DART_GLOBAL_UNIT_ANY,
                          DART_TAG_ANY, &found));
  if (EXPECT_TRUE(found.unit.id >= 0 && found.unit.id < n)) {
    test_fill(expected, found.unit.id, round, nbytes);
    EXPECT_EQ(found.tag, 100 + found.unit.id);
    EXPECT_EQ(found.nbytes, nbytes);
    EXPECT_BYTES(buffer, expected, nbytes);
    EXPECT_FILLED(buffer + nbytes, 0x5a, GUARD);
    EXPECT_TRUE(!seen[found.unit.id]);
    seen[found.unit.id] = true;
  }
  free(buffer);
  free(expected);
}

TEST(a_message_of_any_unit_says_whose_it_is)
{
  bool *seen = calloc((size_t)n, sizeof *seen);

  for (int i = 0; i < SIZES; i++) {
    test_note("%zu bytes", sizes[i]);
    if (me != 0) {
      char *buffer = malloc(sizes[i] + 1);

      test_fill(buffer, me, i, sizes[i]);
      EXPECT_OK(dart_send(buffer, sizes[i], DART_TYPE_BYTE, 100 + me, unit(0)));
      free(buffer);
    } else {
      memset(seen, 0, (size_t)n * sizeof *seen);
      for (int u = 1; u < n; u++)
        expect_any(i, sizes[i], seen);
    }
    test_barrier();
  }
  free(seen);
}

TEST(a_probe_finds_a_message_and_leaves_it_there)
{
  for (int distance = 0; distance < n; distance++) {
    dart_global_unit_t to = unit(me + distance), from = unit(me - distance);
    int64_t            sent[3] = { me, distance, 3 }, got[3] = { -1, -1, -1 };
    dart_message_t     found = nothing, again = nothing, other = nothing;
    int32_t            is_found = 0;

    test_note("distance %d", distance);
    EXPECT_OK(dart_send(sent, 3, T_INT64, 5, to));
    EXPECT_OK(dart_probe(DART_GLOBAL_UNIT_ANY, DART_TAG_ANY, &found));
    EXPECT_EQ(found.unit.id, from.id);
    EXPECT_EQ(found.tag, 5);
    EXPECT_EQ(found.nbytes, sizeof got);
    EXPECT_OK(dart_probe(from, 5, &again));
    while (is_found == 0) /* an MPI may find it later by one call than by another */
      EXPECT_OK(dart_try_probe(from, DART_TAG_ANY, &is_found, &again));
    EXPECT_EQ(again.nbytes, sizeof got);
    EXPECT_OK(dart_try_probe(DART_GLOBAL_UNIT_ANY, 6, &is_found, &other));
    EXPECT_EQ(is_found, 0);
    EXPECT_TRUE(memcmp(&other, &nothing, sizeof other) == 0);
    EXPECT_OK(dart_recv(got, 3, T_INT64, found.tag, found.unit));
    EXPECT_EQ(got[0], from.id);
    EXPECT_OK(dart_try_probe(DART_GLOBAL_UNIT_ANY, DART_TAG_ANY, &is_found, &other));
    EXPECT_EQ(is_found, 0);
    test_barrier();
  }
}

TEST(a_loop_of_looks_finds_what_comes)
{
  int64_t        value = me, got = -1;
  dart_message_t found    = nothing;
  int32_t        is_found = 0;

  if (me == n - 1)
    EXPECT_OK(dart_send(&value, 1, T_INT64, 9, unit(0)));
  while (me == 0 && is_found == 0)
    EXPECT_OK(dart_try_probe(DART_GLOBAL_UNIT_ANY, 9, &is_found, &found));
  if (me == 0) {
    EXPECT_EQ(found.unit.id, n - 1);
    EXPECT_OK(dart_recv_any(&got, 1, T_INT64, found.unit, DART_TAG_ANY, &found));
    EXPECT_EQ(got, n - 1);
  }
}

TEST(unit_and_tag_restrict_what_is_received)
{
  for (int distance = 0; distance < n; distance++) {
    dart_global_unit_t to = unit(me + distance), from = unit(me - distance);
    int64_t            values[3], got                 = -1;
    dart_message_t     found = nothing;

    test_note("distance %d", distance);
    for (int i = 0; i < 3; i++) {
      values[i] = 10 * me + i;
      EXPECT_OK(dart_send(&values[i], 1, T_INT64, i, to));
    }
    EXPECT_OK(dart_recv_any(&got, 1, T_INT64, DART_GLOBAL_UNIT_ANY, 2, &found));
    EXPECT_EQ(got, 10 * from.id + 2);
    EXPECT_OK(dart_recv_any(&got, 1, T_INT64, from, DART_TAG_ANY, &found));
    EXPECT_EQ(got, 10 * from.id);
    EXPECT_EQ(found.tag, 0);
    EXPECT_OK(dart_recv_any(&got, 1, T_INT64, from, 1, &found));
    EXPECT_EQ(got, 10 * from.id + 1);
    test_barrier();
  }
}

/* ---- order ----------------------------------------------------------------------------------------------- */

TEST(messages_of_a_sender_keep_their_order)
{
  enum { EACH = 60 };
  int *next = calloc((size_t)n, sizeof *next);

  for (int i = 0; i < EACH && me != 0; i++) { /* short ones and long ones, with many tags */
    size_t   nelem  = i % 20 == 7 ? 40000 : 1;
    int64_t *values = calloc(nelem, sizeof *values);

    values[0] = i;
    EXPECT_OK(dart_send(values, nelem, T_INT64, i % 7, unit(0)));
    free(values);
  }
  for (int i = 0; i < EACH * (n - 1) && me == 0; i++) {
    dart_message_t found  = nothing;
    int64_t       *values = calloc(40000, sizeof *values);

    EXPECT_OK(dart_recv_any(values, 40000, T_INT64, DART_GLOBAL_UNIT_ANY, DART_TAG_ANY, &found));
    if (EXPECT_TRUE(found.unit.id > 0 && found.unit.id < n)) {
      EXPECT_EQ(values[0], next[found.unit.id]);
      EXPECT_EQ(found.tag, next[found.unit.id] % 7);
      next[found.unit.id]++;
    }
    free(values);
  }
  free(next);
}

/* All have come before the first is received: the last of each unit is there. Near senders have turns, and they and the far ones have, so of any
 * 4n messages that are received in a row each near unit has sent one. */
TEST_N(2, no_sender_starves)
{
  enum { EACH = 100 };
  int64_t value = me;
  int    *count = calloc((size_t)n, sizeof *count);

  for (int i = 0; i < EACH; i++)
    EXPECT_OK(dart_send(&value, 1, T_INT64, 3, unit(0)));
  EXPECT_OK(dart_send(&value, 1, T_INT64, 4, unit(0)));
  for (int u = 0; u < n && me == 0; u++) {
    dart_message_t found = nothing;

    EXPECT_OK(dart_probe(unit(u), 4, &found));
    EXPECT_OK(dart_recv(&value, 1, T_INT64, 4, unit(u)));
    EXPECT_EQ(value, u);
  }
  for (int i = 0; i < EACH * n && me == 0; i++) {
    dart_message_t found = nothing;
    int64_t        got   = -1;

    EXPECT_OK(dart_recv_any(&got, 1, T_INT64, DART_GLOBAL_UNIT_ANY, 3, &found));
    EXPECT_EQ(got, found.unit.id);
    count[found.unit.id >= 0 && found.unit.id < n ? found.unit.id : 0]++;
    if (i == 4 * n)
      EXPECT_TRUE(count[0] >= 1 && count[0] <= 3 * n);
  }
  for (int u = 0; u < n && me == 0; u++)
    EXPECT_EQ(count[u], EACH);
  free(count);
}

/* DART's own messages, by which teams are made, are none of the program's. */
TEST(only_messages_of_the_program_are_found)
{
  dart_team_t    team     = test_split(DART_TEAM_ALL, 2);
  dart_message_t found    = nothing;
  int32_t        is_found = 1;

  EXPECT_OK(dart_try_probe(DART_GLOBAL_UNIT_ANY, DART_TAG_ANY, &is_found, &found));
  EXPECT_EQ(is_found, 0);
  test_use_team(team);
}

/* ---- large tags -------------------------------------------------------------------------------------------- */

static void use_tag(int tag)
{
  for (int distance = 0; distance < n; distance++) {
    dart_global_unit_t to = unit(me + distance), from = unit(me - distance);
    int64_t            sent = me, got = -1;
    dart_message_t     found = nothing;

    EXPECT_OK(dart_send(&sent, 1, T_INT64, tag, to));
    EXPECT_OK(dart_probe(DART_GLOBAL_UNIT_ANY, tag, &found));
    EXPECT_EQ(found.unit.id, from.id);
    EXPECT_EQ(found.tag, tag);
    EXPECT_OK(dart_recv_any(&got, 1, T_INT64, DART_GLOBAL_UNIT_ANY, tag, &found));
    EXPECT_EQ(got, from.id);
    EXPECT_OK(dart_sendrecv(&sent, 1, T_INT64, tag, to, &got, 1, T_INT64, tag, from));
    EXPECT_EQ(got, from.id);
    test_barrier();
  }
}

static void expect_no_tag(int tag)
{
  int64_t        value    = -1;
  int32_t        is_found = -5;
  dart_message_t found    = nothing;
  char           says[40];

  snprintf(says, sizeof says, "tag %d exceeds ", tag);
  for (int i = 0; i <= n; i++) {
    dart_global_unit_t one = unit(i), any = i == n ? DART_GLOBAL_UNIT_ANY : one;

    EXPECT_REFUSED(dart_send, (&value, 1, T_INT64, tag, one), DART_ERR_INVAL, says);
    EXPECT_REFUSED(dart_recv, (&value, 1, T_INT64, tag, one), DART_ERR_INVAL, says);
    EXPECT_REFUSED(dart_recv_any, (&value, 1, T_INT64, any, tag, &found), DART_ERR_INVAL, says);
    EXPECT_REFUSED(dart_probe, (any, tag, &found), DART_ERR_INVAL, says);
    EXPECT_REFUSED(dart_try_probe, (any, tag, &is_found, &found), DART_ERR_INVAL, says);
  }
  EXPECT_EQ(value, -1);
  EXPECT_EQ(is_found, -5);
  EXPECT_TRUE(memcmp(&found, &nothing, sizeof found) == 0);
}

/* Up to a largest one, which depends on the backend and its MPI, and not on the units. */
TEST(a_tag_is_valid_for_all_units_or_for_none)
{
  const int tags[]   = { 32767, 1 << 19, (1 << 28) - 1, 1 << 28, INT_MAX };
  bool      is_valid = true;

  for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
    dart_message_t found    = nothing;
    int32_t        is_found = 0;

    test_note("tag %d", tags[i]);
    is_valid = is_valid && dart_try_probe(unit(me), tags[i], &is_found, &found) == DART_OK;
    EXPECT_TRUE(is_valid || i > 0);
    if (is_valid)
      use_tag(tags[i]);
    else
      expect_no_tag(tags[i]);
  }
  EXPECT_TRUE(is_valid || test_uses_mpi());
}

/* ---- errors ------------------------------------------------------------------------------------------------ */

TEST(a_message_that_is_too_long_is_lost_and_named)
{
  for (int i = 1; i < SIZES; i++) {
    char          *sent = malloc(sizes[i]), *got = malloc(sizes[i]);
    dart_message_t found = nothing;
    int32_t        is_found;

    test_note("%zu bytes", sizes[i]);
    memset(got, 0x5a, sizes[i]);
    test_fill(sent, me, i, sizes[i]);
    if (me % 2 == 1)
      EXPECT_OK(dart_send(sent, sizes[i], DART_TYPE_BYTE, 4, unit(me - 1)));
    if (me % 2 == 0 && me + 1 < n) {
      EXPECT_RET(dart_recv_any(got, sizes[i] - 1, DART_TYPE_BYTE, DART_GLOBAL_UNIT_ANY,
                               DART_TAG_ANY, &found),
                 DART_ERR_OTHER);
      EXPECT_EQ(found.unit.id, me + 1);
      EXPECT_EQ(found.tag, 4);
      EXPECT_EQ(found.nbytes, sizes[i]);
      EXPECT_EQ(got[sizes[i] - 1], 0x5a);
      EXPECT_OK(dart_try_probe(DART_GLOBAL_UNIT_ANY, DART_TAG_ANY, &is_found, &found));
      EXPECT_EQ(is_found, 0);
    }
    test_barrier();
    free(sent);
    free(got);
  }
}

TEST(wrong_arguments)
{
  dart_message_t  found    = nothing;
  int32_t         is_found = -5;
  int64_t         value    = -1;
  dart_datatype_t strided;

  EXPECT_OK(dart_type_create_strided(T_INT64, 2, 1, &strided));
  EXPECT_REFUSED(dart_recv_any, (&value, 1, T_INT64, DART_GLOBAL_UNIT_ID(n), 0, &found),
                 DART_ERR_INVAL, "unit ");
  EXPECT_REFUSED(dart_recv_any, (&value, 1, T_INT64, DART_GLOBAL_UNIT_ID(-1), 0, &found),
                 DART_ERR_INVAL, "unit -1");
  EXPECT_REFUSED(dart_recv_any, (&value, 1, T_INT64, DART_GLOBAL_UNIT_ANY, -1, &found),
                 DART_ERR_INVAL, "tag -1");
  EXPECT_REFUSED(dart_recv_any, (&value, 1, T_INT64, DART_GLOBAL_UNIT_ANY, 0, NULL), DART_ERR_INVAL,
                 "message");
  EXPECT_REFUSED(dart_recv_any, (NULL, 1, T_INT64, DART_GLOBAL_UNIT_ANY, 0, &found), DART_ERR_INVAL,
                 "NULL");
  EXPECT_INVAL(dart_recv_any(&value, 2, strided, DART_GLOBAL_UNIT_ANY, 0, &found));
  EXPECT_REFUSED(dart_probe, (DART_GLOBAL_UNIT_ANY, -2, &found), DART_ERR_INVAL, "tag -2");
  EXPECT_REFUSED(dart_probe, (DART_GLOBAL_UNIT_ANY, 0, NULL), DART_ERR_INVAL, "message");
  EXPECT_REFUSED(dart_try_probe, (DART_GLOBAL_UNIT_ANY, 0, NULL, &found), DART_ERR_INVAL, "found");
  EXPECT_REFUSED(dart_try_probe, (DART_GLOBAL_UNIT_ID(n), 0, &is_found, &found), DART_ERR_INVAL,
                 "unit ");
  EXPECT_EQ(is_found, -5);
  EXPECT_TRUE(memcmp(&found, &nothing, sizeof found) == 0);
  EXPECT_OK(dart_type_destroy(&strided));
}
