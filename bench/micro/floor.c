/* The floor that several files stand on: what C gives on memory the units share, without a runtime. */
#include "micro.h"

#include <sched.h>
#include <string.h>

static void init_mutex(pthread_mutex_t *mutex)
{
  pthread_mutexattr_t attributes;

  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

void floor_start(micro_t *m)
{
  m->floor = false;
  if (bench_shared_create(&m->job, sizeof(meeting_t), &m->common) != DART_OK)
    return;
  if (bench_shared_create(&m->job, m->area, &m->shared) != DART_OK) {
    bench_shared_free(&m->common);
    return;
  }
  m->floor = true;
  if (m->common.base == NULL)
    return;
  m->meeting = bench_shared_block(&m->common, 0);
  if (m->job.me == 0)
    init_mutex(&m->meeting->mutex);
}

void floor_stop(micro_t *m)
{
  if (!m->floor)
    return;
  bench_shared_free(&m->shared);
  bench_shared_free(&m->common);
}

__attribute__((noinline)) void floor_copy(void *to, const void *from, size_t nbytes)
{
  memcpy(to, from, nbytes);
  micro_again();
}

static void await(_Atomic uint64_t *flag, uint64_t value)
{
  for (unsigned looks = 1; atomic_load_explicit(flag, memory_order_acquire) != value; looks++)
    if (looks % 4096 == 0)
      sched_yield(); /* there may be more units than cores */
}

/* Flags count round trips, so that they are never reset. Unit 0 begins. */
void floor_round_trip(micro_t *m, size_t n)
{
  meeting_t *meeting = m->meeting;
  /* our own flag, so we know how far it is; the other is as far when a loop begins */
  _Atomic uint64_t *mine  = m->job.me == 0 ? &meeting->ping : &meeting->pong;
  _Atomic uint64_t *other = m->job.me == 0 ? &meeting->pong : &meeting->ping;
  uint64_t          count = atomic_load_explicit(mine, memory_order_relaxed);

  for (size_t i = 0; i < n; i++) {
    count++;
    if (m->job.me == 0)
      atomic_store_explicit(mine, count, memory_order_release);
    await(other, count);
    if (m->job.me != 0)
      atomic_store_explicit(mine, count, memory_order_release);
  }
}
