/* The range allocator against a map with a byte for every granule: what fits is never refused,
 * blocks pack and grow together again, and equal calls give equal offsets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/arena.h"

enum { GRANULES = 700, MOST_BLOCKS = GRANULES, STEPS = 4000 };

static uint32_t random_below(uint32_t *state, uint32_t end)
{
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state % end;
}

/* --- The reference --- */

typedef struct {
  uint64_t offset, granules;
} block_t;

typedef struct {
  size_t   granule;
  bool     used[GRANULES];
  block_t  blocks[MOST_BLOCKS];
  uint32_t nblocks;
} map_t;

static uint64_t longest_gap(const map_t *map)
{
  uint64_t longest = 0, run = 0;

  for (int i = 0; i < GRANULES; i++) {
    run = map->used[i] ? 0 : run + 1;
    if (run > longest)
      longest = run;
  }
  return longest;
}

static void mark(map_t *map, uint64_t offset, uint64_t granules, bool used)
{
  for (uint64_t i = offset / map->granule; i < offset / map->granule + granules; i++) {
    assert_true(i < GRANULES);
    assert_true(map->used[i] != used);
    map->used[i] = used;
  }
}

/* A request of `nbytes`: it succeeds if and only if there is a gap, and gets free bytes only. */
static void check_alloc(dart__arena_t *arena, map_t *map, uint64_t nbytes)
{
  uint64_t granules = nbytes == 0 ? 1 : (nbytes + map->granule - 1) / map->granule;
  uint64_t offset   = UINT64_MAX, looked;

  if (longest_gap(map) < granules) {
    assert_false(dart__arena_look(arena, nbytes, &looked));
    assert_false(dart__arena_alloc(arena, nbytes, &offset));
    assert_true(offset == UINT64_MAX);
    return;
  }
  assert_true(dart__arena_look(arena, nbytes, &looked));
  assert_true(dart__arena_alloc(arena, nbytes, &offset));
  assert_int_equal(looked, offset);
  assert_true(offset % map->granule == 0);
  mark(map, offset, granules, true);
  map->blocks[map->nblocks++] = (block_t){ offset, granules };
}

static void check_free(dart__arena_t *arena, map_t *map, uint32_t which)
{
  block_t block = map->blocks[which];

  assert_true(dart__arena_free(arena, block.offset));
  mark(map, block.offset, block.granules, false);
  map->blocks[which] = map->blocks[--map->nblocks];
  assert_false(dart__arena_free(arena, block.offset)); /* not twice */
}

/* --- Random calls --- */

/* Sizes of up to `most` granules; when blocks fill the range, more are freed than cut. */
static void work_randomly(size_t granule, uint32_t most, uint32_t seed)
{
  map_t          map   = { .granule = granule };
  dart__arena_t *arena = dart__arena_new(GRANULES * granule + granule / 2, granule);
  uint64_t       whole;

  assert_non_null(arena);
  for (int step = 0; step < STEPS; step++) {
    bool growing = step / 500 % 2 == 0;

    if (map.nblocks > 0 && random_below(&seed, 10) < (growing ? 3 : 7)) {
      check_free(arena, &map, random_below(&seed, map.nblocks));
    } else {
      uint64_t granules = random_below(&seed, 1 + random_below(&seed, most));

      check_alloc(arena, &map, granules * granule + random_below(&seed, (uint32_t)granule));
    }
    assert_int_equal(dart__arena_is_empty(arena), map.nblocks == 0);
  }
  while (map.nblocks > 0)
    check_free(arena, &map, random_below(&seed, map.nblocks));

  assert_true(dart__arena_is_empty(arena));
  assert_false(dart__arena_alloc(arena, GRANULES * granule + 1, &whole));
  assert_true(dart__arena_alloc(arena, GRANULES * granule, &whole));
  assert_true(whole == 0);
  dart__arena_delete(arena); /* with a block in use */
}

static void a_request_that_fits_is_never_refused(void **state)
{
  static const uint32_t most[] = { 1, 4, 17, 40, 100, GRANULES + 5 };

  (void)state;
  for (size_t i = 0; i < sizeof most / sizeof *most; i++)
    for (uint32_t seed = 1; seed <= 4; seed++) {
      work_randomly(1, most[i], seed);
      work_randomly(64, most[i], seed + 100);
      work_randomly(4096, most[i], seed + 200);
    }
}

/* A gap of the exact length, behind gaps of the same class that are too short. */
static void the_only_gap_that_fits_is_found_in_its_class(void **state)
{
  uint64_t offset[16], large;

  (void)state;
  for (int order = 0; order < 2; order++) {
    dart__arena_t *arena = dart__arena_new(1 << 20, 1);

    /* 256 .. 271 are one class, all gaps between blocks of 1 */
    for (uint64_t i = 0; i < 16; i++) {
      assert_true(dart__arena_alloc(arena, 256 + i, &offset[i]));
      assert_true(dart__arena_alloc(arena, 1, &large));
    }
    assert_true(dart__arena_alloc(arena, (1 << 20) - 16 * 257 - 120, &large));
    for (int i = 0; i < 16; i++)
      assert_true(dart__arena_free(arena, offset[order == 0 ? i : 15 - i]));
    for (uint64_t i = 16; i-- > 0;) {
      assert_false(dart__arena_alloc(arena, 257 + i, &large));
      assert_true(dart__arena_alloc(arena, 256 + i, &large));
      assert_true(large == offset[i]);
    }
    assert_false(dart__arena_alloc(arena, 1, &large));
    dart__arena_delete(arena);
  }
}

/* --- Packing --- */

static void blocks_pack_without_gaps(void **state)
{
  bool           seen[GRANULES] = { false };
  dart__arena_t *arena          = dart__arena_new(GRANULES * 64 + 63, 64);
  uint64_t       offset;

  (void)state;
  for (int i = 0; i < GRANULES; i++) {
    assert_true(dart__arena_alloc(arena, i % 2 == 0 ? 64 : (uint64_t)(i % 64), &offset));
    assert_true(offset % 64 == 0 && offset < GRANULES * 64);
    assert_false(seen[offset / 64]);
    seen[offset / 64] = true;
  }
  assert_false(dart__arena_alloc(arena, 0, &offset));
  dart__arena_delete(arena);
}

/* The first block of a fresh range starts it: units rely on it before they can agree on offsets. */
static void a_fresh_range_is_cut_from_its_start(void **state)
{
  dart__arena_t *arena = dart__arena_new(UINT64_C(1) << 40, 4096);
  uint64_t       at    = 0, offset;

  (void)state;
  for (uint64_t pages = 1; pages < 100; pages += 7) {
    assert_true(dart__arena_alloc(arena, pages * 4096 - 1, &offset));
    assert_true(offset == at);
    at += pages * 4096;
  }
  dart__arena_delete(arena);
}

/* Whatever the order of freeing, neighbours grow together until one block has it all. */
static void freed_blocks_grow_together_in_every_order(void **state)
{
  static const int orders[][5] = { { 0, 1, 2, 3, 4 }, { 4, 3, 2, 1, 0 }, { 0, 2, 4, 1, 3 },
                                   { 1, 3, 0, 2, 4 }, { 2, 1, 3, 4, 0 }, { 1, 0, 4, 3, 2 } };

  (void)state;
  for (size_t k = 0; k < sizeof orders / sizeof orders[0]; k++) {
    static const uint64_t nbytes[5] = { 64, 640, 64 * 17, 64, 64 * 33 };
    dart__arena_t        *arena     = dart__arena_new(64 * 62, 64);
    uint64_t              offset[5], whole;

    for (int i = 0; i < 5; i++)
      assert_true(dart__arena_alloc(arena, nbytes[i], &offset[i]));
    assert_false(dart__arena_alloc(arena, 1, &whole));
    for (int i = 0; i < 5; i++) {
      assert_false(dart__arena_alloc(arena, 64 * 62, &whole));
      assert_true(dart__arena_free(arena, offset[orders[k][i]]));
    }
    assert_true(dart__arena_alloc(arena, 64 * 62, &whole));
    assert_true(whole == 0);
    dart__arena_delete(arena);
  }
}

/* --- Determinism --- */

static void equal_calls_give_equal_offsets(void **state)
{
  (void)state;
  for (uint32_t seed = 1; seed <= 8; seed++) {
    dart__arena_t *left      = dart__arena_new(1 << 22, 64), *right;
    void          *elsewhere = malloc(12345); /* so that bookkeeping lies elsewhere */
    uint64_t       kept[500];
    uint32_t       random = seed, nkept = 0;

    right = dart__arena_new(1 << 22, 64);
    assert_true(left != NULL && right != NULL && elsewhere != NULL);
    for (int step = 0; step < STEPS; step++) {
      uint64_t nbytes = 1 + random_below(&random, 1U << random_below(&random, 17));
      uint64_t mine = 1, other = 2;

      if (nkept == 500 || (nkept > 0 && random_below(&random, 5) < 2)) {
        uint32_t which = random_below(&random, nkept);

        assert_true(dart__arena_free(left, kept[which]));
        assert_true(dart__arena_free(right, kept[which]));
        kept[which] = kept[--nkept];
      } else if (dart__arena_alloc(left, nbytes, &mine)) {
        assert_true(dart__arena_alloc(right, nbytes, &other));
        assert_true(mine == other);
        kept[nkept++] = mine;
      } else {
        assert_false(dart__arena_alloc(right, nbytes, &other));
      }
      if (step % 100 == 0) {
        free(elsewhere);
        elsewhere = malloc(step + 1);
      }
    }
    free(elsewhere);
    dart__arena_delete(left);
    dart__arena_delete(right);
  }
}

/* --- Edges --- */

static void only_starts_of_blocks_are_freed(void **state)
{
  dart__arena_t *arena = dart__arena_new(6400, 64);
  uint64_t       offset;

  (void)state;
  assert_false(dart__arena_free(arena, 0));
  assert_true(dart__arena_alloc(arena, 640, &offset));
  assert_true(offset == 0);
  assert_false(dart__arena_free(arena, 1));
  assert_false(dart__arena_free(arena, 64));
  assert_false(dart__arena_free(arena, 640)); /* free already */
  assert_false(dart__arena_free(arena, 6400));
  assert_false(dart__arena_free(arena, UINT64_MAX));
  assert_false(dart__arena_is_empty(arena));
  assert_true(dart__arena_free(arena, 0));
  assert_true(dart__arena_is_empty(arena));
  assert_false(dart__arena_free(arena, 0));
  dart__arena_delete(arena);
  dart__arena_delete(NULL);
}

/* Also where the record of the block before is used again. */
static void a_mark_ends_with_its_block(void **state)
{
  dart__arena_t *arena = dart__arena_new(1024, 64);
  uint64_t       first, second;

  (void)state;
  for (int round = 0; round < 2; round++) {
    assert_true(dart__arena_alloc(arena, 64, &first));
    assert_true(dart__arena_alloc(arena, 64, &second));
    assert_false(*dart__arena_mark(arena, first));
    assert_false(*dart__arena_mark(arena, second));
    *dart__arena_mark(arena, second) = true;
    assert_false(*dart__arena_mark(arena, first));
    assert_true(*dart__arena_mark(arena, second));
    assert_null(dart__arena_mark(arena, second + 64));
    assert_true(dart__arena_free(arena, first));
    assert_null(dart__arena_mark(arena, first));
    assert_true(dart__arena_free(arena, second));
  }
  dart__arena_delete(arena);
}

static void ranges_may_be_tiny_or_huge(void **state)
{
  static const uint64_t huge[] = { UINT64_C(1) << 47, UINT64_C(1) << 63, UINT64_MAX };
  dart__arena_t        *arena;
  uint64_t              offset, rest;

  (void)state;
  for (uint64_t nbytes = 0; nbytes < 64; nbytes += 21) { /* no granule fits */
    arena = dart__arena_new(nbytes, 64);
    assert_non_null(arena);
    assert_true(dart__arena_is_empty(arena));
    assert_false(dart__arena_alloc(arena, 0, &offset));
    assert_false(dart__arena_alloc(arena, 1, &offset));
    dart__arena_delete(arena);
  }
  for (size_t i = 0; i < sizeof huge / sizeof *huge; i++)
    for (size_t granule = 1; granule <= 4096; granule *= 64) {
      uint64_t usable = huge[i] - huge[i] % granule;

      arena = dart__arena_new(huge[i], granule);
      if (huge[i] < UINT64_MAX - 1)
        assert_false(dart__arena_alloc(arena, huge[i] + 1, &offset));
      assert_true(dart__arena_alloc(arena, granule, &offset));
      assert_false(dart__arena_alloc(arena, usable, &rest));
      assert_false(dart__arena_alloc(arena, UINT64_MAX, &rest));
      assert_true(dart__arena_alloc(arena, usable - granule, &rest));
      assert_true(rest == granule && offset == 0);
      assert_true(dart__arena_free(arena, 0));
      assert_true(dart__arena_free(arena, granule));
      assert_true(dart__arena_is_empty(arena));
      dart__arena_delete(arena);
    }
}

/* Sizes around every class: a range of exactly this size serves exactly this size. */
static void every_size_fits_its_own_range(void **state)
{
  (void)state;
  for (unsigned bit = 0; bit < 63; bit++)
    for (int delta = -2; delta <= 2; delta++)
      for (uint64_t fraction = 0; fraction < 16; fraction += 5) {
        uint64_t       base   = (UINT64_C(1) << bit) + fraction * ((UINT64_C(1) << bit) / 16);
        uint64_t       nbytes = base + (uint64_t)(int64_t)delta, offset;
        dart__arena_t *arena;

        if (nbytes == 0 || nbytes > UINT64_MAX / 2)
          continue;
        arena = dart__arena_new(nbytes, 1);
        assert_false(dart__arena_alloc(arena, nbytes + 1, &offset));
        assert_true(dart__arena_alloc(arena, nbytes, &offset));
        assert_true(offset == 0);
        assert_false(dart__arena_alloc(arena, 1, &offset));
        dart__arena_delete(arena);
      }
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(a_request_that_fits_is_never_refused),
                                      cmocka_unit_test(
                                          the_only_gap_that_fits_is_found_in_its_class),
                                      cmocka_unit_test(blocks_pack_without_gaps),
                                      cmocka_unit_test(a_fresh_range_is_cut_from_its_start),
                                      cmocka_unit_test(freed_blocks_grow_together_in_every_order),
                                      cmocka_unit_test(equal_calls_give_equal_offsets),
                                      cmocka_unit_test(only_starts_of_blocks_are_freed),
                                      cmocka_unit_test(a_mark_ends_with_its_block),
                                      cmocka_unit_test(ranges_may_be_tiny_or_huge),
                                      cmocka_unit_test(every_size_fits_its_own_range) };

  return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
