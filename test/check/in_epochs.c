/* Accesses in epochs: those that they order, those that they do not, and the buffers of operations there. */
#include "races.h"

enum { MANY = 100 }; /* ints, too many to be copied when they are put */

static const dart_team_unit_t both[] = { { 0 }, { 1 } }, third[] = { { 2 } };

static int values[MANY], more[MANY];

/* ---- post, start, complete, wait -------------------------------------------------------------------- */

/* One after the other is the origin, which puts where the target did and does. */
static void ordered_exposures(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  for (int i = 0; i < 4; i++) {
    if (me == 2) {
      PUT(gptr);
      dart_epoch_post(gptr, 1, &both[i % 2], 0);
      dart_epoch_wait(gptr);
      PUT(gptr);
    }
    if (me == i % 2) {
      dart_epoch_start(gptr, 1, third, 0);
      dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
      dart_epoch_complete(gptr);
    }
  }
  end(gptr);
}

/* A halo: everybody exposes and accesses. */
static void ordered_halo(void)
{
  dart_gptr_t      gptr  = segment(ROOM, 2);
  dart_team_unit_t right = DART_TEAM_UNIT_ID((me + 1) % n),
                   left  = DART_TEAM_UNIT_ID((me + n - 1) % n);
  int32_t done;

  for (int i = 0; i < 5; i++) {
    dart_epoch_post(gptr, 1, &left, 0);
    dart_epoch_start(gptr, 1, &right, 0);
    dart_put(at(gptr, right.id, 0), two, 2, DART_TYPE_INT, DART_TYPE_INT);
    dart_epoch_complete(gptr);
    for (done = i % 2; !done;)
      dart_epoch_test(gptr, &done);
    if (i % 2)
      dart_epoch_wait(gptr);
    dart_get_blocking(twelve, at(gptr, me, 0), 2, DART_TYPE_INT, DART_TYPE_INT);
  }
  end(gptr);
}

static void ordered_start_nocheck(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  if (me == 2) {
    PUT(gptr);
    dart_epoch_post(gptr, 1, &both[1], DART_EPOCH_NOCHECK);
  }
  all_meet();
  if (me == 1) {
    dart_epoch_start(gptr, 1, third, DART_EPOCH_NOCHECK);
    dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
    dart_epoch_complete(gptr);
  }
  if (me == 2) {
    dart_epoch_wait(gptr);
    PUT(gptr);
  }
  end(gptr);
}

static void race_origins(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  if (me == 2) {
    dart_epoch_post(gptr, 2, both, 0);
    dart_epoch_wait(gptr);
  }
  if (me < 2) {
    dart_epoch_start(gptr, 1, third, 0);
    dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
    dart_epoch_complete(gptr);
  }
  end(gptr);
}

static void race_exposed(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  if (me == 0)
    PUT(gptr);
  if (me == 2) {
    dart_epoch_post(gptr, 1, &both[1], 0);
    dart_epoch_wait(gptr);
  }
  if (me == 1) {
    dart_epoch_start(gptr, 1, third, 0);
    dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
    dart_epoch_complete(gptr);
  }
  end(gptr);
}

/* What the message is about is complete only later. */
static void race_before_complete(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);
  int         word = 0;

  if (me == 2) {
    dart_epoch_post(gptr, 1, &both[1], 0);
    dart_epoch_wait(gptr);
  }
  if (me == 1) {
    dart_epoch_start(gptr, 1, third, 0);
    dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
    dart_send(&word, 1, DART_TYPE_INT, 3, DART_GLOBAL_UNIT_ID(0));
    dart_epoch_complete(gptr);
  }
  if (me == 0) {
    dart_recv(&word, 1, DART_TYPE_INT, 3, DART_GLOBAL_UNIT_ID(1));
    GET(gptr);
  }
  end(gptr);
}

/* ---- locks -------------------------------------------------------------------------------------------- */

/* A macro, so that the report names the case. */
#define PUT_LOCKED(gptr, kind, lock, unlock)              \
  do {                                                    \
    dart_epoch_lock(gptr, kind, lock);                    \
    dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT); \
    dart_epoch_unlock(gptr, unlock);                      \
  } while (0)

/* Nothing but the lock says who comes first; readers share it. */
static void ordered_exclusive(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  for (int i = 0; i < 5; i++) {
    PUT_LOCKED(gptr, DART_EPOCH_EXCLUSIVE, 0, i % 2 ? DART_EPOCH_LAZY : 0);
    dart_epoch_lock(gptr, DART_EPOCH_SHARED, 0);
    GET(gptr);
    dart_epoch_unlock(gptr, i % 2 ? DART_EPOCH_LAZY : 0);
  }
  end(gptr);
}

static void ordered_lock_all(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  for (int i = 0; i < 5; i++) {
    if (me == 0)
      PUT_LOCKED(gptr, DART_EPOCH_EXCLUSIVE, 0, 0);
    dart_epoch_lock_all(gptr, 0);
    dart_get(twelve, gptr, 2, DART_TYPE_INT, DART_TYPE_INT);
    dart_epoch_unlock_all(gptr, 0);
  }
  end(gptr);
}

/* A lock that is not asked for orders nothing, so the program does. */
static void ordered_nocheck(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);
  int         word = 0;

  if (me == 1)
    dart_recv(&word, 1, DART_TYPE_INT, 3, DART_GLOBAL_UNIT_ID(0));
  if (me < 2)
    PUT_LOCKED(gptr, DART_EPOCH_EXCLUSIVE, DART_EPOCH_NOCHECK, 0);
  if (me == 0)
    dart_send(&word, 1, DART_TYPE_INT, 3, DART_GLOBAL_UNIT_ID(1));
  end(gptr);
}

/* A turn that is passed on by the lock itself. */
static void ordered_passed_on(void)
{
  dart_gptr_t gptr = segment(ROOM, 2), turn = segment(ROOM, 2);
  int         seen = 0, one = 1;

  if (me == 0) {
    PUT(gptr);
    dart_epoch_lock(turn, DART_EPOCH_EXCLUSIVE, 0);
    dart_put(at(turn, 2, 0), &one, 1, DART_TYPE_INT, DART_TYPE_INT);
    dart_epoch_unlock(turn, 0);
  }
  while (me == 1 && seen == 0) {
    dart_epoch_lock(turn, DART_EPOCH_SHARED, 0);
    dart_get(&seen, turn, 1, DART_TYPE_INT, DART_TYPE_INT);
    dart_epoch_unlock(turn, 0);
  }
  if (me == 1)
    PUT(gptr);
  end(turn);
  end(gptr);
}

static void race_shared(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  if (me < 2)
    PUT_LOCKED(gptr, DART_EPOCH_SHARED, 0, 0);
  end(gptr);
}

static void race_shared_all(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  dart_epoch_lock_all(gptr, 0);
  if (me < 2)
    dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
  dart_epoch_unlock_all(gptr, 0);
  end(gptr);
}

static void race_one_locks(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  if (me == 0)
    PUT_LOCKED(gptr, DART_EPOCH_EXCLUSIVE, 0, 0);
  if (me == 1)
    PUT(gptr);
  end(gptr);
}

/* Each has locked another portion. */
static void race_other_portion(void)
{
  dart_gptr_t gptr = segment(ROOM, 2), other = segment(ROOM, me);

  if (me < 2) {
    dart_epoch_lock(other, DART_EPOCH_EXCLUSIVE, 0);
    PUT(gptr);
    dart_epoch_unlock(other, 0);
  }
  end(other);
  end(gptr);
}

static void race_nocheck(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  if (me < 2)
    PUT_LOCKED(gptr, DART_EPOCH_EXCLUSIVE, DART_EPOCH_NOCHECK, 0);
  end(gptr);
}

/* ---- fences that wait for nobody, or for no data ---------------------------------------------------- */

/* What a target did before the fence comes before what others do to it after. */
static void ordered_opened(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  dart_epoch_fence(gptr, 0);
  dart_epoch_fence(gptr, DART_EPOCH_NOSUCCEED);
  if (me == 2)
    PUT(gptr);
  dart_epoch_fence(gptr, DART_EPOCH_NOPRECEDE);
  if (me == 1)
    dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
  dart_epoch_fence(gptr, DART_EPOCH_NOSUCCEED);
  all_meet();
  dart_team_memfree(gptr);
}

static void ordered_lazy(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  dart_epoch_fence(gptr, 0);
  if (me == 1)
    dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
  dart_epoch_fence(gptr, DART_EPOCH_LAZY);
  if (me == 0)
    dart_put(at(gptr, 2, 4), two, 2, DART_TYPE_INT, DART_TYPE_INT);
  dart_epoch_fence(gptr, DART_EPOCH_NOSUCCEED);
  GET(gptr);
  all_meet();
  dart_team_memfree(gptr);
}

static void race_silent(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  dart_epoch_fence(gptr, DART_EPOCH_NOPRECEDE);
  if (me < 2)
    dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
  dart_epoch_fence(gptr, DART_EPOCH_NOSUCCEED);
  all_meet();
  dart_team_memfree(gptr);
}

static void race_lazy(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  for (int i = 0; i < 2; i++) {
    dart_epoch_fence(gptr, i == 0 ? 0 : DART_EPOCH_LAZY);
    if (me == i)
      dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
  }
  dart_epoch_fence(gptr, DART_EPOCH_NOSUCCEED);
  all_meet();
  dart_team_memfree(gptr);
}

/* ---- buffers ------------------------------------------------------------------------------------------ */

/* What the end of each kind of epoch, or a flush in it, completes. */
static void right_epochs(void)
{
  dart_gptr_t gptr = segment(MANY, (me + 1) % n), own = at(gptr, me, 0);

  dart_epoch_fence(gptr, 0);
  dart_get(more, own, MANY, DART_TYPE_INT, DART_TYPE_INT);
  dart_epoch_fence(gptr, DART_EPOCH_LAZY | DART_EPOCH_NOSUCCEED);
  more[0]++;
  dart_epoch_fence(gptr, DART_EPOCH_NOSUCCEED);
  for (int i = 0; i < 3; i++) {
    dart_epoch_lock(gptr, DART_EPOCH_EXCLUSIVE, 0);
    dart_put(gptr, values, MANY, DART_TYPE_INT, DART_TYPE_INT);
    if (i > 0)
      dart_flush_local(gptr);
    if (i > 0)
      values[0]++;
    dart_epoch_unlock(gptr, DART_EPOCH_LAZY);
    values[1]++;
  }
  dart_epoch_lock(gptr, DART_EPOCH_SHARED, 0);
  dart_get(more, gptr, 2, DART_TYPE_INT, DART_TYPE_INT);
  dart_epoch_unlock(gptr, 0);
  if (more[1] != values[1] - 1)
    dart_abort(3);
  end(gptr);
}

/* A post, and a start, of nobody ends the epoch of a fence: a flush by a pointer into another segment completes. */
static void right_start_of_nobody(void)
{
  dart_gptr_t gptr = segment(MANY, (me + 1) % n), other = segment(10, (me + 1) % n);

  for (int i = 0; i < 2; i++) {
    dart_epoch_fence(gptr, 0);
    if (i == 0) {
      dart_epoch_start(gptr, 0, NULL, 0);
      dart_epoch_complete(gptr);
    } else {
      dart_epoch_post(gptr, 0, NULL, 0);
      dart_epoch_wait(gptr);
    }
    more[0] = 1;
    dart_get(more, gptr, MANY, DART_TYPE_INT, DART_TYPE_INT);
    dart_flush(other);
    if (more[0] != 0)
      dart_abort(3);
    all_meet();
  }
  end(other);
  end(gptr);
}

/* What one unit alone is told is no end of the others' fence: where promises are looked at, unit 2 gets DART_ERR_INVAL. */
static void ordered_broken_promise(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  dart_epoch_fence(gptr, DART_EPOCH_NOPUT);
  if (me == 1)
    dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
  dart_epoch_fence(gptr, DART_EPOCH_NOSUCCEED);
  if (me == 0)
    PUT(gptr);
  end(gptr);
}

/* The same of a wait: what the origin did comes before what the target does then. */
static void ordered_broken_post(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);

  if (me == 2) {
    dart_epoch_post(gptr, 1, &both[1], DART_EPOCH_NOPUT);
    dart_epoch_wait(gptr);
    GET(gptr);
  }
  if (me == 1) {
    dart_epoch_start(gptr, 1, third, 0);
    dart_put(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT);
    dart_epoch_complete(gptr);
  }
  end(gptr);
}

static void right_handle_in_epoch(void)
{
  dart_gptr_t   gptr = segment(MANY, (me + 1) % n);
  dart_handle_t handle;

  dart_epoch_lock(gptr, DART_EPOCH_SHARED, 0);
  dart_get_handle(more, gptr, MANY, DART_TYPE_INT, DART_TYPE_INT, &handle);
  dart_epoch_unlock(gptr, 0);
  if (more[0] != 0)
    dart_abort(3);
  dart_wait(&handle);
  end(gptr);
}

static void wrong_source_in_fence(void)
{
  dart_gptr_t gptr = segment(MANY, (me + 1) % n);

  dart_epoch_fence(gptr, 0);
  dart_put(gptr, values, MANY, DART_TYPE_INT, DART_TYPE_INT);
  if (me == 1)
    values[0]++;
  dart_epoch_fence(gptr, DART_EPOCH_NOSUCCEED);
  end(gptr);
}

static void wrong_source_in_lock(void)
{
  dart_gptr_t gptr = segment(MANY, me), other = segment(MANY, me);

  dart_epoch_lock(gptr, DART_EPOCH_EXCLUSIVE, 0);
  dart_put(gptr, values, MANY, DART_TYPE_INT, DART_TYPE_INT);
  dart_flush_all(other); /* of another segment */
  if (me == 1)
    values[0]++;
  dart_epoch_unlock(gptr, DART_EPOCH_LAZY);
  end(other);
  end(gptr);
}

static void wrong_result_in_start(void)
{
  dart_gptr_t gptr = segment(ROOM, 2);
  int         word = 0;

  if (me == 2) {
    dart_epoch_post(gptr, 1, &both[1], 0);
    dart_epoch_wait(gptr);
  }
  if (me == 1) {
    dart_epoch_start(gptr, 1, third, 0);
    dart_get(&word, gptr, 1, DART_TYPE_INT, DART_TYPE_INT);
    dart_put(at(gptr, 2, 1), &word, 1, DART_TYPE_INT, DART_TYPE_INT);
    dart_epoch_complete(gptr);
  }
  end(gptr);
}

#define CHANGED \
  "*unit 1: completion: the source of an operation, 400 bytes, was changed before it was complete"

const case_t in_epoch_cases[] = {
  { "ordered_exposures", NULL, ordered_exposures, TOGETHER },
  { "ordered_halo", NULL, ordered_halo, TOGETHER },
  { "ordered_start_nocheck", NULL, ordered_start_nocheck, TOGETHER },
  { "ordered_exclusive", NULL, ordered_exclusive, TOGETHER },
  { "ordered_lock_all", NULL, ordered_lock_all, TOGETHER },
  { "ordered_nocheck", NULL, ordered_nocheck, TOGETHER },
  { "ordered_passed_on", NULL, ordered_passed_on, TOGETHER },
  { "ordered_opened", NULL, ordered_opened, TOGETHER },
  { "ordered_lazy", NULL, ordered_lazy, TOGETHER },
  { "right_epochs", NULL, right_epochs, TOGETHER },
  { "right_start_of_nobody", NULL, right_start_of_nobody, TOGETHER },
  { "ordered_broken_promise", NULL, ordered_broken_promise, TOGETHER },
  { "ordered_broken_post", NULL, ordered_broken_post, TOGETHER },
  { "right_handle_in_epoch", NULL, right_handle_in_epoch, TOGETHER },
  { "race_origins", RACE("0", "1"), race_origins, TOGETHER },
  { "race_exposed", RACE("0", "1"), race_exposed, TOGETHER },
  { "race_before_complete", RACE("0", "1"), race_before_complete, TOGETHER },
  { "race_shared", RACE("0", "1"), race_shared, TOGETHER },
  { "race_shared_all", RACE("0", "1"), race_shared_all, TOGETHER },
  { "race_one_locks", RACE("1", "0"), race_one_locks, TOGETHER },
  { "race_other_portion", RACE("0", "1"), race_other_portion, TOGETHER },
  { "race_nocheck", RACE("0", "1"), race_nocheck, TOGETHER },
  { "race_silent", RACE("0", "1"), race_silent, TOGETHER },
  { "race_lazy", RACE("0", "1"), race_lazy, TOGETHER },
  { "wrong_source_in_fence", CHANGED, wrong_source_in_fence, TOGETHER },
  { "wrong_source_in_lock", CHANGED, wrong_source_in_lock, TOGETHER },
  { "wrong_result_in_start",
    "*unit 1: completion: dart_put reads the result of an operation before it is complete",
    wrong_result_in_start, TOGETHER },
  { NULL, NULL, NULL, TOGETHER },
};
