#ifndef DART__API_JOB_LEAVE_H
#define DART__API_JOB_LEAVE_H
/* A process that ends inside of a cycle, without dart_exit. */

/** Be ready for it; at init. */
void dart__leave_open(void);

#endif
