/* Types and operators: the program must destroy them, and a type says how many bytes a call is about. */
#include "check_type.h"

#include <stdio.h>

#include <dash/dart/ext/dart_basic.h>
#include <dash/dart/ext/dart_profile.h>

#include "object.h"

/* Indexed by the number of the type; 0: there is none. */
static const size_t basic_size[DART_TYPE_BASIC_END] = {
  [DART_TYPE_BYTE]           = 1,
  [DART_TYPE_SHORT]          = sizeof(short),
  [DART_TYPE_INT]            = sizeof(int),
  [DART_TYPE_UINT]           = sizeof(int),
  [DART_TYPE_LONG]           = sizeof(long),
  [DART_TYPE_ULONG]          = sizeof(long),
  [DART_TYPE_LONGLONG]       = sizeof(long long),
  [DART_TYPE_ULONGLONG]      = sizeof(long long),
  [DART_TYPE_FLOAT]          = sizeof(float),
  [DART_TYPE_DOUBLE]         = sizeof(double),
  [DART_TYPE_LONG_DOUBLE]    = sizeof(long double),
  [DART_TYPE_INT8]           = 1,
  [DART_TYPE_UINT8]          = 1,
  [DART_TYPE_UINT16]         = 2,
  [DART_TYPE_BOOL]           = sizeof(bool),
  [DART_TYPE_FLOAT_COMPLEX]  = 2 * sizeof(float),
  [DART_TYPE_DOUBLE_COMPLEX] = 2 * sizeof(double),
};

static bool is_basic(dart_datatype_t type)
{
  return type > 0 && type < DART_TYPE_BASIC_END && basic_size[type] > 0;
}

size_t dart__check_size(dart_datatype_t type)
{
  dart__check_object_t *object;

  if (is_basic(type))
    return basic_size[type];
  object = dart__check_object(DART__CHECK_TYPE, (uintptr_t)type);
  return object == NULL || object->type.per > 0 ? 0 : object->type.nbytes;
}

uint64_t dart__check_extent(dart_datatype_t type, uint64_t nelem)
{
  dart__check_object_t *object;
  uint64_t              elements = nelem, size;

  if (nelem == 0 || nelem >> 46 != 0)
    return 0;
  size = dart__check_size(type);
  if (size == 0) {
    object = dart__check_object(DART__CHECK_TYPE, (uintptr_t)type);
    if (object == NULL || nelem % object->type.per != 0)
      return 0;
    size     = object->type.nbytes;
    elements = (nelem / object->type.per - 1) * object->type.stride + object->type.extent;
  }
  return elements >> 40 != 0 ? 0 : elements * size;
}

uint64_t dart__check_type_number(dart_datatype_t type)
{
  return is_basic(type) ? (uint64_t)type : dart__check_size(type) | UINT64_C(1) << 40;
}

const char *dart__check_type_name(uint64_t number)
{
  static _Thread_local char text[48];

  if (number < (uint64_t)DART_TYPE_BASIC_END && is_basic((dart_datatype_t)number))
    return pdart_type_name((dart_datatype_t)number);
  snprintf(text, sizeof text, "a custom type of %llu bytes",
           (unsigned long long)(number & ((UINT64_C(1) << 40) - 1)));
  return text;
}

/* ---- types --------------------------------------------------------------------------------------- */

dart_ret_t dart_type_create_custom(size_t num_bytes, dart_datatype_t *newtype)
{
  dart_ret_t            ret = pdart_type_create_custom(num_bytes, newtype);
  dart__check_object_t *object =
      dart__check_made(ret, DART__CHECK_TYPE, ret == DART_OK ? (uintptr_t)*newtype : 0,
                       DART_TEAM_NULL, DART__AT(dart_type_create_custom));

  if (object != NULL) {
    object->type.nbytes = num_bytes;
    object->type.per    = 0;
  }
  return ret;
}

dart_ret_t dart_type_create_strided(dart_datatype_t basetype, size_t stride, size_t blocklen,
                                    dart_datatype_t *newtype)
{
  size_t                nbytes = dart__check_size(basetype);
  dart_ret_t            ret    = pdart_type_create_strided(basetype, stride, blocklen, newtype);
  dart__check_object_t *object =
      dart__check_made(ret, DART__CHECK_TYPE, ret == DART_OK ? (uintptr_t)*newtype : 0,
                       DART_TEAM_NULL, DART__AT(dart_type_create_strided));

  if (object != NULL) {
    object->type.nbytes = nbytes;
    object->type.per    = blocklen;
    object->type.extent = blocklen;
    object->type.stride = stride;
  }
  return ret;
}

static void note_blocks(dart__check_object_t *object, size_t count, const size_t blocklen[],
                        const size_t offset[])
{
  size_t least = SIZE_MAX, most = 0, per = 0;

  for (size_t i = 0; i < count; i++)
    if (blocklen[i] > 0) {
      least = offset[i] < least ? offset[i] : least;
      most  = offset[i] + blocklen[i] > most ? offset[i] + blocklen[i] : most;
      per += blocklen[i];
    }
  object->type.per    = per;
  object->type.extent = most;
  object->type.stride = most - least;
}

dart_ret_t dart_type_create_indexed(dart_datatype_t basetype, size_t count, const size_t blocklen[],
                                    const size_t offset[], dart_datatype_t *newtype)
{
  size_t                nbytes = dart__check_size(basetype);
  dart_ret_t            ret = pdart_type_create_indexed(basetype, count, blocklen, offset, newtype);
  dart__check_object_t *object =
      dart__check_made(ret, DART__CHECK_TYPE, ret == DART_OK ? (uintptr_t)*newtype : 0,
                       DART_TEAM_NULL, DART__AT(dart_type_create_indexed));

  if (object != NULL) {
    object->type.nbytes = nbytes;
    note_blocks(object, count, blocklen, offset);
  }
  return ret;
}

dart_ret_t dart_type_destroy(dart_datatype_t *dart_type)
{
  dart__at_t at  = DART__AT(dart_type_destroy);
  uintptr_t  key = dart_type != NULL ? (uintptr_t)*dart_type : 0;
  dart_ret_t ret;

  if (!is_basic((dart_datatype_t)key) && !dart__check_may_use(DART__CHECK_TYPE, key, at))
    return DART_ERR_INVAL;
  ret = pdart_type_destroy(dart_type);
  dart__check_ended(ret, DART__CHECK_TYPE, key, at);
  return ret;
}

/* ---- operators ----------------------------------------------------------------------------------- */

dart_ret_t dart_op_create(dart_operator_t op, void *userdata, bool commute, dart_datatype_t dtype,
                          bool dtype_is_tmp, dart_operation_t *new_op)
{
  dart_ret_t ret = pdart_op_create(op, userdata, commute, dtype, dtype_is_tmp, new_op);

  dart__check_made(ret, DART__CHECK_OPERATOR, ret == DART_OK ? (uintptr_t)*new_op : 0,
                   DART_TEAM_NULL, DART__AT(dart_op_create));
  return ret;
}

dart_ret_t dart_op_destroy(dart_operation_t *op)
{
  dart__at_t at  = DART__AT(dart_op_destroy);
  uintptr_t  key = op != NULL ? (uintptr_t)*op : 0;
  dart_ret_t ret;

  if (key >= DART_OP_LAST && !dart__check_may_use(DART__CHECK_OPERATOR, key, at))
    return DART_ERR_INVAL;
  ret = pdart_op_destroy(op);
  dart__check_ended(ret, DART__CHECK_OPERATOR, key, at);
  return ret;
}
