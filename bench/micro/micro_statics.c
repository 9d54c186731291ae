/* Words of a static variable of the program, which others reach because it was adopted, or registered. The
 * floor is what that of allocated memory is; beside it stand put_blocking, get_blocking and fetch_and_op.bare. */
#include "micro.h"

#include <dash/dart/ext/dart_adopt.h>

static struct {
  _Alignas(4096) char line[LINE];
} variable;

static dart_gptr_t segment;

static void put(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    BENCH_OK(dart_put_blocking(m->at, m->send, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    micro_again();
  }
}

static void get(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    BENCH_OK(dart_get_blocking(m->recv, m->at, 1, DART_TYPE_LONG, DART_TYPE_LONG));
    micro_again();
  }
}

FETCH_WORD_LOOP(fetch,
                BENCH_OK(dart_fetch_and_op(m->at, &value, before, DART_TYPE_LONG, DART_OP_SUM)))

static void copy_there(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++)
    floor_copy(m->there, m->send, m->size);
}

static void copy_here(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++)
    floor_copy(m->recv, m->there, m->size);
}

/* run_case sets `at` for the next case. */
static void point_to_variable(micro_t *m)
{
  m->at = segment;
  dart_gptr_setunit(&m->at, DART_TEAM_UNIT_ID(m->target));
  micro_clear(m, LINE);
}

static void adopt(micro_t *m)
{
  BENCH_OK(dart_team_adopt(DART_TEAM_ALL, variable.line, sizeof variable.line, &segment));
  point_to_variable(m);
}

static void give_back(micro_t *m)
{
  (void)m;
  BENCH_OK(dart_team_memfree(segment));
}

static void reg(micro_t *m)
{
  BENCH_OK(dart_team_memregister(DART_TEAM_ALL, sizeof variable.line, DART_TYPE_BYTE, variable.line,
                                 &segment));
  point_to_variable(m);
}

static void deregister(micro_t *m)
{
  (void)m;
  BENCH_OK(dart_barrier(DART_TEAM_ALL));
  BENCH_OK(dart_team_memderegister(segment));
}

#define BOTH (IN_NEAR | IN_FAR)

#define CASE(name_, places_, loop_, floor_, about_, prepare_, clean_)                  \
  {                                                                                    \
    .name = name_, .places = places_, .sizes = SIZE_WORD, .dart = { .loop = loop_ },   \
    .floor = { .loop = floor_ }, .about = about_, .prepare = prepare_, .clean = clean_ \
  }

const case_t static_cases[] = {
  CASE("put_blocking.adopted", BOTH, put, copy_there, "blocking put, adopted memory", adopt,
       give_back),
  CASE("get_blocking.adopted", BOTH, get, copy_here, "blocking get, adopted memory", adopt,
       give_back),
  CASE("fetch_and_op.adopted", IN_NEAR, fetch, floor_sum_long, "fetch_and_op, adopted memory",
       adopt, give_back),
  CASE("put_blocking.registered", BOTH, put, copy_there, "blocking put, registered memory", reg,
       deregister),
  CASE("get_blocking.registered", BOTH, get, copy_here, "blocking get, registered memory", reg,
       deregister),
  { 0 },
};
