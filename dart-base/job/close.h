#ifndef DART__JOB_CLOSE_H
#define DART__JOB_CLOSE_H
/* The end of a cycle of init and exit: close everything that dart_init opened, in reverse order. Collective
 * over the job; all operations of all units are complete. */
void dart__close(void);

#endif
