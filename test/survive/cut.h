#ifndef DART_TEST_SURVIVE_CUT_H
#define DART_TEST_SURVIVE_CUT_H
#include <stdint.h>

/** The last unit is killed at a drawn moment, while it puts data in several pieces and tells another unit that they are
 *  there: by "notify", "complete" or "unlock". What that unit is told of is there. */
void work_until_cut(const char *how, uint64_t seed);

#endif
