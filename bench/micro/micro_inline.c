/* The functions of dart_inline.h, near. The floor is what a program writes that has the address: a copy of
 * constant size, or an atomic, without a call. Pointers and addresses are read from memory each time. */
#include "micro.h"

#include <string.h>

#include <dash/dart/ext/dart_inline.h>
#include <dash/dart/ext/dart_resolved.h>

enum { WORDS = LINE / sizeof(long) }; /* of the larger copies */

#define LOOP(name, body)                 \
  static void name(micro_t *m, size_t n) \
  {                                      \
    for (size_t i = 0; i < n; i++) {     \
      body;                              \
      micro_again();                     \
    }                                    \
  }

#define PUT(count) \
  BENCH_OK(dart_inline_put_blocking(m->at, m->send, count, DART_TYPE_LONG, DART_TYPE_LONG))
#define GET(count) \
  BENCH_OK(dart_inline_get_blocking(m->recv, m->at, count, DART_TYPE_LONG, DART_TYPE_LONG))

LOOP(put_word, PUT(1))
LOOP(get_word, GET(1))
LOOP(put_line, PUT(WORDS))
LOOP(get_line, GET(WORDS))
LOOP(copy_word_there, memcpy(m->there, m->send, sizeof(long)))
LOOP(copy_word_here, memcpy(m->recv, m->there, sizeof(long)))
LOOP(copy_line_there, memcpy(m->there, m->send, LINE))
LOOP(copy_line_here, memcpy(m->recv, m->there, LINE))

FETCH_WORD_LOOP(fetch, BENCH_OK(dart_inline_fetch_and_op(m->at, &value, before, DART_TYPE_LONG,
                                                         DART_OP_SUM)))
SWAP_WORD_LOOP(swap, BENCH_OK(dart_inline_compare_and_swap(m->at, &value, &expected, before,
                                                           DART_TYPE_LONG)))

/* The pointer is resolved before the loop, as a program does it; the word is another one each time, of a line. */
static void put_resolved(micro_t *m, size_t n)
{
  dart_resolved_t range;

  BENCH_OK(dart_resolve(m->at, LINE, &range));
  for (size_t i = 0; i < n; i++) {
    BENCH_OK(dart_resolved_put(&range, i % WORDS * sizeof(long), m->send, DART_TYPE_LONG));
    micro_again();
  }
}

static void get_resolved(micro_t *m, size_t n)
{
  dart_resolved_t range;

  BENCH_OK(dart_resolve(m->at, LINE, &range));
  for (size_t i = 0; i < n; i++) {
    BENCH_OK(dart_resolved_get(m->recv, &range, i % WORDS * sizeof(long), DART_TYPE_LONG));
    micro_again();
  }
}

/* The floor: an array that the program has. */
static void store_words(micro_t *m, size_t n)
{
  char *there = m->there;

  for (size_t i = 0; i < n; i++) {
    memcpy(there + i % WORDS * sizeof(long), m->send, sizeof(long));
    micro_again();
  }
}

static void load_words(micro_t *m, size_t n)
{
  const char *there = m->there;

  for (size_t i = 0; i < n; i++) {
    memcpy(m->recv, there + i % WORDS * sizeof(long), sizeof(long));
    micro_again();
  }
}

static void clear(micro_t *m)
{
  micro_clear(m, LINE);
}

#define CASE(name_, sizes_, dart_, floor_, about_)                                \
  {                                                                               \
    .name = name_, .places = IN_NEAR, .sizes = sizes_, .dart = { .loop = dart_ }, \
    .floor = { .loop = floor_ }, .about = about_, .prepare = clear                \
  }

const case_t inline_cases[] = {
  CASE("put_blocking.inline", SIZE_WORD, put_word, copy_word_there, "blocking put, inline"),
  CASE("get_blocking.inline", SIZE_WORD, get_word, copy_word_here, "blocking get, inline"),
  CASE("put_blocking.inline_64", SIZE_LINE, put_line, copy_line_there, "blocking put, inline"),
  CASE("get_blocking.inline_64", SIZE_LINE, get_line, copy_line_here, "blocking get, inline"),
  CASE("put.resolved", SIZE_WORD, put_resolved, store_words, "put by a resolved pointer"),
  CASE("get.resolved", SIZE_WORD, get_resolved, load_words, "get by a resolved pointer"),
  CASE("fetch_and_op.inline", SIZE_WORD, fetch, floor_sum_long, "fetch_and_op by SUM, inline"),
  CASE("compare_and_swap.inline", SIZE_WORD, swap, floor_swap, "compare_and_swap, inline"),
  { 0 },
};
