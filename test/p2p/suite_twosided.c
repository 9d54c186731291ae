/* Send, receive, and both at once: statements M131 to M134. Sizes are chosen around those at which a
 * message starts to travel in pieces, or its sender to wait. */
#include <stdlib.h>
#include <string.h>

#include "dart_test.h"

SUITE(twosided);

enum { GUARD = 16 };

static const size_t sizes[] = { 0,
                                1,
                                7,
                                1000,
                                65535,
                                65536,
                                65537,
                                262143,
                                262144,
                                262145,
                                1 << 20,
                                (1 << 20) + 3,
                                (3 << 20) + 77777 };

enum { SIZES = sizeof sizes / sizeof *sizes };

static dart_global_unit_t unit(int id)
{
  return (dart_global_unit_t){ (id % n + n) % n };
}

/* `nbytes` and a guard behind them, all 0x5a. */
static char *guarded(size_t nbytes)
{
  char *buffer = malloc(nbytes + GUARD);

  memset(buffer, 0x5a, nbytes + GUARD);
  return buffer;
}

static void send_bytes(int to, int tag, int round, size_t nbytes)
{
  char *buffer = guarded(nbytes);

  test_fill(buffer, me, round, nbytes);
  EXPECT_OK(dart_send(buffer, nbytes, DART_TYPE_BYTE, tag, unit(to)));
  free(buffer);
}

/* The buffer has room for `more` bytes that the message does not fill. */
static void expect_message(int from, int tag, int round, size_t nbytes, size_t more)
{
  char *buffer = guarded(nbytes + more), *expected = guarded(nbytes);

  test_fill(expected, unit(from).id, round, nbytes);
  EXPECT_OK(dart_recv(buffer, nbytes + more, DART_TYPE_BYTE, tag, unit(from)));
  EXPECT_BYTES(buffer, expected, nbytes);
  EXPECT_FILLED(buffer + nbytes, 0x5a, more + GUARD);
  free(buffer);
  free(expected);
}

static void pass_on(int to, int send_tag, int from, int recv_tag, int round, size_t nbytes,
                    size_t more)
{
  char *sent = guarded(nbytes), *got = guarded(nbytes + more), *expected = guarded(nbytes);

  test_fill(sent, me, round, nbytes);
  test_fill(expected, unit(from).id, round, nbytes);
  EXPECT_OK(dart_sendrecv(sent, nbytes, DART_TYPE_BYTE, send_tag, unit(to), got, nbytes + more,
                          DART_TYPE_BYTE, recv_tag, unit(from)));
  EXPECT_BYTES(got, expected, nbytes);
  EXPECT_FILLED(got + nbytes, 0x5a, more + GUARD);
  test_fill(expected, me, round, nbytes);
  EXPECT_BYTES(sent, expected, nbytes);
  free(sent);
  free(got);
  free(expected);
}

/* ---- One to one ------------------------------------------------------------------------------ */

TEST(even_units_send_to_odd_ones) /* M131: every size */
{
  for (int i = 0; i < SIZES; i++) {
    test_note("%zu bytes", sizes[i]);
    if (me % 2 == 0 && me + 1 < n)
      send_bytes(me + 1, 0, i, sizes[i]);
    else if (me % 2 == 1)
      expect_message(me - 1, 0, i, sizes[i], 0);
  }
}

TEST(messages_go_between_all_pairs)
{
  for (int distance = 1; distance < n; distance++) {
    for (int i = 0; i < SIZES; i += 3) {
      test_note("distance %d, %zu bytes", distance, sizes[i]);
      for (int to = 0; to < n; to++) { /* one sender at a time: no send needs a buffer */
        if (me == unit(to - distance).id)
          send_bytes(to, distance, i, sizes[i]);
        else if (me == to)
          expect_message(me - distance, distance, i, sizes[i], 5);
      }
    }
  }
}

TEST(all_types_of_element)
{
  for (int t = 0; t < TEST_TYPES; t++) {
    _Alignas(16) char sent[5 * TEST_TYPE_SIZE_MAX], got[5 * TEST_TYPE_SIZE_MAX];

    test_note("%s", test_types[t].name);
    memset(got, 0x5a, sizeof got);
    for (size_t i = 0; i < 5; i++)
      test_store(&test_types[t], sent, i, (int64_t)i + me);
    EXPECT_OK(dart_sendrecv(sent, 5, test_types[t].id, 1, unit(me + 1), got, 5, test_types[t].id, 1,
                            unit(me - 1)));
    for (size_t i = 0; i < 5; i++)
      EXPECT_EQ(test_load(&test_types[t], got, i), (int64_t)i + unit(me - 1).id);
    EXPECT_FILLED(got + 5 * test_types[t].size, 0x5a, sizeof got - 5 * test_types[t].size);
  }
}

TEST(custom_types_travel_whole) /* strided ones do not */
{
  dart_datatype_t custom, strided;
  char            sent[24], got[25], expected[24];

  EXPECT_OK(dart_type_create_custom(12, &custom));
  EXPECT_OK(dart_type_create_strided(DART_TYPE_BYTE, 2, 1, &strided));
  test_fill(sent, me, 1, 24);
  test_fill(expected, unit(me - 1).id, 1, 24);
  memset(got, 0x5a, sizeof got);
  EXPECT_OK(dart_sendrecv(sent, 2, custom, 1, unit(me + 1), got, 2, custom, 1, unit(me - 1)));
  EXPECT_BYTES(got, expected, 24);
  EXPECT_FILLED(got + 24, 0x5a, 1);
  EXPECT_INVAL(dart_send(sent, 2, strided, 1, unit(me)));
  EXPECT_INVAL(dart_recv(got, 2, strided, 1, unit(me)));
  EXPECT_OK(dart_type_destroy(&custom));
  EXPECT_OK(dart_type_destroy(&strided));
}

/* ---- Both at once ---------------------------------------------------------------------------- */

TEST(rings_do_not_deadlock) /* M132: and shorter messages leave the rest untouched */
{
  const int tags[] = { 0, 10016, 32767 };

  for (int i = 0; i < SIZES; i++) {
    for (int t = 0; t < 3; t++) {
      test_note("%zu bytes, tag %d", sizes[i], tags[t]);
      pass_on(me + 1, tags[t], me - 1, tags[t], i, sizes[i], (size_t)t * 100);
    }
  }
}

TEST(rings_of_all_distances) /* 0: to oneself, M132 */
{
  for (int distance = 0; distance < n; distance++) {
    for (int i = 0; i < SIZES; i += 2) {
      test_note("distance %d, %zu bytes", distance, sizes[i]);
      pass_on(me + distance, distance, me - distance, distance, i, sizes[i], 3);
    }
  }
}

TEST(sides_may_have_different_tags_and_sizes)
{
  for (int round = 0; round < 2; round++) {
    size_t mine = round == 0 ? 10 : (1 << 20) + (size_t)me, theirs = 10;
    char  *sent = guarded(mine), *got, *expected;

    if (round == 1)
      theirs = (1 << 20) + (size_t)unit(me - 1).id;
    got      = guarded(theirs);
    expected = guarded(theirs);
    test_fill(sent, me, round, mine);
    test_fill(expected, unit(me - 1).id, round, theirs);
    EXPECT_OK(dart_sendrecv(sent, mine, DART_TYPE_BYTE, 100 + me, unit(me + 1), got, theirs,
                            DART_TYPE_BYTE, 100 + unit(me - 1).id, unit(me - 1)));
    EXPECT_BYTES(got, expected, theirs);
    free(sent);
    free(got);
    free(expected);
  }
}

TEST(sendrecv_matches_send_and_recv) /* unit 0 does both at once, the others one after the other */
{
  for (int i = 0; i < SIZES; i++) {
    test_note("%zu bytes", sizes[i]);
    if (me == 0) {
      pass_on(1, 3, -1, 3, i, sizes[i], 0);
    } else {
      expect_message(me - 1, 3, me == 1 ? i : i + 100, sizes[i], 0);
      send_bytes(me + 1, 3, me == n - 1 ? i : i + 100, sizes[i]);
    }
  }
}

/* ---- To oneself ------------------------------------------------------------------------------ */

TEST(sends_to_oneself_do_not_wait)
{
  for (int i = 0; i < SIZES; i++) {
    test_note("%zu bytes", sizes[i]);
    for (int round = 0; round < 3; round++)
      send_bytes(me, 4, 10 * i + round, sizes[i]);
    for (int round = 0; round < 3; round++)
      expect_message(me, 4, 10 * i + round, sizes[i], 1);
  }
}

TEST(messages_to_oneself_larger_than_memory_are_refused)
{
  const size_t nbytes[] = { SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 64, SIZE_MAX - 200, SIZE_MAX / 2 };
  char         byte     = 1;

  for (int i = 0; i < 5; i++) {
    test_note("%zu bytes", nbytes[i]);
    EXPECT_RET(dart_send(&byte, nbytes[i], DART_TYPE_BYTE, 5, DART_GLOBAL_UNIT_ID(me)),
               DART_ERR_NOMEM);
  }
  send_bytes(me, 5, 1, 10);
  expect_message(me, 5, 1, 10, 0);
}

TEST(many_messages_to_oneself)
{
  enum { COUNT = 3000 };

  for (int i = 0; i < COUNT; i++)
    send_bytes(me, i % 7, i, 512);
  for (int tag = 6; tag >= 0; tag--) {
    for (int i = tag; i < COUNT; i += 7)
      expect_message(me, tag, i, 512, 0);
  }
}

/* ---- Matching -------------------------------------------------------------------------------- */

TEST(messages_of_one_tag_stay_in_order) /* M133: small ones and large ones, as they come */
{
  enum { COUNT = 60 };

  for (int distance = 1; distance < n; distance++) {
    for (int i = 0; i < COUNT; i++) {
      size_t nbytes = (size_t)(i % 5 == 4 ? 300000 + i : i * 31);

      test_note("distance %d, message %d", distance, i);
      pass_on(me + distance, 9, me - distance, 9, i, nbytes, 40);
    }
  }
}

/* More than the contract asks for: small messages are kept for their receivers, so all units may
 * send first, and receive in any order of tags and sources. */
TEST(small_messages_wait_for_their_tag) /* M133 */
{
  enum { TAGS = 5, EACH = 20 };

  for (int i = 0; i < EACH; i++) {
    for (int tag = 0; tag < TAGS; tag++)
      send_bytes(me + 1, tag, 100 * tag + i, (size_t)(tag * 10 + i));
  }
  for (int tag = TAGS - 1; tag >= 0; tag--) {
    for (int i = 0; i < EACH; i++) {
      test_note("tag %d, message %d", tag, i);
      expect_message(me - 1, tag, 100 * tag + i, (size_t)(tag * 10 + i), 0);
    }
  }
}

TEST(small_messages_wait_for_their_source) /* M133 */
{
  for (int to = 0; to < n; to++)
    send_bytes(to, 5, 10 * me + to, 100);
  for (int from = n - 1; from >= 0; from--)
    expect_message(from, 5, 10 * from + me, 100, 0);
}

TEST(much_more_than_a_unit_keeps_for_its_receivers)
{
  enum { COUNT = 120 };

  if (me == 0) {
    for (int i = 0; i < COUNT; i++)
      send_bytes(1 + i % (n > 1 ? n - 1 : 1), 6, i, (size_t)100000 + (size_t)i);
  }
  for (int i = 0; i < COUNT; i++) {
    if (me == unit(1 + i % (n > 1 ? n - 1 : 1)).id)
      expect_message(0, 6, i, (size_t)100000 + (size_t)i, 0);
  }
}

TEST(many_small_messages_to_one) /* and back, so that it is known when all have come */
{
  enum { COUNT = 2000 };
  int64_t sum = 0, value = 0;

  for (int i = 0; i < COUNT && me != 0; i++) {
    value = 1000000 * me + i;
    if (!EXPECT_OK(dart_send(&value, 1, T_INT64, 8, unit(0))))
      break;
  }
  for (int i = 0; i < COUNT && me == 0; i++) {
    for (int from = 1; from < n; from++) {
      EXPECT_OK(dart_recv(&value, 1, T_INT64, 8, unit(from)));
      EXPECT_EQ(value, 1000000 * from + i);
      sum += value;
    }
  }
  EXPECT_OK(dart_bcast(&sum, 1, T_INT64, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  EXPECT_EQ(sum, (int64_t)COUNT * 1000000 * (n * (n - 1) / 2) +
                     (int64_t)(n - 1) * COUNT * (COUNT - 1) / 2);
}

/* ---- What does not fit ----------------------------------------------------------------------- */

TEST(too_long_messages_are_dropped) /* and only they */
{
  for (int i = 1; i < SIZES; i++) {
    char *sent = guarded(sizes[i]), *got = guarded(sizes[i] - 1);

    test_note("%zu bytes", sizes[i]);
    test_fill(sent, me, i, sizes[i]);
    EXPECT_RET(dart_sendrecv(sent, sizes[i], DART_TYPE_BYTE, 2, unit(me + 1), got, sizes[i] - 1,
                             DART_TYPE_BYTE, 2, unit(me - 1)),
               DART_ERR_OTHER);
    EXPECT_FILLED(got + sizes[i] - 1, 0x5a, GUARD);
    pass_on(me + 1, 2, me - 1, 2, i + 50, 100, 0);
    free(sent);
    free(got);
  }
}

TEST(bad_arguments_are_refused) /* M134 */
{
  const dart_datatype_t    wrong[] = { DART_TYPE_UNDEFINED, DART_TYPE_LAST, -1, 1 << 20 };
  const int                ids[]   = { n, -1, INT32_MAX, INT32_MIN };
  const dart_global_unit_t self    = { me };
  int64_t                  sent = 1, got = 7;

  for (size_t i = 0; i < 4; i++) {
    dart_global_unit_t none = { ids[i] };

    test_note("type %ld, unit %d", (long)wrong[i], ids[i]);
    EXPECT_INVAL(dart_send(&sent, 1, wrong[i], 0, self));
    EXPECT_INVAL(dart_recv(&got, 1, wrong[i], 0, self));
    EXPECT_INVAL(dart_sendrecv(&sent, 1, wrong[i], 0, self, &got, 1, T_INT64, 0, self));
    EXPECT_INVAL(dart_sendrecv(&sent, 1, T_INT64, 0, self, &got, 1, wrong[i], 0, self));
    EXPECT_INVAL(dart_send(&sent, 1, T_INT64, 0, none));
    EXPECT_INVAL(dart_recv(&got, 1, T_INT64, 0, none));
    EXPECT_INVAL(dart_sendrecv(&sent, 1, T_INT64, 0, none, &got, 1, T_INT64, 0, self));
    EXPECT_INVAL(dart_sendrecv(&sent, 1, T_INT64, 0, self, &got, 1, T_INT64, 0, none));
  }
  test_note("tag, count, buffer");
  EXPECT_INVAL(dart_send(&sent, 1, T_INT64, -1, self));
  EXPECT_INVAL(dart_recv(&got, 1, T_INT64, -1, self));
  EXPECT_INVAL(dart_sendrecv(&sent, 1, T_INT64, INT32_MIN, self, &got, 1, T_INT64, 0, self));
  EXPECT_INVAL(dart_sendrecv(&sent, 1, T_INT64, 0, self, &got, 1, T_INT64, -1, self));
  EXPECT_INVAL(dart_send(&sent, SIZE_MAX / 8 + 2, T_INT64, 0, self));
  EXPECT_INVAL(dart_recv(&got, SIZE_MAX / 8 + 2, T_INT64, 0, self));
  EXPECT_INVAL(dart_send(NULL, 1, T_INT64, 0, self));
  EXPECT_INVAL(dart_recv(NULL, 1, T_INT64, 0, self));
  EXPECT_EQ(got, 7);

  test_note("none of these was sent");
  EXPECT_OK(dart_sendrecv(NULL, 0, T_INT64, 0, self, NULL, 0, T_INT64, 0, self));
}

TEST(no_memory_is_an_error) /* and the next message is fine */
{
  char *buffer = calloc(1, 1); /* not looked at: what it takes to hold the message comes first */

  EXPECT_RET(dart_send(buffer, (size_t)1 << 45, DART_TYPE_BYTE, 0, unit(me)), DART_ERR_NOMEM);
  send_bytes(me, 0, 1, 100);
  expect_message(me, 0, 1, 100, 0);
  free(buffer);
}

/* ---- Together with the rest ------------------------------------------------------------------ */

TEST(a_message_orders_memory) /* what its sender stored before is seen after */
{
  dart_gptr_t cells = test_segment(DART_TEAM_ALL, sizeof(int64_t), 0xff);

  for (int round = 0; round < 100; round++) {
    int64_t got   = -1;
    char    token = 1, heard;

    *test_mine(cells) = 1000 * round + me;
    EXPECT_OK(dart_sendrecv(&token, 1, DART_TYPE_BYTE, 1, unit(me + 1), &heard, 1, DART_TYPE_BYTE,
                            1, unit(me - 1)));
    EXPECT_OK(dart_get_blocking(&got, test_unit(cells, unit(me - 1).id), 1, T_INT64, T_INT64));
    EXPECT_EQ(got, 1000 * round + unit(me - 1).id);
    /* back, before the cell changes */
    EXPECT_OK(dart_sendrecv(&token, 1, DART_TYPE_BYTE, 2, unit(me - 1), &heard, 1, DART_TYPE_BYTE,
                            2, unit(me + 1)));
  }
}

TEST(own_portions_are_buffers)
{
  dart_gptr_t segment = test_segment(DART_TEAM_ALL, 2 * 300000 * sizeof(int64_t), 0);
  int64_t    *mine    = test_mine(segment);

  for (int i = 0; i < 300000; i++)
    mine[i] = 1000 * me + i;
  EXPECT_OK(dart_sendrecv(mine, 300000, T_INT64, 0, unit(me + 1), mine + 300000, 300000, T_INT64, 0,
                          unit(me - 1)));
  for (int i = 0; i < 300000; i += 997)
    EXPECT_EQ(mine[300000 + i], 1000 * unit(me - 1).id + i);
}

TEST(who_waits_for_a_message_serves_others) /* atomics on its memory, while it is in dart_recv */
{
  enum { COUNT = 100 };
  dart_gptr_t cell = test_segment(DART_TEAM_ALL, sizeof(int64_t), 0);
  int64_t     one = 1, before, total = 0;

  for (int i = 0; i < COUNT && me != 0; i++) {
    EXPECT_OK(dart_fetch_and_op(test_unit(cell, 0), &one, &before, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_flush(test_unit(cell, 0)));
  }
  if (me != 0)
    EXPECT_OK(dart_send(&one, 1, T_INT64, 3, unit(0)));
  for (int from = 1; from < n && me == 0; from++) {
    EXPECT_OK(dart_recv(&before, 1, T_INT64, 3, unit(from)));
    total += before;
  }
  if (me == 0) {
    EXPECT_EQ(total, n - 1);
    EXPECT_EQ(*test_mine(cell), COUNT * (n - 1));
  }
}

TEST(locks_do_not_disturb_messages) /* M134: nor the other way round */
{
  enum { ROUNDS = 50 };
  dart_gptr_t cell = test_segment(DART_TEAM_ALL, sizeof(int64_t), 0);
  dart_lock_t lock;

  EXPECT_OK(dart_team_lock_init(DART_TEAM_ALL, &lock));
  for (int round = 0; round < ROUNDS; round++) {
    int64_t value, sent = 1000 * round + me, got = -1;

    EXPECT_OK(dart_lock_acquire(lock));
    EXPECT_OK(dart_get_blocking(&value, cell, 1, T_INT64, T_INT64));
    value++;
    EXPECT_OK(dart_put_blocking(cell, &value, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_lock_release(lock));
    EXPECT_OK(dart_sendrecv(&sent, 1, T_INT64, 0, unit(me + 1), &got, 1, T_INT64, 0, unit(me - 1)));
    EXPECT_EQ(got, 1000 * round + unit(me - 1).id);
  }
  test_barrier();
  if (me == 0)
    EXPECT_EQ(*test_mine(cell), ROUNDS * n);
  EXPECT_OK(dart_team_lock_destroy(&lock));
}
