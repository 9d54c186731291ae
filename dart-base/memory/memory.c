/* Collective allocation: segments are allocated from chunks.
 *
 * All units agree on the largest size requested, then make the same changes to equal arenas and tables: the
 * same segment id, the same chunk, the same offset. The metadata for these changes are allocated before, and
 * whether that succeeded is part of the same agreement. What else can fail on a single unit (mapping, pages)
 * is followed by an agreement, and undone on all units if it failed on one.
 *
 * Most often all units ask for the same size, and a chunk has room. So each looks before the agreement where its size
 * will be, and prepares that; if the sizes are equal, and all could, the first agreement is the only one. */
#include "memory/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dash/dart/ext/dart_memalign.h>
#include <dash/dart/if/dart_globmem.h>

#include "base/assert.h"
#include "base/config.h"
#include "base/free_memory.h"
#include "base/profile.h"
#include "base/size.h"
#include "coll/coll.h"
#include "data/name.h"
#include "far/far_ops.h"
#include "far/progress.h"
#include "memory/chunk_new.h"
#include "memory/node_table.h"
#include "memory/pages.h"
#include "memory/segment_state.h"
#include "model/argument_check.h"
#include "model/lost.h"
#include "model/tell.h"
#include "net.h"

DART__PROFILED(dart_team_memalloc_aligned, dart_team_memfree, dart_team_memalign);

static size_t page_size(void)
{
  return (size_t)sysconf(_SC_PAGESIZE);
}

/* ---- chunks ------------------------------------------------------------------------------ */

/* Collective and agreed. `shared`: several segments can be allocated from it. `alignment` is 0, or more than a
 * page. */
static dart_ret_t open_chunk(dart__team_t *team, size_t nbytes, bool shared, size_t alignment,
                             dart__chunk_t **chunk_out)
{
  /* a multiple of huge pages, too, if it is that large: then every portion starts with one */
  size_t         unit  = nbytes < DART__HUGE_PAGE ? page_size() : DART__HUGE_PAGE;
  dart__chunk_t *chunk = dart__chunk_new(team, dart__round_up(nbytes, unit), shared);
  dart_ret_t     mine, ret;

  ret = dart__coll_agree(team, chunk == NULL ? DART_ERR_NOMEM : DART_OK);
  if (ret != DART_OK)
    goto delete_chunk;
  chunk->alignment = alignment;
  mine             = dart__net_chunk_open(team, chunk);
  ret              = dart__coll_agree(team, mine);
  if (ret != DART_OK)
    goto close_chunk;
  chunk->next  = team->chunks;
  team->chunks = chunk;
  *chunk_out   = chunk;
  return DART_OK;

close_chunk:
  if (mine == DART_OK)
    dart__net_chunk_close(team, chunk);
delete_chunk:
  dart__chunk_delete(chunk);
  return ret;
}

/* Collective, after a barrier. */
static void close_chunk(dart__team_t *team, dart__chunk_t *chunk)
{
  dart__chunk_t **link = &team->chunks;

  while (*link != chunk)
    link = &(*link)->next;
  *link = chunk->next;
  dart__net_chunk_close(team, chunk);
  dart__chunk_delete(chunk);
}

/* Allocate the metadata of one more segment in the chunks. */
static bool prepare_arenas(dart__team_t *team)
{
  for (dart__chunk_t *chunk = team->chunks; chunk != NULL; chunk = chunk->next)
    if (chunk->arena != NULL && !dart__arena_prepare(chunk->arena))
      return false;
  return true;
}

/* Whether a portion is a block of an arena, of `*length_out` bytes, or a chunk. Blocks are aligned to cache lines,
 * chunks to pages: up to that a block is longer by what it takes to align within it, beyond it is a chunk. */
static bool is_block(size_t nbytes, size_t alignment, size_t *length_out)
{
  *length_out = alignment > page_size() ? nbytes : nbytes + (alignment - DART__CACHE_LINE);
  return alignment <= page_size() && *length_out <= dart__settings.heap_chunk;
}

/* Find or make room for `nbytes` in every portion of a chunk. Collective and agreed: all units have prepared their
 * arenas, and get the same result. */
static dart_ret_t find_room(dart__team_t *team, size_t nbytes, size_t alignment,
                            dart__chunk_t **chunk_out, uint64_t *block_out)
{
  size_t     length;
  dart_ret_t ret;

  *block_out = 0;
  if (!is_block(nbytes, alignment, &length))
    return open_chunk(team, nbytes, false, alignment > page_size() ? alignment : 0, chunk_out);
  for (dart__chunk_t *chunk = team->chunks; chunk != NULL; chunk = chunk->next)
    if (chunk->arena != NULL && dart__arena_alloc(chunk->arena, length, block_out)) {
      *chunk_out = chunk;
      return DART_OK;
    }
  ret = open_chunk(team, dart__settings.heap_chunk, true, 0, chunk_out);
  if (ret == DART_OK && !dart__arena_alloc((*chunk_out)->arena, length, block_out))
    ret = DART_ERR_NOMEM; /* heap_chunk is no whole number of cache lines */
  return ret;
}

/* Bytes of the team's chunks without segments that have had pages, on all units of the node. */
static uint64_t idle_bytes(const dart__team_t *team)
{
  uint64_t nbytes = 0;

  for (const dart__chunk_t *chunk = team->chunks; chunk != NULL; chunk = chunk->next)
    if (chunk->arena != NULL && dart__arena_is_empty(chunk->arena))
      nbytes += chunk->extent;
  return nbytes * (uint64_t)team->node_nunits;
}

/* Whether a chunk without segments returns its pages, so that other teams, the pool and larger segments can have them. A
 * program that allocates and frees in a loop would pay for them anew each time: 1.3 ms for 1 MiB. So they are kept while
 * there are few, or while much more is free. Of units on several nodes all decide alike. */
static bool returns_pages(dart__team_t *team, const dart__chunk_t *chunk)
{
  uint64_t idle = idle_bytes(team);
  bool     is_scarce;

  if (!dart__arena_is_empty(chunk->arena) ||
      idle <= dart__settings.heap_chunk / 16 * (uint64_t)team->node_nunits)
    return false;
  is_scarce = idle > dart__memory_room("/dev/shm") / 8;
  if (team->nnodes == 1)
    return is_scarce;
  return dart__coll_agree(team, is_scarce ? DART_ERR_NOMEM : DART_OK) != DART_OK;
}

/* Return the pages of a chunk without segments; its address space stays. */
static void empty_chunk(dart__team_t *team, dart__chunk_t *chunk)
{
  dart__net_release(team, chunk, 0, chunk->reserved);
  chunk->reserved = 0;
  chunk->extent   = 0;
  dart__chunk_count(chunk, DART__LEVEL_SEGMENTS, 0);
}

/* On one node such a chunk is emptied: to close it would free no more memory, and dart-shmem cuts each chunk from a
 * fresh range of the job's file. On several nodes its window may keep the pages, so it is closed. Collective, after a
 * barrier. */
static void release_room(dart__team_t *team, dart__chunk_t *chunk, uint64_t block)
{
  if (chunk->arena == NULL) {
    close_chunk(team, chunk);
    return;
  }
  dart__arena_free(chunk->arena, block);
  if (!returns_pages(team, chunk))
    return;
  if (team->nnodes > 1)
    close_chunk(team, chunk);
  else
    empty_chunk(team, chunk);
}

/* Bytes that portions of `nbytes` take in those of a chunk, with the state of their epochs. */
static size_t room_of(size_t nbytes)
{
  return dart__segment_state_at(nbytes) + dart__segment_state.nbytes;
}

/* Pages for `own` bytes at the start of a chunk, and for the state of epochs at `epoch_at`. */
static dart_ret_t reserve_alone(dart__team_t *team, dart__chunk_t *chunk, uint64_t epoch_at,
                                size_t own)
{
  size_t page = page_size(), end = dart__round_up(epoch_at + dart__segment_state.nbytes, page);
  size_t to = dart__round_up(own, page), from = epoch_at / page * page;

  if (to >= from)
    return dart__net_reserve(team, chunk, 0, end);
  if (to > 0 && dart__net_reserve(team, chunk, 0, to) != DART_OK)
    return DART_ERR_NOMEM;
  return dart__net_reserve(team, chunk, from, end);
}

/* Reserve pages for this unit's portion. Those of a shared chunk are reserved in steps, equally on all units;
 * those of a chunk for one segment by the size that each unit requested. `*reserved_out`: chunk->reserved
 * after all units have succeeded. */
static dart_ret_t reserve_own(dart__team_t *team, dart__chunk_t *chunk, uint64_t base,
                              size_t largest, size_t own, size_t *reserved_out)
{
  size_t to, room = room_of(largest);

  if (chunk->arena == NULL) {
    *reserved_out = chunk->nbytes; /* no other segment is allocated from it */
    return reserve_alone(team, chunk, dart__segment_state_at(largest), own);
  }
  *reserved_out = chunk->reserved;
  if (base + room <= chunk->reserved)
    return DART_OK;
  to            = dart__chunk_pages(chunk, base + room);
  *reserved_out = to;
  return dart__net_reserve(team, chunk, chunk->reserved, to);
}

/* Before any unit can know of the segment. */
static void clear_state(const dart__team_t *team, const dart__chunk_t *chunk, uint64_t base,
                        size_t largest)
{
  memset(chunk->near[team->near_me] + base + dart__segment_state_at(largest), 0,
         dart__segment_state.nbytes);
}

/* Reserve pages for all portions, or for none. Collective and agreed. */
static dart_ret_t reserve_pages(dart__team_t *team, dart__chunk_t *chunk, uint64_t base,
                                size_t largest, size_t own)
{
  size_t     reserved;
  dart_ret_t mine = reserve_own(team, chunk, base, largest, own, &reserved), ret;

  if (chunk->arena != NULL && base + room_of(largest) > chunk->extent)
    chunk->extent = base + room_of(largest); /* even if this fails: some may have reserved pages */
  if (mine == DART_OK)
    clear_state(team, chunk, base, largest);
  ret = dart__coll_agree(team, mine);
  if (ret == DART_OK) {
    chunk->reserved = reserved;
    dart__chunk_count(chunk, DART__LEVEL_SEGMENTS, chunk->arena != NULL ? reserved : room_of(own));
  } else if (mine == DART_OK && chunk->arena != NULL)
    dart__net_release(team, chunk, chunk->reserved, reserved);
  return ret;
}

/* ---- segments ---------------------------------------------------------------------------- */

static void delete_segment(dart__segment_t *segment)
{
  if (segment == NULL)
    return;
  dart__segment_state.end(segment);
  free(segment->epoch_pool);
  dart__segment_free_tables(segment);
  free(segment);
}

/* A segment with a table for the sizes of all portions. NULL: no memory. */
static dart__segment_t *new_segment(const dart__team_t *team)
{
  dart__segment_t *segment = calloc(1, sizeof *segment);

  if (segment == NULL)
    return NULL;
  if (dart__segment_prepare_tables(team, segment, 0))
    return segment;
  free(segment);
  return NULL;
}

/* What units have asked for. */
typedef struct {
  size_t         own, largest, smallest;
  bool           is_foreseen; /* by all units */
  unsigned long *also;        /* see dart__memory_alloc */
} sizes_t;

/* The worst of all units' results. */
static dart_ret_t agree_on_size(dart__team_t *team, dart_ret_t mine, size_t alignment,
                                sizes_t *sizes)
{
  unsigned long most[8] = { mine,
                            sizes->own,
                            ~(unsigned long)sizes->own,
                            alignment,
                            ~(unsigned long)alignment,
                            !sizes->is_foreseen };

  if (sizes->also != NULL)
    memcpy(&most[6], sizes->also, 2 * sizeof most[0]);
  dart__coll_most(team, most, sizes->also != NULL ? 8 : 6);
  if (dart__team_is_broken(team))
    return DART_ERR_UNIT_LOST;
  if (sizes->also != NULL)
    memcpy(sizes->also, &most[6], 2 * sizeof most[0]);
  sizes->largest     = most[1];
  sizes->smallest    = ~most[2];
  sizes->is_foreseen = most[5] == 0;
  if (most[0] != DART_OK || most[3] == ~most[4])
    return (dart_ret_t)most[0];
  return dart__fail(DART_ERR_INVAL, "dart_team_memalign: alignments differ, from %lu to %lu",
                    ~most[4], most[3]);
}

/* Allocate what this unit needs, before anything collective is done. The id is 0 if all are used. */
static dart_ret_t prepare_segment(dart__team_t *team, dart__segment_t **segment_out)
{
  *segment_out = new_segment(team);
  if (*segment_out == NULL || !prepare_arenas(team))
    return DART_ERR_NOMEM;
  (*segment_out)->id = dart__team_free_segid(team);
  return DART_OK;
}

/* Describe the memory found at segment->block as a segment, and enter it into the team's table. */
static void enter_segment(dart__team_t *team, dart__segment_t *segment, dart__chunk_t *chunk,
                          size_t alignment, size_t largest)
{
  segment->base     = dart__round_up(segment->block, alignment);
  segment->near     = chunk->near;
  segment->nbytes   = largest;
  segment->epoch_at = dart__segment_state_at(largest);
  segment->chunk    = chunk;
  dart__segment_enter(team, segment);
}

/* In two agreements: that the room is found is one, or was before; and that all have reserved its pages. */
static dart_ret_t allocate_by_size(dart__team_t *team, dart__segment_t *segment, size_t alignment,
                                   const sizes_t *sizes)
{
  bool           differ = sizes->largest != sizes->smallest;
  uint64_t       own    = sizes->own;
  dart__chunk_t *chunk;
  dart_ret_t     ret = find_room(team, room_of(sizes->largest), alignment, &chunk, &segment->block);

  if (ret != DART_OK)
    return ret;
  ret = dart__segment_fill_tables(team, segment, differ ? &own : NULL, NULL, 0);
  if (ret != DART_OK)
    goto release_room;
  /* Far units may access the segment as soon as they return from the agreement in reserve_pages, so this unit must
   * have entered it before. */
  enter_segment(team, segment, chunk, alignment, sizes->largest);
  ret = reserve_pages(team, chunk, segment->base, sizes->largest, sizes->own);
  if (ret == DART_OK)
    return DART_OK;
  dart__segment_leave(team, segment);
release_room:
  release_room(team, chunk, segment->block);
  return ret;
}

/* ---- in one agreement ------------------------------------------------------------------------ */

/* What a unit has prepared before the agreement, as if all units asked for its size. */
typedef struct {
  dart__chunk_t *chunk;    /* NULL: nothing */
  size_t         reserved; /* chunk->reserved afterwards */
} foreseen_t;

/* Enter the segment where it will be, and reserve its pages. */
static foreseen_t foresee(dart__team_t *team, dart__segment_t *segment, size_t alignment,
                          size_t own)
{
  foreseen_t     f     = { .chunk = NULL };
  dart__chunk_t *chunk = team->chunks;
  uint64_t       base;
  size_t         length;

  if (segment->id == 0 || !is_block(room_of(own), alignment, &length))
    return f;
  while (chunk != NULL &&
         (chunk->arena == NULL || !dart__arena_look(chunk->arena, length, &segment->block)))
    chunk = chunk->next;
  if (chunk == NULL)
    return f;
  base = dart__round_up(segment->block, alignment);
  if (reserve_own(team, chunk, base, own, own, &f.reserved) != DART_OK)
    return f;
  f.chunk = chunk;
  clear_state(team, chunk, base, own);
  enter_segment(team, segment, chunk, alignment, own);
  return f;
}

/* All units have foreseen the same place: make the change to the arena that was only looked up before. */
static void commit_foreseen(dart__segment_t *segment, size_t alignment, const foreseen_t *f)
{
  size_t   room = room_of(segment->nbytes), length;
  uint64_t block;

  is_block(room, alignment, &length);
  dart__arena_alloc(f->chunk->arena, length, &block);
  dart__assert(block == segment->block);
  if (segment->base + room > f->chunk->extent)
    f->chunk->extent = segment->base + room;
  f->chunk->reserved = f->reserved;
  dart__chunk_count(f->chunk, DART__LEVEL_SEGMENTS, f->reserved);
  dart__segment_free_tables(segment);
}

static void undo_foreseen(dart__team_t *team, dart__segment_t *segment, const foreseen_t *f)
{
  dart__segment_leave(team, segment);
  dart__net_release(team, f->chunk, f->chunk->reserved, f->reserved);
}

dart_ret_t dart__memory_alloc(dart__team_t *team, dart_ret_t mine, size_t own, size_t alignment,
                              unsigned long *also, dart__segment_t **segment_out)
{
  size_t           at_least = dart__most(alignment, DART__CACHE_LINE);
  sizes_t          sizes    = { .own = own, .also = also };
  foreseen_t       foreseen = { .chunk = NULL };
  dart__segment_t *segment;
  dart_ret_t       prepared = prepare_segment(team, &segment), ret;

  if (mine == DART_OK)
    mine = prepared;
  if (mine == DART_OK)
    foreseen = foresee(team, segment, at_least, own);
  sizes.is_foreseen = foreseen.chunk != NULL;
  ret               = agree_on_size(team, mine, alignment, &sizes);
  if (ret == DART_OK && sizes.is_foreseen && sizes.largest == sizes.smallest) {
    commit_foreseen(segment, at_least, &foreseen);
    *segment_out = segment;
    return DART_OK;
  }
  if (foreseen.chunk != NULL)
    undo_foreseen(team, segment, &foreseen);
  if (ret == DART_OK && segment->id == 0)
    ret = dart__fail(DART_ERR_OTHER,
                     "dart_team_memalloc_aligned: team %d has used up its %d segments", team->id,
                     INT16_MAX);
  if (ret == DART_OK)
    ret = allocate_by_size(team, segment, at_least, &sizes);
  if (ret == DART_OK)
    *segment_out = segment;
  else
    delete_segment(segment);
  return ret;
}

/* Units may request different sizes, so an error in the size is part of the agreement. */
static dart_ret_t check_size(const char *function, const dart__team_t *team, size_t nelem,
                             size_t size, size_t *nbytes_out)
{
  if (!dart__check_nbytes(function, nelem, size, nbytes_out))
    return DART_ERR_INVAL;
  if (*nbytes_out <= SIZE_MAX / 2 / (size_t)team->nunits)
    return DART_OK;
  return dart__fail(DART_ERR_INVAL,
                    "%s: %zu bytes on each of %d units are more than an address space", function,
                    *nbytes_out, team->nunits);
}

/* An invalid alignment is part of the agreement, too. */
static dart_ret_t check_alignment(const char *function, size_t alignment)
{
  if (alignment > 0 && alignment <= DART_ALIGNMENT_MOST && (alignment & (alignment - 1)) == 0)
    return DART_OK;
  return dart__fail(DART_ERR_INVAL, "%s: alignment %zu is no power of two of at most %zu", function,
                    alignment, DART_ALIGNMENT_MOST);
}

static dart_ret_t allocate(const char *function, dart_team_t teamid, size_t alignment, size_t nelem,
                           dart_datatype_t dtype, dart_gptr_t *gptr)
{
  dart__team_t       *team = dart__check_team(function, teamid);
  const dart__type_t *type = dart__type_find(dtype);
  dart__segment_t    *segment;
  size_t              nbytes = 0;
  dart_ret_t          mine, ret;

  if (gptr == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: gptr is NULL", function);
  *gptr = DART_GPTR_NULL;
  if (type == NULL || type->kind != DART__TYPE_BASIC)
    return dart__fail(DART_ERR_INVAL, "%s: type %s is no basic type", function,
                      dart__type_text(dtype).text);
  if (team == NULL)
    return DART_ERR_INVAL;

  dart__team_begin_call(team, function);
  mine = check_alignment(function, alignment);
  if (mine == DART_OK)
    mine = check_size(function, team, nelem, type->elem_size, &nbytes);
  ret = dart__memory_alloc(team, mine, nbytes, alignment, NULL, &segment);
  if (ret != DART_OK) {
    if (mine == DART_OK && ret != DART_ERR_UNIT_LOST &&
        !dart__was_told(dart__team_call_number(team)))
      dart__error("%s: no %zu bytes (here) on every unit of team %d", function, nbytes, teamid);
    return ret;
  }
  dart__debug("%s: segment %d of team %d, %zu bytes here", function, segment->id, teamid, nbytes);
  gptr->unitid = 0;
  gptr->teamid = teamid;
  gptr->segid  = segment->id;
  return DART_OK;
}

dart_ret_t dart_team_memalloc_aligned(dart_team_t teamid, size_t nelem, dart_datatype_t dtype,
                                      dart_gptr_t *gptr)
{
  return allocate(__func__, teamid, DART__CACHE_LINE, nelem, dtype, gptr);
}

dart_ret_t dart_team_memalign(dart_team_t teamid, size_t alignment, size_t nelem,
                              dart_datatype_t dtype, dart_gptr_t *gptr)
{
  return allocate(__func__, teamid, alignment, nelem, dtype, gptr);
}

#define RETURNED ((size_t)16 << 20) /* bytes of adopted memory that are made private at a time */

/* Make adopted memory private again, piece by piece. The shared pages of a piece are released before the next, so that
 * only one piece needs memory twice. */
static void return_pages(dart__team_t *team, const dart__segment_t *segment)
{
  dart__pages_t pages = dart__pages_of(segment->adopted, segment->adopted_bytes);
  const char   *shared =
      segment->near[team->near_me] + segment->base - (segment->adopted - pages.first);

  for (size_t from = 0, to; from < pages.nbytes; from = to) {
    to = pages.nbytes - from < RETURNED ? pages.nbytes : from + RETURNED;
    dart__pages_return((dart__pages_t){ pages.first + from, to - from }, shared + from);
    dart__net_release(team, segment->chunk, segment->base + from, segment->base + to);
  }
}

/* After a barrier: no unit accesses the segment any more. */
static void free_segment(dart__team_t *team, dart__segment_t *segment)
{
  dart__segment_leave(team, segment);
  if (segment->adopted != NULL)
    return_pages(team, segment);
  release_room(team, segment->chunk, segment->block);
  delete_segment(segment);
}

dart_ret_t dart__memory_free(dart__team_t *team, dart__segment_t *segment)
{
  /* Outstanding operations on the segment are completed before its memory is released. Refused operations
   * were logged. */
  dart__progress();
  dart__progress_settle(0);
  if (team->nnodes > 1 && dart__far_flush_all(team) == DART_ERR_UNIT_LOST)
    dart__team_look(team); /* then this call tells of what was dropped */
  dart__team_forget_call(team);
  if (dart__coll_barrier(team) != DART_OK)
    return DART_ERR_UNIT_LOST; /* others may still read it */
  free_segment(team, segment);
  return DART_OK;
}

dart_ret_t dart_team_memfree(dart_gptr_t gptr)
{
  dart__team_t    *team;
  dart__segment_t *segment;

  if (DART_GPTR_ISNULL(gptr))
    return DART_OK;
  dart__call_note(__func__);
  segment = dart__locate_segment(gptr, &team);
  if (segment == NULL || gptr.segid <= 0)
    return dart__fail(DART_ERR_INVAL, "%s: segment %d of team %d is not allocated", __func__,
                      gptr.segid, gptr.teamid);
  dart__team_begin_call(team, __func__);
  return dart__memory_free(team, segment);
}

void dart__memory_close(dart__team_t *team)
{
  int32_t pool = team->segments[DART_SEGMENT_LOCAL] != NULL; /* which is closed later */

  /* Most teams have none: a look at the whole table would map it. */
  for (int32_t id = 1; id <= INT16_MAX && team->nsegments > pool; id++)
    if (team->segments[id] != NULL)
      free_segment(team, team->segments[id]);
  dart__register_close(team, team->nsegments - pool);
  while (team->chunks != NULL)
    close_chunk(team, team->chunks);
}
