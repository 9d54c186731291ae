#ifndef DART__MPI_START_LAUNCHER_H
#define DART__MPI_START_LAUNCHER_H
/* Reports of a unit to dartrun. mpiexec starts the units, not dartrun, and passes on at most an exit code.
 *
 * dartrun listens on a socket in the abstract name space, so no file is left of it, and its name is in the
 * environment of all units. Units of the same host connect; units of other hosts cannot, and dartrun knows
 * nothing of them. Messages go one way, and no unit waits for anything.
 *
 * With its first message a unit sends the descriptor of a file without a name, its record (model/record.h), so that
 * dartrun can name the locks of a unit that was killed, and tell what units wait for.
 *
 * When a process ends, in whatever way, the kernel closes its descriptors, the highest first (Linux, since
 * 4.3). This connection has a higher descriptor than the one to mpiexec, which ends the other units when
 * its connection is closed: so of the units of a program that dies, the first one to end is the cause, and
 * dartrun sees it first. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#define DART__LAUNCHER_ENV "DART_MPI_LAUNCHER" /* the socket's name, without the 0 in front */

typedef enum {
  DART__UNIT_BEGINS, /* dart_init: a cycle */
  DART__UNIT_JOINED, /* all units have begun it */
  DART__UNIT_IS_OUT, /* dart_exit has ended the cycle */
  DART__UNIT_ENDS,   /* the process ends in order: its exit handlers run */
  DART__UNIT_ABORTS  /* the unit ends the program */
} dart__unit_event_t;

typedef struct {
  uint32_t unit;
  uint32_t event;
  uint32_t cycle; /* half cycles of init and exit that the unit has begun: odd inside */
  int32_t  value; /* IS_OUT: whether the process has to send ENDS; ABORTS: the exit code */
} dart__unit_message_t;

/** The address of a socket of this name; returns its length, 0: no name fits. */
static inline socklen_t dart__launcher_address(const char *name, struct sockaddr_un *address_out)
{
  size_t length = 0;

  *address_out = (struct sockaddr_un){ .sun_family = AF_UNIX };
  while (name[length] != '\0' && length < sizeof address_out->sun_path - 1) {
    address_out->sun_path[1 + length] = name[length];
    length++;
  }
  return name[length] == '\0' ? (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)
                              : 0;
}

/** Report an event of this unit to dartrun; nothing without dartrun, or on another host. BEGINS and IS_OUT
 *  count cycles. */
void dart__launcher_report(dart__unit_event_t event, int value);

#endif
