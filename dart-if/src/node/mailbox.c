/* Mailboxes: see mailbox.h for the idea.
 *
 * A letter has one owner at a time, but for its two counters: the sender until it is posted, the
 * receiver until `taken` says that every piece was, then the sender again. */
#include "node/mailbox.h"

#include <stdlib.h>
#include <string.h>

#define PIECE ((size_t)64 << 10)

/* A name is the unit + 1, and below it the offset: never 0. */
#define OFFSET_BITS 40

struct dart__letter {
  /* the sender's line */
  uint64_t         nbytes;
  uint64_t         npieces; /* at least 1 */
  uint64_t         offset;  /* of this letter */
  uint64_t         left;    /* the next one its sender left */
  int32_t          from;
  int32_t          tag;
  uint32_t         nslots;  /* pieces that the letter has room for */
  uint32_t         awaited; /* the sender waits: tell it of every piece taken */
  _Atomic uint64_t filled;  /* pieces */
  /* the receiver's, once it is posted */
  _Alignas(DART__CACHE_LINE) _Atomic uint64_t taken; /* pieces */
  uint64_t next; /* in the inbox the letter posted before it, in a pile the one after */
  _Alignas(DART__CACHE_LINE) char data[]; /* piece i in slot i mod nslots */
};

static uint64_t name_of(int32_t unit, uint64_t offset)
{
  return (uint64_t)(unit + 1) << OFFSET_BITS | offset;
}

static dart__letter_t *letter_of(const dart__mailbox_t *box, uint64_t name)
{
  int32_t  unit   = (int32_t)(name >> OFFSET_BITS) - 1;
  uint64_t offset = name & ((UINT64_C(1) << OFFSET_BITS) - 1);

  return (dart__letter_t *)(void *)(box->parts[unit] + offset);
}

static dart__inbox_t *inbox_of(const dart__mailbox_t *box, int32_t unit)
{
  return (dart__inbox_t *)(void *)(box->parts[unit] + box->inboxes[unit]);
}

void dart__inbox_format(dart__inbox_t *inbox)
{
  /* relaxed: the caller publishes the inbox */
  atomic_store_explicit(&inbox->newest, 0, memory_order_relaxed);
  atomic_store_explicit(&inbox->event.count, 0, memory_order_relaxed);
  atomic_store_explicit(&inbox->event.sleepers, 0, memory_order_relaxed);
}

bool dart__mailbox_open(dart__mailbox_t *box, int32_t me, int32_t nunits, char *const *parts,
                        const uint64_t *inboxes)
{
  *box       = (dart__mailbox_t){ .me = me, .parts = parts, .inboxes = inboxes };
  box->piles = calloc((size_t)nunits, sizeof *box->piles);
  if (box->piles == NULL)
    return false;
  pthread_mutex_init(&box->lock, NULL);
  return true;
}

void dart__mailbox_close(dart__mailbox_t *box)
{
  if (box->piles == NULL)
    return;
  pthread_mutex_destroy(&box->lock);
  free(box->piles);
  box->piles = NULL;
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

static size_t piece_bytes(const dart__letter_t *letter, uint64_t piece)
{
  size_t rest = letter->nbytes - piece * PIECE;

  return rest < PIECE ? rest : PIECE;
}

static char *slot_of(dart__letter_t *letter, uint64_t piece)
{
  return letter->data + piece % letter->nslots * PIECE;
}

/* ---- sending ----------------------------------------------------------------------------- */

size_t dart__letter_bytes(size_t room)
{
  return room < SIZE_MAX - sizeof(dart__letter_t) ? sizeof(dart__letter_t) + room : SIZE_MAX;
}

/* Fill the slots whose pieces have been taken. `event`: the receiver's, told of every piece, so that
 * both sides copy at the same time; NULL while it does not know of the letter. */
static void fill(dart__outgoing_t *out, uint64_t taken, dart__event_t *event)
{
  dart__letter_t *letter = out->letter;

  while (out->filled < letter->npieces && out->filled - taken < letter->nslots) {
    size_t count = piece_bytes(letter, out->filled);

    if (count > 0)
      memcpy(slot_of(letter, out->filled), out->data + out->filled * PIECE, count);
    out->filled++;
    /* release: the piece, to the acquire in dart__mailbox_take */
    atomic_store_explicit(&letter->filled, out->filled, memory_order_release);
    if (event != NULL)
      dart__event_add(event);
  }
}

static void push(dart__inbox_t *inbox, dart__letter_t *letter, uint64_t name)
{
  /* relaxed: what is read is only passed on, as a link */
  letter->next = atomic_load_explicit(&inbox->newest, memory_order_relaxed);
  /* release: the letter, to the acquire in collect; that one also sees every letter below, for
   * pushes that follow one another are one release sequence */
  while (!atomic_compare_exchange_weak_explicit(&inbox->newest, &letter->next, name,
                                                memory_order_release, memory_order_relaxed))
    ;
}

void dart__mailbox_post(dart__mailbox_t *box, int32_t to, int32_t tag, const void *data,
                        size_t nbytes, uint64_t offset, size_t room, bool awaited,
                        dart__outgoing_t *out)
{
  dart__inbox_t  *inbox  = inbox_of(box, to);
  dart__letter_t *letter = letter_of(box, name_of(box->me, offset));

  letter->nbytes  = nbytes;
  letter->npieces = pieces_in(nbytes);
  letter->offset  = offset;
  letter->left    = 0;
  letter->from    = box->me;
  letter->tag     = tag;
  letter->nslots  = (uint32_t)(nbytes <= room ? letter->npieces : room / PIECE);
  letter->awaited = awaited;
  /* relaxed: the push publishes it */
  atomic_store_explicit(&letter->taken, 0, memory_order_relaxed);
  *out = (dart__outgoing_t){ .letter = letter, .offset = offset, .data = data, .to = to };
  fill(out, 0, NULL);
  push(inbox, letter, name_of(box->me, offset));
  dart__event_add(&inbox->event);
}

bool dart__mailbox_feed(dart__mailbox_t *box, dart__outgoing_t *out)
{
  /* acquire: pairs with the release in tell_taken; the slots are read, and free */
  uint64_t taken = atomic_load_explicit(&out->letter->taken, memory_order_acquire);

  if (taken == out->letter->npieces)
    return true;
  fill(out, taken, &inbox_of(box, out->to)->event);
  return false;
}

static void pile_up(const dart__mailbox_t *box, dart__pile_t *pile, uint64_t name,
                    uint64_t *(*link)(dart__letter_t *))
{
  *link(letter_of(box, name)) = 0;
  if (pile->first == 0)
    pile->first = name;
  else
    *link(letter_of(box, pile->last)) = name;
  pile->last = name;
}

static uint64_t *link_next(dart__letter_t *letter)
{
  return &letter->next;
}

static uint64_t *link_left(dart__letter_t *letter)
{
  return &letter->left;
}

static size_t bytes_of(const dart__letter_t *letter)
{
  return dart__letter_bytes(letter->nbytes);
}

void dart__mailbox_leave(dart__mailbox_t *box, dart__outgoing_t *out)
{
  pthread_mutex_lock(&box->lock);
  pile_up(box, &box->left, name_of(box->me, out->offset), link_left);
  box->left_bytes += bytes_of(out->letter);
  pthread_mutex_unlock(&box->lock);
}

size_t dart__mailbox_reclaim(dart__mailbox_t *box, size_t most, void (*give_back)(uint64_t offset))
{
  size_t    left_bytes;
  uint64_t  kept = 0; /* the last one */
  uint64_t *link;

  pthread_mutex_lock(&box->lock);
  for (link = &box->left.first; *link != 0;) {
    dart__letter_t *letter = letter_of(box, *link);

    /* acquire: pairs with the release in tell_taken; the receiver is done with the letter */
    if (atomic_load_explicit(&letter->taken, memory_order_acquire) == letter->npieces) {
      *link = letter->left;
      box->left_bytes -= bytes_of(letter);
      give_back(letter->offset);
    } else if (box->left_bytes > most) {
      kept = *link;
      link = &letter->left;
    } else {
      kept = box->left.last;
      break;
    }
  }
  box->left.last = kept;
  left_bytes     = box->left_bytes;
  pthread_mutex_unlock(&box->lock);
  return left_bytes;
}

/* ---- receiving --------------------------------------------------------------------------- */

/* Empty the inbox onto the piles. The lock is held. */
static void collect(dart__mailbox_t *box)
{
  dart__inbox_t *inbox = inbox_of(box, box->me);
  uint64_t       name, oldest = 0;

  /* relaxed: an early look, so that the line stays the senders' while nothing comes */
  if (atomic_load_explicit(&inbox->newest, memory_order_relaxed) == 0)
    return;
  /* acquire: pairs with the release in push */
  name = atomic_exchange_explicit(&inbox->newest, 0, memory_order_acquire);
  while (name != 0) { /* turn round */
    dart__letter_t *letter = letter_of(box, name);
    uint64_t        before = letter->next;

    letter->next = oldest;
    oldest       = name;
    name         = before;
  }
  while (oldest != 0) {
    dart__letter_t *letter = letter_of(box, oldest);
    uint64_t        after  = letter->next;

    pile_up(box, &box->piles[letter->from], oldest, link_next);
    oldest = after;
  }
}

/* Take the first letter with a tag out of a pile; NULL: there is none. */
static dart__letter_t *draw(const dart__mailbox_t *box, dart__pile_t *pile, int32_t tag)
{
  uint64_t before = 0;

  for (uint64_t name = pile->first; name != 0;) {
    dart__letter_t *letter = letter_of(box, name);

    if (letter->tag == tag) {
      *(before == 0 ? &pile->first : link_next(letter_of(box, before))) = letter->next;
      if (pile->last == name)
        pile->last = before;
      return letter;
    }
    before = name;
    name   = letter->next;
  }
  return NULL;
}

bool dart__mailbox_match(dart__mailbox_t *box, int32_t from, int32_t tag, dart__incoming_t *in)
{
  dart__letter_t *letter;

  pthread_mutex_lock(&box->lock);
  collect(box);
  letter = draw(box, &box->piles[from], tag);
  pthread_mutex_unlock(&box->lock);
  if (letter == NULL)
    return false;
  *in = (dart__incoming_t){ .letter = letter, .nbytes = letter->nbytes };
  return true;
}

/* Nothing of the letter may be touched after its last piece was told. */
static void tell_taken(const dart__mailbox_t *box, dart__letter_t *letter, uint64_t taken)
{
  bool    awaited = letter->awaited;
  int32_t from    = letter->from;

  /* release: the slots were read; to the acquires of the sender */
  atomic_store_explicit(&letter->taken, taken, memory_order_release);
  if (awaited)
    dart__event_add(&inbox_of(box, from)->event);
}

bool dart__mailbox_take(dart__mailbox_t *box, dart__incoming_t *in, void *buffer)
{
  dart__letter_t *letter  = in->letter;
  uint64_t        npieces = letter->npieces;
  /* acquire: pairs with the release in fill */
  uint64_t filled = atomic_load_explicit(&letter->filled, memory_order_acquire);

  while (in->taken < filled) {
    size_t count = piece_bytes(letter, in->taken);

    if (count > 0)
      memcpy((char *)buffer + in->taken * PIECE, slot_of(letter, in->taken), count);
    tell_taken(box, letter, ++in->taken);
  }
  return in->taken == npieces;
}

void dart__mailbox_refuse(dart__mailbox_t *box, dart__incoming_t *in)
{
  tell_taken(box, in->letter, in->letter->npieces);
}
