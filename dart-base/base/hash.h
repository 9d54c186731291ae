#ifndef DART__BASE_HASH_H
#define DART__BASE_HASH_H
/* Hashes of bytes: FNV-1a of 64 bits. */
#include <stddef.h>
#include <stdint.h>

#define DART__HASH_OF_NOTHING UINT64_C(14695981039346656037)
#define DART__HASH_FACTOR     UINT64_C(1099511628211)

/** The hash of what `hash` is of and, behind it, these bytes. */
static inline uint64_t dart__hash(uint64_t hash, const void *data, size_t nbytes)
{
  for (const unsigned char *byte = data, *end = byte + nbytes; byte < end; byte++)
    hash = (hash ^ *byte) * DART__HASH_FACTOR;
  return hash;
}

static inline uint64_t dart__hash_text(uint64_t hash, const char *text)
{
  for (; *text != '\0'; text++)
    hash = (hash ^ (unsigned char)*text) * DART__HASH_FACTOR;
  return hash;
}

static inline uint32_t dart__hash_fold(uint64_t hash)
{
  return (uint32_t)(hash ^ hash >> 32);
}

#endif
