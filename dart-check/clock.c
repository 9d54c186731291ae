/* Each unit has a clock: a number for each unit, its own too. A release joins the clock into the place by an
 * accumulate of MAX and makes the own number go on; an acquire gets the place and joins it into the clock. (Vector
 * clocks: Fidge 1988, Mattern 1989. The number that goes on at releases only is that of FastTrack: Flanagan, Freund,
 * PLDI 2009.)
 *
 * The releasing unit writes the place before the call that lets others go on, and the acquiring one reads it after the
 * call that waited. So it gets what it has waited for, and perhaps more: what others have released meanwhile. Places
 * are a table of bounded size, by a hash. Both can only hide a race. */
#include "clock.h"

#include <stdlib.h>
#include <string.h>

enum {
  PLACES_BYTES = 1 << 20, /* of a unit's places, */
  ROWS_BYTES   = 4 << 20, /* and of the rows of its table, at most */
  FEW          = 64       /* units, for whose numbers there is room on the stack */
};

static dart_gptr_t memory; /* places, then rows */
static uint64_t   *rows;   /* the own ones */
static size_t      nplaces, most_rows;
static uint64_t   *clock_now; /* the own number is the one that the next release passes on */
static uint32_t    nrows;
static bool        is_newest; /* the last row is the clock */

static dart_gptr_t at(int32_t unit, uint64_t offset)
{
  dart_gptr_t gptr = memory;

  gptr.unitid              = unit;
  gptr.addr_or_offs.offset = offset;
  return gptr;
}

static size_t row_bytes(void)
{
  return dart__check.nunits * sizeof *clock_now;
}

void dart__check_clocks_open(dart_team_t team)
{
  size_t nbytes;
  char  *own;

  most_rows = ROWS_BYTES / row_bytes();
  for (nplaces = 1; 2 * nplaces * row_bytes() <= PLACES_BYTES;)
    nplaces *= 2;
  nbytes = (nplaces + most_rows) * row_bytes();
  if (pdart_team_memalloc_aligned(team, nbytes, DART_TYPE_BYTE, &memory) != DART_OK ||
      pdart_gptr_getaddr(at(dart__check.me, 0), (void **)&own) != DART_OK)
    pdart_abort(DART_EXIT_ABORT);
  memset(own, 0, nplaces * row_bytes());
  rows      = (uint64_t *)(void *)(own + nplaces * row_bytes());
  clock_now = dart__check_room(NULL, row_bytes());
  memset(clock_now, 0, row_bytes());
  clock_now[dart__check.me] = 1;
  nrows                     = 0;
  is_newest                 = false;
  pdart_barrier(team); /* nobody releases to places that are not empty */
}

void dart__check_clocks_forget(void)
{
  free(clock_now);
  clock_now = NULL;
}

uint64_t dart__check_now(void)
{
  return clock_now[dart__check.me];
}

/* The clock to `copy`, and the own number goes on. */
static void pass_on(uint64_t *copy)
{
  dart__check_lock();
  memcpy(copy, clock_now, row_bytes());
  clock_now[dart__check.me]++;
  dart__check_unlock();
}

static bool join(const uint64_t *other)
{
  bool is_new = false;

  dart__check_lock();
  for (size_t i = 0; i < dart__check.nunits; i++)
    if (other[i] > clock_now[i] && i != (size_t)dart__check.me) {
      clock_now[i] = other[i];
      is_new       = true;
    }
  is_newest = is_newest && !is_new;
  dart__check_unlock();
  return is_new;
}

/* ---- places --------------------------------------------------------------------------------------- */

static dart_gptr_t pointer_to(dart__check_place_t place)
{
  uint64_t mixed = place.hash * UINT64_C(0x9e3779b97f4a7c15);

  return at(place.home, ((mixed >> 32) & (nplaces - 1)) * row_bytes());
}

/* Room for a clock: `few` where it suffices. */
static uint64_t *room(uint64_t *few)
{
  return dart__check.nunits <= FEW ? few : dart__check_room(NULL, row_bytes());
}

static void end_room(uint64_t *numbers, const uint64_t *few)
{
  if (numbers != few)
    free(numbers);
}

void dart__check_release_all(const dart__check_place_t places[], size_t n)
{
  uint64_t few[FEW], *copy;

  if (n == 0 || places[0].home < 0)
    return;
  copy = room(few);
  pass_on(copy);
  for (size_t i = 0; i < n; i++)
    pdart_accumulate(pointer_to(places[i]), copy, dart__check.nunits, DART_TYPE_ULONGLONG,
                     DART_OP_MAX);
  pdart_flush(pointer_to(places[0]));
  end_room(copy, few);
}

void dart__check_release(dart__check_place_t place)
{
  dart__check_release_all(&place, 1);
}

bool dart__check_acquire(dart__check_place_t place)
{
  uint64_t few[FEW], *copy;
  bool     is_new;

  if (place.home < 0)
    return false;
  copy = room(few);
  pdart_get_blocking(copy, pointer_to(place), dart__check.nunits, DART_TYPE_ULONGLONG,
                     DART_TYPE_ULONGLONG);
  is_new = join(copy);
  end_room(copy, few);
  return is_new;
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
  join(joined);
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

void dart__check_rows_read(int32_t unit, uint32_t n, uint64_t *numbers)
{
  if (n > 0 && pdart_get_blocking(numbers, at(unit, nplaces * row_bytes()), n * dart__check.nunits,
                                  DART_TYPE_ULONGLONG, DART_TYPE_ULONGLONG) != DART_OK)
    abort();
}

uint32_t dart__check_rows(void)
{
  return nrows;
}

static int compare(const void *a, const void *b)
{
  uint32_t left = **(uint32_t *const *)a, right = **(uint32_t *const *)b;

  return left < right ? -1 : left > right;
}

/* Ascending, so that no row is overwritten before it has moved. */
void dart__check_rows_keep(uint32_t *kept[], size_t n)
{
  uint32_t last = DART__CHECK_NO_ROW;

  nrows     = 0;
  is_newest = false;
  if (n == 0)
    return;
  qsort(kept, n, sizeof *kept, compare);
  for (size_t i = 0; i < n; i++) {
    if (*kept[i] != last) {
      last = *kept[i];
      memmove(rows + nrows++ * dart__check.nunits, rows + (size_t)last * dart__check.nunits,
              row_bytes());
    }
    *kept[i] = nrows - 1;
  }
}
