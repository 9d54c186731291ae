/* Chunks: ranges of the job's file, mapped by every unit as a whole, one unit's portion after the other. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/free_memory.h"
#include "base/last_call.h"
#include "model/team.h"
#include "model/world.h"
#include "net.h"
#include "shmem.h"
#include "wait/foreign.h"

/* Where a unit's registered memory is, at the beginning of the unit's page of the chunk's range. Zeros: nowhere. */
typedef struct {
  uint64_t address;
  int64_t  process;
} place_t;

static off_t place_at(const dart__mapping_t *mapping, int32_t team_unit)
{
  return (off_t)mapping->region.id + (off_t)team_unit * (off_t)sysconf(_SC_PAGESIZE);
}

/* The team's first unit cuts the range. Where it begins also names the chunk in the network. That of registered memory has
 * a page of each unit's, to say where its memory is. Units that open the chunk have passed a barrier since, and those of a
 * broken team open none. */
dart_ret_t dart__net_chunk_prepare(const dart__team_t *team, dart__chunk_t *chunk)
{
  size_t each = chunk->nbytes > 0 ? chunk->nbytes : (size_t)sysconf(_SC_PAGESIZE);

  if (team->me == 0 && !dart__team_is_broken(team) && (chunk->nbytes > 0 || team->nnodes > 1) &&
      dart__job_cut_for(team->id, each * (size_t)team->nunits) != DART_OK)
    return DART_ERR_NOMEM;
  chunk->net = calloc(1, sizeof(dart__mapping_t));
  return chunk->net == NULL ? DART_ERR_NOMEM : DART_OK;
}

void dart__net_chunk_discard(dart__chunk_t *chunk)
{
  free(chunk->net);
  chunk->net = NULL;
}

/* Let units of other nodes access `nbytes` at `base`, this unit's portion of the chunk, until dart__region_leave. */
static void publish(dart__mapping_t *mapping, uint64_t offset, char *base, size_t nbytes)
{
  mapping->region = (dart__region_t){ .id = offset, .base = base, .nbytes = nbytes };
  dart__region_enter(dart__shmem.comm, &mapping->region);
}

dart_ret_t dart__net_chunk_open(dart__team_t *team, dart__chunk_t *chunk)
{
  dart__mapping_t *mapping = chunk->net;
  size_t           nbytes  = chunk->nbytes * (size_t)team->nunits;
  uint64_t         offset  = dart__job_cut_by(dart__team_member(team, 0), team->id);

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
      chunk->near[dart__team_near_slot(team, u)] = mapping->base + (size_t)u * chunk->nbytes;
  if (team->nnodes > 1)
    publish(mapping, offset, chunk->near[team->near_me], chunk->nbytes);
  chunk->is_reached = team->nnodes > 1 && !dart__shmem.model.is_software;
  return DART_OK;
}

void dart__net_chunk_close(dart__team_t *team, dart__chunk_t *chunk)
{
  dart__mapping_t *mapping = chunk->net;

  if (team->nnodes > 1)
    dart__region_leave(dart__shmem.comm, &mapping->region);
  if (mapping->base == NULL) { /* registered memory */
    if (team->nnodes > 1)
      dart__job_release(dart__shmem.fd, (uint64_t)place_at(mapping, team->me), 1);
    return;
  }
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

/* Registered memory: near units reach it without the network, and others by the kernel, if they may. */

dart_ret_t dart__net_register(dart__team_t *team, dart__chunk_t *chunk, void *address,
                              size_t nbytes)
{
  place_t          place   = { (uintptr_t)address, getpid() };
  dart__mapping_t *mapping = chunk->net;
  uint64_t         offset, page = (uint64_t)sysconf(_SC_PAGESIZE);

  if (team->nnodes == 1)
    return DART_OK;
  offset = dart__job_cut_by(dart__team_member(team, 0), team->id);
  if (offset == 0 ||
      dart__job_reserve(dart__shmem.fd, offset + (uint64_t)team->me * page, page,
                        &(dart__job_reason_t){ .why  = dart__call,
                                               .told = &dart__shmem.job->told,
                                               .call = dart__team_call_number(team) }) != DART_OK)
    return DART_ERR_NOMEM;
  publish(mapping, offset, address, nbytes);
  chunk->is_reached = dart__shmem.reaches_processes;
  if (pwrite(dart__shmem.fd, &place, sizeof place, place_at(mapping, team->me)) == sizeof place)
    return DART_OK;
  dart__region_leave(dart__shmem.comm, &mapping->region);
  return DART_ERR_NOMEM;
}

/* It is enough to try the next unit. No byte is at address 0 to be read. */
bool dart__processes_are_reached(void)
{
  uint32_t next = (dart__shmem.unit + 1) % dart__shmem.job->nunits;
  off_t    at   = (off_t)(dart__job_record(next) + offsetof(dart__record_t, waits.pid));
  int32_t  process;

  return pread(dart__shmem.fd, &process, sizeof process, at) == sizeof process && process > 0 &&
         (dart__foreign_reaches(process, 0) || errno == EFAULT);
}

void dart__registered_find(const dart__mapping_t *mapping, int32_t team_unit, dart__request_t *r)
{
  place_t place;

  if (pread(dart__shmem.fd, &place, sizeof place, place_at(mapping, team_unit)) != sizeof place ||
      place.process == 0)
    return;
  r->process = (pid_t)place.process;
  r->mapped  = (char *)(uintptr_t)(place.address + r->offset);
}

/* All units of a team that reserve pages are in the same call. Of the pool they may be in a call of any team; or, 0, each is
 * by itself. */
static uint32_t call_of(const dart__team_t *team, const dart__chunk_t *chunk)
{
  if (team->exchange.shared == NULL)
    return DART__JOB_INIT;
  return chunk->level == DART__LEVEL_POOL ? dart__call_number() : dart__team_call_number(team);
}

dart_ret_t dart__net_reserve(dart__team_t *team, dart__chunk_t *chunk, size_t from, size_t to)
{
  const dart__mapping_t *mapping = chunk->net;
  uint32_t               call    = call_of(team, chunk);
  dart_ret_t             ret;

  if (from == to)
    return DART_OK;
  ret = dart__job_reserve(
      dart__shmem.fd, mapping->offset + (size_t)team->me * chunk->nbytes + from, to - from,
      &(dart__job_reason_t){ .why  = call == DART__JOB_INIT
                                         ? "dart_init: no memory for the first team and its pool, "
                                           "see DART_POOL"
                                         : dart__call,
                             .told = call == 0 ? NULL : &dart__shmem.job->told,
                             .call = call });
  if (ret == DART_OK)
    dart__memory_make_huge(chunk->near[team->near_me] + from, to - from);
  return ret;
}
