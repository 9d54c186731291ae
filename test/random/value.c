/* See value.h. */
#include "value.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include <dash/dart/ext/dart_basic.h>
#include <dash/dart/if/dart_types.h>

#include "draw.h"
#include "layout.h"
#include "random_op.h"

static bool is_complex(int type)
{
  return type == DART_TYPE_FLOAT_COMPLEX || type == DART_TYPE_DOUBLE_COMPLEX;
}

bool value_is_float(int type)
{
  return (type >= DART_TYPE_FLOAT && type <= DART_TYPE_LONG_DOUBLE) || is_complex(type);
}

static bool is_arithmetic(int oper)
{
  return oper == DART_OP_MIN || oper == DART_OP_MAX || oper == DART_OP_SUM || oper == DART_OP_PROD;
}

static bool is_bitwise(int oper)
{
  return oper == DART_OP_BAND || oper == DART_OP_BOR || oper == DART_OP_BXOR ||
         oper == DART_OP_LAND || oper == DART_OP_LOR || oper == DART_OP_LXOR;
}

/* The table of dart_basic.h: truth values are combined bit by bit, complex numbers have no order. */
static bool combines(int type, int oper)
{
  if (type == DART_TYPE_BOOL)
    return is_bitwise(oper);
  if (is_complex(type))
    return oper == DART_OP_SUM || oper == DART_OP_PROD;
  return is_arithmetic(oper) || (is_bitwise(oper) && !value_is_float(type));
}

bool value_has_atomic(int type, int oper)
{
  return combines(type, oper) || oper == DART_OP_REPLACE || oper == DART_OP_NO_OP;
}

bool value_has_reduction(int type, int oper)
{
  return combines(type, oper) || (oper == DART_OP_MINMAX && combines(type, DART_OP_MIN));
}

size_t value_meaning(int type)
{
  return type == DART_TYPE_LONG_DOUBLE ? 10 : type_size(type);
}

int value_bits(int type)
{
  switch (type) {
  case DART_TYPE_BOOL: return 1;
  case DART_TYPE_FLOAT:
  case DART_TYPE_FLOAT_COMPLEX: return 24;
  case DART_TYPE_DOUBLE:
  case DART_TYPE_DOUBLE_COMPLEX: return 53;
  case DART_TYPE_LONG_DOUBLE: return 62;
  default: return 8 * (int)type_size(type);
  }
}

/* ---- integers ------------------------------------------------------------------------------ */

static bool is_signed(int type)
{
  return type == DART_TYPE_SHORT || type == DART_TYPE_INT || type == DART_TYPE_LONG ||
         type == DART_TYPE_LONGLONG || type == DART_TYPE_INT8 ||
         (type == DART_TYPE_BYTE && CHAR_MIN < 0);
}

static uint64_t load_bits(int type, const void *from)
{
  uint64_t bits = 0;
  size_t   size = type_size(type);
  unsigned rest = 64 - 8 * (unsigned)size;

  memcpy(&bits, from, size); /* little endian, as all machines DART is tested on */
  if (is_signed(type))
    return (uint64_t)((int64_t)(bits << rest) >> rest);
  return bits;
}

static bool is_less(int type, uint64_t a, uint64_t b)
{
  return is_signed(type) ? (int64_t)a < (int64_t)b : a < b;
}

static uint64_t combine_bits(int type, int oper, uint64_t a, uint64_t b)
{
  switch (oper) {
  case DART_OP_MIN: return is_less(type, b, a) ? b : a;
  case DART_OP_MAX: return is_less(type, a, b) ? b : a;
  case DART_OP_SUM: return a + b;
  case DART_OP_PROD: return a * b;
  case DART_OP_BAND: return a & b;
  case DART_OP_BOR: return a | b;
  case DART_OP_BXOR: return a ^ b;
  case DART_OP_LAND: return a != 0 && b != 0;
  case DART_OP_LOR: return a != 0 || b != 0;
  case DART_OP_LXOR: return (a != 0) != (b != 0);
  case DART_OP_REPLACE: return b;
  default: return a;
  }
}

/* ---- floating point ------------------------------------------------------------------------ */

static long double load_float(int type, const void *from)
{
  float       f;
  double      d;
  long double l;

  switch (type) {
  case DART_TYPE_FLOAT: memcpy(&f, from, sizeof f); return f;
  case DART_TYPE_DOUBLE: memcpy(&d, from, sizeof d); return d;
  default: memcpy(&l, from, sizeof l); return l;
  }
}

static void store_float(int type, void *to, long double value)
{
  float  f = (float)value;
  double d = (double)value;

  switch (type) {
  case DART_TYPE_FLOAT: memcpy(to, &f, sizeof f); break;
  case DART_TYPE_DOUBLE: memcpy(to, &d, sizeof d); break;
  default: memcpy(to, &value, value_meaning(type)); break;
  }
}

/* A whole number that every operator treats exactly: not too large, and not -0, which MIN may take for
 * 0. Arbitrary bytes may be no long double at all: their exponent says how large they are. */
static bool is_exact(int type, const void *from)
{
  long double most = ldexpl(1, value_bits(type)), value;
  uint64_t    head;
  uint16_t    exponent;

  if (type == DART_TYPE_LONG_DOUBLE) {
    memcpy(&head, from, 8);
    memcpy(&exponent, (const char *)from + 8, 2);
    exponent &= 0x7fff;
    if (exponent == 0 ? head != 0 : head >> 63 == 0 || exponent > 16383 + 64)
      return false;
  }
  value = load_float(type, from);
  return isfinite(value) && fabsl(value) <= most && rintl(value) == value &&
         (value != 0 || !signbit(value));
}

static long double combine_floats(int oper, long double a, long double b)
{
  switch (oper) {
  case DART_OP_MIN: return b < a ? b : a;
  case DART_OP_MAX: return b > a ? b : a;
  case DART_OP_SUM: return a + b;
  default: return a * b;
  }
}

static bool combine_float(int type, int oper, void *target, const void *operand)
{
  if (!is_exact(type, target) || !is_exact(type, operand))
    return false;
  store_float(type, target,
              combine_floats(oper, load_float(type, target), load_float(type, operand)));
  return is_exact(type, target);
}

/* ---- complex numbers: two of a floating point type ------------------------------------------- */

static int part_type(int type)
{
  return type == DART_TYPE_FLOAT_COMPLEX ? DART_TYPE_FLOAT : DART_TYPE_DOUBLE;
}

static bool load_complex(int type, const void *from, long double part[2])
{
  int    half = part_type(type);
  size_t size = type_size(half);

  for (int i = 0; i < 2; i++) {
    if (!is_exact(half, (const char *)from + (size_t)i * size))
      return false;
    part[i] = load_float(half, (const char *)from + (size_t)i * size);
  }
  return true;
}

static void store_complex(int type, void *to, long double real, long double imaginary)
{
  int half = part_type(type);

  store_float(half, to, real);
  store_float(half, (char *)to + type_size(half), imaginary);
}

/* Exact if each product of two parts is, and their sums. */
static bool combine_complex(int type, int oper, void *target, const void *operand)
{
  long double a[2], b[2], most = ldexpl(1, value_bits(type));

  if (!load_complex(type, target, a) || !load_complex(type, operand, b))
    return false;
  if (oper == DART_OP_SUM)
    store_complex(type, target, a[0] + b[0], a[1] + b[1]);
  else {
    for (int i = 0; i < 4; i++)
      if (fabsl(a[i / 2] * b[i % 2]) > most)
        return false;
    store_complex(type, target, a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]);
  }
  return load_complex(type, target, a);
}

/* ---- all ----------------------------------------------------------------------------------- */

/* Other bytes are no truth values. */
static bool is_truth(const void *from)
{
  return *(const unsigned char *)from <= 1;
}

bool value_combine(int type, int oper, void *target, const void *operand)
{
  uint64_t bits;

  if (oper == DART_OP_NO_OP)
    return true;
  if (oper == DART_OP_REPLACE) {
    memcpy(target, operand, type_size(type));
    return true;
  }
  if (is_complex(type))
    return combine_complex(type, oper, target, operand);
  if (value_is_float(type))
    return combine_float(type, oper, target, operand);
  if (type == DART_TYPE_BOOL && (!is_truth(target) || !is_truth(operand)))
    return false;
  bits = combine_bits(type, oper, load_bits(type, target), load_bits(type, operand));
  memcpy(target, &bits, type_size(type));
  return true;
}

void value_store(int type, void *target, int64_t value)
{
  if (type == DART_TYPE_BOOL)
    value &= 1;
  if (is_complex(type))
    store_complex(type, target, (long double)value, 0);
  else if (value_is_float(type)) {
    memset(target, 0, type_size(type));
    store_float(type, target, (long double)value);
  } else
    memcpy(target, &value, type_size(type));
}

int64_t value_load(int type, const void *source)
{
  long double part[2];

  if (is_complex(type))
    return load_complex(type, source, part) && part[1] == 0 ? (int64_t)part[0] : INT64_MIN;
  if (!value_is_float(type))
    return (int64_t)load_bits(type, source);
  return is_exact(type, source) ? (int64_t)load_float(type, source) : INT64_MIN;
}

/* Powers of 1 + 2i are on no axis, so no part of a product is ever 0, whose sign would depend on the order. */
static void complex_operand(int type, int oper, uint64_t bits, void *operand)
{
  if (oper == DART_OP_PROD)
    store_complex(type, operand, 1, bits % 2 == 0 ? 0 : 2);
  else
    store_complex(type, operand, (long double)(bits % 2001) - 1000,
                  (long double)(bits / 2001 % 2001) - 1000);
}

void value_operand(int type, int oper, uint64_t key, size_t k, void *operand)
{
  uint64_t bits = mix(key, k, 1);

  if (is_complex(type)) {
    complex_operand(type, oper, bits, operand);
    return;
  }
  if (!value_is_float(type)) { /* small ones, too; a flag's tells nothing unless it is new */
    value_store(type, operand, (int64_t)(oper == DART_OP_REPLACE ? bits : bits >> bits % 61));
    return;
  }
  if (oper == DART_OP_PROD)
    value_store(type, operand, (int64_t)(bits % 3) + 1);
  else
    value_store(type, operand, (int64_t)(bits % 2001) - 1000);
}

void value_merge(const void *left, void *right_inout, size_t n, void *userdata)
{
  (void)userdata;
  for (size_t i = 0; i < n; i++) {
    uint32_t a[2], b[2];

    memcpy(a, (const char *)left + i * sizeof a, sizeof a);
    memcpy(b, (char *)right_inout + i * sizeof b, sizeof b);
    b[0] += a[0];
    b[1] = a[1] > b[1] ? a[1] : b[1];
    memcpy((char *)right_inout + i * sizeof b, b, sizeof b);
  }
}

void value_affine(const void *left, void *right_inout, size_t n, void *userdata)
{
  (void)userdata;
  for (size_t i = 0; i < n; i++) {
    uint32_t a[2], b[2];

    memcpy(a, (const char *)left + i * sizeof a, sizeof a);
    memcpy(b, (char *)right_inout + i * sizeof b, sizeof b);
    b[1] += b[0] * a[1]; /* b(a(x)) */
    b[0] *= a[0];
    memcpy((char *)right_inout + i * sizeof b, b, sizeof b);
  }
}
