/* Operations that travel with their lock, and unlocks that do not wait (DART_EPOCH_LAZY): epoch/unlock.c,
 * dart-base/epoch/epoch_origin.c, dart-base/epoch/epoch_target.c, note_granted there.
 *
 * A request (DART__LOCK_APPLY) brings few operations; the target applies them when the lock is its request's, and
 * leaves it. If that is at once, the reply has what gets have read; if not, the reply says so, and a control message
 * (DART__EPOCH_GRANTED) brings it later, which may overtake the reply. A lazy request has no reply: its control message
 * is counted, and a synchronisation waits for the count (dart__progress_settle). So is the message that leaves a held
 * lock lazily. While a unit holds a lock it waits for no count, neither in a synchronisation nor to bound it.
 *
 * Claims. What travels is applied under the lock: nobody else is in (assertion). A get has in its buffer what was there
 * then, whichever way that came, and in whichever order (assertion). A control message comes for a request that waits
 * for one (assertion: it names memory of the origin's stack). A synchronisation without an open lock epoch returns only
 * when all lazy unlocks of the unit are applied, or refused (assertion). And of units that take locks in ascending
 * order, held ones and those of an unlock, none waits for ever, however many lazy unlocks are under way (no invalid end
 * state).
 *
 * Bounds. Two units do STEPS0 and STEPS1 calls, each any of: lock a portion with an operation that starts, so that it is
 * held; unlock one with operations that travel, LAZY or not; leave all that is held; a synchronisation. ROLES: LAZY
 * unlocks and synchronisations are the first unit's alone, those that wait the second's. PORTIONS portions, of which each
 * call names one above all that are held. LAZY_MOST unlocks may be under way while nothing is held. GONE: the last
 * portion ends at some time.
 *
 * Left out: shared locks and near units, which are rwlock.pml's. All locks are exclusive here, and so the tickets of
 * a portion are a queue. Batches and their order are lane.pml's: a pair of units has a channel for each kind of message.
 *
 * run: any_calls    -DSTEPS0=2 -DSTEPS1=2 -DPORTIONS=2 -DLAZY_MOST=1
 * run: more_lazy    -DSTEPS0=3 -DSTEPS1=1 -DPORTIONS=1 -DLAZY_MOST=2
 * run: three_locks  -DSTEPS0=3 -DSTEPS1=2 -DPORTIONS=3 -DLAZY_MOST=1 -DROLES
 * run: gone         -DSTEPS0=2 -DSTEPS1=1 -DPORTIONS=2 -DLAZY_MOST=1 -DGONE
 * large: any_longer -DSTEPS0=3 -DSTEPS1=2 -DPORTIONS=2 -DLAZY_MOST=1
 * mutant: one_place_for_data     -DSTEPS0=1 -DSTEPS1=1 -DPORTIONS=1 -DLAZY_MOST=1
 * mutant: takes_the_reply        -DSTEPS0=1 -DSTEPS1=1 -DPORTIONS=1 -DLAZY_MOST=1
 * mutant: applies_at_once        -DSTEPS0=1 -DSTEPS1=1 -DPORTIONS=1 -DLAZY_MOST=1
 * mutant: synchronises_by_acks   -DSTEPS0=1 -DSTEPS1=1 -DPORTIONS=1 -DLAZY_MOST=1
 * mutant: settles_while_locking  -DSTEPS0=3 -DSTEPS1=2 -DPORTIONS=2 -DLAZY_MOST=1 -DROLES
 * mutant: waits_for_room         -DSTEPS0=3 -DSTEPS1=2 -DPORTIONS=3 -DLAZY_MOST=1 -DROLES
 * mutant: forgets_the_refused    -DSTEPS0=1 -DSTEPS1=0 -DPORTIONS=1 -DLAZY_MOST=1 -DGONE
 * mutant: forgets_who_waits      -DSTEPS0=1 -DSTEPS1=1 -DPORTIONS=1 -DLAZY_MOST=1 -DGONE
 */

#define UNITS 2

mtype = { ASK, APPLY, LAZY, LEAVE, LEAVE_LAZILY, DONE, WAITS, REFUSED };

#define AT(me, p) (me * PORTIONS + p)
#define LAZY_EVER (STEPS0 + STEPS1)

chan requests[UNITS * PORTIONS] = [LAZY_EVER + 2] of { mtype }; /* of a unit about a portion */
chan replies[UNITS] = [1] of { mtype, byte };             /* result, data[0] */
chan words[UNITS]   = [LAZY_EVER + 1] of { mtype, byte }; /* LAZY, DONE or REFUSED; data[1] */
chan waiting[PORTIONS] = [LAZY_EVER + UNITS] of { byte, mtype };

bool is_gone[PORTIONS];
bool is_locked[PORTIONS]; /* dart__rwlock_t, with `waiting` */
byte value[PORTIONS];     /* memory: each operation that travels reads it and adds 1 */
bool is_held[PORTIONS];   /* a ghost: by a unit that starts operations itself */

/* dart__epoch_request_t of each unit */
mtype result[UNITS];
mtype granted[UNITS]; /* DONE, or REFUSED */
bool is_used[UNITS];
byte data0[UNITS], data1[UNITS];
byte read[UNITS]; /* a ghost: what was there */
byte lazy_sent[UNITS], lazy_done[UNITS];
byte lazy_applied[UNITS]; /* a ghost: or refused */

/* ---- the target's side: serve_epoch, and send_grant ---- */

#ifdef MUTANT_one_place_for_data
#define DATA1 data0
#else
#define DATA1 data1
#endif

/* `apply` */
inline apply(unit, kind)
{
  assert(!is_held[p] || kind == ASK);
  if
  :: kind == LAZY -> value[p]++; lazy_applied[unit]++
  :: kind == APPLY -> read[unit] = value[p] + 1; value[p]++
  :: kind == ASK -> is_held[p] = true
  fi;
  is_locked[p] = (kind == ASK)
}

/* `serve_ask` */
inline ask(unit, kind)
{
  if
#ifdef MUTANT_applies_at_once
  :: !is_locked[p] || kind == APPLY ->
#else
  :: !is_locked[p] ->
#endif
    apply(unit, kind);
    if
    :: kind == LAZY -> words[unit]!LAZY,0
    :: kind == APPLY -> replies[unit]!DONE,read[unit]
    :: kind == ASK -> replies[unit]!DONE,0
    fi
  :: else ->
    waiting[p]!unit,kind;
    if
    :: kind == LAZY
    :: else -> replies[unit]!WAITS,0
    fi
  fi
}

/* A request for a segment that has ended. */
inline refuse(unit, kind)
{
  if
#ifndef MUTANT_forgets_the_refused
  :: kind == LAZY -> lazy_applied[unit]++; words[unit]!LAZY,0
#else
  :: kind == LAZY -> lazy_applied[unit]++
#endif
  :: kind == LEAVE_LAZILY -> lazy_applied[unit]++; words[unit]!LAZY,0
  :: kind == LEAVE
  :: else -> replies[unit]!REFUSED,0
  fi
}

proctype Taker(byte p; byte unit)
{
  mtype kind;

end:
  do
  :: atomic {
       requests[AT(unit, p)]?kind;
       if
       :: is_gone[p] -> refuse(unit, kind)
       :: !is_gone[p] && kind == LEAVE -> is_held[p] = false; is_locked[p] = false
       :: !is_gone[p] && kind == LEAVE_LAZILY ->
         is_held[p]   = false;
         is_locked[p] = false;
         lazy_applied[unit]++;
         words[unit]!LAZY,0
       :: else -> ask(unit, kind)
       fi;
       kind = 0
     }
  od
}

/* dart__grants_serve: look_for_lock */
proctype Server(byte p)
{
  byte unit;
  mtype kind;

end:
  do
  :: atomic {
       !is_gone[p] && !is_locked[p] && nempty(waiting[p]);
       waiting[p]?unit,kind;
       is_locked[p] = true;
       apply(unit, kind);
       words[unit]!(kind == LAZY -> LAZY : DONE),(kind == APPLY -> read[unit] : 0);
       unit = 0;
       kind = 0
     }
#ifndef MUTANT_forgets_who_waits
  :: atomic {
       is_gone[p] && nempty(waiting[p]);
       waiting[p]?unit,kind;
       lazy_applied[unit] = lazy_applied[unit] + (kind == LAZY);
       words[unit]!(kind == LAZY -> LAZY : REFUSED),0;
       unit = 0;
       kind = 0
     }
#endif
  od
}

/* The segment ends. */
proctype Ender(byte p)
{
  atomic { is_gone[p] = true; is_held[p] = false }
}

/* ---- the origin's side ---- */

proctype Receiver(byte me)
{
  mtype what;
  byte data;

end:
  do
  :: atomic {
       replies[me]?what,data;
       data0[me]  = data;
       result[me] = what;
       what       = 0;
       data       = 0
     }
  :: atomic { /* note_granted */
       words[me]?what,data;
       if
       :: what == LAZY -> lazy_done[me]++
       :: else ->
         assert(is_used[me] && granted[me] == 0);
         DATA1[me]   = data;
         granted[me] = what
       fi;
       what = 0;
       data = 0
     }
  od
}

#define WAS_REFUSED (result[me] == REFUSED || granted[me] == REFUSED)

/* `serve_round`, of one request: `answered`, and use_late if need be */
inline request(kind)
{
  atomic {
    is_used[me] = true;
    requests[AT(me, p)]!kind
  }
  atomic {
    result[me] != 0;
    if
    :: result[me] == DONE -> got = data0[me]
    :: else -> got = 0
    fi
  }
#ifndef MUTANT_takes_the_reply
  atomic {
    result[me] != WAITS || granted[me] != 0;
    got = (granted[me] != 0 -> DATA1[me] : got)
  }
#endif
  atomic {
    assert(kind != APPLY || WAS_REFUSED || got == read[me]); /* take_data */
    if
    :: kind == ASK && !WAS_REFUSED -> held[p] = true; nheld++; least = p + 1
    :: else
    fi;
    is_used[me] = false;
    granted[me] = 0;
    result[me]  = 0;
    data0[me]   = 0;
    data1[me]   = 0;
    read[me]    = 0;
    got         = 0
  }
}

#define NLAZY (lazy_sent[me] - lazy_done[me])

/* send_lazily; nobody waits for room with a lock held */
inline unlock_lazily()
{
  atomic {
#ifdef MUTANT_waits_for_room
    NLAZY < LAZY_MOST;
#else
    NLAZY < LAZY_MOST || nheld > 0;
#endif
    lazy_sent[me]++;
    requests[AT(me, p)]!LAZY
  }
}

/* leave_far */
inline leave_all(word)
{
  atomic {
    p = 0;
    do
    :: p < PORTIONS ->
      if
      :: held[p] ->
        lazy_sent[me] = lazy_sent[me] + (word == LEAVE_LAZILY);
        requests[AT(me, p)]!word;
        held[p] = false
      :: else
      fi;
      p++
    :: else -> break
    od;
    p     = 0;
    nheld = 0;
    least = 0
  }
}

/* dart__progress_settle_lazy */
inline synchronise()
{
  if
#ifdef MUTANT_settles_while_locking
  :: true ->
#else
  :: nheld == 0 ->
#endif
#ifndef MUTANT_synchronises_by_acks
    lazy_done[me] == lazy_sent[me];
#else
    empty(requests[AT(me, 0)]);
#endif
    assert(lazy_applied[me] == lazy_sent[me])
#ifndef MUTANT_settles_while_locking
  :: else
#endif
  fi
}

#ifdef ROLES
#define MAY_BE_LAZY (me == 0)
#define MAY_WAIT    (me == 1)
#else
#define MAY_BE_LAZY true
#define MAY_WAIT    true
#endif

proctype Unit(byte me; byte steps)
{
  byte step, p, got, nheld, least;
  bool held[PORTIONS];

  for (step : 1 .. steps) {
    atomic {
      p = least;
      do
      :: p < PORTIONS - 1 -> p++
      :: break
      od
    }
    if
    :: least < PORTIONS -> request(ASK)
    :: least < PORTIONS && MAY_WAIT -> request(APPLY)
    :: least < PORTIONS && MAY_BE_LAZY -> unlock_lazily()
    :: nheld > 0 && MAY_WAIT -> leave_all(LEAVE)
    :: nheld > 0 && MAY_BE_LAZY -> leave_all(LEAVE_LAZILY)
    :: MAY_BE_LAZY -> synchronise()
    fi;
    p = 0
  }
  leave_all(LEAVE);
  synchronise()
}

init
{
  byte i, j;

  atomic {
    for (i : 0 .. PORTIONS - 1) {
      for (j : 0 .. UNITS - 1) {
        run Taker(i, j)
      }
      run Server(i)
    }
#ifdef GONE
    run Ender(PORTIONS - 1);
#endif
    for (i : 0 .. UNITS - 1) {
      run Receiver(i);
      run Unit(i, (i == 0 -> STEPS0 : STEPS1))
    }
  }
}
