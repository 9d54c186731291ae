#ifndef DART__DATA_NAME_H
#define DART__DATA_NAME_H
/* Types and operators as log lines name them: by the name that the program wrote, or by value, of what it has created.
 * `dart__type_text(type).text` is valid until the end of the statement. */
#include <dash/dart/if/dart_types.h>

typedef struct {
  char text[32];
} dart__name_t;

dart__name_t dart__type_text(dart_datatype_t type);
dart__name_t dart__op_text(dart_operation_t op);

/** NULL: not a basic type, or not a predefined operator. DART_TYPE_UNDEFINED and DART_OP_UNDEFINED have a name. */
const char *dart__basic_type_name(dart_datatype_t type);
const char *dart__basic_op_name(dart_operation_t op);

#endif
