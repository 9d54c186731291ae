/* See simulated.h.
 *
 * All units of a team map all portions of a chunk. So a put or get is a copy: at once, or when its time has come. Where
 * the setting asks for progress of the target, and for registered memory, which its unit alone has mapped, the target
 * copies. */
#include "simulated.h"

#include <string.h>
#include <sys/mman.h>

#include "base/config.h"
#include "base/counters.h"
#include "base/log.h"
#include "model/lost.h"
#include "model/world.h"
#include "net.h"
#include "wait/near.h"

static char    *inboxes; /* of all units; NULL: not open */
static uint64_t own;     /* this unit's: where in the file; 0: it has no pages */

/* ---- life --------------------------------------------------------------------------------------- */

dart_ret_t dart__simulated_read(void)
{
  const char *wrong;

  if (dart__net_model_read(dart__settings.net, &dart__shmem.model, &wrong))
    return DART_OK;
  return dart__fail(DART_ERR_INVAL, DART__NET_MODEL_WRONG, dart__settings.net,
                    (int)strcspn(wrong, ","), wrong);
}

dart_ret_t dart__simulated_open(void)
{
  size_t     each = dart__inbox_bytes(dart__world.nunits), all = (size_t)dart__world.nunits * each;
  uint64_t   offset = dart__job_cut_for_all(all), mine = offset + (uint64_t)dart__world.me * each;
  bool       lost = dart__survives();
  dart_ret_t ret;

  atomic_store_explicit(&dart__traffic.is_used, true, memory_order_relaxed);
  if (offset != 0 &&
      dart__job_reserve(dart__shmem.fd, mine, each, &dart__shmem.job->told) == DART_OK) {
    own     = mine;
    inboxes = dart__job_map(offset, all, 0, 0);
  }
  if (inboxes != NULL)
    dart__shmem.comm =
        dart__wire_open(&(dart__link_config_t){ .inboxes = inboxes,
                                                .npeers  = dart__world.nunits,
                                                .me      = dart__world.me,
                                                .model   = dart__shmem.model,
                                                .wait    = &dart__world.wait,
                                                .traffic = &dart__traffic,
                                                .is_lost = lost ? dart__is_lost : NULL,
                                                .nlost   = lost ? dart__lost_count : NULL });
  ret = dart__net_agree_on_result(dart__shmem.comm != NULL ? DART_OK : DART_ERR_NOMEM);
  if (ret != DART_OK)
    dart__simulated_close();
  return ret;
}

void dart__simulated_close(void)
{
  size_t each = dart__inbox_bytes(dart__world.nunits);

  if (dart__shmem.comm != NULL)
    dart__wire_close(dart__shmem.comm);
  if (inboxes != NULL)
    munmap(inboxes, (size_t)dart__world.nunits * each);
  if (own != 0)
    dart__job_release(dart__shmem.fd, own, each);
  dart__shmem.comm = NULL;
  inboxes          = NULL;
  own              = 0;
}

dart__net_comm_t *dart__net_messages(void)
{
  return dart__shmem.comm;
}

uint32_t dart__simulated_idle_us(uint32_t most_us)
{
  return dart__wire_idle_us(dart__shmem.comm, most_us);
}

/* ---- teams and chunks --------------------------------------------------------------------------- */

/* Send a value to a unit of the team, or receive it. Not waited for in a team that is broken. */
static void pass_value(dart__team_t *team, int32_t unit, uint64_t *value, bool is_sent)
{
  dart__net_comm_t   *comm = dart__shmem.comm;
  int32_t             peer = dart__team_member(team, unit);
  dart__net_request_t request;
  dart__turns_t       turns = { 0 };

  if (is_sent)
    dart__net_send(comm, peer, DART__CHANNEL_TEAMS, team->id, value, sizeof *value, &request);
  else
    dart__net_recv(comm, peer, DART__CHANNEL_TEAMS, team->id, value, sizeof *value, &request);
  while (!dart__net_is_done(comm, &request)) {
    dart__wait_turn(&turns, &dart__world.wait);
    if (__builtin_expect(dart__survives(), 0) && dart__team_look(team))
      dart__net_cancel(comm, &request);
  }
}

/* Along a binomial tree: the parent of a unit is the one without its lowest bit. */
uint64_t dart__simulated_share(dart__team_t *team, uint64_t value)
{
  int32_t  me = team->me, bit, parent = me & (me - 1);
  uint64_t ready = 0;

  for (bit = 1; (me & bit) == 0 && me + bit < team->nunits; bit *= 2)
    pass_value(team, me + bit, &ready, false);
  if (me > 0) {
    pass_value(team, parent, &ready, true);
    pass_value(team, parent, &value, false);
  }
  if (__builtin_expect(team->is_broken, 0))
    return 0; /* there is no value to pass on */
  while ((bit /= 2) > 0)
    pass_value(team, me + bit, &value, true);
  return team->is_broken ? 0 : value;
}

void dart__simulated_publish(dart__team_t *team, dart__chunk_t *chunk, char *base, size_t nbytes)
{
  dart__mapping_t *mapping = chunk->net;
  uint64_t        *nchunks = team->net, team_id = (uint16_t)team->id;

  mapping->region =
      (dart__region_t){ .id = team_id << 48 | ++*nchunks, .base = base, .nbytes = nbytes };
  dart__region_enter(dart__shmem.comm, &mapping->region);
}

/* ---- puts, gets, flushes ------------------------------------------------------------------------ */

static inline void start_move(const dart__team_t *team, const dart__chunk_t *chunk, int32_t unit,
                              uint64_t offset, char *data, size_t nbytes, bool is_put,
                              dart__net_request_t *request_out)
{
  const dart__mapping_t *mapping = chunk->net;
  char *there = chunk->is_reached ? mapping->base + (size_t)unit * chunk->nbytes + offset : NULL;

  if (there == NULL || dart__shmem.model.has_delays) {
    dart__move_start(dart__shmem.comm,
                     &(dart__request_t){ .kind   = is_put ? DART__PACKET_PUT : DART__PACKET_GET,
                                         .peer   = dart__team_member(team, unit),
                                         .data   = data,
                                         .nbytes = nbytes,
                                         .there  = mapping->region.id,
                                         .offset = offset,
                                         .mapped = there },
                     request_out);
    return;
  }
  if (is_put)
    dart__near_put_bytes(there, data, nbytes);
  else
    dart__near_get_bytes(data, there, nbytes);
  dart__traffic_copy(&dart__traffic, is_put, nbytes);
  if (request_out != NULL)
    *request_out = DART__NET_DONE;
}

void dart__net_put(dart__team_t *team, dart__chunk_t *chunk, int32_t unit, uint64_t offset,
                   const void *src, size_t nbytes, dart__net_request_t *request_out)
{
  start_move(team, chunk, unit, offset, (char *)(uintptr_t)src, nbytes, true, request_out);
  dart__count_operation(DART__COUNT_RMA_PUT, nbytes);
}

void dart__net_get(dart__team_t *team, dart__chunk_t *chunk, int32_t unit, uint64_t offset,
                   void *dst, size_t nbytes, dart__net_request_t *request_out)
{
  start_move(team, chunk, unit, offset, dst, nbytes, false, request_out);
  dart__count_operation(DART__COUNT_RMA_GET, nbytes);
}

size_t dart__net_transfer(dart__team_t *team, dart__chunk_t *chunk, int32_t unit, uint64_t offset,
                          const dart__type_t *at_type, void *buffer, const dart__type_t *type,
                          size_t from, size_t nelem, bool is_put)
{
  (void)team, (void)chunk, (void)unit, (void)offset, (void)at_type, (void)buffer, (void)type;
  (void)nelem, (void)is_put;
  return from;
}

/* Completes operations on all chunks. */
void dart__net_flush(dart__team_t *team, dart__chunk_t *chunk, int32_t unit, bool at_target)
{
  (void)chunk;
  if (dart__wire_flush(dart__shmem.comm, dart__team_member(team, unit), at_target))
    dart__count(DART__COUNT_RMA_FLUSH);
  dart__traffic_flush(&dart__traffic);
  if (at_target) /* puts that were copied at once precede later loads, too */
    atomic_thread_fence(memory_order_seq_cst);
}
