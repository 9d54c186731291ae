/* Mailboxes: see mailbox.h for the idea.
 *
 * But for its two counters, a message is accessed by one side at a time: by the sender until it is posted,
 * by the receiver until `taken` counts every piece, then by the sender again. */
#include "p2p/mailbox.h"

#include <stdlib.h>
#include <string.h>

#include "base/copy.h"
#include "base/sanitizer.h"
#include "base/sparse.h"
#include "model/lost.h"

#define PIECE       ((size_t)64 << 10)
#define UNUSED_MOST 512 /* bytes of a buffer that is used again for a shorter message */

/* A name is the unit + 1, and below it the offset: never 0. */
#define OFFSET_BITS 40

struct dart__mailbox_message {
  /* the sender's cache line */
  uint64_t         nbytes;
  uint64_t         npieces;       /* at least 1 */
  uint64_t         next_detached; /* in the sender's queue of detached messages */
  int32_t          from, to;
  int32_t          tag;
  uint32_t         nslots;  /* pieces that fit the buffer */
  uint32_t         awaited; /* the sender waits: raise its event for every piece taken */
  _Atomic uint64_t filled;  /* pieces */
  uint64_t         room;    /* bytes of the buffer */
  /* the receiver's cache line, once it is posted */
  _Alignas(DART__CACHE_LINE) _Atomic uint64_t taken; /* pieces */
  uint64_t next; /* in the inbox the message pushed before it, in a queue the one after it */
  _Alignas(DART__CACHE_LINE) char data[]; /* the buffer: piece i in slot i mod nslots */
};

static uint64_t name_of(int32_t unit, uint64_t offset)
{
  return (uint64_t)(unit + 1) << OFFSET_BITS | offset;
}

static uint64_t offset_in(uint64_t name)
{
  return name & ((UINT64_C(1) << OFFSET_BITS) - 1);
}

static char *portion_of(const dart__mailbox_t *box, int32_t unit)
{
  return box->portions[box->slot_of == NULL ? unit : box->slot_of(unit)];
}

static dart__mailbox_message_t *message_of(const dart__mailbox_t *box, uint64_t name)
{
  int32_t unit = (int32_t)(name >> OFFSET_BITS) - 1;

  return (dart__mailbox_message_t *)(void *)(portion_of(box, unit) + offset_in(name));
}

static dart__inbox_t *inbox_of(const dart__mailbox_t *box, int32_t unit)
{
  return (dart__inbox_t *)(void *)(portion_of(box, unit) + box->inbox);
}

void dart__inbox_format(dart__inbox_t *inbox)
{
  /* relaxed: the caller publishes the inbox */
  atomic_store_explicit(&inbox->newest, 0, memory_order_relaxed);
  atomic_store_explicit(&inbox->event.count, 0, memory_order_relaxed);
  atomic_store_explicit(&inbox->event.sleepers, 0, memory_order_relaxed);
}

bool dart__mailbox_open(dart__mailbox_t *box, int32_t me, int32_t nunits, char *const *portions,
                        int32_t (*slot_of)(int32_t unit), uint64_t inbox)
{
  *box = (dart__mailbox_t){
    .me = me, .portions = portions, .slot_of = slot_of, .inbox = inbox, .nunits = nunits
  };
  box->arrived = dart__sparse_new((size_t)nunits, sizeof *box->arrived);
  if (box->arrived == NULL)
    return false;
  pthread_mutex_init(&box->lock, NULL);
  return true;
}

void dart__mailbox_close(dart__mailbox_t *box)
{
  if (box->arrived == NULL)
    return;
  pthread_mutex_destroy(&box->lock);
  dart__sparse_delete(box->arrived);
  box->arrived = NULL;
}

dart__event_t *dart__mailbox_event(const dart__mailbox_t *box)
{
  return &inbox_of(box, box->me)->event;
}

/* ---- pieces ------------------------------------------------------------------------------ */

static uint64_t pieces_in(size_t nbytes)
{
  return nbytes == 0 ? 1 : nbytes / PIECE + (nbytes % PIECE > 0);
}

static size_t piece_bytes(const dart__mailbox_message_t *message, uint64_t piece)
{
  size_t rest = message->nbytes - piece * PIECE;

  return rest < PIECE ? rest : PIECE;
}

static char *slot_of(dart__mailbox_message_t *message, uint64_t piece)
{
  return message->data + piece % message->nslots * PIECE;
}

/* ---- sending ----------------------------------------------------------------------------- */

size_t dart__mailbox_message_bytes(size_t room)
{
  return room < SIZE_MAX - sizeof(dart__mailbox_message_t) ? sizeof(dart__mailbox_message_t) + room
                                                           : SIZE_MAX;
}

/* Fill the slots whose pieces have been taken. `event`: the receiver's, raised for every piece, so that both
 * sides copy at the same time; NULL before the message is posted. */
static void fill_slots(dart__outgoing_t *out, uint64_t taken, dart__event_t *event)
{
  dart__mailbox_message_t *message = out->message;

  while (out->filled < message->npieces && out->filled - taken < message->nslots) {
    size_t count = piece_bytes(message, out->filled);

    if (count > 0)
      dart__copy_bytes(slot_of(message, out->filled), out->data + out->filled * PIECE, count);
    out->filled++;
    dart__tsan_tell();
    /* release: publishes the piece; pairs with the acquire in dart__mailbox_take */
    atomic_store_explicit(&message->filled, out->filled, memory_order_release);
    if (event != NULL)
      dart__event_add(event);
  }
}

static void push_message(dart__inbox_t *inbox, dart__mailbox_message_t *message, uint64_t name)
{
  /* relaxed: the value read is only stored as a link, not followed */
  message->next = atomic_load_explicit(&inbox->newest, memory_order_relaxed);
  dart__tsan_tell();
  /* release: publishes the message; pairs with the acquire in collect_inbox, which also sees every message
   * below, for consecutive pushes are one release sequence */
  while (!atomic_compare_exchange_weak_explicit(&inbox->newest, &message->next, name,
                                                memory_order_release, memory_order_relaxed))
    ;
}

void dart__mailbox_post(dart__mailbox_t *box, int32_t to, int32_t tag, const void *data,
                        size_t nbytes, uint64_t offset, size_t room, bool awaited,
                        dart__outgoing_t *out)
{
  dart__inbox_t           *inbox   = inbox_of(box, to);
  dart__mailbox_message_t *message = message_of(box, name_of(box->me, offset));

  message->nbytes        = nbytes;
  message->npieces       = pieces_in(nbytes);
  message->next_detached = 0;
  message->from          = box->me;
  message->to            = to;
  message->tag           = tag;
  message->room          = room;
  message->nslots        = (uint32_t)(nbytes <= room ? message->npieces : room / PIECE);
  message->awaited       = awaited;
  /* relaxed: the push publishes it */
  atomic_store_explicit(&message->taken, 0, memory_order_relaxed);
  *out = (dart__outgoing_t){ .message = message, .offset = offset, .data = data, .to = to };
  fill_slots(out, 0, NULL);
  push_message(inbox, message, name_of(box->me, offset));
  dart__event_add(&inbox->event);
}

bool dart__mailbox_feed(dart__mailbox_t *box, dart__outgoing_t *out)
{
  /* acquire: pairs with the release in acknowledge; slots of pieces taken can be overwritten */
  uint64_t taken = atomic_load_explicit(&out->message->taken, memory_order_acquire);

  dart__tsan_hear();
  if (taken == out->message->npieces)
    return true;
  fill_slots(out, taken, &inbox_of(box, out->to)->event);
  return false;
}

static void enqueue(const dart__mailbox_t *box, dart__mailbox_queue_t *queue, uint64_t name,
                    uint64_t *(*link)(dart__mailbox_message_t *))
{
  *link(message_of(box, name)) = 0;
  if (queue->first == 0)
    queue->first = name;
  else
    *link(message_of(box, queue->last)) = name;
  queue->last = name;
}

static uint64_t *link_next(dart__mailbox_message_t *message)
{
  return &message->next;
}

static uint64_t *link_next_detached(dart__mailbox_message_t *message)
{
  return &message->next_detached;
}

static size_t message_bytes(const dart__mailbox_message_t *message)
{
  return dart__mailbox_message_bytes(message->nbytes);
}

void dart__mailbox_detach(dart__mailbox_t *box, dart__outgoing_t *out)
{
  pthread_mutex_lock(&box->lock);
  enqueue(box, &box->detached, name_of(box->me, out->offset), link_next_detached);
  box->detached_bytes += message_bytes(out->message);
  pthread_mutex_unlock(&box->lock);
}

static bool suits(const dart__mailbox_message_t *message, size_t room)
{
  return room <= message->room && message->room - room <= UNUSED_MOST;
}

/* Whether the receiver does not touch a detached message any more. */
static bool is_over(const dart__mailbox_message_t *message)
{
  /* acquire: pairs with the release in acknowledge */
  return atomic_load_explicit(&message->taken, memory_order_acquire) == message->npieces ||
         dart__outlives(message->to);
}

size_t dart__mailbox_reclaim(dart__mailbox_t *box, size_t most, size_t *room,
                             void (*release)(uint64_t offset), uint64_t *reused_out)
{
  size_t    detached_bytes;
  uint64_t  kept = 0; /* name of the last message that stays */
  uint64_t *link;

  *reused_out = 0;
  pthread_mutex_lock(&box->lock);
  for (link = &box->detached.first; *link != 0;) {
    dart__mailbox_message_t *message = message_of(box, *link);
    uint64_t                 offset  = offset_in(*link);

    if (is_over(message)) {
      dart__tsan_hear();
      *link = message->next_detached;
      box->detached_bytes -= message_bytes(message);
      if (*reused_out == 0 && suits(message, *room)) {
        *reused_out = offset;
        *room       = message->room;
      } else {
        release(offset);
      }
    } else if (box->detached_bytes > most) {
      kept = *link;
      link = &message->next_detached;
    } else {
      kept = box->detached.last;
      break;
    }
  }
  box->detached.last = kept;
  detached_bytes     = box->detached_bytes;
  pthread_mutex_unlock(&box->lock);
  return detached_bytes;
}

/* ---- receiving --------------------------------------------------------------------------- */

/* Move the messages in the inbox to the queues by sender. The lock is held. */
static void collect_inbox(dart__mailbox_t *box)
{
  dart__inbox_t *inbox = inbox_of(box, box->me);
  uint64_t       name, oldest = 0;

  /* relaxed: only a check, so that the cache line stays with the senders while nothing arrives */
  if (atomic_load_explicit(&inbox->newest, memory_order_relaxed) == 0)
    return;
  /* acquire: pairs with the release in push_message */
  name = atomic_exchange_explicit(&inbox->newest, 0, memory_order_acquire);
  dart__tsan_hear();
  while (name != 0) { /* reverse: oldest first */
    dart__mailbox_message_t *message = message_of(box, name);
    uint64_t                 before  = message->next;

    message->next = oldest;
    oldest        = name;
    name          = before;
  }
  while (oldest != 0) {
    dart__mailbox_message_t *message = message_of(box, oldest);
    uint64_t                 after   = message->next;

    enqueue(box, &box->arrived[message->from], oldest, link_next);
    box->narrived++;
    oldest = after;
  }
}

/* Where to find a message: the link that names it, and the message before it. */
typedef struct {
  dart__mailbox_queue_t   *queue;
  uint64_t                 before; /* name; 0: it is the first */
  dart__mailbox_message_t *message;
} found_t;

static bool has_tag(const dart__mailbox_message_t *message, int32_t tag)
{
  return message->tag == tag || (tag == DART__MAILBOX_ANY && message->tag >= 0);
}

/* The first message with a tag in a queue. False: there is none. */
static bool find_tag(const dart__mailbox_t *box, dart__mailbox_queue_t *queue, int32_t tag,
                     found_t *found_out)
{
  uint64_t before = 0;

  for (uint64_t name = queue->first; name != 0;) {
    dart__mailbox_message_t *message = message_of(box, name);

    if (has_tag(message, tag)) {
      *found_out = (found_t){ queue, before, message };
      return true;
    }
    before = name;
    name   = message->next;
  }
  return false;
}

/* Find a message of any sender, from the one on whose turn it is. */
static bool find_any(const dart__mailbox_t *box, int32_t tag, found_t *found_out)
{
  for (int32_t i = 0; box->narrived > 0 && i < box->nunits; i++)
    if (find_tag(box, &box->arrived[(box->turn + i) % box->nunits], tag, found_out))
      return true;
  return false;
}

static bool find_message(dart__mailbox_t *box, int32_t from, int32_t tag, found_t *found_out)
{
  collect_inbox(box);
  if (from == DART__MAILBOX_ANY)
    return find_any(box, tag, found_out);
  return find_tag(box, &box->arrived[from], tag, found_out);
}

static void dequeue(dart__mailbox_t *box, const found_t *found)
{
  dart__mailbox_queue_t *queue = found->queue;
  uint64_t *link = found->before == 0 ? &queue->first : link_next(message_of(box, found->before));

  if (queue->last == *link)
    queue->last = found->before;
  *link = found->message->next;
  box->narrived--;
}

/* Describe the first message that suits. If `takes` it leaves its queue, and it is another sender's turn. */
static inline bool look_for(dart__mailbox_t *box, int32_t from, int32_t tag, bool takes,
                            dart__incoming_t *in)
{
  found_t found;
  bool    is_found;

  pthread_mutex_lock(&box->lock);
  is_found = find_message(box, from, tag, &found);
  if (is_found) {
    *in = (dart__incoming_t){ .message = takes ? found.message : NULL,
                              .nbytes  = found.message->nbytes,
                              .from    = found.message->from,
                              .tag     = found.message->tag };
    if (takes)
      dequeue(box, &found);
    if (from == DART__MAILBOX_ANY)
      box->turn = takes ? (in->from + 1) % box->nunits : in->from;
  }
  pthread_mutex_unlock(&box->lock);
  return is_found;
}

bool dart__mailbox_match(dart__mailbox_t *box, int32_t from, int32_t tag, dart__incoming_t *in)
{
  return look_for(box, from, tag, true, in);
}

bool dart__mailbox_look(dart__mailbox_t *box, int32_t from, int32_t tag, dart__incoming_t *in)
{
  return look_for(box, from, tag, false, in);
}

/* The sender may use the message's memory for another one once all pieces are taken. */
DART__TSAN_UNSEEN
static void store_taken(dart__mailbox_message_t *message, uint64_t taken)
{
  /* release: the slots were read before; pairs with the acquires of the sender */
  atomic_store_explicit(&message->taken, taken, memory_order_release);
}

/* Count pieces as taken. The message must not be touched after its last piece was acknowledged. */
static void acknowledge(const dart__mailbox_t *box, dart__mailbox_message_t *message,
                        uint64_t taken)
{
  bool    awaited = message->awaited;
  int32_t from    = message->from;

  dart__tsan_tell();
  store_taken(message, taken);
  if (awaited)
    dart__event_add(&inbox_of(box, from)->event);
}

bool dart__mailbox_take(dart__mailbox_t *box, dart__incoming_t *in, void *buffer)
{
  dart__mailbox_message_t *message = in->message;
  uint64_t                 npieces = message->npieces;
  /* acquire: pairs with the release in fill_slots */
  uint64_t filled = atomic_load_explicit(&message->filled, memory_order_acquire);

  dart__tsan_hear();
  while (in->taken < filled) {
    size_t count = piece_bytes(message, in->taken);

    if (count > 0)
      dart__copy_bytes((char *)buffer + in->taken * PIECE, slot_of(message, in->taken), count);
    acknowledge(box, message, ++in->taken);
  }
  return in->taken == npieces;
}

void dart__mailbox_refuse(dart__mailbox_t *box, dart__incoming_t *in)
{
  acknowledge(box, in->message, in->message->npieces);
}
