/* Bad arguments: every function of the interface, every argument. The call is refused with the
 * contract's error and one line that names the function and the wrong value, nothing is written
 * anywhere, and the runtime works on.
 *
 * A row of a table is a call, and what its line has to say. Results that have a null value get it;
 * which of them a call is given can be seen in its text ("&out.team"), so every row checks all of
 * them: null if given, untouched if not. Collective functions get the same wrong argument from all
 * units, so that none of them waits for another.
 *
 * cli_symbols.sh compares the functions that have a row here with those of the libraries. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <dash/dart/ext/dart_name.h>
#include <dash/dart/if/dart_locality.h>

#include "dart_test.h"

SUITE(errors);

enum { NBYTES = 1024, COUNT = NBYTES / 8, UNKNOWN_TEAM = 12345, UNKNOWN_SEGMENT = 77 };

static const size_t too_many = SIZE_MAX / 8 + 2; /* int64_t: 8 bytes, if the product wraps */

/* ---- What a row checks ----------------------------------------------------------------------- */

/* Local memory of the calls: what they read, and what they must not write. */
static struct {
  _Alignas(16) int64_t sent[COUNT + 1];
  _Alignas(16) int64_t got[COUNT + 1];
} local;

/* Results. */
static struct {
  dart_gptr_t             gptr;
  dart_team_t             team;
  dart_group_t            group;
  dart_datatype_t         type;
  dart_operation_t        op;
  dart_handle_t           handle;
  dart_lock_t             lock;
  dart_allocator_t        allocator;
  dart_global_unit_t      global;
  dart_team_unit_t        unit;
  void                   *addr;
  uint16_t                flags;
  int32_t                 answer;
  size_t                  size;
  int                     count;
  dart_domain_locality_t *domain, **domains;
  dart_unit_locality_t   *locality;
  char                  **tags;
} out;

static const dart_gptr_t null_gptr = { .unitid = -1, .teamid = DART_TEAM_NULL };
static const int32_t     no_id     = -1;
static const int16_t     no_team   = DART_TEAM_NULL;
static const char        zeros[16];

/* How a result is written in a call, and its null value. */
static const struct {
  const char *text;
  void       *variable;
  size_t      size;
  const void *null;
} results[] = {
  { "&out.gptr", &out.gptr, sizeof out.gptr, &null_gptr },
  { "&out.team", &out.team, sizeof out.team, &no_team },
  { "&out.group", &out.group, sizeof out.group, zeros },
  { "&out.type", &out.type, sizeof out.type, zeros },
  { "&out.op", &out.op, sizeof out.op, zeros },
  { "&out.handle", &out.handle, sizeof out.handle, zeros },
  { "&out.lock", &out.lock, sizeof out.lock, zeros },
  { "&out.allocator", &out.allocator, sizeof out.allocator, zeros },
  { "&out.global", &out.global, sizeof out.global, &no_id },
  { "&out.unit", &out.unit, sizeof out.unit, &no_id },
  { "&out.addr", &out.addr, sizeof out.addr, zeros },
  { "&out.flags", &out.flags, sizeof out.flags, zeros },
  { "&out.answer", &out.answer, sizeof out.answer, zeros },
  { "&out.size", &out.size, sizeof out.size, zeros },
  { "&out.count", &out.count, sizeof out.count, zeros },
  { "&out.domain)", &out.domain, sizeof out.domain, zeros },
  { "&out.domains)", &out.domains, sizeof out.domains, zeros },
  { "&out.locality", &out.locality, sizeof out.locality, zeros },
  { "&out.tags", &out.tags, sizeof out.tags, zeros },
};

static void begin_row(void)
{
  memset(&out, 0x33, sizeof out);
  test_listen();
}

static void end_row(test_place_t at, dart_ret_t got, dart_ret_t expected, const char *function,
                    const char *says)
{
  test_expect_refused(at, got, expected, function, says);
  test_expect_filled(at, local.sent, 0x11, sizeof local.sent);
  test_expect_filled(at, local.got, 0x22, sizeof local.got);
  for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
    if (strstr(at.what, results[i].text) != NULL)
      test_expect_bytes(at, results[i].variable, results[i].null, results[i].size);
    else
      test_expect_filled(at, results[i].variable, 0x33, results[i].size);
  }
}

#define ROW(function, arguments, code, says) \
  (begin_row(),                              \
   end_row(TEST__HERE(#function #arguments), function arguments, code, #function, says))

#define REFUSED(function, arguments, says) ROW(function, arguments, DART_ERR_INVAL, says)

/* What a line says, where it depends on the number of units. Valid until the next call. */
static const char *saying(const char *format, ...) __attribute__((format(printf, 1, 2)));

static const char *saying(const char *format, ...)
{
  static char text[100];
  va_list     args;

  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return text;
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
  EXPECT_FILLED(test_mine(segment), 0x5a, NBYTES);
  EXPECT_OK(dart_barrier(segment.teamid));
}

/* What most rows use beside the wrong argument. */
static const dart_team_t        all_units = DART_TEAM_ALL;
static const dart_team_unit_t   unit_0    = { 0 };
static const dart_global_unit_t global_0  = { 0 };

static const struct {
  dart_team_t id;
  const char *says;
} no_teams[] = {
  { DART_TEAM_NULL, "team -1" },
  { UNKNOWN_TEAM, "team 12345" },
  { INT16_MIN, "team -32768" },
  { INT16_MAX, "team 32767" },
};

enum { NO_TEAMS = sizeof no_teams / sizeof *no_teams };

/* Types that are none, and one that was. */
enum { NO_TYPES = 6 };

static struct {
  dart_datatype_t id;
  char            says[32];
} no_types[NO_TYPES];

static void fill_no_types(void)
{
  dart_datatype_t gone, was;

  EXPECT_OK(dart_type_create_custom(8, &gone));
  was = gone;
  EXPECT_OK(dart_type_destroy(&gone));
  {
    const dart_datatype_t ids[NO_TYPES] = { DART_TYPE_UNDEFINED, DART_TYPE_LAST, -1,
                                            INTPTR_MIN,          INTPTR_MAX,     was };

    for (int i = 0; i < NO_TYPES; i++) {
      no_types[i].id = ids[i];
      if (ids[i] == DART_TYPE_UNDEFINED)
        snprintf(no_types[i].says, sizeof no_types[i].says, "type DART_TYPE_UNDEFINED");
      else
        snprintf(no_types[i].says, sizeof no_types[i].says, "type %ld", (long)ids[i]);
    }
  }
}

/* ---- One-sided calls ------------------------------------------------------------------------- */

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
  begin_row();
  end_row(place, one_sided[call].call(at, nelem, type), DART_ERR_INVAL, one_sided[call].name, says);
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
      refused(c, test_byte(at, UINT64_MAX - 7), 1, T_INT64, "offset 18446744073709551608 ");
      if (!(one_sided[c].looks_at & COUNTS))
        continue;
      refused(c, at, COUNT + 1, T_INT64, "1032 bytes");
      refused(c, test_byte(at, 1), NBYTES, DART_TYPE_BYTE, "1024 bytes at offset 1 ");
      refused(c, at, SIZE_MAX / 2, DART_TYPE_BYTE, "9223372036854775807 ");
      refused(c, at, SIZE_MAX, DART_TYPE_BYTE, "18446744073709551615 ");
      refused(c, at, SIZE_MAX / 8 + 1, T_INT64, "2305843009213693952 "); /* 0 bytes, if it wraps */
      refused(c, at, too_many, T_INT64, "2305843009213693953 ");
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

/* ---- Groups and teams ------------------------------------------------------------------------ */

TEST(groups_want_groups_and_units)
{
  const int    no_unit[] = { n, -1, INT32_MAX, INT32_MIN };
  dart_gptr_t  segment   = untouched_segment(DART_TEAM_ALL);
  dart_group_t group     = test_group(&me, 1), pieces[2];
  size_t       size      = 0;

  REFUSED(dart_group_create, (NULL), "group is NULL");
  REFUSED(dart_group_destroy, (NULL), "group is NULL");
  REFUSED(dart_group_clone, (NULL, &out.group), "gin is NULL");
  REFUSED(dart_group_clone, (group, NULL), "gout is NULL");
  REFUSED(dart_group_union, (NULL, group, &out.group), "g1 is NULL");
  REFUSED(dart_group_union, (group, NULL, &out.group), "g2 is NULL");
  REFUSED(dart_group_union, (group, group, NULL), "gout is NULL");
  REFUSED(dart_group_intersect, (NULL, group, &out.group), "g1 is NULL");
  REFUSED(dart_group_intersect, (group, NULL, &out.group), "g2 is NULL");
  REFUSED(dart_group_intersect, (group, group, NULL), "gout is NULL");
  REFUSED(dart_group_addmember, (NULL, global_0), "g is NULL");
  REFUSED(dart_group_delmember, (NULL, global_0), "g is NULL");
  REFUSED(dart_group_ismember, (NULL, global_0, &out.answer), "g is NULL");
  REFUSED(dart_group_ismember, (group, global_0, NULL), "ismember is NULL");
  for (int i = 0; i < 4; i++) {
    dart_global_unit_t unit = { no_unit[i] };
    const char        *says = saying("unit %d ", no_unit[i]);

    REFUSED(dart_group_addmember, (group, unit), says);
    REFUSED(dart_group_delmember, (group, unit), says);
    REFUSED(dart_group_ismember, (group, unit, &out.answer), says);
  }
  REFUSED(dart_group_size, (NULL, &out.size), "g is NULL");
  REFUSED(dart_group_size, (group, NULL), "size is NULL");
  REFUSED(dart_group_getmembers, (NULL, (dart_global_unit_t *)local.got), "g is NULL");
  REFUSED(dart_group_getmembers, (group, NULL), "unitids is NULL");
  REFUSED(dart_group_split, (NULL, 2, &out.size, pieces), "g is NULL");
  REFUSED(dart_group_split, (group, 0, &out.size, pieces), "0 pieces");
  REFUSED(dart_group_split, (group, (size_t)INT_MAX + 1, &out.size, pieces), "2147483648 pieces");
  REFUSED(dart_group_split, (group, SIZE_MAX, &out.size, pieces), "18446744073709551615 pieces");
  REFUSED(dart_group_split, (group, 2, NULL, pieces), "nout is NULL");
  REFUSED(dart_group_split, (group, 2, &out.size, NULL), "gout is NULL");

  EXPECT_OK(dart_group_size(group, &size)); /* as before */
  EXPECT_EQ(size, 1);
  EXPECT_OK(dart_group_destroy(&group));
  expect_untouched(segment);
}

TEST(teams_want_teams_and_units)
{
  const int    no_unit[] = { n, -1, INT32_MAX, INT32_MIN };
  dart_gptr_t  segment   = untouched_segment(DART_TEAM_ALL);
  dart_group_t group     = test_group(&me, 1);
  dart_team_t  team      = DART_TEAM_ALL, gone;
  size_t       size      = 77;

  for (int i = 0; i < NO_TEAMS; i++) {
    dart_team_t none = no_teams[i].id;

    REFUSED(dart_team_get_group, (none, &out.group), no_teams[i].says);
    REFUSED(dart_team_create, (none, group, &out.team), no_teams[i].says);
    REFUSED(dart_team_clone, (none, &out.team), no_teams[i].says);
    REFUSED(dart_team_myid, (none, &out.unit), no_teams[i].says);
    REFUSED(dart_team_size, (none, &size), no_teams[i].says);
    REFUSED(dart_team_unit_l2g, (none, unit_0, &out.global), no_teams[i].says);
    REFUSED(dart_team_unit_g2l, (none, global_0, &out.unit), no_teams[i].says);
    gone = none;
    if (none != DART_TEAM_NULL)
      REFUSED(dart_team_destroy, (&gone), no_teams[i].says);
    EXPECT_EQ(gone, none);
  }
  EXPECT_EQ(size, 77);
  for (int i = 0; i < 4; i++) {
    dart_team_unit_t unit = { no_unit[i] };

    REFUSED(dart_team_unit_l2g, (all_units, unit, &out.global), saying("unit %d ", no_unit[i]));
  }
  REFUSED(dart_team_destroy, (&team), "team of all units");
  EXPECT_EQ(team, DART_TEAM_ALL);
  REFUSED(dart_team_destroy, (NULL), "teamid is NULL");
  REFUSED(dart_team_get_group, (all_units, NULL), "group is NULL");
  REFUSED(dart_team_create, (all_units, group, NULL), "newteam is NULL");
  REFUSED(dart_team_clone, (all_units, NULL), "newteam is NULL");
  REFUSED(dart_team_myid, (all_units, NULL), "myid is NULL");
  REFUSED(dart_team_size, (all_units, NULL), "size is NULL");
  REFUSED(dart_team_unit_l2g, (all_units, unit_0, NULL), "globalid is NULL");
  REFUSED(dart_team_unit_g2l, (all_units, global_0, NULL), "localid is NULL");
  REFUSED(dart_myid, (NULL), "myid is NULL");
  REFUSED(dart_size, (NULL), "size is NULL");
  EXPECT_OK(dart_group_destroy(&group));
  expect_untouched(segment);
}

TEST_N(2, groups_of_others_make_no_team) /* a member that is not in the parent */
{
  dart_gptr_t  segment = untouched_segment(DART_TEAM_ALL);
  dart_team_t  parent  = test_split(DART_TEAM_ALL, 2);
  int          foreign = (me + 1) % 2;
  dart_group_t group   = test_group(&foreign, 1);

  REFUSED(dart_team_create, (parent, group, &out.team), saying("unit %d ", foreign));
  EXPECT_OK(dart_group_destroy(&group));
  expect_untouched(segment);
}

TEST(the_life_cycle_has_an_order) /* A2 */
{
  dart_thread_support_level_t level   = DART_THREAD_SINGLE;
  dart_gptr_t                 segment = untouched_segment(DART_TEAM_ALL);

  ROW(dart_init, (NULL, NULL), DART_ERR_OTHER, "already initialised");
  ROW(dart_init_thread, (NULL, NULL, &level), DART_ERR_OTHER, "already initialised");
  REFUSED(dart_init_thread, (NULL, NULL, NULL), "thread_safety is NULL");
  expect_untouched(segment);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

TEST(allocations_want_a_team_a_type_and_a_size) /* E46 E47 F56 G68 */
{
  dart_gptr_t     segment = untouched_segment(DART_TEAM_ALL), wrong, block, registered;
  dart_datatype_t strided, custom;
  int64_t         cell = 5;

  fill_no_types();
  EXPECT_OK(dart_type_create_strided(DART_TYPE_INT, 2, 1, &strided));
  EXPECT_OK(dart_type_create_custom(8, &custom));
  for (int i = 0; i < NO_TEAMS; i++) {
    dart_team_t none = no_teams[i].id;
    const char *says = no_teams[i].says;

    REFUSED(dart_team_memalloc_aligned, (none, 1, T_INT64, &out.gptr), says);
    REFUSED(dart_team_memregister, (none, 1, T_INT64, &cell, &out.gptr), says);
    REFUSED(dart_team_memregister_aligned, (none, 1, T_INT64, &cell, &out.gptr), says);
  }
  for (int i = 0; i < NO_TYPES; i++) {
    dart_datatype_t none = no_types[i].id;
    const char     *says = no_types[i].says;

    REFUSED(dart_team_memalloc_aligned, (all_units, 1, none, &out.gptr), says);
    REFUSED(dart_team_memregister, (all_units, 1, none, &cell, &out.gptr), says);
    REFUSED(dart_team_memregister_aligned, (all_units, 1, none, &cell, &out.gptr), says);
    REFUSED(dart_memalloc, (1, none, &out.gptr), says);
  }
  REFUSED(dart_team_memalloc_aligned, (all_units, 2, strided, &out.gptr), "type ");
  REFUSED(dart_team_memalloc_aligned, (all_units, 2, custom, &out.gptr), "type ");
  REFUSED(dart_team_memregister, (all_units, 1, strided, &cell, &out.gptr), "type ");
  REFUSED(dart_team_memregister_aligned, (all_units, 1, custom, &cell, &out.gptr), "type ");
  REFUSED(dart_memalloc, (2, strided, &out.gptr), "not contiguous");

  test_note("sizes");
  REFUSED(dart_team_memalloc_aligned, (all_units, too_many, T_INT64, &out.gptr),
          "2305843009213693953 ");
  REFUSED(dart_team_memalloc_aligned, (all_units, SIZE_MAX, DART_TYPE_BYTE, &out.gptr),
          "18446744073709551615 ");
  ROW(dart_team_memalloc_aligned, (all_units, (size_t)1 << 50, DART_TYPE_BYTE, &out.gptr),
      DART_ERR_NOMEM, "1125899906842624 bytes");
  REFUSED(dart_team_memregister, (all_units, too_many, T_INT64, &cell, &out.gptr),
          "2305843009213693953 ");
  REFUSED(dart_team_memregister_aligned, (all_units, SIZE_MAX, DART_TYPE_BYTE, &cell, &out.gptr),
          "18446744073709551615 ");
  REFUSED(dart_memalloc, (too_many, T_INT64, &out.gptr), "2305843009213693953 ");
  ROW(dart_memalloc, ((size_t)1 << 50, DART_TYPE_BYTE, &out.gptr), DART_ERR_OTHER,
      "1125899906842624 bytes");

  test_note("buffers");
  REFUSED(dart_team_memalloc_aligned, (all_units, 1, T_INT64, NULL), "gptr is NULL");
  REFUSED(dart_team_memregister, (all_units, 1, T_INT64, &cell, NULL), "gptr is NULL");
  REFUSED(dart_team_memregister, (all_units, 1, T_INT64, NULL, &out.gptr),
          "8 bytes at address (nil)");
  REFUSED(dart_team_memregister_aligned, (all_units, 1, T_INT64, &cell, NULL), "gptr is NULL");
  REFUSED(dart_team_memregister_aligned, (all_units, 1, T_INT64, NULL, &out.gptr),
          "8 bytes at address (nil)");
  REFUSED(dart_memalloc, (1, T_INT64, NULL), "gptr is NULL");

  test_note("frees");
  EXPECT_OK(dart_memalloc(2, T_INT64, &block));
  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, 1, T_INT64, &cell, &registered));
  wrong       = segment;
  wrong.segid = UNKNOWN_SEGMENT;
  REFUSED(dart_team_memfree, (wrong), "segment 77 ");
  REFUSED(dart_team_memfree, (block), "segment 0 ");
  REFUSED(dart_team_memfree, (registered), saying("segment %d ", registered.segid));
  wrong.segid = -UNKNOWN_SEGMENT;
  REFUSED(dart_team_memderegister, (wrong), "segment -77 ");
  REFUSED(dart_team_memderegister, (block), "segment 0 ");
  REFUSED(dart_team_memderegister, (segment), saying("segment %d ", segment.segid));
  for (int i = 1; i < NO_TEAMS; i++) { /* the first may make a null pointer */
    wrong        = segment;
    wrong.teamid = no_teams[i].id;
    REFUSED(dart_team_memfree, (wrong), no_teams[i].says);
    REFUSED(dart_memfree, (wrong), no_teams[i].says);
    wrong        = registered;
    wrong.teamid = no_teams[i].id;
    REFUSED(dart_team_memderegister, (wrong), no_teams[i].says);
  }
  REFUSED(dart_memfree, (null_gptr), "unit -1 ");
  REFUSED(dart_memfree, (test_unit(segment, me)), saying("segment %d", segment.segid));
  REFUSED(dart_memfree, (test_byte(block, 8)),
          saying("offset %llu", (unsigned long long)block.addr_or_offs.offset + 8));
  REFUSED(dart_memfree, (test_unit(block, n)), saying("unit %d ", n));
  if (n > 1)
    REFUSED(dart_memfree, (test_unit(block, (me + 1) % n)), saying("unit %d ", (me + 1) % n));
  EXPECT_OK(dart_memfree(block));
  REFUSED(dart_memfree, (block),
          saying("offset %llu", (unsigned long long)block.addr_or_offs.offset));
  EXPECT_OK(dart_team_memderegister(registered));
  REFUSED(dart_team_memderegister, (registered), saying("segment %d ", registered.segid));
  EXPECT_EQ(cell, 5);

  EXPECT_OK(dart_type_destroy(&strided));
  EXPECT_OK(dart_type_destroy(&custom));
  expect_untouched(segment);
}

TEST(allocators_want_their_own_blocks) /* F61 */
{
  dart_gptr_t      segment = untouched_segment(DART_TEAM_ALL), block, other_block, wrong;
  dart_allocator_t one, other, none = NULL;
  dart_datatype_t  strided;
  uint64_t         offset;

  fill_no_types();
  EXPECT_OK(dart_type_create_strided(DART_TYPE_INT, 2, 1, &strided));
  EXPECT_OK(dart_allocator_new(1024, DART_TEAM_ALL, &one));
  EXPECT_OK(dart_allocator_new(1024, DART_TEAM_ALL, &other));
  EXPECT_OK(dart_allocator_alloc(2, T_INT64, &block, one));
  EXPECT_OK(dart_allocator_alloc(2, T_INT64, &other_block, other));
  offset = block.addr_or_offs.offset;

  for (int i = 0; i < NO_TEAMS; i++) {
    dart_team_t no = no_teams[i].id;

    REFUSED(dart_allocator_new, (1024, no, &out.allocator), no_teams[i].says);
  }
  REFUSED(dart_allocator_new, (1024, all_units, NULL), "new_allocator is NULL");
  ROW(dart_allocator_new, (SIZE_MAX, all_units, &out.allocator), DART_ERR_NOMEM,
      "18446744073709551615 bytes");
  for (int i = 0; i < NO_TYPES; i++) {
    dart_datatype_t no = no_types[i].id;

    REFUSED(dart_allocator_alloc, (1, no, &out.gptr, one), no_types[i].says);
  }
  REFUSED(dart_allocator_alloc, (1, strided, &out.gptr, one), "not contiguous");
  REFUSED(dart_allocator_alloc, (1, T_INT64, NULL, one), "gptr is NULL");
  REFUSED(dart_allocator_alloc, (1, T_INT64, &out.gptr, NULL), "allocator is NULL");
  REFUSED(dart_allocator_alloc, (too_many, T_INT64, &out.gptr, one), "2305843009213693953 ");
  ROW(dart_allocator_alloc, (1025, DART_TYPE_BYTE, &out.gptr, one), DART_ERR_NOMEM, "1025 bytes");

  REFUSED(dart_allocator_free, (NULL, one), "gptr is NULL");
  REFUSED(dart_allocator_free, (&block, NULL), "allocator is NULL");
  REFUSED(dart_allocator_free, (&other_block, one), saying("segment %d", other_block.segid));
  wrong = null_gptr;
  REFUSED(dart_allocator_free, (&wrong, one), "unit -1 ");
  wrong = test_unit(segment, me);
  REFUSED(dart_allocator_free, (&wrong, one), saying("segment %d", segment.segid));
  wrong = test_byte(block, 8);
  REFUSED(dart_allocator_free, (&wrong, one),
          saying("offset %llu", (unsigned long long)offset + 8));
  wrong = test_unit(block, n);
  REFUSED(dart_allocator_free, (&wrong, one), saying("unit %d ", n));
  wrong = block;
  EXPECT_OK(dart_allocator_free(&block, one));
  REFUSED(dart_allocator_free, (&wrong, one), saying("offset %llu", (unsigned long long)offset));
  REFUSED(dart_allocator_destroy, (NULL), "allocator is NULL");
  REFUSED(dart_allocator_destroy, (&none), "allocator is NULL");
  EXPECT_OK(dart_allocator_free(&other_block, other));

  EXPECT_OK(dart_allocator_destroy(&one));
  EXPECT_OK(dart_allocator_destroy(&other));
  EXPECT_OK(dart_type_destroy(&strided));
  expect_untouched(segment);
}

/* ---- Types and operators --------------------------------------------------------------------- */

static void first_of_two(const void *invec, void *inoutvec, size_t len, void *user_data)
{
  (void)user_data;
  memcpy(inoutvec, invec, len * sizeof(int64_t));
}

TEST(types_want_a_layout) /* H77 H79 */
{
  const size_t    one[2] = { 1, 1 }, none[2] = { 0, 0 }, huge[2] = { 1, (size_t)INT_MAX + 1 };
  dart_gptr_t     segment = untouched_segment(DART_TEAM_ALL);
  dart_datatype_t strided, indexed, basic = DART_TYPE_INT, was;

  fill_no_types();
  EXPECT_OK(dart_type_create_strided(DART_TYPE_INT, 2, 1, &strided));
  EXPECT_OK(dart_type_create_indexed(DART_TYPE_INT, 2, one, (size_t[]){ 0, 2 }, &indexed));
  for (int i = 0; i < NO_TYPES; i++) {
    dart_datatype_t no   = no_types[i].id;
    const char     *says = saying("%s is", no_types[i].says);

    REFUSED(dart_type_create_strided, (no, 2, 1, &out.type), says);
    REFUSED(dart_type_create_indexed, (no, 2, one, one, &out.type), says);
    was = no;
    REFUSED(dart_type_destroy, (&was), says);
    EXPECT_EQ(was, no);
  }
  REFUSED(dart_type_create_strided, (strided, 2, 1, &out.type), "strided");
  REFUSED(dart_type_create_strided, (indexed, 2, 1, &out.type), "indexed");
  REFUSED(dart_type_create_strided, (DART_TYPE_INT, 2, 0, &out.type), "blocklen 0 ");
  REFUSED(dart_type_create_strided, (DART_TYPE_INT, 2, 3, &out.type), "stride 2 ");
  REFUSED(dart_type_create_strided, (DART_TYPE_INT, SIZE_MAX, 1, &out.type),
          "18446744073709551615");
  REFUSED(dart_type_create_strided, (DART_TYPE_INT, SIZE_MAX, SIZE_MAX, &out.type),
          "18446744073709551615");
  REFUSED(dart_type_create_strided, (DART_TYPE_INT, 2, 1, NULL), "newtype is NULL");
  REFUSED(dart_type_create_indexed, (strided, 2, one, one, &out.type), "strided");
  REFUSED(dart_type_create_indexed, (DART_TYPE_INT, 0, one, one, &out.type), "count 0 ");
  REFUSED(dart_type_create_indexed, (DART_TYPE_INT, SIZE_MAX, one, one, &out.type),
          "count 18446744073709551615 ");
  REFUSED(dart_type_create_indexed, (DART_TYPE_INT, 2, none, one, &out.type), "count 2 ");
  REFUSED(dart_type_create_indexed, (DART_TYPE_INT, 2, huge, one, &out.type),
          "blocklen[1] is 2147483648");
  REFUSED(dart_type_create_indexed, (DART_TYPE_INT, 2, one, huge, &out.type),
          "offset[1] is 2147483648");
  REFUSED(dart_type_create_indexed, (DART_TYPE_INT, 2, NULL, one, &out.type), "blocklen is NULL");
  REFUSED(dart_type_create_indexed, (DART_TYPE_INT, 2, one, NULL, &out.type), "offset is NULL");
  REFUSED(dart_type_create_indexed, (DART_TYPE_INT, 2, one, one, NULL), "newtype is NULL");
  REFUSED(dart_type_create_custom, (0, &out.type), "num_bytes 0 ");
  REFUSED(dart_type_create_custom, ((size_t)INT_MAX + 1, &out.type), "num_bytes 2147483648 ");
  REFUSED(dart_type_create_custom, (8, NULL), "newtype is NULL");
  REFUSED(dart_type_destroy, (NULL), "NULL");
  REFUSED(dart_type_destroy, (&basic), "dart_type DART_TYPE_INT ");
  EXPECT_EQ(basic, DART_TYPE_INT);
  EXPECT_OK(dart_type_destroy(&strided));
  EXPECT_OK(dart_type_destroy(&indexed));
  expect_untouched(segment);
}

TEST(operators_want_a_function_and_a_contiguous_type) /* L128 */
{
  dart_gptr_t      segment = untouched_segment(DART_TEAM_ALL);
  dart_operation_t made, was, no_op[] = { DART_OP_UNDEFINED, DART_OP_SUM, DART_OP_LAST, 4711 };
  const char *no_op_says[] = { "op DART_OP_UNDEFINED ", "op DART_OP_SUM ", "op 14 ", "op 4711 " };
  dart_datatype_t strided;

  fill_no_types();
  EXPECT_OK(dart_type_create_strided(DART_TYPE_INT, 2, 1, &strided));
  REFUSED(dart_op_create, (NULL, NULL, true, T_INT64, false, &out.op), "op is NULL");
  REFUSED(dart_op_create, (first_of_two, NULL, true, T_INT64, false, NULL), "new_op is NULL");
  REFUSED(dart_op_create, (first_of_two, NULL, true, strided, false, &out.op), "dtype ");
  for (int i = 0; i < NO_TYPES; i++) {
    dart_datatype_t no = no_types[i].id;

    REFUSED(dart_op_create, (first_of_two, NULL, true, no, false, &out.op),
            saying("d%s is", no_types[i].says));
  }
  EXPECT_OK(dart_op_create(first_of_two, NULL, true, T_INT64, false, &made));
  was = made;
  EXPECT_OK(dart_op_destroy(&made));
  REFUSED(dart_op_destroy, (&was), "op ");
  for (int i = 0; i < 4; i++) {
    was = no_op[i];
    REFUSED(dart_op_destroy, (&was), no_op_says[i]);
    EXPECT_EQ(was, no_op[i]);
  }
  REFUSED(dart_op_destroy, (NULL), "op is NULL");
  EXPECT_OK(dart_type_destroy(&strided));
  expect_untouched(segment);
}

/* ---- Collectives ----------------------------------------------------------------------------- */

/* Every collective of data, with one argument wrong: those that it takes. */
static void collectives(dart_team_t team, dart_datatype_t type, const char *says)
{
  const size_t nelem[64] = { 0 };

  REFUSED(dart_bcast, (local.got, 1, type, unit_0, team), says);
  REFUSED(dart_scatter, (local.sent, local.got, 1, type, unit_0, team), says);
  REFUSED(dart_gather, (local.sent, local.got, 1, type, unit_0, team), says);
  REFUSED(dart_allgather, (local.sent, local.got, 1, type, team), says);
  REFUSED(dart_allgatherv, (local.sent, 0, type, local.got, nelem, nelem, team), says);
  REFUSED(dart_alltoall, (local.sent, local.got, 1, type, team), says);
  REFUSED(dart_allreduce, (local.sent, local.got, 1, type, DART_OP_SUM, team), says);
  REFUSED(dart_reduce, (local.sent, local.got, 1, type, DART_OP_SUM, unit_0, team), says);
}

TEST(collectives_want_a_team_and_a_type) /* L128 */
{
  const size_t    one = 1, at = 0;
  dart_gptr_t     segment = untouched_segment(DART_TEAM_ALL);
  dart_datatype_t strided, indexed;

  fill_no_types();
  for (int i = 0; i < NO_TEAMS; i++) {
    collectives(no_teams[i].id, T_INT64, no_teams[i].says);
    REFUSED(dart_barrier, (no_teams[i].id), no_teams[i].says);
  }
  for (int i = 0; i < NO_TYPES; i++)
    collectives(DART_TEAM_ALL, no_types[i].id, no_types[i].says);
  EXPECT_OK(dart_type_create_strided(DART_TYPE_INT, 2, 1, &strided));
  EXPECT_OK(dart_type_create_indexed(DART_TYPE_INT, 1, &one, &at, &indexed));
  collectives(DART_TEAM_ALL, strided, "not contiguous");
  collectives(DART_TEAM_ALL, indexed, "not contiguous");
  EXPECT_OK(dart_type_destroy(&strided));
  EXPECT_OK(dart_type_destroy(&indexed));
  expect_untouched(segment);
}

TEST(collectives_want_a_root)
{
  const int   no_root[] = { n, -1, INT32_MAX, INT32_MIN };
  dart_gptr_t segment   = untouched_segment(DART_TEAM_ALL);

  for (int i = 0; i < 4; i++) {
    dart_team_unit_t root = { no_root[i] };
    const char      *says = saying("root %d ", no_root[i]);

    REFUSED(dart_bcast, (local.got, 1, T_INT64, root, all_units), says);
    REFUSED(dart_scatter, (local.sent, local.got, 1, T_INT64, root, all_units), says);
    REFUSED(dart_gather, (local.sent, local.got, 1, T_INT64, root, all_units), says);
    REFUSED(dart_reduce, (local.sent, local.got, 1, T_INT64, DART_OP_SUM, root, all_units), says);
  }
  expect_untouched(segment);
}

TEST(collectives_want_buffers_and_counts) /* a buffer that all units need */
{
  const char *says    = "2305843009213693953 ";
  dart_gptr_t segment = untouched_segment(DART_TEAM_ALL);
  size_t      one[64], displs[64];

  if (!EXPECT_TRUE(n <= 64))
    return;
  REFUSED(dart_bcast, (NULL, 1, T_INT64, unit_0, all_units), "buf is NULL");
  REFUSED(dart_scatter, (local.sent, NULL, 1, T_INT64, unit_0, all_units), "recvbuf is NULL");
  REFUSED(dart_gather, (NULL, local.got, 1, T_INT64, unit_0, all_units), "sendbuf is NULL");
  REFUSED(dart_allgather, (local.sent, NULL, 1, T_INT64, all_units), "recvbuf is NULL");
  REFUSED(dart_alltoall, (local.sent, NULL, 1, T_INT64, all_units), "recvbuf is NULL");
  REFUSED(dart_allreduce, (NULL, local.got, 1, T_INT64, DART_OP_SUM, all_units), "sendbuf is NULL");
  REFUSED(dart_allreduce, (local.sent, NULL, 1, T_INT64, DART_OP_SUM, all_units),
          "recvbuf is NULL");
  REFUSED(dart_reduce, (NULL, local.got, 1, T_INT64, DART_OP_SUM, unit_0, all_units),
          "sendbuf is NULL");

  REFUSED(dart_bcast, (local.got, too_many, T_INT64, unit_0, all_units), says);
  REFUSED(dart_scatter, (local.sent, local.got, too_many, T_INT64, unit_0, all_units), says);
  REFUSED(dart_gather, (local.sent, local.got, too_many, T_INT64, unit_0, all_units), says);
  REFUSED(dart_allgather, (local.sent, local.got, too_many, T_INT64, all_units), says);
  REFUSED(dart_alltoall, (local.sent, local.got, too_many, T_INT64, all_units), says);
  REFUSED(dart_allreduce, (local.sent, local.got, too_many, T_INT64, DART_OP_SUM, all_units), says);
  REFUSED(dart_reduce, (local.sent, local.got, too_many, T_INT64, DART_OP_SUM, unit_0, all_units),
          says);

  test_note("allgatherv"); /* each unit has 1 element, at its id */
  for (int unit = 0; unit < 64; unit++) {
    one[unit]    = 1;
    displs[unit] = (size_t)unit;
  }
  REFUSED(dart_allgatherv, (local.sent, 2, T_INT64, local.got, one, displs, all_units),
          "nsendelem is 2");
  REFUSED(dart_allgatherv, (local.sent, 1, T_INT64, NULL, one, displs, all_units),
          "recvbuf is NULL");
  REFUSED(dart_allgatherv, (local.sent, 1, T_INT64, local.got, NULL, displs, all_units),
          "nrecvelem is NULL");
  REFUSED(dart_allgatherv, (local.sent, 1, T_INT64, local.got, one, NULL, all_units),
          "recvdispls is NULL");
  displs[n - 1] = SIZE_MAX;
  REFUSED(dart_allgatherv, (local.sent, 1, T_INT64, local.got, one, displs, all_units),
          "18446744073709551615");
  displs[n - 1] = too_many - 1;
  REFUSED(dart_allgatherv, (local.sent, 1, T_INT64, local.got, one, displs, all_units), says);
  expect_untouched(segment);
}

TEST(reductions_want_an_operator_of_the_type) /* L123 L128 */
{
  const struct {
    dart_datatype_t  type;
    dart_operation_t op;
    size_t           nelem;
    const char      *says;
  } wrong[] = {
    { DART_TYPE_INT, DART_OP_MINMAX, 3, "3 elements" },
    { DART_TYPE_INT, DART_OP_REPLACE, 2, "operation DART_OP_REPLACE " },
    { DART_TYPE_INT, DART_OP_NO_OP, 2, "operation DART_OP_NO_OP " },
    { DART_TYPE_INT, DART_OP_UNDEFINED, 2, "operation DART_OP_UNDEFINED " },
    { DART_TYPE_INT, DART_OP_LAST, 2, "operation 14 " },
    { DART_TYPE_INT, 0x5555, 2, "operation 21845 " },
    { DART_TYPE_FLOAT, DART_OP_BAND, 2, "type DART_TYPE_FLOAT" },
    { DART_TYPE_LONG_DOUBLE, DART_OP_LXOR, 2, "type DART_TYPE_LONG_DOUBLE" },
  };
  dart_gptr_t      segment = untouched_segment(DART_TEAM_ALL);
  dart_operation_t op, gone;
  dart_datatype_t  type;

  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const char *says = wrong[i].says;

    type = wrong[i].type;
    op   = wrong[i].op;
    REFUSED(dart_allreduce, (local.sent, local.got, wrong[i].nelem, type, op, all_units), says);
    REFUSED(dart_reduce, (local.sent, local.got, wrong[i].nelem, type, op, unit_0, all_units),
            says);
  }

  test_note("an operator of another type, and one that is gone");
  EXPECT_OK(dart_op_create(first_of_two, NULL, true, T_INT64, false, &op));
  gone = op;
  REFUSED(dart_allreduce, (local.sent, local.got, 2, DART_TYPE_LONGLONG, op, all_units),
          "type DART_TYPE_LONGLONG");
  REFUSED(dart_reduce, (local.sent, local.got, 2, DART_TYPE_INT, op, unit_0, all_units),
          "type DART_TYPE_INT");
  EXPECT_OK(dart_op_destroy(&op));
  REFUSED(dart_allreduce, (local.sent, local.got, 2, T_INT64, gone, all_units),
          saying("operation %ld ", (long)gone));
  REFUSED(dart_reduce, (local.sent, local.got, 2, T_INT64, gone, unit_0, all_units),
          saying("operation %ld ", (long)gone));
  expect_untouched(segment);
}

/* ---- Messages -------------------------------------------------------------------------------- */

TEST(messages_want_a_unit_a_tag_a_type_and_a_buffer) /* M134 */
{
  const int no_unit[] = { n, -1, INT32_MAX, INT32_MIN }, no_tag[] = { -1, INT32_MIN };
  const dart_global_unit_t self    = { me };
  const char              *says    = "2305843009213693953 ";
  dart_gptr_t              segment = untouched_segment(DART_TEAM_ALL);
  const void              *sent    = local.sent;
  void                    *got     = local.got;
  dart_datatype_t          strided;

  fill_no_types();
  EXPECT_OK(dart_type_create_strided(DART_TYPE_INT, 2, 1, &strided));
  for (int i = 0; i < 4; i++) {
    dart_global_unit_t none = { no_unit[i] };

    says = saying("unit %d ", no_unit[i]);
    REFUSED(dart_send, (sent, 1, T_INT64, 0, none), says);
    REFUSED(dart_recv, (got, 1, T_INT64, 0, none), says);
    REFUSED(dart_sendrecv, (sent, 1, T_INT64, 0, none, got, 1, T_INT64, 0, self), says);
    REFUSED(dart_sendrecv, (sent, 1, T_INT64, 0, self, got, 1, T_INT64, 0, none), says);
  }
  for (int i = 0; i < 2; i++) {
    says = saying("tag %d ", no_tag[i]);
    REFUSED(dart_send, (sent, 1, T_INT64, no_tag[i], self), says);
    REFUSED(dart_recv, (got, 1, T_INT64, no_tag[i], self), says);
    REFUSED(dart_sendrecv, (sent, 1, T_INT64, no_tag[i], self, got, 1, T_INT64, 0, self), says);
    REFUSED(dart_sendrecv, (sent, 1, T_INT64, 0, self, got, 1, T_INT64, no_tag[i], self), says);
  }
  for (int i = 0; i <= NO_TYPES; i++) {
    dart_datatype_t none = i < NO_TYPES ? no_types[i].id : strided;

    says = i == NO_TYPES ? "not contiguous" : no_types[i].says;
    REFUSED(dart_send, (sent, 1, none, 0, self), says);
    REFUSED(dart_recv, (got, 1, none, 0, self), says);
    REFUSED(dart_sendrecv, (sent, 1, none, 0, self, got, 1, T_INT64, 0, self), says);
    REFUSED(dart_sendrecv, (sent, 1, T_INT64, 0, self, got, 1, none, 0, self), says);
  }
  says = "2305843009213693953 ";
  REFUSED(dart_send, (sent, too_many, T_INT64, 0, self), says);
  REFUSED(dart_recv, (got, too_many, T_INT64, 0, self), says);
  REFUSED(dart_sendrecv, (sent, too_many, T_INT64, 0, self, got, 1, T_INT64, 0, self), says);
  REFUSED(dart_sendrecv, (sent, 1, T_INT64, 0, self, got, too_many, T_INT64, 0, self), says);
  REFUSED(dart_send, (NULL, 1, T_INT64, 0, self), "NULL");
  REFUSED(dart_recv, (NULL, 1, T_INT64, 0, self), "NULL");
  REFUSED(dart_sendrecv, (NULL, 1, T_INT64, 0, self, got, 1, T_INT64, 0, self), "NULL");
  REFUSED(dart_sendrecv, (sent, 1, T_INT64, 0, self, NULL, 1, T_INT64, 0, self), "NULL");
  EXPECT_OK(dart_type_destroy(&strided));
  expect_untouched(segment);
}

/* ---- Locks ----------------------------------------------------------------------------------- */

TEST(locks_want_a_team_and_a_holder) /* N137 N138 */
{
  dart_gptr_t segment = untouched_segment(DART_TEAM_ALL);
  dart_lock_t lock, late;
  dart_team_t team;

  for (int i = 0; i < NO_TEAMS; i++) {
    dart_team_t none = no_teams[i].id;

    REFUSED(dart_team_lock_init, (none, &out.lock), no_teams[i].says);
  }
  REFUSED(dart_team_lock_init, (all_units, NULL), "lock is NULL");
  REFUSED(dart_lock_acquire, (NULL), "lock is NULL");
  REFUSED(dart_lock_try_acquire, (NULL, &out.answer), "lock is NULL");
  REFUSED(dart_lock_release, (NULL), "lock is NULL");

  EXPECT_OK(dart_team_lock_init(DART_TEAM_ALL, &lock));
  REFUSED(dart_lock_try_acquire, (lock, NULL), "result is NULL");
  REFUSED(dart_lock_release, (lock), saying("unit %d ", me));
  EXPECT_OK(dart_lock_acquire(lock));
  REFUSED(dart_lock_acquire, (lock), saying("unit %d ", me));
  REFUSED(dart_lock_try_acquire, (lock, &out.answer), saying("unit %d ", me));
  EXPECT_OK(dart_lock_release(lock));
  test_barrier();
  if (me == 0)
    EXPECT_OK(dart_lock_acquire(lock));
  late = lock;
  REFUSED(dart_team_lock_destroy, (&late), me == 0 ? "unit 0 holds" : "another unit holds");
  if (me == 0)
    EXPECT_OK(dart_lock_release(lock));
  EXPECT_OK(dart_team_lock_destroy(&lock));

  test_note("the team is gone");
  EXPECT_OK(dart_team_clone(DART_TEAM_ALL, &team));
  EXPECT_OK(dart_team_lock_init(team, &late));
  EXPECT_OK(dart_team_destroy(&team));
  REFUSED(dart_lock_acquire, (late), "team ");
  REFUSED(dart_lock_try_acquire, (late, &out.answer), "team ");
  REFUSED(dart_lock_release, (late), "team ");
  EXPECT_OK(dart_team_lock_destroy(&late));
  expect_untouched(segment);
}

/* ---- Locality -------------------------------------------------------------------------------- */

TEST(locality_wants_a_team_a_unit_and_a_tag) /* O143 */
{
  const int   no_unit[] = { n, -1, INT32_MAX, INT32_MIN };
  dart_gptr_t segment   = untouched_segment(DART_TEAM_ALL);
  dart_team_t without;

  for (int i = 0; i < NO_TEAMS; i++) {
    dart_team_t none = no_teams[i].id;

    REFUSED(dart_team_locality_init, (none), no_teams[i].says);
    REFUSED(dart_team_locality_finalize, (none), no_teams[i].says);
    REFUSED(dart_domain_team_locality, (none, ".", &out.domain), no_teams[i].says);
    REFUSED(dart_unit_locality, (none, unit_0, &out.locality), no_teams[i].says);
  }
  for (int i = 0; i < 4; i++) {
    dart_team_unit_t unit = { no_unit[i] };

    REFUSED(dart_unit_locality, (all_units, unit, &out.locality), saying("unit %d ", no_unit[i]));
  }
  REFUSED(dart_unit_locality, (all_units, unit_0, NULL), "loc is NULL");
  REFUSED(dart_domain_team_locality, (all_units, NULL, &out.domain), "domain_tag is NULL");
  REFUSED(dart_domain_team_locality, (all_units, ".", NULL), "team_domain_out is NULL");
  ROW(dart_domain_team_locality, (all_units, ".99", &out.domain), DART_ERR_NOTFOUND, "'.99'");
  ROW(dart_domain_team_locality, (all_units, "", &out.domain), DART_ERR_NOTFOUND, "''");
  ROW(dart_domain_team_locality, (all_units, "no tag", &out.domain), DART_ERR_NOTFOUND, "'no tag'");

  EXPECT_OK(dart_team_clone(DART_TEAM_ALL, &without));
  ROW(dart_domain_team_locality, (without, ".", &out.domain), DART_ERR_NOTFOUND,
      saying("team %d ", without));
  ROW(dart_unit_locality, (without, unit_0, &out.locality), DART_ERR_NOTFOUND,
      saying("team %d ", without));
  EXPECT_OK(dart_team_destroy(&without));
  expect_untouched(segment);
}

TEST(domains_want_domains_scopes_and_tags) /* O143 O145 */
{
  const dart_locality_scope_t core     = DART_LOCALITY_SCOPE_CORE,
                              no_scope = (dart_locality_scope_t)4711;
  const char             *dot[] = { "." }, *unknown[] = { ".99" }, *null[] = { NULL };
  const char             *nested[] = { ".0", ".0.0" };
  dart_gptr_t             segment  = untouched_segment(DART_TEAM_ALL);
  dart_domain_locality_t *root = NULL, *copy = NULL, *child, parts[1];
  dart_group_t            group = test_group(&me, 1), pieces[2];
  size_t                  nout  = 7;
  char                    tag[DART_LOCALITY_DOMAIN_TAG_MAX_SIZE];

  if (!EXPECT_OK(dart_domain_team_locality(DART_TEAM_ALL, ".", &root)) ||
      !EXPECT_OK(dart_domain_clone(root, &copy)))
    return;
  child = copy->children[0];

  REFUSED(dart_domain_create, (NULL), "domain_out is NULL");
  REFUSED(dart_domain_clone, (NULL, &out.domain), "domain_in is NULL");
  REFUSED(dart_domain_clone, (root, NULL), "domain_out is NULL");
  REFUSED(dart_domain_destroy, (root), "'.'");
  REFUSED(dart_domain_destroy, (child), "'.0'");
  REFUSED(dart_domain_assign, (NULL, root), "domain_lhs is NULL");
  REFUSED(dart_domain_assign, (copy, NULL), "domain_rhs is NULL");
  REFUSED(dart_domain_find, (NULL, ".", &out.domain), "domain_in is NULL");
  REFUSED(dart_domain_find, (root, NULL, &out.domain), "domain_tag is NULL");
  REFUSED(dart_domain_find, (root, ".", NULL), "subdomain_out is NULL");
  ROW(dart_domain_find, (root, ".99", &out.domain), DART_ERR_NOTFOUND, "'.99'");
  REFUSED(dart_domain_scope_tags, (NULL, core, &out.count, &out.tags), "domain_in is NULL");
  REFUSED(dart_domain_scope_tags, (root, core, NULL, &out.tags), "num_domains_out is NULL");
  REFUSED(dart_domain_scope_tags, (root, core, &out.count, NULL), "domain_tags_out is NULL");
  ROW(dart_domain_scope_tags, (root, no_scope, &out.count, &out.tags), DART_ERR_NOTFOUND, "4711");
  REFUSED(dart_domain_scope_domains, (NULL, core, &out.count, &out.domains), "domain_in is NULL");
  REFUSED(dart_domain_scope_domains, (root, core, NULL, &out.domains), "num_domains_out is NULL");
  REFUSED(dart_domain_scope_domains, (root, core, &out.count, NULL), "domains_out is NULL");
  ROW(dart_domain_scope_domains, (root, no_scope, &out.count, &out.domains), DART_ERR_NOTFOUND,
      "4711");

  REFUSED(dart_domain_select, (NULL, 1, dot), "NULL");
  REFUSED(dart_domain_select, (copy, 1, NULL), "NULL");
  REFUSED(dart_domain_select, (copy, 1, null), "tag 0 ");
  REFUSED(dart_domain_select, (copy, -1, dot), "-1 tags");
  REFUSED(dart_domain_exclude, (NULL, 1, dot), "NULL");
  REFUSED(dart_domain_exclude, (copy, 1, NULL), "NULL");
  REFUSED(dart_domain_exclude, (copy, 1, null), "tag 0 ");
  REFUSED(dart_domain_exclude, (copy, INT_MIN, dot), "-2147483648 tags");
  REFUSED(dart_domain_split_scope, (NULL, core, 1, parts), "domain_in is NULL");
  REFUSED(dart_domain_split_scope, (root, core, 1, NULL), "split_domain_out is NULL");
  REFUSED(dart_domain_split_scope, (root, core, 0, parts), "0 parts");
  REFUSED(dart_domain_split_scope, (root, core, -1, parts), "-1 parts");
  ROW(dart_domain_split_scope, (root, no_scope, 1, parts), DART_ERR_NOTFOUND, "4711");
  REFUSED(dart_domain_group, (NULL, 1, dot, tag), "domain is NULL");
  REFUSED(dart_domain_group, (copy, 0, dot, tag), "no tags");
  REFUSED(dart_domain_group, (copy, 1, NULL, tag), "NULL");
  REFUSED(dart_domain_group, (copy, 1, nested, NULL), "group_domain_tag_out is NULL");
  REFUSED(dart_domain_group, (copy, 1, dot, tag), "'.'");
  REFUSED(dart_domain_group, (copy, 2, nested, tag), "'.0'");
  ROW(dart_domain_group, (copy, 1, unknown, tag), DART_ERR_NOTFOUND, "'.99'");
  REFUSED(dart_domain_add_subdomain, (NULL, child, 0), "domain is NULL");
  REFUSED(dart_domain_add_subdomain, (copy, NULL, 0), "subdomain is NULL");
  REFUSED(dart_domain_add_subdomain, (copy, root, 0), "'.'");
  REFUSED(dart_domain_add_subdomain, (copy, child, 0), "'.0'");
  REFUSED(dart_domain_move_subdomain, (NULL, copy, 0), "domain is NULL");
  REFUSED(dart_domain_move_subdomain, (child, NULL, 0), "new_parent_domain is NULL");
  REFUSED(dart_domain_move_subdomain, (copy, child, 0), "'.'");
  REFUSED(dart_domain_move_subdomain, (child, copy, 99), "place 99 ");

  REFUSED(dart_group_locality_split, (NULL, root, core, 2, &out.size, pieces), "g is NULL");
  REFUSED(dart_group_locality_split, (group, NULL, core, 2, &out.size, pieces), "domain is NULL");
  REFUSED(dart_group_locality_split, (group, root, core, 2, NULL, pieces), "nout is NULL");
  REFUSED(dart_group_locality_split, (group, root, core, 2, &out.size, NULL), "gout is NULL");
  ROW(dart_group_locality_split, (group, root, core, 0, &nout, pieces), DART_ERR_OTHER, "0 groups");
  ROW(dart_group_locality_split, (group, root, no_scope, 2, &out.size, pieces), DART_ERR_NOTFOUND,
      "4711");
  EXPECT_TRUE(copy->num_domains == root->num_domains && copy->num_units == n);
  EXPECT_OK(dart_group_destroy(&group));
  EXPECT_OK(dart_domain_destroy(copy));
  expect_untouched(segment);
}
