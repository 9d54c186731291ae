#ifndef DART__TRACE_TRACE_TYPE_H
#define DART__TRACE_TRACE_TYPE_H
/* Bytes of an element, by its type. */
#include <dash/dart/if/dart_types.h>

/** Remember that an element of `type`, which the program has made, is `nelem` of `base`. */
void dart__trace_type_note(dart_datatype_t type, dart_datatype_t base, size_t nelem);

/** Bytes of an element of `type`, without what the type leaves out; 0 if it is not known. */
size_t dart__trace_type_bytes(dart_datatype_t type);

#endif /* DART__TRACE_TRACE_TYPE_H */
