#ifndef DASH__DART__EXT__DART_NAME_H__INCLUDED
#define DASH__DART__EXT__DART_NAME_H__INCLUDED
/** @file dart_name.h
 *  Names for messages of programs: the version of the library, results, types and operators.
 *
 *  All functions are local, may be called by any thread at any time, also before dart_init and after dart_exit, and
 *  take any argument. The texts are constant. */

#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/** The version of the library that the program runs with, such as "3.2.0". That of the headers, with which it was
 *  compiled, is DART_VERSION_STR, and DART_VERSION_MAJOR, _MINOR and _PATCH as numbers (dart.h). */
const char *dart_version(void) DART_NOTHROW;

/** What a result means, such as "invalid argument" for DART_ERR_INVAL; "unknown result" for any other value. */
const char *dart_strerror(dart_ret_t ret) DART_NOTHROW;

/** The name of a basic type, such as "DART_TYPE_INT". Where two names are one type (dart_basic.h), that of dart_types.h.
 *  For a type that the program has created "custom type", "strided type" or "indexed type"; for
 *  DART_TYPE_UNDEFINED its name; for any other value "no type". */
const char *dart_type_name(dart_datatype_t type) DART_NOTHROW;

/** The name of a predefined operator, such as "DART_OP_SUM". For an operator that the program has created "custom
 *  operator"; for DART_OP_UNDEFINED its name; for any other value "no operator". */
const char *dart_op_name(dart_operation_t op) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__EXT__DART_NAME_H__INCLUDED */
