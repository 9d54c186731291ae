#ifndef DART_TEST_SURVIVE_DRAWN_H
#define DART_TEST_SURVIVE_DRAWN_H
#include <stdint.h>

/** Be killed after a while. */
void die_after(uint64_t us);

/** Work, by all units, of which some die by the seed. Returns on those that are left. */
void work_until_lost(uint64_t seed);

#endif
