/* Send and receive: statements M131 to M134. */
#include <stdlib.h>
#include <string.h>

#include "dart_test.h"

SUITE(twosided);

static int right(void)
{
  return (me + 1) % n;
}

static int left(void)
{
  return (me + n - 1) % n;
}

TEST(even_units_send_to_the_next) /* M131: tag 0 */
{
  char byte = (char)(40 + me);

  if (me % 2 == 0 && me + 1 < n)
    EXPECT_OK(dart_send(&byte, 1, DART_TYPE_BYTE, 0, DART_GLOBAL_UNIT_ID(me + 1)));
  if (me % 2 == 1) {
    EXPECT_OK(dart_recv(&byte, 1, DART_TYPE_BYTE, 0, DART_GLOBAL_UNIT_ID(me - 1)));
    EXPECT_EQ(byte, 40 + me - 1);
  }
}

static void ring(size_t nbytes, int tag, int to, int from)
{
  enum { GUARD = 16 };
  unsigned char *sent = malloc(nbytes + 1), *received = malloc(nbytes + GUARD);
  unsigned char *expected = malloc(nbytes + 1);

  test_fill(sent, me, tag, nbytes);
  test_fill(expected, from, tag, nbytes);
  memset(received, 0x5a, nbytes + GUARD);
  test_note("%zu bytes, tag %d", nbytes, tag);
  /* the capacity is larger than the message */
  EXPECT_OK(dart_sendrecv(sent, nbytes, DART_TYPE_BYTE, tag, DART_GLOBAL_UNIT_ID(to), received,
                          nbytes + GUARD, DART_TYPE_BYTE, tag, DART_GLOBAL_UNIT_ID(from)));
  EXPECT_BYTES(received, expected, nbytes);
  EXPECT_FILLED(received + nbytes, 0x5a, GUARD);
  free(sent);
  free(received);
  free(expected);
}

TEST(rings_and_selves_exchange) /* M132 */
{
  const size_t sizes[] = { 0, 1, 7, 1000, 70000, 1 << 20 };
  const int    tags[]  = { 0, 10016, 32767 };

  for (int s = 0; s < 6; s++) {
    for (int t = 0; t < 3; t++) {
      ring(sizes[s], tags[t], right(), left());
      ring(sizes[s], tags[t], left(), right());
      ring(sizes[s], tags[t], me, me);
    }
  }
}

TEST(a_message_to_oneself_waits_for_its_receive)
{
  int64_t value = 60 + me, got = -1;

  EXPECT_OK(dart_send(&value, 1, T_INT64, 5, DART_GLOBAL_UNIT_ID(me)));
  EXPECT_OK(dart_recv(&got, 1, T_INT64, 5, DART_GLOBAL_UNIT_ID(me)));
  EXPECT_EQ(got, 60 + me);
}

TEST_N(2, order_is_kept_within_a_tag) /* M133 */
{
  enum { MESSAGES = 100 };

  for (int i = 0; i < MESSAGES; i++) {
    int value = 1000 * me + i, got = -1;

    EXPECT_OK(dart_sendrecv(&value, 1, DART_TYPE_INT, 3, DART_GLOBAL_UNIT_ID(right()), &got, 1,
                            DART_TYPE_INT, 3, DART_GLOBAL_UNIT_ID(left())));
    EXPECT_EQ(got, 1000 * left() + i);
  }
  if (me == 0) {
    for (int i = 0; i < MESSAGES; i++)
      EXPECT_OK(dart_send(&i, 1, DART_TYPE_INT, 4, DART_GLOBAL_UNIT_ID(n - 1)));
  }
  if (me == n - 1) {
    for (int i = 0; i < MESSAGES; i++) {
      int got = -1;

      EXPECT_OK(dart_recv(&got, 1, DART_TYPE_INT, 4, DART_GLOBAL_UNIT_ID(0)));
      EXPECT_EQ(got, i);
    }
  }
}

TEST_N(2, tags_are_independent) /* M133: received against the order they were sent in */
{
  int64_t one = 1, two = 2, got = -1, echo = -1;

  /* sendrecv sends `one` and waits for what the other sends last: so both are under way */
  if (me == 0) {
    EXPECT_OK(dart_sendrecv(&one, 1, T_INT64, 11, DART_GLOBAL_UNIT_ID(1), &echo, 1, T_INT64, 13,
                            DART_GLOBAL_UNIT_ID(1)));
    EXPECT_EQ(echo, 3);
  }
  if (me == 1) {
    int64_t three = 3;

    EXPECT_OK(dart_sendrecv(&two, 1, T_INT64, 12, DART_GLOBAL_UNIT_ID(1), &got, 1, T_INT64, 12,
                            DART_GLOBAL_UNIT_ID(1)));
    EXPECT_EQ(got, 2); /* from itself, although the message of unit 0 came first or will come */
    EXPECT_OK(dart_sendrecv(&three, 1, T_INT64, 13, DART_GLOBAL_UNIT_ID(0), &got, 1, T_INT64, 11,
                            DART_GLOBAL_UNIT_ID(0)));
    EXPECT_EQ(got, 1);
  }
}

TEST_N(3, sources_are_independent) /* unit 0 hears all, the last one first */
{
  int64_t value = 80 + me;

  if (me != 0)
    EXPECT_OK(dart_send(&value, 1, T_INT64, 0, DART_GLOBAL_UNIT_ID(0)));
  for (int unit = n - 1; me == 0 && unit > 0; unit--) {
    EXPECT_OK(dart_recv(&value, 1, T_INT64, 0, DART_GLOBAL_UNIT_ID(unit)));
    EXPECT_EQ(value, 80 + unit);
  }
}

TEST_N(2, lock_traffic_does_not_disturb_messages) /* M134 */
{
  int         rounds = n > 2 ? 30 : 200;
  dart_lock_t lock;

  EXPECT_OK(dart_team_lock_init(DART_TEAM_ALL, &lock));
  for (int i = 0; i < rounds; i++) {
    int value = 1000 * me + i, got = -1;

    EXPECT_OK(dart_lock_acquire(lock));
    EXPECT_OK(dart_lock_release(lock));
    EXPECT_OK(dart_sendrecv(&value, 1, DART_TYPE_INT, 0, DART_GLOBAL_UNIT_ID(right()), &got, 1,
                            DART_TYPE_INT, 0, DART_GLOBAL_UNIT_ID(left())));
    EXPECT_EQ(got, 1000 * left() + i);
    EXPECT_OK(dart_lock_acquire(lock));
    EXPECT_OK(dart_lock_release(lock));
  }
  EXPECT_OK(dart_team_lock_destroy(&lock));
}

TEST(bad_messages_are_refused) /* M134 */
{
  const int       no_unit[] = { n, -1, INT32_MAX };
  int64_t         value = 1, got = -1;
  dart_datatype_t strided;

  EXPECT_OK(dart_type_create_strided(T_INT64, 2, 1, &strided));
  for (int i = 0; i < 3; i++) {
    dart_global_unit_t wrong = { no_unit[i] }, self = { me };

    EXPECT_INVAL(dart_send(&value, 1, T_INT64, 0, wrong));
    EXPECT_INVAL(dart_recv(&got, 1, T_INT64, 0, wrong));
    EXPECT_INVAL(dart_sendrecv(&value, 1, T_INT64, 0, wrong, &got, 1, T_INT64, 0, self));
    EXPECT_INVAL(dart_sendrecv(&value, 1, T_INT64, 0, self, &got, 1, T_INT64, 0, wrong));
  }
  EXPECT_INVAL(dart_send(&value, 1, strided, 0, DART_GLOBAL_UNIT_ID(me)));
  EXPECT_INVAL(dart_recv(&got, 1, strided, 0, DART_GLOBAL_UNIT_ID(me)));
  EXPECT_INVAL(dart_send(&value, 1, DART_TYPE_UNDEFINED, 0, DART_GLOBAL_UNIT_ID(me)));
  EXPECT_INVAL(dart_send(&value, 1, T_INT64, -1, DART_GLOBAL_UNIT_ID(me)));
  EXPECT_INVAL(dart_recv(&got, 1, T_INT64, -1, DART_GLOBAL_UNIT_ID(me)));
  EXPECT_INVAL(dart_send(NULL, 1, T_INT64, 0, DART_GLOBAL_UNIT_ID(me)));
  EXPECT_INVAL(dart_recv(NULL, 1, T_INT64, 0, DART_GLOBAL_UNIT_ID(me)));
  EXPECT_EQ(got, -1);
  EXPECT_OK(dart_type_destroy(&strided));
}

TEST(a_message_longer_than_its_buffer_is_an_error) /* and writes no more than the buffer holds */
{
  int64_t values[4] = { 1, 2, 3, 4 }, got[4] = { -1, -1, -1, -1 };

  EXPECT_TRUE(dart_sendrecv(values, 4, T_INT64, 1, DART_GLOBAL_UNIT_ID(me), got, 2, T_INT64, 1,
                            DART_GLOBAL_UNIT_ID(me)) != DART_OK);
  EXPECT_EQ(got[2], -1);
  EXPECT_EQ(got[3], -1);
}
