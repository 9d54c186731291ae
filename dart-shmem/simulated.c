/* A job of several simulated nodes: the network between them, as net.h has it.
 *
 * All units of a team map all portions of a chunk. So a put or get is a copy: at once, or when its time has come. The
 * kernel copies to and from registered memory, which its unit alone has mapped. Where the setting asks for progress of
 * the target, or the kernel refuses, or units may be lost, the target copies. */
#include "shmem.h"

#include <sys/mman.h>

#include "base/counters.h"
#include "model/lost.h"
#include "model/tell.h"
#include "model/world.h"
#include "net.h"
#include "wait/foreign.h"

static char    *inboxes; /* of all units; NULL: not open */
static uint64_t own;     /* this unit's: where in the file */

/* ---- life --------------------------------------------------------------------------------------- */

dart_ret_t dart__simulated_open(void)
{
  size_t     each   = dart__inbox_bytes(dart__world.nunits);
  uint64_t   offset = dart__job_cut_by(0, DART_TEAM_ALL);
  dart_ret_t ret;

  atomic_store_explicit(&dart__traffic.is_used, true, memory_order_relaxed);
  own = offset + (uint64_t)dart__world.me * each;
  if (offset > 0)
    inboxes = dart__job_map(offset, (size_t)dart__world.nunits * each, 0, 0);
  if (inboxes != NULL && dart__job_reserve(dart__shmem.fd, own, each,
                                           "dart_init: no memory for the first team's inboxes",
                                           DART__TELL_INIT) == DART_OK)
    dart__shmem.comm = dart__wire_open(&(dart__link_config_t){ .inboxes = inboxes,
                                                               .npeers  = dart__world.nunits,
                                                               .me      = dart__world.me,
                                                               .model   = dart__shmem.model,
                                                               .wait    = &dart__world.wait,
                                                               .traffic = &dart__traffic });
  dart__foreign_consent();
  ret = dart__net_agree_on_result(dart__shmem.comm != NULL ? DART_OK : DART_ERR_NOMEM);
  if (ret != DART_OK)
    dart__simulated_close();
  dart__shmem.reaches_processes =
      !dart__shmem.model.is_software && !dart__survives() && dart__processes_are_reached();
  return ret;
}

void dart__simulated_close(void)
{
  size_t each = dart__inbox_bytes(dart__world.nunits);

  if (dart__shmem.comm != NULL)
    dart__wire_close(dart__shmem.comm);
  dart__shmem.comm = NULL;
  if (inboxes == NULL)
    return;
  munmap(inboxes, (size_t)dart__world.nunits * each);
  dart__job_release(dart__shmem.fd, own, each);
  inboxes = NULL;
}

void dart__simulated_drop_lost(dart__net_comm_t *comm)
{
  pthread_mutex_lock(&comm->lock);
  dart__requests_drop_lost(comm);
  pthread_mutex_unlock(&comm->lock);
}

/* While another thread has the lock there is something to do. */
uint32_t dart__simulated_idle_us(uint32_t most_us)
{
  dart__net_comm_t *comm = dart__shmem.comm;
  int64_t           left_us;

  if (pthread_mutex_trylock(&comm->lock) != 0)
    return 0;
  if (comm->nwaiting > 0 && most_us > DART__NAP_US) /* an inbox is full */
    most_us = DART__NAP_US;
  left_us = (dart__link_next_due(&comm->link) - dart__now_ns() + 999) / 1000;
  pthread_mutex_unlock(&comm->lock);
  return left_us <= 0 ? 0 : left_us < most_us ? (uint32_t)left_us : most_us;
}

/* ---- puts, gets, flushes ------------------------------------------------------------------------ */

void dart__net_move(dart__team_t *team, dart__chunk_t *chunk, int32_t unit, uint64_t offset,
                    void *buffer, size_t nbytes, bool is_put, dart__net_request_t *request_out)
{
  const dart__mapping_t *mapping = chunk->net;
  bool                   delays  = dart__shmem.model.has_delays;
  pid_t                  process = 0;
  char                  *there   = NULL;

  if (chunk->is_reached)
    there = mapping->base != NULL
                ? mapping->base + (size_t)unit * chunk->nbytes + offset
                : dart__registered_find(mapping, dart__team_member(team, unit), offset, &process);

  dart__count_operation(is_put ? DART__COUNT_RMA_PUT : DART__COUNT_RMA_GET, nbytes);
  /* the kernel's copy may take long: without delays it is made without the unit's lock */
  if (there == NULL || delays || !dart__move_here(there, process, buffer, nbytes, is_put)) {
    dart__wire_move(dart__shmem.comm,
                    &(dart__request_t){ .kind    = is_put ? DART__PACKET_PUT : DART__PACKET_GET,
                                        .peer    = dart__team_member(team, unit),
                                        .data    = buffer,
                                        .nbytes  = nbytes,
                                        .there   = mapping->region.id,
                                        .offset  = offset,
                                        .mapped  = delays ? there : NULL,
                                        .process = process },
                    request_out);
    return;
  }
  dart__traffic_copy(&dart__traffic, is_put, nbytes);
  if (request_out != NULL)
    *request_out = DART__NET_DONE;
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
