#ifndef DART__API_JOB_CLOSE_H
#define DART__API_JOB_CLOSE_H
/* The end of a cycle: all that dart_init opened is closed, in reverse order. Collective over the job; all
 * operations are complete, on all units. */
void dart__close(void);

#endif
