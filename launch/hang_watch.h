#ifndef DART__LAUNCH_HANG_WATCH_H
#define DART__LAUNCH_HANG_WATCH_H
/* Tells what the units wait for, in one table, with the unit on which the others wait: when the launcher gets
 * SIGUSR1, and where the variable DART_HANG says so, when a wait has lasted for so many seconds. The program goes on.
 * It is read from the units' records (model/record.h), so units that compute, or are stopped, are in the table, too. */
#include <stdbool.h>
#include <stdint.h>

#include "children.h"

typedef struct hang hang_t;

/* Where the record of a unit is; a descriptor of -1: there is none. */
typedef struct {
  int      fd;
  uint64_t offset;
} hang_place_t;

/** Begin to watch; exits with one line if DART_HANG is no number. NULL: it cannot, which is one line, too. */
hang_t *hang_open(children_t *children, uint32_t                           nunits,
                  hang_place_t (*place)(void *owner, uint32_t unit), void *owner);

/** A descriptor can be read. False: it is not this watch's. */
bool hang_readable(hang_t *hang, int fd);

/** SIGUSR1 has come. Nothing, if no unit takes it for a question: then it is the program's. */
void hang_asked(hang_t *hang);

void hang_close(hang_t *hang);

#endif
