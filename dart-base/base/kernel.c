/* See kernel.h. */
#include "base/kernel.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/hash.h"

uint64_t dart__kernel_number(void)
{
  uint64_t high, middle, low;
  FILE    *boot = fopen("/proc/sys/kernel/random/boot_id", "re");
  bool     is_read;

  if (boot == NULL)
    return 0;
  is_read = fscanf(boot, "%8" SCNx64 "-%4" SCNx64 "-%4" SCNx64, &high, &middle, &low) == 3;
  fclose(boot);
  return is_read ? high << 32 | middle << 16 | low : 0;
}

uint64_t dart__host_number(void)
{
  static _Atomic uint64_t known; /* relaxed: a second thread would find the same */
  uint64_t                number = atomic_load_explicit(&known, memory_order_relaxed);
  uint64_t                kernel;
  struct utsname          host;
  struct stat             ids;

  if (number != 0)
    return number;
  kernel = dart__kernel_number();
  number = dart__hash(DART__HASH_OF_NOTHING, &kernel, sizeof kernel);
  if (uname(&host) == 0)
    number = dart__hash_text(number, host.nodename);
  if (stat("/proc/self/ns/pid", &ids) == 0)
    number = dart__hash(number, &ids.st_ino, sizeof ids.st_ino);
  atomic_store_explicit(&known, number, memory_order_relaxed);
  return number;
}
