/* Collecting: requests, data and notifications join the open batch of a lane. See lanes.h. */
#include <string.h>

#include "base/log.h"
#include "lanes.h"

#define LITTLE 8192 /* bytes that MPI sends without being asked for them, most likely */

static void write_record(dart__batch_t *batch, const dart__record_t *r)
{
  char *at = (char *)&batch->words[batch->nwords + 1];

  batch->words[batch->nwords] = r->word;
  if (r->first_bytes == sizeof(uint64_t)) { /* the common case, in one move */
    memcpy(at, r->first, sizeof(uint64_t));
  }
  else if (r->first_bytes > 0) {
    batch->words[batch->nwords + dart__words(r->first_bytes)] = 0; /* no stray bytes on the wire */
    memcpy(at, r->first, r->first_bytes);
  }
  if (r->second_bytes > 0)
    memcpy(at + r->first_bytes, r->second, r->second_bytes);
  batch->nwords += 1 + dart__words(r->first_bytes + r->second_bytes);
  batch->nrequests++;
  dart__lanes.collected++;
  if (r->result_bytes > 0) {
    batch->results[batch->nresults++] = (dart__result_t){ r->result, (uint32_t)r->result_bytes };
    batch->result_words += dart__words(r->result_bytes);
  }
}

/* Say which segment follows, unless it is the same as before. */
static void write_selection(dart__batch_t *batch, const dart__place_t *at, uint64_t offset)
{
  uint64_t          high = offset >> DART__OFFSET_BITS;
  dart__selection_t selection;

  if (batch->team == at->team->id && batch->segid == at->segment->id && batch->high == high)
    return;
  batch->team  = at->team->id;
  batch->segid = at->segment->id;
  batch->high  = high;
  selection    = (dart__selection_t){ at->team->id, at->segment->id, (uint32_t)high };
  batch->words[batch->nwords] = dart__request(DART__SELECT, 0, 0, 0, 0);
  memcpy(&batch->words[batch->nwords + 1], &selection, sizeof selection);
  batch->nwords += 2;
}

static bool fits(const dart__batch_t *batch, size_t nwords, size_t result_words)
{
  return batch->nwords + batch->ndata * DART__DATA_WORDS + nwords <= DART__BATCH_WORDS &&
         batch->result_words + result_words <= DART__BATCH_WORDS;
}

/* Send the open batch of a lane, and wait until that can be. */
static void empty(dart_unit_t unit, dart__lane_t *lane)
{
  uint32_t turns = 0;

  dart__lane_send(unit, lane, false);
  while (lane->open != NULL) {
    dart__lanes_wait_unlocked(&turns);
    dart__lane_send(unit, lane, false);
  }
}

static bool is_full(const dart__lane_t *lane, size_t nwords, size_t result_words)
{
  return lane->open != NULL && !fits(lane->open, nwords, result_words);
}

/* Make way for what is to be collected. */
static void send_some(dart_unit_t unit, dart__lane_t *lane, size_t nwords, size_t result_words)
{
  if (dart__lanes.collected >= DART__COLLECTED_MOST)
    dart__lanes_send_all();
  else if (is_full(lane, nwords, result_words))
    dart__lane_send(unit, lane, false);
}

/* The open batch of the lane, with room for so much. Waits where too many are under way, or there is no
 * memory for one more. */
static dart__batch_t *open_batch(dart_unit_t unit, dart__lane_t *lane, size_t nwords,
                                 size_t result_words)
{
  for (uint32_t turns = 0;;) {
    send_some(unit, lane, nwords, result_words);
    if (dart__lanes.collected < DART__COLLECTED_MOST && lane->open == NULL)
      lane->open = dart__batch_new();
    if (dart__lanes.collected < DART__COLLECTED_MOST && lane->open != NULL &&
        !is_full(lane, nwords, result_words))
      return lane->open;
    dart__lanes_wait_unlocked(&turns);
  }
}

/* Append; the lock is held, but may be given up meanwhile. `at` is NULL: about no memory. */
static void append(dart_unit_t unit, dart__lane_t *lane, const dart__place_t *at, uint64_t offset,
                   const dart__record_t *r)
{
  size_t         nwords = 3 + dart__words(r->first_bytes + r->second_bytes); /* with a selection */
  dart__batch_t *batch  = open_batch(unit, lane, nwords, dart__words(r->result_bytes));

  dart__lane_list(unit, lane);
  if (at != NULL)
    write_selection(batch, at, offset);
  write_record(batch, r);
  if (r->result_bytes > 0)
    lane->fetching = lane->sent + 1;
}

void dart__lanes_append(dart_unit_t unit, const dart__place_t *at, uint64_t offset,
                        const dart__record_t *r)
{
  dart__lanes_lock();
  append(unit, &dart__lanes.lane[unit], at, offset, r);
  dart__lanes_unlock();
}

/* Announce at most DART__DATA_BYTES in a batch with room for that. Much of it leaves at once; a
 * little leaves after the batch, so that it finds its receive posted and is not copied twice. */
static void add_data(dart_unit_t unit, dart__lane_t *lane, const dart__data_t *data,
                     const void *src)
{
  dart__batch_t *batch = open_batch(unit, lane, DART__DATA_WORDS, 0);

  while (batch->ndata == DART__DATA_MOST) {
    empty(unit, lane);
    batch = open_batch(unit, lane, DART__DATA_WORDS, 0);
  }
  dart__lane_list(unit, lane);
  batch->src[batch->ndata]    = src;
  batch->data[batch->ndata++] = *data;
  lane->fetching              = lane->sent + 1;
  if (data->nbytes > LITTLE)
    dart__batch_send_data(unit, batch);
}

void dart__lanes_send_data(const dart__place_t *at, const void *src, size_t nbytes)
{
  dart_unit_t unit = at->team->members[at->unit];

  dart__lanes_lock();
  for (size_t from = 0; from < nbytes; from += DART__DATA_BYTES) {
    dart__data_t data = { .selection = { .team = at->team->id, .segid = at->segment->id },
                          .offset    = at->offset + from,
                          .nbytes    = nbytes - from };

    if (data.nbytes > DART__DATA_BYTES)
      data.nbytes = DART__DATA_BYTES;
    add_data(unit, &dart__lanes.lane[unit], &data, (const char *)src + from);
  }
  dart__lanes_unlock();
}

/* Programs do the same again and again: if a unit was told four things between the last two waits,
 * and between the two before, then four are coming now, and can share a message. After a wrong guess
 * the agent sends what was kept; where there is none, nothing is kept, for the unit may compute next. */
static bool is_last_of_burst(dart__lane_t *lane)
{
  if (!dart__mpi.agents)
    return true;
  dart__lanes.is_burst = true;
  lane->burst[0]++;
  return lane->burst[0] >= lane->burst[1] || lane->burst[0] >= lane->burst[2];
}

void dart__lanes_notify(const dart__place_t *at, const dart__record_t *put,
                        const dart__place_t *flag, const dart__record_t *raise)
{
  dart_unit_t   unit = flag->team->members[flag->unit];
  dart__lane_t *lane = &dart__lanes.lane[unit];

  dart__lanes_lock();
  if (put != NULL)
    append(unit, lane, at, at->offset, put);
  append(unit, lane, flag, flag->offset, raise);
  if (is_last_of_burst(lane))
    dart__lane_send(unit, lane, false);
  dart__lanes_unlock();
}
