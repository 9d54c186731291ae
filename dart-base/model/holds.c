/* See holds.h. Words are relaxed: they are read when this unit is gone, or by itself. */
#include "model/holds.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model/world.h"

static dart__holds_t   own; /* without a launcher */
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static dart__holds_t *record(void)
{
  return dart__world.holds != NULL ? dart__world.holds : &own;
}

static uint32_t hold_kind(const dart__hold_t *hold)
{
  return atomic_load_explicit(&hold->kind, memory_order_relaxed);
}

static uint32_t count_of(const dart__hold_t *hold)
{
  return atomic_load_explicit(&hold->count, memory_order_relaxed);
}

/* ---- entries --------------------------------------------------------------------------------- */

static int32_t next_number(const dart__holds_t *holds, dart__hold_kind_t kind, dart_team_t team)
{
  int32_t last = 0;

  for (int i = 0; i < DART__HOLDS; i++)
    if (hold_kind(&holds->entry[i]) == kind && holds->entry[i].team == team &&
        holds->entry[i].number > last)
      last = holds->entry[i].number;
  return last + 1;
}

dart__hold_t *dart__hold_new(dart__hold_kind_t kind, dart_team_t team, int32_t number,
                             dart__hold_t *spare)
{
  dart__holds_t *holds = record();
  dart__hold_t  *hold  = NULL;

  *spare = (dart__hold_t){ 0 };
  pthread_mutex_lock(&guard);
  for (int i = 0; i < DART__HOLDS && hold == NULL; i++)
    if (hold_kind(&holds->entry[i]) == DART__HOLD_FREE)
      hold = &holds->entry[i];
  if (hold != NULL) {
    hold->team   = team;
    hold->number = number >= 0 ? number : next_number(holds, kind, team);
    atomic_store_explicit(&hold->kind, kind, memory_order_relaxed);
  }
  pthread_mutex_unlock(&guard);
  return hold != NULL ? hold : spare;
}

void dart__hold_delete(dart__hold_t *hold)
{
  atomic_store_explicit(&hold->count, 0, memory_order_relaxed);
  atomic_store_explicit(&hold->kind, DART__HOLD_FREE, memory_order_relaxed);
}

void dart__holds_clear(void)
{
  dart__holds_t *holds = record();

  for (int i = 0; i < DART__HOLDS; i++)
    atomic_store_explicit(&holds->entry[i].count, 0, memory_order_relaxed);
  for (int i = 0; i < DART__HELD_WORDS; i++)
    atomic_store_explicit(&holds->word[i].at, 0, memory_order_relaxed);
}

/* ---- holding --------------------------------------------------------------------------------- */

void dart__hold_name(dart__hold_t *hold, uint64_t first, uint64_t last)
{
  atomic_store_explicit(&hold->first, first, memory_order_relaxed);
  atomic_store_explicit(&hold->last, last, memory_order_relaxed);
}

void dart__hold_enter(dart__hold_t *hold, uint64_t first, uint64_t last)
{
  dart__hold_name(hold, first, last);
  dart__world_add(&hold->count, 1);
}

void dart__hold_leave(dart__hold_t *hold)
{
  dart__world_add(&hold->count, UINT32_MAX);
  if (count_of(hold) > 0) /* which of them it was is not known */
    dart__hold_name(hold, UINT64_MAX, 0);
}

bool dart__holds_word(const dart__holds_t *holds, dart_gptr_t gptr)
{
  /* atomic loads want it without const */
  dart__held_word_t *word = dart__held_word((dart__holds_t *)holds, gptr);

  return atomic_load_explicit(&word->at, memory_order_relaxed) == gptr.addr_or_offs.offset + 1 &&
         atomic_load_explicit(&word->portion, memory_order_relaxed) == dart__held_portion(gptr);
}

/* ---- naming ---------------------------------------------------------------------------------- */

static void describe_range(const dart__hold_t *hold, char *text, size_t size)
{
  int n = snprintf(text, size, "range lock %d of team %d", hold->number, hold->team);

  if (n > 0 && (size_t)n < size && hold->first <= hold->last)
    snprintf(text + n, size - (size_t)n, ", from %" PRIu64 " to %" PRIu64, hold->first, hold->last);
}

static void describe_epoch(const dart__hold_t *hold, char *text, size_t size)
{
  if (hold->first == UINT64_MAX)
    snprintf(text, size, "locks in segment %d of team %d", hold->number, hold->team);
  else
    snprintf(text, size, "the %s lock of unit %d in segment %d of team %d",
             hold->last != 0 ? "exclusive" : "shared", (int)hold->first, hold->number, hold->team);
}

static void describe_hold(const dart__hold_t *hold, char *text, size_t size)
{
  switch (hold_kind(hold)) {
  case DART__HOLD_RANGE: describe_range(hold, text, size); break;
  case DART__HOLD_EPOCH: describe_epoch(hold, text, size); break;
  default: snprintf(text, size, "lock %d of team %d", hold->number, hold->team);
  }
}

static void describe_word(const dart__held_word_t *word, char *text, size_t size)
{
  dart_gptr_t gptr = { .addr_or_offs.offset = word->at - 1 };
  uint64_t    half = word->portion;

  memcpy(&gptr, &half, sizeof half);
  snprintf(text, size, "the lock at offset %" PRIu64 " of unit %d in segment %d of team %d",
           gptr.addr_or_offs.offset, (int)gptr.unitid, (int)gptr.segid, (int)gptr.teamid);
}

static uint64_t describe_words(const dart__holds_t *holds, char *text, size_t size)
{
  uint64_t count = 0;

  for (int i = 0; i < DART__HELD_WORDS; i++) {
    if (holds->word[i].at == 0)
      continue;
    if (*text == '\0')
      describe_word(&holds->word[i], text, size);
    count++;
  }
  return count;
}

static void describe_all(const dart__holds_t *holds, bool words, char *text, size_t size)
{
  uint64_t count = 0;
  size_t   length;

  *text = '\0';
  for (int i = 0; i < DART__HOLDS; i++) {
    const dart__hold_t *hold = &holds->entry[i];

    if (hold_kind(hold) == DART__HOLD_FREE || !dart__hold_is_held(hold))
      continue;
    if (count == 0)
      describe_hold(hold, text, size);
    count += count_of(hold);
  }
  if (words)
    count += describe_words(holds, text, size);
  length = strlen(text);
  if (count > 1)
    snprintf(text + length, size - length, ", and %" PRIu64 " more", count - 1);
}

void dart__holds_describe(const dart__holds_t *holds, char *text, size_t size)
{
  describe_all(holds, true, text, size);
}

void dart__holds_own(char *text, size_t size)
{
  describe_all(record(), false, text, size);
}

void dart__holds_read(int fd, uint64_t offset, char *text, size_t size)
{
  dart__holds_t holds;

  *text = '\0';
  if (pread(fd, &holds, sizeof holds, (off_t)offset) == (ssize_t)sizeof holds)
    dart__holds_describe(&holds, text, size);
}
