#ifndef RANDOM_SHRINK_H
#define RANDOM_SHRINK_H
/* Makes a schedule that fails smaller, as long as it still fails: fewer rounds, operations, units, threads
 * and settings, fewer bytes, simpler types. What is left is read by a person.
 *
 * Leaving out is by halves, then quarters, and so on (Zeller and Hildebrandt: Simplifying and isolating
 * failure-inducing input, IEEE TSE 28(2), 2002); what the rules do not allow any more goes as well. */
#include "random_job.h"
#include "random_op.h"

/** Shrink in place for at most so many seconds. False: the list never failed. */
bool shrink(job_t *job, list_t *list, double seconds);

/** Write a list with its job to a file, for people and for drive.c. */
bool shrink_write(const char *path, const job_t *job, const list_t *list);

/** Read one; the program stays as it is. */
bool shrink_read(const char *path, job_t *job, list_t *list);

#endif
