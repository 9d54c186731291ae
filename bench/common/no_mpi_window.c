/* A program without MPI has no window. */
#include "window.h"

void *bench_window_open(size_t nbytes)
{
  (void)nbytes;
  return NULL;
}

void bench_window_close(void)
{
}

void bench_window_put(size_t unit, size_t offset, const void *data, size_t nbytes)
{
  (void)unit, (void)offset, (void)data, (void)nbytes;
}

void bench_window_get(size_t unit, size_t offset, void *data, size_t nbytes)
{
  (void)unit, (void)offset, (void)data, (void)nbytes;
}

void bench_window_barrier(void)
{
}
