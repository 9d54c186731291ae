/* What a team makes and ends together: locks, range objects, memory, teams, files; see cases.h. */
#include <unistd.h>

#include <dash/dart/ext/dart_adopt.h>
#include <dash/dart/ext/dart_file.h>
#include <dash/dart/ext/dart_memalign.h>
#include <dash/dart/ext/dart_team_group.h>
#include <dash/dart/if/dart_locality.h>

#include "cases.h"

dart_lock_t  case_lock;
dart_range_t case_range;

static dart_team_t      team;
static dart_gptr_t      segment;
static dart_file_t      file;
static dart_allocator_t allocator;
static char             path[64]; /* the same on all units */
static _Alignas(65536) uint64_t adopted[ELEMENTS];

void cases_open_objects(void)
{
  if (job.me == 0)
    snprintf(path, sizeof path, "/tmp/dart-messages.%ld", (long)getpid());
  BENCH_OK(dart_bcast(path, sizeof path, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
}

void cases_close_objects(void)
{
  if (job.me == 0)
    unlink(path);
}

/* ---- locks ---------------------------------------------------------------------------------------- */

void make_lock(__attribute__((unused)) size_t n)
{
  BENCH_OK(dart_team_lock_init(DART_TEAM_ALL, &case_lock));
}

CALL(destroy_lock, dart_team_lock_destroy(&case_lock))

/* Once all have left it. */
void end_lock(size_t n)
{
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  destroy_lock(n);
}

STEP(run_lock_free)
{
  if (job.me != 1)
    return;
  BENCH_OK(dart_lock_acquire(case_lock));
  BENCH_OK(dart_lock_release(case_lock));
}

STEP(make_held_lock)
{
  make_lock(n);
  if (job.me == 0)
    BENCH_OK(dart_lock_acquire(case_lock));
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
}

/* Unit 0 holds the lock, and has it itself; unit 1 waits. */
STEP(run_lock_handed)
{
  if (job.me == 0) {
    await_silence();
    BENCH_OK(dart_lock_release(case_lock));
  } else if (job.me == 1) {
    BENCH_OK(dart_lock_acquire(case_lock));
    BENCH_OK(dart_lock_release(case_lock));
  }
}

/* Unit 0 holds the lock, and all others wait. */
STEP(run_lock_contended)
{
  if (job.me == 0)
    await_silence();
  else
    BENCH_OK(dart_lock_acquire(case_lock));
  BENCH_OK(dart_lock_release(case_lock));
}

LEAST(least_contended, 2 * (nunits - 1), nunits,
      "a request each, and the lock from one to the next")

void make_range(__attribute__((unused)) size_t n)
{
  BENCH_OK(dart_team_range_init(DART_TEAM_ALL, 0, 0, &case_range));
}

CALL(destroy_range, dart_team_range_destroy(&case_range))

void end_range(size_t n)
{
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  destroy_range(n);
}

/* ---- teams and memory ----------------------------------------------------------------------------- */

CALL(run_allocate, dart_team_memalloc_aligned(DART_TEAM_ALL, n, DART_TYPE_ULONG, &segment))
CALL(run_free, dart_team_memfree(segment))

STEP(run_team)
{
  dart_group_t group;

  BENCH_OK(dart_team_get_group(DART_TEAM_ALL, &group));
  BENCH_OK(dart_team_create(DART_TEAM_ALL, group, &team));
  BENCH_OK(dart_group_destroy(&group));
}

CALL(run_team_clone, dart_team_clone(DART_TEAM_ALL, &team))
CALL(run_register, dart_team_memregister(DART_TEAM_ALL, n, DART_TYPE_ULONG, local, &segment))
CALL(run_deregister, dart_team_memderegister(segment))
CALL(run_register_aligned,
     dart_team_memregister_aligned(DART_TEAM_ALL, n, DART_TYPE_ULONG, local, &segment))
CALL(run_align, dart_team_memalign(DART_TEAM_ALL, 4096, n, DART_TYPE_ULONG, &segment))
CALL(run_adopt, dart_team_adopt(DART_TEAM_ALL, adopted, n * sizeof *adopted, &segment))
CALL(make_allocator, dart_allocator_new(n, DART_TEAM_ALL, &allocator))
CALL(end_allocator, dart_allocator_destroy(&allocator))
CALL(run_locality, dart_team_locality_init(DART_TEAM_ALL))
CALL(end_locality, dart_team_locality_finalize(DART_TEAM_ALL))

STEP(run_team_group)
{
  dart_group_t group;

  BENCH_OK(dart_team_get_group(DART_TEAM_ALL, &group));
  BENCH_OK(dart_team_create_group(DART_TEAM_ALL, group, 0, &team));
  BENCH_OK(dart_group_destroy(&group));
}

CALL(run_team_destroy, dart_team_destroy(&team))

/* ---- files ------------------------------------------------------------------------------------------ */

CALL(open_file, dart_file_open(DART_TEAM_ALL, path,
                               DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE, 0600, &file))
CALL(close_file, dart_file_close(&file))

/* How many elements a call has moved, or where a file's shared pointer is: nobody reads it. */
static size_t   done;
static uint64_t nbytes;

static uint64_t own_place(size_t n)
{
  return (uint64_t)job.me * n * sizeof(uint64_t);
}

CALL(run_write_at,
     dart_file_write_at(file, own_place(n), local, n, DART_TYPE_ULONG, DART_TYPE_ULONG, &done))
CALL(run_read_at,
     dart_file_read_at(file, own_place(n), other, n, DART_TYPE_ULONG, DART_TYPE_ULONG, &done))

STEP(run_write_request)
{
  dart_file_request_t request;

  BENCH_OK(dart_file_write_at_request(file, own_place(n), local, n, DART_TYPE_ULONG,
                                      DART_TYPE_ULONG, &request));
  BENCH_OK(dart_file_wait(&request, &done));
}

CALL(run_size, dart_file_size(file, &nbytes))
CALL(run_atomicity, dart_file_set_atomicity(file, true))

STEP(open_atomic)
{
  open_file(n);
  BENCH_OK(dart_file_set_atomicity(file, true));
}

CALL(run_write_all,
     dart_file_write_all(file, own_place(n), local, n, DART_TYPE_ULONG, DART_TYPE_ULONG, &done))
CALL(run_read_all,
     dart_file_read_all(file, own_place(n), other, n, DART_TYPE_ULONG, DART_TYPE_ULONG, &done))
CALL(run_resize, dart_file_resize(file, n))
CALL(run_set_view, dart_file_set_view(file, own_place(n), DART_TYPE_ULONG))

/* Elements of all units in turn. */
STEP(run_write_mixed)
{
  dart_datatype_t turns;

  BENCH_OK(dart_type_create_strided(DART_TYPE_ULONG, job.nunits, 1, &turns));
  BENCH_OK(dart_file_write_all(file, own_place(1), local, n, DART_TYPE_ULONG, turns, &done));
  BENCH_OK(dart_type_destroy(&turns));
}

STEP(run_write_shared)
{
  if (job.me == 1)
    BENCH_OK(dart_file_write_shared(file, local, n, DART_TYPE_ULONG, &done));
}

STEP(run_read_shared)
{
  if (job.me == 1)
    BENCH_OK(dart_file_read_shared(file, other, n, DART_TYPE_ULONG, &done));
}

STEP(run_tell_shared)
{
  if (job.me == 1)
    BENCH_OK(dart_file_tell_shared(file, &nbytes));
}

CALL(run_seek_shared, dart_file_seek_shared(file, n))
CALL(run_read_ordered, dart_file_read_ordered(file, other, n, DART_TYPE_ULONG, &done))
CALL(run_write_ordered, dart_file_write_ordered(file, local, n, DART_TYPE_ULONG, &done))
CALL(run_sync, dart_file_sync(file))
LEAST(least_of_file, 0, 0, "each unit by itself")
LEAST(least_atomic, 3 * (nunits - 1), 2, "a lock of the file's range: request, grant, release")

/* clang-format off */
static const case_t cases[] = {
  { "lock acquire release", make_lock, run_lock_free, end_lock, least_lock_free, { 1 }, false, false },
  { "lock handed over", make_held_lock, run_lock_handed, end_lock, least_lock_free, { 1 }, false, false },
  { "lock contended", make_held_lock, run_lock_contended, end_lock, least_contended, { 1 }, false, false },
  { "team_lock_init", NULL, make_lock, end_lock, least_agree, { 1 }, false, false },
  { "team_range_init", NULL, make_range, end_range, least_agree, { 1 }, false, true },
  { "team_lock_destroy", make_lock, destroy_lock, NULL, least_agree, { 1 }, false, false },
  { "team_range_destroy", make_range, destroy_range, NULL, least_agree, { 1 }, false, false },
  { "team_memalloc", NULL, run_allocate, run_free, least_agree, { 1000 }, false, true },
  { "team_memfree", run_allocate, run_free, NULL, least_agree, { 1000 }, false, true },
  { "team_memregister", NULL, run_register, run_deregister, least_barrier, { 1000 }, false, true },
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
CASE_LIST(object_cases, cases)
