/* See bytes.h. */
#include "bytes.h"

size_t dart__check_intact(const unsigned char *bytes, size_t n, int pattern)
{
  size_t i = 0;

  while (i < n && bytes[i] == pattern)
    i++;
  return i;
}

uint64_t dart__check_hash(uint64_t hash, const void *bytes, size_t nbytes)
{
  const unsigned char *at = bytes;

  hash ^= UINT64_C(0xcbf29ce484222325); /* FNV-1a */
  for (size_t i = 0; i < nbytes; i++)
    hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
  return hash == 0 ? 1 : hash;
}
