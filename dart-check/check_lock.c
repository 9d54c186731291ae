/* Locks, range objects and allocators: objects that a team creates and destroys together. */
#include "nesting.h"
#include "object_call.h"
#include "pending.h"
#include "race.h"
#include "segment.h"

/* ---- locks ---------------------------------------------------------------------------------------- */

dart_ret_t dart_team_lock_init(dart_team_t teamid, dart_lock_t *lock)
{
  DART__CHECK_MAKES(dart_team_lock_init, LOCK, lock, teamid, 0, teamid, lock);
}

dart_ret_t dart_team_lock_destroy(dart_lock_t *lock)
{
  DART__CHECK_ENDS(dart_team_lock_destroy, LOCK, lock);
}

/* The place where holders publish their clocks. An object is known by its number in its team. */
static dart__check_place_t place_of_object(dart__check_kind_t kind, const void *object)
{
  dart_team_t team   = 0;
  uint64_t    serial = 0;

  if (!dart__check_for(DART__CHECK_RACES) ||
      !dart__check_owner(kind, (uintptr_t)object, &team, &serial))
    return (dart__check_place_t){ .home = -1 };
  return dart__check_thing((int32_t)((serial + (uint64_t)team) % dart__check.nunits),
                           DART__CALL_dart_lock_acquire, (uint64_t)kind, (uint64_t)team, serial);
}

/* This unit has acquired the lock. */
static void taken(const void *lock, const dart__check_lock_t *known, dart__at_t at)
{
  dart__check_take(place_of_object(DART__CHECK_LOCK, lock));
  dart__check_nest_taken(known, 0, at);
}

dart_ret_t dart_lock_acquire(dart_lock_t lock)
{
  dart__at_t         at = DART__AT(dart_lock_acquire);
  dart__check_lock_t known;
  dart_ret_t         ret;

  dart__check_guards(at);
  if (!dart__check_may_use(DART__CHECK_LOCK, (uintptr_t)lock, at))
    return DART_ERR_INVAL;
  known = dart__check_lock_object(lock);
  dart__check_nest_wanted(&known, 1, at);
  ret = pdart_lock_acquire(lock);
  if (ret == DART_OK)
    taken(lock, &known, at);
  return ret;
}

dart_ret_t dart_lock_try_acquire(dart_lock_t lock, int32_t *result)
{
  dart__at_t         at = DART__AT(dart_lock_try_acquire);
  dart__check_lock_t known;
  dart_ret_t         ret;

  if (dart__check_may_use(DART__CHECK_LOCK, (uintptr_t)lock, at)) {
    known = dart__check_lock_object(lock);
    ret   = pdart_lock_try_acquire(lock, result);
    if (ret == DART_OK && *result)
      taken(lock, &known, at);
    return ret;
  }
  if (result != NULL)
    *result = 0;
  return DART_ERR_INVAL;
}

dart_ret_t dart_lock_release(dart_lock_t lock)
{
  dart__at_t         at = DART__AT(dart_lock_release);
  dart__check_lock_t known;

  dart__check_guards(at);
  if (!dart__check_may_use(DART__CHECK_LOCK, (uintptr_t)lock, at))
    return DART_ERR_INVAL;
  dart__check_publish(place_of_object(DART__CHECK_LOCK, lock));
  known = dart__check_lock_object(lock);
  dart__check_nest_left_lock(&known);
  return pdart_lock_release(lock);
}

/* ---- range objects -------------------------------------------------------------------------------- */

dart_ret_t dart_team_range_init(dart_team_t teamid, uint64_t stripe, size_t capacity,
                                dart_range_t *range)
{
  DART__CHECK_MAKES(dart_team_range_init, RANGE, range, teamid, 0, teamid, stripe, capacity, range);
}

dart_ret_t dart_team_range_destroy(dart_range_t *range)
{
  DART__CHECK_ENDS(dart_team_range_destroy, RANGE, range);
}

/* A hold record does not name its range object, so all range objects share one place. */
static dart__check_place_t place_of_ranges(void)
{
  return dart__check_thing(0, DART__CALL_dart_range_acquire, 0, 0, 0);
}

/* A call acquires all its spans together. Spans beyond this number are not checked for their order. */
enum { SPANS = 16 };

static size_t lock_spans(dart_range_t range, const dart_range_span_t spans[], size_t n,
                         dart__check_lock_t known[SPANS])
{
  if (!dart__check_for(DART__CHECK_LOCKS) || spans == NULL)
    return 0;
  n = n < SPANS ? n : SPANS;
  for (size_t i = 0; i < n; i++)
    known[i] = dart__check_lock_span(range, &spans[i]);
  return n;
}

dart_ret_t dart_range_acquire(dart_range_t range, const dart_range_span_t spans[], size_t n,
                              int64_t timeout_us, dart_range_hold_t *hold)
{
  dart__at_t         at = DART__AT(dart_range_acquire);
  dart__check_lock_t known[SPANS];
  size_t             nknown;
  dart_ret_t         ret;

  if (!dart__check_may_use(DART__CHECK_RANGE, (uintptr_t)range, at))
    return DART_ERR_INVAL;
  nknown = lock_spans(range, spans, n, known);
  if (timeout_us < 0)
    dart__check_nest_wanted(known, nknown, at);
  ret = pdart_range_acquire(range, spans, n, timeout_us, hold);
  if (ret != DART_OK)
    return ret;
  dart__check_take(place_of_ranges());
  for (size_t i = 0; i < nknown; i++)
    dart__check_nest_taken(&known[i], (uintptr_t)*hold, at);
  return ret;
}

dart_ret_t dart_range_release(dart_range_hold_t *hold)
{
  dart__check_publish(place_of_ranges());
  dart__check_nest_left(DART__CHECK_KEY(hold));
  return pdart_range_release(hold);
}

/* ---- allocators ----------------------------------------------------------------------------------- */

dart_ret_t dart_allocator_new(size_t pool_size, dart_team_t team, dart_allocator_t *new_allocator)
{
  if (new_allocator == NULL)
    return pdart_allocator_new(pool_size, team, new_allocator);
  DART__CHECK_MAKES(dart_allocator_new, ALLOCATOR, new_allocator, team, pool_size, pool_size, team,
                    new_allocator);
}

/* The length of the block is not known, so all words behind its beginning count as freed. */
dart_ret_t dart_allocator_free(dart_gptr_t *gptr, dart_allocator_t allocator)
{
  if (gptr != NULL)
    dart__check_nest_freed(gptr->teamid, gptr->segid, gptr->unitid, gptr->addr_or_offs.offset,
                           UINT64_MAX);
  return pdart_allocator_free(gptr, allocator);
}

dart_ret_t dart_allocator_destroy(dart_allocator_t *allocator)
{
  DART__CHECK_ENDS(dart_allocator_destroy, ALLOCATOR, allocator);
}
