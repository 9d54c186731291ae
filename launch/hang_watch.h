#ifndef DART__LAUNCH_HANG_WATCH_H
#define DART__LAUNCH_HANG_WATCH_H
/* Prints what the units wait for, in one table, and which unit blocks the others. It does so when the launcher gets
 * SIGUSR1, and when a wait has lasted as many seconds as the variable DART_HANG says. The program continues. The units'
 * records (model/record.h) are the source, so units that compute or are stopped are in the table, too. */
#include <stdbool.h>
#include <stdint.h>

#include "children.h"

typedef struct hang hang_t;

/* Where the record of a unit is; descriptor -1: there is none. A unit that is lost waits for nothing, and holds nothing. */
typedef struct {
  int      fd;
  uint64_t offset;
  bool     is_lost;
} hang_place_t;

/** Begin to watch. Exits with one line if DART_HANG is not a number. NULL: watching is impossible, which is one line,
 *  too. */
hang_t *hang_open(children_t *children, uint32_t                           nunits,
                  hang_place_t (*place)(void *owner, uint32_t unit), void *owner);

/** A descriptor is readable. False: it does not belong to this watch. */
bool hang_readable(hang_t *hang, int fd);

/** SIGUSR1 has arrived. Does nothing if no unit takes it for a question: then the signal is for the program. */
void hang_asked(hang_t *hang);

/** Somebody asks the program to end. If a unit has waited for some seconds, and nobody has asked for tables, say so in one
 *  line: it may be why. */
void hang_stopped(hang_t *hang);

void hang_close(hang_t *hang);

#endif
