#ifndef DART__CHECK_BYTES_H
#define DART__CHECK_BYTES_H
/* Bytes: the patterns of guards and of fresh or freed memory, and hashes. */
#include "check.h"

enum {
  DART__CHECK_GUARD   = 64,   /* bytes behind each portion and block that nobody may change */
  DART__CHECK_PATTERN = 0xb5, /* fills guards */
  DART__CHECK_FRESH   = 0xd5, /* fills new memory, so that a read before a write is visible */
  DART__CHECK_FREED   = 0xdf  /* fills freed blocks */
};

/** The offset of the first of `n` bytes that is not `pattern`; `n` if all bytes are. */
size_t dart__check_intact(const unsigned char *bytes, size_t n, int pattern);

/** A hash of some bytes; never 0. It continues `hash`, which is 0 for the first bytes. */
uint64_t dart__check_hash(uint64_t hash, const void *bytes, size_t nbytes);

#endif
