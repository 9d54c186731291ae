/* Chunks: nested windows.
 *
 * On every node of the team one mapping holds the portions of the node's units, which load and store in it: DART's
 * own (shared_map.h), or else an MPI shared window. Each unit's portion is also in a window over the team, by which
 * units of other nodes reach it: one of the chunk's own, or the team's (window.h). The chunk's displacement table has where
 * the portions are in that window. (Zhou, Idrees, Gracia: Leveraging MPI-3 shared-memory extensions for efficient PGAS
 * runtime systems, Euro-Par 2015.)
 *
 * The pool has no window: to make one takes longer than the rest of dart_init. Puts to and gets from another unit's pool are
 * requests.
 *
 * Shared memory is address space only at first. DART populates its pages explicitly, which fails with an error code
 * where touching them would end the process. */
#include "window/nested_window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/config.h"
#include "base/free_memory.h"
#include "base/log.h"
#include "mpi/comm.h"
#include "net.h"
#include "window/shared_map.h"
#include "window/team_windows.h"

/* Bytes populated at a time; the machine's free memory is checked before each step. */
#define STEP ((size_t)8 << 20)

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Where the portion of the node's unit number `index` is entered. */
static char **entry_of(const dart__team_t *team, const dart__chunk_t *chunk, int32_t index)
{
  return &chunk->near[dart__team_near_slot(team, team->node_units[index])];
}

/* Map the node's portions once more, at an address that can hold huge pages, and use that mapping, for MPI
 * maps its windows at any address. For huge pages an address and its offset in the file must be equal modulo
 * their size; the file starts with the first portion. If the portions are not in a row, or if the kernel
 * refuses, MPI's mapping is used. */
static void map_again(const dart__team_t *team, dart__chunk_t *chunk, dart__chunk_net_t *net)
{
  size_t nbytes = chunk->nbytes * (size_t)team->node_nunits;
  char  *first  = *entry_of(team, chunk, 0);
  size_t at     = chunk->alignment == 0 ? 0 : (size_t)(chunk->near[team->near_me] - first);
  char  *space;

  if (chunk->nbytes < DART__HUGE_PAGE && chunk->alignment == 0)
    return;
  for (int32_t i = 0; i < team->node_nunits; i++)
    if (*entry_of(team, chunk, i) != first + (size_t)i * chunk->nbytes)
      return;
  space = dart__memory_aligned_space(nbytes, chunk->alignment, at);
  if (space == NULL)
    return;
  /* Of 0 bytes: the old mapping stays, and both share the pages. By syscall: UCX replaces mremap by a
   * function of its own, which loses the address. */
  if (syscall(SYS_mremap, first, 0, nbytes, MREMAP_MAYMOVE | MREMAP_FIXED, space) == -1) {
    dart__info("shared memory stays where MPI has put it: %s", strerror(errno));
    munmap(space, nbytes);
    return;
  }
  for (int32_t i = 0; i < team->node_nunits; i++)
    *entry_of(team, chunk, i) = space + (size_t)i * chunk->nbytes;
  net->base  = chunk->near[team->near_me];
  net->again = space;
}

/* Bytes from one portion of the node to the next, where DART maps them itself: pages of its own for each. */
static size_t stride_of(const dart__chunk_t *chunk)
{
  size_t page = (size_t)sysconf(_SC_PAGESIZE);

  return (chunk->nbytes + page - 1) / page * page;
}

/* Memory of the node's units without a window; results as of dart__shared_map. */
static dart_ret_t open_file(dart__team_t *team, dart__chunk_t *chunk, dart__chunk_net_t *net)
{
  size_t     stride = stride_of(chunk), nbytes = stride * (size_t)team->node_nunits;
  size_t     at = chunk->alignment == 0 ? 0 : (size_t)team->node_me * stride;
  char      *space;
  dart_ret_t ret;

  if (chunk->nbytes == 0)
    return DART_ERR_NOTFOUND;
  if (chunk->nbytes > SIZE_MAX / 2 / (size_t)team->node_nunits)
    return dart__fail(DART_ERR_NOMEM, "no room for %zu bytes of shared memory for each unit",
                      chunk->nbytes);
  ret = dart__shared_map(team, nbytes, chunk->alignment, at, &space);
  if (ret == DART_ERR_NOMEM)
    dart__error("no room for %zu bytes of shared memory", nbytes);
  if (ret != DART_OK)
    return ret;
  net->again = space;
  for (int32_t i = 0; i < team->node_nunits; i++)
    *entry_of(team, chunk, i) = space + (size_t)i * stride;
  net->base = chunk->near[team->near_me];
  return DART_OK;
}

/* Agreed on the node, by MPI: see mpi/call.h. */
static dart_ret_t open_shared(dart__team_t *team, dart__chunk_t *chunk, dart__chunk_net_t *net)
{
  dart_ret_t ret = open_file(team, chunk, net);
  MPI_Comm   node;
  MPI_Info   info;

  if (ret != DART_ERR_NOTFOUND)
    return ret;
  ret = dart__team_connect_node(team);
  if (ret != DART_OK)
    return ret;
  node = dart__team_net(team)->node;
  ret  = dart__window_is_possible(node);
  if (ret != DART_OK)
    return ret;
  DART__MPI(MPI_Info_create, &info);
  /* whole pages, so each is on its NUMA node */
  DART__MPI(MPI_Info_set, info, "alloc_shared_noncontig", "true");
  ret = DART__MPI_AGREED(MPI_Win_allocate_shared, (MPI_Aint)chunk->nbytes, 1, info, node,
                         &net->base, &net->shared);
  DART__MPI(MPI_Info_free, &info);
  if (ret != DART_OK) {
    net->shared = MPI_WIN_NULL;
    return ret;
  }
  DART__MPI(MPI_Win_set_errhandler, net->shared, MPI_ERRORS_RETURN);
  DART__MPI(MPI_Win_lock_all, MPI_MODE_NOCHECK, net->shared);
  for (int32_t i = 0; i < team->node_nunits; i++) {
    MPI_Aint nbytes;
    int      unit_size;

    DART__MPI(MPI_Win_shared_query, net->shared, i, &nbytes, &unit_size, entry_of(team, chunk, i));
  }
  map_again(team, chunk, net);
  return DART_OK;
}

/* The memory of a unit that is alone on its node: no other unit maps its portion. */
static dart_ret_t open_private(dart__team_t *team, dart__chunk_t *chunk, dart__chunk_net_t *net)
{
  void *space = dart__memory_aligned_space(chunk->nbytes, chunk->alignment, 0);

  if (space != NULL)
    net->base = mmap(space, chunk->nbytes, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (space == NULL || net->base == MAP_FAILED) {
    dart__error("cannot map %zu bytes: %s", chunk->nbytes, strerror(errno));
    if (space != NULL)
      munmap(space, chunk->nbytes);
    net->base = NULL;
    return DART_ERR_NOMEM;
  }
  chunk->near[team->near_me] = net->base;
  return DART_OK;
}

/* Pages for [at, at + nbytes), or an errno. */
static int populate(char *at, size_t nbytes)
{
  if (madvise(at, nbytes, MADV_POPULATE_WRITE) == 0)
    return 0;
  if (errno != EINVAL)
    return errno;
  /* A kernel before 5.14. The caller has just checked that there is room, so write to each page. */
  for (size_t i = 0; i < nbytes; i += 4096)
    ((volatile char *)at)[i] = 0;
  return 0;
}

/* Of a large team, one table for the node in place of one for each unit, if there is room. Collective over the node. */
static void share_displacements(const dart__team_t *team, dart__chunk_net_t *net)
{
  size_t page   = (size_t)sysconf(_SC_PAGESIZE);
  size_t nbytes = ((size_t)team->nunits * sizeof *net->disp + page - 1) / page * page;
  bool   leads = dart__team_is_leader(team), fails = false;
  char  *shared;

  if (team->node_nunits == 1 || team->nunits < dart__settings.scattered ||
      dart__shared_map(team, nbytes, 0, 0, &shared) != DART_OK)
    return;
  if (leads) {
    fails = dart__memory_room("/dev/shm") < nbytes || populate(shared, nbytes) != 0;
    if (!fails)
      memcpy(shared, net->disp, (size_t)team->nunits * sizeof *net->disp);
  }
  if (dart__mpi_most(dart__team_net(team)->node, fails) != 0) {
    munmap(shared, nbytes);
    return;
  }
  free(net->disp);
  net->disp     = (MPI_Aint *)(void *)shared;
  net->disp_map = nbytes;
}

static void delete_displacements(dart__chunk_net_t *net)
{
  if (net->disp_map > 0)
    munmap(net->disp, net->disp_map);
  else
    free(net->disp);
  net->disp     = NULL;
  net->disp_map = 0;
}

/* Attach this unit's portion to the team's dynamic window, and exchange the displacements of all. Collective; agreed, for a
 * unit that could not attach sends that instead of its displacement. */
static dart_ret_t attach_portion(dart__team_t *team, size_t nbytes, dart__chunk_net_t *net)
{
  const MPI_Aint  nowhere = -1;
  dart__window_t *window  = dart__team_net(team)->dynamic;
  dart_ret_t      ret = dart__team_open_dynamic(team), all = DART_OK;
  MPI_Aint        own;
  MPI_Request     request;

  if (ret != DART_OK)
    return ret;
  DART__MPI(MPI_Get_address, net->base, &own);
  if (nbytes > 0)
    ret = DART__MPI_LOCAL(MPI_Win_attach, window->win, net->base, (MPI_Aint)nbytes);
  if (ret != DART_OK)
    own = nowhere;
  DART__MPI(MPI_Iallgather, &own, 1, MPI_AINT, net->disp, 1, MPI_AINT, dart__team_net(team)->comm,
            &request);
  dart__mpi_wait(&request);
  for (int32_t u = 0; u < team->nunits; u++)
    if (net->disp[u] == nowhere)
      all = DART_ERR_NOMEM;
  if (all == DART_OK)
    share_displacements(team, net);
  if (all == DART_OK)
    net->window = window;
  else if (ret == DART_OK && nbytes > 0)
    DART__MPI(MPI_Win_detach, window->win, net->base);
  return all;
}

/* Make a chunk accessible to far units: by a window of its own, whose displacements are all 0, or by the
 * team's dynamic window. Agreed. */
static dart_ret_t publish_chunk(dart__team_t *team, dart__chunk_t *chunk, dart__chunk_net_t *net)
{
  dart__team_net_t *team_net = team->net;
  bool              wants    = net->own != NULL && dart__window_wants_static();
  dart_ret_t        ret;

  /* a static window, if all units can have one */
  if (dart__team_agree(team, wants ? DART_OK : DART_ERR_OTHER) != DART_OK)
    return attach_portion(team, chunk->nbytes, net);
  ret = dart__window_open_static(&team_net->windows, team_net->comm, net->base, chunk->nbytes,
                                 net->own);
  if (ret == DART_OK)
    net->window = net->own;
  delete_displacements(net);
  return ret;
}

static bool is_attached(const dart__team_t *team, const dart__chunk_net_t *net)
{
  return net->window != NULL && net->window == dart__team_net(team)->dynamic;
}

void dart__net_chunk_discard(dart__chunk_t *chunk)
{
  dart__chunk_net_t *net = chunk->net;

  if (net == NULL)
    return;
  dart__window_delete(net->own);
  delete_displacements(net);
  free(net);
  chunk->net = NULL;
}

/* The first chunk of all, before the first team has an id. */
static bool is_pool(const dart__team_t *team)
{
  return team->id == DART_TEAM_NULL;
}

/* Where there are far units, with a displacement table, and with room for a static window if the chunk can
 * get one; registered memory gets none. */
dart_ret_t dart__net_chunk_prepare(const dart__team_t *team, dart__chunk_t *chunk)
{
  bool               may_own = dart__windows_are_static() && chunk->nbytes > 0;
  dart__chunk_net_t *net     = calloc(1, sizeof *net);

  if (net == NULL)
    return DART_ERR_NOMEM;
  chunk->net  = net;
  net->shared = MPI_WIN_NULL;
  if (team->nnodes == 1 || is_pool(team))
    return DART_OK;
  net->disp = calloc((size_t)team->nunits, sizeof *net->disp);
  if (may_own)
    net->own = dart__window_new(team);
  if (net->disp != NULL && (net->own != NULL || !may_own))
    return DART_OK;
  dart__net_chunk_discard(chunk);
  return DART_ERR_NOMEM;
}

/* Called by all units of the node, or by none: freeing a shared window is collective. */
static void close_memory(dart__team_t *team, dart__chunk_t *chunk, dart__chunk_net_t *net)
{
  if (net->again != NULL)
    munmap(net->again, stride_of(chunk) * (size_t)team->node_nunits);
  if (net->shared != MPI_WIN_NULL) {
    DART__MPI(MPI_Win_unlock_all, net->shared);
    DART__MPI(MPI_Win_free, &net->shared);
  } else if (team->node_nunits == 1 && net->base != NULL) {
    munmap(net->base, chunk->nbytes);
  }
}

/* The mapping of map_again is an attempt, which is enough for huge pages. */
static dart_ret_t check_alignment(const dart__team_t *team, const dart__chunk_t *chunk)
{
  if (chunk->alignment == 0 ||
      ((uintptr_t)chunk->near[team->near_me] & (chunk->alignment - 1)) == 0)
    return DART_OK;
  return dart__fail(DART_ERR_NOMEM, "shared memory of %zu bytes is not aligned to %zu",
                    chunk->nbytes, chunk->alignment);
}

dart_ret_t dart__net_chunk_open(dart__team_t *team, dart__chunk_t *chunk)
{
  dart__chunk_net_t *net = chunk->net;
  dart_ret_t         ret = is_pool(team) ? DART_OK : dart__team_connect(team);

  if (ret != DART_OK)
    return ret;
  ret = team->node_nunits > 1 ? open_shared(team, chunk, net) : open_private(team, chunk, net);
  if (ret == DART_OK)
    ret = check_alignment(team, chunk);
  if (!is_pool(team) && (team->nnodes > 1 || chunk->alignment > 0))
    ret = dart__team_agree(team, ret); /* of the pool all units agree later */
  if (ret == DART_OK && team->nnodes > 1 && !is_pool(team))
    ret = publish_chunk(team, chunk, net);
  chunk->is_reached  = net->window != NULL && net->window->is_static;
  chunk->by_requests = is_pool(team) && team->nnodes > 1;
  if (ret != DART_OK)
    close_memory(team, chunk, net);
  return ret;
}

/* Mapped by this unit alone. */
dart_ret_t dart__net_register(dart__team_t *team, dart__chunk_t *chunk, void *address,
                              size_t nbytes)
{
  dart__chunk_net_t *net = chunk->net;
  dart_ret_t         ret;

  if (team->nnodes == 1)
    return DART_OK;
  ret = dart__team_connect(team);
  if (ret != DART_OK)
    return ret;
  net->base     = address;
  chunk->nbytes = nbytes;
  return attach_portion(team, nbytes, net);
}

void dart__net_chunk_close(dart__team_t *team, dart__chunk_t *chunk)
{
  dart__chunk_net_t *net = chunk->net;

  if (is_attached(team, net) && chunk->nbytes > 0)
    DART__MPI(MPI_Win_detach, net->window->win, net->base);
  else if (net->window != NULL && !is_attached(team, net))
    dart__window_close(&dart__team_net(team)->windows, net->window);
  if (chunk->near[team->near_me] != NULL) /* else it is registered memory */
    close_memory(team, chunk, net);
}

dart_ret_t dart__net_reserve(dart__team_t *team, dart__chunk_t *chunk, size_t from, size_t to)
{
  dart__chunk_net_t *net = chunk->net;

  for (size_t at = from; at < to;) {
    size_t step = to - at < STEP ? to - at : STEP;
    int error   = dart__memory_room("/dev/shm") < to - at ? ENOMEM : populate(net->base + at, step);

    if (error != 0) {
      dart__error("no room for %zu bytes of shared memory: %s", to - from,
                  error == EFAULT ? "/dev/shm is full" : strerror(error));
      dart__net_release(team, chunk, from, at);
      return DART_ERR_NOMEM;
    }
    at += step;
  }
  dart__memory_make_huge(net->base + from, to - from);
  return DART_OK;
}

void dart__net_release(dart__team_t *team, dart__chunk_t *chunk, size_t from, size_t to)
{
  dart__chunk_net_t *net = chunk->net;

  if (net->window != NULL && !is_attached(team, net))
    return; /* the network may have pinned the pages: it would go on writing to those removed here */
  if (from < to && madvise(net->base + from, to - from, MADV_REMOVE) != 0)
    dart__warn("cannot release %zu bytes of shared memory: %s", to - from, strerror(errno));
}
