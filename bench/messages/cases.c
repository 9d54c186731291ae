/* Batches, collectives, epochs, teams, memory and files; see messages.h. Unit 0 is the origin, unit 1 the target, where
 * there is one of each. */
#include <string.h>
#include <unistd.h>

#include <dash/dart/ext/dart_adopt.h>
#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_file.h>
#include <dash/dart/ext/dart_memalign.h>
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_range.h>
#include <dash/dart/ext/dart_team_group.h>
#include <dash/dart/if/dart_locality.h>

#include "messages.h"

#define ELEMENTS 8192   /* as many as units at least */
#define LARGE    131072 /* 1 MiB of elements */

dart_lock_t  case_lock;
dart_range_t case_range;

static bench_job_t job;
static dart_gptr_t memory; /* of ELEMENTS words; the last one is the counter of notifications */
static uint64_t   *mine;   /* this unit's portion */
static uint64_t    local[ELEMENTS], other[ELEMENTS], varied[4 * ELEMENTS], large[LARGE];
static dart_team_t team;
static dart_gptr_t segment;
static dart_file_t file;
static dart_allocator_t allocator;
static _Alignas(65536) uint64_t adopted[ELEMENTS];
static char path[64]; /* the same on all units */

static dart_gptr_t at(size_t unit, size_t element)
{
  return place(memory, unit, element);
}

void cases_open(const bench_job_t *the_job)
{
  void *address;

  job = *the_job;
  BENCH_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, ELEMENTS, DART_TYPE_ULONG, &memory));
  BENCH_OK(dart_gptr_getaddr(at((size_t)job.me, 0), &address));
  mine = address;
  memset(mine, 0, ELEMENTS * sizeof *mine);
  cases_open_pairs(the_job);
  if (job.me == 0)
    snprintf(path, sizeof path, "/tmp/dart-messages.%ld", (long)getpid());
  BENCH_OK(dart_bcast(path, sizeof path, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
}

void cases_settle(void)
{
  BENCH_OK(dart_flush_all(memory));
  cases_settle_pairs();
}

void cases_close(void)
{
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  cases_close_pairs();
  BENCH_OK(dart_team_memfree(memory));
  if (job.me == 0)
    unlink(path);
}

/* ---- one origin, one target --------------------------------------------------------------------- */

static void run_put(size_t n)
{
  if (job.me != 0)
    return;
  for (size_t i = 0; i < n; i++)
    BENCH_OK(dart_put(at(1, i), &local[i], 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
  BENCH_OK(dart_flush(at(1, 0)));
}

static void run_get(size_t n)
{
  if (job.me != 0)
    return;
  for (size_t i = 0; i < n; i++)
    BENCH_OK(dart_get(&local[i], at(1, i), 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
  BENCH_OK(dart_flush(at(1, 0)));
}

static void run_fetch(size_t n)
{
  if (job.me != 0)
    return;
  for (size_t i = 0; i < n; i++)
    BENCH_OK(dart_fetch_and_op(at(1, i), &local[i], &other[i], DART_TYPE_ULONG, DART_OP_SUM));
  BENCH_OK(dart_flush(at(1, 0)));
}

static void run_swap(size_t n)
{
  if (job.me != 0)
    return;
  for (size_t i = 0; i < n; i++)
    BENCH_OK(dart_compare_and_swap(at(1, i), &local[i], &local[i], &other[i], DART_TYPE_ULONG));
  BENCH_OK(dart_flush(at(1, 0)));
}

static void run_accumulate(size_t n)
{
  if (job.me != 0)
    return;
  for (size_t i = 0; i < n; i++)
    BENCH_OK(dart_accumulate(at(1, i), &local[i], 1, DART_TYPE_ULONG, DART_OP_SUM));
  BENCH_OK(dart_flush(at(1, 0)));
}

static void prepare_counter(size_t n)
{
  (void)n;
  mine[ELEMENTS - 1] = 0;
}

/* The consumer waits; the producer does not flush. */
static void run_notify(size_t n)
{
  if (job.me == 0)
    for (size_t i = 0; i < n; i++)
      BENCH_OK(dart_put_notify(at(1, i), &local[i], 1, DART_TYPE_ULONG, DART_TYPE_ULONG,
                               at(1, ELEMENTS - 1), 1));
  if (job.me == 0)
    BENCH_OK(dart_flush_local(at(1, 0)));
  if (job.me == 1)
    BENCH_OK(dart_notify_wait(at(1, ELEMENTS - 1), n, -1));
}

static void run_notify_alone(size_t n)
{
  if (job.me == 0) {
    BENCH_OK(dart_notify(at(1, ELEMENTS - 1), 1));
    BENCH_OK(dart_flush_local(at(1, 0)));
  }
  if (job.me == 1)
    BENCH_OK(dart_notify_wait(at(1, ELEMENTS - 1), n, -1));
}

/* The unit whose data are read is told that they were; the reader is not. */
static void run_get_notify(size_t n)
{
  if (job.me == 0) {
    BENCH_OK(dart_get_notify(local, at(1, 0), n, DART_TYPE_ULONG, DART_TYPE_ULONG,
                             at(1, ELEMENTS - 1), 1));
    BENCH_OK(dart_flush(at(1, 0)));
  }
  if (job.me == 1)
    BENCH_OK(dart_notify_wait(at(1, ELEMENTS - 1), 1, -1));
}

/* ---- collectives -------------------------------------------------------------------------------- */

static void run_barrier(size_t n)
{
  (void)n;
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
}

static least_t least_barrier(size_t n, size_t nunits)
{
  (void)n;
  return (least_t){ 2 * (nunits - 1), 1, "all must hear of all" };
}

static void run_bcast(size_t n)
{
  BENCH_OK(dart_bcast(local, n, DART_TYPE_ULONG, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
}

static least_t least_one(size_t n, size_t nunits)
{
  (void)n;
  return (least_t){ nunits - 1, 1, "one for each other unit" };
}

static void run_reduce(size_t n)
{
  BENCH_OK(dart_reduce(local, other, n, DART_TYPE_ULONG, DART_OP_SUM, DART_TEAM_UNIT_ID(0),
                       DART_TEAM_ALL));
}

static void run_allreduce(size_t n)
{
  BENCH_OK(dart_allreduce(local, other, n, DART_TYPE_ULONG, DART_OP_SUM, DART_TEAM_ALL));
}

static void run_gather(size_t n)
{
  BENCH_OK(dart_gather(local, other, n, DART_TYPE_ULONG, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
}

static void run_scatter(size_t n)
{
  BENCH_OK(dart_scatter(local, other, n, DART_TYPE_ULONG, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
}

/* A unit has n elements more than the one before it, up to four. */
static void run_allgatherv(size_t n)
{
  static size_t counts[ELEMENTS], places[ELEMENTS + 1];

  for (size_t u = 0; u < job.nunits; u++) {
    counts[u]     = n * (1 + u % 4);
    places[u + 1] = places[u] + counts[u];
  }
  BENCH_OK(dart_allgatherv(local, counts[job.me], DART_TYPE_ULONG, varied, counts, places,
                           DART_TEAM_ALL));
}

static void run_allgather(size_t n)
{
  BENCH_OK(dart_allgather(local, other, n, DART_TYPE_ULONG, DART_TEAM_ALL));
}

static void run_large_bcast(size_t n)
{
  BENCH_OK(dart_bcast(large, n, DART_TYPE_ULONG, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
}

/* Of `n` elements in all. */
static void run_large_allgather(size_t n)
{
  BENCH_OK(dart_allgather(&large[(size_t)job.me * (n / job.nunits)], large, n / job.nunits,
                          DART_TYPE_ULONG, DART_TEAM_ALL));
}

static void run_alltoall(size_t n)
{
  BENCH_OK(dart_alltoall(local, other, n, DART_TYPE_ULONG, DART_TEAM_ALL));
}

/* ---- epochs ------------------------------------------------------------------------------------- */

#define FENCE(name, assertions)                     \
  static void name(size_t n)                        \
  {                                                 \
    (void)n;                                        \
    BENCH_OK(dart_epoch_fence(memory, assertions)); \
  }

FENCE(fence, 0)
FENCE(fence_noprecede, DART_EPOCH_NOPRECEDE)
FENCE(fence_nosucceed, DART_EPOCH_NOSUCCEED)
FENCE(fence_nostore, DART_EPOCH_NOSTORE)
FENCE(fence_noput, DART_EPOCH_NOPUT)
FENCE(fence_lazy, DART_EPOCH_LAZY)

/* Each unit puts to, or gets from, the `n` that follow it. */
static void put_to_next(size_t n)
{
  for (size_t i = 1; i <= n; i++)
    BENCH_OK(dart_put(at(((size_t)job.me + i) % job.nunits, (size_t)job.me), local, 1,
                      DART_TYPE_ULONG, DART_TYPE_ULONG));
}

static void get_from_next(size_t n)
{
  for (size_t i = 1; i <= n; i++)
    BENCH_OK(dart_get(&other[i], at(((size_t)job.me + i) % job.nunits, (size_t)job.me), 1,
                      DART_TYPE_ULONG, DART_TYPE_ULONG));
}

/* What an epoch has, and the fence that ends it. */
#define EPOCH_OF_PUTS(name, assertions)             \
  static void name(size_t n)                        \
  {                                                 \
    put_to_next(n);                                 \
    BENCH_OK(dart_epoch_fence(memory, assertions)); \
  }

EPOCH_OF_PUTS(puts_fence, 0)
EPOCH_OF_PUTS(puts_fence_nosucceed, DART_EPOCH_NOSUCCEED)
EPOCH_OF_PUTS(puts_fence_nostore, DART_EPOCH_NOSTORE)
EPOCH_OF_PUTS(puts_fence_lazy, DART_EPOCH_LAZY)

static void prepare_puts(size_t n)
{
  fence(n);
  puts_fence(n);
}

static void noprecede_puts_fence(size_t n)
{
  fence_noprecede(n);
  puts_fence(n);
}

static void noput_gets_fence(size_t n)
{
  fence_noput(n);
  get_from_next(n);
  fence(n);
}

LEAST(least_none, 0, 0, "nothing is left to complete")
LEAST(least_lazy, 0, 0, "the next fence completes it")

static least_t least_fence_get(size_t n, size_t nunits)
{
  (void)n;
  return (least_t){ 2 * (nunits - 1), 2, "all must hear of all, and results come back" };
}

/* The `n` units after unit 0. */
static void find_partners(size_t n, dart_team_unit_t *partners_out)
{
  for (size_t i = 0; i < n; i++)
    partners_out[i] = DART_TEAM_UNIT_ID((int32_t)i + 1);
}

/* Unit 0 accesses `n` others. */
static void run_pscw(size_t n, int assertions)
{
  dart_team_unit_t partners[8] = { 0 }, root = DART_TEAM_UNIT_ID(0);

  find_partners(n, partners);
  if (job.me == 0) {
    BENCH_OK(dart_epoch_start(memory, n, partners, assertions & DART_EPOCH_NOCHECK));
    for (size_t i = 0; i < n; i++)
      BENCH_OK(dart_put(at(i + 1, 0), local, 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
    BENCH_OK(dart_epoch_complete(memory));
  } else if ((size_t)job.me <= n) {
    BENCH_OK(dart_epoch_post(memory, 1, &root, assertions));
    BENCH_OK(dart_epoch_wait(memory));
  }
}

static void run_post_start(size_t n)
{
  run_pscw(n, 0);
}

static least_t least_post_start(size_t n, size_t nunits)
{
  (void)nunits;
  return (least_t){ n, 1, "data and end, for each partner" };
}

static void run_post_start_nocheck(size_t n)
{
  run_pscw(n, DART_EPOCH_NOCHECK);
}

static void run_post_start_nostore(size_t n)
{
  run_pscw(n, DART_EPOCH_NOSTORE);
}

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

static void run_post_to_one(size_t n)
{
  run_post_for_all(n, 0);
}

static void run_post_to_one_nocheck(size_t n)
{
  run_post_for_all(n, DART_EPOCH_NOCHECK);
}

/* As run_pscw, with gets. */
static void run_post_start_noput(size_t n)
{
  dart_team_unit_t partners[8] = { 0 }, root = DART_TEAM_UNIT_ID(0);

  find_partners(n, partners);
  if (job.me == 0) {
    BENCH_OK(dart_epoch_start(memory, n, partners, 0));
    for (size_t i = 0; i < n; i++)
      BENCH_OK(dart_get(&local[i], at(i + 1, 0), 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
    BENCH_OK(dart_epoch_complete(memory));
  } else if ((size_t)job.me <= n) {
    BENCH_OK(dart_epoch_post(memory, 1, &root, DART_EPOCH_NOPUT));
    BENCH_OK(dart_epoch_wait(memory));
  }
}

static least_t least_post_get(size_t n, size_t nunits)
{
  (void)nunits;
  return (least_t){ 2 * n, 2, "a request and its answer, for each partner" };
}

static void lock_put_unlock(size_t n, dart_epoch_lock_t kind, int at_lock, int at_unlock)
{
  if (job.me != 0)
    return;
  BENCH_OK(dart_epoch_lock(at(1, 0), kind, at_lock));
  for (size_t i = 0; i < n; i++)
    BENCH_OK(dart_put(at(1, i), &local[i], 1, DART_TYPE_ULONG, DART_TYPE_ULONG));
  BENCH_OK(dart_epoch_unlock(at(1, 0), at_unlock));
}

static void run_lock(size_t n)
{
  lock_put_unlock(n, DART_EPOCH_EXCLUSIVE, 0, 0);
}

static void run_lock_shared(size_t n)
{
  lock_put_unlock(n, DART_EPOCH_SHARED, 0, 0);
}

static void run_lock_nocheck(size_t n)
{
  lock_put_unlock(n, DART_EPOCH_EXCLUSIVE, DART_EPOCH_NOCHECK, 0);
}

static void run_unlock_lazy(size_t n)
{
  lock_put_unlock(n, DART_EPOCH_EXCLUSIVE, 0, DART_EPOCH_LAZY);
}

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

static void run_locks(size_t n)
{
  lock_several(n, DART_EPOCH_EXCLUSIVE, 0, 0);
}

static void run_locks_shared(size_t n)
{
  lock_several(n, DART_EPOCH_SHARED, 0, 0);
}

static void run_locks_nocheck(size_t n)
{
  lock_several(n, DART_EPOCH_EXCLUSIVE, DART_EPOCH_NOCHECK, 0);
}

static void run_unlocks_lazy(size_t n)
{
  lock_several(n, DART_EPOCH_EXCLUSIVE, 0, DART_EPOCH_LAZY);
}

static least_t least_locks(size_t n, size_t nunits)
{
  (void)nunits;
  return (least_t){ 2 * n, 2, "for each unit: lock, data and unlock, and the answer" };
}

static least_t least_locks_nocheck(size_t n, size_t nunits)
{
  (void)nunits;
  return (least_t){ n, 2, "for each unit one message has all data" };
}

static least_t least_unlocks_lazy(size_t n, size_t nunits)
{
  (void)nunits;
  return (least_t){ n, 0, "for each unit: lock, data and unlock, which nobody awaits" };
}

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

static void run_lock_all(size_t n)
{
  (void)n;
  lock_all(job.nunits - 1, 0, 0);
}

static void run_lock_all_nocheck(size_t n)
{
  (void)n;
  lock_all(job.nunits - 1, DART_EPOCH_NOCHECK, 0);
}

static void run_unlock_all_lazy(size_t n)
{
  (void)n;
  lock_all(job.nunits - 1, 0, DART_EPOCH_LAZY);
}

static void run_lock_all_some(size_t n)
{
  lock_all(n, 0, 0);
}

static void run_lock_all_some_nocheck(size_t n)
{
  lock_all(n, DART_EPOCH_NOCHECK, 0);
}

static void run_unlock_all_some_lazy(size_t n)
{
  lock_all(n, 0, DART_EPOCH_LAZY);
}

static least_t least_unlock_all_lazy(size_t n, size_t nunits)
{
  (void)n;
  return (least_t){ nunits - 1, 0, "for each unit: lock, data and unlock, which nobody awaits" };
}

static least_t least_lock_all(size_t n, size_t nunits)
{
  (void)n;
  return (least_t){ 2 * (nunits - 1), 2, "for each unit: lock, data and unlock, and the answer" };
}

/* ---- locks ---------------------------------------------------------------------------------------- */

void make_lock(size_t n)
{
  (void)n;
  BENCH_OK(dart_team_lock_init(DART_TEAM_ALL, &case_lock));
}

static void destroy_lock(size_t n)
{
  (void)n;
  BENCH_OK(dart_team_lock_destroy(&case_lock));
}

/* Once all have left it. */
void end_lock(size_t n)
{
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  destroy_lock(n);
}

static void run_lock_free(size_t n)
{
  (void)n;
  if (job.me != 1)
    return;
  BENCH_OK(dart_lock_acquire(case_lock));
  BENCH_OK(dart_lock_release(case_lock));
}

static void make_held_lock(size_t n)
{
  make_lock(n);
  if (job.me == 0)
    BENCH_OK(dart_lock_acquire(case_lock));
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
}

/* Unit 0 holds the lock, and has it itself; unit 1 waits. */
static void run_lock_handed(size_t n)
{
  (void)n;
  if (job.me == 0) {
    await_silence();
    BENCH_OK(dart_lock_release(case_lock));
  } else if (job.me == 1) {
    BENCH_OK(dart_lock_acquire(case_lock));
    BENCH_OK(dart_lock_release(case_lock));
  }
}

/* Unit 0 holds the lock, and all others wait. */
static void run_lock_contended(size_t n)
{
  (void)n;
  if (job.me == 0)
    await_silence();
  else
    BENCH_OK(dart_lock_acquire(case_lock));
  BENCH_OK(dart_lock_release(case_lock));
}

static least_t least_contended(size_t n, size_t nunits)
{
  (void)n;
  return (least_t){ 2 * (nunits - 1), nunits, "a request each, and the lock from one to the next" };
}

void make_range(size_t n)
{
  (void)n;
  BENCH_OK(dart_team_range_init(DART_TEAM_ALL, 0, 0, &case_range));
}

static void destroy_range(size_t n)
{
  (void)n;
  BENCH_OK(dart_team_range_destroy(&case_range));
}

void end_range(size_t n)
{
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  destroy_range(n);
}

/* ---- teams and memory ----------------------------------------------------------------------------- */

static void run_allocate(size_t n)
{
  BENCH_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, n, DART_TYPE_ULONG, &segment));
}

static void run_free(size_t n)
{
  (void)n;
  BENCH_OK(dart_team_memfree(segment));
}

static least_t least_agree(size_t n, size_t nunits)
{
  (void)n;
  return (least_t){ 2 * (nunits - 1), 1, "all must agree" };
}

static void run_team(size_t n)
{
  dart_group_t group;

  (void)n;
  BENCH_OK(dart_team_get_group(DART_TEAM_ALL, &group));
  BENCH_OK(dart_team_create(DART_TEAM_ALL, group, &team));
  BENCH_OK(dart_group_destroy(&group));
}

static void run_team_clone(size_t n)
{
  (void)n;
  BENCH_OK(dart_team_clone(DART_TEAM_ALL, &team));
}

static void run_register(size_t n)
{
  BENCH_OK(dart_team_memregister(DART_TEAM_ALL, n, DART_TYPE_ULONG, local, &segment));
}

static void run_deregister(size_t n)
{
  (void)n;
  BENCH_OK(dart_team_memderegister(segment));
}

static void run_register_aligned(size_t n)
{
  BENCH_OK(dart_team_memregister_aligned(DART_TEAM_ALL, n, DART_TYPE_ULONG, local, &segment));
}

static void run_align(size_t n)
{
  BENCH_OK(dart_team_memalign(DART_TEAM_ALL, 4096, n, DART_TYPE_ULONG, &segment));
}

static void run_adopt(size_t n)
{
  BENCH_OK(dart_team_adopt(DART_TEAM_ALL, adopted, n * sizeof *adopted, &segment));
}

static void make_allocator(size_t n)
{
  BENCH_OK(dart_allocator_new(n, DART_TEAM_ALL, &allocator));
}

static void end_allocator(size_t n)
{
  (void)n;
  BENCH_OK(dart_allocator_destroy(&allocator));
}

static void run_locality(size_t n)
{
  (void)n;
  BENCH_OK(dart_team_locality_init(DART_TEAM_ALL));
}

static void end_locality(size_t n)
{
  (void)n;
  BENCH_OK(dart_team_locality_finalize(DART_TEAM_ALL));
}

static void run_team_group(size_t n)
{
  dart_group_t group;

  (void)n;
  BENCH_OK(dart_team_get_group(DART_TEAM_ALL, &group));
  BENCH_OK(dart_team_create_group(DART_TEAM_ALL, group, 0, &team));
  BENCH_OK(dart_group_destroy(&group));
}

static void run_team_destroy(size_t n)
{
  (void)n;
  BENCH_OK(dart_team_destroy(&team));
}

/* ---- files ------------------------------------------------------------------------------------------ */

static void open_file(size_t n)
{
  (void)n;
  BENCH_OK(dart_file_open(DART_TEAM_ALL, path, DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE,
                          0600, &file));
}

static void close_file(size_t n)
{
  (void)n;
  BENCH_OK(dart_file_close(&file));
}

static uint64_t own_place(size_t n)
{
  return (uint64_t)job.me * n * sizeof(uint64_t);
}

static void run_write_at(size_t n)
{
  size_t done;

  BENCH_OK(
      dart_file_write_at(file, own_place(n), local, n, DART_TYPE_ULONG, DART_TYPE_ULONG, &done));
}

static void run_read_at(size_t n)
{
  size_t done;

  BENCH_OK(
      dart_file_read_at(file, own_place(n), other, n, DART_TYPE_ULONG, DART_TYPE_ULONG, &done));
}

static void run_write_request(size_t n)
{
  dart_file_request_t request;
  size_t              done;

  BENCH_OK(dart_file_write_at_request(file, own_place(n), local, n, DART_TYPE_ULONG,
                                      DART_TYPE_ULONG, &request));
  BENCH_OK(dart_file_wait(&request, &done));
}

static void run_size(size_t n)
{
  uint64_t nbytes;

  (void)n;
  BENCH_OK(dart_file_size(file, &nbytes));
}

static void run_atomicity(size_t n)
{
  (void)n;
  BENCH_OK(dart_file_set_atomicity(file, true));
}

static void open_atomic(size_t n)
{
  open_file(n);
  BENCH_OK(dart_file_set_atomicity(file, true));
}

static void run_write_all(size_t n)
{
  size_t done;

  BENCH_OK(
      dart_file_write_all(file, own_place(n), local, n, DART_TYPE_ULONG, DART_TYPE_ULONG, &done));
}

static void run_read_all(size_t n)
{
  size_t done;

  BENCH_OK(
      dart_file_read_all(file, own_place(n), other, n, DART_TYPE_ULONG, DART_TYPE_ULONG, &done));
}

static void run_resize(size_t n)
{
  BENCH_OK(dart_file_resize(file, n));
}

static void run_set_view(size_t n)
{
  BENCH_OK(dart_file_set_view(file, own_place(n), DART_TYPE_ULONG));
}

/* Elements of all units in turn. */
static void run_write_mixed(size_t n)
{
  dart_datatype_t turns;
  size_t          done;

  BENCH_OK(dart_type_create_strided(DART_TYPE_ULONG, job.nunits, 1, &turns));
  BENCH_OK(dart_file_write_all(file, own_place(1), local, n, DART_TYPE_ULONG, turns, &done));
  BENCH_OK(dart_type_destroy(&turns));
}

static void run_write_shared(size_t n)
{
  size_t done;

  if (job.me == 1)
    BENCH_OK(dart_file_write_shared(file, local, n, DART_TYPE_ULONG, &done));
}

static void run_read_shared(size_t n)
{
  size_t done;

  if (job.me == 1)
    BENCH_OK(dart_file_read_shared(file, other, n, DART_TYPE_ULONG, &done));
}

static void run_tell_shared(size_t n)
{
  uint64_t offset;

  (void)n;
  if (job.me == 1)
    BENCH_OK(dart_file_tell_shared(file, &offset));
}

static void run_seek_shared(size_t n)
{
  BENCH_OK(dart_file_seek_shared(file, n));
}

static void run_read_ordered(size_t n)
{
  size_t done;

  BENCH_OK(dart_file_read_ordered(file, other, n, DART_TYPE_ULONG, &done));
}

static void run_write_ordered(size_t n)
{
  size_t done;

  BENCH_OK(dart_file_write_ordered(file, local, n, DART_TYPE_ULONG, &done));
}

static void run_sync(size_t n)
{
  (void)n;
  BENCH_OK(dart_file_sync(file));
}

LEAST(least_of_file, 0, 0, "each unit by itself")

static least_t least_atomic(size_t n, size_t nunits)
{
  (void)n;
  return (least_t){ 3 * (nunits - 1), 2, "a lock of the file's range: request, grant, release" };
}

#define BATCHES      \
  {                  \
    1, 10, 100, 1000 \
  }

/* clang-format off */
static const case_t cases[] = {
  { "put, flush", NULL, run_put, NULL, least_put, BATCHES, false, false },
  { "get, flush", NULL, run_get, NULL, least_answer, BATCHES, false, false },
  { "fetch_and_op, flush", NULL, run_fetch, NULL, least_answer, BATCHES, false, false },
  { "compare_and_swap, flush", NULL, run_swap, NULL, least_answer, BATCHES, false, false },
  { "accumulate, flush", NULL, run_accumulate, NULL, least_answer, BATCHES, false, false },
  { "put_notify, wait", prepare_counter, run_notify, NULL, least_notify, { 1, 10 }, false, false },
  { "notify, wait", prepare_counter, run_notify_alone, NULL, least_notify, { 1 }, false, false },
  { "get_notify, wait", prepare_counter, run_get_notify, NULL, least_answer, { 1 }, false, false },
  { "barrier", NULL, run_barrier, NULL, least_barrier, { 1 }, false, true },
  { "bcast", NULL, run_bcast, NULL, least_one, { 1 }, false, true },
  { "bcast, 64 KiB", NULL, run_bcast, NULL, least_one, { 8192 }, false, true },
  { "bcast, 1 MiB", NULL, run_large_bcast, NULL, least_one, { LARGE }, false, false },
  { "reduce", NULL, run_reduce, NULL, least_one, { 1 }, false, true },
  { "allreduce", NULL, run_allreduce, NULL, least_barrier, { 1 }, false, true },
  { "scatter", NULL, run_scatter, NULL, least_one, { 1 }, false, true },
  { "gather", NULL, run_gather, NULL, least_one, { 1 }, false, true },
  { "allgather", NULL, run_allgather, NULL, least_barrier, { 1 }, false, true },
  { "allgather, 1 MiB", NULL, run_large_allgather, NULL, least_barrier, { LARGE }, false, false },
  { "allgatherv", NULL, run_allgatherv, NULL, least_barrier, { 1 }, false, true },
  { "alltoall", NULL, run_alltoall, NULL, least_barrier, { 1 }, false, true },
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
  { "lock acquire release", make_lock, run_lock_free, end_lock, least_lock_free, { 1 }, false, false },
  { "lock handed over", make_held_lock, run_lock_handed, end_lock, least_lock_free, { 1 }, false, false },
  { "lock contended", make_held_lock, run_lock_contended, end_lock, least_contended, { 1 }, false, false },
  { "team_lock_init", NULL, make_lock, end_lock, least_agree, { 1 }, false, false },
  { "team_range_init", NULL, make_range, end_range, least_agree, { 1 }, false, false },
  { "team_lock_destroy", make_lock, destroy_lock, NULL, least_agree, { 1 }, false, false },
  { "team_range_destroy", make_range, destroy_range, NULL, least_agree, { 1 }, false, false },
  { "team_memalloc", NULL, run_allocate, run_free, least_agree, { 1000 }, false, true },
  { "team_memfree", run_allocate, run_free, NULL, least_agree, { 1000 }, false, true },
  { "team_memregister", NULL, run_register, run_deregister, least_barrier, { 1000 }, false, false },
  { "team_memregister_aligned", NULL, run_register_aligned, run_deregister, least_barrier, { 1000 }, false, false },
  { "team_memderegister", run_register, run_deregister, NULL, least_agree, { 1000 }, false, false },
  { "team_memalign", NULL, run_align, run_free, least_agree, { 1000 }, false, false },
  { "team_adopt", NULL, run_adopt, run_free, least_barrier, { 1000 }, false, false },
  { "allocator_new", NULL, make_allocator, end_allocator, least_agree, { 1 << 20 }, false, false },
  { "allocator_destroy", make_allocator, end_allocator, NULL, least_agree, { 1 << 20 }, false, false },
  { "team_locality_init", NULL, run_locality, end_locality, least_agree, { 1 }, false, false },
  { "team_clone", NULL, run_team_clone, run_team_destroy, least_agree, { 1 }, false, false },
  { "team_create", NULL, run_team, run_team_destroy, least_agree, { 1 }, false, true },
  { "team_create_group", NULL, run_team_group, run_team_destroy, least_agree, { 1 }, false, true },
  { "team_destroy", run_team, run_team_destroy, NULL, least_agree, { 1 }, false, true },
  { "file_open", NULL, open_file, close_file, least_agree, { 1 }, false, true },
  { "file_close", open_file, close_file, NULL, least_agree, { 1 }, false, true },
  { "file_write_at", open_file, run_write_at, close_file, least_of_file, { 100 }, false, false },
  { "file_read_at", open_file, run_read_at, close_file, least_of_file, { 100 }, false, false },
  { "file_write_at_request, wait", open_file, run_write_request, close_file, least_of_file, { 100 }, false, false },
  { "file_size", open_file, run_size, close_file, least_of_file, { 1 }, false, false },
  { "file_set_atomicity", open_file, run_atomicity, close_file, least_agree, { 1 }, false, false },
  { "file_write_at, atomic", open_atomic, run_write_at, close_file, least_atomic, { 100 }, false, false },
  { "file_read_at, atomic", open_atomic, run_read_at, close_file, least_atomic, { 100 }, false, false },
  { "file_write_all", open_file, run_write_all, close_file, least_agree, { 100 }, false, true },
  { "file_read_all", open_file, run_read_all, close_file, least_agree, { 100 }, false, false },
  { "file_write_all, in turns", open_file, run_write_mixed, close_file, least_agree, { 512 }, false, false },
  { "file_write_shared", open_file, run_write_shared, close_file, least_answer, { 100 }, false, false },
  { "file_read_shared", open_file, run_read_shared, close_file, least_answer, { 100 }, false, false },
  { "file_tell_shared", open_file, run_tell_shared, close_file, least_answer, { 1 }, false, false },
  { "file_seek_shared", open_file, run_seek_shared, close_file, least_agree, { 100 }, false, false },
  { "file_read_ordered", open_file, run_read_ordered, close_file, least_agree, { 100 }, false, false },
  { "file_write_ordered", open_file, run_write_ordered, close_file, least_agree, { 100 }, false, true },
  { "file_resize", open_file, run_resize, close_file, least_agree, { 1000 }, false, false },
  { "file_set_view", open_file, run_set_view, close_file, least_agree, { 100 }, false, false },
  { "file_sync", open_file, run_sync, close_file, least_agree, { 1 }, false, true },
};
/* clang-format on */
static const size_t ncases = sizeof cases / sizeof cases[0];

bool case_is_of_pair(size_t i)
{
  return i >= ncases;
}

const case_t *case_number(size_t i)
{
  if (i < ncases)
    return &cases[i];
  return i - ncases < npair_cases ? &pair_cases[i - ncases] : NULL;
}
