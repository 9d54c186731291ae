/* Collective reads and writes.
 *
 * If pieces are small, they are made in two phases. Each node has a part of the file (divide.c), which is divided into
 * windows, one for each of its units in turn. In one phase units exchange data with the windows: those of their node
 * through shared memory, those of other nodes in packets (between.c). In the other, every unit reads or writes its own
 * window in large pieces. In a round, every unit has one window, and rounds use two windows of a unit in turn. So a
 * barrier of the node a round is enough: a window is used again two rounds later, and its unit has written it before
 * the barrier between. Units of other nodes do not access windows, but send packets, which have turns of their own. For
 * the same reason a unit sends the data of the next round to other nodes before it writes its window. It reads its next
 * window when it has asked other nodes for their data. So one goes on beside the other.
 *
 * Where pieces are large, copying them twice costs more than it gives, and each unit accesses its own. So it does
 * in atomic mode if views may overlap: each access is then a whole by its locks. Units whose pieces do not ascend in
 * the file do so, too. All units know what all access, and so they choose alike. */
#include <dash/dart/ext/dart_profile.h>

#include "file/file.h"

#include "base/profile.h"
#include "base/size.h"
#include "coll/coll.h"
#include "file/between.h"
#include "file/file_transfer.h"
#include "file/file_window.h"
#include "wait/timed.h"

DART__PROFILED(dart_file_read_all, dart_file_write_all);

typedef dart__file_call_t call_t;

/* Where the window of the node's unit `index` starts in a round. */
static uint64_t window_start(const call_t *c, uint64_t round, int32_t index)
{
  return dart__file_area(c, c->team->node, round) + (uint64_t)index * DART__WINDOW_BYTES;
}

/* Exchange this unit's pieces with one window, which ends where the area does at the latest. */
static void exchange(call_t *c, uint64_t round, int32_t index, uint64_t area_end)
{
  size_t  *at    = &c->file->domains[c->team->node].at;
  uint64_t start = window_start(c, round, index), end = start + DART__WINDOW_BYTES;

  end = end < area_end ? end : area_end;
  while (*at < c->access->nbytes) {
    uint64_t offset;
    size_t   n = dart__access_file_run(c->access, *at, &offset), got;

    if (offset >= end)
      return;
    n = dart__least(n, (size_t)(end - offset));
    if (!c->is_read) {
      dart__window_put(c->file, index, (unsigned)round, (size_t)(offset - start), c->access, *at,
                       n);
    } else {
      got = dart__window_get(c->file, index, (unsigned)round, (size_t)(offset - start), c->access,
                             *at, n);
      if (got < n)
        dart__file_lacks(c, *at + got);
    }
    *at += n;
  }
}

/* Send what goes to other nodes, if there is such a round. */
static void begin_exchange(call_t *c, uint64_t round)
{
  if (c->between && round < c->rounds)
    dart__file_begin_between(c, round);
}

static void end_exchange(call_t *c, uint64_t round)
{
  uint64_t end = dart__file_area(c, c->team->node, round + 1);

  for (int32_t i = 0; i < c->team->node_nunits; i++)
    exchange(c, round, i, end);
  if (c->between)
    dart__file_end_between(c, round);
}

static void note_error(call_t *c, int error)
{
  if (c->error == 0)
    c->error = error;
}

static void write_windows(call_t *c)
{
  begin_exchange(c, 0);
  for (uint64_t round = 0; round < c->rounds; round++) {
    end_exchange(c, round);
    dart__coll_node_barrier(c->team);
    if (dart__team_is_broken(c->team))
      return;
    begin_exchange(c, round + 1);
    note_error(
        c, dart__window_write(c->file, (unsigned)round, window_start(c, round, c->team->node_me)));
  }
}

static void read_window(call_t *c, uint64_t round)
{
  uint64_t start = window_start(c, round, c->team->node_me);
  uint64_t end   = dart__file_area(c, c->team->node, round + 1);

  if (round < c->rounds)
    note_error(c, dart__window_read(c->file, (unsigned)round, start,
                                    dart__in_piece(end, start, DART__WINDOW_BYTES)));
}

static void read_windows(call_t *c)
{
  read_window(c, 0);
  for (uint64_t round = 0; round < c->rounds; round++) {
    dart__coll_node_barrier(c->team);
    if (dart__team_is_broken(c->team))
      return;
    begin_exchange(c, round);
    read_window(c, round + 1);
    end_exchange(c, round);
  }
}

static void two_phases(call_t *c)
{
  c->done = c->access->nbytes;
  dart__file_enter_domains(c);
  if (c->is_read)
    read_windows(c);
  else
    write_windows(c);
}

/* In atomic mode, where views are apart, other threads of the unit wait for their turn, until others have written what
 * was this unit's. They hold theirs for an access of their own, so they do not wait for other units. */
static void two_phases_in_turn(call_t *c)
{
  if (!c->file->is_atomic) {
    two_phases(c);
    return;
  }
  pthread_mutex_lock(&c->file->turn);
  two_phases(c);
  dart__coll_barrier(c->team);
  pthread_mutex_unlock(&c->file->turn);
}

/* This unit alone. What was noted before stays: its window may have been one of others. */
static dart_ret_t access_alone(call_t *c)
{
  int        error = 0;
  dart_ret_t ret   = dart__file_transfer(c->file, c->access, c->is_read, -1, &c->done, &error);

  note_error(c, error);
  return ret;
}

/* Whether the data go through windows; the same on all units. */
static bool use_windows(call_t *c)
{
  if ((c->file->is_atomic && !c->file->views_are_apart) || !dart__file_divide(c))
    return false;
  return dart__file_open_window(c->team, c->file) == DART_OK &&
         (!c->between || dart__file_open_boxes(c->team, c->file) == DART_OK);
}

static dart_ret_t access_all(call_t *c)
{
  dart_ret_t ret = DART_OK;

  if (!use_windows(c))
    return access_alone(c);
  if (!c->file->plans[c->team->me].joins) {
    const dart__access_t *own  = c->access;
    dart__access_t        none = *own;

    none.nbytes = 0;
    c->access   = &none;
    two_phases_in_turn(c);
    c->access = own;
    ret       = access_alone(c);
  } else {
    two_phases_in_turn(c);
  }
  return ret != DART_OK ? ret : c->error == 0 ? DART_OK : DART_ERR_OTHER;
}

static dart_ret_t finish_collective(call_t *c, dart_ret_t ret, size_t *count)
{
  size_t n;

  ret = dart__file_done(c->function, c->access, c->is_read, ret, c->error, c->done,
                        c->is_read && count == NULL ? NULL : &n);
  ret = dart__file_agree(c->function, c->team, ret, c->error);
  if (count != NULL)
    *count = ret == DART_OK ? n : 0;
  return ret;
}

dart_ret_t dart__file_all(const char *function, dart_file_t file, bool is_read,
                          const dart__access_t *access, dart_ret_t ret, size_t *count)
{
  call_t        c = { .function = function, .file = file, .access = access, .is_read = is_read };
  dart__timed_t timed;

  if (count != NULL)
    *count = 0;
  c.team = dart__file_check(function, file);
  if (c.team == NULL)
    return DART_ERR_INVAL;
  ret = dart__file_share_plans(&c, ret);
  if (ret != DART_OK)
    return ret;
  timed = dart__timed_begin(DART__COUNT_FILE);
  ret   = finish_collective(&c, access_all(&c), count);
  dart__timed_end(DART__COUNT_FILE, timed);
  return ret;
}

static dart_ret_t transfer_all(const char *function, dart_file_t file, uint64_t offset,
                               const void *buffer, size_t nelem, dart_datatype_t mem_type,
                               dart_datatype_t file_type, bool is_read, size_t *count)
{
  dart__access_t access;
  dart_ret_t     ret = DART_OK;

  if (file != DART_FILE_NULL)
    ret = dart__file_access(function, file, offset, buffer, nelem, mem_type, file_type,
                            is_read ? DART_FILE_READ : DART_FILE_WRITE, &access);
  return dart__file_all(function, file, is_read, &access, ret, count);
}

dart_ret_t dart_file_read_all(dart_file_t file, uint64_t offset, void *buffer, size_t nelem,
                              dart_datatype_t mem_type, dart_datatype_t file_type, size_t *nread)
{
  return transfer_all(__func__, file, offset, buffer, nelem, mem_type, file_type, true, nread);
}

dart_ret_t dart_file_write_all(dart_file_t file, uint64_t offset, const void *buffer, size_t nelem,
                               dart_datatype_t mem_type, dart_datatype_t file_type,
                               size_t *nwritten)
{
  return transfer_all(__func__, file, offset, buffer, nelem, mem_type, file_type, false, nwritten);
}
