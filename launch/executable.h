#ifndef DART__LAUNCH_EXECUTABLE_H
#define DART__LAUNCH_EXECUTABLE_H
/* The program that a launcher is asked to start: where it is, and which backend it is linked with. */

/** Exit with one line if the program cannot be executed. If it is linked with a backend that `own` does not name
 *  ("shmem", or "mpi mpi-mpich"), become that one's launcher with the same arguments, or exit with one line if that is not
 *  installed. Returns if `own` names it, if it does not say, as a script, or if it is of another MPI and DART_MPIEXEC is
 *  set. */
void launch_check_program(const char *own, const char *program, char **argv);

#endif
