/* See draw.h. */
#include "draw.h"

#include <string.h>

static uint64_t scramble(uint64_t z)
{
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

uint64_t draw_bits(draw_t *draw)
{
  draw->state += UINT64_C(0x9e3779b97f4a7c15);
  return scramble(draw->state);
}

size_t draw_below(draw_t *draw, size_t n)
{
  return n == 0 ? 0 : (size_t)(draw_bits(draw) % n);
}

size_t draw_range(draw_t *draw, size_t least, size_t most)
{
  return least + draw_below(draw, most - least + 1);
}

bool draw_chance(draw_t *draw, unsigned percent)
{
  return draw_below(draw, 100) < percent;
}

size_t draw_log(draw_t *draw, size_t least, size_t most)
{
  unsigned bits = 0;
  size_t   top;

  if (least >= most)
    return most;
  while (bits < 63 && (most - least) >> bits != 0)
    bits++;
  top = (size_t)1 << draw_below(draw, bits + 1);
  top = least + draw_below(draw, top);
  return top > most ? most : top;
}

/* Where a request, a batch, a slot, a data message, a page, a huge page or the kernel's copy begins to
 * matter. */
static const size_t thresholds[] = { 1,    8,    16,   64,    128,   256,   1024,   2048,  3800,
                                     4096, 8000, 8192, 16384, 32768, 65536, 131072, 262144 };

enum { NTHRESHOLDS = sizeof thresholds / sizeof thresholds[0] };

size_t draw_size(draw_t *draw, size_t most)
{
  size_t size;

  if (draw_chance(draw, 70))
    return draw_log(draw, 0, most);
  size = thresholds[draw_below(draw, NTHRESHOLDS)] + draw_below(draw, 3) - 1;
  return size > most ? draw_log(draw, 0, most) : size;
}

int draw_member(draw_t *draw, uint64_t mask)
{
  size_t skip = draw_below(draw, (size_t)__builtin_popcountll(mask));

  for (int i = 0; i < 64; i++)
    if ((mask >> i & 1) != 0 && skip-- == 0)
      return i;
  return -1;
}

uint64_t mix(uint64_t a, uint64_t b, uint64_t c)
{
  return scramble(scramble(scramble(a + 1) ^ (b + UINT64_C(0x9e3779b97f4a7c15))) ^
                  (c + UINT64_C(0xd1b54a32d192ed03)));
}

void pattern_fill(void *buffer, uint64_t key, size_t from, size_t nbytes)
{
  unsigned char *to = buffer;

  for (size_t i = from; i < from + nbytes;) {
    uint64_t word = scramble(key + i / 8 * UINT64_C(0x9e3779b97f4a7c15));
    size_t   skip = i % 8, count = 8 - skip;

    if (count > from + nbytes - i)
      count = from + nbytes - i;
    memcpy(to, (char *)&word + skip, count);
    to += count;
    i += count;
  }
}
