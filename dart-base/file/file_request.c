/* See file.h. A thread for each file that has had a request does them one after the other. It calls nothing of
 * DART, whose other callers may count on being the only thread; so a request that needs a lock is done by the call
 * that completes it. So is one whose file has no such thread, because the system has given none. */
#include "file/file.h"

#include <errno.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/profile.h"
#include "base/thread.h"
#include "far/progress.h"
#include "file/file_transfer.h"
#include "model/world.h"
#include "wait/timed.h"
#include "wait/wait.h"

DART__PROFILED(dart_file_read_at_request, dart_file_write_at_request, dart_file_wait);
DART__PROFILED(dart_file_test);

/* A test waits one part of so many of the time of the tests before, for either lock, but not for less than that. */
#define WAITED_OF 10

struct dart_file_request_struct {
  dart_file_request_t next;
  dart_file_t         file;
  dart__access_t      access;
  bool                is_read;
  bool                is_queued; /* the thread does it, or has done it */
  int64_t             since; /* ns; when a test found it locked for the first time; 0: none has */
  size_t              done;  /* data bytes */
  int                 error;
  _Atomic uint32_t    is_done; /* a futex; 1: the thread has finished */
};

struct dart__file_worker {
  pthread_t           thread;
  pthread_mutex_t     guard;
  pthread_cond_t      changed;
  dart_file_request_t first; /* not begun */
  dart_file_request_t last;
  bool                stop;
};

/* ---- the thread -------------------------------------------------------------------------------- */

/* The next request, waiting for one; NULL: it is to end. */
static dart_file_request_t next_request(struct dart__file_worker *w)
{
  dart_file_request_t request;

  pthread_mutex_lock(&w->guard);
  while (w->first == NULL && !w->stop)
    pthread_cond_wait(&w->changed, &w->guard);
  request = w->first;
  if (request != NULL)
    w->first = request->next;
  pthread_mutex_unlock(&w->guard);
  return request;
}

static void *work(void *argument)
{
  struct dart__file_worker *w = argument;
  dart_file_request_t       r;

  while ((r = next_request(w)) != NULL) {
    r->error = dart__file_transfer_apart(r->file, &r->access, r->is_read, &r->done);
    /* release: pairs with the acquire of the thread that completes it, which may free it from then on; a wake-up of an address
     * that is in use for something else does no harm */
    atomic_store_explicit(&r->is_done, 1, memory_order_release);
    dart__futex_wake(&r->is_done, 1);
  }
  return NULL;
}

/* The file's thread; NULL: there is none to be had. Threads of the program may begin requests at the same time. */
static struct dart__file_worker *worker_of(dart_file_t file)
{
  static pthread_mutex_t    one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
  struct dart__file_worker *w;

  pthread_mutex_lock(&one_at_a_time);
  w = file->worker;
  if (w == NULL && (w = calloc(1, sizeof *w)) != NULL) {
    pthread_mutex_init(&w->guard, NULL);
    pthread_cond_init(&w->changed, NULL);
    if (dart__thread_start(&w->thread, "dart-file", work, w) == 0) {
      file->worker = w;
    } else {
      free(w);
      w = NULL;
    }
  }
  pthread_mutex_unlock(&one_at_a_time);
  return w;
}

void dart__file_end_requests(dart_file_t file)
{
  struct dart__file_worker *w = file->worker;

  if (w == NULL)
    return;
  pthread_mutex_lock(&w->guard);
  w->stop = true;
  pthread_cond_signal(&w->changed);
  pthread_mutex_unlock(&w->guard);
  pthread_join(w->thread, NULL);
  pthread_cond_destroy(&w->changed);
  pthread_mutex_destroy(&w->guard);
  free(w);
  file->worker = NULL;
}

static bool queue(dart_file_request_t request)
{
  struct dart__file_worker *w = worker_of(request->file);

  if (w == NULL)
    return false;
  dart__thread_work_begin("requests of files");
  pthread_mutex_lock(&w->guard);
  if (w->first == NULL)
    w->first = request;
  else
    w->last->next = request;
  w->last = request;
  pthread_cond_signal(&w->changed);
  pthread_mutex_unlock(&w->guard);
  return true;
}

/* ---- beginning ---------------------------------------------------------------------------------- */

static dart_ret_t begin_request(const char *function, dart_file_t file, uint64_t offset,
                                const void *buffer, size_t nelem, dart_datatype_t mem_type,
                                dart_datatype_t file_type, bool is_read,
                                dart_file_request_t *request)
{
  unsigned            needs = is_read ? DART_FILE_READ : DART_FILE_WRITE;
  dart__access_t      access;
  dart_file_request_t r;
  dart_ret_t          ret;

  if (request == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: request is NULL", function);
  *request = DART_FILE_REQUEST_NULL;
  if (dart__file_check(function, file) == NULL)
    return DART_ERR_INVAL;
  ret =
      dart__file_access(function, file, offset, buffer, nelem, mem_type, file_type, needs, &access);
  if (ret != DART_OK)
    return ret;
  r = calloc(1, sizeof *r);
  if (r == NULL)
    return dart__fail(DART_ERR_NOMEM, "%s: no memory", function);
  r->file      = file;
  r->access    = access;
  r->is_read   = is_read;
  r->is_queued = true; /* before the thread has it */
  atomic_fetch_add_explicit(&file->npending, 1, memory_order_relaxed);
  if (is_read) /* so the storage device has those of all requests at a time */
    dart__file_read_soon(file, &access);
  if (dart__file_needs_lock(file, &access) || !queue(r))
    r->is_queued = false;
  *request = r;
  return DART_OK;
}

dart_ret_t dart_file_read_at_request(dart_file_t file, uint64_t offset, void *buffer, size_t nelem,
                                     dart_datatype_t mem_type, dart_datatype_t file_type,
                                     dart_file_request_t *request)
{
  return begin_request(__func__, file, offset, buffer, nelem, mem_type, file_type, true, request);
}

dart_ret_t dart_file_write_at_request(dart_file_t file, uint64_t offset, const void *buffer,
                                      size_t nelem, dart_datatype_t mem_type,
                                      dart_datatype_t file_type, dart_file_request_t *request)
{
  return begin_request(__func__, file, offset, buffer, nelem, mem_type, file_type, false, request);
}

/* ---- completing ----------------------------------------------------------------------------------- */

static bool is_request_done(void *request)
{
  dart_file_request_t r = request;

  /* acquire: pairs with the release in work */
  return atomic_load_explicit(&r->is_done, memory_order_acquire) != 0;
}

/* Do what the thread does not. DART_PENDING: timed out. */
static dart_ret_t complete_request(dart_file_request_t r, int64_t timeout_us)
{
  /* after dart_exit a request can be completed still, so that its file can be closed */
  dart__wait_pace_t pace = { .progress = dart__world.initialized ? dart__world.pace.progress : NULL,
                             .nap_us   = dart__world.pace.nap_us };
  dart__wait_t      wait = { .look      = is_request_done,
                             .context   = r,
                             .limit_ns  = timeout_us < 0 ? INT64_MAX : 0,
                             .backs_off = true, /* the thread may need this core */
                             .word      = &r->is_done };

  if (!r->is_queued)
    return dart__file_transfer(r->file, &r->access, r->is_read, timeout_us, &r->done, &r->error);
  if (!dart__wait_until(&wait, &(dart__wait_policy_t){ .pace = &pace }))
    return DART_PENDING;
  return r->error == 0 ? DART_OK : r->error == ENOMEM ? DART_ERR_NOMEM : DART_ERR_OTHER;
}

/* How long a test may wait for its turn. A try takes no place among those that wait, so while others keep coming it
 * never finds the bytes free. A place that it kept after it returned would hold up the others until the program tests
 * again, and the program may be waiting for them. So a test that comes after others takes a place for a part of the
 * time that these went on; that grows, until it is long enough. */
static int64_t patience_us(const struct dart_file_request_struct *r)
{
  int64_t us = r->since == 0 ? 0 : (dart__now_ns() - r->since) / 1000 / WAITED_OF;

  return us < DART__AWAKE_US ? 0 : us;
}

/* Release a request whose result is `ret`. */
static dart_ret_t release_request(const char *function, dart_file_request_t *request,
                                  dart_ret_t ret, size_t *nelem)
{
  dart_file_request_t r = *request;

  ret = dart__file_done(function, &r->access, r->is_read, ret, r->error, r->done, nelem);
  atomic_fetch_sub_explicit(&r->file->npending, 1, memory_order_relaxed);
  if (r->is_queued)
    dart__thread_work_end();
  free(r);
  *request = DART_FILE_REQUEST_NULL;
  return ret;
}

dart_ret_t dart__file_check_pending(const char *function, dart_file_t file)
{
  /* relaxed: a program that begins requests in other threads meanwhile breaks the contract */
  uint32_t n = atomic_load_explicit(&file->npending, memory_order_relaxed);

  if (n == 0)
    return DART_OK;
  return dart__fail(DART_ERR_INVAL, "%s: %u requests of the file are pending", function, n);
}

static bool check_request(const char *function, dart_file_request_t *request, size_t *nelem)
{
  if (nelem != NULL)
    *nelem = 0;
  if (request == NULL)
    dart__error("%s: request is NULL", function);
  return request != NULL;
}

dart_ret_t dart_file_wait(dart_file_request_t *request, size_t *nelem)
{
  dart__timed_t timed;
  dart_ret_t    ret;

  if (!check_request(__func__, request, nelem))
    return DART_ERR_INVAL;
  if (*request == DART_FILE_REQUEST_NULL)
    return DART_OK;
  if (dart__world.initialized)
    dart__progress();
  timed = dart__timed_begin(DART__COUNT_FILE);
  ret   = complete_request(*request, -1);
  dart__timed_end(DART__COUNT_FILE, timed);
  return release_request(__func__, request, ret, nelem);
}

dart_ret_t dart_file_test(dart_file_request_t *request, int32_t *done, size_t *nelem)
{
  dart_ret_t ret;

  if (done == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: done is NULL", __func__);
  *done = 0;
  if (!check_request(__func__, request, nelem))
    return DART_ERR_INVAL;
  *done = 1;
  if (*request == DART_FILE_REQUEST_NULL)
    return DART_OK;
  if (dart__world.initialized)
    dart__progress(); /* may be called in a polling loop */
  ret = complete_request(*request, patience_us(*request));
  if (ret != DART_PENDING)
    return release_request(__func__, request, ret, nelem);
  if ((*request)->since == 0)
    (*request)->since = dart__now_ns();
  *done = 0;
  return DART_OK;
}
