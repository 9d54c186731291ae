/* The log of this unit's accesses.
 *
 * After a put or atomic of a word other units may continue, so it publishes the clock. A unit that gets the word
 * acquires that clock. A unit that gets a word again from the same place of the program polls it. A unit that finds
 * something new in the word's clock has found what another unit has put. Puts of the word by others are no race with
 * such gets.
 *
 * A unit that puts a word, gets its own value back and puts it again does not poll: it updates the word, as in `count =
 * count + 1`. If two units do that to a word, neither waits for the other, so what their gets find is chance and orders
 * nothing. Their gets, and the puts right after them, are compared with the clocks from before the gets. */
#include "race.h"

#include <stdlib.h>
#include <string.h>

#include "check_report.h"
#include "check_type.h"
#include "object.h"

enum {
  MOST_PARTS = 1024,  /* of an access with gaps */
  RECENT     = 1024,  /* gets that are remembered, as they may be polls */
  SYNC_BITS  = 65536, /* for words for which the unit has waited */
  MOST_WORDS = 64,    /* of an atomic, after each of which others may continue */
  USED       = 1024   /* words whose last gets and puts are remembered */
};

/* What this unit has done to a word by puts and gets. The numbers are entries of the log; NO_ENTRY: none. */
typedef struct {
  uint64_t hash;
  uint32_t cycle;                /* of the log */
  uint64_t put_news, found_news; /* dart__check_news at the last put; after the last get */
  uint32_t put;                  /* the last put */
  uint32_t found_get, found_put; /* the last get with something new; the put after it */
  uint32_t found_row;            /* the row before that get */
  bool     has_own;              /* a get after the last put has found nothing new */
  bool     has_found;            /* that get is the last one, and no put came after it */
  bool     is_polled;     /* waited for, or got twice from one place without a put between, */
  int16_t  team, segment; /* in this segment */
  bool     is_updated;
} used_word_t;

#define NO_ENTRY UINT32_MAX

static dart__access_t *log_entries;
static uint32_t        count, cycle;
static uint32_t        recent[RECENT];
static uint64_t        sync_words[SYNC_BITS / 64];
static used_word_t     used_words[USED];
static bool            is_order_lost;

void dart__check_log_open(void)
{
  log_entries = dart__check_room(NULL, DART__CHECK_LOG * sizeof *log_entries);
  count = cycle = 0;
  is_order_lost = false;
  memset(recent, 0, sizeof recent);
  memset(sync_words, 0, sizeof sync_words);
  memset(used_words, 0xff, sizeof used_words); /* an invalid cycle */
}

void dart__check_log_forget_all(void)
{
  free(log_entries);
  log_entries = NULL;
}

bool dart__check_order_lost(void)
{
  return is_order_lost;
}

void dart__check_lose_order(const char *why)
{
  static bool said;

  if (!dart__check_for(DART__CHECK_RACES))
    return;
  is_order_lost = true;
  dart__check_note(&said, "%s: races are no longer checked", why);
}

/* ---- words for which the unit has waited ----------------------------------------------------------- */

static bool is_sync(uint64_t hash)
{
  return sync_words[hash % SYNC_BITS / 64] >> hash % 64 & 1;
}

static void set_sync(uint64_t hash)
{
  sync_words[hash % SYNC_BITS / 64] |= UINT64_C(1) << hash % 64;
}

/* ---- words that the unit updates; the lock is held ------------------------------------------------- */

/* A polled word stays polled in the next cycle of the log. */
static used_word_t *used_word(uint64_t hash)
{
  used_word_t *word = &used_words[hash % USED];

  if (word->hash != hash || word->cycle != cycle)
    *word = (used_word_t){ .hash      = hash,
                           .cycle     = cycle,
                           .put       = NO_ENTRY,
                           .found_get = NO_ENTRY,
                           .found_put = NO_ENTRY,
                           .is_polled = word->hash == hash && word->is_polled,
                           .team      = word->team,
                           .segment   = word->segment };
  return word;
}

/* Whether gets and puts of a word can be told apart as polls or updates. Threads of a unit share a clock, so it is not
 * known which one found something new. In an epoch, operations begin late. */
static bool is_followed(const dart__check_ticket_t *ticket)
{
  return !dart__check.threads && ticket->epoch == DART__EPOCH_OUTSIDE;
}

static void mark_updated(uint32_t entry)
{
  if (entry != NO_ENTRY)
    log_entries[entry].is_updated = true;
}

/* Mark the access that came before the put of a word only because the last get has found it. That is the put itself, or
 * the get if the unit has heard of others since. */
static void mark_found(const used_word_t *word)
{
  mark_updated(word->found_put != NO_ENTRY ? word->found_put : word->found_get);
}

static bool are_of_one_word(const dart__access_t *a, const dart__access_t *b)
{
  return a->is_word && b->is_word && a->offset == b->offset && a->segment == b->segment &&
         a->team == b->team && a->owner == b->owner;
}

static void set_polled(uint64_t hash, int16_t team, int16_t segment)
{
  used_word_t *word = used_word(hash);

  if (word->is_updated)
    for (uint32_t i = 0; i < count; i++)
      if (are_of_one_word(&log_entries[i], &log_entries[word->put]))
        log_entries[i].is_updated = false;
  word->is_polled  = true;
  word->is_updated = false;
  word->team       = team;
  word->segment    = segment;
}

static void log_put(uint64_t hash, uint32_t entry)
{
  used_word_t *word = used_word(hash);
  uint64_t     news = dart__check_news();

  if (word->has_found && word->found_news == news) {
    log_entries[entry].unread_row = word->found_row;
    word->found_put               = entry;
  }
  /* its own value: the unit has learned nothing new since it was put */
  if (word->has_own && word->put_news == news && !word->is_polled)
    word->is_updated = true;
  if (word->is_updated) {
    mark_found(word);
    mark_updated(entry);
  }
  word->put       = entry;
  word->put_news  = news;
  word->has_own   = false;
  word->has_found = false;
}

/* The result of a get is complete. `before`: the row before the get, if the get has found something new. */
static void log_got(uint64_t hash, uint32_t entry, bool is_new, uint32_t before)
{
  used_word_t *word = used_word(hash);

  if (is_new && before != DART__CHECK_NO_ROW) {
    log_entries[entry].unread_row = before;
    word->found_row               = before;
    word->found_news              = dart__check_news();
    word->found_get               = entry;
    word->found_put               = NO_ENTRY;
    word->has_own                 = false;
    word->has_found               = true;
    return;
  }
  if (word->has_found) /* got again before a put: the unit waited for the value */
    word->found_get = NO_ENTRY;
  word->has_found = false;
  word->has_own   = word->put != NO_ENTRY && word->put_news == dart__check_news();
}

/* ---- the log; the lock is held --------------------------------------------------------------------- */

static bool is_write(dart__access_kind_t kind)
{
  return kind == DART__ACCESS_PUT || kind == DART__ACCESS_UPDATE;
}

static void add_access(dart__check_ticket_t *ticket, const dart__access_t *access)
{
  static bool said;

  if (count == DART__CHECK_LOG || access->row == DART__CHECK_NO_ROW) {
    dart__check_note(&said,
                     "more than %u accesses between two calls at which all units meet; races of "
                     "further ones are not checked",
                     (unsigned)count);
    return;
  }
  if (ticket->n++ == 0)
    ticket->first = count;
  log_entries[count++] = *access;
}

/* The entry that this access repeats, or NULL; the entry then stands for both. A get repeats a get of the same word
 * from the same place, unless the unit has put the word since. A compare-and-swap repeats the newest entry. If there is
 * none, this access is remembered. */
static dart__access_t *repeated(const dart__access_t *access, uint64_t hash)
{
  uint32_t       *entry  = &recent[dart__check_mix(hash, access->from) % RECENT];
  dart__access_t *old    = *entry < count ? &log_entries[*entry] : NULL;
  bool            may_be = !is_write((dart__access_kind_t)access->kind) ||
                (access->call == DART__CALL_dart_compare_and_swap && *entry + 1 == count);

  if (access->kind == DART__ACCESS_GET && old != NULL) {
    const used_word_t *word = used_word(hash);

    may_be = word->put == NO_ENTRY || word->put < *entry;
  }
  if (may_be && old != NULL && old->from == access->from && old->offset == access->offset &&
      old->nbytes == access->nbytes && old->kind == access->kind && old->owner == access->owner &&
      old->segment == access->segment && old->team == access->team && old->lock == access->lock)
    return old;
  *entry = count;
  return NULL;
}

static void log_word(dart__check_ticket_t *ticket, dart__access_t *access)
{
  uint64_t        hash = ticket->place.hash;
  dart__access_t *old  = repeated(access, hash);

  if (old == NULL) {
    access->is_sync = is_sync(hash);
    add_access(ticket, access);
    if (access->kind == DART__ACCESS_PUT && ticket->n == 1 && is_followed(ticket))
      log_put(hash, ticket->first);
    return;
  }
  if (!is_write((dart__access_kind_t)access->kind)) {
    set_sync(hash);
    set_polled(hash, access->team, access->segment);
    old->is_sync = true;
  }
  old->start    = access->start;
  old->end      = access->end;
  old->row      = access->row == DART__CHECK_NO_ROW ? old->row : access->row;
  ticket->first = (uint32_t)(old - log_entries);
  ticket->n     = 1;
}

/* Log the contiguous parts of elements with gaps between them. */
static void log_parts(dart__check_ticket_t *ticket, dart__access_t *access, uint64_t nelem,
                      const dart__check_object_t *object)
{
  static bool said;
  uint64_t    nparts = nelem / object->type.per;
  uint64_t    first  = access->offset;

  if (object->type.per != object->type.extent || nparts > MOST_PARTS) {
    dart__check_note(&said,
                     "races of accesses in more than %d parts, or of indexed types, are not "
                     "checked",
                     MOST_PARTS);
    return;
  }
  access->nbytes = object->type.per * object->type.nbytes;
  for (uint64_t i = 0; i < nparts; i++) {
    access->offset = first + i * object->type.stride * object->type.nbytes;
    add_access(ticket, access);
  }
}

/* `object`: the type, if its elements are not contiguous. */
static void log_access(dart__check_ticket_t *ticket, uint64_t nelem,
                       const dart__check_object_t *object, dart__access_t *access)
{
  dart__check_lock();
  access->start = dart__check_now();
  /* a write of a word publishes the number at which it began */
  access->end = access->start + (access->is_word && is_write((dart__access_kind_t)access->kind));
  access->row = dart__check_row();
  access->unread_row = access->row;
  ticket->cycle      = cycle;
  if (access->is_word) {
    log_word(ticket, access);
  } else if (access->nbytes > 0) {
    access->nbytes *= nelem;
    add_access(ticket, access);
  } else if (object != NULL) {
    log_parts(ticket, access, nelem, object);
  }
  dart__check_unlock();
}

/* Whether elements of `size` bytes from `gptr` on are words. */
static bool are_words(dart_gptr_t gptr, uint64_t size)
{
  return (size == 1 || size == 2 || size == 4 || size == 8) &&
         (gptr.addr_or_offs.offset & (size - 1)) == 0;
}

/* Publish the clock for each word that an atomic on several words may change. */
static void release_words(dart_gptr_t gptr, uint64_t nelem, uint64_t size, bool is_ordered)
{
  dart__check_place_t places[MOST_WORDS];

  if (nelem > MOST_WORDS || !are_words(gptr, size))
    return;
  for (uint64_t i = 0; i < nelem; i++, gptr.addr_or_offs.offset += size)
    places[i] = dart__check_word(gptr);
  dart__check_release_all(places, nelem, is_ordered);
}

/* Record the epoch of the access. */
static void note_epoch(dart__check_ticket_t *ticket, dart_gptr_t gptr)
{
  dart__check_epoch_t epoch;

  dart__check_lock();
  epoch = dart__check_epoch_of(gptr);
  dart__check_unlock();
  ticket->epoch = epoch.kind;
  if (epoch.is_told)
    ticket->opening = dart__check_opening(gptr, epoch);
}

static bool is_lock(dart__check_epoch_kind_t kind)
{
  return kind == DART__EPOCH_SHARED || kind == DART__EPOCH_EXCLUSIVE;
}

/* Publish the clock for units that will see the words that the call writes. */
static void release(const dart__check_ticket_t *ticket, dart_gptr_t gptr,
                    const dart__access_t *access, uint64_t nelem, uint64_t size)
{
  bool is_ordered = ticket->epoch == DART__EPOCH_OUTSIDE && gptr.teamid == DART_TEAM_ALL;

  if (access->is_word && is_write(ticket->kind))
    dart__check_release_all(&ticket->place, 1, is_ordered);
  else if (ticket->kind == DART__ACCESS_UPDATE)
    release_words(gptr, nelem, size, is_ordered);
}

/* Not all fields are set. Most of the ticket is places, which count only if other fields say so. To clear them would be
 * a large part of a short operation. */
static void begin_ticket(dart__check_ticket_t *ticket, dart__access_kind_t kind)
{
  ticket->first     = 0;
  ticket->n         = 0;
  ticket->cycle     = 0;
  ticket->is_on     = false;
  ticket->acquires  = false;
  ticket->kind      = kind;
  ticket->epoch     = DART__EPOCH_OUTSIDE;
  ticket->opening.n = 0;
}

void dart__check_race(dart__check_ticket_t *ticket, dart_gptr_t gptr, uint64_t nelem,
                      dart_datatype_t type, dart__access_kind_t kind, dart__at_t at)
{
  uint64_t       size;
  dart__access_t access;

  begin_ticket(ticket, kind);
  if (!dart__check_for(DART__CHECK_RACES) || nelem == 0 || dart__check.nunits == 1)
    return;
  size          = dart__check_size(type);
  ticket->place = dart__check_word(gptr);
  if (ticket->place.home < 0)
    return;
  access           = (dart__access_t){ .offset  = gptr.addr_or_offs.offset,
                                       .nbytes  = size,
                                       .from    = (uintptr_t)at.from,
                                       .unit    = dart__check.me,
                                       .owner   = ticket->place.home,
                                       .team    = gptr.teamid,
                                       .segment = gptr.segid,
                                       .call    = (uint16_t)at.id,
                                       .type    = (uint16_t)dart__check_type_number(type),
                                       .kind    = (uint8_t)kind,
                                       .is_word = nelem == 1 && are_words(gptr, size) };
  ticket->is_on    = true;
  ticket->acquires = access.is_word && kind != DART__ACCESS_PUT;
  note_epoch(ticket, gptr);
  access.lock = is_lock(ticket->epoch) ? (uint8_t)ticket->epoch : 0;
  log_access(ticket, nelem, size > 0 ? NULL : dart__check_object(DART__CHECK_TYPE, (uintptr_t)type),
             &access);
  release(ticket, gptr, &access, nelem, size);
}

/* ---- the end of an access --------------------------------------------------------------------------- */

bool dart__check_log_end(const dart__check_ticket_t *ticket, uint64_t end)
{
  for (uint32_t i = 0; ticket->cycle == cycle && i < ticket->n; i++)
    log_entries[ticket->first + i].end = end;
  return ticket->cycle == cycle;
}

void dart__check_log_forget(const dart__check_ticket_t *ticket)
{
  dart__check_lock();
  for (uint32_t i = 0; ticket->cycle == cycle && i < ticket->n; i++)
    log_entries[ticket->first + i].nbytes = 0;
  dart__check_unlock();
}

/* Whether log_got handles such a get. */
static bool is_followed_get(const dart__check_ticket_t *ticket)
{
  return ticket->kind == DART__ACCESS_GET && is_followed(ticket);
}

void dart__check_log_result(const dart__check_ticket_t *ticket)
{
  uint32_t        before = DART__CHECK_NO_ROW, row;
  bool            is_new;
  dart__access_t *access;

  if (is_followed_get(ticket)) {
    dart__check_lock();
    before = dart__check_row();
    dart__check_unlock();
  }
  is_new = dart__check_acquire(ticket->place);
  dart__check_lock();
  if (is_new)
    set_sync(ticket->place.hash); /* the next get of the word is not new */
  row = is_write(ticket->kind) ? DART__CHECK_NO_ROW : dart__check_row();
  if (ticket->n == 1 && ticket->cycle == cycle && row != DART__CHECK_NO_ROW) {
    access             = &log_entries[ticket->first];
    access->row        = row;
    access->unread_row = row;
    access->is_sync    = access->is_sync || is_new;
    if (is_followed_get(ticket))
      log_got(ticket->place.hash, ticket->first, is_new, before);
  }
  dart__check_unlock();
}

void dart__check_log_after(const dart__check_ticket_t *ticket, const uint64_t *clock)
{
  if (is_lock(ticket->epoch))
    return;
  dart__check_lock();
  for (uint32_t i = 0; ticket->cycle == cycle && i < ticket->n; i++) {
    dart__access_t *access = &log_entries[ticket->first + i];

    access->row        = dart__check_row_after(access->row, clock);
    access->unread_row = access->row;
    if (access->row == DART__CHECK_NO_ROW)
      *access = (dart__access_t){ .owner = access->owner, .unit = access->unit }; /* no bytes */
  }
  dart__check_unlock();
}

void dart__check_race_began(dart__check_ticket_t *ticket)
{
  uint64_t *clock;

  if (ticket->opening.n == 0)
    return;
  clock = dart__check_room(NULL, dart__check.nunits * sizeof *clock);
  dart__check_acquire_all(ticket->opening.place, ticket->opening.n, clock);
  dart__check_log_after(ticket, clock);
  ticket->opening.n = 0;
  free(clock);
}

void dart__check_race_opened(dart__check_opening_t opening)
{
  for (size_t i = 0; i < opening.n; i++)
    dart__check_take(opening.place[i]);
}

void dart__check_race_returned(const dart__check_ticket_t *ticket, dart_ret_t ret)
{
  if (!ticket->is_on)
    return;
  if (ret != DART_OK)
    dart__check_log_forget(ticket);
  else if (ticket->acquires)
    dart__check_log_result(ticket);
}

/* ---- words ------------------------------------------------------------------------------------------ */

void dart__check_race_notify(dart_gptr_t flag, dart__at_t at)
{
  dart__check_ticket_t ticket;

  if (!dart__check_for(DART__CHECK_RACES))
    return;
  dart__check_race(&ticket, flag, 1, DART_TYPE_ULONG, DART__ACCESS_UPDATE, at);
  dart__check_lock();
  for (uint32_t i = 0; ticket.cycle == cycle && i < ticket.n; i++)
    log_entries[ticket.first + i].type = 0;
  dart__check_unlock();
}

void dart__check_race_waited(dart_gptr_t gptr)
{
  dart__check_place_t place;

  if (!dart__check_for(DART__CHECK_RACES))
    return;
  place = dart__check_word(gptr);
  dart__check_acquire(place);
  dart__check_lock();
  set_sync(place.hash);
  set_polled(place.hash, gptr.teamid, gptr.segid);
  dart__check_unlock();
}

void dart__check_race_freed(dart_gptr_t gptr)
{
  dart__check_lock();
  for (size_t i = 0; i < USED; i++)
    if (used_words[i].team == gptr.teamid && used_words[i].segment == gptr.segid)
      used_words[i].is_polled = false;
  dart__check_unlock();
}

/* ---- the log is compared ---------------------------------------------------------------------------- */

dart__access_t *dart__check_log(uint32_t *n_out)
{
  *n_out = count;
  return log_entries;
}

static bool is_kept(uint32_t i, uint32_t n)
{
  return i >= n || (log_entries[i].end == DART__ACCESS_UNDER_WAY && log_entries[i].nbytes > 0);
}

uint32_t *dart__check_log_compared(uint32_t n)
{
  uint32_t  *moved   = dart__check_room(NULL, count * sizeof *moved);
  uint32_t **of_rows = dart__check_room(NULL, count * sizeof *of_rows);
  uint32_t   kept    = 0;

  for (uint32_t i = 0; i < count; i++) {
    moved[i] = kept;
    if (is_kept(i, n))
      log_entries[kept++] = log_entries[i];
  }
  for (uint32_t i = 0; i < kept; i++)
    of_rows[i] = &log_entries[i].row;
  dart__check_rows_keep(of_rows, kept);
  for (uint32_t i = 0; i < kept; i++) {
    log_entries[i].unread_row = log_entries[i].row;
    log_entries[i].is_updated = false;
  }
  count = kept;
  cycle++;
  memset(recent, 0xff, sizeof recent);
  free(of_rows);
  return moved;
}
