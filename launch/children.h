#ifndef DART__LAUNCH_CHILDREN_H
#define DART__LAUNCH_CHILDREN_H
/* The processes that a launcher starts, from the first fork to the end of the last one: units, or one mpiexec. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct children children_t;

typedef struct {
  char      **command; /* program and arguments, NULL-terminated */
  const char *kind;    /* the name of a child in messages: "unit" */
  uint32_t    count;
  int         death_signal; /* the kernel sends it to children when the launcher dies */
  void       *owner;        /* the first argument of the functions below */

  /* Called before any child is started. NULL: nothing. */
  void (*begin)(void *owner, children_t *children);

  /* Called in the child, before it executes the program. NULL: nothing. */
  void (*prepare)(void *owner, uint32_t child);

  /* Called once all children are started. NULL: nothing. */
  void (*started)(void *owner);

  /* A child has ended; `status` is waitpid's. */
  void (*ended)(void *owner, children_t *children, uint32_t child, pid_t pid, int status);

  /* Send a signal that the launcher got to the program, past the children. False, or NULL: it goes to the children. */
  bool (*forward)(void *owner, const children_t *children, int signal);

  /* The launcher got SIGUSR1, and has forwarded it to the children. NULL: nothing. */
  void (*asked)(void *owner);

  /* The launcher got the first signal that asks the program to end, and will forward it. NULL: nothing. */
  void (*stopped)(void *owner);

  /* Whether ends are to be told at once: then processes are released after the last has ended. NULL: they are not. */
  bool (*are_kept)(void *owner);

  /* A descriptor is readable that children_watch has named. NULL: there are none. */
  void (*readable)(void *owner, children_t *children, int fd);
} children_plan_t;

/** Start the children, and watch them until all have ended. Child 0 gets the standard input. Returns the exit code for
 *  the launcher: 0, or that of children_end. Called once. */
int children_run(const children_plan_t *plan);

/** Ask all remaining children to end, and kill them if they have not ended two seconds later. The first call sets the
 *  exit code. */
void children_end(children_t *children, int code);

/** As children_end, but children first have two seconds to end by themselves. */
void children_let_end(children_t *children, int code);

/** The exit code, unless a later call sets one: the first that is not 0 counts. */
void children_note_code(children_t *children, int code);

/** Whether one of the first two was called. */
bool children_are_ending(const children_t *children);

/** The first signal to the launcher that asks the program to end; 0: none. */
int children_signal(const children_t *children);

/** Whether a child has ended of which the plan was not told yet; `*status_out` is waitpid's. */
bool children_has_ended(const children_t *children, uint32_t child, int *status_out);

/** The process of a child; 0: it has ended. */
pid_t children_pid(const children_t *children, uint32_t child);

/** Watch another descriptor. Events are reported in the order in which they occurred: descriptors that became readable,
 *  and ends of children. Closing the descriptor ends the watch. False: see errno. */
bool children_watch(children_t *children, int fd);

#endif
