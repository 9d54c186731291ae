/* Chunks: ranges of the job's file, mapped by every unit as a whole, one unit's portion after the other. */
#include <stdlib.h>
#include <sys/mman.h>

#include "base/free_memory.h"
#include "model/world.h"
#include "net.h"
#include "simulated.h"

/* team->net, of several nodes: how many chunks it has had. */
dart_ret_t dart__net_team_prepare(dart__team_t *team)
{
  if (team->nnodes > 1)
    team->net = calloc(1, sizeof(uint64_t));
  return team->nnodes > 1 && team->net == NULL ? DART_ERR_NOMEM : DART_OK;
}

dart_ret_t dart__net_team_open(dart__team_t *team)
{
  (void)team;
  return DART_OK;
}

void dart__net_team_close(dart__team_t *team)
{
  free(team->net);
  team->net = NULL;
}

/* Unit 0 cuts a range, and tells the others: through the job's header for the first team, through the exchange of a
 * team of one node, by messages in other teams. 0: the file is used up. */
static uint64_t cut_together(dart__team_t *team, size_t nbytes)
{
  dart__exchange_t *x = &team->exchange;
  uint64_t          cut;
  uint64_t         *published;

  if (x->shared == NULL)
    return dart__job_cut_for_all(nbytes);
  cut = team->me == 0 ? dart__job_cut(dart__shmem.job, nbytes) : 0;
  if (team->nnodes > 1)
    return dart__simulated_share(team, cut);
  published = (uint64_t *)(void *)dart__exchange_slot(x, 0);
  if (team->me == 0)
    *published = cut;
  dart__exchange_wait(x, &team->wait);
  return team->is_broken ? 0 : *published;
}

dart_ret_t dart__net_chunk_prepare(const dart__team_t *team, dart__chunk_t *chunk)
{
  (void)team;
  chunk->net = calloc(1, sizeof(dart__mapping_t));
  return chunk->net == NULL ? DART_ERR_NOMEM : DART_OK;
}

void dart__net_chunk_discard(dart__chunk_t *chunk)
{
  free(chunk->net);
  chunk->net = NULL;
}

dart_ret_t dart__net_chunk_open(dart__team_t *team, dart__chunk_t *chunk)
{
  dart__mapping_t *mapping = chunk->net;
  size_t           nbytes  = chunk->nbytes * (size_t)team->nunits;
  uint64_t         offset  = cut_together(team, nbytes);

  if (offset == 0)
    return DART_ERR_NOMEM;
  mapping->base = dart__job_map(offset, nbytes, chunk->alignment,
                                chunk->alignment == 0 ? 0 : (size_t)team->me * chunk->nbytes);
  if (mapping->base == NULL)
    return DART_ERR_NOMEM;
  mapping->nbytes = nbytes;
  mapping->offset = offset;
  for (int32_t u = 0; u < team->nunits; u++)
    if (dart__team_is_on_node(team, u))
      chunk->near[u] = mapping->base + (size_t)u * chunk->nbytes;
  if (team->nnodes > 1) {
    dart__simulated_publish(team, chunk, chunk->near[team->me], chunk->nbytes);
    chunk->is_reached = !dart__shmem.model.is_software;
  }
  return DART_OK;
}

void dart__net_chunk_close(dart__team_t *team, dart__chunk_t *chunk)
{
  dart__mapping_t *mapping = chunk->net;

  if (team->nnodes > 1)
    dart__region_leave(dart__shmem.comm, &mapping->region);
  munmap(mapping->base, mapping->nbytes);
  dart__job_release(dart__shmem.fd, mapping->offset + (size_t)team->me * chunk->nbytes,
                    chunk->nbytes);
}

void dart__net_release(dart__team_t *team, dart__chunk_t *chunk, size_t from, size_t to)
{
  const dart__mapping_t *mapping = chunk->net;

  if (from < to)
    dart__job_release(dart__shmem.fd, mapping->offset + (size_t)team->me * chunk->nbytes + from,
                      to - from);
}

/* Registered memory: near units reach it without the network. */

dart_ret_t dart__net_register(dart__team_t *team, dart__chunk_t *chunk, void *address,
                              size_t nbytes)
{
  if (team->nnodes > 1) {
    dart__simulated_publish(team, chunk, address, nbytes);
    dart__simulated_share(team, 0); /* now all have done so */
  }
  return DART_OK;
}

void dart__net_deregister(dart__team_t *team, dart__chunk_t *chunk)
{
  dart__mapping_t *mapping = chunk->net;

  if (team->nnodes > 1)
    dart__region_leave(dart__shmem.comm, &mapping->region);
}

dart_ret_t dart__net_reserve(dart__team_t *team, dart__chunk_t *chunk, size_t from, size_t to)
{
  const dart__mapping_t *mapping = chunk->net;
  dart_ret_t             ret;

  if (from == to)
    return DART_OK;
  ret = dart__job_reserve(dart__shmem.fd, mapping->offset + (size_t)team->me * chunk->nbytes + from,
                          to - from, team->exchange.shared == NULL ? &dart__shmem.job->told : NULL);
  if (ret == DART_OK)
    dart__memory_make_huge(chunk->near[team->me] + from, to - from);
  return ret;
}
