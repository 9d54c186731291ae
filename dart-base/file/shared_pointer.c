/* The shared pointer: a counter at the team's first unit, moved by atomics. */
#include "base/assert.h"
#include "base/last_call.h"
#include "base/log.h"
#include "base/profile.h"
#include "coll/coll.h"
#include "far/far_ops.h"
#include "far/progress.h"
#include "file/file.h"
#include "file/file_transfer.h"
#include "memory/pool.h"
#include "model/address.h"
#include "model/argument_check.h"
#include "model/lost.h"
#include "model/world.h"
#include "wait/atomic.h"

DART__PROFILED(dart_file_read_shared, dart_file_write_shared, dart_file_read_ordered);
DART__PROFILED(dart_file_write_ordered, dart_file_seek_shared, dart_file_tell_shared);

/* An atomic on the pointer, a word of the pool: a swap, if there is something to compare. `*before_out` is what it was. It is
 * no operation of the program: an epoch that it has open on the pool neither defers nor refuses it, and no refusal of its
 * operations is reported here. Complete on return. It cannot fail, for the word exists as long as the team; but for
 * DART_ERR_UNIT_LOST, if that of a far unit is gone with it. */
static dart_ret_t update_pointer(dart_file_t file, uint64_t value, const uint64_t *compare,
                                 dart_operation_t op, uint64_t *before_out)
{
  dart_gptr_t     word = file->pointer;
  dart__address_t at;
  dart__rma_t     rma;
  dart_ret_t      ret = dart__locate(dart__call, word, sizeof value, &at);

  dart__assert(ret == DART_OK);
  (void)ret;
  dart__progress(); /* updates that this unit has deferred come first */
  if (at.near == NULL) {
    rma = compare != NULL ? dart__rma_swap(&at, &value, compare, before_out, DART_TYPE_ULONG)
                          : dart__rma_fetch(&at, &value, before_out, 1, DART_TYPE_ULONG, op);
    dart__far_start(&rma, NULL);
  } else if (compare != NULL) {
    dart__atomic_swap(at.near, &value, compare, before_out, DART_TYPE_ULONG);
  } else {
    dart__atomic_fetch(at.near, &value, before_out, DART_TYPE_ULONG, op);
  }
  if (!dart__world.many_nodes)
    return DART_OK;
  dart__far_settle(dart__teams[DART_TEAM_ALL], word.unitid);
  return dart__pool_is_near(word.unitid) ? DART_OK : dart__lost_result(word.unitid, DART_OK);
}

/* Combine the pointer with `value`; returns what it was. */
static dart_ret_t move(dart_file_t file, uint64_t value, dart_operation_t op, uint64_t *before_out)
{
  *before_out = 0;
  return update_pointer(file, value, NULL, op, before_out);
}

/* Of a refused access that began at `at`. Not if others have moved the pointer since: they may have been refused for
 * this one's step only, or have written behind it. */
static void take_back(dart_file_t file, uint64_t at, uint64_t nbytes)
{
  uint64_t moved = at + nbytes, before;

  update_pointer(file, at, &moved, DART_OP_NO_OP, &before);
}

/* The access of elements that lie one behind the other in the file, at the shared pointer, which is moved
 * behind them. They are checked before it is moved, but for the place, which only then is known: if it is
 * refused, the step is taken back. */
static dart_ret_t advance(const char *function, dart_file_t file, const void *buffer, size_t nelem,
                          dart_datatype_t mem_type, unsigned needs, dart__access_t *access_out)
{
  dart_ret_t ret;
  uint64_t   at;

  ret = dart__file_access_packed(function, file, 0, buffer, nelem, mem_type, needs, access_out);
  if (ret != DART_OK)
    return ret;
  ret = move(file, access_out->nbytes, DART_OP_SUM, &at);
  if (ret != DART_OK)
    return ret;
  ret = dart__file_access_packed(function, file, at, buffer, nelem, mem_type, needs, access_out);
  if (ret != DART_OK)
    take_back(file, at, access_out->nbytes);
  return ret;
}

static dart_ret_t transfer_shared(const char *function, dart_file_t file, const void *buffer,
                                  size_t nelem, dart_datatype_t mem_type, bool is_read,
                                  size_t *count)
{
  dart__access_t access;
  dart_ret_t     ret;

  if (count != NULL)
    *count = 0;
  if (dart__file_check(function, file) == NULL)
    return DART_ERR_INVAL;
  ret = advance(function, file, buffer, nelem, mem_type, is_read ? DART_FILE_READ : DART_FILE_WRITE,
                &access);
  return ret == DART_OK ? dart__file_transfer_once(function, file, &access, is_read, count) : ret;
}

dart_ret_t dart_file_read_shared(dart_file_t file, void *buffer, size_t nelem,
                                 dart_datatype_t mem_type, size_t *nread)
{
  return transfer_shared(__func__, file, buffer, nelem, mem_type, true, nread);
}

dart_ret_t dart_file_write_shared(dart_file_t file, const void *buffer, size_t nelem,
                                  dart_datatype_t mem_type, size_t *nwritten)
{
  return transfer_shared(__func__, file, buffer, nelem, mem_type, false, nwritten);
}

/* ---- in the order of the team -------------------------------------------------------------------- */

/* What a unit tells the first one, and what it is answered. */
typedef struct {
  uint64_t ret;    /* of its arguments; of all units' */
  uint64_t name;   /* of the file */
  uint64_t nbytes; /* its own; of all units */
  uint64_t place;  /* in the answer: where its bytes go */
} ordered_t;

_Static_assert(sizeof(ordered_t) <= sizeof(dart__file_plan_t),
               "those of all units have room there");

/* The first unit moves the pointer behind the bytes of all units, unless one gives a wrong argument. */
static void place_all(const dart__team_t *team, dart_file_t file, ordered_t *all)
{
  uint64_t ret = DART_OK, total = 0, at = 0;

  for (int32_t u = 0; u < team->nunits; u++) {
    ret = all[u].name != file->name ? DART_ERR_INVAL : all[u].ret > ret ? all[u].ret : ret;
    total += all[u].nbytes;
  }
  if (ret == DART_OK)
    move(file, total, DART_OP_SUM, &at); /* it is this unit's own */
  for (int32_t u = 0; u < team->nunits; u++) {
    uint64_t nbytes = all[u].nbytes;

    all[u] = (ordered_t){ .ret = ret, .nbytes = total, .place = at };
    at += nbytes;
  }
}

static dart_ret_t ordered(const char *function, dart_file_t file, bool is_read, const void *buffer,
                          size_t nelem, dart_datatype_t mem_type, size_t *count)
{
  unsigned       needs = is_read ? DART_FILE_READ : DART_FILE_WRITE;
  dart__team_t  *team  = dart__file_check(function, file);
  ordered_t      own   = { 0 }, *all;
  dart__access_t access;
  dart_ret_t     ret;

  if (count != NULL)
    *count = 0;
  if (team == NULL)
    return DART_ERR_INVAL;
  all = (ordered_t *)(void *)file->plans;
  ret = dart__file_access_packed(function, file, 0, buffer, nelem, mem_type, needs, &access);
  own = (ordered_t){ ret, file->name, ret == DART_OK ? access.nbytes : 0, 0 };
  dart__coll_gather(team, &own, all, sizeof own, 0);
  if (team->me == 0 && !dart__team_is_broken(team))
    place_all(team, file, all);
  dart__coll_scatter(team, all, &own, sizeof own, 0);
  if (dart__team_is_broken(team))
    return DART_ERR_UNIT_LOST;
  if (own.ret == DART_OK)
    ret = dart__file_access_packed(function, file, own.place, buffer, nelem, mem_type, needs,
                                   &access);
  else if (ret == DART_OK)
    ret = (dart_ret_t)own.ret; /* dart__file_all says why */
  ret = dart__file_all(function, file, is_read, &access, ret, count);
  if (ret == DART_ERR_INVAL && own.ret == DART_OK && own.nbytes > 0) {
    if (team->me == 0) /* on all units: the place of one is refused */
      take_back(file, own.place, own.nbytes);
    dart__coll_barrier(team);
  }
  return ret;
}

dart_ret_t dart_file_read_ordered(dart_file_t file, void *buffer, size_t nelem,
                                  dart_datatype_t mem_type, size_t *nread)
{
  return ordered(__func__, file, true, buffer, nelem, mem_type, nread);
}

dart_ret_t dart_file_write_ordered(dart_file_t file, const void *buffer, size_t nelem,
                                   dart_datatype_t mem_type, size_t *nwritten)
{
  return ordered(__func__, file, false, buffer, nelem, mem_type, nwritten);
}

/* ---- the pointer itself ------------------------------------------------------------------------------- */

dart_ret_t dart_file_seek_shared(dart_file_t file, uint64_t offset)
{
  dart__team_t *team = dart__file_check(__func__, file);
  dart_ret_t    ret  = offset > INT64_MAX ? DART_ERR_INVAL : DART_OK;
  uint64_t      before;

  if (team == NULL)
    return DART_ERR_INVAL;
  if (ret != DART_OK)
    dart__error("%s: byte %llu is beyond what a file can have", __func__,
                (unsigned long long)offset);
  /* Afterwards nobody moves it any more that began before. */
  ret = dart__file_agree_on(__func__, team, file, ret, offset);
  if (ret != DART_OK)
    return ret;
  if (team->me == 0)
    move(file, offset, DART_OP_REPLACE, &before);
  return dart__coll_barrier(team);
}

dart_ret_t dart_file_tell_shared(dart_file_t file, uint64_t *offset)
{
  if (offset == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: offset is NULL", __func__);
  *offset = 0;
  if (dart__file_check(__func__, file) == NULL)
    return DART_ERR_INVAL;
  return move(file, 0, DART_OP_NO_OP, offset);
}
