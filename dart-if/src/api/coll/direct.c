/* Large data on one node: see coll_direct.h. On one node a unit's position is its team id, so slots
 * are found by it, and operands in the order of positions are in the order of the team. */
#include "api/coll/direct.h"

#include <stdlib.h>
#include <string.h>

#include "api/coll/step.h"
#include "base/counters.h"
#include "data/op.h"
#include "model/world.h"
#include "node/foreign.h"

#define LEAST (16 * (size_t)1024) /* bytes of a block: about where it starts to pay */

static size_t least(size_t a, size_t b)
{
  return a < b ? a : b;
}

/* ---- reaching into one another --------------------------------------------------------------- */

/* Where a unit's buffers are, as addresses in its process; 0: it has none. */
typedef struct {
  uint64_t send;
  uint64_t recv;
  uint64_t lacks; /* it has no memory to take part */
} shown_t;

typedef struct {
  dart__team_t *team;
  const char   *slots; /* with what units show */
  dart_ret_t    ret;   /* of the copies so far */
} visit_t;

static uint64_t address_of(const void *buffer)
{
  return (uint64_t)(uintptr_t)buffer;
}

static visit_t show(dart__team_t *team, const shown_t *own)
{
  dart__exchange_t *x     = &team->exchange;
  visit_t           visit = { team, dart__exchange_slot(x, 0), DART_OK };

  memcpy(dart__exchange_slot(x, x->me), own, sizeof *own);
  dart__step_end(team);
  return visit;
}

static visit_t begin(dart__team_t *team, const void *send, const void *recv)
{
  shown_t own = { address_of(send), address_of(recv), 0 };

  return show(team, &own);
}

/* The others may be at this unit's buffers until all are done; and they have to know if some unit's
 * data could not be copied. */
static dart_ret_t end(const visit_t *visit)
{
  dart__count(DART__COUNT_COLL_DIRECT);
  return dart__coll_agree(visit->team, visit->ret);
}

static shown_t shown(const visit_t *visit, int32_t unit)
{
  shown_t there;

  memcpy(&there, visit->slots + (size_t)unit * visit->team->exchange.slot_bytes, sizeof there);
  return there;
}

static pid_t process_of(const dart__team_t *team, int32_t unit)
{
  return dart__world.pid_of[team->members[unit]];
}

static void pull(visit_t *visit, void *to, int32_t unit, uint64_t from, size_t nbytes)
{
  const dart__type_t *bytes = &dart__type_basic[DART_TYPE_BYTE];

  if (nbytes == 0 || visit->ret != DART_OK)
    return;
  if (unit != visit->team->me)
    visit->ret = dart__foreign_get(to, bytes, process_of(visit->team, unit), from, bytes, nbytes);
  else if (address_of(to) != from)
    memcpy(to, (const void *)(uintptr_t)from, nbytes);
}

static void push(visit_t *visit, int32_t unit, uint64_t to, const void *from, size_t nbytes)
{
  const dart__type_t *bytes = &dart__type_basic[DART_TYPE_BYTE];

  if (nbytes == 0 || visit->ret != DART_OK)
    return;
  if (unit != visit->team->me)
    visit->ret = dart__foreign_put(process_of(visit->team, unit), to, bytes, from, bytes, nbytes);
  else if (to != address_of(from))
    memcpy((void *)(uintptr_t)to, from, nbytes);
}

/* Each unit tries to read from the next one, and all agree. */
static bool kernel_permits(dart__team_t *team)
{
  int           next = (team->me + 1) % team->nunits;
  unsigned long fails;
  visit_t       visit;

  dart__foreign_consent();
  visit = begin(team, &next, NULL);
  fails = !dart__foreign_reaches(process_of(team, next), shown(&visit, next).send);
  dart__coll_most(team, &fails, 1);
  return fails == 0;
}

bool dart__direct_pays(dart__team_t *team, size_t nbytes)
{
  dart__exchange_t *x = &team->exchange;

  if (nbytes < LEAST || team->nnodes > 1)
    return false;
  if (x->direct == DART__DIRECT_UNKNOWN)
    x->direct = kernel_permits(team) ? DART__DIRECT_YES : DART__DIRECT_NO;
  return x->direct == DART__DIRECT_YES;
}

/* ---- from and to one unit: all others copy at the same time --------------------------------- */

/* The root, with nothing to copy for itself, does a share for each of the others. */
dart_ret_t dart__direct_bcast(dart__team_t *team, void *buffer, size_t nbytes, int32_t root)
{
  visit_t visit = begin(team, buffer, buffer);
  size_t  share = nbytes / (size_t)team->nunits, rest = nbytes - share;

  if (team->me != root)
    pull(&visit, buffer, root, shown(&visit, root).send, rest);
  for (int32_t u = 0; u < team->nunits && team->me == root; u++)
    push(&visit, u, shown(&visit, u).recv + rest, (const char *)buffer + rest, share);
  return end(&visit);
}

dart_ret_t dart__direct_scatter(dart__team_t *team, const void *send, void *recv, size_t nbytes,
                                int32_t root)
{
  visit_t visit = begin(team, send, NULL);

  pull(&visit, recv, root, shown(&visit, root).send + (size_t)team->me * nbytes, nbytes);
  return end(&visit);
}

dart_ret_t dart__direct_gather(dart__team_t *team, const void *send, void *recv, size_t nbytes,
                               int32_t root)
{
  visit_t visit = begin(team, NULL, recv);

  push(&visit, root, shown(&visit, root).recv + (size_t)team->me * nbytes, send, nbytes);
  return end(&visit);
}

/* ---- from all to all: each begins with the next unit, so that not all are at the same one ---- */

static int32_t after(const dart__team_t *team, int32_t by)
{
  return (team->me + by) % team->nunits;
}

dart_ret_t dart__direct_allgather(dart__team_t *team, const void *send, void *recv, size_t nbytes)
{
  visit_t visit = begin(team, send, NULL);

  for (int32_t i = 1; i <= team->nunits; i++) {
    int32_t u = after(team, i);

    pull(&visit, (char *)recv + (size_t)u * nbytes, u, shown(&visit, u).send, nbytes);
  }
  return end(&visit);
}

dart_ret_t dart__direct_allgatherv(dart__team_t *team, const void *send, void *recv,
                                   const size_t *nelem, const size_t *displs, size_t size)
{
  visit_t visit = begin(team, send, NULL);

  for (int32_t i = 1; i <= team->nunits; i++) {
    int32_t u = after(team, i);

    pull(&visit, (char *)recv + displs[u] * size, u, shown(&visit, u).send, nelem[u] * size);
  }
  return end(&visit);
}

/* Two units swap a pair of blocks. Either one does so for one half of them, in both directions, so
 * nothing is overwritten before it is read, though the blocks received may replace those sent. */
static void swap_half(visit_t *visit, int32_t unit, const char *send, char *recv, size_t nbytes)
{
  dart__team_t *team   = visit->team;
  shown_t       theirs = shown(visit, unit);
  size_t        first = (size_t)team->me * nbytes, here = (size_t)unit * nbytes;
  size_t        from  = team->me < unit ? 0 : nbytes / 2;
  size_t        to    = team->me < unit ? nbytes / 2 : nbytes;
  size_t        piece = send == recv ? team->exchange.slot_bytes : nbytes;
  char         *aside = dart__exchange_slot(&team->exchange, team->exchange.me);

  for (size_t at = from; at < to; at += piece) {
    size_t count = least(piece, to - at);

    pull(visit, send == recv ? aside : recv + here + at, unit, theirs.send + first + at, count);
    push(visit, unit, theirs.recv + first + at, send + here + at, count);
    if (send == recv)
      memcpy(recv + here + at, aside, count);
  }
}

dart_ret_t dart__direct_alltoall(dart__team_t *team, const void *send, void *recv, size_t nbytes)
{
  visit_t visit = begin(team, send, recv);
  size_t  own   = (size_t)team->me * nbytes;

  for (int32_t i = 1; i < team->nunits; i++)
    swap_half(&visit, after(team, i), send, recv, nbytes);
  if (send != recv)
    memcpy((char *)recv + own, (const char *)send + own, nbytes);
  return end(&visit);
}

/* ---- reductions: each unit combines a share of the elements, and sends it to who wants it ------
 *
 * Shares do not overlap, so results may replace operands. */

typedef struct {
  dart_datatype_t  dtype;
  dart_operation_t op;
  size_t           size;    /* bytes of an element */
  const char      *send;    /* the own operands */
  char            *sum;     /* room for DART__DIRECT_MOST bytes: what stays in the cache ... */
  char            *operand; /* ... and as much for one operand */
} reduction_t;

/* Begin what needs room on every unit: without it, nobody does anything. */
static visit_t begin_with(dart__team_t *team, const void *send, const void *recv, const void *room)
{
  shown_t own   = { address_of(send), address_of(recv), room == NULL };
  visit_t visit = show(team, &own);

  for (int32_t u = 0; u < team->nunits; u++)
    if (shown(&visit, u).lacks)
      visit.ret = DART_ERR_NOMEM;
  return visit;
}

/* Combine all units' elements [at, at + count) into `sum`, from the last unit to the first. */
static void combine(visit_t *visit, const reduction_t *r, size_t at, size_t count)
{
  size_t  start = at * r->size, nbytes = count * r->size;
  int32_t last = visit->team->nunits - 1;

  pull(visit, r->sum, last, shown(visit, last).send + start, nbytes);
  for (int32_t u = last; u-- > 0 && visit->ret == DART_OK;) {
    if (u != visit->team->me)
      pull(visit, r->operand, u, shown(visit, u).send + start, nbytes);
    dart__op_combine(r->op, r->dtype, u == visit->team->me ? r->send + start : r->operand, r->sum,
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
  visit_t     visit = begin_with(team, send, recv, room);
  char       *next  = room == NULL ? NULL : room + DART__DIRECT_MOST;
  reduction_t r     = { dtype, op, dart__type_find(dtype)->elem_size, send, room, next };
  size_t      piece = even(DART__DIRECT_MOST / r.size);
  size_t      share = even(nelem / (size_t)team->nunits + 2);
  size_t      from = least(nelem, (size_t)team->me * share), to = least(nelem, from + share);

  for (size_t at = from; at < to && visit.ret == DART_OK; at += piece) {
    size_t count = least(piece, to - at);

    combine(&visit, &r, at, count);
    for (int32_t i = 1; i <= team->nunits; i++) {
      int32_t u = after(team, i);

      if (root == DART__EVERY_UNIT || root == u)
        push(&visit, u, shown(&visit, u).recv + at * r.size, r.sum, count * r.size);
    }
  }
  free(room);
  return end(&visit);
}
