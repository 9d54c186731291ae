#ifndef DART__BASE_THREAD_H
#define DART__BASE_THREAD_H
/* Threads of DART's own. */
#include <pthread.h>

/** Start a thread that runs `run(argument)`, and give it a name of at most 15 characters; 0, or an errno.
 *
 *  It blocks all signals, which are for the program's threads, except those of its own faults: the kernel ends a process
 *  without calling its handler for a fault whose signal is blocked. It has an alternate stack, so that handlers can run
 *  when its stack is used up. */
int dart__thread_start(pthread_t *thread_out, const char *name, void *(*run)(void *),
                       void *argument);

/** A piece of work begins, or is over, that a thread of DART's own does and that may write to any memory of the program.
 *  `what` says for users what work it is. */
void dart__thread_work_begin(const char *what);
void dart__thread_work_end(void);

/** What such work there is; NULL: none. */
const char *dart__thread_work(void);

#endif
