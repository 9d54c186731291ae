#ifndef DART_TEST_SURVIVE_PORTIONS_H
#define DART_TEST_SURVIVE_PORTIONS_H
/* Calls that are given up while they wait for a portion: a table as that of calls.h. */
#include "calls.h"

extern const entry_t portion_entries[];
extern const int     nportion_entries;

#endif
