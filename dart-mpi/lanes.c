/* Lanes: batches on their way to the owners, and what is heard of them. See lanes.h. */
#include "lanes.h"

#include <string.h>

#include "base/counters.h"

#define ANSWER_EVERY 8      /* batches; so that answers come before nothing more can be sent */
#define AGE_NS       100000 /* a batch that nobody flushed is sent when it was seen so long ago */

dart__lanes_t dart__lanes;

/* ---- batches ----------------------------------------------------------------------------- */

static dart__batch_t *allocate(bool is_reserve)
{
  dart__batch_t *batch = malloc(sizeof *batch);

  if (batch != NULL)
    batch->is_reserve = is_reserve;
  return batch;
}

/* A free batch; NULL: there is none. */
static dart__batch_t *find_batch(void)
{
  dart__batch_t *batch = dart__lanes.spare;

  if (batch != NULL) {
    dart__lanes.spare = batch->next;
    return batch;
  }
  batch = allocate(false);
  if (batch != NULL)
    return batch;
  batch               = dart__lanes.reserve;
  dart__lanes.reserve = NULL;
  return batch;
}

dart__batch_t *dart__batch_new(void)
{
  dart__batch_t *batch = find_batch();

  if (batch == NULL) {
    dart__lanes_send_all(); /* the reserve may be open in another lane */
    return NULL;
  }
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

static void recycle(dart__batch_t *batch)
{
  if (batch->is_reserve) {
    dart__lanes.reserve = batch;
    return;
  }
  batch->next       = dart__lanes.spare;
  dart__lanes.spare = batch;
}

/* ---- lanes; the lock is held -------------------------------------------------------------- */

void dart__lane_list(dart_unit_t unit, dart__lane_t *lane)
{
  if (lane->listed)
    return;
  lane->listed                          = true;
  dart__lanes.busy[dart__lanes.nbusy++] = unit;
  /* relaxed: who asked sees it by itself, other threads need not yet */
  atomic_store_explicit(&dart__lanes.any_busy, dart__lanes.nbusy, memory_order_relaxed);
}

void dart__lane_unlist_if_idle(dart_unit_t unit, dart__lane_t *lane)
{
  int32_t i = 0;

  if (lane->open != NULL || lane->first != NULL || lane->asked != lane->heard ||
      lane->refused != lane->reported || !lane->listed)
    return;
  while (dart__lanes.busy[i] != unit)
    i++;
  dart__lanes.busy[i] = dart__lanes.busy[--dart__lanes.nbusy];
  lane->listed        = false;
  /* release: the results come before it; pairs with the acquire in nothing_outstanding */
  atomic_store_explicit(&dart__lanes.any_busy, dart__lanes.nbusy, memory_order_release);
}

/* The unit waits: a burst of notifications is over. */
static void end_burst(dart__lane_t *lane)
{
  if (lane->burst[0] == 0)
    return;
  lane->burst[2] = lane->burst[1];
  lane->burst[1] = lane->burst[0];
  lane->burst[0] = 0;
}

void dart__batch_send_data(dart_unit_t unit, dart__batch_t *batch)
{
  for (; batch->ndata_sent < batch->ndata; batch->ndata_sent++)
    DART__MPI(MPI_Isend, batch->src[batch->ndata_sent], (int)batch->data[batch->ndata_sent].nbytes,
              MPI_BYTE, unit, DART__TAG_DATA, dart__mpi.service,
              &batch->data_sent[batch->ndata_sent]);
}

void dart__lane_send(dart_unit_t unit, dart__lane_t *lane, bool is_wanted)
{
  dart__batch_t *batch = lane->open;
  size_t         nwords;

  if (batch == NULL || lane->sent - lane->answered == DART__UNDER_WAY)
    return;
  batch->head.is_wanted = is_wanted || batch->nresults > 0 || batch->is_reserve ||
                          (lane->sent + 1 - lane->wanted >= ANSWER_EVERY &&
                           lane->sent + 1 - lane->answered >= ANSWER_EVERY);
  batch->head.ndata = (uint16_t)batch->ndata;
  dart__service_tell(unit, &batch->head);
  memcpy(batch->words + batch->nwords, batch->data, batch->ndata * sizeof batch->data[0]);
  nwords = batch->nwords + batch->ndata * DART__DATA_WORDS;
  DART__MPI(MPI_Isend, &batch->head, (int)(sizeof batch->head + nwords * sizeof(uint64_t)),
            MPI_BYTE, unit, DART__TAG_MESSAGE, dart__mpi.service, &batch->sent);
  dart__batch_send_data(unit, batch);
  dart__count(DART__COUNT_BATCH);
  dart__count_by(DART__COUNT_REQUEST, batch->nrequests);
  dart__lanes.collected -= batch->nrequests;
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
}

void dart__lane_ask_for(dart_unit_t unit, dart__lane_t *lane, uint64_t number)
{
  if (lane->wanted >= number || lane->answered >= number)
    return;
  if (lane->open == NULL) /* a word to the owner is enough */
    lane->open = dart__batch_new();
  if (lane->open != NULL)
    dart__lane_send(unit, lane, true);
}

void dart__lanes_send_all(void)
{
  for (int32_t i = 0; i < dart__lanes.nbusy; i++)
    dart__lane_send(dart__lanes.busy[i], &dart__lanes.lane[dart__lanes.busy[i]], false);
}

/* Send the open batch of a lane if the unit waits, or if it is old at `now`. */
static void look_at(dart_unit_t unit, dart__lane_t *lane, bool waiting, int64_t now)
{
  if (waiting)
    end_burst(lane);
  if (lane->open == NULL)
    return;
  if (lane->open->seen == 0)
    lane->open->seen = now;
  if (waiting || now - lane->open->seen > AGE_NS)
    dart__lane_send(unit, lane, false);
}

void dart__lanes_send(bool waiting)
{
  int64_t now;

  /* relaxed: what another thread has just begun is sent the next time */
  if (atomic_load_explicit(&dart__lanes.any_busy, memory_order_relaxed) == 0 ||
      !dart__lanes_try_lock())
    return;
  if (dart__lanes.collected > 0 || (waiting && dart__lanes.is_burst)) {
    now                  = waiting ? 0 : dart__now_ns();
    dart__lanes.is_burst = dart__lanes.is_burst && !waiting;
    for (int32_t i = 0; i < dart__lanes.nbusy; i++)
      look_at(dart__lanes.busy[i], &dart__lanes.lane[dart__lanes.busy[i]], waiting, now);
  }
  dart__lanes_unlock();
}

/* The oldest batch under way is done. */
static void finish_first(dart__lane_t *lane, const uint64_t *results)
{
  dart__batch_t *batch = lane->first;

  for (size_t i = 0; i < batch->nresults; i++) {
    memcpy(batch->results[i].to, results, batch->results[i].nbytes);
    results += dart__words(batch->results[i].nbytes);
  }
  lane->answered++;
  lane->first = batch->next;
  if (lane->first == NULL)
    lane->last = NULL;
  /* that it was applied is proof that they were received, but MPI wants its requests back */
  DART__MPI(MPI_Wait, &batch->sent, MPI_STATUS_IGNORE);
  for (size_t i = 0; i < batch->ndata; i++)
    DART__MPI(MPI_Wait, &batch->data_sent[i], MPI_STATUS_IGNORE);
  recycle(batch);
}

/* Messages of a unit's several threads may tell of its progress out of order. But results come with
 * a message that tells of their batch as the newest, and in order; only that one finishes a batch
 * with results. */
void dart__lanes_hear(dart_unit_t unit, const dart__message_t *head, const uint64_t *results)
{
  dart__lane_t *lane = &dart__lanes.lane[unit];
  uint64_t      number;

  dart__lanes_lock();
  number = lane->applied + (uint64_t)(int32_t)(head->applied - (uint32_t)lane->applied);
  if (number > lane->applied)
    lane->applied = number;
  lane->heard += results != NULL;
  if (head->refused > lane->refused)
    lane->refused = head->refused;
  while (lane->answered < lane->applied &&
         (lane->first->nresults == 0 || (results != NULL && lane->answered + 1 == number)))
    finish_first(lane, results);
  dart__lane_unlist_if_idle(unit, lane);
  dart__lanes_unlock();
}

/* ---- life -------------------------------------------------------------------------------- */

dart_ret_t dart__lanes_open(void)
{
  dart__lanes.lane    = calloc((size_t)dart__world.nunits, sizeof *dart__lanes.lane);
  dart__lanes.busy    = calloc((size_t)dart__world.nunits, sizeof *dart__lanes.busy);
  dart__lanes.reserve = allocate(true);
  return dart__lanes.lane == NULL || dart__lanes.busy == NULL || dart__lanes.reserve == NULL
             ? DART_ERR_NOMEM
             : DART_OK;
}

void dart__lanes_close(void)
{
  for (dart__batch_t *batch = dart__lanes.spare, *next; batch != NULL; batch = next) {
    next = batch->next;
    free(batch);
  }
  free(dart__lanes.reserve);
  free(dart__lanes.lane);
  free(dart__lanes.busy);
  dart__lanes.spare     = NULL;
  dart__lanes.reserve   = NULL;
  dart__lanes.lane      = NULL;
  dart__lanes.busy      = NULL;
  dart__lanes.nbusy     = 0;
  dart__lanes.collected = 0;
}
