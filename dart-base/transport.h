#ifndef DART__TRANSPORT_H
#define DART__TRANSPORT_H
/* The transport carries messages between units: the few calls that active messages (far/am/) are made of.
 *
 * A transport joins `npeers` peers, numbered from 0. One implementation is linked: transport/mpi_transport.c over
 * MPI, and in tests one between threads. Several transports may be open in a process at a time. All calls return at
 * once, and may be made by any thread. A transport that fails ends the program, after a line that names the
 * call, so callers have nothing to undo.
 *
 * Messages of one channel from one peer to another arrive in the order sent; nothing else is ordered.
 * A receive takes the next message of its channel from its peer, or from any; receives that could take
 * the same message do so in the order posted. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dart__transport dart__transport_t;

/* A message under way. `id` has a meaning for the transport only; DART__TRANSPORT_DONE: no message. */
typedef struct {
  uint64_t id;
} dart__transport_request_t;

#define DART__TRANSPORT_DONE     ((dart__transport_request_t){ UINT64_MAX })
#define DART__TRANSPORT_ANY_PEER (-1)

typedef enum {
  DART__CHANNEL_REQUEST, /* what far/am/wire.h describes */
  DART__CHANNEL_REPLY,
  DART__CHANNEL_DATA, /* payload alone, received in place */
  DART__CHANNEL_GOT,  /* the same, which was asked for */
  DART__CHANNELS
} dart__channel_t;

int32_t dart__transport_npeers(const dart__transport_t *transport);

/** Start to send. `data` must not change until `*request_out` is done; `request_out` NULL: until a message
 *  of the peer acknowledges it. */
void dart__transport_send(dart__transport_t *transport, int32_t peer, dart__channel_t channel,
                          const void *data, size_t nbytes, dart__transport_request_t *request_out);

/** Start to receive a message of at most `nbytes`. */
void dart__transport_recv(dart__transport_t *transport, int32_t peer, dart__channel_t channel,
                          void *buffer, size_t nbytes, dart__transport_request_t *request_out);

/** Whether a request is complete; `*request` is then DART__TRANSPORT_DONE, and of a receive `*peer_out` and
 *  `*nbytes_out`, if not NULL, are the sender and the length. A request that is done already is complete. */
bool dart__transport_test(dart__transport_t *transport, dart__transport_request_t *request,
                          int32_t *peer_out, size_t *nbytes_out);

/** Test several requests, none of which is done, for the price of one: the index of one that is complete now,
 *  with the same results as of a test of it alone; -1: none is. */
#define DART__TRANSPORT_TEST_MOST 4
int dart__transport_test_any(dart__transport_t               *transport,
                             dart__transport_request_t *const request[], int count,
                             int32_t *peer_out, size_t *nbytes_out);

/** Cancel a receive for which no message was sent. */
void dart__transport_cancel(dart__transport_t *transport, dart__transport_request_t *request);

#endif
