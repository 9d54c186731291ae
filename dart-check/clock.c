/* Each unit has a clock: one number for each unit of the job, itself included. A release joins the clock into a place
 * by an accumulate of MAX, and increments the unit's own number. An acquire gets the place and joins it into the clock.
 * (Vector clocks: Fidge 1988, Mattern 1989. FastTrack also increments the number at releases only: Flanagan, Freund,
 * PLDI 2009.)
 *
 * The releasing unit writes the place before the call by which others may continue. The acquiring unit reads the place
 * after the call that waited. So it gets the clock for which it has waited, and perhaps more: what other units have
 * released meanwhile. The places are a hash table of bounded size, so several things may share one. Both effects can
 * only hide a race.
 *
 * A release before an operation on a word of the same unit need not wait. The places are memory of DART_TEAM_ALL, as
 * most words are, and dart_order keeps the operation behind the clock (dash/dart/ext/dart_order.h).
 *
 * Near places are words of this process's memory, which DART changes by the CPU's atomics, too. So they are joined
 * without a call. */
#include "clock.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "check_shared.h"

enum {
  PLACES_BYTES = 1 << 20, /* of a unit's places, */
  ROWS_BYTES   = 4 << 20, /* and of the rows of its table, at most */
  FEW          = 64       /* units, whose numbers fit on the stack */
};

static dart_gptr_t        memory; /* the places, then the rows */
static uint64_t          *rows;   /* of this unit */
static size_t             nplaces, most_rows;
static _Atomic uint64_t **near;      /* each unit's places, if mapped here; else NULL */
static uint64_t          *clock_now; /* the next release publishes this unit's number */
static uint64_t           news;      /* how often the clock has learned something new */
static uint32_t           nrows;
static bool               is_newest; /* the last row is equal to the clock */

static size_t row_bytes(void)
{
  return dart__check.nunits * sizeof *clock_now;
}

static void find_near(void)
{
  near = dart__check_room(NULL, dart__check.nunits * sizeof *near);
  for (size_t i = 0; i < dart__check.nunits; i++)
    near[i] = pdart_near_ptr(dart__check_part(memory, (int32_t)i, 0));
}

void dart__check_clocks_open(void)
{
  void *own;

  most_rows = ROWS_BYTES / row_bytes();
  for (nplaces = 1; 2 * nplaces * row_bytes() <= PLACES_BYTES;)
    nplaces *= 2;
  memory = dart__check_share(DART_TEAM_ALL, (nplaces + most_rows) * row_bytes(), &own);
  memset(own, 0, nplaces * row_bytes());
  find_near();
  rows      = (uint64_t *)own + nplaces * dart__check.nunits;
  clock_now = dart__check_room(NULL, row_bytes());
  memset(clock_now, 0, row_bytes());
  clock_now[dart__check.me] = 1;
  nrows                     = 0;
  is_newest                 = false;
  pdart_barrier(DART_TEAM_ALL); /* no unit may release to places that are not cleared */
}

void dart__check_clocks_forget(void)
{
  free(clock_now);
  free(near);
  clock_now = NULL;
  near      = NULL;
}

uint64_t dart__check_now(void)
{
  return clock_now[dart__check.me];
}

uint64_t dart__check_news(void)
{
  return news;
}

/* Copy the clock to `copy`, and increment this unit's number. */
static void pass_on(uint64_t *copy)
{
  dart__check_lock();
  for (size_t i = 0; i < dart__check.nunits; i++) /* for a few numbers memcpy is slower */
    copy[i] = clock_now[i];
  clock_now[dart__check.me]++;
  dart__check_unlock();
}

/* Only the numbers of other units: this unit's number is ahead of what others know of it. */
static void greatest(uint64_t *numbers, const uint64_t *other)
{
  for (size_t i = 0; i < dart__check.nunits; i++)
    if (other[i] > numbers[i] && i != (size_t)dart__check.me)
      numbers[i] = other[i];
}

static bool join_clock(const uint64_t *other)
{
  bool is_new = false;

  dart__check_lock();
  for (size_t i = 0; i < dart__check.nunits; i++)
    if (other[i] > clock_now[i] && i != (size_t)dart__check.me) {
      clock_now[i] = other[i];
      is_new       = true;
    }
  is_newest = is_newest && !is_new;
  news += is_new;
  dart__check_unlock();
  return is_new;
}

/* ---- places --------------------------------------------------------------------------------------- */

static size_t index_of(dart__check_place_t place)
{
  return (place.hash * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (nplaces - 1);
}

static dart_gptr_t pointer_to(dart__check_place_t place)
{
  return dart__check_part(memory, place.home, index_of(place) * row_bytes());
}

/* The numbers of a near place; NULL if the place is far. */
static _Atomic uint64_t *near_place(dart__check_place_t place)
{
  return near[place.home] == NULL ? NULL : near[place.home] + index_of(place) * dart__check.nunits;
}

/* Only this unit publishes higher numbers for itself. */
static void join_near(_Atomic uint64_t *numbers, const uint64_t *copy)
{
  for (size_t i = 0; i < dart__check.nunits; i++) {
    uint64_t old = atomic_load_explicit(&numbers[i], memory_order_relaxed);

    /* release: what came before; pairs with read_near */
    if (i == (size_t)dart__check.me && !dart__check.threads)
      atomic_store_explicit(&numbers[i], copy[i], memory_order_release);
    else
      while (old < copy[i] &&
             !atomic_compare_exchange_weak_explicit(&numbers[i], &old, copy[i],
                                                    memory_order_release, memory_order_relaxed))
        ;
  }
  /* release: before the operation by which others may continue; pairs with the fence in read_near */
  atomic_thread_fence(memory_order_release);
}

static void read_near(const _Atomic uint64_t *numbers, uint64_t *copy)
{
  /* acquire: after the operation that saw what others did; pairs with the fence in join_near */
  atomic_thread_fence(memory_order_acquire);
  for (size_t i = 0; i < dart__check.nunits; i++)
    copy[i] = atomic_load_explicit((_Atomic uint64_t *)&numbers[i], memory_order_acquire);
}

/* Most gets of a word find a clock that this unit knows already. */
static bool has_news(const _Atomic uint64_t *numbers)
{
  bool news = false;

  atomic_thread_fence(memory_order_acquire); /* as in read_near */
  dart__check_lock();
  for (size_t i = 0; i < dart__check.nunits && !news; i++)
    news = i != (size_t)dart__check.me && atomic_load_explicit((_Atomic uint64_t *)&numbers[i],
                                                               memory_order_acquire) > clock_now[i];
  dart__check_unlock();
  return news;
}

static void read_place(dart__check_place_t place, uint64_t *copy)
{
  const _Atomic uint64_t *numbers = near_place(place);

  if (numbers != NULL)
    read_near(numbers, copy);
  else
    pdart_get_blocking(copy, pointer_to(place), dart__check.nunits, DART_TYPE_ULONGLONG,
                       DART_TYPE_ULONGLONG);
}

/* Memory for a clock: `few` if that is large enough. */
static uint64_t *room(uint64_t *few)
{
  return dart__check.nunits <= FEW ? few : dart__check_room(NULL, row_bytes());
}

static void end_room(uint64_t *numbers, const uint64_t *few)
{
  if (numbers != few)
    free(numbers);
}

static void pass_on_far(const dart__check_place_t places[], size_t n, const uint64_t *copy,
                        bool is_ordered)
{
  for (size_t i = 0; i < n; i++)
    pdart_accumulate_blocking_local(pointer_to(places[i]), copy, dart__check.nunits,
                                    DART_TYPE_ULONGLONG, DART_OP_MAX);
  if (is_ordered)
    pdart_order(pointer_to(places[0]));
  else
    pdart_flush(pointer_to(places[0]));
}

void dart__check_release_all(const dart__check_place_t places[], size_t n, bool is_ordered)
{
  uint64_t few[FEW], *copy;

  if (n == 0 || places[0].home < 0)
    return;
  copy = room(few);
  pass_on(copy);
  if (near[places[0].home] != NULL)
    for (size_t i = 0; i < n; i++)
      join_near(near_place(places[i]), copy);
  else
    pass_on_far(places, n, copy, is_ordered);
  end_room(copy, few);
}

void dart__check_release(dart__check_place_t place)
{
  dart__check_release_all(&place, 1, false);
}

bool dart__check_acquire(dart__check_place_t place)
{
  uint64_t few[FEW], *copy;
  bool     is_new;

  if (place.home < 0 || (near[place.home] != NULL && !has_news(near_place(place))))
    return false;
  copy = room(few);
  read_place(place, copy);
  is_new = join_clock(copy);
  end_room(copy, few);
  return is_new;
}

void dart__check_acquire_all(const dart__check_place_t places[], size_t n, uint64_t *clock)
{
  uint64_t few[FEW], *copy = room(few);

  memset(clock, 0, row_bytes());
  for (size_t i = 0; i < n && places[i].home >= 0; i++) {
    read_place(places[i], copy);
    greatest(clock, copy);
  }
  join_clock(clock);
  end_room(copy, few);
}

/* ---- collectives ---------------------------------------------------------------------------------- */

void dart__check_clocks_collective(dart_team_t team, dart__call_t call, int32_t root)
{
  uint64_t *numbers = dart__check_room(NULL, 2 * row_bytes());
  uint64_t *joined  = numbers + dart__check.nunits;
  size_t    n       = dart__check.nunits;

  pass_on(numbers);
  memcpy(joined, numbers, row_bytes());
  switch (call) {
  case DART__CALL_dart_bcast:
  case DART__CALL_dart_scatter:
    pdart_bcast(joined, n, DART_TYPE_ULONGLONG, DART_TEAM_UNIT_ID(root), team);
    break;
  case DART__CALL_dart_reduce:
  case DART__CALL_dart_gather:
    pdart_reduce(numbers, joined, n, DART_TYPE_ULONGLONG, DART_OP_MAX, DART_TEAM_UNIT_ID(root),
                 team);
    break;
  default: pdart_allreduce(numbers, joined, n, DART_TYPE_ULONGLONG, DART_OP_MAX, team);
  }
  join_clock(joined);
  free(numbers);
}

/* ---- rows ----------------------------------------------------------------------------------------- */

uint32_t dart__check_row(void)
{
  if (is_newest)
    return nrows - 1;
  if (nrows == most_rows)
    return DART__CHECK_NO_ROW;
  memcpy(rows + nrows * dart__check.nunits, clock_now, row_bytes());
  is_newest = true;
  return nrows++;
}

/* Rows are made for one operation after another, and many of these come after the same clock. */
uint32_t dart__check_row_after(uint32_t row, const uint64_t *clock)
{
  size_t    n = dart__check.nunits;
  uint64_t *next;

  if (row == DART__CHECK_NO_ROW || nrows == most_rows)
    return DART__CHECK_NO_ROW;
  next = rows + nrows * n;
  memcpy(next, rows + row * n, row_bytes());
  greatest(next, clock);
  if (memcmp(next, rows + row * n, row_bytes()) == 0)
    return row;
  if (memcmp(next, next - n, row_bytes()) == 0)
    return nrows - 1;
  is_newest = false;
  return nrows++;
}

void dart__check_rows_read(int32_t unit, uint32_t n, uint64_t *numbers)
{
  dart__check_read(numbers, memory, unit, nplaces * row_bytes(), n * row_bytes());
}

uint32_t dart__check_rows(void)
{
  return nrows;
}

static int compare_clocks(const void *a, const void *b)
{
  uint32_t left = **(uint32_t *const *)a, right = **(uint32_t *const *)b;

  return left < right ? -1 : left > right;
}

/* In ascending order, so that no row is overwritten before it has moved. */
void dart__check_rows_keep(uint32_t *kept[], size_t n)
{
  uint32_t last = DART__CHECK_NO_ROW;

  nrows     = 0;
  is_newest = false;
  if (n == 0)
    return;
  qsort(kept, n, sizeof *kept, compare_clocks);
  for (size_t i = 0; i < n; i++) {
    if (*kept[i] != last) {
      last = *kept[i];
      memmove(rows + nrows++ * dart__check.nunits, rows + (size_t)last * dart__check.nunits,
              row_bytes());
    }
    *kept[i] = nrows - 1;
  }
}
