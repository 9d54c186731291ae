#ifndef NODE_DATA_H
#define NODE_DATA_H
/* What the tests of types, operators, atomics and copies share: the operators once more, computed
 * the slow way over wide numbers, and a look at what was printed. */
#include <float.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <dash/dart/ext/dart_basic.h>
#include <dash/dart/if/dart_types.h>

typedef enum { UNSIGNED, SIGNED, FLOATING } test_class_t;

typedef struct {
  dart_datatype_t type;
  const char     *name;
  size_t          nbytes;
  test_class_t class;
} test_type_t;

static const test_type_t test_types[] = { { DART_TYPE_BYTE, "BYTE", 1,
                                            CHAR_MIN < 0 ? SIGNED : UNSIGNED },
                                          { DART_TYPE_SHORT, "SHORT", 2, SIGNED },
                                          { DART_TYPE_INT, "INT", 4, SIGNED },
                                          { DART_TYPE_UINT, "UINT", 4, UNSIGNED },
                                          { DART_TYPE_LONG, "LONG", 8, SIGNED },
                                          { DART_TYPE_ULONG, "ULONG", 8, UNSIGNED },
                                          { DART_TYPE_LONGLONG, "LONGLONG", 8, SIGNED },
                                          { DART_TYPE_ULONGLONG, "ULONGLONG", 8, UNSIGNED },
                                          { DART_TYPE_FLOAT, "FLOAT", 4, FLOATING },
                                          { DART_TYPE_DOUBLE, "DOUBLE", 8, FLOATING },
                                          { DART_TYPE_LONG_DOUBLE, "LONG_DOUBLE", 16, FLOATING },
                                          { DART_TYPE_INT8, "INT8", 1, SIGNED },
                                          { DART_TYPE_UINT8, "UINT8", 1, UNSIGNED },
                                          { DART_TYPE_UINT16, "UINT16", 2, UNSIGNED } };

enum { TEST_TYPES = sizeof test_types / sizeof test_types[0] };

#define TEST_FOR_TYPES(t) for (const test_type_t *t = test_types; t < test_types + TEST_TYPES; t++)
#define TEST_FOR_OPS(op)  for (dart_operation_t op = DART_OP_UNDEFINED; op <= DART_OP_LAST; op++)

/* An element of any type, widened. Floating values in the tests are small multiples of 1/4, so a
 * wider computation rounds to the same. */
typedef struct {
  uint64_t    bits; /* integers, sign-extended */
  long double real;
} test_number_t;

static inline test_number_t test_load(const test_type_t *t, const void *element)
{
  test_number_t number = { 0, 0 };
  float         f;
  double        d;

  if (t->class != FLOATING) {
    memcpy(&number.bits, element, t->nbytes); /* little endian */
    if (t->class == SIGNED && t->nbytes < 8 && (number.bits >> (8 * t->nbytes - 1)) != 0)
      number.bits |= UINT64_MAX << (8 * t->nbytes);
  } else if (t->type == DART_TYPE_FLOAT) {
    memcpy(&f, element, sizeof f);
    number.real = f;
  } else if (t->type == DART_TYPE_DOUBLE) {
    memcpy(&d, element, sizeof d);
    number.real = d;
  } else {
    memcpy(&number.real, element, sizeof number.real);
  }
  return number;
}

static inline void test_store(const test_type_t *t, void *element, test_number_t number)
{
  float  f = (float)number.real;
  double d = (double)number.real;

  if (t->class != FLOATING)
    memcpy(element, &number.bits, t->nbytes);
  else if (t->type == DART_TYPE_FLOAT)
    memcpy(element, &f, sizeof f);
  else if (t->type == DART_TYPE_DOUBLE)
    memcpy(element, &d, sizeof d);
  else
    memcpy(element, &number.real, sizeof number.real);
}

/* The element that stands for a small integer. */
static inline void test_set(const test_type_t *t, void *element, int64_t value)
{
  test_store(t, element, (test_number_t){ (uint64_t)value, (long double)value });
}

static inline int64_t test_get(const test_type_t *t, const void *element)
{
  test_number_t number = test_load(t, element);

  return t->class == FLOATING ? (int64_t)number.real : (int64_t)number.bits;
}

static inline bool test_equal(const test_type_t *t, const void *a, const void *b)
{
  test_number_t x = test_load(t, a), y = test_load(t, b);

  return x.bits == y.bits && x.real == y.real;
}

static inline uint64_t test_random(uint64_t *state) /* xorshift64, Marsaglia 2003 */
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

/* Any bits for integers; multiples of 1/4 between -64 and 64 for floating point. */
static inline void test_set_random(const test_type_t *t, void *element, uint64_t *state)
{
  uint64_t bits = test_random(state);

  if (bits % 4 == 0) /* operators meet equal operands and zero too */
    bits &= 1;
  test_store(t, element, (test_number_t){ bits, ((long double)(bits % 512) - 256) / 4 });
}

/* a op b; for MINMAX the operator of `index`. */
static inline test_number_t test_apply(const test_type_t *t, dart_operation_t op, size_t index,
                                       test_number_t a, test_number_t b)
{
  bool          less = t->class == FLOATING ? a.real < b.real
                       : t->class == SIGNED ? (int64_t)a.bits < (int64_t)b.bits
                                            : a.bits < b.bits;
  test_number_t r    = a;

  if (op == DART_OP_MINMAX)
    op = index % 2 == DART_OP_MINMAX_MIN ? DART_OP_MIN : DART_OP_MAX;
  switch (op) {
  case DART_OP_MIN: return less ? a : b;
  case DART_OP_MAX: return less ? b : a;
  case DART_OP_SUM:
    r.bits = a.bits + b.bits;
    r.real = a.real + b.real;
    break;
  case DART_OP_PROD:
    r.bits = a.bits * b.bits;
    r.real = a.real * b.real;
    break;
  case DART_OP_BAND: r.bits = a.bits & b.bits; break;
  case DART_OP_BOR: r.bits = a.bits | b.bits; break;
  case DART_OP_BXOR: r.bits = a.bits ^ b.bits; break;
  case DART_OP_LAND: r.bits = a.bits ? b.bits ? 1 : 0 : 0; break;
  case DART_OP_LOR: r.bits = a.bits ? 1 : b.bits ? 1 : 0; break;
  case DART_OP_LXOR: r.bits = a.bits ? b.bits ? 0 : 1 : b.bits ? 1 : 0; break;
  case DART_OP_REPLACE: return b;
  default: break; /* NO_OP */
  }
  return r;
}

/* The table of the contract, section 2.2, once more. */
static inline bool test_op_is_valid(const test_type_t *t, dart_operation_t op, bool atomic)
{
  static const struct {
    bool reduces, atomic, floating;
  } table[DART_OP_LAST + 1] = {
    [DART_OP_MIN] = { 1, 1, 1 },  [DART_OP_MAX] = { 1, 1, 1 },  [DART_OP_MINMAX] = { 1, 0, 1 },
    [DART_OP_SUM] = { 1, 1, 1 },  [DART_OP_PROD] = { 1, 1, 1 }, [DART_OP_BAND] = { 1, 1, 0 },
    [DART_OP_LAND] = { 1, 1, 0 }, [DART_OP_BOR] = { 1, 1, 0 },  [DART_OP_LOR] = { 1, 1, 0 },
    [DART_OP_BXOR] = { 1, 1, 0 }, [DART_OP_LXOR] = { 1, 1, 0 }, [DART_OP_REPLACE] = { 0, 1, 1 },
    [DART_OP_NO_OP] = { 0, 1, 1 }
  };

  return (atomic ? table[op].atomic : table[op].reduces) &&
         (t->class != FLOATING || table[op].floating);
}

/* --- What is printed --- */

typedef struct {
  FILE *file;
  int   saved;
} test_capture_t;

static inline test_capture_t test_capture_begin(void)
{
  test_capture_t capture = { tmpfile(), dup(STDERR_FILENO) };

  assert_non_null(capture.file);
  assert_true(dup2(fileno(capture.file), STDERR_FILENO) >= 0);
  return capture;
}

/* Since `capture` began, exactly one line was printed, and `words` are in it. */
static inline void test_capture_end(test_capture_t capture, const char *words)
{
  char   text[2048];
  size_t n;

  assert_true(dup2(capture.saved, STDERR_FILENO) >= 0);
  close(capture.saved);
  rewind(capture.file);
  n       = fread(text, 1, sizeof text - 1, capture.file);
  text[n] = '\0';
  fclose(capture.file);
  if (n == 0 || strchr(text, '\n') != text + n - 1 || strstr(text, words) == NULL)
    fail_msg("not one line with '%s': '%s'", words, text);
}

/* `call` returns `code` and says why in one line that has `words`. */
#define EXPECT_ERROR(code, call, words)             \
  do {                                              \
    test_capture_t capture_ = test_capture_begin(); \
    dart_ret_t     ret_     = (call);               \
                                                    \
    test_capture_end(capture_, words);              \
    assert_int_equal(ret_, code);                   \
  } while (0)

#endif
