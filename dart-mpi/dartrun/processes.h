#ifndef DART__MPI_DARTRUN_PROCESSES_H
#define DART__MPI_DARTRUN_PROCESSES_H
/* Finds out which units have a process, by the kernel's list of mpiexec's descendants; and what ended one. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PROCESSES_NAME 32

/** Look for the units that `mpiexec` has started, and set there[unit] of [nunits] for those that have a process. False:
 *  some units may not be visible, as they were started on another host or in an unknown way. */
bool processes_find(pid_t mpiexec, bool *there, uint32_t nunits);

/** Send a signal to the units that `mpiexec` has started on this machine. False: none is visible. */
bool processes_send(pid_t mpiexec, int signal);

/** A child of `mpiexec` that has failed, and that mpiexec has not waited for, as an ssh that cannot log in to a host: its name
 *  goes to `name`, and how it has ended, as waitpid says, is returned; 0: there is none. */
int processes_failed(pid_t mpiexec, char name[PROCESSES_NAME]);

/** Of children of this process that the end of their parents has left to it, find one that a signal other than SIGKILL has
 *  killed, for a second at most, and kill units among the others. How that one has ended, as waitpid says; 0: there is none. */
int processes_orphan(pid_t *pid_out);

/** How a process has ended of whose end the caller knows, as waitpid says; 0: with code 0, or it is not known, for its parent
 *  has waited for it already, and the kernel (before Linux 6.16) does not tell by `connection`, which the process made.
 *  Looks for a twentieth of a second at most, as it may not have ended completely. */
int processes_status(pid_t pid, int connection);

#endif
