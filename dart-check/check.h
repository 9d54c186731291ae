#ifndef DART__CHECK_H
#define DART__CHECK_H
/* The debug mode: what the files of this folder share.
 *
 * Every public function of DART has a second name (dash/dart/ext/dart_profile.h). This library defines the first names.
 * Each of its functions checks its arguments and the unit's earlier calls, calls the second name, and records the
 * result. So a program needs no recompilation, DART does not depend on this library, and the library knows only what
 * the public headers tell any program.
 *
 * All records describe this unit alone. One lock protects them, and no thread holds it in a call of DART that may wait.
 * doc/checking.md says what is found and what is not. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dash/dart/ext/dart_profile.h>

#include "layer_settings.h"

#define DART__CHECK_EXIT_CODE 65 /* of a unit with errors, if the program exits with 0 */

/* A library that is preloaded may come into a program without DART. Then its weak names are NULL, and that must not be
 * an error. In an archive, strong names make the linker include DART's functions. */
#ifdef DART__CHECK_LOADED
#define DART__CHECK_WEAK(name) extern __typeof__(p##name) p##name __attribute__((weak));
DART_FUNCTIONS(DART__CHECK_WEAK)
extern unsigned                       dart_layers __attribute__((weak));
extern __typeof__(dart__layer_wait)   dart__layer_wait __attribute__((weak));
extern __typeof__(dart__layer_waited) dart__layer_waited __attribute__((weak));
extern __typeof__(dart__layer_failed) dart__layer_failed __attribute__((weak));
#undef DART__CHECK_WEAK
#endif

/* Every function of DART as a number, which is the same in all units. */
typedef enum {
#define DART__CHECK_ID(name) DART__CALL_##name,
  DART_FUNCTIONS(DART__CHECK_ID)
#undef DART__CHECK_ID
      DART__CALLS
} dart__call_t;

extern const char *const dart__check_calls[DART__CALLS];

/** A call of the program: the function, and the address to which it returns. */
typedef struct {
  dart__call_t id;
  const void  *from;
} dart__at_t;

/** The current call, in the definition of the function `name`. */
#define DART__AT(name) ((dart__at_t){ DART__CALL_##name, __builtin_return_address(0) })

/* ---- the job (check.c, job.c) ------------------------------------------------------------------- */

typedef struct {
  unsigned kinds;   /* that are checked; 0 if there are none, and outside of init..exit */
  int32_t  me;      /* global id */
  size_t   nunits;  /* of the job */
  bool     threads; /* several threads may call DART at the same time */
} dart__check_t;

extern dart__check_t dart__check; /* written by dart_init and dart_exit */

static inline bool dart__check_for(unsigned kind)
{
  return (dart__check.kinds & kind) != 0;
}

/** The lock of the records. A program that has asked for less than DART_THREAD_MULTIPLE calls DART by one thread at a
 *  time, and needs no lock. */
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

/** Allocate or resize memory for the records. If there is none, the program ends after one line. */
void *dart__check_room(void *old, size_t nbytes);

#endif
