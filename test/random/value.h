#ifndef RANDOM_VALUE_H
#define RANDOM_VALUE_H
/* Elements as values: what an operator makes of two of them, written from the contract.
 *
 * Integers are exact, whatever the bytes. Of floating point only small whole numbers are: what a sum of
 * arbitrary bytes is, or which bits a NaN has, no contract says. So a result that is not exact is
 * *vague*, and the model stops to look at those bytes until they are written again. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Whether the contract has `oper` for elements of `type`: as an atomic, and in a reduction. */
bool value_has_atomic(int type, int oper);
bool value_has_reduction(int type, int oper);

/** Real or complex. */
bool value_is_float(int type);

/** Let *target = *target oper *operand, in one element. False: the result is vague. */
bool value_combine(int type, int oper, void *target, const void *operand);

/** Bytes of an element that have a meaning; the rest of a long double is padding. */
size_t value_meaning(int type);

/** Store a whole number, cut to the type; read one back as far as it goes. */
void    value_store(int type, void *target, int64_t value);
int64_t value_load(int type, const void *source);

/** Operand k of operation `id`: any bytes for integers, small whole numbers for floating point, and for
 *  products. */
void value_operand(int type, int oper, uint64_t key, size_t k, void *operand);

/** Bits of a whole number that an element holds exactly. */
int value_bits(int type);

/* The operators that the tester brings: both are associative. OPER_MERGE commutes, on two numbers of 32
 * bits: a sum and a maximum. OPER_AFFINE does not: maps x → a x + b modulo 2^32, applied one after the
 * other. Elements are opaque, of 8 bytes. */
enum { VALUE_OPAQUE = 8 };
void value_merge(const void *left, void *right_inout, size_t n, void *userdata);
void value_affine(const void *left, void *right_inout, size_t n, void *userdata);

#endif
