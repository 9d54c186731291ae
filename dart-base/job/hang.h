#ifndef DART__JOB_HANG_H
#define DART__JOB_HANG_H
/* What this unit waits for, told when somebody asks, or when it has lasted too long. */

/** From now on SIGUSR1 is a question, unless the program has a use for it. */
void dart__hang_answer(void);

/** If the settings ask for reports, note locks in words (model/holds.h), and watch the waits of this unit if no
 *  launcher does. */
void dart__hang_watch(void);

#endif
