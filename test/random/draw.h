#ifndef RANDOM_DRAW_H
#define RANDOM_DRAW_H
/* Numbers that depend on a seed alone, the same on every machine: splitmix64 (Steele, Lea and Flood,
 * OOPSLA 2014). What is drawn decides a schedule; what memory is filled with are patterns, which tell
 * who wrote them for which place. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct draw {
  uint64_t state;
} draw_t;

uint64_t draw_bits(draw_t *draw);

/** 0 .. n - 1; 0 for n 0. */
size_t draw_below(draw_t *draw, size_t n);

/** least .. most. */
size_t draw_range(draw_t *draw, size_t least, size_t most);

/** True in `percent` of all cases. */
bool draw_chance(draw_t *draw, unsigned percent);

/** least .. most, every power of two as likely as every other. */
size_t draw_log(draw_t *draw, size_t least, size_t most);

/** A number of bytes, 0 .. most: by powers of two, with more weight on the sizes at which DART changes
 *  from one way to another, and their neighbours. */
size_t draw_size(draw_t *draw, size_t most);

/** The set bit of `mask` that a number picks; -1 if there is none. */
int draw_member(draw_t *draw, uint64_t mask);

/** A well mixed number from three. */
uint64_t mix(uint64_t a, uint64_t b, uint64_t c);

/** Fill `nbytes` with the pattern of `key`, from its byte `from` on. */
void pattern_fill(void *buffer, uint64_t key, size_t from, size_t nbytes);

#endif
