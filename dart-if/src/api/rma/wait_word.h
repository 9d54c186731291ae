#ifndef DART__API_WAIT_WORD_H
#define DART__API_WAIT_WORD_H
/* A look at a word of this unit's memory. */
#include <stdbool.h>

#include <dash/dart/ext/dart_wait_word.h>

/** Whether the word compares to `*value` as said; acquires what its writer released. The arguments have been checked:
 *  the word is this unit's, and aligned. */
bool dart__word_compares(const char *function, dart_gptr_t gptr, dart_datatype_t type,
                         dart_comparison_t comparison, const void *value);

#endif
