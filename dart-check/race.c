/* The log of this unit's accesses.
 *
 * A put or atomic of a word may be what lets others go on, so it passes on the clock, and
 * who gets the word takes it over. A unit that gets a word again from the same place polls it, and one that finds
 * a clock there that is news has found what somebody put: puts of the word by others are no race with that. */
#include "race.h"

#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_basic.h>

#include "member.h"
#include "object.h"
#include "open_epochs.h"
#include "report.h"
#include "type.h"

enum {
  MOST_PARTS = 1024,  /* of an access with gaps */
  RECENT     = 1024,  /* gets that are remembered as perhaps polls */
  SYNC_BITS  = 65536, /* of words for which the unit has waited */
  MOST_WORDS = 64     /* of an atomic, each of which may let others go on */
};

static dart__access_t *log_entries;
static uint32_t        count, cycle;
static uint32_t        recent[RECENT];
static uint64_t        sync_words[SYNC_BITS / 64];
static bool            is_order_lost;

void dart__check_log_open(void)
{
  log_entries = dart__check_room(NULL, DART__CHECK_LOG * sizeof *log_entries);
  count = cycle = 0;
  dart__check_open_epochs_forget();
  is_order_lost = false;
  memset(recent, 0, sizeof recent);
  memset(sync_words, 0, sizeof sync_words);
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
  dart__check_note(&said, "%s: races are not looked for any more", why);
}

/* ---- places --------------------------------------------------------------------------------------- */

static int32_t owner_of(dart_gptr_t gptr)
{
  dart_global_unit_t unit;
  int32_t            me;
  size_t             size;

  if (!dart__check_team(gptr.teamid, &me, &size) || gptr.unitid < 0 || (size_t)gptr.unitid >= size)
    return -1; /* DART says so */
  if (gptr.teamid == DART_TEAM_ALL)
    return gptr.unitid;
  return pdart_team_unit_l2g(gptr.teamid, DART_TEAM_UNIT_ID(gptr.unitid), &unit) == DART_OK
             ? unit.id
             : -1;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
  hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 29;
}

dart__check_place_t dart__check_word(dart_gptr_t gptr)
{
  uint64_t hash = mix(1, (uint64_t)(uint16_t)gptr.teamid << 48 |
                             (uint64_t)(uint16_t)gptr.segid << 32 | (uint32_t)gptr.unitid);

  return (dart__check_place_t){ owner_of(gptr), mix(hash, gptr.addr_or_offs.offset) };
}

dart__check_place_t dart__check_thing(int32_t home, dart__call_t kind, uint64_t a, uint64_t b,
                                      uint64_t c)
{
  return (dart__check_place_t){ home, mix(mix(mix(mix(2, kind), a), b), c) };
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

/* ---- the log, with the lock ------------------------------------------------------------------------ */

static bool is_write(dart__access_kind_t kind)
{
  return kind == DART__ACCESS_PUT || kind == DART__ACCESS_UPDATE;
}

static void add(dart__check_ticket_t *ticket, const dart__access_t *access)
{
  static bool said;

  if (count == DART__CHECK_LOG || access->row == DART__CHECK_NO_ROW) {
    dart__check_note(&said,
                     "more than %u accesses between two calls at which all units meet; races of "
                     "more are not looked for",
                     (unsigned)count);
    return;
  }
  if (ticket->n++ == 0)
    ticket->first = count;
  log_entries[count++] = *access;
}

/* The entry that this access repeats, which then stands for both: of a get of a word from the same place, or of a
 * compare-and-swap that nothing has come after; NULL: there is none. Else it is remembered. */
static dart__access_t *repeated(const dart__access_t *access, uint64_t hash)
{
  uint32_t       *entry  = &recent[mix(hash, access->from) % RECENT];
  dart__access_t *old    = *entry < count ? &log_entries[*entry] : NULL;
  bool            may_be = !is_write((dart__access_kind_t)access->kind) ||
                (access->call == DART__CALL_dart_compare_and_swap && *entry + 1 == count);

  if (may_be && old != NULL && old->from == access->from && old->offset == access->offset &&
      old->nbytes == access->nbytes && old->kind == access->kind && old->owner == access->owner &&
      old->segment == access->segment && old->team == access->team)
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
    add(ticket, access);
    return;
  }
  if (!is_write((dart__access_kind_t)access->kind)) {
    set_sync(hash);
    old->is_sync = true;
  }
  old->start    = access->start;
  old->end      = access->end;
  old->row      = access->row == DART__CHECK_NO_ROW ? old->row : access->row;
  ticket->first = (uint32_t)(old - log_entries);
  ticket->n     = 1;
}

/* Elements of a type with gaps between them, in parts that lie in a row. */
static void log_parts(dart__check_ticket_t *ticket, dart__access_t *access, uint64_t nelem,
                      const dart__check_object_t *object)
{
  static bool said;
  uint64_t    nparts = nelem / object->type.per;
  uint64_t    first  = access->offset;

  if (object->type.per != object->type.extent || nparts > MOST_PARTS) {
    dart__check_note(&said,
                     "races of accesses in more than %d parts, or of indexed types, are not "
                     "looked for",
                     MOST_PARTS);
    return;
  }
  access->nbytes = object->type.per * object->type.nbytes;
  for (uint64_t i = 0; i < nparts; i++) {
    access->offset = first + i * object->type.stride * object->type.nbytes;
    add(ticket, access);
  }
}

/* `object`: the type, if its elements do not lie in a row. */
static void log_access(dart__check_ticket_t *ticket, dart_gptr_t gptr, uint64_t nelem,
                       const dart__check_object_t *object, dart__access_t *access)
{
  bool is_looked_at;

  dart__check_lock();
  access->start = dart__check_now();
  /* who writes a word passes on the number that it began with */
  access->end   = access->start + (access->is_word && is_write((dart__access_kind_t)access->kind));
  access->row   = dart__check_row();
  ticket->cycle = cycle;
  is_looked_at  = !dart__check_in_epoch(gptr, &ticket->in_epoch);
  if (is_looked_at && access->is_word) {
    log_word(ticket, access);
  } else if (is_looked_at && access->nbytes > 0) {
    access->nbytes *= nelem;
    add(ticket, access);
  } else if (is_looked_at && object != NULL) {
    log_parts(ticket, access, nelem, object);
  }
  dart__check_unlock();
}

/* Elements of `size` bytes from `gptr` on are words. */
static bool are_words(dart_gptr_t gptr, uint64_t size)
{
  return (size == 1 || size == 2 || size == 4 || size == 8) && gptr.addr_or_offs.offset % size == 0;
}

/* Pass on the clock to each word that an atomic on several may change. */
static void release_words(dart_gptr_t gptr, uint64_t nelem, uint64_t size)
{
  dart__check_place_t places[MOST_WORDS];

  if (nelem > MOST_WORDS || !are_words(gptr, size))
    return;
  for (uint64_t i = 0; i < nelem; i++, gptr.addr_or_offs.offset += size)
    places[i] = dart__check_word(gptr);
  dart__check_release_all(places, nelem);
}

dart__check_ticket_t dart__check_race(dart_gptr_t gptr, uint64_t nelem, dart_datatype_t type,
                                      dart__access_kind_t kind, dart__at_t at)
{
  dart__check_ticket_t ticket = { .kind = kind };
  uint64_t             size;
  dart__access_t       access;

  if (!dart__check_for(DART__CHECK_RACES) || nelem == 0 || dart__check.nunits == 1)
    return ticket;
  size         = dart__check_size(type);
  ticket.place = dart__check_word(gptr);
  if (ticket.place.home < 0)
    return ticket;
  access          = (dart__access_t){ .offset  = gptr.addr_or_offs.offset,
                                      .nbytes  = size,
                                      .from    = (uintptr_t)at.from,
                                      .unit    = dart__check.me,
                                      .owner   = ticket.place.home,
                                      .team    = gptr.teamid,
                                      .segment = gptr.segid,
                                      .call    = (uint16_t)at.id,
                                      .type    = (uint16_t)dart__check_type_number(type),
                                      .kind    = (uint8_t)kind,
                                      .is_word = nelem == 1 && are_words(gptr, size) };
  ticket.is_on    = true;
  ticket.acquires = access.is_word && kind != DART__ACCESS_PUT;
  log_access(&ticket, gptr, nelem,
             size > 0 ? NULL : dart__check_object(DART__CHECK_TYPE, (uintptr_t)type), &access);
  if (access.is_word && is_write(kind))
    dart__check_release(ticket.place);
  else if (kind == DART__ACCESS_UPDATE)
    release_words(gptr, nelem, size);
  return ticket;
}

/* ---- what became of them ---------------------------------------------------------------------------- */

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

void dart__check_log_result(const dart__check_ticket_t *ticket)
{
  bool            is_new = dart__check_acquire(ticket->place);
  dart__access_t *access;
  uint32_t        row;

  if (is_write(ticket->kind))
    return;
  dart__check_lock();
  row = dart__check_row();
  if (is_new)
    set_sync(ticket->place.hash);
  if (ticket->n == 1 && ticket->cycle == cycle && row != DART__CHECK_NO_ROW) {
    access          = &log_entries[ticket->first];
    access->row     = row;
    access->is_sync = access->is_sync || is_new;
  }
  dart__check_unlock();
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
  ticket = dart__check_race(flag, 1, DART_TYPE_ULONG, DART__ACCESS_UPDATE, at);
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
  count = kept;
  cycle++;
  memset(recent, 0xff, sizeof recent);
  free(of_rows);
  return moved;
}
