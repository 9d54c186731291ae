#ifndef DART__BASE_LAST_CALL_H
#define DART__BASE_LAST_CALL_H
/* Which function of the interface this thread called last, of those that check a team or a pointer: so what waits
 * far below it can say for whom. One store, into a variable of the thread. */

extern _Thread_local const char *dart__call __attribute__((tls_model("initial-exec")));

/** `function` is a string that stays, such as __func__. */
static inline void dart__call_note(const char *function)
{
  dart__call = function;
}

#endif
