/* One-sided calls with bad arguments. See refusal.h. */
#include <dash/dart/ext/dart_name.h>

#include "refusal.h"

SUITE(errors_rma);

/* One shape for all that go to a place, so that what is wrong with places is written once. */
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
  return dart_put_handle(at, local.sent, nelem, type, type, &out.handle);
}

static dart_ret_t get_handle(dart_gptr_t at, size_t nelem, dart_datatype_t type)
{
  return dart_get_handle(local.got, at, nelem, type, type, &out.handle);
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

static dart_ret_t flush(dart_gptr_t at, size_t nelem, dart_datatype_t type)
{
  (void)nelem, (void)type;
  return dart_flush(at);
}

static dart_ret_t flush_all(dart_gptr_t at, size_t nelem, dart_datatype_t type)
{
  (void)nelem, (void)type;
  return dart_flush_all(at);
}

static dart_ret_t flush_local(dart_gptr_t at, size_t nelem, dart_datatype_t type)
{
  (void)nelem, (void)type;
  return dart_flush_local(at);
}

static dart_ret_t flush_local_all(dart_gptr_t at, size_t nelem, dart_datatype_t type)
{
  (void)nelem, (void)type;
  return dart_flush_local_all(at);
}

static dart_ret_t getaddr(dart_gptr_t at, size_t nelem, dart_datatype_t type)
{
  (void)nelem, (void)type;
  return dart_gptr_getaddr(at, &out.addr);
}

static dart_ret_t setaddr(dart_gptr_t at, size_t nelem, dart_datatype_t type)
{
  dart_gptr_t before = at;
  dart_ret_t  ret    = dart_gptr_setaddr(&at, local.got);

  (void)nelem, (void)type;
  EXPECT_BYTES(&at, &before, sizeof at);
  return ret;
}

static dart_ret_t getflags(dart_gptr_t at, size_t nelem, dart_datatype_t type)
{
  (void)nelem, (void)type;
  return dart_gptr_getflags(at, &out.flags);
}

static dart_ret_t setflags(dart_gptr_t at, size_t nelem, dart_datatype_t type)
{
  dart_gptr_t before = at;
  dart_ret_t  ret    = dart_gptr_setflags(&at, 1);

  (void)nelem, (void)type;
  EXPECT_BYTES(&at, &before, sizeof at);
  return ret;
}

/* What a call looks at. A unit's portion: the whole address; a unit: not the offset. */
enum { PORTION = 1, COUNTS = 2, TYPED = 4, ALIGNED = 8, UNIT = 16 };

static const struct {
  const char  *name;
  one_sided_t *call;
  int          looks_at;
  const char  *result; /* as in `results` */
} one_sided[] = {
  { "dart_put", put, UNIT | PORTION | COUNTS | TYPED, "" },
  { "dart_get", get, UNIT | PORTION | COUNTS | TYPED, "" },
  { "dart_put_blocking", put_blocking, UNIT | PORTION | COUNTS | TYPED, "" },
  { "dart_get_blocking", get_blocking, UNIT | PORTION | COUNTS | TYPED, "" },
  { "dart_put_handle", put_handle, UNIT | PORTION | COUNTS | TYPED, "&out.handle" },
  { "dart_get_handle", get_handle, UNIT | PORTION | COUNTS | TYPED, "&out.handle" },
  { "dart_accumulate", accumulate, UNIT | PORTION | COUNTS | TYPED | ALIGNED, "" },
  { "dart_accumulate_blocking_local", accumulate_blocking_local,
    UNIT | PORTION | COUNTS | TYPED | ALIGNED, "" },
  { "dart_fetch_and_op", fetch_and_op, UNIT | PORTION | TYPED | ALIGNED, "" },
  { "dart_compare_and_swap", compare_and_swap, UNIT | PORTION | TYPED | ALIGNED, "" },
  { "dart_flush", flush, UNIT, "" },
  { "dart_flush_local", flush_local, UNIT, "" },
  { "dart_flush_all", flush_all, 0, "" },
  { "dart_flush_local_all", flush_local_all, 0, "" },
  { "dart_gptr_getaddr", getaddr, UNIT, "&out.addr" },
  { "dart_gptr_setaddr", setaddr, 0, "" },
  { "dart_gptr_getflags", getflags, 0, "&out.flags" },
  { "dart_gptr_setflags", setflags, 0, "" },
};

enum { ONE_SIDED = sizeof one_sided / sizeof *one_sided };

static void refused(size_t call, dart_gptr_t at, size_t nelem, dart_datatype_t type,
                    const char *says)
{
  test_place_t place = { __FILE__, __LINE__, one_sided[call].result };

  test_note("%s: %s", one_sided[call].name, says);
  refusal_begin();
  refusal_end(place, one_sided[call].call(at, nelem, type), DART_ERR_INVAL, one_sided[call].name,
              says);
}

/* Nothing is there, whichever unit it names. */
static void no_place_at(dart_gptr_t at, const char *says)
{
  for (size_t c = 0; c < ONE_SIDED; c++)
    refused(c, at, 1, T_INT64, says);
}

TEST(one_sided_calls_want_a_live_place) /* D37 D40 I88 */
{
  dart_gptr_t segment = untouched_segment(DART_TEAM_ALL), freed, wrong;

  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, NBYTES, DART_TYPE_BYTE, &freed));
  EXPECT_OK(dart_team_memfree(freed));
  for (int unit = 0; unit < n; unit++) {
    no_place_at(test_unit(freed, unit), saying("no segment %d", freed.segid));
    wrong = test_unit(segment, unit);
    for (int i = 0; i < NO_TEAMS; i++) {
      wrong.teamid = no_teams[i].id;
      no_place_at(wrong, no_teams[i].says);
    }
    wrong       = test_unit(segment, unit);
    wrong.segid = UNKNOWN_SEGMENT;
    no_place_at(wrong, "no segment 77");
    wrong.segid = INT16_MAX;
    no_place_at(wrong, "no segment 32767");
    wrong.segid = INT16_MIN;
    no_place_at(wrong, "no segment -32768");
  }
  no_place_at(DART_GPTR_NULL, "null pointer");
  expect_untouched(segment);
}

TEST(one_sided_calls_want_a_unit_of_the_team) /* D40 */
{
  dart_team_t team[2] = { DART_TEAM_ALL, test_split(DART_TEAM_ALL, 2) };

  for (int t = 0; t < 2; t++) {
    dart_gptr_t segment = untouched_segment(team[t]);
    const int   wrong[] = { test_team_size(team[t]), -1, 0x7fffff, -0x800000 };

    for (size_t c = 0; c < ONE_SIDED; c++) {
      for (size_t i = 0; i < 4 && (one_sided[c].looks_at & UNIT); i++)
        refused(c, test_unit(segment, wrong[i]), 1, T_INT64, saying("unit %d ", wrong[i]));
    }
    expect_untouched(segment);
  }
}

TEST_N(2, pointers_of_other_teams_lead_nowhere) /* known to others, not to this unit */
{
  dart_team_t team    = test_split(DART_TEAM_ALL, 2);
  dart_gptr_t segment = untouched_segment(team), foreign[2];
  dart_team_t own[2];

  for (int i = 0; i < 2; i++) { /* the even units' and the odd units' */
    foreign[i] = segment;
    EXPECT_OK(dart_bcast(&foreign[i], sizeof foreign[i], DART_TYPE_BYTE, DART_TEAM_UNIT_ID(i),
                         DART_TEAM_ALL));
    own[i] = foreign[i].teamid;
  }
  if (EXPECT_TRUE(own[0] != own[1])) {
    no_place_at(foreign[!(me % 2)], saying("team %d", own[!(me % 2)]));
    REFUSED(dart_barrier, (own[!(me % 2)]), saying("team %d", own[!(me % 2)]));
    REFUSED(dart_team_memfree, (foreign[!(me % 2)]), saying("team %d", own[!(me % 2)]));
  }
  expect_untouched(segment);
}

TEST(pointers_outlive_neither_team_nor_segment)
{
  dart_team_t team;
  dart_gptr_t untouched = untouched_segment(DART_TEAM_ALL), segment;

  EXPECT_OK(dart_team_clone(DART_TEAM_ALL, &team));
  EXPECT_OK(dart_team_memalloc_aligned(team, NBYTES, DART_TYPE_BYTE, &segment));
  EXPECT_OK(dart_team_destroy(&team));
  no_place_at(test_unit(segment, (me + 1) % n), saying("team %d", segment.teamid));
  REFUSED(dart_team_memfree, (segment), saying("team %d", segment.teamid));
  expect_untouched(untouched);
}

TEST(one_sided_calls_stay_in_the_portion)
{
  dart_gptr_t segment = untouched_segment(DART_TEAM_ALL);

  for (size_t c = 0; c < ONE_SIDED; c++) {
    for (int unit = 0; unit < n && (one_sided[c].looks_at & PORTION); unit++) {
      dart_gptr_t at = test_unit(segment, unit);

      refused(c, test_byte(at, NBYTES), 1, T_INT64, "offset 1024 ");
      refused(c, test_byte(at, NBYTES - 4), 1, T_INT64, "offset 1020 ");
      refused(c, test_byte(at, (uint64_t)1 << 40), 1, T_INT64, "offset 1099511627776 ");
      refused(c, test_byte(at, UINT64_MAX - 7), 1, T_INT64, "offset -8 ");
      if (!(one_sided[c].looks_at & COUNTS))
        continue;
      refused(c, at, COUNT + 1, T_INT64, "1032 bytes");
      refused(c, test_byte(at, 1), NBYTES, DART_TYPE_BYTE, "1024 bytes at offset 1 ");
      refused(c, at, SIZE_MAX / 2, DART_TYPE_BYTE, "9223372036854775807 ");
      refused(c, at, SIZE_MAX, DART_TYPE_BYTE, "18446744073709551615 ");
      refused(c, at, SIZE_MAX / 8 + 1, T_INT64, "2305843009213693952 "); /* 0 bytes, if it wraps */
      refused(c, at, TOO_MANY, T_INT64, "2305843009213693953 ");
      refused(c, test_byte(at, 8), SIZE_MAX - 7, DART_TYPE_BYTE, "18446744073709551608 ");
    }
  }
  expect_untouched(segment);
}

TEST(the_end_of_a_portion_is_its_own_units) /* portions of different sizes */
{
  dart_gptr_t untouched = untouched_segment(DART_TEAM_ALL), segment;
  size_t      mine      = 64 * (size_t)(me + 1);
  int64_t     got       = 0;

  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, mine, DART_TYPE_BYTE, &segment));
  memset(test_mine(segment), 0x5a, mine);
  test_barrier();
  for (size_t c = 0; c < ONE_SIDED; c++) {
    for (int unit = 0; unit < n && (one_sided[c].looks_at & PORTION); unit++)
      refused(c, test_byte(test_unit(segment, unit), 64 * (unit + 1u)), 1, DART_TYPE_INT,
              saying("offset %d ", 64 * (unit + 1)));
  }
  test_barrier();
  EXPECT_FILLED(test_mine(segment), 0x5a, mine);
  for (int unit = 0; unit < n; unit++) /* the last element is still inside */
    EXPECT_OK(dart_get_blocking(&got, test_byte(test_unit(segment, unit), 64 * unit + 60u), 1,
                                DART_TYPE_INT, DART_TYPE_INT));
  EXPECT_FILLED(&got, 0x5a, 4);
  EXPECT_OK(dart_team_memfree(segment));
  expect_untouched(untouched);
}

TEST(one_sided_calls_want_a_type)
{
  dart_gptr_t segment = untouched_segment(DART_TEAM_ALL);

  fill_no_types();
  for (size_t c = 0; c < ONE_SIDED; c++) {
    for (int i = 0; i < NO_TYPES && (one_sided[c].looks_at & TYPED); i++)
      refused(c, test_unit(segment, (me + 1) % n), 1, no_types[i].id, no_types[i].says);
  }
  expect_untouched(segment);
}

TEST(atomics_want_aligned_elements)
{
  dart_gptr_t segment = untouched_segment(DART_TEAM_ALL);

  for (size_t c = 0; c < ONE_SIDED; c++) {
    for (int t = 0; t < TEST_TYPES && (one_sided[c].looks_at & ALIGNED); t++) {
      const test_type_t *type = &test_types[t];

      if (one_sided[c].call == compare_and_swap && !test_has_op(type, DART_OP_BAND))
        continue;
      for (size_t off = 1; off < type->size; off = 2 * off) {
        for (int unit = 0; unit < n; unit++)
          refused(c, test_byte(test_unit(segment, unit), off), 1, type->id,
                  saying("offset %zu ", off));
      }
    }
  }
  expect_untouched(segment);
}

TEST(atomics_want_an_operator) /* K109 K115 */
{
  const struct {
    dart_datatype_t  type;
    dart_operation_t op;
    const char      *says;
  } wrong[] = {
    { DART_TYPE_INT, DART_OP_MINMAX, "DART_OP_MINMAX " },
    { DART_TYPE_INT, DART_OP_UNDEFINED, "DART_OP_UNDEFINED " },
    { DART_TYPE_INT, DART_OP_LAST, "14 " },
    { DART_TYPE_INT, 0x5555, "21845 " },
    { DART_TYPE_FLOAT, DART_OP_BAND, "DART_OP_BAND " },
    { DART_TYPE_DOUBLE, DART_OP_LXOR, "DART_OP_LXOR " },
    { DART_TYPE_LONG_DOUBLE, DART_OP_BOR, "DART_OP_BOR " },
  };
  dart_gptr_t segment = untouched_segment(DART_TEAM_ALL), at = test_unit(segment, (me + 1) % n);

  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    test_note("type %ld, operator %s", (long)wrong[i].type, test_op_name(wrong[i].op));
    REFUSED(dart_accumulate, (at, local.sent, 2, wrong[i].type, wrong[i].op), wrong[i].says);
    REFUSED(dart_accumulate_blocking_local, (at, local.sent, 2, wrong[i].type, wrong[i].op),
            wrong[i].says);
    REFUSED(dart_fetch_and_op, (at, local.sent, local.got, wrong[i].type, wrong[i].op),
            wrong[i].says);
  }
  REFUSED(dart_compare_and_swap, (at, local.sent, local.sent, local.got, DART_TYPE_FLOAT),
          "type DART_TYPE_FLOAT");
  REFUSED(dart_compare_and_swap, (at, local.sent, local.sent, local.got, DART_TYPE_DOUBLE),
          "type DART_TYPE_DOUBLE");
  expect_untouched(segment);
}

TEST(transfers_do_not_convert) /* H74, basic types */
{
  const dart_datatype_t pair[][2] = {
    { DART_TYPE_INT, DART_TYPE_UINT },        { DART_TYPE_LONG, DART_TYPE_LONGLONG },
    { DART_TYPE_ULONG, DART_TYPE_ULONGLONG }, { DART_TYPE_INT, DART_TYPE_BYTE },
    { DART_TYPE_DOUBLE, DART_TYPE_LONG },     { DART_TYPE_FLOAT, DART_TYPE_INT },
  };
  dart_gptr_t segment = untouched_segment(DART_TEAM_ALL), at = test_unit(segment, (me + 1) % n);

  for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
    for (int k = 0; k < 2; k++) {
      dart_datatype_t a = pair[i][k], b = pair[i][!k];
      const char *says = saying("from type %s to type %s", dart_type_name(a), dart_type_name(b));

      REFUSED(dart_put, (at, local.sent, 8, a, b), says);
      REFUSED(dart_put_blocking, (at, local.sent, 8, a, b), says);
      REFUSED(dart_put_handle, (at, local.sent, 8, a, b, &out.handle), says);
      says = saying("type %s", dart_type_name(a));
      REFUSED(dart_get, (local.got, at, 8, a, b), says);
      REFUSED(dart_get_blocking, (local.got, at, 8, a, b), says);
      REFUSED(dart_get_handle, (local.got, at, 8, a, b, &out.handle), says);
    }
  }
  expect_untouched(segment);
}

TEST(instances_are_moved_whole) /* H74, derived types */
{
  dart_gptr_t     segment = untouched_segment(DART_TEAM_ALL), at = test_unit(segment, (me + 1) % n);
  dart_datatype_t pairs, strided;

  EXPECT_OK(dart_type_create_strided(T_INT64, 3, 2, &pairs));
  EXPECT_OK(dart_type_create_strided(T_INT64, 2, 1, &strided));
  REFUSED(dart_put, (at, local.sent, 3, pairs, T_INT64), "3 elements");
  REFUSED(dart_put_blocking, (at, local.sent, 5, T_INT64, pairs), "5 elements");
  REFUSED(dart_put_handle, (at, local.sent, 5, strided, pairs, &out.handle), "5 elements");
  REFUSED(dart_get, (local.got, at, 3, pairs, T_INT64), "3 elements");
  REFUSED(dart_get_blocking, (local.got, at, 7, T_INT64, pairs), "7 elements");
  REFUSED(dart_get_handle, (local.got, at, 1, pairs, strided, &out.handle), "1 elements");

  test_note("past the end");
  REFUSED(dart_put, (at, local.sent, COUNT / 2 + 1, T_INT64, strided), "1032 bytes");
  REFUSED(dart_get, (local.got, at, COUNT / 2 + 1, strided, T_INT64), "1032 bytes");
  REFUSED(dart_get, (local.got, at, SIZE_MAX / 8, strided, T_INT64), "2305843009213693951 ");

  test_note("atomics");
  REFUSED(dart_accumulate, (at, local.sent, 2, strided, DART_OP_SUM), "type ");
  REFUSED(dart_accumulate_blocking_local, (at, local.sent, 2, strided, DART_OP_SUM), "type ");
  REFUSED(dart_fetch_and_op, (at, local.sent, local.got, strided, DART_OP_SUM), "type ");
  REFUSED(dart_compare_and_swap, (at, local.sent, local.sent, local.got, strided), "type ");
  EXPECT_OK(dart_type_destroy(&pairs));
  EXPECT_OK(dart_type_destroy(&strided));
  expect_untouched(segment);
}

TEST(one_sided_calls_want_buffers)
{
  dart_gptr_t segment = untouched_segment(DART_TEAM_ALL), at = test_unit(segment, (me + 1) % n);

  REFUSED(dart_put, (at, NULL, 1, T_INT64, T_INT64), "NULL");
  REFUSED(dart_get, (NULL, at, 1, T_INT64, T_INT64), "NULL");
  REFUSED(dart_put_blocking, (at, NULL, 1, T_INT64, T_INT64), "NULL");
  REFUSED(dart_get_blocking, (NULL, at, 1, T_INT64, T_INT64), "NULL");
  REFUSED(dart_put_handle, (at, NULL, 1, T_INT64, T_INT64, &out.handle), "NULL");
  REFUSED(dart_get_handle, (NULL, at, 1, T_INT64, T_INT64, &out.handle), "NULL");
  REFUSED(dart_put_handle, (at, local.sent, 1, T_INT64, T_INT64, NULL), "handle is NULL");
  REFUSED(dart_get_handle, (local.got, at, 1, T_INT64, T_INT64, NULL), "handle is NULL");
  REFUSED(dart_accumulate, (at, NULL, 1, T_INT64, DART_OP_SUM), "values is NULL");
  REFUSED(dart_accumulate_blocking_local, (at, NULL, 1, T_INT64, DART_OP_SUM), "values is NULL");
  REFUSED(dart_fetch_and_op, (at, NULL, local.got, T_INT64, DART_OP_SUM), "value is NULL");
  REFUSED(dart_fetch_and_op, (at, local.sent, NULL, T_INT64, DART_OP_SUM), "result is NULL");
  REFUSED(dart_fetch_and_op, (at, NULL, NULL, T_INT64, DART_OP_NO_OP), "result is NULL");
  REFUSED(dart_compare_and_swap, (at, NULL, local.sent, local.got, T_INT64), "value is NULL");
  REFUSED(dart_compare_and_swap, (at, local.sent, NULL, local.got, T_INT64), "compare is NULL");
  REFUSED(dart_compare_and_swap, (at, local.sent, local.sent, NULL, T_INT64), "result is NULL");

  REFUSED(dart_gptr_getaddr, (at, NULL), "addr is NULL");
  REFUSED(dart_gptr_setaddr, (NULL, local.got), "gptr is NULL");
  REFUSED(dart_gptr_getflags, (at, NULL), "flags is NULL");
  REFUSED(dart_gptr_setflags, (NULL, 1), "gptr is NULL");

  out.handle = DART_HANDLE_NULL;
  REFUSED(dart_test, (NULL, NULL), "NULL");
  REFUSED(dart_test_local, (NULL, NULL), "NULL");
  REFUSED(dart_testall, (NULL, 0, NULL), "NULL");
  REFUSED(dart_testall_local, (NULL, 0, NULL), "NULL");
  expect_untouched(segment);
}
