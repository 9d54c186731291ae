/* The asking side of the service: a lane to every unit that requests were made to.
 *
 * A lane has one open batch, in which requests are collected, and a row of batches under way. At most
 * UNDER_WAY of them are, which bounds the buffers of both units; who has more to send serves others
 * until an answer comes. Over all lanes at most COLLECTED_MOST requests wait to be sent, so that a
 * program's own look-ahead stays what it says it is.
 *
 * All state is behind one lock, held for no longer than it takes to append or to start a send. */
#include "service.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/log.h"
#include "model/world.h"

#define UNDER_WAY      16
#define ANSWER_EVERY   8      /* batches; so that answers come before nothing more can be sent */
#define COLLECTED_MOST 1024
#define LITTLE         8192   /* bytes that MPI sends without being asked for them, most likely */
#define AGE_NS         100000 /* a batch that nobody flushed is sent when it was seen so long ago */

typedef struct {
  void    *to;
  uint32_t nbytes;
} result_t;

typedef struct batch {
  struct batch  *next;
  MPI_Request    sent;
  int64_t        seen; /* ns; when somebody first found it open */
  size_t         nwords;
  size_t         nrequests;
  size_t         nresults;
  size_t         result_words;
  dart_team_t    team;  /* what the last SELECT said */
  int16_t        segid;
  uint64_t       high;
  size_t         ndata; /* messages of data that this one announces */
  dart__data_t   data[DART__DATA_MOST];
  size_t         ndata_sent;
  const void    *src[DART__DATA_MOST];
  MPI_Request    data_sent[DART__DATA_MOST];
  result_t       results[DART__BATCH_WORDS]; /* in the order of their requests */
  dart__message_t head; /* with what follows, as sent */
  uint64_t       words[DART__BATCH_WORDS];
} batch_t;

_Static_assert(offsetof(batch_t, words) == offsetof(batch_t, head) + sizeof(dart__message_t),
               "a batch is sent in one piece");

/* Towards one unit. Batches are numbered from 1 as they are sent. */
typedef struct {
  batch_t *open;     /* being collected, or NULL */
  batch_t *first;    /* under way, oldest first */
  batch_t *last;
  uint64_t sent;     /* the newest batch that was sent */
  uint64_t wanted;   /* the newest whose answer was asked for */
  uint64_t asked;    /* answers that were asked for, and ... */
  uint64_t heard;    /* ... have come */
  uint64_t applied;  /* the newest that is known to be applied */
  uint64_t answered; /* the newest that was applied and has its results: those up to here are done */
  uint64_t fetching; /* the newest with results or data, sent or open */
  uint64_t awaited;  /* who flushes a team waits for this one, and for ... */
  uint64_t awaited_answers; /* ... so many answers, or they would come after the end */
  uint64_t refused;  /* requests, since the start */
  uint64_t reported; /* of them */
  unsigned burst[3]; /* notifications since the unit last waited, before that, and before that */
  bool     listed;   /* is in lanes.busy */
} lane_t;

static struct {
  _Atomic bool    locked;
  lane_t        **lane;      /* global id → lane, NULL until it is used */
  dart_unit_t    *busy;      /* units whose lane has something open, under way, or to report */
  int32_t         nbusy;
  _Atomic int32_t any_busy;  /* nbusy, for a look without the lock */
  size_t          collected; /* requests in open batches */
  bool            is_burst;  /* some lane has notifications since the unit last waited */
  batch_t        *spare;     /* free batches */
} lanes;

/* ---- the lock ---------------------------------------------------------------------------- */

/* One atomic exchange to take it and a store to give it back: half of what a mutex costs, and
 * appending costs little else. It is taken by the unit and, seldom, by its agent; who finds it taken
 * spins, and gives the core away, for the other may need it. */
static bool try_lock(void)
{
  /* acquire: pairs with the release in unlock */
  return !atomic_exchange_explicit(&lanes.locked, true, memory_order_acquire);
}

static void lock(void)
{
  for (unsigned tries = 1; !try_lock(); tries++)
    if (tries % 16 == 0)
      sched_yield();
    else
      dart__cpu_pause();
}

static void unlock(void)
{
  atomic_store_explicit(&lanes.locked, false, memory_order_release);
}

/* ---- batches ----------------------------------------------------------------------------- */

static batch_t *new_batch(void)
{
  batch_t *batch = lanes.spare;

  if (batch != NULL)
    lanes.spare = batch->next;
  else
    batch = malloc(sizeof *batch);
  if (batch == NULL)
    return NULL;
  batch->next         = NULL;
  batch->sent         = MPI_REQUEST_NULL;
  batch->seen         = 0;
  batch->nwords       = 0;
  batch->nrequests    = 0;
  batch->nresults     = 0;
  batch->result_words = 0;
  batch->team         = DART_TEAM_NULL;
  batch->ndata        = 0;
  batch->ndata_sent   = 0;
  batch->head         = (dart__message_t){ .kind = DART__REQUESTS };
  return batch;
}

static void recycle(batch_t *batch)
{
  batch->next = lanes.spare;
  lanes.spare = batch;
}

static bool fits(const batch_t *batch, size_t nwords, size_t result_words)
{
  return batch->nwords + batch->ndata * DART__DATA_WORDS + nwords <= DART__BATCH_WORDS &&
         batch->result_words + result_words <= DART__BATCH_WORDS;
}

/* ---- lanes; the lock is held -------------------------------------------------------------- */

static lane_t *lane_to(dart_unit_t unit)
{
  if (lanes.lane[unit] == NULL)
    lanes.lane[unit] = calloc(1, sizeof(lane_t));
  return lanes.lane[unit];
}

static void list_busy(dart_unit_t unit, lane_t *lane)
{
  if (lane->listed)
    return;
  lane->listed              = true;
  lanes.busy[lanes.nbusy++] = unit;
  /* relaxed: who asked sees it by itself, other threads need not yet */
  atomic_store_explicit(&lanes.any_busy, lanes.nbusy, memory_order_relaxed);
}

static void unlist_if_idle(dart_unit_t unit, lane_t *lane)
{
  int32_t i = 0;

  if (lane->open != NULL || lane->first != NULL || lane->asked != lane->heard ||
      lane->refused != lane->reported || !lane->listed)
    return;
  while (lanes.busy[i] != unit)
    i++;
  lanes.busy[i] = lanes.busy[--lanes.nbusy];
  lane->listed  = false;
  /* release: the results come before it; pairs with the acquire in nothing_outstanding */
  atomic_store_explicit(&lanes.any_busy, lanes.nbusy, memory_order_release);
}

/* The unit waits: a burst of notifications is over. */
static void end_burst(lane_t *lane)
{
  if (lane->burst[0] == 0)
    return;
  lane->burst[2] = lane->burst[1];
  lane->burst[1] = lane->burst[0];
  lane->burst[0] = 0;
}

/* Send those of a batch's data that are not on their way yet. */
static dart_ret_t send_data(dart_unit_t unit, batch_t *batch)
{
  dart_ret_t ret = DART_OK;

  for (; batch->ndata_sent < batch->ndata && ret == DART_OK; batch->ndata_sent++)
    ret = DART__MPI(MPI_Isend, batch->src[batch->ndata_sent],
                    (int)batch->data[batch->ndata_sent].nbytes, MPI_BYTE, unit, DART__TAG_DATA,
                    dart__mpi.service, &batch->data_sent[batch->ndata_sent]);
  return ret;
}

/* Send the lane's open batch. Too many under way: it stays open. */
static dart_ret_t send_open(dart_unit_t unit, lane_t *lane, bool is_wanted)
{
  batch_t   *batch = lane->open;
  size_t     nwords;
  dart_ret_t ret;

  if (batch == NULL || lane->sent - lane->answered == UNDER_WAY)
    return DART_OK;
  batch->head.is_wanted = is_wanted || batch->nresults > 0 ||
                          (lane->sent + 1 - lane->wanted >= ANSWER_EVERY &&
                           lane->sent + 1 - lane->answered >= ANSWER_EVERY);
  batch->head.ndata = (uint16_t)batch->ndata;
  dart__service_tell(unit, &batch->head);
  memcpy(batch->words + batch->nwords, batch->data, batch->ndata * sizeof batch->data[0]);
  nwords = batch->nwords + batch->ndata * DART__DATA_WORDS;
  ret    = DART__MPI(MPI_Isend, &batch->head, (int)(sizeof batch->head + nwords * sizeof(uint64_t)),
                     MPI_BYTE, unit, DART__TAG_MESSAGE, dart__mpi.service, &batch->sent);
  if (ret == DART_OK)
    ret = send_data(unit, batch);
  if (ret != DART_OK)
    return ret;
  lanes.collected -= batch->nrequests;
  lane->open = NULL;
  if (lane->last != NULL)
    lane->last->next = batch;
  else
    lane->first = batch;
  lane->last = batch;
  lane->sent++;
  if (batch->head.is_wanted) {
    lane->wanted = lane->sent;
    lane->asked++;
  }
  return DART_OK;
}

/* See to it that a batch, open or sent, is answered. It may take more than one call. */
static dart_ret_t ask_for(dart_unit_t unit, lane_t *lane, uint64_t number)
{
  if (lane->wanted >= number || lane->answered >= number)
    return DART_OK;
  if (lane->open == NULL) /* a word to the owner is enough */
    lane->open = new_batch();
  return lane->open == NULL ? DART_ERR_NOMEM : send_open(unit, lane, true);
}

static dart_ret_t send_all(void)
{
  dart_ret_t ret = DART_OK;

  for (int32_t i = 0; i < lanes.nbusy && ret == DART_OK; i++)
    ret = send_open(lanes.busy[i], lanes.lane[lanes.busy[i]], false);
  return ret;
}

/* Send the open batch of a lane if the unit waits, or if it is old at `now`. */
static void look_at(dart_unit_t unit, lane_t *lane, bool waiting, int64_t now)
{
  if (waiting)
    end_burst(lane);
  if (lane->open == NULL)
    return;
  if (lane->open->seen == 0)
    lane->open->seen = now;
  if (waiting || now - lane->open->seen > AGE_NS)
    send_open(unit, lane, false);
}

void dart__lanes_send(bool waiting)
{
  int64_t now;

  /* relaxed: what another thread has just begun is sent the next time */
  if (atomic_load_explicit(&lanes.any_busy, memory_order_relaxed) == 0 ||
      !try_lock())
    return;
  if (lanes.collected > 0 || (waiting && lanes.is_burst)) {
    now            = waiting ? 0 : dart__now_ns();
    lanes.is_burst = lanes.is_burst && !waiting;
    for (int32_t i = 0; i < lanes.nbusy; i++)
      look_at(lanes.busy[i], lanes.lane[lanes.busy[i]], waiting, now);
  }
  unlock();
}

/* The oldest batch under way is done. */
static void finish_first(lane_t *lane, const uint64_t *results)
{
  batch_t *batch = lane->first;

  for (size_t i = 0; i < batch->nresults; i++) {
    memcpy(batch->results[i].to, results, batch->results[i].nbytes);
    results += dart__words(batch->results[i].nbytes);
  }
  lane->answered++;
  lane->first = batch->next;
  if (lane->first == NULL)
    lane->last = NULL;
  /* that it was applied is proof that they were received, but MPI wants its requests back */
  MPI_Wait(&batch->sent, MPI_STATUS_IGNORE);
  for (size_t i = 0; i < batch->ndata; i++)
    MPI_Wait(&batch->data_sent[i], MPI_STATUS_IGNORE);
  recycle(batch);
}

/* Messages of a unit's several threads may tell of its progress out of order. But results come with
 * a message that tells of their batch as the newest, and in order; only that one finishes a batch
 * with results. */
void dart__lanes_hear(dart_unit_t unit, const dart__message_t *head, const uint64_t *results)
{
  lane_t  *lane;
  uint64_t number;

  lock();
  lane = lanes.lane[unit];
  if (lane != NULL) {
    number = lane->applied + (uint64_t)(int32_t)(head->applied - (uint32_t)lane->applied);
    if (number > lane->applied)
      lane->applied = number;
    lane->heard += results != NULL;
    if (head->refused > lane->refused)
      lane->refused = head->refused;
    while (lane->answered < lane->applied &&
           (lane->first->nresults == 0 || (results != NULL && lane->answered + 1 == number)))
      finish_first(lane, results);
    unlist_if_idle(unit, lane);
  }
  unlock();
}

/* ---- requests ---------------------------------------------------------------------------- */

static void write_record(batch_t *batch, const dart__record_t *r)
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
  lanes.collected++;
  if (r->result_bytes > 0) {
    batch->results[batch->nresults++] = (result_t){ r->result, (uint32_t)r->result_bytes };
    batch->result_words += dart__words(r->result_bytes);
  }
}

/* Say which segment follows, unless it is the same as before. */
static void write_selection(batch_t *batch, const dart__place_t *at, uint64_t offset)
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

/* Give up the lock until others may have got on. */
static void wait_unlocked(uint32_t *turns)
{
  unlock();
  dart__wait_turn(turns, &dart__world.wait);
  lock();
}

/* Send the open batch of a lane, and wait until that can be. */
static dart_ret_t empty(dart_unit_t unit, lane_t *lane)
{
  uint32_t   turns = 0;
  dart_ret_t ret   = send_open(unit, lane, false);

  while (ret == DART_OK && lane->open != NULL) {
    wait_unlocked(&turns);
    ret = send_open(unit, lane, false);
  }
  return ret;
}

/* The open batch of the lane, with room for so much. NULL: `*ret_out`. */
static batch_t *open_batch(dart_unit_t unit, lane_t *lane, size_t nwords, size_t result_words,
                           dart_ret_t *ret_out)
{
  uint32_t turns = 0;

  *ret_out = DART_OK;
  while ((lane->open != NULL && !fits(lane->open, nwords, result_words)) ||
         lanes.collected >= COLLECTED_MOST) {
    *ret_out = lanes.collected >= COLLECTED_MOST ? send_all() : send_open(unit, lane, false);
    if (*ret_out != DART_OK)
      return NULL;
    if ((lane->open != NULL && !fits(lane->open, nwords, result_words)) ||
        lanes.collected >= COLLECTED_MOST) /* too many under way */
      wait_unlocked(&turns);
  }
  if (lane->open == NULL)
    lane->open = new_batch();
  if (lane->open == NULL)
    *ret_out = DART_ERR_NOMEM;
  return lane->open;
}

/* Append; the lock is held, but may be given up meanwhile. `at` is NULL: about no memory. */
static dart_ret_t append(dart_unit_t unit, lane_t *lane, const dart__place_t *at, uint64_t offset,
                         const dart__record_t *r)
{
  size_t     nwords = 3 + dart__words(r->first_bytes + r->second_bytes); /* with a selection */
  dart_ret_t ret;
  batch_t   *batch = open_batch(unit, lane, nwords, dart__words(r->result_bytes), &ret);

  if (batch == NULL)
    return ret;
  list_busy(unit, lane);
  if (at != NULL)
    write_selection(batch, at, offset);
  write_record(batch, r);
  if (r->result_bytes > 0)
    lane->fetching = lane->sent + 1;
  return DART_OK;
}

static dart_ret_t told(dart_unit_t unit, dart_ret_t ret)
{
  if (ret == DART_ERR_NOMEM)
    dart__error("no memory for requests to unit %d", unit);
  return ret;
}

dart_ret_t dart__lanes_append(dart_unit_t unit, const dart__place_t *at, uint64_t offset,
                              const dart__record_t *r)
{
  dart_ret_t ret = DART_ERR_NOMEM;
  lane_t    *lane;

  lock();
  lane = lane_to(unit);
  if (lane != NULL)
    ret = append(unit, lane, at, offset, r);
  unlock();
  return told(unit, ret);
}

/* Announce at most DART__DATA_BYTES in a batch with room for that. Much of it leaves at once; a little
 * does with the batch, after it, so that it finds its receive posted and is not copied twice. */
static dart_ret_t add_data(dart_unit_t unit, lane_t *lane, const dart__data_t *data, const void *src)
{
  dart_ret_t ret;
  batch_t   *batch = open_batch(unit, lane, DART__DATA_WORDS, 0, &ret);

  while (batch != NULL && batch->ndata == DART__DATA_MOST) {
    ret   = empty(unit, lane);
    batch = ret == DART_OK ? open_batch(unit, lane, DART__DATA_WORDS, 0, &ret) : NULL;
  }
  if (batch == NULL)
    return ret;
  list_busy(unit, lane);
  batch->src[batch->ndata]    = src;
  batch->data[batch->ndata++] = *data;
  lane->fetching              = lane->sent + 1;
  return data->nbytes > LITTLE ? send_data(unit, batch) : DART_OK;
}

dart_ret_t dart__lanes_send_data(const dart__place_t *at, const void *src, size_t nbytes)
{
  dart_unit_t unit = at->team->members[at->unit];
  dart_ret_t  ret  = DART_OK;
  lane_t     *lane;

  lock();
  lane = lane_to(unit);
  if (lane == NULL)
    ret = DART_ERR_NOMEM;
  for (size_t from = 0; from < nbytes && ret == DART_OK; from += DART__DATA_BYTES) {
    dart__data_t data = { .selection = { .team = at->team->id, .segid = at->segment->id },
                          .offset    = at->offset + from,
                          .nbytes    = nbytes - from };

    if (data.nbytes > DART__DATA_BYTES)
      data.nbytes = DART__DATA_BYTES;
    ret = add_data(unit, lane, &data, (const char *)src + from);
  }
  unlock();
  return told(unit, ret);
}

/* Programs do the same again and again: if a unit was told four things between the last two waits, and
 * between the two before, then four are coming now, and can share a message. The worst that a wrong
 * guess does is that a notification leaves with the next call of DART, or with the agent. */
static bool is_last_of_burst(lane_t *lane)
{
  lanes.is_burst = true;
  lane->burst[0]++;
  return lane->burst[0] >= lane->burst[1] || lane->burst[0] >= lane->burst[2];
}

dart_ret_t dart__lanes_notify(const dart__place_t *at, const dart__record_t *put,
                              const dart__place_t *flag, const dart__record_t *raise)
{
  dart_unit_t unit = flag->team->members[flag->unit];
  dart_ret_t  ret  = DART_ERR_NOMEM;
  lane_t     *lane;

  lock();
  lane = lane_to(unit);
  if (lane != NULL)
    ret = put != NULL ? append(unit, lane, at, at->offset, put) : DART_OK;
  if (ret == DART_OK)
    ret = append(unit, lane, flag, flag->offset, raise);
  if (ret == DART_OK && is_last_of_burst(lane))
    ret = send_open(unit, lane, false);
  unlock();
  return told(unit, ret);
}

/* ---- completion -------------------------------------------------------------------------- */

static bool nothing_outstanding(void)
{
  /* acquire: pairs with the release by a thread that took our answers, so results are visible */
  return atomic_load_explicit(&lanes.any_busy, memory_order_acquire) == 0;
}

/* The newest batch that has to be answered for what was asked until now. */
static uint64_t newest(const lane_t *lane, bool at_target)
{
  return at_target ? lane->sent + (lane->open != NULL) : lane->fetching;
}

static dart_ret_t report_refused(dart_unit_t unit, lane_t *lane)
{
  uint64_t refused = lane->refused - lane->reported;

  if (refused == 0)
    return DART_OK;
  lane->reported = lane->refused;
  unlist_if_idle(unit, lane);
  dart__error("unit %d refused %llu requests: the memory is gone", unit,
              (unsigned long long)refused);
  return DART_ERR_INVAL;
}

/* Waits for what was asked for until now; other threads may go on asking. */
dart_ret_t dart__service_flush(dart_unit_t unit, bool at_target)
{
  uint32_t   turns = 0;
  dart_ret_t ret   = DART_OK;
  lane_t    *lane;
  uint64_t   last;

  if (nothing_outstanding())
    return DART_OK;
  lock();
  lane = lanes.lane[unit];
  last = lane == NULL ? 0 : newest(lane, at_target);
  while (lane != NULL && lane->answered < last && ret == DART_OK) {
    ret = ask_for(unit, lane, last);
    if (ret == DART_OK)
      wait_unlocked(&turns);
  }
  if (ret == DART_OK && lane != NULL)
    ret = report_refused(unit, lane);
  unlock();
  return ret;
}

static bool is_awaited(const lane_t *lane)
{
  return lane->answered < lane->awaited || lane->heard < lane->awaited_answers;
}

/* The next busy lane of the team that something is awaited from; NULL: none. */
static lane_t *next_awaited(const dart__team_t *team, dart_unit_t *unit_out)
{
  for (int32_t i = 0; i < lanes.nbusy; i++) {
    *unit_out = lanes.busy[i];
    if (is_awaited(lanes.lane[*unit_out]) && dart__team_unit_of(team, *unit_out) >= 0)
      return lanes.lane[*unit_out];
  }
  return NULL;
}

/* Ask for what is awaited; then also for the answer to that. */
static dart_ret_t ask_for_awaited(dart_unit_t unit, lane_t *lane)
{
  uint64_t   asked = lane->asked;
  dart_ret_t ret   = ask_for(unit, lane, lane->awaited);

  if (lane->asked > asked)
    lane->awaited_answers = lane->asked;
  return ret;
}

dart_ret_t dart__service_flush_team(const dart__team_t *team, bool at_target)
{
  uint32_t    turns = 0;
  dart_ret_t  ret   = DART_OK;
  lane_t     *lane;
  dart_unit_t unit;

  if (nothing_outstanding())
    return DART_OK;
  lock();
  for (int32_t i = 0; i < lanes.nbusy && ret == DART_OK; i++) {
    unit = lanes.busy[i];
    lane = lanes.lane[unit];
    if (dart__team_unit_of(team, unit) < 0)
      continue;
    if (lane->awaited < newest(lane, at_target)) /* another thread may wait for more */
      lane->awaited = newest(lane, at_target);
    if (at_target)
      lane->awaited_answers = lane->asked;
    ret = ask_for_awaited(unit, lane);
  }
  while (ret == DART_OK && (lane = next_awaited(team, &unit)) != NULL) {
    ret = ask_for_awaited(unit, lane);
    if (ret == DART_OK && is_awaited(lane))
      wait_unlocked(&turns);
  }
  for (int32_t i = lanes.nbusy; i-- > 0;) { /* downwards: what was reported leaves the list */
    unit = lanes.busy[i];
    if (dart__team_unit_of(team, unit) >= 0)
      ret = ret == DART_OK ? report_refused(unit, lanes.lane[unit]) : ret;
  }
  unlock();
  return ret;
}

/* ---- life -------------------------------------------------------------------------------- */

dart_ret_t dart__lanes_open(void)
{
  lanes.lane = calloc((size_t)dart__world.nunits, sizeof *lanes.lane);
  lanes.busy = calloc((size_t)dart__world.nunits, sizeof *lanes.busy);
  return lanes.lane == NULL || lanes.busy == NULL ? DART_ERR_NOMEM : DART_OK;
}

void dart__lanes_close(void)
{
  for (batch_t *batch = lanes.spare, *next; batch != NULL; batch = next) {
    next = batch->next;
    free(batch);
  }
  lanes.spare = NULL;
  for (int32_t u = 0; lanes.lane != NULL && u < dart__world.nunits; u++)
    free(lanes.lane[u]);
  free(lanes.lane);
  free(lanes.busy);
  lanes.lane      = NULL;
  lanes.busy      = NULL;
  lanes.nbusy     = 0;
  lanes.collected = 0;
}
