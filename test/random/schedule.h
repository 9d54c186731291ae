#ifndef RANDOM_SCHEDULE_H
#define RANDOM_SCHEDULE_H
/* A schedule from a seed: rounds of operations that are drawn blindly and kept if the rules allow them.
 *
 * Each schedule leaves out some kinds of operations by chance, and draws how large things are: what all
 * have in equal measure, few have much of (Groce, Zhang, Eide, Chen, Regehr: Swarm testing, ISSTA
 * 2012). */
#include "rules.h"

/** The list for a seed; ends with a round. To be freed by list_free. */
list_t schedule_draw(uint64_t seed, int units, int threads);

#endif
