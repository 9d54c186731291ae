/* The shared pointer: a counter at the team's first unit, moved by atomics. */
#include "base/log.h"
#include "base/profile.h"
#include "coll/coll.h"
#include "file/file.h"
#include "file/file_collective.h"
#include "file/file_transfer.h"
#include "memory/word.h"
#include "model/argument_check.h"
#include "model/world.h"
#include "wait/timed.h"

DART__PROFILED(dart_file_read_shared);
DART__PROFILED(dart_file_write_shared);
DART__PROFILED(dart_file_read_ordered);
DART__PROFILED(dart_file_write_ordered);
DART__PROFILED(dart_file_seek_shared);
DART__PROFILED(dart_file_tell_shared);

/* Combine the pointer with `value`; returns what it was. */
static uint64_t move(dart_file_t file, uint64_t value, dart_operation_t op)
{
  uint64_t before = 0;

  dart__word_fetch(file->pointer, &value, &before, DART_TYPE_ULONG, op);
  return before;
}

static uint64_t position(dart_file_t file)
{
  return move(file, 0, DART_OP_NO_OP);
}

/* Of a refused access that began at `at`. Not if others have moved the pointer since: they may have been refused for
 * this one's step only, or have written behind it. */
static void take_back(dart_file_t file, uint64_t at, uint64_t nbytes)
{
  uint64_t moved = at + nbytes, before;

  dart__word_swap(file->pointer, &at, &moved, &before, DART_TYPE_ULONG);
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
  at  = move(file, access_out->nbytes, DART_OP_SUM);
  ret = dart__file_access_packed(function, file, at, buffer, nelem, mem_type, needs, access_out);
  if (ret != DART_OK)
    take_back(file, at, access_out->nbytes);
  return ret;
}

dart_ret_t dart_file_read_shared(dart_file_t file, void *buffer, size_t nelem,
                                 dart_datatype_t mem_type, size_t *nread)
{
  dart__access_t access;
  dart__timed_t  timed;
  dart_ret_t     ret;
  size_t         done  = 0;
  int            error = 0;

  if (nread != NULL)
    *nread = 0;
  if (dart__file_check(__func__, file) == NULL)
    return DART_ERR_INVAL;
  ret = advance(__func__, file, buffer, nelem, mem_type, DART_FILE_READ, &access);
  if (ret != DART_OK)
    return ret;
  timed = dart__timed_begin(DART__COUNT_FILE);
  ret   = dart__file_read(file, &access, -1, &done, &error);
  dart__timed_end(DART__COUNT_FILE, timed);
  return dart__file_done(__func__, &access, true, ret, error, done, nread);
}

dart_ret_t dart_file_write_shared(dart_file_t file, const void *buffer, size_t nelem,
                                  dart_datatype_t mem_type, size_t *nwritten)
{
  dart__access_t access;
  dart__timed_t  timed;
  dart_ret_t     ret;
  size_t         done  = 0;
  int            error = 0;

  if (nwritten != NULL)
    *nwritten = 0;
  if (dart__file_check(__func__, file) == NULL)
    return DART_ERR_INVAL;
  ret = advance(__func__, file, buffer, nelem, mem_type, DART_FILE_WRITE, &access);
  if (ret != DART_OK)
    return ret;
  timed = dart__timed_begin(DART__COUNT_FILE);
  ret   = dart__file_write(file, &access, -1, &done, &error);
  dart__timed_end(DART__COUNT_FILE, timed);
  return dart__file_done(__func__, &access, false, ret, error, done, nwritten);
}

/* ---- in the order of the team -------------------------------------------------------------------- */

typedef struct {
  uint64_t start; /* of the bytes of all units */
  uint64_t total;
} places_t;

/* Where this unit's bytes go; the plans say how many each unit has. The pointer is moved behind those of all
 * units, by the first. */
static uint64_t place(dart__team_t *team, dart_file_t file, places_t *places_out)
{
  uint64_t start = 0, total = 0, before = 0;

  for (int32_t u = 0; u < team->nunits; u++) {
    before += u < team->me ? file->plans[u].nbytes : 0;
    total += file->plans[u].nbytes;
  }
  if (team->me == 0)
    start = move(file, total, DART_OP_SUM);
  dart__coll_bcast(team, &start, sizeof start, 0);
  *places_out = (places_t){ start, total };
  return start + before;
}

static dart_ret_t ordered(const char *function, dart_file_t file, bool is_read, const void *buffer,
                          size_t nelem, dart_datatype_t mem_type, size_t *count)
{
  unsigned          needs  = is_read ? DART_FILE_READ : DART_FILE_WRITE;
  dart__team_t     *team   = dart__file_check(function, file);
  dart__file_plan_t own    = { 0 };
  places_t          places = { 0 };
  dart__access_t    access;
  dart_ret_t        ret;

  if (count != NULL)
    *count = 0;
  if (team == NULL)
    return DART_ERR_INVAL;
  ret        = dart__file_access_packed(function, file, 0, buffer, nelem, mem_type, needs, &access);
  own.ret    = ret;
  own.nbytes = ret == DART_OK ? access.nbytes : 0;
  own.name   = file->name;
  dart__coll_share(team, &own, file->plans, sizeof own);
  if (!dart__file_is_same(file, team)) /* dart__file_all says so */
    ret = DART_ERR_INVAL;
  else if (dart__file_worst(file, team) == DART_OK)
    ret = dart__file_access_packed(function, file, place(team, file, &places), buffer, nelem,
                                   mem_type, needs, &access);
  ret = dart__file_all(function, file, is_read, &access, ret, count);
  if (ret == DART_ERR_INVAL && places.total > 0) { /* on all units: the place of one is refused */
    if (team->me == 0)
      take_back(file, places.start, places.total);
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
    move(file, offset, DART_OP_REPLACE);
  dart__coll_barrier(team);
  return DART_OK;
}

dart_ret_t dart_file_tell_shared(dart_file_t file, uint64_t *offset)
{
  if (offset == NULL) {
    dart__error("%s: offset is NULL", __func__);
    return DART_ERR_INVAL;
  }
  *offset = 0;
  if (dart__file_check(__func__, file) == NULL)
    return DART_ERR_INVAL;
  *offset = position(file);
  return DART_OK;
}
