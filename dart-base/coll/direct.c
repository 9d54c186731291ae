/* Large data on one node: see direct.h. On one node a unit's position is its team id, so the team id
 * indexes the slots, and operands in the order of positions are in the order of the team. */
#include "coll/direct.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dash/dart/if/dart_globmem.h>

#include "base/config.h"
#include "base/copy.h"
#include "base/counters.h"
#include "base/size.h"
#include "coll/step.h"
#include "data/op.h"
#include "model/lost.h"
#include "model/world.h"
#include "wait/foreign.h"

/* Bytes of a block from which the kernel copies faster, about. A step of the exchange is cheap if every unit has a core, and a
 * context switch if not. Of few units pieces are as large as they may be, so steps are few; if these have cores, the
 * exchange is faster at any size. */
#define LEAST_BY_CORE (256 * DART__KI)
#define LEAST_OF_FEW  (64 * DART__KI) /* that share cores; of more DART__DIRECT_LEAST */

/* A reduction must be this many times larger than other blocks to go through the kernel. */
#define REDUCTION_FACTOR 8

/* ---- memory that all units of the node have mapped ----------------------------------------------
 *
 * Buffers may lie in the pool, or in a segment of the team. Other units can load and store there, so nothing has to be
 * copied twice, or by the kernel. All units of a team have its chunks in the same order, so a place is the number of a
 * chunk and an offset. Chunk 1 is the pool's, those of the team follow, newest first. */

typedef struct {
  uint64_t chunk;  /* 0: other units have not mapped the buffer */
  uint64_t offset; /* from the start of its unit's portion */
} mapped_t;

#define CHUNKS_MOST 64 /* that are looked at: a look takes less than a step */

static const dart__segment_t *find_pool(void)
{
  const dart__team_t *all = dart__teams[DART_TEAM_ALL];

  return all != NULL ? dart__segment_find(all, DART_SEGMENT_LOCAL) : NULL;
}

static bool is_in(const char *portion, size_t size, const void *buffer, size_t nbytes,
                  uint64_t *offset_out)
{
  *offset_out = (uint64_t)((uintptr_t)buffer - (uintptr_t)portion);
  return portion != NULL && *offset_out < size && nbytes <= size - *offset_out;
}

/* Adopted memory that does not begin with a page: its portions are shorter than those of the chunk, by as much as each
 * unit's begins later. */
static bool is_shifted(const dart__chunk_t *chunk, int32_t slot)
{
  return chunk->arena == NULL &&
         (uintptr_t)chunk->near[slot] % (uintptr_t)sysconf(_SC_PAGESIZE) != 0;
}

/* Where `nbytes` bytes of this unit are, if they are in its own portion. */
static mapped_t find_mapped(const dart__team_t *team, const void *buffer, size_t nbytes)
{
  const dart__segment_t *local = find_pool();
  mapped_t               place = { .chunk = 1 };

  if (buffer == NULL)
    return (mapped_t){ 0 };
  if (local != NULL &&
      is_in(dart__pool_address(dart__world.me, 0), local->nbytes, buffer, nbytes, &place.offset))
    return place;
  for (const dart__chunk_t *chunk = team->chunks; chunk != NULL && place.chunk <= CHUNKS_MOST;
       chunk                      = chunk->next) {
    place.chunk++;
    if (!is_shifted(chunk, team->near_me) &&
        is_in(chunk->near[team->near_me], chunk->nbytes, buffer, nbytes, &place.offset))
      return place;
  }
  return (mapped_t){ 0 };
}

/* The address in this process of a place that `unit` (team id) has found; NULL: it was none. */
static char *mapped_at(const dart__team_t *team, int32_t unit, mapped_t place)
{
  const dart__chunk_t *chunk = team->chunks;

  if (place.chunk == 0)
    return NULL;
  if (place.chunk == 1)
    return dart__pool_address(dart__team_member(team, unit), place.offset);
  while (place.chunk-- > 2)
    chunk = chunk->next;
  return chunk->near[dart__team_near_slot(team, unit)] + place.offset;
}

/* ---- copies between units -------------------------------------------------------------------- */

/* A buffer of a unit: its address in that unit's process, 0 if it has none, and where others have mapped it. */
typedef struct {
  uint64_t address;
  mapped_t place;
} buffer_t;

typedef enum { SEND, RECV, NBUFFERS } side_t;

typedef struct {
  buffer_t buffer[NBUFFERS];
  uint64_t lacks_memory; /* the unit cannot take part */
} published_t;

_Static_assert(sizeof(published_t) <= DART__CACHE_LINE, "every slot has a cache line");

typedef struct {
  dart__team_t *team;
  const char   *slots;     /* with what each unit has published */
  bool          by_kernel; /* blocks are so large that this pays */
  dart_ret_t    ret;       /* of the copies so far */
} direct_t;

static uint64_t address_of(const void *buffer)
{
  return (uint64_t)(uintptr_t)buffer;
}

static buffer_t buffer_of(const dart__team_t *team, const void *buffer, size_t nbytes)
{
  return (buffer_t){ address_of(buffer), find_mapped(team, buffer, nbytes) };
}

static direct_t publish_buffers(dart__team_t *team, const published_t *own)
{
  dart__exchange_t *x = &team->exchange;
  direct_t          d = { .team = team, .slots = dart__exchange_slot(x, 0) };

  memcpy(dart__exchange_slot(x, x->me), own, sizeof *own);
  dart__step_end(team);
  d.ret = dart__team_result(team, DART_OK);
  return d;
}

static published_t published(const direct_t *d, int32_t unit)
{
  published_t there;

  memcpy(&there, d->slots + (size_t)unit * d->team->exchange.slot_bytes, sizeof there);
  return there;
}

static bool has_news(void *team)
{
  return dart__team_look(team);
}

/* Where units may be lost, a copy may have failed, or taken what another unit has changed since it saw the loss. The kernel
 * knows that a process is gone a little before the launcher says so. */
static dart_ret_t result_of(const direct_t *d, dart_ret_t ret)
{
  if (!dart__survives())
    return ret;
  if (ret == DART_ERR_OTHER)
    dart__wait_until(&(dart__wait_t){ .look     = has_news,
                                      .context  = d->team,
                                      .limit_ns = DART__NEWS_US * INT64_C(1000) },
                     &dart__world.wait);
  else
    dart__team_look(d->team);
  return dart__team_result(d->team, ret);
}

/* Other units may access this unit's buffers until all are done; and all units must know if the kernel could
 * not copy some data. */
static dart_ret_t end_direct(const direct_t *d)
{
  dart__count(DART__COUNT_COLL_DIRECT);
  if (d->by_kernel)
    return result_of(d, dart__coll_agree(d->team, d->ret));
  dart__step_end(d->team);
  return result_of(d, d->ret);
}

static pid_t process_of(const dart__team_t *team, int32_t unit)
{
  return dart__world_pid(dart__team_member(team, unit));
}

/* Where this unit can load and store in the buffer of any one; NULL: nowhere. */
static char *near_buffer(const direct_t *d, int32_t unit, side_t side)
{
  buffer_t buffer = published(d, unit).buffer[side];

  if (unit == d->team->me)
    return (char *)(uintptr_t)buffer.address;
  return mapped_at(d->team, unit, buffer.place);
}

static bool is_mapped(const direct_t *d, int32_t unit, side_t side)
{
  return published(d, unit).buffer[side].place.chunk != 0;
}

static bool are_mapped(const direct_t *d, side_t side)
{
  for (int32_t u = 0; u < d->team->nunits; u++)
    if (!is_mapped(d, u, side))
      return false;
  return true;
}

/* From a unit's `send`, `at` bytes in it. */
static void pull(direct_t *d, void *to, int32_t unit, size_t at, size_t nbytes)
{
  const dart__type_t *bytes = &dart__type_basic[DART_TYPE_BYTE];
  const char         *near;

  if (nbytes == 0 || d->ret != DART_OK)
    return;
  near = near_buffer(d, unit, SEND);
  if (near == NULL)
    d->ret = dart__foreign_get(to, bytes, process_of(d->team, unit),
                               published(d, unit).buffer[SEND].address + at, bytes, nbytes);
  else if (to != near + at)
    dart__copy_bytes(to, near + at, nbytes);
}

/* Into a unit's `recv`, `at` bytes in it. */
static void push_bytes(direct_t *d, int32_t unit, size_t at, const void *from, size_t nbytes)
{
  const dart__type_t *bytes = &dart__type_basic[DART_TYPE_BYTE];
  char               *near;

  if (nbytes == 0 || d->ret != DART_OK)
    return;
  near = near_buffer(d, unit, RECV);
  if (near == NULL)
    d->ret =
        dart__foreign_put(process_of(d->team, unit), published(d, unit).buffer[RECV].address + at,
                          bytes, from, bytes, nbytes);
  else if (from != near + at)
    dart__copy_bytes(near + at, from, nbytes);
}

/* From which size on the kernel copies: each unit tries to read from the next one, and all agree. */
static size_t least(dart__team_t *team)
{
  int           next = (team->me + 1) % team->nunits;
  unsigned long fails_or_crowded[2];
  published_t   own = { .buffer[SEND].address = address_of(&next) };
  direct_t      d;

  dart__foreign_consent();
  d = publish_buffers(team, &own);
  fails_or_crowded[0] =
      !dart__foreign_reaches(process_of(team, next), published(&d, next).buffer[SEND].address);
  fails_or_crowded[1] = dart__world.pace.yields == 0; /* then units outnumber cores */
  dart__coll_most(team, fails_or_crowded, 2);
  if (fails_or_crowded[0])
    return SIZE_MAX;
  if (fails_or_crowded[1])
    return team->nunits <= DART__DIRECT_FEW ? LEAST_OF_FEW : DART__DIRECT_LEAST;
  return team->nunits <= DART__DIRECT_FEW ? SIZE_MAX : LEAST_BY_CORE;
}

/* Publish the buffers for blocks of `nbytes`. The caller looks whether all that are accessed are mapped, or whether the
 * kernel is to copy. */
static direct_t begin_direct(dart__team_t *team, size_t nbytes, const published_t *own)
{
  dart__exchange_t *x = &team->exchange;
  direct_t          d;

  if (x->direct_least == 0)
    x->direct_least = least(team);
  d           = publish_buffers(team, own);
  d.by_kernel = nbytes >= x->direct_least;
  return d;
}

/* ---- from and to one unit: all other units copy at the same time ---------------------------- */

/* The kernel is called by the root, too: with nothing to copy for itself, it copies a share for each of the other
 * units. */
bool dart__direct_bcast(dart__team_t *team, void *buffer, size_t nbytes, int32_t root,
                        dart_ret_t *ret_out)
{
  published_t mine   = { 0 };
  size_t      shares = 0;
  direct_t    d;

  mine.buffer[SEND] = mine.buffer[RECV] = buffer_of(team, buffer, nbytes);
  d                                     = begin_direct(team, nbytes, &mine);
  if (!d.by_kernel && !is_mapped(&d, root, SEND))
    return false;
  if (!is_mapped(&d, root, SEND))
    shares = nbytes / (size_t)team->nunits;
  if (team->me != root)
    pull(&d, buffer, root, 0, nbytes - shares);
  for (int32_t u = 0; u < team->nunits && team->me == root; u++)
    push_bytes(&d, u, nbytes - shares, (const char *)buffer + nbytes - shares, shares);
  *ret_out = end_direct(&d);
  return true;
}

bool dart__direct_scatter(dart__team_t *team, const void *send, void *recv, size_t nbytes,
                          int32_t root, dart_ret_t *ret_out)
{
  published_t mine = { 0 };
  direct_t    d;

  mine.buffer[SEND] = buffer_of(team, send, (size_t)team->nunits * nbytes);
  d                 = begin_direct(team, nbytes, &mine);
  if (!d.by_kernel && !is_mapped(&d, root, SEND))
    return false;
  pull(&d, recv, root, (size_t)team->me * nbytes, nbytes);
  *ret_out = end_direct(&d);
  return true;
}

/* The root copies all where only the others' blocks are mapped. */
bool dart__direct_gather(dart__team_t *team, const void *send, void *recv, size_t nbytes,
                         int32_t root, dart_ret_t *ret_out)
{
  published_t mine = { 0 };
  direct_t    d;

  mine.buffer[SEND] = buffer_of(team, send, nbytes);
  mine.buffer[RECV] = buffer_of(team, recv, (size_t)team->nunits * nbytes);
  d                 = begin_direct(team, nbytes, &mine);
  if (d.by_kernel || is_mapped(&d, root, RECV))
    push_bytes(&d, root, (size_t)team->me * nbytes, send, nbytes);
  else if (!are_mapped(&d, SEND))
    return false;
  else
    for (int32_t u = 0; u < team->nunits && team->me == root; u++)
      pull(&d, (char *)recv + (size_t)u * nbytes, u, 0, nbytes);
  *ret_out = end_direct(&d);
  return true;
}

/* ---- from all to all: each unit begins with the next one, so that not all access the same one - */

static int32_t after(const dart__team_t *team, int32_t by)
{
  return (team->me + by) % team->nunits;
}

bool dart__direct_allgather(dart__team_t *team, const void *send, void *recv, const size_t *nelem,
                            const size_t *displs, size_t size, size_t mean, dart_ret_t *ret_out)
{
  published_t mine = { 0 };
  direct_t    d;

  mine.buffer[SEND] = buffer_of(team, send, nelem == NULL ? size : nelem[team->me] * size);
  d                 = begin_direct(team, mean, &mine);
  if (!d.by_kernel && !are_mapped(&d, SEND))
    return false;
  for (int32_t i = 1; i <= team->nunits; i++) {
    int32_t u  = after(team, i);
    size_t  at = displs == NULL ? (size_t)u : displs[u];

    pull(&d, (char *)recv + at * size, u, 0, nelem == NULL ? size : nelem[u] * size);
  }
  *ret_out = end_direct(&d);
  return true;
}

/* Two units swap a pair of blocks. Each of them does so for one half of them, in both directions, so
 * nothing is overwritten before it is read, though the blocks received may replace those sent. */
static void swap_half(direct_t *d, int32_t unit, const char *send, char *recv, size_t nbytes)
{
  dart__team_t *team  = d->team;
  size_t        first = (size_t)team->me * nbytes, here = (size_t)unit * nbytes;
  size_t        from  = team->me < unit ? 0 : nbytes / 2;
  size_t        to    = team->me < unit ? nbytes / 2 : nbytes;
  size_t        piece = send == recv ? team->exchange.slot_bytes : nbytes;
  char         *aside = dart__exchange_slot(&team->exchange, team->exchange.me);

  for (size_t at = from; at < to; at += piece) {
    size_t count = dart__least(piece, to - at);

    pull(d, send == recv ? aside : recv + here + at, unit, first + at, count);
    push_bytes(d, unit, first + at, send + here + at, count);
    if (send == recv)
      dart__copy_bytes(recv + here + at, aside, count);
  }
}

bool dart__direct_alltoall(dart__team_t *team, const void *send, void *recv, size_t nbytes,
                           dart_ret_t *ret_out)
{
  size_t      all  = (size_t)team->nunits * nbytes;
  published_t mine = { 0 };
  size_t      own  = (size_t)team->me * nbytes;
  direct_t    d;

  mine.buffer[SEND] = buffer_of(team, send, all);
  mine.buffer[RECV] = buffer_of(team, recv, all);
  d                 = begin_direct(team, all / 2, &mine);
  if (!d.by_kernel && !(are_mapped(&d, SEND) && are_mapped(&d, RECV)))
    return false;
  for (int32_t i = 1; i < team->nunits; i++)
    swap_half(&d, after(team, i), send, recv, nbytes);
  if (send != recv)
    dart__copy_bytes((char *)recv + own, (const char *)send + own, nbytes);
  *ret_out = end_direct(&d);
  return true;
}

/* ---- reductions: each unit combines a share of the elements, and copies it to the receivers -----
 *
 * Shares do not overlap, so results may replace operands. */

typedef struct {
  dart_datatype_t  dtype;
  dart_operation_t op;
  size_t           size;    /* bytes of an element */
  char            *sum;     /* DART__DIRECT_MOST bytes, which stay in the cache ... */
  char            *operand; /* ... and as much for one operand */
} reduction_t;

/* Every unit needs memory for a reduction: if one unit has none, no unit does anything. */
static dart_ret_t have_memory(const direct_t *d)
{
  for (int32_t u = 0; u < d->team->nunits; u++)
    if (published(d, u).lacks_memory)
      return DART_ERR_NOMEM;
  return DART_OK;
}

/* Combine all units' elements [at, at + count) into `sum`, from the last unit to the first. */
static void combine(direct_t *d, const reduction_t *r, size_t at, size_t count)
{
  size_t start = at * r->size, nbytes = count * r->size;

  pull(d, r->sum, d->team->nunits - 1, start, nbytes);
  for (int32_t u = d->team->nunits - 1; u-- > 0 && d->ret == DART_OK;) {
    const char *near = near_buffer(d, u, SEND);

    if (near == NULL)
      pull(d, r->operand, u, start, nbytes);
    dart__op_combine(r->op, r->dtype, near != NULL ? near + start : r->operand, r->sum, count);
  }
}

static size_t even(size_t nelem)
{
  return nelem > 1 ? nelem & ~(size_t)1 : nelem; /* pairs of MINMAX stay together */
}

static void reduce_share(direct_t *d, const reduction_t *r, size_t nelem, int32_t root)
{
  const dart__team_t *team  = d->team;
  size_t              piece = even(DART__DIRECT_MOST / r->size);
  size_t              share = even(nelem / (size_t)team->nunits + 2);
  size_t from = dart__least(nelem, (size_t)team->me * share), to = dart__least(nelem, from + share);

  for (size_t at = from; at < to && d->ret == DART_OK; at += piece) {
    size_t count = dart__least(piece, to - at);

    combine(d, r, at, count);
    for (int32_t i = 1; i <= team->nunits; i++) {
      int32_t u = after(team, i);

      if (root == DART__EVERY_UNIT || root == u)
        push_bytes(d, u, at * r->size, r->sum, count * r->size);
    }
  }
}

bool dart__direct_reduce(dart__team_t *team, const void *send, void *recv, size_t nelem,
                         dart_datatype_t dtype, dart_operation_t op, int32_t root,
                         dart_ret_t *ret_out)
{
  reduction_t r      = { .dtype = dtype, .op = op, .size = dart__type_find(dtype)->elem_size };
  size_t      nbytes = nelem * r.size;
  published_t mine   = { 0 };
  direct_t    d;

  if (r.size > DART__DIRECT_MOST)
    return false;
  mine.buffer[SEND] = buffer_of(team, send, nbytes);
  mine.buffer[RECV] = buffer_of(team, recv, nbytes);
  r.sum             = malloc(2 * DART__DIRECT_MOST);
  r.operand         = r.sum == NULL ? NULL : r.sum + DART__DIRECT_MOST;
  mine.lacks_memory = r.sum == NULL;
  d                 = begin_direct(team, nbytes, &mine);
  d.by_kernel       = nbytes / REDUCTION_FACTOR >= team->exchange.direct_least;
  if (!d.by_kernel &&
      !(are_mapped(&d, SEND) &&
        (root == DART__EVERY_UNIT ? are_mapped(&d, RECV) : is_mapped(&d, root, RECV)))) {
    free(r.sum);
    return false;
  }
  d.ret = dart__worse(d.ret, have_memory(&d));
  if (d.ret == DART_OK)
    reduce_share(&d, &r, nelem, root);
  free(r.sum);
  *ret_out = end_direct(&d);
  return true;
}
