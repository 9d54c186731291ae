#ifndef DART__BASE_LAST_CALL_H
#define DART__BASE_LAST_CALL_H
#include <stdint.h>

/* Which function of the interface this thread called last, of those that check a team or a pointer: so what waits
 * far below it can say for whom. One store, into a variable of the thread. */

extern _Thread_local const char *dart__call __attribute__((tls_model("initial-exec")));

/** `function` is a string that stays, such as __func__ of an entry point. What DART calls by itself passes dart__call on. */
static inline void dart__call_note(const char *function)
{
  dart__call = function;
}

/* The last collective of them, which other units are in, too: a number that is the same on all, and is not 0. */
typedef struct {
  const char *function;
  uint32_t    number;
} dart__call_shared_t;

extern _Thread_local dart__call_shared_t dart__call_shared
    __attribute__((tls_model("initial-exec")));

/** The thread is in a collective `function`, whether or not it was noted. */
static inline void dart__call_share(const char *function, uint32_t number)
{
  dart__call        = function;
  dart__call_shared = (dart__call_shared_t){ function, number };
}

/** The number of the collective that this thread is in; 0: it has called something else since. */
static inline uint32_t dart__call_number(void)
{
  return dart__call == dart__call_shared.function ? dart__call_shared.number : 0;
}

#endif
