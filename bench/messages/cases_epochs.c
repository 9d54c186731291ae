/* Epochs: by fences, by posts and starts, by locks; see cases.h. */
#include <dash/dart/ext/dart_epoch.h>

#include "cases.h"

#define FENCE(name, assertions) CALL(name, dart_epoch_fence(memory, assertions))

FENCE(fence, 0)
FENCE(fence_noprecede, DART_EPOCH_NOPRECEDE)
FENCE(fence_nosucceed, DART_EPOCH_NOSUCCEED)
FENCE(fence_nostore, DART_EPOCH_NOSTORE)
FENCE(fence_noput, DART_EPOCH_NOPUT)
FENCE(fence_lazy, DART_EPOCH_LAZY)

/* Each unit puts to, or gets from, the `n` that follow it. */
STEP(put_to_next)
{
  for (size_t i = 1; i <= n; i++)
    BENCH_OK(dart_put(at(((size_t)job.me + i) % job.nunits, (size_t)job.me), local, 1,
                      DART_TYPE_ULONG, DART_TYPE_ULONG));
}

STEP(get_from_next)
{
  for (size_t i = 1; i <= n; i++)
    BENCH_OK(dart_get(&other[i], at(((size_t)job.me + i) % job.nunits, (size_t)job.me), 1,
                      DART_TYPE_ULONG, DART_TYPE_ULONG));
}

/* What an epoch has, and the fence that ends it. */
#define EPOCH_OF_PUTS(name, assertions)             \
  STEP(name)                                        \
  {                                                 \
    put_to_next(n);                                 \
    BENCH_OK(dart_epoch_fence(memory, assertions)); \
  }

EPOCH_OF_PUTS(puts_fence, 0)
EPOCH_OF_PUTS(puts_fence_nosucceed, DART_EPOCH_NOSUCCEED)
EPOCH_OF_PUTS(puts_fence_nostore, DART_EPOCH_NOSTORE)
EPOCH_OF_PUTS(puts_fence_lazy, DART_EPOCH_LAZY)

STEP(prepare_puts)
{
  fence(n);
  puts_fence(n);
}

STEP(noprecede_puts_fence)
{
  fence_noprecede(n);
  puts_fence(n);
}

STEP(noput_gets_fence)
{
  fence_noput(n);
  get_from_next(n);
  fence(n);
}

LEAST(least_none, 0, 0, "nothing is left to complete")
LEAST(least_lazy, 0, 0, "the next fence completes it")
LEAST(least_fence_get, 2 * (nunits - 1), 2, "all must hear of all, and results come back")

/* The `n` units after unit 0. */
static void find_partners(size_t n, dart_team_unit_t *partners_out)
{
  for (size_t i = 0; i < n; i++)
    partners_out[i] = DART_TEAM_UNIT_ID((int32_t)i + 1);
}

/* Unit 0 puts to `n` others, or gets from them if they say that nobody puts. */
static void run_pscw(size_t n, int assertions)
{
  dart_team_unit_t partners[8] = { 0 }, root = DART_TEAM_UNIT_ID(0);

  find_partners(n, partners);
  if (job.me == 0) {
    BENCH_OK(dart_epoch_start(memory, n, partners, assertions & DART_EPOCH_NOCHECK));
    for (size_t i = 0; i < n; i++)
      if (assertions & DART_EPOCH_NOPUT)
        BENCH_OK(dart_get(&local[i], at(i + 1, 0), 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
      else
        BENCH_OK(dart_put(at(i + 1, 0), local, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
    BENCH_OK(dart_epoch_complete(memory));
  } else if ((size_t)job.me <= n) {
    BENCH_OK(dart_epoch_post(memory, 1, &root, assertions));
    BENCH_OK(dart_epoch_wait(memory));
  }
}

RUN(run_post_start, run_pscw(n, 0))
LEAST(least_post_start, shape, 1, "data and end, for each partner")

RUN(run_post_start_nocheck, run_pscw(n, DART_EPOCH_NOCHECK))
RUN(run_post_start_nostore, run_pscw(n, DART_EPOCH_NOSTORE))
RUN(run_post_start_noput, run_pscw(n, DART_EPOCH_NOPUT))

/* Unit 0 exposes to `n` others, which access it. */
static void run_post_for_all(size_t n, int assertions)
{
  dart_team_unit_t partners[8] = { 0 }, root = DART_TEAM_UNIT_ID(0);

  find_partners(n, partners);
  if (job.me == 0) {
    BENCH_OK(dart_epoch_post(memory, n, partners, assertions));
    BENCH_OK(dart_epoch_wait(memory));
  } else if ((size_t)job.me <= n) {
    BENCH_OK(dart_epoch_start(memory, 1, &root, assertions & DART_EPOCH_NOCHECK));
    BENCH_OK(dart_put(at(0, (size_t)job.me), local, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
    BENCH_OK(dart_epoch_complete(memory));
  }
}

RUN(run_post_to_one, run_post_for_all(n, 0))
RUN(run_post_to_one_nocheck, run_post_for_all(n, DART_EPOCH_NOCHECK))
LEAST(least_post_get, 2 * shape, 2, "a request and its answer, for each partner")

static void lock_put_unlock(size_t n, dart_epoch_lock_t kind, int at_lock, int at_unlock)
{
  if (job.me != 0)
    return;
  BENCH_OK(dart_epoch_lock(at(1, 0), kind, at_lock));
  for (size_t i = 0; i < n; i++)
    BENCH_OK(dart_put(at(1, i), &local[i], 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
  BENCH_OK(dart_epoch_unlock(at(1, 0), at_unlock));
}

RUN(run_lock, lock_put_unlock(n, DART_EPOCH_EXCLUSIVE, 0, 0))
RUN(run_lock_shared, lock_put_unlock(n, DART_EPOCH_SHARED, 0, 0))
RUN(run_lock_nocheck, lock_put_unlock(n, DART_EPOCH_EXCLUSIVE, DART_EPOCH_NOCHECK, 0))
RUN(run_unlock_lazy, lock_put_unlock(n, DART_EPOCH_EXCLUSIVE, 0, DART_EPOCH_LAZY))
LEAST(least_unlock_lazy, 1, 0, "lock, data and unlock in one message, which nobody awaits")

/* Unit 0 has locked `n` others at a time. */
static void lock_several(size_t n, dart_epoch_lock_t kind, int at_lock, int at_unlock)
{
  if (job.me != 0)
    return;
  for (size_t u = 1; u <= n; u++)
    BENCH_OK(dart_epoch_lock(at(u, 0), kind, at_lock));
  for (size_t u = 1; u <= n; u++)
    BENCH_OK(dart_put(at(u, 0), local, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
  for (size_t u = 1; u <= n; u++)
    BENCH_OK(dart_epoch_unlock(at(u, 0), at_unlock));
}

RUN(run_locks, lock_several(n, DART_EPOCH_EXCLUSIVE, 0, 0))
RUN(run_locks_shared, lock_several(n, DART_EPOCH_SHARED, 0, 0))
RUN(run_locks_nocheck, lock_several(n, DART_EPOCH_EXCLUSIVE, DART_EPOCH_NOCHECK, 0))
RUN(run_unlocks_lazy, lock_several(n, DART_EPOCH_EXCLUSIVE, 0, DART_EPOCH_LAZY))
LEAST(least_locks, 2 * shape, 2, "for each unit: lock, data and unlock, and the answer")
LEAST(least_locks_nocheck, shape, 2, "for each unit one message has all data")
LEAST(least_unlocks_lazy, shape, 0, "for each unit: lock, data and unlock, which nobody awaits")

/* Unit 0 puts to `n` others. */
static void lock_all(size_t n, int at_lock, int at_unlock)
{
  if (job.me != 0)
    return;
  BENCH_OK(dart_epoch_lock_all(memory, at_lock));
  for (size_t u = 1; u <= n; u++)
    BENCH_OK(dart_put(at(u, 0), local, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
  BENCH_OK(dart_epoch_unlock_all(memory, at_unlock));
}

RUN(run_lock_all, lock_all(job.nunits - 1, 0, 0))
RUN(run_lock_all_nocheck, lock_all(job.nunits - 1, DART_EPOCH_NOCHECK, 0))
RUN(run_unlock_all_lazy, lock_all(job.nunits - 1, 0, DART_EPOCH_LAZY))
RUN(run_lock_all_some, lock_all(n, 0, 0))
RUN(run_lock_all_some_nocheck, lock_all(n, DART_EPOCH_NOCHECK, 0))
RUN(run_unlock_all_some_lazy, lock_all(n, 0, DART_EPOCH_LAZY))
LEAST(least_unlock_all_lazy, nunits - 1, 0,
      "for each unit: lock, data and unlock, which nobody awaits")
LEAST(least_lock_all, 2 * (nunits - 1), 2, "for each unit: lock, data and unlock, and the answer")

/* clang-format off */
static const case_t cases[] = {
  { "fence", fence, fence, fence_nosucceed, least_barrier, { 1 }, false, true },
  { "put, fence; none before", fence, puts_fence, fence_nosucceed, least_barrier, { 1 }, false, false },
  { "fence NOPRECEDE", fence, fence_noprecede, fence_nosucceed, least_none, { 1 }, false, false },
  { "fence NOSUCCEED", fence, fence_nosucceed, NULL, least_barrier, { 1 }, false, false },
  { "fence NOSTORE", fence, fence_nostore, fence_nosucceed, least_barrier, { 1 }, false, false },
  { "fence NOPUT", fence, fence_noput, fence_nosucceed, least_barrier, { 1 }, false, false },
  { "fence LAZY", fence, fence_lazy, fence_nosucceed, least_lazy, { 1 }, false, false },
  { "put, fence", prepare_puts, puts_fence, fence_nosucceed, least_barrier, { 0 }, true, false },
  { "put, fence NOSUCCEED", prepare_puts, puts_fence_nosucceed, NULL, least_barrier, { 0 }, true, false },
  { "put, fence NOSTORE", prepare_puts, puts_fence_nostore, fence_nosucceed, least_barrier, { 0 }, true, false },
  { "put, fence LAZY", prepare_puts, puts_fence_lazy, fence_nosucceed, least_lazy, { 0 }, true, false },
  { "fence NOPRECEDE, put, fence", fence, noprecede_puts_fence, fence_nosucceed, least_barrier, { 0 }, true, false },
  { "fence NOPUT, get, fence", fence, noput_gets_fence, fence_nosucceed, least_fence_get, { 0 }, true, false },
  { "post start put complete wait", NULL, run_post_start, NULL, least_post_start, { 0 }, true, false },
  { "post start put complete wait NOCHECK", NULL, run_post_start_nocheck, NULL, least_post_start, { 0 }, true, false },
  { "post start put complete wait NOSTORE", NULL, run_post_start_nostore, NULL, least_post_start, { 0 }, true, false },
  { "post start get complete wait NOPUT", NULL, run_post_start_noput, NULL, least_post_get, { 0 }, true, false },
  { "post for all put", NULL, run_post_to_one, NULL, least_post_start, { 0 }, true, false },
  { "post for all put NOCHECK", NULL, run_post_to_one_nocheck, NULL, least_post_start, { 0 }, true, false },
  { "lock put unlock", NULL, run_lock, NULL, least_portion, { 1, 10 }, false, false },
  { "lock SHARED put unlock", NULL, run_lock_shared, NULL, least_portion, { 1 }, false, false },
  { "lock put unlock LAZY", NULL, run_unlock_lazy, NULL, least_unlock_lazy, { 1 }, false, false },
  { "lock NOCHECK put unlock", NULL, run_lock_nocheck, NULL, least_put, { 1 }, false, false },
  { "locks puts unlocks", NULL, run_locks, NULL, least_locks, { 0 }, true, false },
  { "locks puts unlocks SHARED", NULL, run_locks_shared, NULL, least_locks, { 0 }, true, false },
  { "locks puts unlocks NOCHECK", NULL, run_locks_nocheck, NULL, least_locks_nocheck, { 0 }, true, false },
  { "locks puts unlocks LAZY", NULL, run_unlocks_lazy, NULL, least_unlocks_lazy, { 0 }, true, false },
  { "lock_all puts unlock_all", NULL, run_lock_all_some, NULL, least_locks, { 0 }, true, false },
  { "lock_all puts unlock_all NOCHECK", NULL, run_lock_all_some_nocheck, NULL, least_locks_nocheck, { 0 }, true, false },
  { "lock_all puts unlock_all LAZY", NULL, run_unlock_all_some_lazy, NULL, least_unlocks_lazy, { 0 }, true, false },
  { "lock_all put unlock_all", NULL, run_lock_all, NULL, least_lock_all, { 1 }, false, false },
  { "lock_all put unlock_all LAZY", NULL, run_unlock_all_lazy, NULL, least_unlock_all_lazy, { 1 }, false, false },
  { "lock_all NOCHECK put unlock_all", NULL, run_lock_all_nocheck, NULL, least_one, { 1 }, false, false },
};
/* clang-format on */
CASE_LIST(epoch_cases, cases)
