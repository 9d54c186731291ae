/* Large data on one node: see direct.h. On one node a unit's position is its team id, so the team id
 * indexes the slots, and operands in the order of positions are in the order of the team. */
#include "api/coll/direct.h"

#include <stdlib.h>
#include <string.h>

#include "api/coll/step.h"
#include "base/config.h"
#include "base/counters.h"
#include "base/size.h"
#include "data/op.h"
#include "model/world.h"
#include "node/foreign.h"

/* Bytes of a block from which it pays, about. A step of the exchange is cheap if every unit has a core, and a
 * context switch if not. */
#define LEAST         (16 * DART__KI)
#define LEAST_BY_CORE (256 * DART__KI)

/* ---- copies between units -------------------------------------------------------------------- */

/* The addresses of a unit's buffers in its process; 0: it has none. */
typedef struct {
  uint64_t send;
  uint64_t recv;
  uint64_t lacks_memory; /* the unit cannot take part */
} addresses_t;

typedef struct {
  dart__team_t *team;
  const char   *slots; /* with the addresses of each unit */
  dart_ret_t    ret;   /* of the copies so far */
} direct_t;

static uint64_t address_of(const void *buffer)
{
  return (uint64_t)(uintptr_t)buffer;
}

static direct_t publish(dart__team_t *team, const addresses_t *own)
{
  dart__exchange_t *x = &team->exchange;
  direct_t          d = { team, dart__exchange_slot(x, 0), DART_OK };

  memcpy(dart__exchange_slot(x, x->me), own, sizeof *own);
  dart__step_end(team);
  return d;
}

static direct_t begin(dart__team_t *team, const void *send, const void *recv)
{
  addresses_t own = { address_of(send), address_of(recv), 0 };

  return publish(team, &own);
}

/* Other units may access this unit's buffers until all are done; and all units must know if some data could
 * not be copied. */
static dart_ret_t end(const direct_t *d)
{
  dart__count(DART__COUNT_COLL_DIRECT);
  return dart__coll_agree(d->team, d->ret);
}

static addresses_t addresses_at(const direct_t *d, int32_t unit)
{
  addresses_t there;

  memcpy(&there, d->slots + (size_t)unit * d->team->exchange.slot_bytes, sizeof there);
  return there;
}

static pid_t process_of(const dart__team_t *team, int32_t unit)
{
  return dart__world.pid_of[team->members[unit]];
}

static void pull(direct_t *d, void *to, int32_t unit, uint64_t from, size_t nbytes)
{
  const dart__type_t *bytes = &dart__type_basic[DART_TYPE_BYTE];

  if (nbytes == 0 || d->ret != DART_OK)
    return;
  if (unit != d->team->me)
    d->ret = dart__foreign_get(to, bytes, process_of(d->team, unit), from, bytes, nbytes);
  else if (address_of(to) != from)
    memcpy(to, (const void *)(uintptr_t)from, nbytes);
}

static void push(direct_t *d, int32_t unit, uint64_t to, const void *from, size_t nbytes)
{
  const dart__type_t *bytes = &dart__type_basic[DART_TYPE_BYTE];

  if (nbytes == 0 || d->ret != DART_OK)
    return;
  if (unit != d->team->me)
    d->ret = dart__foreign_put(process_of(d->team, unit), to, bytes, from, bytes, nbytes);
  else if (to != address_of(from))
    memcpy((void *)(uintptr_t)to, from, nbytes);
}

/* From which size on: each unit tries to read from the next one, and all agree. */
static size_t least(dart__team_t *team)
{
  int           next = (team->me + 1) % team->nunits;
  unsigned long fails_or_crowded[2];
  direct_t      d;

  dart__foreign_consent();
  d                   = begin(team, &next, NULL);
  fails_or_crowded[0] = !dart__foreign_reaches(process_of(team, next), addresses_at(&d, next).send);
  fails_or_crowded[1] = dart__world.wait.yields == 0; /* then units outnumber cores */
  dart__coll_most(team, fails_or_crowded, 2);
  if (fails_or_crowded[0])
    return SIZE_MAX;
  return fails_or_crowded[1] ? LEAST : LEAST_BY_CORE;
}

bool dart__direct_pays(dart__team_t *team, size_t nbytes)
{
  dart__exchange_t *x = &team->exchange;

  if (nbytes < LEAST || team->nnodes > 1)
    return false;
  if (x->direct_least == 0)
    x->direct_least = least(team);
  return nbytes >= x->direct_least;
}

/* ---- from and to one unit: all other units copy at the same time ---------------------------- */

/* The root, with nothing to copy for itself, copies a share for each of the other units. */
dart_ret_t dart__direct_bcast(dart__team_t *team, void *buffer, size_t nbytes, int32_t root)
{
  direct_t d     = begin(team, buffer, buffer);
  size_t   share = nbytes / (size_t)team->nunits, rest = nbytes - share;

  if (team->me != root)
    pull(&d, buffer, root, addresses_at(&d, root).send, rest);
  for (int32_t u = 0; u < team->nunits && team->me == root; u++)
    push(&d, u, addresses_at(&d, u).recv + rest, (const char *)buffer + rest, share);
  return end(&d);
}

dart_ret_t dart__direct_scatter(dart__team_t *team, const void *send, void *recv, size_t nbytes,
                                int32_t root)
{
  direct_t d = begin(team, send, NULL);

  pull(&d, recv, root, addresses_at(&d, root).send + (size_t)team->me * nbytes, nbytes);
  return end(&d);
}

dart_ret_t dart__direct_gather(dart__team_t *team, const void *send, void *recv, size_t nbytes,
                               int32_t root)
{
  direct_t d = begin(team, NULL, recv);

  push(&d, root, addresses_at(&d, root).recv + (size_t)team->me * nbytes, send, nbytes);
  return end(&d);
}

/* ---- from all to all: each unit begins with the next one, so that not all access the same one - */

static int32_t after(const dart__team_t *team, int32_t by)
{
  return (team->me + by) % team->nunits;
}

dart_ret_t dart__direct_allgather(dart__team_t *team, const void *send, void *recv, size_t nbytes)
{
  direct_t d = begin(team, send, NULL);

  for (int32_t i = 1; i <= team->nunits; i++) {
    int32_t u = after(team, i);

    pull(&d, (char *)recv + (size_t)u * nbytes, u, addresses_at(&d, u).send, nbytes);
  }
  return end(&d);
}

dart_ret_t dart__direct_allgatherv(dart__team_t *team, const void *send, void *recv,
                                   const size_t *nelem, const size_t *displs, size_t size)
{
  direct_t d = begin(team, send, NULL);

  for (int32_t i = 1; i <= team->nunits; i++) {
    int32_t u = after(team, i);

    pull(&d, (char *)recv + displs[u] * size, u, addresses_at(&d, u).send, nelem[u] * size);
  }
  return end(&d);
}

/* Two units swap a pair of blocks. Each of them does so for one half of them, in both directions, so
 * nothing is overwritten before it is read, though the blocks received may replace those sent. */
static void swap_half(direct_t *d, int32_t unit, const char *send, char *recv, size_t nbytes)
{
  dart__team_t *team   = d->team;
  addresses_t   theirs = addresses_at(d, unit);
  size_t        first = (size_t)team->me * nbytes, here = (size_t)unit * nbytes;
  size_t        from  = team->me < unit ? 0 : nbytes / 2;
  size_t        to    = team->me < unit ? nbytes / 2 : nbytes;
  size_t        piece = send == recv ? team->exchange.slot_bytes : nbytes;
  char         *aside = dart__exchange_slot(&team->exchange, team->exchange.me);

  for (size_t at = from; at < to; at += piece) {
    size_t count = dart__least(piece, to - at);

    pull(d, send == recv ? aside : recv + here + at, unit, theirs.send + first + at, count);
    push(d, unit, theirs.recv + first + at, send + here + at, count);
    if (send == recv)
      memcpy(recv + here + at, aside, count);
  }
}

dart_ret_t dart__direct_alltoall(dart__team_t *team, const void *send, void *recv, size_t nbytes)
{
  direct_t d   = begin(team, send, recv);
  size_t   own = (size_t)team->me * nbytes;

  for (int32_t i = 1; i < team->nunits; i++)
    swap_half(&d, after(team, i), send, recv, nbytes);
  if (send != recv)
    memcpy((char *)recv + own, (const char *)send + own, nbytes);
  return end(&d);
}

/* ---- reductions: each unit combines a share of the elements, and copies it to the receivers -----
 *
 * Shares do not overlap, so results may replace operands. */

typedef struct {
  dart_datatype_t  dtype;
  dart_operation_t op;
  size_t           size;    /* bytes of an element */
  const char      *send;    /* this unit's operands */
  char            *sum;     /* DART__DIRECT_MOST bytes, which stay in the cache ... */
  char            *operand; /* ... and as much for one operand */
} reduction_t;

/* Begin a reduction, for which every unit needs memory (`room`): if one unit has none, no unit does
 * anything. */
static direct_t begin_reduction(dart__team_t *team, const void *send, const void *recv,
                                const void *room)
{
  addresses_t own = { address_of(send), address_of(recv), room == NULL };
  direct_t    d   = publish(team, &own);

  for (int32_t u = 0; u < team->nunits; u++)
    if (addresses_at(&d, u).lacks_memory)
      d.ret = DART_ERR_NOMEM;
  return d;
}

/* Combine all units' elements [at, at + count) into `sum`, from the last unit to the first. */
static void combine(direct_t *d, const reduction_t *r, size_t at, size_t count)
{
  size_t  start = at * r->size, nbytes = count * r->size;
  int32_t last = d->team->nunits - 1;

  pull(d, r->sum, last, addresses_at(d, last).send + start, nbytes);
  for (int32_t u = last; u-- > 0 && d->ret == DART_OK;) {
    if (u != d->team->me)
      pull(d, r->operand, u, addresses_at(d, u).send + start, nbytes);
    dart__op_combine(r->op, r->dtype, u == d->team->me ? r->send + start : r->operand, r->sum,
                     count);
  }
}

static size_t even(size_t nelem)
{
  return nelem > 1 ? nelem & ~(size_t)1 : nelem; /* pairs of MINMAX stay together */
}

dart_ret_t dart__direct_reduce(dart__team_t *team, const void *send, void *recv, size_t nelem,
                               dart_datatype_t dtype, dart_operation_t op, int32_t root)
{
  char       *room  = malloc(2 * DART__DIRECT_MOST);
  direct_t    d     = begin_reduction(team, send, recv, room);
  char       *next  = room == NULL ? NULL : room + DART__DIRECT_MOST;
  reduction_t r     = { dtype, op, dart__type_find(dtype)->elem_size, send, room, next };
  size_t      piece = even(DART__DIRECT_MOST / r.size);
  size_t      share = even(nelem / (size_t)team->nunits + 2);
  size_t from = dart__least(nelem, (size_t)team->me * share), to = dart__least(nelem, from + share);

  for (size_t at = from; at < to && d.ret == DART_OK; at += piece) {
    size_t count = dart__least(piece, to - at);

    combine(&d, &r, at, count);
    for (int32_t i = 1; i <= team->nunits; i++) {
      int32_t u = after(team, i);

      if (root == DART__EVERY_UNIT || root == u)
        push(&d, u, addresses_at(&d, u).recv + at * r.size, r.sum, count * r.size);
    }
  }
  free(room);
  return end(&d);
}
