#ifndef DART__MEMORY_WORD_H
#define DART__MEMORY_WORD_H
/* Atomics on words of the pool in which DART itself keeps something: shared pointers of files. They are no
 * operations of the program: an epoch that it has open on the pool neither puts them off nor refuses them, and
 * no refusal of its operations is reported here. Complete on return. They cannot fail, for the words exist as
 * long as the team; but for DART_ERR_UNIT_LOST, if that of a far unit is gone with it. */
#include <dash/dart/if/dart_globmem.h>
#include <dash/dart/if/dart_types.h>

/** Combine the word with `value`; `*result` is what it was before. */
dart_ret_t dart__word_fetch(dart_gptr_t word, const void *value, void *result, dart_datatype_t type,
                            dart_operation_t op);

/** If it is `compare` it becomes `value`; `*result` is what it was. */
dart_ret_t dart__word_swap(dart_gptr_t word, const void *value, const void *compare, void *result,
                           dart_datatype_t type);

#endif
