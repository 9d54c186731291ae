#ifndef DART__CHECK_RACE_H
#define DART__CHECK_RACE_H
/* A log of this unit's accesses to memory of all units, which is kept until the accesses are compared. */
#include "check.h"
#include "clock.h"
#include "opening.h"

typedef enum {
  DART__ACCESS_GET,
  DART__ACCESS_PUT,
  DART__ACCESS_READ,  /* an atomic that changes nothing */
  DART__ACCESS_UPDATE /* an atomic that may change its target */
} dart__access_kind_t;

#define DART__ACCESS_UNDER_WAY UINT64_MAX

/** Contiguous bytes that a unit has accessed by one call. */
typedef struct {
  uint64_t offset, nbytes;
  uint64_t start;      /* dart__check_now at the call */
  uint64_t end;        /* and when it was complete */
  uint64_t from;       /* return address of the call; to others dart__check_place_number */
  uint32_t row;        /* the clock at the call, or when a word read is complete */
  uint32_t unread_row; /* the same, without what a get of the word has found */
  int32_t  unit, owner;
  int16_t  team, segment;
  uint16_t call;
  uint16_t type;       /* of an atomic, see dart__check_type_number; 0: any 8-byte integer */
  uint8_t  kind;       /* dart__access_kind_t */
  bool     is_word;    /* one aligned element of at most 8 bytes */
  bool     is_sync;    /* the unit has waited for the word, or polls it */
  bool     is_updated; /* gets and puts alternate; counts if another unit does so, too */
  uint8_t  lock;       /* of the portion: dart__check_epoch_kind_t; 0: none */
} dart__access_t;

/** A call that is being logged. */
typedef struct {
  uint32_t            first, n; /* entries of the log; n 0: none */
  uint32_t            cycle;    /* of the log */
  bool                is_on;    /* the call is logged */
  bool                acquires; /* when its result is complete */
  dart__access_kind_t kind;
  dart__check_place_t place; /* of the word */

  dart__check_epoch_kind_t epoch;
  dart__check_opening_t    opening; /* of an epoch: comes before the operation */
} dart__check_ticket_t;

/** Log an access, before the call. If other units may continue after they see it, publish the clock. */
void dart__check_race(dart__check_ticket_t *ticket_out, dart_gptr_t gptr, uint64_t nelem,
                      dart_datatype_t type, dart__access_kind_t kind, dart__at_t at);

/** The call has returned `ret`, and if it is OK the access is complete. (For outstanding accesses, see underway.h.) */
void dart__check_race_returned(const dart__check_ticket_t *ticket, dart_ret_t ret);

/** In an epoch, the call has waited until its target could be accessed. */
void dart__check_race_began(dart__check_ticket_t *ticket);

/** This unit may access memory from now on: acquire the clocks that were published for it. */
void dart__check_race_opened(dart__check_opening_t opening);

/** The unit is about to raise a flag by a notification; it has waited for a word. */
void dart__check_race_notify(dart_gptr_t flag, dart__at_t at);
void dart__check_race_waited(dart_gptr_t gptr);

/** The segment is freed, and its id may be used again. */
void dart__check_race_freed(dart_gptr_t gptr);

/* ---- the log -------------------------------------------------------------------------------------- */

enum { DART__CHECK_LOG = 32768 /* accesses */ };

void dart__check_log_open(void);
void dart__check_log_forget_all(void);

/** The log, and how many accesses it has. */
dart__access_t *dart__check_log(uint32_t *n_out);

/** Of the accesses of a call: `end` sets where they end, with the lock; false: they were dropped from the log. `forget`
 *  drops them, as the call has failed. `result`: the result is complete, so acquire the clock of its word; accesses
 *  that only read come after that. */
bool dart__check_log_end(const dart__check_ticket_t *ticket, uint64_t end);
void dart__check_log_forget(const dart__check_ticket_t *ticket);
void dart__check_log_result(const dart__check_ticket_t *ticket);

/** The operation came after what was published in `clock`. Accesses under a lock do not: the lock may have come to them
 *  by chance. */
void dart__check_log_after(const dart__check_ticket_t *ticket, const uint64_t *clock);

/** The first `n` entries were compared: keep only those that are outstanding, and begin a new cycle of the log. Returns
 *  the new index of each old entry, which the caller frees. With the lock. */
uint32_t *dart__check_log_compared(uint32_t n);

/** Whether the unit has lost an order, so that races can no longer be reported. */
bool dart__check_order_lost(void);
void dart__check_lose_order(const char *why);

#endif
