/* Put and get of elements that do not lie side by side at the target: one of every four (strided), or
 * short blocks with gaps (indexed). The size is that of the elements. The floor is the loop that a
 * program would write. */
#include "micro.h"

static dart_datatype_t strided, indexed;
static size_t          blocklen[NBLOCKS], offset[NBLOCKS], extent;

size_t indexed_blocklen(size_t block)
{
  return 1 + block % 3;
}

size_t indexed_offset(size_t block)
{
  return STRIDE * block;
}

size_t indexed_words(const micro_t *m)
{
  return m->nwords / INDEXED_WORDS * INDEXED_WORDS;
}

static void make_types(micro_t *m)
{
  for (size_t i = 0; i < NBLOCKS; i++) {
    blocklen[i] = indexed_blocklen(i);
    offset[i]   = indexed_offset(i);
  }
  extent = offset[NBLOCKS - 1] + blocklen[NBLOCKS - 1];
  BENCH_OK(dart_type_create_strided(DART_TYPE_LONG, STRIDE, 1, &strided));
  BENCH_OK(dart_type_create_indexed(DART_TYPE_LONG, NBLOCKS, blocklen, offset, &indexed));
  micro_clear(m, m->area);
}

static void free_types(micro_t *m)
{
  (void)m;
  BENCH_OK(dart_type_destroy(&strided));
  BENCH_OK(dart_type_destroy(&indexed));
}

#define LOOP(name, call)                 \
  static void name(micro_t *m, size_t n) \
  {                                      \
    for (size_t i = 0; i < n; i++) {     \
      BENCH_OK(call);                    \
      micro_again();                     \
    }                                    \
  }

LOOP(put_strided, dart_put_blocking(m->at, m->send, m->nwords, DART_TYPE_LONG, strided))
LOOP(get_strided, dart_get_blocking(m->recv, m->at, m->nwords, strided, DART_TYPE_LONG))
LOOP(put_indexed, dart_put_blocking(m->at, m->send, indexed_words(m), DART_TYPE_LONG, indexed))
LOOP(get_indexed, dart_get_blocking(m->recv, m->at, indexed_words(m), indexed, DART_TYPE_LONG))

/* ---- floors ---------------------------------------------------------------------------------- */

static __attribute__((noinline)) void scatter_words(long *to, const long *from, size_t n)
{
  for (size_t i = 0; i < n; i++)
    to[i * STRIDE] = from[i];
  micro_again();
}

static __attribute__((noinline)) void gather_words(long *to, const long *from, size_t n)
{
  for (size_t i = 0; i < n; i++)
    to[i] = from[i * STRIDE];
  micro_again();
}

static __attribute__((noinline)) void scatter_blocks(long *to, const long *from, size_t n)
{
  for (size_t done = 0; done < n; to += extent)
    for (size_t b = 0; b < NBLOCKS; b++)
      for (size_t k = 0; k < blocklen[b]; k++)
        to[offset[b] + k] = from[done++];
  micro_again();
}

static __attribute__((noinline)) void gather_blocks(long *to, const long *from, size_t n)
{
  for (size_t done = 0; done < n; from += extent)
    for (size_t b = 0; b < NBLOCKS; b++)
      for (size_t k = 0; k < blocklen[b]; k++)
        to[done++] = from[offset[b] + k];
  micro_again();
}

static void floor_put_strided(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++)
    scatter_words((long *)m->there, (const long *)m->send, m->nwords);
}

static void floor_get_strided(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++)
    gather_words((long *)m->recv, (const long *)m->there, m->nwords);
}

static void floor_put_indexed(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++)
    scatter_blocks((long *)m->there, (const long *)m->send, indexed_words(m));
}

static void floor_get_indexed(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++)
    gather_blocks((long *)m->recv, (const long *)m->there, indexed_words(m));
}

#define CASE(name_, sizes_, about_)                                                         \
  {                                                                                         \
    .name = #name_, .places = IN_NEAR | IN_FAR, .sizes = sizes_, .dart = { .loop = name_ }, \
    .floor = { .loop = floor_##name_ }, .about = about_, .prepare = make_types,             \
    .clean = free_types                                                                     \
  }

const case_t strided_cases[] = {
  CASE(put_strided, SIZE_STRIDED, "blocking put to every fourth word"),
  CASE(get_strided, SIZE_STRIDED, "blocking get of every fourth word"),
  CASE(put_indexed, SIZE_INDEXED, "blocking put to blocks of 1 to 3 words, 127 or a multiple"),
  CASE(get_indexed, SIZE_INDEXED, "blocking get of blocks of 1 to 3 words, 127 or a multiple"),
  { 0 },
};
