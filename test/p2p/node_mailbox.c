/* Mailboxes: every message comes once, whole, in the order its sender sent those of its tag; letters
 * come back to their senders. Units are threads with boxes of their own, or several threads with
 * one, or processes that map their memory at other addresses. */
#include "node_threads.h"

#include "p2p/mailbox.h"

enum {
  LETTERS   = 8,              /* of a unit */
  LONG      = 5 * 65536 + 77, /* more than a letter has room for */
  PART      = 4096 + LETTERS * ((256 << 10) + 4096),
  TAGS      = 3,
  ROUNDS    = 150,
  LONG_EACH = 16 /* every so many messages one is long */
};

typedef struct {
  dart__mailbox_t box;
  pthread_mutex_t lock; /* of the letters, where threads share the unit */
  bool            used[LETTERS];
} unit_t;

static char *parts[TEST_MOST_THREADS];

#define INBOX ((uint64_t)(3 * sizeof(dart__inbox_t))) /* where it is in each part */

/* Whose letters a thread releases. */
static _Thread_local unit_t *own;

/* Memory of n parts, as the pool gives it out: inboxes and letters start on cache lines of their own. */
static char *new_parts(uint32_t n)
{
  return aligned_alloc(DART__CACHE_LINE, n * (size_t)PART);
}

/* `memory` has n parts. */
static void prepare(char *memory, uint32_t n)
{
  memset(memory, 0x77, n * (size_t)PART);
  for (uint32_t u = 0; u < n; u++) {
    parts[u] = memory + u * (size_t)PART;
    dart__inbox_format((dart__inbox_t *)(void *)(parts[u] + INBOX));
  }
}

static void open_unit(unit_t *unit, uint32_t me, uint32_t n, char *const *seen)
{
  memset(unit, 0, sizeof *unit);
  pthread_mutex_init(&unit->lock, NULL);
  CHECK(dart__mailbox_open(&unit->box, (int32_t)me, (int32_t)n, seen, NULL, INBOX));
}

static void close_unit(unit_t *unit)
{
  dart__mailbox_close(&unit->box);
  pthread_mutex_destroy(&unit->lock);
}

/* ---- letters of a unit ------------------------------------------------------------------- */

static uint64_t offset_of(int letter)
{
  return 4096 + (uint64_t)letter * ((256 << 10) + 4096);
}

static void release_block(uint64_t offset)
{
  int letter = (int)((offset - 4096) / ((256 << 10) + 4096));

  pthread_mutex_lock(&own->lock);
  CHECK(letter < LETTERS && offset == offset_of(letter) && own->used[letter]);
  own->used[letter] = false;
  pthread_mutex_unlock(&own->lock);
}

/* Reclaim what may be used again for none. */
static size_t reclaim(dart__mailbox_t *box, size_t most)
{
  uint64_t reused;
  size_t   room = SIZE_MAX, left = dart__mailbox_reclaim(box, most, &room, release_block, &reused);

  CHECK(reused == 0);
  return left;
}

/* `*last_out`: it was the last one, so its message has to be awaited. False: none is free. */
static bool take_letter(uint64_t *offset_out, bool *last_out)
{
  int found = -1, nfree = 0;

  pthread_mutex_lock(&own->lock);
  for (int i = 0; i < LETTERS; i++)
    if (!own->used[i]) {
      found = i;
      nfree++;
    }
  if (found >= 0)
    own->used[found] = true;
  pthread_mutex_unlock(&own->lock);
  *last_out   = nfree <= TEST_MOST_THREADS / 2; /* one for each thread that shares the unit */
  *offset_out = found >= 0 ? offset_of(found) : 0;
  return found >= 0;
}

/* ---- messages ---------------------------------------------------------------------------- */

typedef struct {
  dart__outgoing_t out;
  bool             done;
} sending_t;

/* Left to the receiver if it may be. */
static void start_send(sending_t *s, int32_t to, int32_t tag, const char *data, size_t nbytes)
{
  uint64_t offset;
  size_t   room = DART__MAILBOX_EAGER_MOST;
  bool     wait = false;

  dart__mailbox_reclaim(&own->box, 0, &room, release_block, &offset);
  if (offset == 0 || nbytes % 2 == 1) { /* or it is used again */
    if (offset != 0)
      release_block(offset);
    CHECK(take_letter(&offset, &wait));
  }
  wait = wait || nbytes > DART__MAILBOX_EAGER_MOST;
  dart__mailbox_post(&own->box, to, tag, data, nbytes, offset, DART__MAILBOX_EAGER_MOST, wait,
                     &s->out);
  s->done = !wait;
  if (!wait)
    dart__mailbox_detach(&own->box, &s->out);
}

static void go_on_sending(sending_t *s)
{
  if (!dart__mailbox_feed(&own->box, &s->out))
    return;
  release_block(s->out.offset);
  s->done = true;
}

typedef struct {
  dart__incoming_t in;
  int32_t          from, tag;
  char            *buffer;
  size_t           room;
  bool             matched, done, refused;
} receiving_t;

static void go_on_receiving(receiving_t *r)
{
  if (!r->matched) {
    r->matched = dart__mailbox_match(&own->box, r->from, r->tag, &r->in);
    if (!r->matched)
      return;
    r->refused = r->done = r->in.nbytes > r->room;
    if (r->refused) {
      dart__mailbox_refuse(&own->box, &r->in);
      return;
    }
  }
  r->done = dart__mailbox_take(&own->box, &r->in, r->buffer);
}

/* Both may be done from the start. */
static void converse(sending_t *s, receiving_t *r, const dart__wait_policy_t *policy)
{
  dart__event_t *event = dart__mailbox_event(&own->box);

  for (;;) {
    uint32_t seen = dart__event_count(event);

    if (!s->done)
      go_on_sending(s);
    if (!r->done)
      go_on_receiving(r);
    if (s->done && r->done)
      return;
    dart__event_wait(event, seen, policy);
  }
}

static void send(int32_t to, int32_t tag, const char *data, size_t nbytes,
                 const dart__wait_policy_t *policy)
{
  sending_t   s;
  receiving_t none = { .done = true };

  start_send(&s, to, tag, data, nbytes);
  converse(&s, &none, policy);
}

/* Bytes received, or SIZE_MAX: too many, refused. */
static size_t receive(int32_t from, int32_t tag, char *buffer, size_t room,
                      const dart__wait_policy_t *policy)
{
  sending_t   none = { .done = true };
  receiving_t r    = { .from = from, .tag = tag, .buffer = buffer, .room = room };

  converse(&none, &r, policy);
  return r.refused ? SIZE_MAX : r.in.nbytes;
}

/* What message `number` of a sender holds. */
static size_t length_of(uint32_t number)
{
  if (number % LONG_EACH == LONG_EACH - 1)
    return LONG - number % 5 * 65536; /* and also some that just fit, or fill pieces exactly */
  return number % 7 * 100;
}

static void write_message(char *data, uint32_t sender, uint32_t number)
{
  size_t nbytes = length_of(number);

  memset(data, (int)(31 * sender + number) & 0xff, nbytes);
  if (nbytes >= 8) {
    memcpy(data, &number, 4);
    memcpy(data + nbytes - 4, &number, 4);
  }
}

static void check_message(const char *data, size_t nbytes, uint32_t sender, uint32_t number)
{
  CHECK(nbytes == length_of(number));
  if (nbytes != length_of(number) || nbytes < 8)
    return;
  CHECK(memcmp(data, &number, 4) == 0 && memcmp(data + nbytes - 4, &number, 4) == 0);
  for (size_t i = 4; i + 4 < nbytes; i += nbytes > 1000 ? 997 : 1)
    CHECK(data[i] == (char)((31 * sender + number) & 0xff));
}

/* All letters come back in the end. */
static void expect_all_back(void)
{
  uint32_t tries = 0;

  while (reclaim(&own->box, 0) > 0 && tries++ < 100000)
    usleep(100);
  for (int i = 0; i < LETTERS; i++)
    CHECK(!own->used[i]);
}

/* ---- a ring of sendrecvs ----------------------------------------------------------------- */

static void ring_of(uint32_t me, uint32_t n, char *const *seen, uint32_t rounds,
                    const dart__wait_policy_t *policy)
{
  unit_t   unit;
  char    *sent = malloc(LONG), *got = malloc(LONG);
  uint32_t before = (me + n - 1) % n, random = me + 1;

  open_unit(&unit, me, n, seen);
  own = &unit;
  for (uint32_t round = 0; round < rounds; round++) {
    sending_t   s;
    receiving_t r = {
      .from = (int32_t)before, .tag = (int32_t)(round % TAGS), .buffer = got, .room = LONG
    };

    write_message(sent, me, round);
    start_send(&s, (int32_t)((me + 1) % n), (int32_t)(round % TAGS), sent, length_of(round));
    converse(&s, &r, policy);
    check_message(got, r.in.nbytes, before, round);
    test_dawdle(&random);
  }
  expect_all_back();
  close_unit(&unit);
  free(sent);
  free(got);
}

static void ring(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  (void)shared;
  ring_of(me, n, parts, ROUNDS, policy);
}

static void rings_pass_everything_on(void **state)
{
  char *memory = new_parts(TEST_MOST_THREADS);

  (void)state;
  TEST_FOR_POLICIES(policy)
  TEST_FOR_THREADS(n)
  {
    prepare(memory, n);
    test_threads(n, ring, NULL, policy);
  }
  free(memory);
}

/* ---- from all to one --------------------------------------------------------------------- */

/* Unit 0 takes the messages of each sender tag by tag; those of a tag are in order. */
static void all_to_one(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  unit_t   unit;
  char    *data   = malloc(LONG);
  uint32_t random = me + 1;

  (void)shared;
  open_unit(&unit, me, n, parts);
  own = &unit;
  for (uint32_t number = 0; number < ROUNDS && me > 0; number++) {
    write_message(data, me, number);
    send(0, (int32_t)(number % TAGS), data, length_of(number), policy);
    test_dawdle(&random);
  }
  /* a sender has no more than LETTERS messages under way: these are never waited for in vain */
  for (uint32_t number = 0; number < ROUNDS && me == 0; number++)
    for (uint32_t from = n - 1; from > 0; from--) {
      size_t nbytes = receive((int32_t)from, (int32_t)(number % TAGS), data, LONG, policy);

      check_message(data, nbytes, from, number);
    }
  expect_all_back();
  close_unit(&unit);
  free(data);
}

static void many_senders_lose_nothing(void **state)
{
  char *memory = new_parts(TEST_MOST_THREADS);

  (void)state;
  TEST_FOR_POLICIES(policy)
  TEST_FOR_THREADS(n)
  {
    prepare(memory, n);
    test_threads(n, all_to_one, NULL, policy);
  }
  free(memory);
}

/* ---- one unit, several threads ----------------------------------------------------------- */

static unit_t pair[2];

/* Half of the threads are unit 0, the others unit 1; thread i of one sends to thread i of the other,
 * by its tag, while that one sends to it. */
static void share(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  uint32_t side = me % 2, number = me / 2, random = me + 1;
  char    *sent = malloc(LONG), *got = malloc(LONG);

  (void)shared;
  if (n % 2 == 1 && me == n - 1) {
    free(sent);
    free(got);
    return;
  }
  own = &pair[side];
  for (uint32_t round = 0; round < ROUNDS; round++) {
    sending_t   s;
    receiving_t r = { .from = (int32_t)!side, .tag = (int32_t)number, .buffer = got, .room = LONG };

    write_message(sent, me, round);
    start_send(&s, (int32_t)!side, (int32_t)number, sent, length_of(round));
    converse(&s, &r, policy);
    check_message(got, r.in.nbytes, me ^ 1, round);
    test_dawdle(&random);
  }
  free(sent);
  free(got);
}

static void threads_share_a_mailbox(void **state)
{
  char *memory = new_parts(2);

  (void)state;
  TEST_FOR_POLICIES(policy)
  TEST_FOR_THREADS(n)
  {
    prepare(memory, 2);
    for (uint32_t u = 0; u < 2; u++)
      open_unit(&pair[u], u, 2, parts);
    test_threads(n, share, NULL, policy);
    for (uint32_t u = 0; u < 2; u++) {
      own = &pair[u];
      expect_all_back();
      close_unit(&pair[u]);
    }
    test_expect_no_failure(policy, n);
  }
  free(memory);
}

/* ---- processes --------------------------------------------------------------------------- */

static int memory_fd;

/* Each maps the memory once more, and works there. */
static void ring_elsewhere(uint32_t me, uint32_t n, void *shared, const dart__wait_policy_t *policy)
{
  char *seen[TEST_MOST_THREADS];
  char *elsewhere = mmap(NULL, n * (size_t)PART, PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd, 0);

  CHECK(elsewhere != MAP_FAILED && elsewhere != shared);
  for (uint32_t u = 0; u < n; u++)
    seen[u] = elsewhere + u * (size_t)PART;
  munmap(shared, (size_t)TEST_MOST_THREADS * PART);
  ring_of(me, n, seen, ROUNDS / 2, policy);
}

static void processes_map_memory_where_they_like(void **state)
{
  size_t nbytes = (size_t)TEST_MOST_THREADS * PART;
  char  *memory;

  (void)state;
  memory_fd = memfd_create("mailboxes", 0);
  assert_true(memory_fd >= 0 && ftruncate(memory_fd, (off_t)nbytes) == 0);
  memory = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd, 0);
  assert_true(memory != MAP_FAILED);
  TEST_FOR_THREADS(n)
  {
    prepare(memory, n);
    test_processes(n, ring_elsewhere, memory, &test_policies[1]);
  }
  munmap(memory, nbytes);
  close(memory_fd);
}

/* ---- one thread, step by step ------------------------------------------------------------ */

static unit_t alone;
static char  *alone_memory;

static int open_alone(void **state)
{
  (void)state;
  alone_memory = new_parts(1);
  prepare(alone_memory, 1);
  open_unit(&alone, 0, 1, parts);
  own = &alone;
  return 0;
}

static int close_alone(void **state)
{
  (void)state;
  close_unit(&alone);
  free(alone_memory);
  return 0;
}

static bool is_there(int32_t tag)
{
  dart__incoming_t in;

  if (!dart__mailbox_match(&alone.box, 0, tag, &in))
    return false;
  dart__mailbox_refuse(&alone.box, &in);
  return true;
}

static void tags_are_matched_in_any_order(void **state)
{
  static const int32_t tags[] = { 5, 0, 32767, 5, INT32_MAX, 5 };
  dart__incoming_t     in;
  sending_t            s;
  char                 data = 0, got;

  (void)state;
  for (int i = 0; i < 6; i++) {
    data = (char)(10 + i);
    start_send(&s, 0, tags[i], &data, 1);
  }
  assert_false(is_there(1));
  assert_true(is_there(INT32_MAX)); /* from the middle, the front and the end of the pile */
  assert_true(is_there(0));
  for (int i = 0; i < 6; i += i == 0 ? 3 : 2) {
    assert_true(dart__mailbox_match(&alone.box, 0, 5, &in));
    assert_int_equal(in.nbytes, 1);
    assert_true(dart__mailbox_take(&alone.box, &in, &got));
    assert_int_equal(got, 10 + i);
  }
  assert_false(is_there(5));
  data = 77; /* behind what is left of the pile */
  start_send(&s, 0, 5, &data, 1);
  assert_true(is_there(32767));
  assert_true(dart__mailbox_match(&alone.box, 0, 5, &in));
  assert_true(dart__mailbox_take(&alone.box, &in, &got));
  assert_int_equal(got, 77);
  assert_false(is_there(32767));
}

static void any_tag_is_none_that_is_negative(void **state)
{
  static const int32_t tags[] = { -3, 8, 5 };
  const int32_t        any    = DART__MAILBOX_ANY;
  dart__incoming_t     in;
  sending_t            s;
  char                 data, got;

  (void)state;
  for (int i = 0; i < 3; i++) {
    data = (char)(20 + i);
    start_send(&s, 0, tags[i], &data, 1);
  }
  for (int looks = 0; looks < 3; looks++) { /* it stays where it is */
    assert_true(dart__mailbox_look(&alone.box, any, any, &in));
    assert_int_equal(in.from, 0);
    assert_int_equal(in.tag, 8);
    assert_int_equal(in.nbytes, 1);
  }
  assert_true(dart__mailbox_look(&alone.box, any, 5, &in));
  assert_int_equal(in.tag, 5);
  for (int i = 1; i < 3; i++) {
    assert_true(dart__mailbox_match(&alone.box, any, any, &in));
    assert_int_equal(in.tag, tags[i]);
    assert_true(dart__mailbox_take(&alone.box, &in, &got));
    assert_int_equal(got, 20 + i);
  }
  assert_false(dart__mailbox_look(&alone.box, any, any, &in));
  assert_false(dart__mailbox_match(&alone.box, 0, any, &in));
  assert_true(is_there(-3));
  assert_false(is_there(-3));
}

static void letters_come_back_when_taken(void **state)
{
  sending_t s;
  size_t    one;

  (void)state;
  one = dart__mailbox_message_bytes(100);
  for (int tag = 0; tag < 4; tag++)
    start_send(&s, 0, tag, alone_memory + 3000, 100);
  assert_int_equal(reclaim(&alone.box, SIZE_MAX), 4 * one);
  assert_true(is_there(0));
  assert_true(is_there(2));
  assert_true(is_there(3)); /* behind the oldest that is left: only if there are too many */
  assert_int_equal(reclaim(&alone.box, SIZE_MAX), 3 * one);
  assert_int_equal(reclaim(&alone.box, 2 * one), one);
  start_send(&s, 0, 9, alone_memory + 3000, 100); /* behind the one that is left */
  assert_true(is_there(1));
  assert_int_equal(reclaim(&alone.box, SIZE_MAX), one);
  assert_true(is_there(9));
  assert_int_equal(reclaim(&alone.box, SIZE_MAX), 0);
  start_send(&s, 0, 1, alone_memory + 3000, 100); /* on an empty list again */
  assert_true(is_there(1));
  assert_int_equal(reclaim(&alone.box, SIZE_MAX), 0);
  for (int i = 0; i < LETTERS; i++)
    assert_false(alone.used[i]);
}

/* Another letter of `room` bytes' room, left to its receiver. */
static uint64_t leave(int32_t tag, size_t room)
{
  dart__outgoing_t out;
  uint64_t         offset;
  bool             last;

  assert_true(take_letter(&offset, &last));
  dart__mailbox_post(&alone.box, 0, tag, alone_memory + 3000, 100, offset, room, false, &out);
  dart__mailbox_detach(&alone.box, &out);
  return offset;
}

static void a_letter_that_was_taken_is_used_again_if_it_suits(void **state)
{
  uint64_t first = leave(1, 100), second = leave(2, 2000), third = leave(3, 1000), reused;
  size_t   room = 100;

  (void)state;
  dart__mailbox_reclaim(&alone.box, 0, &room, release_block, &reused);
  assert_int_equal(reused, 0); /* none was taken */
  for (int tag = 1; tag <= 3; tag++)
    assert_true(is_there(tag));
  /* the first is too small, the second too large */
  room = 900;
  assert_int_equal(dart__mailbox_reclaim(&alone.box, 0, &room, release_block, &reused), 0);
  assert_int_equal(reused, third);
  assert_int_equal(room, 1000); /* it may be used again for as much */
  assert_false(alone.used[(first - offset_of(0)) / (offset_of(1) - offset_of(0))]);
  assert_false(alone.used[(second - offset_of(0)) / (offset_of(1) - offset_of(0))]);
  release_block(third);
  first  = leave(4, 600);
  second = leave(5, 600);
  assert_true(is_there(4));
  assert_true(is_there(5));
  room = 600;
  assert_int_equal(dart__mailbox_reclaim(&alone.box, 0, &room, release_block, &reused), 0);
  assert_int_equal(reused, first); /* one only */
  release_block(first);
  for (int i = 0; i < LETTERS; i++)
    assert_false(alone.used[i]);
}

static void refused_messages_free_their_sender(void **state)
{
  char       *data = calloc(1, LONG), got[8] = { 0 };
  sending_t   s;
  receiving_t r = { .from = 0, .tag = 1, .buffer = got, .room = sizeof got };

  (void)state;
  start_send(&s, 0, 1, data, LONG);
  go_on_sending(&s);
  assert_false(s.done);
  go_on_receiving(&r);
  assert_true(r.refused);
  go_on_sending(&s);
  assert_true(s.done);
  for (int i = 0; i < LETTERS; i++)
    assert_false(alone.used[i]);
  free(data);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(tags_are_matched_in_any_order, open_alone, close_alone),
    cmocka_unit_test_setup_teardown(any_tag_is_none_that_is_negative, open_alone, close_alone),
    cmocka_unit_test_setup_teardown(letters_come_back_when_taken, open_alone, close_alone),
    cmocka_unit_test_setup_teardown(a_letter_that_was_taken_is_used_again_if_it_suits, open_alone,
                                    close_alone),
    cmocka_unit_test_setup_teardown(refused_messages_free_their_sender, open_alone, close_alone),
    cmocka_unit_test(rings_pass_everything_on),
    cmocka_unit_test(many_senders_lose_nothing),
    cmocka_unit_test(threads_share_a_mailbox),
    cmocka_unit_test(processes_map_memory_where_they_like),
  };

  test_watch();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
