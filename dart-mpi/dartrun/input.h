#ifndef DART__MPI_DARTRUN_INPUT_H
#define DART__MPI_DARTRUN_INPUT_H
/* The standard input of mpiexec, and so of unit 0. */
#include <stdbool.h>

/** Before mpiexec is started, which may read at once, or `late`. If there is no pipe or thread, mpiexec reads for itself. */
void input_open(bool late);

/** In the child that becomes mpiexec. */
void input_become(void);

/** mpiexec was started: it alone reads from the pipe, whose writer sees when it is gone. */
void input_started(void);

/** A unit is in dart_init: mpiexec may read the input. */
void input_begin(void);

#endif
