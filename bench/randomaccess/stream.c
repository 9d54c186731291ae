/* Anywhere into the stream: x^n by repeated squaring. */
#include "stream.h"

static uint64_t multiply(uint64_t a, uint64_t b)
{
  uint64_t product = 0;

  for (int bit = 63; bit >= 0; bit--) {
    product = stream_next(product);
    if (b >> bit & 1)
      product ^= a;
  }
  return product;
}

uint64_t stream_before(uint64_t n)
{
  uint64_t power = 1;

  for (int bit = 63; bit >= 0; bit--) {
    power = multiply(power, power);
    if (n >> bit & 1)
      power = stream_next(power);
  }
  return power;
}
