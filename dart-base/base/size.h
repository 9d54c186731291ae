#ifndef DART__BASE_SIZE_H
#define DART__BASE_SIZE_H
/* Arithmetic of sizes, and of other numbers without a sign. */
#include <stddef.h>
#include <stdint.h>

static inline uint64_t dart__least(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

static inline uint64_t dart__most(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

/** The least multiple of `multiple` that is not below `value`. */
static inline size_t dart__round_up(size_t value, size_t multiple)
{
  return (value + multiple - 1) / multiple * multiple;
}

/** The greatest common divisor. */
static inline uint64_t dart__gcd(uint64_t a, uint64_t b)
{
  while (b != 0) {
    uint64_t rest = a % b;

    a = b;
    b = rest;
  }
  return a;
}

/** How many of `total` are in the piece that begins at `at`, if a piece has `most`; 0 beyond the end. */
static inline size_t dart__in_piece(size_t total, size_t at, size_t most)
{
  return total <= at ? 0 : dart__least(total - at, most);
}

#endif
