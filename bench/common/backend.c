/* The name of the backend: the one source of the benchmarks that is compiled for each of them. */
#include "bench.h"

const char *bench_backend(void)
{
  return DART_BACKEND_NAME;
}
