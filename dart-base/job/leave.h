#ifndef DART__JOB_LEAVE_H
#define DART__JOB_LEAVE_H
/* A process that ends between init and exit, without dart_exit. */

/** Set dart__world.leave, which the backend calls in that case; at init. */
void dart__leave_open(void);

/** For what is done when the process ends, and may wait for ever: after some seconds `act` is called, by SIGALRM. */
void dart__leave_limit(void (*act)(int));

#endif
