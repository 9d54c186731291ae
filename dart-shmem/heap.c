/* Chunks: ranges of the job's file, mapped by every unit as a whole, one unit's portion after the other. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/free_memory.h"
#include "base/last_call.h"
#include "base/log.h"
#include "model/team.h"
#include "model/tell.h"
#include "model/world.h"
#include "net.h"
#include "shmem.h"
#include "wait/foreign.h"

/* The team's first unit cuts the range. Where it begins also names the chunk in the network, which is all that registered
 * memory needs of it. Units that open the chunk have passed a barrier since, and those of a broken team open none. */
dart_ret_t dart__net_chunk_prepare(const dart__team_t *team, dart__chunk_t *chunk)
{
  size_t nbytes = chunk->nbytes > 0 ? chunk->nbytes * (size_t)team->nunits : 1;

  if (team->me == 0 && !dart__team_is_broken(team) && (chunk->nbytes > 0 || team->nnodes > 1) &&
      dart__job_cut_for(team->id, nbytes) != DART_OK)
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

/* ---- registered memory -------------------------------------------------------------------------
 *
 * Near units reach it without the network, and others by the kernel, if they may. Each unit notes in the job's file where
 * its memory is. A note whose place another registration has taken, or that is read while it is written, does not fit: then
 * the unit copies itself, which is slower. */

#define ODD UINT64_C(0x9e3779b97f4a7c15)

typedef struct {
  uint64_t address;
  uint64_t key; /* address * ODD + the number of the registration; 0: it is over */
  int64_t  process;
} place_t;

_Static_assert(sizeof(place_t) == DART__JOB_PLACE, "what job_file.h says");

static bool read_place(uint32_t unit, uint64_t registration, place_t *place_out)
{
  off_t at = (off_t)dart__job_place(dart__shmem.job, unit, registration);

  return pread(dart__shmem.fd, place_out, sizeof *place_out, at) == sizeof *place_out &&
         place_out->key == place_out->address * ODD + registration;
}

static bool write_place(uint64_t registration, const place_t *place)
{
  off_t at = (off_t)dart__job_place(dart__shmem.job, dart__shmem.unit, registration);

  return pwrite(dart__shmem.fd, place, sizeof *place, at) == sizeof *place;
}

static void forget_place(uint64_t registration)
{
  place_t place;

  if (read_place(dart__shmem.unit, registration, &place))
    write_place(registration, &(place_t){ 0 });
}

dart_ret_t dart__net_register(dart__team_t *team, dart__chunk_t *chunk, void *address,
                              size_t nbytes)
{
  dart__mapping_t *mapping = chunk->net;
  uint64_t         registration;
  place_t          place = { .address = (uintptr_t)address, .process = getpid() };

  if (team->nnodes == 1)
    return DART_OK;
  registration = dart__job_cut_by(dart__team_member(team, 0), team->id);
  if (registration == 0)
    return DART_ERR_NOMEM;
  place.key = place.address * ODD + registration;
  if (!write_place(registration, &place)) {
    if (dart__tells_call())
      dart__error("%s: no room for %zu bytes of shared memory: %s", dart__call, sizeof place,
                  strerror(errno));
    return DART_ERR_NOMEM;
  }
  publish(mapping, registration, address, nbytes);
  chunk->is_reached = dart__shmem.reaches_processes;
  return DART_OK;
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

char *dart__registered_find(const dart__mapping_t *mapping, int32_t unit, uint64_t offset,
                            pid_t *process_out)
{
  place_t place;

  if (!read_place((uint32_t)unit, mapping->region.id, &place))
    return NULL;
  *process_out = (pid_t)place.process;
  return (char *)(uintptr_t)(place.address + offset);
}

/* ---- allocated memory -------------------------------------------------------------------------- */

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
      forget_place(mapping->region.id);
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

/* All units of a team that reserve pages are in the same call. Of the pool they may be in a call of any team; or, 0, each is
 * by itself. */
static uint32_t call_of(const dart__team_t *team, const dart__chunk_t *chunk)
{
  if (team->exchange.shared == NULL)
    return DART__TELL_INIT;
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
      call == DART__TELL_INIT
          ? "dart_init: no memory for the first team and its pool, see DART_POOL"
          : dart__call,
      call);
  if (ret == DART_OK)
    dart__memory_make_huge(chunk->near[team->near_me] + from, to - from);
  return ret;
}
