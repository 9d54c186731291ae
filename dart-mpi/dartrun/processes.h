#ifndef DART__DARTRUN_PROCESSES_H
#define DART__DARTRUN_PROCESSES_H
/* Which units are there, by what the kernel knows of mpiexec and its descendants. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/** Look for the units that `mpiexec` started; sets there[unit] for those that have a process, of
 *  `nunits`. False: it cannot be told of all of them, because some were started on another host or not
 *  in a way that is known here. */
bool processes_find(pid_t mpiexec, bool *there, uint32_t nunits);

#endif
