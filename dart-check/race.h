#ifndef DART__CHECK_RACE_H
#define DART__CHECK_RACE_H
/* Accesses of units to memory of all, in a log, until they are compared. */
#include "check.h"
#include "clock.h"
#include "opening.h"

typedef enum {
  DART__ACCESS_GET,
  DART__ACCESS_PUT,
  DART__ACCESS_READ,  /* an atomic that changes nothing */
  DART__ACCESS_UPDATE /* one that may */
} dart__access_kind_t;

#define DART__ACCESS_UNDER_WAY UINT64_MAX

/** Bytes in a row that a unit has accessed by one call. */
typedef struct {
  uint64_t offset, nbytes;
  uint64_t start; /* dart__check_now at the call */
  uint64_t end;   /* and when it was complete */
  uint64_t
      from; /* the address that the call returns to; as dart__check_place_number for other units */
  uint32_t
      row; /* the clock at the call; of an atomic read or the get of a word, when its result was there */
  uint32_t
      unread_row; /* the same without what a get of this word has found, see log_got in race.c */
  int32_t  unit, owner;
  int16_t  team, segment;
  uint16_t call;
  uint16_t type;    /* of an atomic, as dart__check_type_number; 0: any integer of 8 bytes */
  uint8_t  kind;    /* dart__access_kind_t */
  bool     is_word; /* one aligned element of at most 8 bytes */
  bool     is_sync; /* of a word for which the unit has waited, or that it polls */
  bool
          is_updated; /* of a word that the unit gets and puts by turns; counts where another one does so, too */
  uint8_t lock; /* dart__check_epoch_kind_t of the lock of the portion that it was with, or 0 */
} dart__access_t;

/** A call that is being logged. */
typedef struct {
  uint32_t            first, n; /* in the log; n 0: not there */
  uint32_t            cycle;    /* of the log */
  bool                is_on;    /* it counts */
  bool                acquires; /* when its result is there */
  dart__access_kind_t kind;
  dart__check_place_t place; /* of the word */

  dart__check_epoch_kind_t epoch;
  dart__check_opening_t    opening; /* what it comes after, besides what came before its call */
} dart__check_ticket_t;

/** Log an access, before the call; and pass on the clock if others may see by it what came before. */
void dart__check_race(dart__check_ticket_t *ticket_out, dart_gptr_t gptr, uint64_t nelem,
                      dart_datatype_t type, dart__access_kind_t kind, dart__at_t at);

/** The call has returned `ret`, and what is OK is complete. (What is under way: underway.h.) */
void dart__check_race_returned(const dart__check_ticket_t *ticket, dart_ret_t ret);

/** In an epoch the call has waited until its target could be accessed. */
void dart__check_race_began(dart__check_ticket_t *ticket);

/** What can be accessed now has passed on a clock. */
void dart__check_race_opened(dart__check_opening_t opening);

/** The unit is about to raise a flag by a notification, or has waited for a word. */
void dart__check_race_notify(dart_gptr_t flag, dart__at_t at);
void dart__check_race_waited(dart_gptr_t gptr);

/** The segment was freed, and its id may be another one's. */
void dart__check_race_freed(dart_gptr_t gptr);

/* ---- the log -------------------------------------------------------------------------------------- */

enum { DART__CHECK_LOG = 32768 /* accesses */ };

void dart__check_log_open(void);
void dart__check_log_forget_all(void);

/** The log and how many accesses it has. */
dart__access_t *dart__check_log(uint32_t *n_out);

/** Set where the accesses of a call end (with the lock; false: the log has gone on without them); forget them, as the
 *  call has failed; its result is there: take over the clock of its word, after which what only reads has come. */
bool dart__check_log_end(const dart__check_ticket_t *ticket, uint64_t end);
void dart__check_log_forget(const dart__check_ticket_t *ticket);
void dart__check_log_result(const dart__check_ticket_t *ticket);

/** The operation came after what was passed on in `clock`, if it is not that its lock has come to it after others'. */
void dart__check_log_after(const dart__check_ticket_t *ticket, const uint64_t *clock);

/** The first `n` were compared: keep those that are under way. With the lock. Returns where each entry of the log is
 *  now, to be freed; a new cycle of the log has begun. */
uint32_t *dart__check_log_compared(uint32_t n);

/** Whether the unit has lost an order: then nothing is reported any more. */
bool dart__check_order_lost(void);
void dart__check_lose_order(const char *why);

#endif
