/* Messages, and waits for notifications and words. */
#include "prepare.h"

#include <dash/dart/ext/dart_message.h>
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_wait_word.h>

static dart_ret_t send_large(void)
{
  return dart_send(in, LARGE, DART_TYPE_LONG, 1, DART_GLOBAL_UNIT_ID(victim));
}

static dart_ret_t send_many(void)
{
  dart_ret_t ret = DART_OK;

  while (ret == DART_OK)
    ret = dart_send(in, 10, DART_TYPE_LONG, 1, DART_GLOBAL_UNIT_ID(victim));
  return ret;
}

static dart_ret_t recv(void)
{
  return dart_recv(out, 10, DART_TYPE_LONG, 1, DART_GLOBAL_UNIT_ID(victim));
}

static dart_ret_t sendrecv(void)
{
  return dart_sendrecv(in, LARGE, DART_TYPE_LONG, 1, DART_GLOBAL_UNIT_ID(victim), out, LARGE,
                       DART_TYPE_LONG, 1, DART_GLOBAL_UNIT_ID(victim));
}

/* Units whose partners are left get and send all. */
static dart_ret_t sendrecv_ring(void)
{
  return dart_sendrecv(in, LARGE, DART_TYPE_LONG, 1, DART_GLOBAL_UNIT_ID((me + 1) % n), out, LARGE,
                       DART_TYPE_LONG, 1, DART_GLOBAL_UNIT_ID((me + n - 1) % n));
}

static dart_ret_t recv_any(void)
{
  dart_message_t found;

  return dart_recv_any(out, 10, DART_TYPE_LONG, DART_GLOBAL_UNIT_ID(DART_UNIT_ANY), 1, &found);
}

static dart_ret_t probe(void)
{
  dart_message_t found;

  return dart_probe(DART_GLOBAL_UNIT_ID(victim), 1, &found);
}

/* As many detached messages as a unit has at most (DETACHED_BYTES of p2p/twosided.c) are for the victim, which takes none. */
static void unread_messages(void)
{
  buffers();
  for (int i = 0; i < 4 && me != victim && is_near(victim); i++)
    MUST(dart_send(in, LARGE / 2, DART_TYPE_LONG, 1, DART_GLOBAL_UNIT_ID(victim)));
}

/* Then a message to another unit of the node need not wait until it is taken. */
static dart_ret_t send_after_unread(void)
{
  await_victim();
  for (int u = 0; u < n; u++)
    if (u != me && u != victim && is_near(u))
      MUST(dart_send(in, 1, DART_TYPE_LONG, 2, DART_GLOBAL_UNIT_ID(u)));
  for (int u = 0; u < n; u++)
    if (u != me && u != victim && is_near(u))
      MUST(dart_recv(out, 1, DART_TYPE_LONG, 2, DART_GLOBAL_UNIT_ID(u)));
  return DART_OK;
}

/* A loop of tries ends as dart_probe does. */
static dart_ret_t try_probe(int unit)
{
  dart_message_t message;
  int32_t        found = 0;
  dart_ret_t     ret   = DART_OK;

  while (ret == DART_OK && found == 0)
    ret = dart_try_probe(DART_GLOBAL_UNIT_ID(unit), 1, &found, &message);
  return ret;
}

static dart_ret_t try_probe_victim(void)
{
  return try_probe(victim);
}

static dart_ret_t try_probe_any(void)
{
  return try_probe(DART_UNIT_ANY);
}

static dart_ret_t notify_wait(void)
{
  return dart_notify_wait(at_unit(memory, me), 1, -1);
}

static dart_ret_t notify_waitany(void)
{
  dart_gptr_t flags[2] = { at_unit(memory, me), at_unit(memory, me) };
  uint64_t    least[2] = { 1, 1 };
  size_t      index;

  flags[1].addr_or_offs.offset += sizeof(uint64_t);
  return dart_notify_waitany(flags, least, 2, -1, &index);
}

static dart_ret_t wait_word(void)
{
  long one = 1;

  return dart_wait_word(at_unit(memory, me), DART_TYPE_LONG, DART_WAIT_EQ, &one, -1);
}

/* Words that nobody changes, and what is waited for at each. */
static dart_gptr_t *own_words(void)
{
  static dart_gptr_t words[2];

  words[0] = words[1] = at_unit(memory, me);
  words[1].addr_or_offs.offset += sizeof(long);
  return words;
}

static const long ones[2] = { 1, 1 };

static dart_ret_t wait_word_any(void)
{
  size_t index;

  return dart_wait_word_any(own_words(), 2, DART_TYPE_LONG, DART_WAIT_EQ, ones, -1, &index);
}

static dart_ret_t wait_word_some(void)
{
  size_t indices[2], count;

  return dart_wait_word_some(own_words(), 2, DART_TYPE_LONG, DART_WAIT_EQ, ones, -1, indices,
                             &count);
}

static dart_ret_t wait_word_all(void)
{
  return dart_wait_word_all(own_words(), 2, DART_TYPE_LONG, DART_WAIT_EQ, ones, -1);
}

static dart_ret_t wait_word_range(void)
{
  size_t index;

  return dart_wait_word_range(own_words()[0], 2, sizeof(long), DART_TYPE_LONG, DART_WAIT_EQ, ones,
                              0, -1, &index);
}

static dart_ret_t notify_waitsome(void)
{
  uint64_t least[2] = { 1, 1 };
  size_t   indices[2], count;

  return dart_notify_waitsome(own_words(), least, 2, -1, indices, &count);
}

static dart_gptr_t raised_by_victim; /* a word of a team of this unit and the victim */

static void pairs(void)
{
  for (int u = 0; u < n; u++) {
    dart_group_t     group;
    dart_team_t      team;
    dart_team_unit_t mine;

    if (u == victim)
      continue;
    MUST(dart_group_create(&group));
    MUST(dart_group_addmember(group, DART_GLOBAL_UNIT_ID(u)));
    MUST(dart_group_addmember(group, DART_GLOBAL_UNIT_ID(victim)));
    MUST(dart_team_create(DART_TEAM_ALL, group, &team));
    MUST(dart_group_destroy(&group));
    if (me != u && me != victim)
      continue;
    MUST(dart_team_memalloc_aligned(team, 1, DART_TYPE_LONG, &raised_by_victim));
    MUST(dart_team_myid(team, &mine));
    raised_by_victim.unitid = mine.id;
    MUST(dart_put_blocking(raised_by_victim, &(long){ 0 }, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  }
}

/* The program knows of the loss, but nobody else could raise the word. */
static dart_ret_t notify_wait_known(void)
{
  size_t count = 0;

  await_victim();
  MUST(dart_team_lost(DART_TEAM_ALL, NULL, &count));
  return dart_notify_wait(raised_by_victim, 1, -1);
}

static void pairs_and_word(void)
{
  segment();
  MUST(dart_put_blocking(at_unit(memory, me), &(long){ 1 }, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  pairs();
}

/* A word of another team compares already. */
static dart_ret_t wait_word_all_known(void)
{
  dart_gptr_t words[2] = { at_unit(memory, me), raised_by_victim };
  size_t      count    = 0;

  await_victim();
  MUST(dart_team_lost(DART_TEAM_ALL, NULL, &count));
  return dart_wait_word_all(words, 2, DART_TYPE_LONG, DART_WAIT_EQ, ones, -1);
}

static const entry_t entries[] = {
  { "send", buffers, send_large, LOST },
  { "send_many", buffers, send_many, LOST },
  { "send_after_unread", unread_messages, send_after_unread, DONE },
  { "recv", buffers, recv, LOST },
  { "sendrecv", buffers, sendrecv, LOST },
  { "sendrecv_ring", buffers, sendrecv_ring, EITHER },
  { "recv_any", buffers, recv_any, LOST },
  { "probe", buffers, probe, LOST },
  { "try_probe", buffers, try_probe_victim, LOST },
  { "try_probe_any", buffers, try_probe_any, LOST },
  { "notify_wait", segment, notify_wait, LOST },
  { "notify_waitany", segment, notify_waitany, LOST },
  { "notify_waitsome", segment, notify_waitsome, LOST },
  { "wait_word", segment, wait_word, LOST },
  { "wait_word_any", segment, wait_word_any, LOST },
  { "wait_word_some", segment, wait_word_some, LOST },
  { "wait_word_all", segment, wait_word_all, LOST },
  { "wait_word_range", segment, wait_word_range, LOST },
  { "notify_wait_known", pairs, notify_wait_known, LOST },
  { "wait_word_all_known", pairs_and_word, wait_word_all_known, LOST },
};

const call_table_t wait_calls = { entries, sizeof entries / sizeof *entries };
