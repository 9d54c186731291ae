#ifndef DART_TEST_H
#define DART_TEST_H
/* Tests of the interface, run by all units of a program together.
 *
 * A suite is a file suite_NAME.c: one SUITE(NAME), then its tests. Every unit runs every test, in
 * the order of the file, and meets the others after each. An EXPECT that does not hold is counted
 * and printed, and the test goes on: a unit that stopped would leave the others waiting in their
 * next collective call. So an expectation that protects what follows is an `if`:
 *
 *   if (!EXPECT_OK(dart_gptr_getaddr(mine, &addr)))
 *     return;                                            // only where no collective call follows
 *
 * Tests know nothing of nodes. They address every unit, at every distance, and so reach near and
 * far ones wherever there are any. A test ends with all its operations completed. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dash/dart/ext/dart_basic.h>
#include <dash/dart/if/dart.h>

/* This unit's global id, and the number of units. Unknown (-1, 0) before the first dart_init. */
extern int me, n;

#define T_INT64 DART_TYPE_LONG
_Static_assert(sizeof(long) == sizeof(int64_t), "T_INT64 names another type here");

/* ---- Suites and tests ------------------------------------------------------------------------ */

typedef struct test {
  const char *name;
  const char *file;
  int         line;
  int         min_units;
  void (*run)(void);
  struct test *next; /* in the suite, ascending by line */
} test_t;

typedef struct test_suite {
  const char        *name;
  bool               inside; /* between a dart_init and a dart_exit of the harness */
  test_t            *tests;
  struct test_suite *next; /* ascending by name */
} test_suite_t;

void test_add_suite(test_suite_t *suite);
void test_add(test_suite_t *suite, test_t *test);

#define SUITE(name)              TEST__SUITE(name, true)
#define SUITE_WITHOUT_INIT(name) TEST__SUITE(name, false) /* each of its tests calls dart_init */
#define TEST__SUITE(name, inside)                                                       \
  static test_suite_t                      test__suite = { #name, inside, NULL, NULL }; \
  __attribute__((constructor)) static void test__add_suite(void)                        \
  {                                                                                     \
    test_add_suite(&test__suite);                                                       \
  }                                                                                     \
  extern int test__no_semicolon_missing

#define TEST(name)      TEST_N(1, name)
#define TEST_N(k, name) /* skipped if there are fewer than k units */              \
  static void                              test__run_##name(void);                 \
  __attribute__((constructor)) static void test__add_##name(void)                  \
  {                                                                                \
    static test_t test = { #name, __FILE__, __LINE__, k, test__run_##name, NULL }; \
    test_add(&test__suite, &test);                                                 \
  }                                                                                \
  static void test__run_##name(void)

/* ---- Expectations: true if they hold; any thread --------------------------------------------- */

#define EXPECT_RET(call, code) test_expect_ret(TEST__HERE(#call), call, code)
#define EXPECT_OK(call)        test_expect_ret(TEST__HERE(#call), call, DART_OK)
#define EXPECT_INVAL(call)     test_expect_ret(TEST__HERE(#call), call, DART_ERR_INVAL)
#define EXPECT_TRUE(condition) test_expect_true(TEST__HERE(#condition), condition)
#define EXPECT_EQ(got, expected) \
  test_expect_eq(TEST__HERE(#got), (intmax_t)(got), (intmax_t)(expected))
#define EXPECT_BYTES(got, expected, nbytes) \
  test_expect_bytes(TEST__HERE(#got), got, expected, nbytes)
#define EXPECT_FILLED(got, byte, nbytes) /* every byte from `got` on is `byte` */ \
  test_expect_filled(TEST__HERE(#got), got, byte, nbytes)
#define TEST__HERE(what)     \
  (test_place_t)             \
  {                          \
    __FILE__, __LINE__, what \
  }

typedef struct test_place {
  const char *file;
  int         line;
  const char *what;
} test_place_t;

bool test_expect_ret(test_place_t at, dart_ret_t got, dart_ret_t expected);
bool test_expect_true(test_place_t at, bool holds);
bool test_expect_eq(test_place_t at, intmax_t got, intmax_t expected);
bool test_expect_bytes(test_place_t at, const void *got, const void *expected, size_t nbytes);
bool test_expect_filled(test_place_t at, const void *got, int byte, size_t nbytes);

/* A call that must be refused: it returns `code`, and says why in one line on stderr, which starts
 * with the function's name and contains `says`, the wrong value. The arguments are written apart:
 *
 *   EXPECT_REFUSED(dart_barrier, (12345), DART_ERR_INVAL, "team 12345"); */
#define EXPECT_REFUSED(function, arguments, code, says)                                           \
  (test_listen(), test_expect_refused(TEST__HERE(#function #arguments), function arguments, code, \
                                      #function, says))
void test_listen(void); /* until test_expect_refused */
bool test_expect_refused(test_place_t at, dart_ret_t got, dart_ret_t expected, const char *function,
                         const char *says);

/** Say which row of a table, or round of a loop, this is: printed with what fails from here to the
 *  next note of this thread, or the end of the test. */
void test_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** dart_init in a test that does its own; `me` and `n` are known from then on. */
void test_init(void);

/** The same with threads, all of which may call DART. */
void test_init_threads(void);

/* ---- Memory, freed at the end of the test ---------------------------------------------------- */

/** Collective: `nelem` int64_t on every unit, a copy of the caller's `init` each. Returns the start
 *  of `unit`'s portion. */
dart_gptr_t test_alloc(const int64_t *init, size_t nelem, int unit);

/** Collective over `team`: `nbytes` on every unit, filled with `fill`. Returns team unit 0's. */
dart_gptr_t test_segment(dart_team_t team, size_t nbytes, int fill);

dart_gptr_t test_unit(dart_gptr_t gptr, int unit);        /* the same place in unit's portion */
dart_gptr_t test_byte(dart_gptr_t gptr, uint64_t nbytes); /* nbytes further */
dart_gptr_t test_at(dart_gptr_t gptr, size_t elem);       /* elem int64_t further */

/** Start of this unit's portion of gptr's segment. */
int64_t *test_mine(dart_gptr_t gptr);

/* ---- Teams, destroyed at the end of the test ------------------------------------------------- */

/** Collective over `parent`: team units u, u + parts, u + 2 parts, ... form a team, for every
 *  u < parts. Returns the caller's. */
dart_team_t test_split(dart_team_t parent, int parts);

/** Collective over `parent`: the team of these global ids, DART_TEAM_NULL elsewhere. */
dart_team_t test_team(dart_team_t parent, const int *units, int count);

int test_team_me(dart_team_t team);
int test_team_size(dart_team_t team);

/** Collective over a team: its collectives, memory, puts and barriers work. */
void test_use_team(dart_team_t team);

dart_group_t test_group(const int *units, int count); /* the caller destroys it */

/* ---- Life cycle ------------------------------------------------------------------------------ */

void test_barrier(void); /* of all units */

/** Let others run. For loops that poll: units may outnumber cores. */
void test_pause(void);

/** Nanoseconds since some moment, for lower bounds: a wait that must not end early. */
int64_t test_now_ns(void);

/* Whether this unit has a thread that makes progress. */
bool test_has_agent(void);

/** Whether this is the program of dart-mpi. */
bool test_uses_mpi(void);

/** From the next dart_init on, puts and gets between nodes need nobody at their target, "rdma", or its progress,
 *  "software": by the network that dart-shmem simulates, with the delays that it had, or by MPI's windows, static or
 *  dynamic. NULL: as the program was started, and windows by default. */
void test_set_net(const char *kind);

/** How often to repeat what a statement wants `most` times: `most`, but a tenth of it where units
 *  outnumber cores and wait by MPI, which spins. */
int test_rounds(int most);

/* ---- Values ---------------------------------------------------------------------------------- */

/* A stream of numbers that only depends on its seed (splitmix64). */
typedef struct test_random {
  uint64_t state;
} test_random_t;

uint64_t test_random(test_random_t *random);

/** A byte that depends on all of these, so that it tells who wrote it for which place. */
unsigned char test_pattern(int writer, int round, size_t index);
void          test_fill(void *buffer, int writer, int round, size_t nbytes);

/* Every basic type but BOOL. Small whole numbers go in and out of buffers of any type, so that one test
 * serves all types and its reference is plain int64_t arithmetic. */
typedef struct test_type {
  dart_datatype_t id;
  const char     *name;
  size_t          size;
  enum { TEST_SIGNED, TEST_UNSIGNED, TEST_FLOAT, TEST_COMPLEX } kind;
} test_type_t;

enum { TEST_TYPES = 16, TEST_TYPE_SIZE_MAX = 16 };
extern const test_type_t test_types[TEST_TYPES];

void    test_store(const test_type_t *type, void *buffer, size_t index, int64_t value);
int64_t test_load(const test_type_t *type, const void *buffer, size_t index);

/** Operand `index` of `writer` for `op`: small enough that all units' operands combine without
 *  overflow in any type; not negative for unsigned types. */
int64_t test_operand(const test_type_t *type, dart_operation_t op, int writer, size_t index);

/** What an operator makes of two values. Not MINMAX. */
int64_t test_combine(dart_operation_t op, int64_t a, int64_t b);

/** Whether the contract has `op`, one from MIN to LXOR, on `type`. */
bool        test_has_op(const test_type_t *type, dart_operation_t op);
const char *test_op_name(dart_operation_t op);

/* ---- For main.c ------------------------------------------------------------------------------ */

/** Print the suites' names, one a line. */
void test_list(void);

/** Run a suite, "NAME", or one of its tests, "NAME.TEST": 0 if all expectations of all units held,
 *  1 if not, 2 if there is no such suite or test. */
int test_run(const char *what, int *argc, char ***argv);

#endif
