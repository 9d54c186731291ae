/* Mistakes that the tester must find: DART with one function of it replaced.
 *
 * Each is an executable of the tester in which the linker sends calls of a function to __wrap_... here
 * (--wrap), which makes a mistake now and then and else calls the one of the library, __real_... The list of
 * names, backends and functions is in CMakeLists.txt; MUTANT is the name. Mistakes are at the
 * library's own seams (far/far_ops.h, wait/) where they can be, else at the interface. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_file.h>
#include <dash/dart/ext/dart_lock_at.h>
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_order.h>
#include <dash/dart/ext/dart_range.h>
#include <dash/dart/ext/dart_wait_word.h>
#include <dash/dart/if/dart.h>

#include "epoch/epoch.h"
#include "far/engine.h"
#include "far/far_ops.h"
#include "far/run.h"
#include "model/address.h"
#include "model/world.h"
#include "wait/atomic.h"
#include "wait/barrier.h"

/* True once in `n` times. Some mutants need no chance. */
__attribute__((unused)) static bool once_in(unsigned n)
{
  static _Thread_local unsigned count;

  return ++count % n == 0;
}

/* The linker does not compare types. */
#define AS_IN_LIBRARY(function)                                                        \
  _Static_assert(__builtin_types_compatible_p(__typeof__(__wrap_dart__far_##function), \
                                              __typeof__(dart__far_##function)),       \
                 "another type than in far_ops.h")

#if defined(DROP_FLUSH) /* a flush of far memory does nothing */

dart_ret_t __real_dart__far_flush(dart__team_t *team, int32_t unit);
dart_ret_t __real_dart__far_flush_all(dart__team_t *team);

dart_ret_t __wrap_dart__far_flush(dart__team_t *team, int32_t unit)
{
  return once_in(2) ? DART_OK : __real_dart__far_flush(team, unit);
}

dart_ret_t __wrap_dart__far_flush_all(dart__team_t *team)
{
  return once_in(2) ? DART_OK : __real_dart__far_flush_all(team);
}

#elif defined(DROP_FLUSH_LOCAL) /* results are not waited for */

dart_ret_t __real_dart__far_flush_local(dart__team_t *team, int32_t unit);

dart_ret_t __wrap_dart__far_flush_local(dart__team_t *team, int32_t unit)
{
  return once_in(2) ? DART_OK : __real_dart__far_flush_local(team, unit);
}

#elif defined(IGNORE_STRIDE) /* strided data are taken for a run */

void __real_dart__near_copy(void *dst, const dart__type_t *dst_type, const void *src,
                            const dart__type_t *src_type, size_t nelem);

void __wrap_dart__near_copy(void *dst, const dart__type_t *dst_type, const void *src,
                            const dart__type_t *src_type, size_t nelem)
{
  dart__type_t flat = *src_type;

  if (flat.kind == DART__TYPE_STRIDED)
    flat.stride = flat.elem_count;
  __real_dart__near_copy(dst, dst_type, src, &flat, nelem);
}

#elif defined(UPDATE_TWICE) /* an accumulate is applied twice */

void __real_dart__atomic_accumulate(void *target, const void *values, size_t nelem,
                                    dart_datatype_t type, dart_operation_t op);

void __wrap_dart__atomic_accumulate(void *target, const void *values, size_t nelem,
                                    dart_datatype_t type, dart_operation_t op)
{
  if (once_in(100))
    __real_dart__atomic_accumulate(target, values, nelem, type, op);
  __real_dart__atomic_accumulate(target, values, nelem, type, op);
}

#elif defined(LOSE_UPDATE) /* of a thousand updates one is lost */

void __real_dart__atomic_accumulate(void *target, const void *values, size_t nelem,
                                    dart_datatype_t type, dart_operation_t op);

void __wrap_dart__atomic_accumulate(void *target, const void *values, size_t nelem,
                                    dart_datatype_t type, dart_operation_t op)
{
  size_t size = dart__type_basic_size(type);

  for (size_t i = 0; i < nelem; i++)
    if (!once_in(1000))
      __real_dart__atomic_accumulate((char *)target + i * size, (const char *)values + i * size, 1,
                                     type, op);
}

#elif defined(STALE_RESULT) /* a fetch tells what the one before found */

void __real_dart__atomic_fetch(void *target, const void *value, void *result, dart_datatype_t type,
                               dart_operation_t op);

void __wrap_dart__atomic_fetch(void *target, const void *value, void *result, dart_datatype_t type,
                               dart_operation_t op)
{
  static _Thread_local char last[16];
  char                      found[16];
  size_t                    size = dart__type_basic_size(type);

  __real_dart__atomic_fetch(target, value, found, type, op);
  memcpy(result, once_in(50) ? last : found, size);
  memcpy(last, found, size);
}

#elif defined(SWAP_OPERANDS) /* compare_and_swap writes what it should compare with */

void __real_dart__atomic_swap(void *target, const void *value, const void *compare, void *result,
                              dart_datatype_t type);

void __wrap_dart__atomic_swap(void *target, const void *value, const void *compare, void *result,
                              dart_datatype_t type)
{
  if (once_in(5))
    __real_dart__atomic_swap(target, compare, value, result, type);
  else
    __real_dart__atomic_swap(target, value, compare, result, type);
}

#elif defined(EARLY_HANDLE) /* a handle is complete at the first test */

bool __wrap_dart__far_test(dart_handle_t handle)
{
  (void)handle;
  return true;
}

dart_ret_t __wrap_dart__far_wait(dart_handle_t *handle)
{
  dart__far_release(handle);
  return DART_OK;
}

AS_IN_LIBRARY(test);
AS_IN_LIBRARY(wait);

#elif defined(LOSE_WAIT_LOCAL) /* wait_local gives the handle up instead */

dart_ret_t __wrap_dart_wait_local(dart_handle_t *handle)
{
  return dart_handle_free(handle);
}

#elif defined(FAR_COUNTER_FIRST) /* a notification is there before its data, far ... */

dart__completion_t __wrap_dart__far_put_notify(const dart__rma_t *rma, const dart__signal_t *signal)
{
  dart__far_notify(signal);
  dart__engine_push(); /* or small data would join it in its batch */
  sched_yield();
  return dart__far_start(rma, NULL);
}

AS_IN_LIBRARY(put_notify);

#elif defined(COUNTER_FIRST) /* ... and near */

dart_ret_t __wrap_dart_put_notify(dart_gptr_t gptr, const void *src, size_t nelem,
                                  dart_datatype_t src_type, dart_datatype_t dst_type,
                                  dart_gptr_t flag, uint64_t by)
{
  dart_ret_t ret = dart_notify(flag, by);

  sched_yield();
  return ret == DART_OK ? dart_put(gptr, src, nelem, src_type, dst_type) : ret;
}

#elif defined(SHORT_PUT) || defined(LONG_GET) /* the last byte of a put, or one too many */

static size_t size_of(dart_datatype_t type, size_t nelem)
{
  return nelem * dart__type_basic_size(type);
}

dart_ret_t __real_dart_put_blocking(dart_gptr_t gptr, const void *src, size_t nelem,
                                    dart_datatype_t src_type, dart_datatype_t dst_type);
dart_ret_t __real_dart_get_blocking(void *dest, dart_gptr_t gptr, size_t nelem,
                                    dart_datatype_t src_type, dart_datatype_t dst_type);

#ifdef SHORT_PUT
dart_ret_t __wrap_dart_put_blocking(dart_gptr_t gptr, const void *src, size_t nelem,
                                    dart_datatype_t src_type, dart_datatype_t dst_type)
{
  size_t nbytes = size_of(src_type, nelem);

  if (nbytes < 256 || src_type != dst_type)
    return __real_dart_put_blocking(gptr, src, nelem, src_type, dst_type);
  return __real_dart_put_blocking(gptr, src, nbytes - 1, DART_TYPE_BYTE, DART_TYPE_BYTE);
}
#else
dart_ret_t __wrap_dart_get_blocking(void *dest, dart_gptr_t gptr, size_t nelem,
                                    dart_datatype_t src_type, dart_datatype_t dst_type)
{
  dart_ret_t ret = __real_dart_get_blocking(dest, gptr, nelem, src_type, dst_type);

  if (ret == DART_OK && src_type == dst_type && once_in(20))
    ((char *)dest)[size_of(src_type, nelem)] ^= 1;
  return ret;
}
#endif

#elif defined( \
    EARLY_BARRIER) /* the last unit leaves before the others came, and waits when it comes again */

void __wrap_dart__barrier_wait(dart__barrier_t *barrier, uint32_t *episode, uint32_t kind,
                               const dart__wait_policy_t *policy)
{
  uint32_t before = (*episode)++;
  bool     early  = dart__world.me == dart__world.nunits - 1 && once_in(3);

  (void)kind;
  if (before > 0) /* for who left the last one early */
    dart__event_wait(&barrier->open, before - 1, policy);
  if (atomic_fetch_sub(&barrier->missing, 1) == 1) {
    atomic_store(&barrier->missing, barrier->nunits);
    dart__event_raise(&barrier->open, before + 1);
  } else if (!early) {
    dart__event_wait(&barrier->open, before, policy);
  }
}

#elif defined(SHARED_LOCK) /* now and then a lock is had that somebody else has */

static _Thread_local bool is_pretended;

dart_ret_t __real_dart_lock_acquire(dart_lock_t lock);
dart_ret_t __real_dart_lock_release(dart_lock_t lock);

dart_ret_t __wrap_dart_lock_acquire(dart_lock_t lock)
{
  is_pretended = once_in(3);
  return is_pretended ? DART_OK : __real_dart_lock_acquire(lock);
}

dart_ret_t __wrap_dart_lock_release(dart_lock_t lock)
{
  bool was_pretended = is_pretended;

  is_pretended = false;
  return was_pretended ? DART_OK : __real_dart_lock_release(lock);
}

#elif defined(SHARED_WORD) /* locks in words hold nobody up */

dart_ret_t __wrap_dart_lock_at_acquire(dart_gptr_t gptr)
{
  (void)gptr;
  return DART_OK;
}

dart_ret_t __wrap_dart_lock_at_try_acquire(dart_gptr_t gptr, int32_t *result)
{
  (void)gptr;
  *result = 1;
  return DART_OK;
}

dart_ret_t __wrap_dart_lock_at_release(dart_gptr_t gptr)
{
  (void)gptr;
  return DART_OK;
}

#elif defined(EARLY_WORD) /* a wait for a word ends at once */

dart_ret_t __real_dart_wait_word(dart_gptr_t gptr, dart_datatype_t type,
                                 dart_comparison_t comparison, const void *value,
                                 int64_t timeout_us);

dart_ret_t __wrap_dart_wait_word(dart_gptr_t gptr, dart_datatype_t type,
                                 dart_comparison_t comparison, const void *value,
                                 int64_t timeout_us)
{
  if (timeout_us < 0)
    return DART_OK;
  return __real_dart_wait_word(gptr, type, comparison, value, timeout_us);
}

#elif defined( \
    LOSE_IN_RUN) /* of the far updates of a stream that are sent together the last is lost, now and then */

void __real_dart__run_send(void);

void __wrap_dart__run_send(void)
{
  if (dart__run.count > 1 && once_in(2))
    dart__run.count--;
  __real_dart__run_send();
}

#elif defined(FORGET_ORDER) /* an order does nothing */

dart_ret_t __wrap_dart_order(dart_gptr_t gptr)
{
  (void)gptr;
  return DART_OK;
}

#elif defined(NOT_ATOMIC) /* atomic mode is none: no locks are taken */

dart_ret_t __real_dart_file_set_atomicity(dart_file_t file, bool atomic);

dart_ret_t __wrap_dart_file_set_atomicity(dart_file_t file, bool atomic)
{
  (void)atomic;
  return __real_dart_file_set_atomicity(file, false);
}

#elif defined(LOSE_PIECE) /* of many writes one does not reach the file */

ssize_t __real_pwrite(int fd, const void *buffer, size_t nbytes, off_t offset);

ssize_t __wrap_pwrite(int fd, const void *buffer, size_t nbytes, off_t offset)
{
  return once_in(40) ? (ssize_t)nbytes : __real_pwrite(fd, buffer, nbytes, offset);
}

#elif defined(STALE_END) /* a read takes the file's end from before it waits for its turn */

static _Thread_local uint64_t seen_end; /* 0: no read */

dart_ret_t __real_dart_file_read_at(dart_file_t file, uint64_t offset, void *buffer, size_t nelem,
                                    dart_datatype_t mem_type, dart_datatype_t file_type,
                                    size_t *nread);

dart_ret_t __wrap_dart_file_read_at(dart_file_t file, uint64_t offset, void *buffer, size_t nelem,
                                    dart_datatype_t mem_type, dart_datatype_t file_type,
                                    size_t *nread)
{
  dart_ret_t ret = dart_file_size(file, &seen_end);

  sched_yield();
  if (ret == DART_OK)
    ret = __real_dart_file_read_at(file, offset, buffer, nelem, mem_type, file_type, nread);
  seen_end = 0;
  return ret;
}

static size_t cut(size_t nbytes, off_t offset)
{
  uint64_t left = seen_end > (uint64_t)offset ? seen_end - (uint64_t)offset : 0;

  return seen_end == 0 || nbytes < left ? nbytes : (size_t)left;
}

ssize_t __real_pread(int fd, void *buffer, size_t nbytes, off_t offset);
ssize_t __real_preadv2(int fd, const struct iovec *piece, int n, off_t offset, int flags);

ssize_t __wrap_pread(int fd, void *buffer, size_t nbytes, off_t offset)
{
  return __real_pread(fd, buffer, cut(nbytes, offset), offset);
}

ssize_t __wrap_preadv2(int fd, const struct iovec *piece, int n, off_t offset, int flags)
{
  struct iovec short_piece = { piece->iov_base, cut(piece->iov_len, offset) };

  return __real_preadv2(fd, n == 1 ? &short_piece : piece, n, offset, flags);
}

#elif defined(SHARED_EPOCH) /* an epoch that excludes others does not */

dart_ret_t __real_dart_epoch_lock(dart_gptr_t gptr, dart_epoch_lock_t kind, int assertions);

dart_ret_t __wrap_dart_epoch_lock(dart_gptr_t gptr, dart_epoch_lock_t kind, int assertions)
{
  return __real_dart_epoch_lock(gptr, once_in(3) ? DART_EPOCH_SHARED : kind, assertions);
}

#elif defined(LOSE_PUT_OFF) /* of the puts of an epoch that was started one is lost */

dart_ret_t __real_dart_put(dart_gptr_t gptr, const void *src, size_t nelem,
                           dart_datatype_t src_type, dart_datatype_t dst_type);

dart_ret_t __wrap_dart_put(dart_gptr_t gptr, const void *src, size_t nelem,
                           dart_datatype_t src_type, dart_datatype_t dst_type)
{
  dart__team_t    *team;
  dart__segment_t *segment = dart__locate_segment(gptr, &team);
  dart__epoch_t   *epoch   = segment != NULL ? dart__segment_epoch(segment) : NULL;

  if (epoch != NULL && epoch->kind == DART__EPOCH_START && epoch->target[gptr.unitid].is_member &&
      once_in(2))
    return DART_OK;
  return __real_dart_put(gptr, src, nelem, src_type, dst_type);
}

#elif defined(SHARED_RANGE) || \
    defined(FORGET_RANGE) /* what is held alone, others hold; not all is held */

dart_ret_t __real_dart_range_acquire(dart_range_t range, const dart_range_span_t spans[], size_t n,
                                     int64_t timeout_us, dart_range_hold_t *hold);

dart_ret_t __wrap_dart_range_acquire(dart_range_t range, const dart_range_span_t spans[], size_t n,
                                     int64_t timeout_us, dart_range_hold_t *hold)
{
  dart_range_span_t copy[DART_RANGE_SPANS];

  memcpy(copy, spans, n * sizeof copy[0]);
#ifdef SHARED_RANGE
  for (size_t i = 0; i < n && once_in(3); i++)
    copy[i].mode = DART_RANGE_SHARED;
#else
  n = n > 1 ? n - 1 : n;
#endif
  return __real_dart_range_acquire(range, copy, n, timeout_us, hold);
}

#elif defined(GET_COUNTER_FIRST) /* a notified get says that it has read before it reads */

dart_ret_t __real_dart_get_notify(void *dest, dart_gptr_t gptr, size_t nelem,
                                  dart_datatype_t src_type, dart_datatype_t dst_type,
                                  dart_gptr_t flag, uint64_t by);

dart_ret_t __wrap_dart_get_notify(void *dest, dart_gptr_t gptr, size_t nelem,
                                  dart_datatype_t src_type, dart_datatype_t dst_type,
                                  dart_gptr_t flag, uint64_t by)
{
  dart_ret_t ret;

  if (nelem == 0)
    return __real_dart_get_notify(dest, gptr, nelem, src_type, dst_type, flag, by);
  ret = dart_notify(flag, by);
  usleep(300);
  return ret == DART_OK ? dart_get(dest, gptr, nelem, src_type, dst_type) : ret;
}

#elif defined(ARRIVE_EARLY) /* a counter of its own unit is raised before the data have come */

struct dart__am;
void __wrap_dart__am_notify_here(struct dart__am *am, int32_t peer, void *flag, uint64_t value,
                                 dart_operation_t op);

void __wrap_dart__am_notify_here(struct dart__am *am, int32_t peer, void *flag, uint64_t value,
                                 dart_operation_t op)
{
  (void)am, (void)peer;
  dart__atomic_accumulate(flag, &value, 1, DART_TYPE_ULONG, op);
}

#elif defined(LOSE_MESSAGE) /* a message is not sent: its receiver waits for ever */

dart_ret_t __real_dart_send(const void *sendbuf, size_t nelem, dart_datatype_t dtype, int tag,
                            dart_global_unit_t unit);

dart_ret_t __wrap_dart_send(const void *sendbuf, size_t nelem, dart_datatype_t dtype, int tag,
                            dart_global_unit_t unit)
{
  return once_in(40) ? DART_OK : __real_dart_send(sendbuf, nelem, dtype, tag, unit);
}

#elif defined(LATE_SOURCE) /* operands are read after the call that said it was done with them */

static dart_gptr_t      late_gptr;
static const void      *late_values;
static size_t           late_nelem;
static dart_datatype_t  late_type;
static dart_operation_t late_op;

dart_ret_t __real_dart_flush(dart_gptr_t gptr);

/* What was held back, before anyone could miss it. */
static dart_ret_t let_go(void)
{
  dart_ret_t ret = DART_OK;

  if (late_values != NULL)
    ret = dart_accumulate(late_gptr, late_values, late_nelem, late_type, late_op);
  late_values = NULL;
  return ret;
}

dart_ret_t __wrap_dart_accumulate_blocking_local(dart_gptr_t gptr, const void *values, size_t nelem,
                                                 dart_datatype_t dtype, dart_operation_t op)
{
  dart_ret_t ret = let_go();

  late_gptr   = gptr;
  late_values = values;
  late_nelem  = nelem;
  late_type   = dtype;
  late_op     = op;
  return ret;
}

dart_ret_t __wrap_dart_flush(dart_gptr_t gptr)
{
  dart_ret_t ret = let_go();

  return ret == DART_OK ? __real_dart_flush(gptr) : ret;
}

#elif defined(WRONG_ROOT) /* a broadcast from the unit behind the root */

dart_ret_t __real_dart_bcast(void *buf, size_t nelem, dart_datatype_t dtype, dart_team_unit_t root,
                             dart_team_t team);

dart_ret_t __wrap_dart_bcast(void *buf, size_t nelem, dart_datatype_t dtype, dart_team_unit_t root,
                             dart_team_t team)
{
  size_t n = 1;

  dart_team_size(team, &n);
  if (nelem > 1 && dtype != DART_TYPE_BYTE) /* nor what the tester tells its units */
    root.id = (root.id + 1) % (int)n;
  return __real_dart_bcast(buf, nelem, dtype, root, team);
}

#elif defined(FORGET_UNIT) /* a flush of all leaves the last unit out */

dart_ret_t __wrap_dart__far_flush_all(dart__team_t *team)
{
  dart_ret_t ret = DART_OK;

  for (int32_t unit = 0; unit < team->nunits - 1 && ret == DART_OK; unit++)
    ret = dart__far_flush(team, unit);
  return ret;
}

#else
#error "MUTANT is none of these"
#endif
