#ifndef DART__CHECK_H
#define DART__CHECK_H
/* The debug mode: what the files of this folder share.
 *
 * Every public function of DART has a second name (dash/dart/ext/dart_profile.h). This library defines the
 * first names: each looks at its arguments and at what the unit did before, calls the second one, and notes
 * what came of it. So a program needs no recompilation, DART knows nothing of this, and what is noted here
 * is only what any program could know by the public headers.
 *
 * All books are of this unit, behind one lock, which is never held in a call of DART that may wait.
 * doc/checking.md says what is found, and what is not. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dash/dart/ext/dart_profile.h>

/* What is looked for; DART_CHECK names them. */
enum {
  DART__CHECK_MEMORY      = 1,
  DART__CHECK_COMPLETION  = 2,
  DART__CHECK_COLLECTIVES = 4,
  DART__CHECK_RACES       = 8,
  DART__CHECK_LOCKS       = 16,
  DART__CHECK_ALL         = 31
};

#define DART__CHECK_EXIT_CODE 65 /* of a unit that found something, if the program's own is 0 */

/* A library that is loaded before programs may come into one that has no DART; it then finds its names
 * nowhere, and must not fail. In an archive they are what makes the linker take DART's functions. */
#ifdef DART__CHECK_LOADED
#define DART__CHECK_WEAK(name) extern __typeof__(p##name) p##name __attribute__((weak));
DART_FUNCTIONS(DART__CHECK_WEAK)
extern unsigned                       dart_layers __attribute__((weak));
extern __typeof__(dart__layer_wait)   dart__layer_wait __attribute__((weak));
extern __typeof__(dart__layer_waited) dart__layer_waited __attribute__((weak));
#undef DART__CHECK_WEAK
#endif

/* Every function of DART as a number that is the same in all units. */
typedef enum {
#define DART__CHECK_ID(name) DART__CALL_##name,
  DART_FUNCTIONS(DART__CHECK_ID)
#undef DART__CHECK_ID
      DART__CALLS
} dart__call_t;

extern const char *const dart__check_calls[DART__CALLS];

/** A call of the program: which function, and the address that it returns to. */
typedef struct {
  dart__call_t id;
  const void  *from;
} dart__at_t;

/** In the definition of the function `name`: the call under way. */
#define DART__AT(name) ((dart__at_t){ DART__CALL_##name, __builtin_return_address(0) })

/* ---- the job (job.c) ---------------------------------------------------------------------------- */

typedef struct {
  unsigned kinds;   /* what is looked for; 0: nothing, and outside of init..exit */
  int32_t  me;      /* global id */
  size_t   nunits;  /* of the job */
  bool     threads; /* several threads may be in DART at a time */
} dart__check_t;

extern dart__check_t dart__check; /* written by dart_init and dart_exit */

static inline bool dart__check_for(unsigned kind)
{
  return (dart__check.kinds & kind) != 0;
}

/** The lock of the books. A program that has asked for less than DART_THREAD_MULTIPLE calls DART by one thread at a
 *  time, and needs none. */
void               dart__check_lock_threads(void);
void               dart__check_unlock_threads(void);
static inline void dart__check_lock(void)
{
  if (dart__check.threads)
    dart__check_lock_threads();
}

static inline void dart__check_unlock(void)
{
  if (dart__check.threads)
    dart__check_unlock_threads();
}

/** Memory for the books; ends the program, after one line, if there is none. */
void *dart__check_room(void *old, size_t nbytes);

#endif
