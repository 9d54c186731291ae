#ifndef DART__CHECK_BYTES_H
#define DART__CHECK_BYTES_H
/* Bytes: the patterns of guards and of fresh or freed memory, and hashes. */
#include "check.h"

enum {
  DART__CHECK_GUARD   = 64,   /* bytes behind each portion and block, which nobody may change */
  DART__CHECK_PATTERN = 0xb5, /* of guards */
  DART__CHECK_FRESH   = 0xd5, /* of new memory, so that who reads it unwritten sees what it is */
  DART__CHECK_FREED   = 0xdf  /* of blocks that were freed */
};

/** The offset of the first byte of `n` that is not `pattern`; n: there is none. */
size_t dart__check_intact(const unsigned char *bytes, size_t n, int pattern);

/** A hash of some bytes, never 0; continues `hash`, which is 0 at first. */
uint64_t dart__check_hash(uint64_t hash, const void *bytes, size_t nbytes);

#endif
