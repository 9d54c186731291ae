/* See file_transfer.h. Pieces that are contiguous in the file are read and written where they lie, if they are
 * contiguous in memory, too, or large; else through a staging buffer.
 *
 * Many small pieces are sieved (Thakur, Gropp, Lusk: Data Sieving and Collective I/O in ROMIO, Frontiers '99): what
 * spans them is read, in steps of the buffer; a write changes its pieces in that, and writes it back. A write may do so
 * only while it holds a lock on the holes, too, for others may be writing there. So it is done in atomic mode, where
 * every writer asks for that lock. Otherwise small pieces are written one by one.
 *
 * Pieces that are read one by one, and are not cached, would be one wait for the storage device each. The kernel is
 * asked for what is cached (preadv2, RWF_NOWAIT), and when that is not all, it is told of the next pieces, too, before
 * this one is waited for. With 4 KiB pieces that is 11 us each on a disk where one after the other takes 62. io_uring
 * takes 12, and for what is cached, and for writes, two to three times as long as plain calls. So it is not used
 * (doc/internals/files.md). */
#include <dash/dart/ext/dart_profile.h>

#include "file/file_transfer.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/libc.h"
#include "base/log.h"
#include "base/sanitizer.h"
#include "base/size.h"
#include "file/range_keep.h"
#include "file/raw.h"
#include "wait/timed.h"
#include "wait/wait.h"

#define SMALL_RUN  4096 /* bytes of a piece, on average, below which sieving may pay ... */
#define MOST_HOLES 8    /* ... if there are at most so many bytes for each that is wanted */
#define AHEAD      128  /* pieces that are asked for at a time */

static bool is_sieved(const dart__access_t *a, const dart__survey_t *survey)
{
  return survey->nruns > 1 && survey->is_ascending && a->nbytes / survey->nruns < SMALL_RUN &&
         (survey->end - survey->first) / MOST_HOLES <= a->nbytes;
}

/* ---- reading ahead ------------------------------------------------------------------------------ */

/* What one access has asked the storage device for. */
typedef struct {
  size_t end; /* data bytes before this */
} ahead_t;

/* relaxed, here and below: a hint, which any thread may find out again */
static bool tells_cached(dart_file_t file)
{
  return atomic_load_explicit(&file->tells_cached, memory_order_relaxed);
}

static size_t read_cached(dart_file_t file, char *to, size_t nbytes, uint64_t offset)
{
  bool   can = tells_cached(file);
  size_t n   = can ? dart__raw_read_cached(file->fd, to, nbytes, offset, &can) : 0;

  if (!can)
    atomic_store_explicit(&file->tells_cached, false, memory_order_relaxed);
  return n;
}

/* Some of a read from data byte `at` on was not cached: begin to read what follows, too, so that the device has several
 * reads to do at a time. */
static void look_ahead(dart_file_t file, const dart__access_t *a, size_t at, ahead_t *ahead)
{
  size_t end = at;

  if (at < ahead->end)
    return;
  for (int i = 0; i < AHEAD && end < a->nbytes && end - at < DART__FILE_STAGE; i++) {
    uint64_t offset;
    size_t   n = dart__access_file_run(a, end, &offset);

    dart__raw_prefetch(file->fd, offset, n);
    end += n;
  }
  ahead->end = end;
}

/* Data bytes from `at` on, which are contiguous in the file. Those that are cached cost one call. */
static int read_run(dart_file_t file, const dart__access_t *a, size_t at, char *to, size_t n,
                    uint64_t offset, ahead_t *ahead, size_t *done_out)
{
  size_t cached = read_cached(file, to, n, offset);
  int    error;

  if (cached == n) {
    *done_out = n;
    return 0;
  }
  if (tells_cached(file))
    look_ahead(file, a, at, ahead);
  error = dart__raw_read(file->fd, to + cached, n - cached, offset + cached, done_out);
  *done_out += cached;
  return error;
}

void dart__file_read_soon(dart_file_t file, const dart__access_t *a)
{
  ahead_t  ahead = { 0 };
  uint64_t offset;
  char     first;

  if (a->nbytes == 0)
    return;
  dart__access_file_run(a, 0, &offset);
  if (read_cached(file, &first, 1, offset) == 0 && tells_cached(file))
    look_ahead(file, a, 0, &ahead);
}

/* ---- piece by piece ------------------------------------------------------------------------- */

typedef int piece_t(dart_file_t file, const dart__access_t *a, size_t at, size_t n, uint64_t offset,
                    char *stage, ahead_t *ahead, size_t *done_out);

/* Data bytes [at, at + n), which are contiguous in the file. */
static int read_piece(dart_file_t file, const dart__access_t *a, size_t at, size_t n,
                      uint64_t offset, char *stage, ahead_t *ahead, size_t *done_out)
{
  char *to;
  bool  is_direct = dart__access_mem_run(a, at, &to) >= n;
  int   error     = read_run(file, a, at, is_direct ? to : stage, n, offset, ahead, done_out);

  if (!is_direct)
    dart__access_unpack(a, at, *done_out, stage);
  return error;
}

static int write_piece(dart_file_t file, const dart__access_t *a, size_t at, size_t n,
                       uint64_t offset, char *stage, ahead_t *ahead, size_t *done_out)
{
  char *from;

  (void)ahead;
  if (dart__access_mem_run(a, at, &from) < n) {
    dart__access_pack(a, at, n, stage);
    from = stage;
  }
  return dart__raw_write(file->fd, from, n, offset, file->limit, done_out);
}

/* The next piece: what is contiguous in the file, and in memory unless it fits the stage. */
static size_t next_piece(const dart__access_t *a, size_t at, uint64_t *offset_out)
{
  char  *unused;
  size_t n = dart__access_file_run(a, at, offset_out), in_memory;

  if (n <= DART__FILE_STAGE)
    return n;
  in_memory = dart__access_mem_run(a, at, &unused);
  return dart__least(n, dart__most(in_memory, DART__FILE_STAGE));
}

static int by_pieces(dart_file_t file, const dart__access_t *a, piece_t *piece, char *stage,
                     size_t *done_out)
{
  ahead_t ahead = { 0 };

  for (*done_out = 0; *done_out < a->nbytes;) {
    uint64_t offset;
    size_t   n     = next_piece(a, *done_out, &offset), done;
    int      error = piece(file, a, *done_out, n, offset, stage, &ahead, &done);

    *done_out += done;
    if (error != 0 || done < n)
      return error;
  }
  return 0;
}

/* ---- sieving ----------------------------------------------------------------------------------- */

static int read_sieved(dart_file_t file, const dart__access_t *a, char *stage, size_t *done_out)
{
  for (*done_out = 0; *done_out < a->nbytes;) {
    uint64_t first, end;
    size_t   n     = dart__access_fit(a, *done_out, DART__FILE_STAGE, &first, &end), valid, there;
    int      error = dart__raw_read(file->fd, stage, (size_t)(end - first), first, &valid);

    there = dart__access_sift(a, *done_out, n, first, stage, valid, true);
    *done_out += there;
    if (error != 0 || there < n)
      return error;
  }
  return 0;
}

/* The whole span is locked by this unit. */
static int write_sieved(dart_file_t file, const dart__access_t *a, char *stage, size_t *done_out)
{
  for (*done_out = 0; *done_out < a->nbytes;) {
    uint64_t first, end;
    size_t   n    = dart__access_fit(a, *done_out, DART__FILE_STAGE, &first, &end),
           nbytes = (size_t)(end - first), done;
    int error     = dart__raw_read(file->fd, stage, nbytes, first, &done);

    if (error != 0)
      return error;
    memset(stage + done, 0, nbytes - done); /* holes beyond the end of the file */
    dart__access_sift(a, *done_out, n, first, stage, nbytes, false);
    error = dart__raw_write(file->fd, stage, nbytes, first, file->limit, &done);
    if (error != 0) {
      *done_out += dart__access_sift(a, *done_out, n, first, stage, done, false);
      return error;
    }
    *done_out += n;
  }
  return 0;
}

/* ---- without and with locks ------------------------------------------------------------------- */

/* Whether it is one call of the system, without a stage. */
static bool is_direct(const dart__access_t *a)
{
  return dart__type_is_contiguous(a->file_type) && dart__type_is_contiguous(a->mem_type);
}

static int read_access(dart_file_t file, const dart__access_t *a, size_t *done_out)
{
  dart__survey_t survey;
  char          *stage;
  int            error;

  if (is_direct(a))
    return dart__raw_read(file->fd, a->buffer, a->nbytes, a->file_start + a->file_skip, done_out);
  *done_out = 0;
  stage     = dart__file_take_stage(file);
  if (stage == NULL)
    return ENOMEM;
  survey = dart__access_survey(a);
  error  = is_sieved(a, &survey) ? read_sieved(file, a, stage, done_out)
                                 : by_pieces(file, a, read_piece, stage, done_out);
  dart__file_return_stage(file, stage);
  return error;
}

/* Whether the pieces of a write move the end of the file one by one, which reads between them would see. Others may have
 * moved the end since: that only does more. */
static bool grows(dart_file_t file, const dart__access_t *a, const dart__survey_t *survey)
{
  struct stat status;

  return !is_direct(a) && (fstat(file->fd, &status) != 0 || (uint64_t)status.st_size < survey->end);
}

/* Write the piece at the end of the access first, so that the end of the file moves once, as an atomic write without a
 * lock has to. What others read before it is not this unit's, and is not written here. An error is left to the writing
 * of the pieces in their order, which tells how many were written. */
static void write_end(dart_file_t file, const dart__access_t *a, char *stage)
{
  dart__survey_t survey = dart__access_survey(a);
  uint64_t       offset;
  size_t         done;

  if (survey.nruns == 1 || !grows(file, a, &survey))
    return;
  for (size_t at = 0, n; at < a->nbytes; at += n) {
    n = next_piece(a, at, &offset);
    if (offset + n == survey.end)
      write_piece(file, a, at, n, offset, stage, NULL, &done);
  }
}

/* `sieve`: it may, for the lock covers the holes. */
static int write_access(dart_file_t file, const dart__access_t *a, bool sieve, size_t *done_out)
{
  char *stage;
  int   error;

  if (is_direct(a))
    return dart__raw_write(file->fd, a->buffer, a->nbytes, a->file_start + a->file_skip,
                           file->limit, done_out);
  *done_out = 0;
  stage     = dart__file_take_stage(file);
  if (stage == NULL)
    return ENOMEM;
  if (file->is_atomic && file->views_are_apart)
    write_end(file, a, stage);
  error = sieve ? write_sieved(file, a, stage, done_out)
                : by_pieces(file, a, write_piece, stage, done_out);
  dart__file_return_stage(file, stage);
  return error;
}

/* Whether it takes effect as a whole: one thread of the unit at a time, and, unless units' views are apart,
 * with a lock. */
static bool is_atomic(dart_file_t file, const dart__access_t *a)
{
  return file->is_atomic && a->nbytes > 0;
}

bool dart__file_needs_lock(dart_file_t file, const dart__access_t *a)
{
  return is_atomic(file, a) && !file->views_are_apart;
}

/* `timeout_us` as below. */
static dart_ret_t take_turn(dart_file_t file, int64_t timeout_us)
{
  int64_t         us  = timeout_us > 0 ? dart__now_ns() / 1000 + timeout_us : 0;
  struct timespec end = { us / 1000000, us % 1000000 * 1000 };

  if (timeout_us < 0)
    pthread_mutex_lock(&file->turn);
  else if (pthread_mutex_clocklock(&file->turn, CLOCK_MONOTONIC, &end) != 0)
    return DART_PENDING; /* a time that is over is enough for a turn that nobody has */
  else
    dart__tsan_locked(&file->turn);
  return DART_OK;
}

/* Lock what is accessed: the bytes themselves, or, `whole`, all from the first to the last. */
static dart_ret_t lock_access(dart_file_t file, const dart__access_t *a,
                              const dart__survey_t *survey, dart_range_mode_t mode, bool whole,
                              int64_t timeout_us, dart_range_hold_t *hold_out)
{
  dart__span_t      exact[DART_RANGE_SPANS];
  dart_range_span_t spans[DART_RANGE_SPANS];
  size_t            n;
  dart_ret_t        ret;

  n = dart__access_spans(a, survey, mode, exact, whole ? 1 : file->spans);
  for (size_t i = 0; i < n; i++)
    spans[i] = (dart_range_span_t){ exact[i].first, exact[i].last, mode };
  ret = take_turn(file, timeout_us);
  if (ret != DART_OK)
    return ret;
  ret = dart__range_acquire_again(file->range, spans, n, timeout_us, hold_out);
  if (ret != DART_OK)
    pthread_mutex_unlock(&file->turn);
  return ret;
}

static void unlock_access(dart_file_t file, const dart__access_t *a, dart_range_hold_t *hold)
{
  if (*hold != DART_RANGE_HOLD_NULL)
    dart__range_release_or_keep(file->range, hold);
  if (is_atomic(file, a))
    pthread_mutex_unlock(&file->turn);
}

int dart__file_transfer_apart(dart_file_t file, const dart__access_t *a, bool is_read,
                              size_t *done_out)
{
  dart_range_hold_t none = DART_RANGE_HOLD_NULL;
  int               error;

  if (is_atomic(file, a))
    take_turn(file, -1);
  error = is_read ? read_access(file, a, done_out) : write_access(file, a, false, done_out);
  unlock_access(file, a, &none);
  return error;
}

dart_ret_t dart__file_transfer(dart_file_t file, const dart__access_t *a, bool is_read,
                               int64_t timeout_us, size_t *done_out, int *error_out)
{
  dart_range_mode_t mode  = is_read ? DART_RANGE_SHARED : DART_RANGE_EXCLUSIVE;
  dart_range_hold_t hold  = DART_RANGE_HOLD_NULL;
  dart_ret_t        ret   = DART_OK;
  bool              sieve = false, whole;

  *done_out = 0;
  if (dart__file_needs_lock(file, a)) {
    dart__survey_t survey = dart__access_survey(a);

    sieve = !is_read && (file->flags & DART_FILE_READ) != 0 && is_sieved(a, &survey);
    whole = sieve || (!is_read && grows(file, a, &survey));
    ret   = lock_access(file, a, &survey, mode, whole, timeout_us, &hold);
  } else if (is_atomic(file, a)) {
    ret = take_turn(file, timeout_us);
  }
  if (ret != DART_OK)
    return ret;
  *error_out = is_read ? read_access(file, a, done_out) : write_access(file, a, sieve, done_out);
  unlock_access(file, a, &hold);
  return *error_out == 0 ? DART_OK : *error_out == ENOMEM ? DART_ERR_NOMEM : DART_ERR_OTHER;
}

dart_ret_t dart__file_done(const char *function, const dart__access_t *a, bool is_read,
                           dart_ret_t ret, int error, size_t done, size_t *count_out)
{
  if (count_out != NULL)
    *count_out = done / a->mem_type->elem_size;
  if (ret == DART_ERR_OTHER)
    return dart__file_refused(function, error);
  if (ret == DART_OK && is_read && done < a->nbytes && count_out == NULL) {
    dart__error("%s: the file ends after %zu of %zu bytes", function, done, a->nbytes);
    dart__file_set_error(0);
    return DART_ERR_OTHER;
  }
  if (ret == DART_ERR_NOMEM)
    dart__error("%s: no memory", function);
  return ret;
}

dart_ret_t dart__file_transfer_once(const char *function, dart_file_t file, const dart__access_t *a,
                                    bool is_read, size_t *count_out)
{
  dart__timed_t timed = dart__timed_begin(DART__COUNT_FILE);
  size_t        done  = 0;
  int           error = 0;
  dart_ret_t    ret   = dart__file_transfer(file, a, is_read, -1, &done, &error);

  dart__timed_end(DART__COUNT_FILE, timed);
  return dart__file_done(function, a, is_read, ret, error, done, count_out);
}
