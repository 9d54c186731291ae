#ifndef DART__P2P_FAR_MESSAGE_H
#define DART__P2P_FAR_MESSAGE_H
/* Messages to and from far units, by global id. Any thread. */
#include <stdbool.h>
#include <stddef.h>

#include <dash/dart/ext/dart_message.h>
#include <dash/dart/if/dart_types.h>

/** What this unit needs in a job of several nodes. Local. DART_ERR_NOMEM. */
dart_ret_t dart__far_messages_prepare(void);

/** All units have that. */
void dart__far_messages_open(void);

/** Drop the messages that were not received. Collective, after a barrier; not open: nothing. */
void dart__far_messages_close(void);

typedef struct dart__far_message dart__far_message_t;

/** Start to send, or to receive a message of at most `nbytes`; the buffer stays in place until the message
 *  is done. Messages match by unit and tag, in the order sent; tags from -32768 to -1 are those of DART's own.
 *  DART_ERR_NOMEM. */
dart_ret_t dart__far_message_send(dart_unit_t unit, int tag, const void *data, size_t nbytes,
                                  dart__far_message_t **message_out);
dart_ret_t dart__far_message_recv(dart_unit_t unit, int tag, void *buffer, size_t nbytes,
                                  dart__far_message_t **message_out);

/** Whether a message of the program's is here from far `unit`, or DART_UNIT_ANY, with `tag`, or DART_TAG_ANY: which
 *  one, to `*found_out`. Never blocks. */
void dart__far_message_look(dart_unit_t unit, int tag, dart_message_t *found_out,
                            bool *is_found_out);

/** Start to receive the message that was found. `*message_out` NULL: another thread has received it; else `*found`
 *  says which one it is, and `test` completes it. DART_ERR_NOMEM: nothing was received. */
dart_ret_t dart__far_message_take(dart_message_t *found, void *buffer, size_t nbytes,
                                  dart__far_message_t **message_out);

/** Release a message of a unit that is lost, or that nobody waits for: its buffer is not accessed any more. */
void dart__far_message_drop(dart__far_message_t *message);

/** Cancel a receive for which `test` was not called yet. */
void dart__far_message_forget(dart__far_message_t *message);

/** Progress the message; never blocks. `*done_out` true: it is complete, or failed, and is released.
 *  DART_ERR_OTHER: the message received is longer than the buffer; it is lost. */
dart_ret_t dart__far_message_test(dart__far_message_t *message, bool *done_out);

#endif
