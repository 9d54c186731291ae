/* Requests: waits and tests of all kinds, on top of one step.
 *
 * A request is complete when what is behind it says so, and then is consumed: reported and given
 * back to MPI. Between the two lies nothing but the lock, so a test of several can look at all of
 * them before it takes any. A wait is a test that is repeated. Requests of operations that MPI
 * does not know yet are generalized requests of MPI, whose handle is all that is used of them. */
#include <sched.h>
#include <stdlib.h>

#include "adversary.h"

#define PATIENCE 6 /* tests that may say "not yet", at most */

/* ---- making ----------------------------------------------------------------------------- */

static adv_request_t *new_request(MPI_Request handle, const adv_request_class_t *class, void *what)
{
  adv_request_t *r = calloc(1, sizeof *r);

  r->class    = class;
  r->call     = adv_call();
  r->patience = adv_does(ADV_LATER) && adv_chance(50) ? adv_random(PATIENCE + 1) : 0;
  r->handle   = handle;
  r->what     = what;
  adv_object_add(ADV_REQUEST, ADV_HANDLE(handle), r);
  return r;
}

void adv_request_watch(MPI_Request request, const adv_request_class_t *class, void *what)
{
  if (request != MPI_REQUEST_NULL)
    new_request(request, class, what);
}

static int no_query(void *unused, MPI_Status *status)
{
  (void)unused;
  adv_status_clear(status);
  return MPI_SUCCESS;
}

static int no_free(void *unused)
{
  (void)unused;
  return MPI_SUCCESS;
}

static int no_cancel(void *unused, int complete)
{
  (void)unused;
  (void)complete;
  return MPI_SUCCESS;
}

MPI_Request adv_request_make(const adv_request_class_t *class, void *what, adv_request_t **r_out)
{
  MPI_Request handle;

  PMPI_Grequest_start(no_query, no_free, no_cancel, NULL, &handle);
  *r_out           = new_request(handle, class, what);
  (*r_out)->is_own = true;
  return handle;
}

void adv_status_clear(MPI_Status *status)
{
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_ANY_SOURCE;
  status->MPI_TAG    = MPI_ANY_TAG;
  status->MPI_ERROR  = MPI_SUCCESS;
}

/* ---- one step, with the lock held ------------------------------------------------------- */

/* Whether a request may be reported as complete; it stays as it is. */
static bool is_ready(MPI_Request request, MPI_Status *status)
{
  adv_request_t *r = adv_object_find(ADV_REQUEST, ADV_HANDLE(request));
  int            done;

  if (r == NULL) {
    PMPI_Request_get_status(request, &done, status);
    return done;
  }
  if (r->patience > 0) {
    r->patience--;
    return false;
  }
  if (!r->is_done)
    r->is_done = r->class->advance(r, &r->status);
  *status = r->status;
  return r->is_done;
}

/* Report a request that is ready; NULL and foreign ones are MPI's to report. */
static int consume(MPI_Request *request, MPI_Status *status, const MPI_Status *ready)
{
  adv_request_t *r = adv_object_find(ADV_REQUEST, ADV_HANDLE(*request));
  int            ret;

  if (r == NULL)
    return PMPI_Wait(request, status);
  adv_object_remove(ADV_REQUEST, ADV_HANDLE(*request));
  if (r->is_own)
    PMPI_Grequest_complete(*request);
  ret = PMPI_Wait(request, MPI_STATUS_IGNORE);
  if (status != MPI_STATUS_IGNORE)
    *status = *ready;
  if (r->class->finish != NULL)
    r->class->finish(r);
  free(r);
  return ret;
}

static bool test_locked(MPI_Request *request, MPI_Status *status, int *ret_out)
{
  MPI_Status ready;
  bool       done = *request == MPI_REQUEST_NULL || is_ready(*request, &ready);

  *ret_out = MPI_SUCCESS;
  if (done)
    *ret_out = consume(request, status, &ready);
  return done;
}

bool adv_test(MPI_Request *request, MPI_Status *status, int *ret_out)
{
  bool done;

  adv_lock();
  done = test_locked(request, status, ret_out);
  adv_unlock();
  return done;
}

/* ---- requests of MPI -------------------------------------------------------------------- */

bool adv_advance_real(adv_request_t *r, MPI_Status *status)
{
  int done;

  PMPI_Request_get_status(r->handle, &done, status);
  return done;
}

void adv_refuse_release(adv_request_t *r, MPI_Request *request)
{
  (void)request;
  adv_refuse("the request of %s may not be freed", r->call);
}

void adv_refuse_cancel(adv_request_t *r, MPI_Request *request)
{
  (void)request;
  adv_refuse("the request of %s may not be cancelled", r->call);
}

const adv_request_class_t adv_collective_class = { .advance = adv_advance_real,
                                                   .release = adv_refuse_release,
                                                   .cancel  = adv_refuse_cancel };

/* ---- one request ------------------------------------------------------------------------ */

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
  int ret;

  if (!adv_enter("MPI_Test"))
    return PMPI_Test(request, flag, status);
  *flag = adv_test(request, status, &ret);
  adv_leave();
  return ret;
}

static int wait_for(MPI_Request *request, MPI_Status *status)
{
  int ret;

  while (!adv_test(request, status, &ret))
    sched_yield();
  return ret;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
  int ret;

  if (!adv_enter("MPI_Wait"))
    return PMPI_Wait(request, status);
  ret = wait_for(request, status);
  adv_leave();
  return ret;
}

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
  MPI_Status ready;

  if (!adv_enter("MPI_Request_get_status"))
    return PMPI_Request_get_status(request, flag, status);
  if (request == MPI_REQUEST_NULL) {
    PMPI_Request_get_status(request, flag, status);
  } else {
    adv_lock();
    *flag = is_ready(request, &ready);
    adv_unlock();
    if (*flag && status != MPI_STATUS_IGNORE)
      *status = ready;
  }
  adv_leave();
  return MPI_SUCCESS;
}

int MPI_Request_free(MPI_Request *request)
{
  adv_request_t *r;
  int            ret = MPI_SUCCESS;

  if (!adv_enter("MPI_Request_free"))
    return PMPI_Request_free(request);
  adv_lock();
  r = adv_object_find(ADV_REQUEST, ADV_HANDLE(*request));
  if (r != NULL)
    r->class->release(r, request);
  else
    ret = PMPI_Request_free(request);
  adv_unlock();
  adv_leave();
  return ret;
}

int MPI_Cancel(MPI_Request *request)
{
  adv_request_t *r;
  int            ret = MPI_SUCCESS;

  if (!adv_enter("MPI_Cancel"))
    return PMPI_Cancel(request);
  adv_lock();
  r = adv_object_find(ADV_REQUEST, ADV_HANDLE(*request));
  if (r != NULL)
    r->class->cancel(r, request);
  else
    ret = PMPI_Cancel(request);
  adv_unlock();
  adv_leave();
  return ret;
}

/* ---- several ---------------------------------------------------------------------------- */

static MPI_Status *nth(MPI_Status *statuses, int i)
{
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
  int ret = MPI_SUCCESS;

  if (!adv_enter("MPI_Waitall"))
    return PMPI_Waitall(count, requests, statuses);
  for (int i = 0; i < count; i++) {
    int one = wait_for(&requests[i], nth(statuses, i));

    ret = ret == MPI_SUCCESS ? one : ret;
  }
  adv_leave();
  return ret;
}

/* All or none of them. */
int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
  MPI_Status *ready;
  int         ret = MPI_SUCCESS;

  if (!adv_enter("MPI_Testall"))
    return PMPI_Testall(count, requests, flag, statuses);
  ready = calloc((size_t)count + 1, sizeof *ready);
  *flag = 1;
  adv_lock();
  for (int i = 0; i < count; i++) /* each of them makes progress */
    *flag &= requests[i] == MPI_REQUEST_NULL || is_ready(requests[i], &ready[i]);
  for (int i = 0; i < count && *flag; i++) {
    int one = consume(&requests[i], nth(statuses, i), &ready[i]);

    ret = ret == MPI_SUCCESS ? one : ret;
  }
  adv_unlock();
  free(ready);
  adv_leave();
  return ret;
}

static bool any_active(int count, const MPI_Request requests[])
{
  for (int i = 0; i < count; i++)
    if (requests[i] != MPI_REQUEST_NULL)
      return true;
  return false;
}

/* Any that is complete, looked for from anywhere. */
static bool test_any(int count, MPI_Request requests[], int *index, MPI_Status *status,
                     int *ret_out)
{
  int start = (int)adv_random((uint32_t)count);

  *index   = MPI_UNDEFINED;
  *ret_out = MPI_SUCCESS;
  if (!any_active(count, requests)) {
    int flag;

    PMPI_Testany(count, requests, index, &flag, status);
    return true;
  }
  for (int i = 0; i < count; i++) {
    int at = (start + i) % count;

    if (requests[at] != MPI_REQUEST_NULL && adv_test(&requests[at], status, ret_out)) {
      *index = at;
      return true;
    }
  }
  return false;
}

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
  int ret;

  if (!adv_enter("MPI_Testany"))
    return PMPI_Testany(count, requests, index, flag, status);
  *flag = test_any(count, requests, index, status, &ret);
  adv_leave();
  return ret;
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
  int ret;

  if (!adv_enter("MPI_Waitany"))
    return PMPI_Waitany(count, requests, index, status);
  while (!test_any(count, requests, index, status, &ret))
    sched_yield();
  adv_leave();
  return ret;
}

static int test_some(int count, MPI_Request requests[], int *outcount, int indices[],
                     MPI_Status statuses[])
{
  int ret = MPI_SUCCESS;

  *outcount = any_active(count, requests) ? 0 : MPI_UNDEFINED;
  for (int i = 0; i < count; i++)
    if (requests[i] != MPI_REQUEST_NULL && adv_test(&requests[i], nth(statuses, *outcount), &ret))
      indices[(*outcount)++] = i;
  return ret;
}

int MPI_Testsome(int count, MPI_Request requests[], int *outcount, int indices[],
                 MPI_Status statuses[])
{
  int ret;

  if (!adv_enter("MPI_Testsome"))
    return PMPI_Testsome(count, requests, outcount, indices, statuses);
  ret = test_some(count, requests, outcount, indices, statuses);
  adv_leave();
  return ret;
}

int MPI_Waitsome(int count, MPI_Request requests[], int *outcount, int indices[],
                 MPI_Status statuses[])
{
  int ret;

  if (!adv_enter("MPI_Waitsome"))
    return PMPI_Waitsome(count, requests, outcount, indices, statuses);
  while ((ret = test_some(count, requests, outcount, indices, statuses)) == MPI_SUCCESS &&
         *outcount == 0)
    sched_yield();
  adv_leave();
  return ret;
}
