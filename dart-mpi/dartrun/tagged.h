#ifndef DART__MPI_DARTRUN_TAGGED_H
#define DART__MPI_DARTRUN_TAGGED_H
/* dartrun --tag. mpiexec starts `dartrun --tagged PROGRAM ARG...` for each unit, which sees to the output and then becomes
 * the program. MPICH's and Open MPI's mpiexec have options of their own for this; but Open MPI 4.1 has another tag,
 * and loses lines if there are many, and both mix what units have written of a line. */

#define TAGGED_WORDS 2 /* before the program */

/** The words that mpiexec starts before the program. They live until the process ends. */
char *const *tagged_words(void);

/** If these are the arguments of such a dartrun, become the program, and return only otherwise. */
void tagged_become(int argc, char **argv);

#endif
