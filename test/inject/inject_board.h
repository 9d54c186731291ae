#ifndef DART_TEST_INJECT_INJECT_BOARD_H
#define DART_TEST_INJECT_INJECT_BOARD_H
/* What the units of the tested program know of each other without DART: a file that all of them map, on
 * which they meet and compare what their calls returned.
 *
 * A call may fail once, on the unit where a point fails and, if it is collective, on all that took part;
 * then it is made again, and succeeds. Whoever waits in vain for another unit, or finds it with another
 * result, says so and ends the program. */
#include <stdbool.h>

#include <dash/dart/if/dart.h>

/* Errors that the headers list for a call in a correct program, where something is missing. */
enum { NEVER = 0, NOMEM = 1, OTHER = 2, INVAL = 4 };

typedef struct {
  const char *file;
  int         line;
  const char *what;
} place_t;

#define HERE(text) ((place_t){ __FILE__, __LINE__, text })

/* A collective call that every unit makes. */
#define ALL(may, call) SOME(true, may, call)

/* A collective call of those units for which `member` holds; the others meet them on the board. */
#define SOME(member, may, call)                                                                   \
  do {                                                                                            \
    if (board_meet(HERE(#call), member, may, (member) ? board_call(HERE(#call), call) : DART_OK)) \
      board_meet(HERE(#call), member, NEVER, (member) ? board_call(HERE(#call), call) : DART_OK); \
  } while (0)

/* A call that only concerns this unit. */
#define OWN(may, call)                                              \
  do {                                                              \
    if (board_own(HERE(#call), may, board_call(HERE(#call), call))) \
      board_own(HERE(#call), NEVER, board_call(HERE(#call), call)); \
  } while (0)

/* One that cannot fail. */
#define FINE(call) board_own(HERE(#call), NEVER, board_call(HERE(#call), call))

#define EXPECT(condition) board_expect(HERE(#condition), condition)

extern int me, n; /* this unit and how many there are */

/** Open the board that the environment names. */
void board_open(void);

/** True: the call failed as it may, on all members. */
bool board_meet(place_t at, bool member, int may, dart_ret_t got);

/** True: the call failed as it may. */
bool board_own(place_t at, int may, dart_ret_t got);

/** True: dart_init failed, here or on all units; each of them tries it once more. */
bool board_init(place_t at, dart_ret_t got);

/** Wait for all units. */
void board_wait(const char *what);

/** Note where the unit is, for who waits for it. */
#define board_call(at, call) (board_at(at), (call))
void board_at(place_t at);

void board_expect(place_t at, bool holds);

/** What remains to the end: print what is left, and return the exit code. */
int board_close(void);

#endif
