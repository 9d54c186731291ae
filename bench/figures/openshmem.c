/* Latency of OpenSHMEM's put and get by size, PE 0 to PE 1: compiled by bench/papers where oshcc is. */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 2 << 20, REPEAT = 7 };

static double now(void)
{
  struct timespec time;

  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void put(char *memory, char *data, size_t nbytes, int n)
{
  for (int i = 0; i < n; i++) {
    shmem_putmem(memory, data, nbytes, 1);
    shmem_quiet();
  }
}

static void get(char *memory, char *data, size_t nbytes, int n)
{
  for (int i = 0; i < n; i++)
    shmem_getmem(data, memory, nbytes, 1);
}

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return x < y ? -1 : x > y;
}

/* ns of one operation, the median of REPEAT loops. */
static double measure(void (*operation)(char *, char *, size_t, int), char *memory, char *data,
                      size_t nbytes)
{
  int    n = nbytes <= 4096 ? 10000 : nbytes <= 65536 ? 1000 : 50;
  double ns[REPEAT];

  operation(memory, data, nbytes, n / 10);
  for (int i = 0; i < REPEAT; i++) {
    double start = now();

    operation(memory, data, nbytes, n);
    ns[i] = (now() - start) / n;
  }
  qsort(ns, REPEAT, sizeof ns[0], compare);
  return ns[REPEAT / 2];
}

int main(void)
{
  char *memory, *data = calloc(1, MOST);

  shmem_init();
  memory = shmem_malloc(MOST);
  if (data == NULL || memory == NULL)
    return 1;
  if (shmem_my_pe() == 0) {
    printf("bytes,put_ns,get_ns\n");
    for (size_t nbytes = 1; nbytes <= MOST; nbytes *= nbytes < 8 ? 2 : 4)
      printf("%zu,%.4g,%.4g\n", nbytes, measure(put, memory, data, nbytes),
             measure(get, memory, data, nbytes));
    printf("end\n");
    fflush(stdout);
  }
  shmem_barrier_all();
  shmem_free(memory);
  free(data);
  shmem_finalize();
  return 0;
}
