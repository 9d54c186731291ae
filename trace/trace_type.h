#ifndef DART__TRACE_TRACE_TYPE_H
#define DART__TRACE_TRACE_TYPE_H
/* The bytes of an element of a type. */
#include <dash/dart/if/dart_types.h>

/** Record that an element of `type`, a type of the program, has `nelem` elements of `base`. */
void dart__trace_type_note(dart_datatype_t type, dart_datatype_t base, size_t nelem);

/** The bytes of an element of `type`, without its gaps; 0 if the type is not known. */
size_t dart__trace_type_bytes(dart_datatype_t type);

#endif /* DART__TRACE_TRACE_TYPE_H */
