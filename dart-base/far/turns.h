#ifndef DART__FAR_TURNS_H
#define DART__FAR_TURNS_H
/* Turns: how many accesses to near memory go by lists (dart_inline_turns) until one makes progress in the library.
 *
 * Any of them may be part of a loop that polls for what a far unit changes, and the agent naps meanwhile. A poll for messages
 * takes as long as a dozen of these accesses, so their number doubles from turn to turn. It begins anew with each request to a
 * far unit, for the program may poll for the answer next. */
#include <dash/dart/ext/dart_inline_tables.h>

#include <stdbool.h>

#define DART__TURNS_LEAST 8
#define DART__TURNS_MOST  128

/* Of this thread, the last that were given. */
extern _Thread_local uint32_t dart__turns __attribute__((tls_model("initial-exec")));

static inline void dart__turns_begin(void)
{
  dart_inline_turns = dart__turns = DART__TURNS_LEAST;
}

static inline bool dart__turns_are_over(void)
{
  return __builtin_expect(dart_inline_turns == 1, 0);
}

static inline void dart__turns_double(void)
{
  if (dart__turns < DART__TURNS_MOST)
    dart__turns *= 2;
  dart_inline_turns = dart__turns;
}

#endif
