#ifndef DART__API_WAIT_WORD_H
#define DART__API_WAIT_WORD_H
/* A look at a word of this unit's memory. */
#include <stdbool.h>

#include <dash/dart/ext/dart_wait_word.h>

#include "model/address.h"

/** Whether the word compares to `*value` as said; acquires what its writer released. The arguments have been checked:
 *  the word is this unit's, and aligned. A waiter that yields its core makes others wait for each look, so this is
 *  short: the word was located before. */
bool dart__word_compares(const dart__address_t *at, dart_datatype_t type,
                         dart_comparison_t comparison, const void *value);

#endif
