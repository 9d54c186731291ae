#ifndef DART__LOCK_RANGE_H
#define DART__LOCK_RANGE_H
/* Range locks in shared memory: who holds which ranges of 64-bit numbers, and who waits for them.
 *
 * A request is a set of spans, each shared or exclusive; two spans conflict if they overlap and one of them is
 * exclusive. The spans of all requests, of holders and of waiters, are in one interval tree. A request that conflicts
 * with earlier ones has one of them for its blocker, at first the newest, and waits until that leaves. Then it looks
 * for another one that came before it. If there is none, it holds all its spans. So requests are served in the order in
 * which they came wherever they conflict, and nowhere else; nobody is passed. Those that want the same form a queue, in
 * which each waits for the one before it, and one that leaves concerns only those that wait for it: however many others
 * it conflicts with. (The tree is that of Kara's range locks for Linux, "Range reader/writer locks for the kernel", LWN
 * 2013, where each request counts all its blockers; what lists do instead is in Kogan, Dice, Issa: Scalable Range Locks
 * for Scalable Address Spaces and Beyond, EuroSys 2020.)
 *
 * The table may be mapped anywhere: it refers to its parts by index. A mutex guards it, held for a few
 * microseconds, and nothing is waited for under it. Waiters are not woken here but listed: the thread that
 * makes a request leave tells those that were granted theirs by it, after the mutex. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dart__range_table dart__range_table_t;

/* Numbers first to last, both included. */
typedef struct {
  uint64_t first;
  uint64_t last;
  uint64_t exclusive; /* 0: shared */
} dart__span_t;

/* How to reach a unit that waits. `flag` and `unit` have no meaning here. */
typedef struct {
  uint64_t flag;
  int32_t  unit;
  uint32_t wants_hint; /* is told when it is likely to be next; 0 or 1 */
} dart__range_waiter_t;

typedef enum {
  DART__RANGE_HELD,  /* all spans are held */
  DART__RANGE_WAITS, /* the waiter will be listed when they are */
  DART__RANGE_NEXT,  /* it waits, and its blocker holds its spans: it is likely to be next */
  DART__RANGE_BUSY,  /* somebody is before the request, which may not wait: nothing has changed */
  DART__RANGE_FULL,  /* the table has no room for the spans: nothing has changed */
  DART__RANGE_GONE   /* of a far table (range_table.h): its unit is lost */
} dart__range_state_t;

/** Bytes of a table for `capacity` spans, at most 2^24, of all requests together. */
size_t dart__range_bytes(uint32_t capacity);

/** Make it an empty table, before others know of it. */
void dart__range_format(dart__range_table_t *table, uint32_t capacity);

/** Where units may be lost: whether one is; NULL: none is ever. Then a request is not in the way of others if its unit is,
 *  and a table that such a unit has left half changed is put in order. Before tables are used. */
void dart__range_set_robust(bool (*is_lost)(int32_t unit));

/** A request for `n` > 0 spans, all or nothing. `*ticket_out`, not 0, names it if it is held or waits. */
dart__range_state_t dart__range_enter(dart__range_table_t        *table,
                                      const dart__range_waiter_t *waiter, const dart__span_t *spans,
                                      size_t n, bool may_wait, uint64_t *ticket_out);

/** The request, which holds its spans, leaves. Then as dart__range_granted. `*soon_out`, unless it is NULL: the
 *  waiter of one whose blocker was granted its spans by this, so that it is likely to be next; unit -1: there is
 *  none. */
size_t dart__range_leave(dart__range_table_t *table, uint64_t ticket, dart__range_waiter_t *granted,
                         size_t most, dart__range_waiter_t *soon_out);

/** All requests of a unit that are held leave, of however many: at most `most` of those by this granted are listed. */
size_t dart__range_leave_all(dart__range_table_t *table, int32_t unit,
                             dart__range_waiter_t *granted, size_t most);

/** The requests of units that are lost leave, but those that are held and nobody waits for: the next holder is to be told.
 *  Then as dart__range_granted. */
size_t dart__range_leave_lost(dart__range_table_t *table, dart__range_waiter_t *granted,
                              size_t most);

/** Whether a request holds its spans; `*is_broken_out`: one in its way was held by a unit that is lost. */
bool dart__range_is_held(dart__range_table_t *table, uint64_t ticket, bool *is_broken_out);

/** A request that waits leaves. False: it holds its spans by now, and its waiter is told, or will be. */
bool dart__range_cancel(dart__range_table_t *table, uint64_t ticket, dart__range_waiter_t *granted,
                        size_t most, size_t *ngranted_out);

/** Waiters whose requests are held now, at most `most`, each listed once; returns their number. The caller
 *  tells them, and asks again if there were `most`. */
size_t dart__range_granted(dart__range_table_t *table, dart__range_waiter_t *granted, size_t most);

#endif
