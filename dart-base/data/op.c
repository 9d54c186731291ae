/* Operators: for which types each is valid, the loops of reductions, and the operators that a program has
 * created.
 *
 * The operator is selected outside of the loops, so that the compiler vectorises them; all are generated
 * from the expressions of op.h. Elements may lie at any address: operands are in slots of the exchange as
 * well as in a program's buffers. */
#include "data/op.h"

#include <inttypes.h>

#include <dash/dart/ext/dart_name.h>

#include "base/assert.h"
#include "base/handle.h"
#include "base/log.h"
#include "base/profile.h"
#include "data/name.h"
#include "data/type.h"

DART__PROFILED(dart_op_create, dart_op_destroy, dart_op_name);

/* An operator that a program has created. Of its type only the value is kept: the type may be destroyed
 * first. */
typedef struct {
  dart_operator_t function;
  void           *user_data;
  dart_datatype_t type;
  bool            commutes;
} user_op_t;

static dart__handles_t objects = DART__HANDLES(user_op_t, NULL);

static const user_op_t *find_user_op(dart_operation_t op)
{
  return dart__handle_find(&objects, op);
}

const char *dart_op_name(dart_operation_t op)
{
  const char *name = dart__basic_op_name(op);

  if (name == NULL)
    name = find_user_op(op) != NULL ? "custom operator" : "no operator";
  return name;
}

void dart__op_clear(void)
{
  dart__handle_clear(&objects);
}

/* --- Where an operator is valid --- */

bool dart__op_reduces(dart_operation_t op, dart_datatype_t type, size_t nelem)
{
  const user_op_t *user_op;

  if (op == DART_OP_MINMAX)
    return dart__op_is_atomic(DART_OP_MIN, type) && nelem % 2 == 0;
  if (op < DART_OP_LAST) /* every atomic operator reduces, except these two */
    return op != DART_OP_REPLACE && op != DART_OP_NO_OP && dart__op_is_atomic(op, type);
  user_op = find_user_op(op);
  return user_op != NULL && user_op->type == type;
}

bool dart__op_commutes(dart_operation_t op)
{
  const user_op_t *user_op = op < DART_OP_LAST ? NULL : find_user_op(op);

  return user_op == NULL || user_op->commutes;
}

/* --- Reductions --- */

#define COMBINE(op, expression)           \
  case op:                                \
    for (size_t i = 0; i < nelem; i++) {  \
      operand_t a = in[i], b = inout[i];  \
      inout[i] = (operand_t)(expression); \
    }                                     \
    break;
#define COMBINE_NATIVE(op, native, expression) COMBINE(op, expression)

#define COMBINE_COMPLEX_PAIRS
#define COMBINE_FLOAT_PAIRS COMBINE_MINMAX
#define COMBINE_MINMAX                                                                 \
  case DART_OP_MINMAX:                                                                 \
    for (size_t i = 0; i + 1 < nelem; i += 2) {                                        \
      operand_t least = in[i + DART_OP_MINMAX_MIN], most = in[i + DART_OP_MINMAX_MAX]; \
                                                                                       \
      if ((value_t)least < (value_t)inout[i + DART_OP_MINMAX_MIN])                     \
        inout[i + DART_OP_MINMAX_MIN] = least;                                         \
      if ((value_t)most > (value_t)inout[i + DART_OP_MINMAX_MAX])                      \
        inout[i + DART_OP_MINMAX_MAX] = most;                                          \
    }                                                                                  \
    break;

/* value_t: how elements compare; operand_t: how they are computed. */
#define DEFINE_INTEGER(type, ctype, utype)                                      \
  static void combine_##type(dart_operation_t op, const void *restrict in_data, \
                             void *restrict inout_data, size_t nelem)           \
  {                                                                             \
    typedef ctype value_t;                                                      \
    typedef utype operand_t;                                                    \
    typedef utype element_t __attribute__((may_alias, aligned(1)));             \
    const element_t *restrict in = in_data;                                     \
    element_t *restrict inout    = inout_data;                                  \
                                                                                \
    switch (op) {                                                               \
      DART__FOR_NATIVE_OPS(COMBINE_NATIVE)                                      \
      DART__FOR_OTHER_OPS(COMBINE)                                              \
      COMBINE_MINMAX                                                            \
    default: dart__assert(false);                                               \
    }                                                                           \
  }

#define DEFINE_NUMBER(type, ctype, kind)                                                    \
  static void combine_##type(dart_operation_t op, const void *restrict in_data,             \
                             void *restrict inout_data, size_t nelem)                       \
  {                                                                                         \
    typedef ctype value_t __attribute__((unused));                                          \
    typedef ctype operand_t;                                                                \
    typedef ctype element_t __attribute__((may_alias, aligned(1)));                         \
    const element_t *restrict in = in_data;                                                 \
    element_t *restrict inout    = inout_data;                                              \
                                                                                            \
    switch (op) {                                                                           \
      DART__FOR_##kind##_OPS(COMBINE) COMBINE_##kind##_PAIRS default : dart__assert(false); \
    }                                                                                       \
  }

DART__FOR_INTEGERS(DEFINE_INTEGER)
DART__FOR_NUMBERS(DEFINE_NUMBER)

void dart__op_combine(dart_operation_t op, dart_datatype_t type, const void *in, void *inout,
                      size_t nelem)
{
  dart__assert(dart__op_reduces(op, type, nelem));
  if (nelem == 0)
    return; /* user-defined operators are never called with 0 elements */
  if (op >= DART_OP_LAST) {
    const user_op_t *user_op = find_user_op(op);

    user_op->function(in, inout, nelem, user_op->user_data);
    return;
  }
  switch (type) {
#define COMBINE_INTEGER(type, ctype, utype) \
  case type:                                \
    combine_##type(op, in, inout, nelem);   \
    break;
#define COMBINE_NUMBER(type, ctype, kind) \
  case type: combine_##type(op, in, inout, nelem); break;
    DART__FOR_INTEGERS(COMBINE_INTEGER)
    DART__FOR_NUMBERS(COMBINE_NUMBER)
  default: dart__assert(false);
  }
}

/* --- Creation --- */

dart_ret_t dart_op_create(dart_operator_t op, void *userdata, bool commute, dart_datatype_t dtype,
                          bool dtype_is_tmp, dart_operation_t *new_op)
{
  const dart__type_t *type = dart__type_find(dtype);
  user_op_t          *user_op;
  uintptr_t           handle;

  (void)dtype_is_tmp; /* a hint, which is not needed here */
  if (new_op == NULL)
    return dart__fail(DART_ERR_INVAL, "dart_op_create: new_op is NULL");
  *new_op = DART_OP_UNDEFINED;
  if (op == NULL)
    return dart__fail(DART_ERR_INVAL, "dart_op_create: op is NULL");
  if (type == NULL || !dart__type_is_contiguous(type))
    return dart__fail(DART_ERR_INVAL, "dart_op_create: dtype %s is no basic or custom type",
                      dart__type_text(dtype).text);

  user_op = dart__handle_reserve(&objects, &handle);
  if (user_op == NULL)
    return dart__fail(DART_ERR_NOMEM,
                      "dart_op_create: no memory for an operator, or %d of them exist",
                      DART__HANDLE_SLOTS);
  user_op->function  = op;
  user_op->user_data = userdata;
  user_op->type      = dtype;
  user_op->commutes  = commute;
  dart__handle_publish(&objects, handle);
  *new_op = handle;
  return DART_OK;
}

dart_ret_t dart_op_destroy(dart_operation_t *op)
{
  if (op == NULL)
    return dart__fail(DART_ERR_INVAL, "dart_op_destroy: op is NULL");
  if (!dart__handle_remove(&objects, *op))
    return dart__fail(DART_ERR_INVAL, "dart_op_destroy: op %s is no operator that a program made",
                      dart__op_text(*op).text);
  *op = DART_OP_UNDEFINED;
  return DART_OK;
}
