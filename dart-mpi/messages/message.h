#ifndef DART__MPI_MESSAGES_MESSAGE_H
#define DART__MPI_MESSAGES_MESSAGE_H
/* Two-sided messages of the program to far units: open and close; operations are in port.h. */
#include <dash/dart/if/dart_types.h>

/** Find out the largest tag of this MPI, in a job of one node, too. Local. */
void dart__messages_find_largest_tag(void);

/** Collective over a job of several nodes; agreed. DART_ERR_NOMEM. */
dart_ret_t dart__messages_open(void);

/** Drop the messages that were not received. Collective, after a barrier; not open: nothing. */
void dart__messages_close(void);

#endif
