/* MPI's performance variables, read beside DART's own statistics.
 *
 * An MPI offers any number of them, or none, which describe themselves. A variable is read through a handle in a
 * session; one that does not count all the time is started. Those of communicators are bound to MPI_COMM_WORLD; those
 * of objects that come and go (windows, files, requests) are left out, and so is what is not a whole number or a time.
 *
 * The tool interface is started by the first dart_init and stays, as MPI does (see doc/internals/mpi-underneath.md). Variables are
 * opened when somebody first asks for the list: to open one runs code of the part of MPI that it belongs to, and a
 * program that does not look at statistics has no use for that. Opened variables stay open; once the program has
 * finalised MPI, they are what they were at the last read.
 *
 * To begin anew MPI need not change anything where a variable is a sum: what it was is subtracted. Others are reset,
 * where MPI allows it. */
#include "mpi/pvar.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "mpi/call.h"
#include "mpi/vendor.h"
#include "net.h"

#define PREFIX "mpi."

enum { NAME_BYTES = 256, MEANING_BYTES = 512 };

typedef struct {
  char name[NAME_BYTES], meaning[MEANING_BYTES]; /* the name with the prefix */
  int class, is_readonly, is_continuous;
  MPI_Datatype      type;
  MPI_T_pvar_handle handle;
  void             *elements; /* of a read */
  int               nelem;
  uint64_t          last, start; /* at the last read; what is subtracted */
} pvar_t;

static pthread_mutex_t    mutex = PTHREAD_MUTEX_INITIALIZER; /* guards all below */
static bool               is_open;                           /* the tool interface runs */
static bool               is_found;                          /* the list was made */
static MPI_T_pvar_session session;
static pvar_t           **pvars; /* their texts are the caller's for ever, so they do not move */
static size_t             npvars;

static bool is_sum(const pvar_t *pvar)
{
  return pvar->class == MPI_T_PVAR_CLASS_COUNTER || pvar->class == MPI_T_PVAR_CLASS_AGGREGATE ||
         pvar->class == MPI_T_PVAR_CLASS_TIMER;
}

/* Seconds; a timer of whole numbers counts in units of its own. */
static bool is_time(const pvar_t *pvar)
{
  return pvar->class == MPI_T_PVAR_CLASS_TIMER && pvar->type == MPI_DOUBLE;
}

/* ---- reading ------------------------------------------------------------------------------------ */

static uint64_t element(const pvar_t *pvar, int i)
{
  const char *at = pvar->elements;

  if (pvar->type == MPI_INT)
    return (uint64_t)((const int *)(const void *)at)[i];
  if (pvar->type == MPI_UNSIGNED)
    return ((const unsigned *)(const void *)at)[i];
  if (pvar->type == MPI_UNSIGNED_LONG)
    return ((const unsigned long *)(const void *)at)[i];
  if (pvar->type == MPI_UNSIGNED_LONG_LONG)
    return ((const unsigned long long *)(const void *)at)[i];
  return (uint64_t)(((const double *)(const void *)at)[i] * (is_time(pvar) ? 1e9 : 1.0));
}

/* Of several elements the sum. */
static uint64_t read_pvar(pvar_t *pvar)
{
  int      finalized = 0;
  uint64_t sum       = 0;

  if (MPI_Finalized(&finalized) != MPI_SUCCESS || finalized ||
      DART__MPI_CALL(MPI_T_pvar_read, session, pvar->handle, pvar->elements) != MPI_SUCCESS)
    return pvar->last;
  for (int i = 0; i < pvar->nelem; i++)
    sum += element(pvar, i);
  return pvar->last = sum;
}

static void begin_anew(pvar_t *pvar)
{
  int finalized = 0;

  if (is_sum(pvar))
    pvar->start = read_pvar(pvar);
  else if (!pvar->is_readonly && MPI_Finalized(&finalized) == MPI_SUCCESS && !finalized)
    (void)DART__MPI_CALL(MPI_T_pvar_reset, session, pvar->handle);
}

/* ---- finding ------------------------------------------------------------------------------------ */

/* The description of variable `index`. False: it is none that can be read as a number. */
static bool describe_variable(int index, pvar_t *pvar)
{
  int        verbosity, binding, is_atomic;
  int        name_nbytes = NAME_BYTES - (int)strlen(PREFIX), meaning_nbytes = MEANING_BYTES;
  MPI_T_enum texts;

  strcpy(pvar->name, PREFIX);
  if (DART__MPI_CALL(MPI_T_pvar_get_info, index, pvar->name + strlen(PREFIX), &name_nbytes,
                     &verbosity, &pvar->class, &pvar->type, &texts, pvar->meaning, &meaning_nbytes,
                     &binding, &pvar->is_readonly, &pvar->is_continuous,
                     &is_atomic) != MPI_SUCCESS ||
      !dart__vendor_can_open_pvar(pvar->name + strlen(PREFIX)))
    return false;
  if (binding != MPI_T_BIND_NO_OBJECT && binding != MPI_T_BIND_MPI_COMM)
    return false;
  if (pvar->class == MPI_T_PVAR_CLASS_GENERIC || pvar->class == MPI_T_PVAR_CLASS_PERCENTAGE)
    return false;
  return pvar->type == MPI_INT || pvar->type == MPI_UNSIGNED || pvar->type == MPI_UNSIGNED_LONG ||
         pvar->type == MPI_UNSIGNED_LONG_LONG || pvar->type == MPI_DOUBLE;
}

/* The handle of one that is described: reading. */
static bool begin_reading(int index, pvar_t *pvar)
{
  MPI_Comm world = MPI_COMM_WORLD; /* ignored for a variable of no object */

  if (DART__MPI_CALL(MPI_T_pvar_handle_alloc, session, index, &world, &pvar->handle,
                     &pvar->nelem) != MPI_SUCCESS)
    return false;
  pvar->elements = pvar->nelem > 0 ? calloc((size_t)pvar->nelem, sizeof(uint64_t)) : NULL;
  if (pvar->elements != NULL &&
      (pvar->is_continuous ||
       DART__MPI_CALL(MPI_T_pvar_start, session, pvar->handle) == MPI_SUCCESS))
    return true;
  free(pvar->elements);
  MPI_T_pvar_handle_free(session, &pvar->handle);
  return false;
}

static void add_variable(int index)
{
  pvar_t *pvar = calloc(1, sizeof *pvar);

  if (pvar != NULL && describe_variable(index, pvar) && begin_reading(index, pvar))
    pvars[npvars++] = pvar;
  else
    free(pvar);
}

/* MPI's tool interface runs. */
static void find_all(void)
{
  int n;

  if (dart__vendor_has_no_pvars() || DART__MPI_CALL(MPI_T_pvar_get_num, &n) != MPI_SUCCESS ||
      n <= 0 || DART__MPI_CALL(MPI_T_pvar_session_create, &session) != MPI_SUCCESS)
    return;
  pvars = calloc((size_t)n, sizeof(pvar_t *));
  for (int i = 0; pvars != NULL && i < n; i++)
    add_variable(i);
  if (npvars > 0)
    return;
  free(pvars);
  pvars = NULL;
  MPI_T_pvar_session_free(&session);
}

/* The mutex is held. */
static void find(void)
{
  int finalized = 0;

  if (!is_open || is_found)
    return;
  is_found = true;
  if (MPI_Finalized(&finalized) != MPI_SUCCESS || finalized)
    return;
  find_all();
  for (size_t i = 0; i < npvars; i++)
    begin_anew(pvars[i]);
}

void dart__mpi_pvars_open(void)
{
  int provided;

  pthread_mutex_lock(&mutex);
  if (!is_open)
    is_open = DART__MPI_CALL(MPI_T_init_thread, MPI_THREAD_MULTIPLE, &provided) == MPI_SUCCESS;
  if (dart__settings.stats.form != DART__STATS_NONE)
    find();
  pthread_mutex_unlock(&mutex);
}

/* ---- as statistics ------------------------------------------------------------------------------ */

static size_t pvars_size(void)
{
  size_t n;

  pthread_mutex_lock(&mutex);
  find();
  n = npvars;
  pthread_mutex_unlock(&mutex);
  return n;
}

static dart_stats_info_t pvars_describe(size_t index)
{
  dart_stats_info_t info;

  pthread_mutex_lock(&mutex);
  info = (dart_stats_info_t){ pvars[index]->name, pvars[index]->meaning, DART_STATS_VALUE };
  if (is_sum(pvars[index]))
    info.kind = is_time(pvars[index]) ? DART_STATS_TIME : DART_STATS_EVENTS;
  pthread_mutex_unlock(&mutex);
  return info;
}

static uint64_t pvars_read(size_t index)
{
  uint64_t value;

  pthread_mutex_lock(&mutex);
  value = read_pvar(pvars[index]) - pvars[index]->start;
  pthread_mutex_unlock(&mutex);
  return value;
}

static void pvars_reset(void)
{
  pthread_mutex_lock(&mutex);
  for (size_t i = 0; i < npvars; i++)
    begin_anew(pvars[i]);
  pthread_mutex_unlock(&mutex);
}

const dart__net_stats_t dart__mpi_stats = {
  .size = pvars_size, .describe = pvars_describe, .read = pvars_read, .reset = pvars_reset
};
