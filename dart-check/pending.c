/* A list of operations under way, in the order in which they started.
 *
 * Near operations are complete when their call returns, so on one node a program that forgets a flush, or
 * reads a result too early, works by chance. Here results go to a buffer of this library, and the program's
 * has a pattern until a call completes the operation; of a source there is a checksum, which is compared
 * then. A source may be gone by then (a variable of a function that has returned to it, freed memory), so it
 * is read through the kernel, which refuses where there is nothing.
 *
 * The list is bounded. Operations that find it full are not looked at, which is said once. */
#include "pending.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <dash/dart/ext/dart_value.h>

#include "board.h"
#include "memory.h"
#include "report.h"

enum {
  MOST       = 16384,   /* operations in the list */
  MOST_BYTES = 1 << 28, /* of buffers for results */
  NOT_YET    = 0xdb,    /* in results that are not there yet */
  EPOCHS     = 256      /* segments with epochs */
};

typedef struct {
  uint64_t      serial; /* counts from 1 */
  dart_gptr_t   gptr;
  const void   *source; /* NULL: not looked at, or complete locally */
  uint64_t      hash;   /* of it */
  char         *buffer; /* DART's; NULL: no result, or complete */
  char         *result; /* the program's */
  uint64_t      nbytes;
  bool          has_handle; /* and the program has it still: its address is the handle */
  dart_handle_t inner;
  bool          is_done; /* completed, but for its handle */
  dart__at_t    at;
  const void   *context; /* that it is in, or NULL */
} operation_t;

/* The context that the thread is in, for memory of a team. */
static _Thread_local struct {
  const void *context; /* NULL: none */
  dart_team_t team;
} entered;

static operation_t **list;
static size_t        count;
static uint64_t      serial;
static bool          handles_lost; /* the program has some that are not in the list */
static size_t        buffered;     /* bytes of buffers */

static struct {
  int16_t team, segment;
} epochs[EPOCHS];
static size_t nepochs;

/* ---- the list, with the lock ---------------------------------------------------------------------- */

static bool has_epochs(dart_gptr_t gptr)
{
  for (size_t i = 0; i < nepochs; i++)
    if (epochs[i].team == gptr.teamid && epochs[i].segment == gptr.segid)
      return true;
  return nepochs == EPOCHS;
}

static operation_t *add(dart_gptr_t gptr, dart__at_t at)
{
  static bool  said;
  operation_t *operation;

  if (count == MOST) {
    dart__check_note(&said, "more than %d operations are under way; more are not looked at", MOST);
    return NULL;
  }
  if (list == NULL)
    list = dart__check_room(NULL, MOST * sizeof *list);
  operation     = dart__check_room(NULL, sizeof *operation);
  *operation    = (operation_t){ .serial  = ++serial,
                                 .gptr    = gptr,
                                 .at      = at,
                                 .context = gptr.teamid == entered.team ? entered.context : NULL };
  list[count++] = operation;
  return operation;
}

/* Remove the operations that have nothing left to look at. */
static void sweep(void)
{
  size_t kept = 0;

  for (size_t i = 0; i < count; i++)
    if (list[i]->is_done && !list[i]->has_handle)
      free(list[i]);
    else
      list[kept++] = list[i];
  count = kept;
}

/* ---- buffers -------------------------------------------------------------------------------------- */

/* The hash of memory of this process; false: it is not there any more. */
static bool hash_of(const char *bytes, uint64_t nbytes, uint64_t *hash_out)
{
  char     piece[4096];
  uint64_t hash = 0;

  for (uint64_t done = 0; done < nbytes;) {
    size_t       n    = nbytes - done < sizeof piece ? (size_t)(nbytes - done) : sizeof piece;
    struct iovec here = { piece, n }, there = { (void *)(bytes + done), n };

    if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != (ssize_t)n) {
      if (errno == EFAULT)
        return false;
      memcpy(piece, bytes + done, n); /* this kernel does not let us */
    }
    hash = dart__check_hash(hash, piece, n);
    done += n;
  }
  *hash_out = hash;
  return true;
}

static void report_buffer(const operation_t *operation, const char *what, dart__at_t at)
{
  dart__check_report_t report;

  if (!dart__check_begin(
          &report, "completion", operation->at, "%s, %llu bytes, %s before it was complete",
          operation->buffer != NULL ? "the result of an operation" : "the source of an operation",
          (unsigned long long)operation->nbytes, what))
    return;
  dart__check_place(&report, "started by", operation->at);
  dart__check_place(&report, "completed by", at);
  dart__check_line(&report, "missing: a flush or a wait before the buffer is used again");
  dart__check_end(&report);
}

static void look_at_source(const operation_t *operation, dart__at_t at)
{
  uint64_t hash;

  if (!hash_of(operation->source, operation->nbytes, &hash))
    report_buffer(operation, "was freed", at);
  else if (hash != operation->hash)
    report_buffer(operation, "was changed", at);
}

static void look_at_result(const operation_t *operation, dart__at_t at)
{
  const unsigned char *result = (const unsigned char *)operation->result;

  if (dart__check_intact(result, operation->nbytes, NOT_YET) < operation->nbytes)
    report_buffer(operation, "was written to", at);
}

static void deliver(operation_t *operation)
{
  memcpy(operation->result, operation->buffer, operation->nbytes);
  free(operation->buffer);
  operation->buffer = NULL;
  buffered -= operation->nbytes;
}

/* Buffers are about to be the program's again. Those of all operations are looked at before any result is
 * delivered: several may have the same buffer, for a result that nobody wants. */
static void look_at_buffers(const operation_t *operation, dart__at_t at)
{
  if (operation->source != NULL)
    look_at_source(operation, at);
  if (operation->buffer != NULL)
    look_at_result(operation, at);
}

static void complete_locally(operation_t *operation)
{
  operation->source = NULL;
  if (operation->buffer != NULL)
    deliver(operation);
}

/* ---- starting ------------------------------------------------------------------------------------- */

bool dart__check_is_copied(uint64_t nbytes)
{
  return nbytes <= DART_COPIED_MOST;
}

static void guard_source(operation_t *operation, const void *source, uint64_t nbytes)
{
  operation->nbytes = nbytes;
  if (source != NULL && hash_of(source, nbytes, &operation->hash))
    operation->source = source;
}

void dart__check_started(dart_gptr_t gptr, const void *source, uint64_t nbytes, dart__at_t at)
{
  operation_t *operation;

  if (!dart__check_for(DART__CHECK_COMPLETION))
    return;
  dart__check_lock();
  operation = count > 0 ? list[count - 1] : NULL;
  if (has_epochs(gptr) ||
      (source == NULL && operation != NULL && operation->source == NULL &&
       operation->buffer == NULL && operation->at.from == at.from && !operation->is_done &&
       !operation->has_handle && operation->gptr.unitid == gptr.unitid &&
       operation->gptr.segid == gptr.segid && operation->gptr.teamid == gptr.teamid)) {
    if (operation != NULL && !has_epochs(gptr))
      operation->serial = ++serial; /* one entry for a row of them */
  } else if ((operation = add(gptr, at)) != NULL) {
    guard_source(operation, source, nbytes);
  }
  dart__check_unlock();
}

void *dart__check_result(dart_gptr_t gptr, void *result, uint64_t nbytes)
{
  static bool said;
  void       *buffer = result;

  if (!dart__check_for(DART__CHECK_COMPLETION) || result == NULL || nbytes == 0)
    return result;
  dart__check_lock();
  if (buffered + nbytes > MOST_BYTES)
    dart__check_note(&said, "results of more than %d bytes are under way; more are not looked at",
                     MOST_BYTES);
  else if (!has_epochs(gptr) && count < MOST && (buffer = malloc(nbytes)) == NULL)
    buffer = result;
  dart__check_unlock();
  return buffer;
}

static void guard_result(operation_t *operation, void *buffer, void *result, uint64_t nbytes)
{
  operation->buffer = buffer;
  operation->result = result;
  operation->nbytes = nbytes;
  buffered += nbytes;
  memset(result, NOT_YET, nbytes);
}

void dart__check_result_started(dart_ret_t ret, dart_gptr_t gptr, void *buffer, void *result,
                                uint64_t nbytes, dart__at_t at)
{
  operation_t *operation = NULL;

  if (buffer == result)
    return;
  dart__check_lock();
  if (ret == DART_OK)
    operation = add(gptr, at);
  if (operation != NULL)
    guard_result(operation, buffer, result, nbytes);
  else
    free(buffer);
  dart__check_unlock();
}

/* There is no room for the operation, whose result goes to a buffer. */
static void wait_at_once(dart_handle_t *handle, void *buffer, void *result, uint64_t nbytes)
{
  pdart_wait(handle);
  memcpy(result, buffer, nbytes);
  free(buffer);
}

dart_handle_t dart__check_handle(dart_gptr_t gptr, const void *source, void *buffer, void *result,
                                 uint64_t nbytes, dart_handle_t handle, dart__at_t at)
{
  operation_t *operation;

  dart__check_lock();
  operation = add(gptr, at);
  if (operation != NULL) {
    operation->has_handle = true;
    operation->inner      = handle;
    operation->is_done    = has_epochs(gptr); /* it is not looked at */
    if (buffer != result)
      guard_result(operation, buffer, result, nbytes);
    else if (!operation->is_done)
      guard_source(operation, source, nbytes);
  } else {
    handles_lost = true;
    if (buffer != result)
      wait_at_once(&handle, buffer, result, nbytes);
  }
  dart__check_unlock();
  return operation == NULL ? handle : (dart_handle_t)operation;
}

/* ---- handles -------------------------------------------------------------------------------------- */

static operation_t *find(dart_handle_t handle)
{
  for (size_t i = count; i > 0; i--)
    if (list[i - 1] == (operation_t *)handle && list[i - 1]->has_handle)
      return list[i - 1];
  return NULL;
}

bool dart__check_handle_inner(dart_handle_t handle, dart_handle_t *inner_out, dart__at_t at)
{
  dart__check_report_t report;
  const operation_t   *operation;

  *inner_out = handle;
  if (handle == DART_HANDLE_NULL || !dart__check_for(DART__CHECK_COMPLETION))
    return true;
  dart__check_lock();
  operation = find(handle);
  if (operation != NULL)
    *inner_out = operation->inner;
  dart__check_unlock();
  if (operation != NULL || handles_lost)
    return true;
  if (dart__check_begin(&report, "completion", at,
                        "%s is given what is no handle, or one that was waited for",
                        dart__check_calls[at.id])) {
    dart__check_place(&report, "in", at);
    dart__check_end(&report);
  }
  return false;
}

void dart__check_handle_done(dart_handle_t handle, dart__at_t at)
{
  operation_t *operation;

  dart__check_lock();
  operation = find(handle);
  if (operation != NULL) {
    look_at_buffers(operation, at);
    complete_locally(operation);
    operation->has_handle = false;
    operation->is_done    = true;
    sweep();
  }
  dart__check_unlock();
}

void dart__check_handle_now(dart_handle_t handle, dart_handle_t inner)
{
  operation_t *operation;

  dart__check_lock();
  operation = find(handle);
  if (operation != NULL)
    operation->inner = inner;
  dart__check_unlock();
}

void dart__check_handle_given_up(dart_handle_t handle)
{
  operation_t *operation;

  dart__check_lock();
  operation = find(handle);
  if (operation != NULL)
    operation->has_handle = false;
  sweep();
  dart__check_unlock();
}

/* ---- completing ----------------------------------------------------------------------------------- */

uint64_t dart__check_moment(void)
{
  uint64_t moment;

  if (!dart__check_for(DART__CHECK_COMPLETION))
    return 0;
  dart__check_lock();
  moment = serial;
  dart__check_unlock();
  return moment;
}

/* What a flush is about: a pointer's unit or team, see dart_communication.h, or a context's operations. */
typedef struct {
  dart_gptr_t gptr;    /* of a flush without context */
  const void *context; /* or NULL */
  int32_t     unit;    /* -1: all */
  uint64_t    moment;  /* what started later is not meant */
} flush_t;

static bool is_meant(const operation_t *operation, const flush_t *flush)
{
  if (operation->is_done || operation->serial > flush->moment ||
      (flush->unit >= 0 && operation->gptr.unitid != flush->unit))
    return false;
  if (flush->context != NULL)
    return operation->context == flush->context;
  return operation->gptr.teamid == flush->gptr.teamid &&
         (operation->gptr.segid == DART_SEGMENT_LOCAL) == (flush->gptr.segid == DART_SEGMENT_LOCAL);
}

static void complete(const flush_t *flush, bool local, dart__at_t at)
{
  if (flush->moment == 0)
    return;
  dart__check_lock();
  for (size_t i = 0; i < count; i++)
    if (is_meant(list[i], flush))
      look_at_buffers(list[i], at);
  for (size_t i = 0; i < count; i++)
    if (is_meant(list[i], flush)) {
      complete_locally(list[i]);
      list[i]->is_done = !local || list[i]->result != NULL;
    }
  sweep();
  dart__check_unlock();
}

void dart__check_flushed(dart_gptr_t gptr, bool all, bool local, uint64_t moment, dart__at_t at)
{
  complete(&(flush_t){ gptr, NULL, all ? -1 : gptr.unitid, moment }, local, at);
}

void dart__check_context_flushed(const void *context, int32_t unit, uint64_t moment, dart__at_t at)
{
  complete(&(flush_t){ DART_GPTR_NULL, context, unit, moment }, false, at);
}

void dart__check_context_entered(const void *context, dart_team_t team)
{
  entered.context = context;
  entered.team    = team;
}

void dart__check_context_left(const void *context)
{
  if (entered.context == context)
    entered.context = NULL;
}

void dart__check_epochs(dart_gptr_t gptr)
{
  if (!dart__check_for(DART__CHECK_COMPLETION))
    return;
  dart__check_lock();
  if (!has_epochs(gptr)) {
    epochs[nepochs].team      = gptr.teamid;
    epochs[nepochs++].segment = gptr.segid;
  }
  dart__check_unlock();
}

void dart__check_no_epochs(dart_team_t team, const int16_t *segment)
{
  size_t kept = 0;

  dart__check_lock();
  for (size_t i = 0; i < nepochs; i++)
    if (epochs[i].team != team || (segment != NULL && epochs[i].segment != *segment))
      epochs[kept++] = epochs[i];
  nepochs = kept;
  dart__check_unlock();
}

/* ---- too early, or never -------------------------------------------------------------------------- */

static void report_early(const operation_t *operation, dart__at_t at)
{
  dart__check_report_t report;

  if (!dart__check_begin(&report, "completion", at,
                         "%s reads the result of an operation before it is there",
                         dart__check_calls[at.id]))
    return;
  dart__check_place(&report, "read by", at);
  dart__check_place(&report, "started by", operation->at);
  dart__check_line(&report, "missing: a flush or a wait between them");
  dart__check_end(&report);
}

void dart__check_source(const void *source, uint64_t nbytes, dart__at_t at)
{
  const char *from = source;

  if (!dart__check_for(DART__CHECK_COMPLETION) || source == NULL)
    return;
  dart__check_lock();
  for (size_t i = 0; i < count; i++)
    if (list[i]->buffer != NULL && from < list[i]->result + list[i]->nbytes &&
        list[i]->result < from + nbytes) {
      report_early(list[i], at);
      break;
    }
  dart__check_unlock();
}

static void report_never(const operation_t *operation, dart__at_t at)
{
  dart__check_report_t report;

  if (!dart__check_begin(&report, "completion", operation->at, "an operation was never completed"))
    return;
  dart__check_place(&report, "started by", operation->at);
  dart__check_place(&report, "ended by", at);
  dart__check_line(&report, operation->has_handle ? "missing: a wait for its handle, or a flush"
                                                  : "missing: a flush");
  dart__check_end(&report);
}

/* Remove what has no completion any more: of a segment, a team (segment NULL), or all (team DART_TEAM_NULL). */
static void end(dart_team_t team, const int16_t *segment, bool is_reported, dart__at_t at)
{
  dart__check_lock();
  for (size_t i = 0; i < count; i++) {
    operation_t *operation = list[i];

    if ((team != DART_TEAM_NULL && operation->gptr.teamid != team) ||
        (segment != NULL && operation->gptr.segid != *segment))
      continue;
    if (is_reported && !operation->is_done)
      report_never(operation, at);
    if (operation->buffer != NULL)
      buffered -= operation->nbytes;
    free(operation->buffer);
    operation->is_done    = true;
    operation->has_handle = false;
  }
  sweep();
  dart__check_unlock();
}

void dart__check_pending_segment(dart_gptr_t gptr, dart__at_t at)
{
  if (dart__check_for(DART__CHECK_COMPLETION))
    end(gptr.teamid, &gptr.segid, true, at);
}

void dart__check_pending_team(dart_team_t team, dart__at_t at)
{
  if (dart__check_for(DART__CHECK_COMPLETION))
    end(team, NULL, true, at);
}

void dart__check_pending_exit(dart__at_t at)
{
  end(DART_TEAM_NULL, NULL, true, at);
}

void dart__check_pending_forget(void)
{
  end(DART_TEAM_NULL, NULL, false, (dart__at_t){ DART__CALL_dart_exit, NULL });
  nepochs = 0;
}
