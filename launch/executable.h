#ifndef DART__LAUNCH_EXECUTABLE_H
#define DART__LAUNCH_EXECUTABLE_H
/* The program that a launcher is asked to start: where it is, and which backend it is linked with. */

/** Exit with one line if the program cannot be executed. If it is linked with another backend than `own` ("mpi"), become
 *  that one's launcher with the same arguments, or exit with one line if that is not installed. Returns if it is linked
 *  with `own`, or does not say, as a script. */
void launch_check_program(const char *own, const char *program, char **argv);

#endif
