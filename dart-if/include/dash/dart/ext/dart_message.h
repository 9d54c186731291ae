#ifndef DASH__DART__EXT__DART_MESSAGE_H__INCLUDED
#define DASH__DART__EXT__DART_MESSAGE_H__INCLUDED
/** @file dart_message.h
 *  Messages whose sender, tag or size the receiver does not know.
 *
 *  dart_recv names the sender and the tag, and has room for the message. A unit that serves requests knows neither whose
 *  the next one is nor how long it is. It receives by dart_recv_any, which says both, or looks by dart_probe first, and
 *  then receives what it has found with room of that size. (MPI has these as MPI_Recv with MPI_ANY_SOURCE, MPI_Probe and
 *  MPI_Iprobe.)
 *
 *  The messages are those of dart_send and dart_sendrecv, from units of any node, the caller included. All receives
 *  take from the same messages: each message is received once, by the first receive that it matches.
 *
 *  Order: of the messages of one sender that match, the one that was sent first is found, also where the tag is any.
 *  Messages of different senders are in no order. No sender starves: a unit that receives from any again and again
 *  takes from the senders of its node in turn, from those of other nodes in the order in which their messages came, and
 *  from its node and the others in turn.
 *
 *  All are local; any thread; several may receive, or look, at once. While a call waits, far units are served. */

#include <limits.h>

#include <dash/dart/if/dart_communication.h>
#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

#define DART_UNIT_ANY        INT_MIN                            /**< id of no unit, and here of any */
#define DART_GLOBAL_UNIT_ANY DART_GLOBAL_UNIT_ID(DART_UNIT_ANY) /**< the same as an argument */
#define DART_TAG_ANY         INT_MIN                            /**< no tag, and here any */

/** A message that was found. */
typedef struct {
  dart_global_unit_t unit;   /**< its sender */
  int                tag;    /**< its tag */
  size_t             nbytes; /**< bytes of its data */
} dart_message_t;

/** Receive a message of at most `nelem` elements, from `unit`, or DART_GLOBAL_UNIT_ANY, with `tag`, or DART_TAG_ANY;
 *  return when it is in `recvbuf`. `*message` says which one it was.
 *
 *  What a shorter message leaves over of the buffer is not touched. Types are basic or custom.
 *  DART_ERR_INVAL: as dart_recv, or `message` NULL; nothing was received. DART_ERR_NOMEM: no memory for a message;
 *  nothing was received. DART_ERR_OTHER: the message is longer than the buffer has room for; it is lost, nothing beyond
 *  the buffer is written, and `*message` says which one it was. */
dart_ret_t dart_recv_any(void *recvbuf, size_t nelem, dart_datatype_t dtype,
                         dart_global_unit_t unit, int tag, dart_message_t *message) DART_NOTHROW;

/** Wait until a message from `unit`, or DART_GLOBAL_UNIT_ANY, with `tag`, or DART_TAG_ANY, is there: which one, to
 *  `*message`. It is not received: dart_recv of its unit and tag gets it, unless another thread of this unit has
 *  received it meanwhile. (dart_recv_any with the same arguments may find the message of another sender.)
 *  DART_ERR_INVAL: no such unit, a negative tag, or one that is larger than those of dart_send; `message` NULL. */
dart_ret_t dart_probe(dart_global_unit_t unit, int tag, dart_message_t *message) DART_NOTHROW;

/** dart_probe that does not wait: 1 to `*found` and the message to `*message`, or 0 and `*message` as it was. Called in
 *  a loop it finds a message that was sent, and serves far units.
 *  DART_ERR_INVAL: as dart_probe, or `found` NULL. DART_ERR_UNIT_LOST: dart_probe would return it (dart_survive.h). */
dart_ret_t dart_try_probe(dart_global_unit_t unit, int tag, int32_t *found,
                          dart_message_t *message) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__EXT__DART_MESSAGE_H__INCLUDED */
