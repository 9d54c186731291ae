#ifndef DART__CHECK_CHECK_TYPE_H
#define DART__CHECK_CHECK_TYPE_H
/* What the layer knows of the program's data types. */
#include "check.h"

/** Bytes of an element of a basic or custom type; 0: another type, or none. Elements of it lie in a row. */
size_t dart__check_size(dart_datatype_t type);

/** Bytes from the first byte of `nelem` elements to behind the last; 0: no such type, no elements, or too
 *  many. */
uint64_t dart__check_extent(dart_datatype_t type, uint64_t nelem);

/** The type as all units know it: its number, or of a custom one its size. */
uint64_t dart__check_type_number(dart_datatype_t type);

/** The name of that for people, until the next call of this thread. */
const char *dart__check_type_name(uint64_t number);

#endif
