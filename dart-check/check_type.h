#ifndef DART__CHECK_CHECK_TYPE_H
#define DART__CHECK_CHECK_TYPE_H
/* What this library knows of the program's data types. */
#include "check.h"

/** Bytes of an element of a basic or custom type, whose elements are contiguous; 0: any other type, or none. */
size_t dart__check_size(dart_datatype_t type);

/** Bytes from the beginning of the first to the end of the last of `nelem` elements; 0: no such type, no elements, or
 *  too many. */
uint64_t dart__check_extent(dart_datatype_t type, uint64_t nelem);

/** A number for the type that is the same in all units: the type's own number, or for a custom type one made of its
 *  size. */
uint64_t dart__check_type_number(dart_datatype_t type);

/** The name of a type by that number, valid until the next call of this thread. */
const char *dart__check_type_name(uint64_t number);

#endif
