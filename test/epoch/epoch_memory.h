#ifndef TEST_EPOCH_MEMORY_H
#define TEST_EPOCH_MEMORY_H
/* What the suites of epochs share: the kinds of memory that have them, values that say who wrote them, and locks. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dash/dart/ext/dart_epoch.h>

#include "dart_test.h"

enum { MANY = 700, LARGE = 20000 };

static inline int64_t value_of(int writer, int round, size_t index)
{
  return writer * INT64_C(100000000) + round * INT64_C(100000) + (int64_t)index;
}

static inline int right_of(int unit)
{
  return (unit + 1) % n;
}

static inline int left_of(int unit)
{
  return (unit + n - 1) % n;
}

static inline void fill(int64_t *values, size_t nelem, int round)
{
  for (size_t i = 0; i < nelem; i++)
    values[i] = value_of(me, round, i);
}

static inline int wrong_in(const int64_t *got, size_t nelem, int writer, int round)
{
  int wrong = 0;

  for (size_t i = 0; i < nelem; i++)
    wrong += got[i] != value_of(writer, round, i);
  return wrong;
}

/* The kinds of memory that have epochs: LARGE elements on every unit, zeros at first. `memory` NULL:
 * allocated by a team. */
typedef struct {
  const char *name;
  dart_gptr_t gptr; /* the first unit's */
  int64_t    *mine;
  void       *block; /* what is to be freed */
} memory_t;

enum { TEAM, POOL, REGISTERED, KINDS };

static dart_gptr_t own_pool_blocks[1];

/* LARGE elements at the same offset of every unit's pool: the highest at which one of them finds so many. The
 * others take a block that reaches that far. */
static inline dart_gptr_t common_block(void)
{
  dart_gptr_t own, *all = calloc((size_t)n, sizeof *all);
  uint64_t    highest = 0, before;

  EXPECT_OK(dart_memalloc(LARGE, T_INT64, &own));
  EXPECT_OK(dart_allgather(&own, all, sizeof own, DART_TYPE_BYTE, DART_TEAM_ALL));
  for (int unit = 0; unit < n; unit++)
    if (all[unit].addr_or_offs.offset > highest)
      highest = all[unit].addr_or_offs.offset;
  free(all);
  before = (highest - own.addr_or_offs.offset) / sizeof(int64_t);
  EXPECT_OK(dart_memfree(own));
  EXPECT_OK(dart_memalloc(before + LARGE, T_INT64, &own));
  EXPECT_TRUE(own.addr_or_offs.offset <= highest &&
              own.addr_or_offs.offset + before * sizeof(int64_t) >= highest);
  own_pool_blocks[0]      = own;
  own.addr_or_offs.offset = highest;
  return own;
}

static inline memory_t memory_of(int kind)
{
  memory_t m     = { .gptr = DART_GPTR_NULL };
  int64_t *zeros = calloc(LARGE, sizeof *zeros);

  switch (kind) {
  case TEAM:
    m.name = "team";
    m.gptr = test_alloc(zeros, LARGE, 0);
    m.mine = test_mine(m.gptr);
    free(zeros);
    break;
  case POOL:
    m.name = "pool";
    m.gptr = common_block();
    EXPECT_OK(dart_gptr_getaddr(test_unit(m.gptr, me), (void **)&m.mine));
    memset(m.mine, 0, LARGE * sizeof *m.mine);
    free(zeros);
    test_barrier();
    break;
  default:
    m.name  = "registered";
    m.block = m.mine = zeros;
    EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, LARGE, T_INT64, zeros, &m.gptr));
  }
  test_note("%s memory", m.name);
  return m;
}

static inline void end_memory(memory_t *m, int kind)
{
  test_barrier();
  if (kind == POOL)
    EXPECT_OK(dart_memfree(own_pool_blocks[0]));
  if (kind == REGISTERED)
    EXPECT_OK(dart_team_memderegister(m->gptr));
  free(m->block);
}

/* ---- locks -------------------------------------------------------------------------------------- */

static inline void lock(dart_gptr_t gptr, dart_epoch_lock_t kind)
{
  EXPECT_OK(dart_epoch_lock(gptr, kind, 0));
}

static inline void unlock(dart_gptr_t gptr)
{
  EXPECT_OK(dart_epoch_unlock(gptr, 0));
}

static inline void nap_ms(long ms)
{
  nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

/* ---- lengths ------------------------------------------------------------------------------------ */

static const size_t lengths[] = {
  1, 3, 64, 400, 1000, LARGE
}; /* elements: past every limit on the way */
enum { LENGTHS = sizeof lengths / sizeof *lengths };

#endif
