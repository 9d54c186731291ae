/* See name.h, and dash/dart/ext/dart_name.h. */
#include "data/name.h"

#include <inttypes.h>
#include <stdio.h>

#include <dash/dart/ext/dart_basic.h>
#include <dash/dart/ext/dart_name.h>
#include <dash/dart/if/dart.h>

#include "base/profile.h"

DART__PROFILED(dart_version, dart_strerror);

#define NAME(value) [value] = #value

static const char *const type_names[DART_TYPE_BASIC_END] = {
  NAME(DART_TYPE_UNDEFINED), NAME(DART_TYPE_BYTE),          NAME(DART_TYPE_SHORT),
  NAME(DART_TYPE_INT),       NAME(DART_TYPE_UINT),          NAME(DART_TYPE_LONG),
  NAME(DART_TYPE_ULONG),     NAME(DART_TYPE_LONGLONG),      NAME(DART_TYPE_ULONGLONG),
  NAME(DART_TYPE_FLOAT),     NAME(DART_TYPE_DOUBLE),        NAME(DART_TYPE_LONG_DOUBLE),
  NAME(DART_TYPE_INT8),      NAME(DART_TYPE_UINT8),         NAME(DART_TYPE_UINT16),
  NAME(DART_TYPE_BOOL),      NAME(DART_TYPE_FLOAT_COMPLEX), NAME(DART_TYPE_DOUBLE_COMPLEX)
};

static const char *const op_names[DART_OP_LAST] = {
  NAME(DART_OP_UNDEFINED), NAME(DART_OP_MIN),  NAME(DART_OP_MAX),  NAME(DART_OP_MINMAX),
  NAME(DART_OP_SUM),       NAME(DART_OP_PROD), NAME(DART_OP_BAND), NAME(DART_OP_LAND),
  NAME(DART_OP_BOR),       NAME(DART_OP_LOR),  NAME(DART_OP_BXOR), NAME(DART_OP_LXOR),
  NAME(DART_OP_REPLACE),   NAME(DART_OP_NO_OP)
};

const char *dart__basic_type_name(dart_datatype_t type)
{
  return (uintptr_t)type < DART_TYPE_BASIC_END ? type_names[type] : NULL;
}

const char *dart__basic_op_name(dart_operation_t op)
{
  return op < DART_OP_LAST ? op_names[op] : NULL;
}

static dart__name_t text_of(const char *name, intptr_t value)
{
  dart__name_t text;

  if (name != NULL)
    snprintf(text.text, sizeof text.text, "%s", name);
  else
    snprintf(text.text, sizeof text.text, "%" PRIdPTR, value);
  return text;
}

dart__name_t dart__type_text(dart_datatype_t type)
{
  return text_of(dart__basic_type_name(type), type);
}

dart__name_t dart__op_text(dart_operation_t op)
{
  return text_of(dart__basic_op_name(op), (intptr_t)op);
}

const char *dart_version(void)
{
  return DART_VERSION_STR;
}

const char *dart_strerror(dart_ret_t ret)
{
  switch (ret) {
  case DART_OK: return "no error";
  case DART_PENDING: return "not complete yet";
  case DART_ERR_INVAL: return "invalid argument";
  case DART_ERR_NOTFOUND: return "not found";
  case DART_ERR_NOTINIT: return "DART is not initialised";
  case DART_ERR_NOMEM: return "out of memory";
  case DART_ERR_UNIT_LOST: return "a unit is lost";
  case DART_ERR_OTHER: return "other error";
  }
  return "unknown result";
}
