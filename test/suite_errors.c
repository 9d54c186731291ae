/* Bad arguments: every function, every argument. The call is refused with DART_ERR_INVAL, nothing
 * is written anywhere, and the runtime works on.
 *
 * The tables cross what is wrong with who is called. Collective functions are called with the same
 * wrong argument by all units, so that none of them waits for another. */
#include <string.h>

#include "dart_test.h"

SUITE(errors);

enum { NBYTES = 1024, COUNT = NBYTES / 8, UNKNOWN_TEAM = 12345, UNKNOWN_SEGMENT = 77 };

/* Local memory of the calls: what they read, and what they must not write. */
static struct {
  _Alignas(16) int64_t sent[COUNT + 1];
  _Alignas(16) int64_t got[COUNT + 1];
  dart_handle_t        handle;
} local;

/* ---- One-sided calls ------------------------------------------------------------------------- */

typedef dart_ret_t one_sided_t(dart_gptr_t at, size_t nelem, dart_datatype_t type);

static dart_ret_t put(dart_gptr_t at, size_t nelem, dart_datatype_t type)
{
  return dart_put(at, local.sent, nelem, type, type);
}

static dart_ret_t get(dart_gptr_t at, size_t nelem, dart_datatype_t type)
{
  return dart_get(local.got, at, nelem, type, type);
}

static dart_ret_t put_blocking(dart_gptr_t at, size_t nelem, dart_datatype_t type)
{
  return dart_put_blocking(at, local.sent, nelem, type, type);
}

static dart_ret_t get_blocking(dart_gptr_t at, size_t nelem, dart_datatype_t type)
{
  return dart_get_blocking(local.got, at, nelem, type, type);
}

static dart_ret_t put_handle(dart_gptr_t at, size_t nelem, dart_datatype_t type)
{
  return dart_put_handle(at, local.sent, nelem, type, type, &local.handle);
}

static dart_ret_t get_handle(dart_gptr_t at, size_t nelem, dart_datatype_t type)
{
  return dart_get_handle(local.got, at, nelem, type, type, &local.handle);
}

static dart_ret_t accumulate(dart_gptr_t at, size_t nelem, dart_datatype_t type)
{
  return dart_accumulate(at, local.sent, nelem, type, DART_OP_SUM);
}

static dart_ret_t accumulate_blocking_local(dart_gptr_t at, size_t nelem, dart_datatype_t type)
{
  return dart_accumulate_blocking_local(at, local.sent, nelem, type, DART_OP_SUM);
}

static dart_ret_t fetch_and_op(dart_gptr_t at, size_t nelem, dart_datatype_t type)
{
  (void)nelem;
  return dart_fetch_and_op(at, local.sent, local.got, type, DART_OP_SUM);
}

static dart_ret_t compare_and_swap(dart_gptr_t at, size_t nelem, dart_datatype_t type)
{
  (void)nelem;
  return dart_compare_and_swap(at, local.sent, local.sent, local.got, type);
}

static const struct {
  const char  *name;
  one_sided_t *call;
  bool         counts;  /* takes nelem */
  bool         atomic;
} one_sided[] = {
  { "put", put, true, false },
  { "get", get, true, false },
  { "put_blocking", put_blocking, true, false },
  { "get_blocking", get_blocking, true, false },
  { "put_handle", put_handle, true, false },
  { "get_handle", get_handle, true, false },
  { "accumulate", accumulate, true, true },
  { "accumulate_blocking_local", accumulate_blocking_local, true, true },
  { "fetch_and_op", fetch_and_op, false, true },
  { "compare_and_swap", compare_and_swap, false, true },
};

enum { ONE_SIDED = sizeof one_sided / sizeof *one_sided };

static void expect_refused(size_t call, const char *what, dart_gptr_t at, size_t nelem,
                           dart_datatype_t type)
{
  test_note("%s: %s", one_sided[call].name, what);
  local.handle = (dart_handle_t)&local;
  EXPECT_INVAL(one_sided[call].call(at, nelem, type));
  if (one_sided[call].call == put_handle || one_sided[call].call == get_handle)
    EXPECT_TRUE(local.handle == NULL);
}

/* A segment no byte of which may change, between two tests of that. */
static dart_gptr_t untouched_segment(dart_team_t team)
{
  memset(local.sent, 0x11, sizeof local.sent);
  memset(local.got, 0x22, sizeof local.got);
  return test_segment(team, NBYTES, 0x5a);
}

static void expect_untouched(dart_gptr_t segment)
{
  test_note("afterwards");
  EXPECT_OK(dart_flush_all(segment));
  EXPECT_OK(dart_barrier(segment.teamid));
  EXPECT_FILLED(local.sent, 0x11, sizeof local.sent);
  EXPECT_FILLED(local.got, 0x22, sizeof local.got);
  EXPECT_FILLED(test_mine(segment), 0x5a, NBYTES);
  EXPECT_OK(dart_barrier(segment.teamid));
}

TEST(one_sided_calls_want_a_live_place) /* I88 D40 */
{
  dart_gptr_t segment = untouched_segment(DART_TEAM_ALL), freed, wrong;

  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, NBYTES, DART_TYPE_BYTE, &freed));
  EXPECT_OK(dart_team_memfree(freed));
  for (size_t c = 0; c < ONE_SIDED; c++) {
    for (int unit = 0; unit < n; unit++) {
      dart_gptr_t at = test_unit(segment, unit);

      expect_refused(c, "freed segment", test_unit(freed, unit), 1, T_INT64);
      wrong        = at;
      wrong.teamid = UNKNOWN_TEAM;
      expect_refused(c, "unknown team", wrong, 1, T_INT64);
      wrong.teamid = DART_TEAM_NULL;
      expect_refused(c, "null team", wrong, 1, T_INT64);
      wrong.teamid = INT16_MIN;
      expect_refused(c, "negative team", wrong, 1, T_INT64);
      wrong       = at;
      wrong.segid = UNKNOWN_SEGMENT;
      expect_refused(c, "unknown segment", wrong, 1, T_INT64);
      wrong.segid = INT16_MAX;
      expect_refused(c, "largest segment id", wrong, 1, T_INT64);
      wrong.segid = INT16_MIN;
      expect_refused(c, "smallest segment id", wrong, 1, T_INT64);
    }
    expect_refused(c, "null pointer", DART_GPTR_NULL, 1, T_INT64);
    expect_refused(c, "unit n", test_unit(segment, n), 1, T_INT64);
    expect_refused(c, "unit -1", test_unit(segment, -1), 1, T_INT64);
    expect_refused(c, "largest unit", test_unit(segment, 0x7fffff), 1, T_INT64);
    expect_refused(c, "smallest unit", test_unit(segment, -0x800000), 1, T_INT64);
  }
  expect_untouched(segment);
}

TEST(one_sided_calls_stay_in_the_portion)
{
  const uint64_t huge    = UINT64_MAX - 7;
  dart_gptr_t    segment = untouched_segment(DART_TEAM_ALL);

  for (size_t c = 0; c < ONE_SIDED; c++) {
    for (int unit = 0; unit < n; unit++) {
      dart_gptr_t at = test_unit(segment, unit);

      expect_refused(c, "at the end", test_byte(at, NBYTES), 1, T_INT64);
      expect_refused(c, "across the end", test_byte(at, NBYTES - 8), 1, DART_TYPE_LONG_DOUBLE);
      expect_refused(c, "far beyond", test_byte(at, (uint64_t)1 << 40), 1, T_INT64);
      expect_refused(c, "before the start", test_byte(at, huge), 1, T_INT64);
      if (!one_sided[c].counts)
        continue;
      expect_refused(c, "one too many", at, COUNT + 1, T_INT64);
      expect_refused(c, "one byte too many", test_byte(at, 1), NBYTES, DART_TYPE_BYTE);
      expect_refused(c, "half of all memory", at, SIZE_MAX / 2, DART_TYPE_BYTE);
      expect_refused(c, "all memory", at, SIZE_MAX, DART_TYPE_BYTE);
      expect_refused(c, "a count that wraps to 0 bytes", at, SIZE_MAX / 8 + 1, T_INT64);
      expect_refused(c, "a count that wraps to 8 bytes", at, SIZE_MAX / 8 + 2, T_INT64);
      expect_refused(c, "an end that wraps", test_byte(at, 8), SIZE_MAX - 7, DART_TYPE_BYTE);
    }
  }
  expect_untouched(segment);
}

TEST(the_end_of_a_portion_is_its_own_units) /* portions of different sizes */
{
  dart_gptr_t segment;
  size_t      mine = 64 * (size_t)(me + 1);

  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, mine, DART_TYPE_BYTE, &segment));
  memset(test_mine(segment), 0x5a, mine);
  memset(local.sent, 0x11, sizeof local.sent);
  memset(local.got, 0x22, sizeof local.got);
  test_barrier();
  for (size_t c = 0; c < ONE_SIDED; c++) {
    for (int unit = 0; unit < n; unit++)
      expect_refused(c, "end of a portion", test_byte(test_unit(segment, unit), 64 * (unit + 1u)),
                     1, DART_TYPE_INT);
  }
  test_barrier();
  EXPECT_FILLED(test_mine(segment), 0x5a, mine);
  for (int unit = 0; unit < n; unit++) /* the last element is still inside */
    EXPECT_OK(dart_get_blocking(local.got, test_byte(test_unit(segment, unit), 64 * unit + 60u), 1,
                                DART_TYPE_INT, DART_TYPE_INT));
  EXPECT_FILLED(local.got, 0x5a, 4);
  EXPECT_OK(dart_team_memfree(segment));
}

TEST(one_sided_calls_want_a_type)
{
  const dart_datatype_t wrong[] = { DART_TYPE_UNDEFINED, DART_TYPE_LAST, -1, 1 << 20, INTPTR_MIN,
                                    INTPTR_MAX };
  dart_gptr_t           segment = untouched_segment(DART_TEAM_ALL);

  for (size_t c = 0; c < ONE_SIDED; c++) {
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
      expect_refused(c, "no type", test_unit(segment, (me + 1) % n), 1, wrong[i]);
  }
  expect_untouched(segment);
}

TEST(transfers_do_not_convert) /* H74, basic types */
{
  const dart_datatype_t pair[][2] = {
    { DART_TYPE_INT, DART_TYPE_UINT },           { DART_TYPE_LONG, DART_TYPE_LONGLONG },
    { DART_TYPE_ULONG, DART_TYPE_ULONGLONG },    { DART_TYPE_INT, DART_TYPE_BYTE },
    { DART_TYPE_DOUBLE, DART_TYPE_LONG },        { DART_TYPE_FLOAT, DART_TYPE_INT },
    { DART_TYPE_INT, DART_TYPE_UNDEFINED },
  };
  dart_gptr_t segment = untouched_segment(DART_TEAM_ALL);

  for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
    for (int k = 0; k < 2; k++) {
      dart_datatype_t a = pair[i][k], b = pair[i][!k];
      dart_gptr_t     at = test_unit(segment, (me + 1) % n);

      test_note("%ld to %ld", (long)a, (long)b);
      EXPECT_INVAL(dart_put(at, local.sent, 8, a, b));
      EXPECT_INVAL(dart_get(local.got, at, 8, a, b));
      EXPECT_INVAL(dart_put_blocking(at, local.sent, 8, a, b));
      EXPECT_INVAL(dart_get_blocking(local.got, at, 8, a, b));
      local.handle = (dart_handle_t)&local;
      EXPECT_INVAL(dart_put_handle(at, local.sent, 8, a, b, &local.handle));
      EXPECT_TRUE(local.handle == NULL);
      local.handle = (dart_handle_t)&local;
      EXPECT_INVAL(dart_get_handle(local.got, at, 8, a, b, &local.handle));
      EXPECT_TRUE(local.handle == NULL);
    }
  }
  expect_untouched(segment);
}

TEST(atomics_want_aligned_elements)
{
  dart_gptr_t segment = untouched_segment(DART_TEAM_ALL);

  for (size_t c = 0; c < ONE_SIDED; c++) {
    for (int t = 0; t < TEST_TYPES && one_sided[c].atomic; t++) {
      const test_type_t *type = &test_types[t];

      if (one_sided[c].call == compare_and_swap && type->kind == TEST_FLOAT)
        continue;
      for (size_t off = 1; off < type->size; off = 2 * off)
        expect_refused(c, type->name, test_byte(test_unit(segment, (me + 1) % n), off), 1,
                       type->id);
    }
  }
  expect_untouched(segment);
}

TEST(one_sided_calls_want_buffers)
{
  dart_gptr_t segment = untouched_segment(DART_TEAM_ALL), at = test_unit(segment, (me + 1) % n);

  EXPECT_INVAL(dart_put(at, NULL, 1, T_INT64, T_INT64));
  EXPECT_INVAL(dart_get(NULL, at, 1, T_INT64, T_INT64));
  EXPECT_INVAL(dart_put_blocking(at, NULL, 1, T_INT64, T_INT64));
  EXPECT_INVAL(dart_get_blocking(NULL, at, 1, T_INT64, T_INT64));
  EXPECT_INVAL(dart_put_handle(at, NULL, 1, T_INT64, T_INT64, &local.handle));
  EXPECT_INVAL(dart_get_handle(NULL, at, 1, T_INT64, T_INT64, &local.handle));
  EXPECT_INVAL(dart_put_handle(at, local.sent, 1, T_INT64, T_INT64, NULL));
  EXPECT_INVAL(dart_get_handle(local.got, at, 1, T_INT64, T_INT64, NULL));
  EXPECT_INVAL(dart_accumulate(at, NULL, 1, T_INT64, DART_OP_SUM));
  EXPECT_INVAL(dart_accumulate_blocking_local(at, NULL, 1, T_INT64, DART_OP_SUM));
  EXPECT_INVAL(dart_fetch_and_op(at, NULL, local.got, T_INT64, DART_OP_SUM));
  EXPECT_INVAL(dart_fetch_and_op(at, local.sent, NULL, T_INT64, DART_OP_SUM));
  EXPECT_INVAL(dart_compare_and_swap(at, NULL, local.sent, local.got, T_INT64));
  EXPECT_INVAL(dart_compare_and_swap(at, local.sent, NULL, local.got, T_INT64));
  EXPECT_INVAL(dart_compare_and_swap(at, local.sent, local.sent, NULL, T_INT64));
  expect_untouched(segment);
}

TEST(flushes_want_a_live_segment) /* I88 */
{
  dart_ret_t (*const flush[])(dart_gptr_t) = { dart_flush, dart_flush_local, dart_flush_all,
                                               dart_flush_local_all };
  dart_gptr_t segment = test_segment(DART_TEAM_ALL, NBYTES, 0), freed, wrong;

  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, NBYTES, DART_TYPE_BYTE, &freed));
  EXPECT_OK(dart_team_memfree(freed));
  for (int i = 0; i < 4; i++) {
    test_note("flush %d", i);
    EXPECT_INVAL(flush[i](DART_GPTR_NULL));
    EXPECT_INVAL(flush[i](freed));
    wrong        = segment;
    wrong.teamid = UNKNOWN_TEAM;
    EXPECT_INVAL(flush[i](wrong));
    wrong       = segment;
    wrong.segid = UNKNOWN_SEGMENT;
    EXPECT_INVAL(flush[i](wrong));
    if (i < 2) { /* the others do not look at the unit */
      EXPECT_INVAL(flush[i](test_unit(segment, n)));
      EXPECT_INVAL(flush[i](test_unit(segment, -1)));
    }
  }
}

TEST_N(2, segments_of_a_sub_team_have_its_units)
{
  dart_team_t team    = test_split(DART_TEAM_ALL, 2);
  dart_gptr_t segment = untouched_segment(team);

  for (size_t c = 0; c < ONE_SIDED; c++)
    expect_refused(c, "unit beyond the team", test_unit(segment, test_team_size(team)), 1, T_INT64);
  expect_untouched(segment);
}

TEST(pointers_outlive_neither_team_nor_segment)
{
  dart_team_t  team;
  dart_group_t all;
  dart_gptr_t  segment;

  memset(local.sent, 0x11, sizeof local.sent);
  EXPECT_OK(dart_team_get_group(DART_TEAM_ALL, &all));
  EXPECT_OK(dart_team_create(DART_TEAM_ALL, all, &team));
  EXPECT_OK(dart_group_destroy(&all));
  EXPECT_OK(dart_team_memalloc_aligned(team, NBYTES, DART_TYPE_BYTE, &segment));
  EXPECT_OK(dart_team_destroy(&team));
  for (size_t c = 0; c < ONE_SIDED; c++)
    expect_refused(c, "destroyed team", test_unit(segment, (me + 1) % n), 1, T_INT64);
  EXPECT_INVAL(dart_team_memfree(segment));
}

/* ---- Collective calls ------------------------------------------------------------------------ */

typedef dart_ret_t collective_t(void *buffer, dart_datatype_t type, int root, dart_team_t team);

static dart_ret_t bcast(void *buffer, dart_datatype_t type, int root, dart_team_t team)
{
  return dart_bcast(buffer, 1, type, DART_TEAM_UNIT_ID(root), team);
}

static dart_ret_t allgather(void *buffer, dart_datatype_t type, int root, dart_team_t team)
{
  (void)root;
  return dart_allgather(local.sent, buffer, 1, type, team);
}

static dart_ret_t allreduce(void *buffer, dart_datatype_t type, int root, dart_team_t team)
{
  (void)root;
  return dart_allreduce(local.sent, buffer, 1, type, DART_OP_SUM, team);
}

static dart_ret_t reduce(void *buffer, dart_datatype_t type, int root, dart_team_t team)
{
  return dart_reduce(local.sent, buffer, 1, type, DART_OP_SUM, DART_TEAM_UNIT_ID(root), team);
}

static dart_ret_t barrier(void *buffer, dart_datatype_t type, int root, dart_team_t team)
{
  (void)buffer, (void)type, (void)root;
  return dart_barrier(team);
}

static dart_ret_t memalloc(void *buffer, dart_datatype_t type, int root, dart_team_t team)
{
  dart_gptr_t gptr = { .unitid = 0, .segid = 1 };
  dart_ret_t  ret  = dart_team_memalloc_aligned(team, 1, type, buffer != NULL ? &gptr : NULL);

  (void)root;
  EXPECT_TRUE(buffer == NULL || DART_GPTR_ISNULL(gptr));
  return ret;
}

static dart_ret_t team_create(void *buffer, dart_datatype_t type, int root, dart_team_t team)
{
  dart_group_t group = test_group(&me, 1);
  dart_team_t  made  = 99;
  dart_ret_t   ret   = dart_team_create(team, group, buffer != NULL ? &made : NULL);

  (void)type, (void)root;
  EXPECT_OK(dart_group_destroy(&group));
  EXPECT_EQ(made, buffer != NULL ? DART_TEAM_NULL : 99);
  return ret;
}

static dart_ret_t team_clone(void *buffer, dart_datatype_t type, int root, dart_team_t team)
{
  dart_team_t made = 99;
  dart_ret_t  ret  = dart_team_clone(team, buffer != NULL ? &made : NULL);

  (void)type, (void)root;
  EXPECT_EQ(made, buffer != NULL ? DART_TEAM_NULL : 99);
  return ret;
}

static const struct {
  const char   *name;
  collective_t *call;
  bool          buffer, type, root; /* what it looks at */
} collective[] = {
  { "bcast", bcast, true, true, true },
  { "allgather", allgather, true, true, false },
  { "allreduce", allreduce, true, true, false },
  { "reduce", reduce, false, true, true },
  { "barrier", barrier, false, false, false },
  { "team_memalloc_aligned", memalloc, true, true, false },
  { "team_create", team_create, true, false, false },
  { "team_clone", team_clone, true, false, false },
};

TEST(collective_calls_want_a_team_a_type_a_root_and_a_buffer)
{
  const dart_team_t     no_team[] = { DART_TEAM_NULL, UNKNOWN_TEAM, INT16_MIN, INT16_MAX };
  const dart_datatype_t no_type[] = { DART_TYPE_UNDEFINED, DART_TYPE_LAST, -1, 1 << 20 };
  const int             no_root[] = { n, -1, INT32_MAX, INT32_MIN };

  memset(local.sent, 0x11, sizeof local.sent);
  memset(local.got, 0x22, sizeof local.got);
  for (size_t c = 0; c < sizeof collective / sizeof *collective; c++) {
    collective_t *call = collective[c].call;

    for (size_t i = 0; i < 4; i++) {
      test_note("%s: team %d", collective[c].name, no_team[i]);
      EXPECT_INVAL(call(local.got, T_INT64, 0, no_team[i]));
      test_note("%s: type %ld", collective[c].name, (long)no_type[i]);
      if (collective[c].type)
        EXPECT_INVAL(call(local.got, no_type[i], 0, DART_TEAM_ALL));
      test_note("%s: root %d", collective[c].name, no_root[i]);
      if (collective[c].root)
        EXPECT_INVAL(call(local.got, T_INT64, no_root[i], DART_TEAM_ALL));
    }
    test_note("%s: no buffer", collective[c].name);
    if (collective[c].buffer)
      EXPECT_INVAL(call(NULL, T_INT64, 0, DART_TEAM_ALL));
  }
  test_note("afterwards");
  EXPECT_FILLED(local.got, 0x22, sizeof local.got);
  EXPECT_OK(bcast(local.sent, T_INT64, n - 1, DART_TEAM_ALL));
}

TEST(collective_calls_refuse_counts_beyond_memory)
{
  EXPECT_INVAL(dart_bcast(local.got, SIZE_MAX / 8 + 1, T_INT64, DART_TEAM_UNIT_ID(0),
                          DART_TEAM_ALL));
  EXPECT_INVAL(dart_allgather(local.sent, local.got, SIZE_MAX / 8 + 1, T_INT64, DART_TEAM_ALL));
  EXPECT_INVAL(dart_allreduce(local.sent, local.got, SIZE_MAX / 8 + 1, T_INT64, DART_OP_SUM,
                              DART_TEAM_ALL));
  EXPECT_INVAL(dart_reduce(local.sent, local.got, SIZE_MAX / 8 + 1, T_INT64, DART_OP_SUM,
                           DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  test_barrier();
}

/* ---- Results that have nowhere to go --------------------------------------------------------- */

TEST(queries_want_a_place_for_their_result)
{
  dart_gptr_t  segment = test_unit(test_segment(DART_TEAM_ALL, 64, 0), me);
  dart_group_t group   = test_group(&me, 1), other;
  size_t       count;

  EXPECT_INVAL(dart_myid(NULL));
  EXPECT_INVAL(dart_size(NULL));
  EXPECT_INVAL(dart_team_myid(DART_TEAM_ALL, NULL));
  EXPECT_INVAL(dart_team_size(DART_TEAM_ALL, NULL));
  EXPECT_INVAL(dart_team_get_group(DART_TEAM_ALL, NULL));
  EXPECT_INVAL(dart_team_unit_l2g(DART_TEAM_ALL, DART_TEAM_UNIT_ID(0), NULL));
  EXPECT_INVAL(dart_team_unit_g2l(DART_TEAM_ALL, DART_GLOBAL_UNIT_ID(0), NULL));
  EXPECT_INVAL(dart_team_destroy(NULL));

  EXPECT_INVAL(dart_group_create(NULL));
  EXPECT_INVAL(dart_group_clone(group, NULL));
  EXPECT_INVAL(dart_group_union(group, group, NULL));
  EXPECT_INVAL(dart_group_intersect(group, group, NULL));
  EXPECT_INVAL(dart_group_ismember(group, DART_GLOBAL_UNIT_ID(0), NULL));
  EXPECT_INVAL(dart_group_size(group, NULL));
  EXPECT_INVAL(dart_group_getmembers(group, NULL));
  EXPECT_INVAL(dart_group_split(group, 1, NULL, &other));
  EXPECT_INVAL(dart_group_split(group, 1, &count, NULL));
  EXPECT_OK(dart_group_destroy(&group));

  EXPECT_INVAL(dart_gptr_getaddr(segment, NULL));
  EXPECT_INVAL(dart_gptr_setaddr(NULL, &segment));
  EXPECT_INVAL(dart_gptr_getflags(segment, NULL));
  EXPECT_INVAL(dart_gptr_setflags(NULL, 1));
  EXPECT_INVAL(dart_memalloc(1, T_INT64, NULL));
  local.handle = DART_HANDLE_NULL;
  EXPECT_INVAL(dart_test(&local.handle, NULL));
  EXPECT_INVAL(dart_test_local(&local.handle, NULL));
  EXPECT_INVAL(dart_testall(&local.handle, 1, NULL));
  EXPECT_INVAL(dart_testall_local(&local.handle, 1, NULL));
}
