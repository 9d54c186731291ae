#ifndef BENCH_RANDOMACCESS_STREAM_H
#define BENCH_RANDOMACCESS_STREAM_H
/* The stream of pseudo-random numbers: x, x^2, x^3 ... in GF(2)[x] modulo x^64 + x^2 + x + 1, that is
 * a shift register with the "polynomial 7". Number i, from 0, is x^(i+1). */
#include <stdint.h>

/** The stream comes back to its start after so many numbers. */
#define STREAM_PERIOD UINT64_C(1317624576693539401)

/** The number after `number`: times x. */
static inline uint64_t stream_next(uint64_t number)
{
  return number << 1 ^ (number >> 63 ? 7 : 0);
}

/** What stream_next() makes number n of; by squaring, instead of counting up to it. */
uint64_t stream_before(uint64_t n);

#endif
