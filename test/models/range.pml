/* Range locks: the tables of several units (lock/range.c, lock/range_calls.c, lock/range_table.c).
 *
 * Each number belongs to a unit's table. A request asks the tables of its numbers in ascending order, the next one when it
 * holds its spans in the one before. In a table a request that conflicts with older ones waits for one of them (`blocker`),
 * at first the newest; when that leaves it waits for another older one, and if there is none it holds, and is listed once
 * for whoever tells it. A far table is worked on by its unit, in the midst of receiving (`called_table`), which lists whom
 * it lets in among the grants (tell_later); dart__grants_tell then tells them, outside.
 *
 * Claims. Who holds a number exclusively holds it alone (assertion). A request is granted in a table when no older one
 * that conflicts with it is there (assertion), so it is passed by nobody in it. A waiter is told once of each grant, also
 * of one that came as its time was over (assertion), and after a release, or without success, is in no table (assertion; a
 * far release is under way). And nobody waits for ever, whatever the requests, with time limits and
 * without (no invalid end state): all or nothing over several tables without deadlock, and no grant is lost between
 * a release, a request that gives up, and dart__grants_tell.
 *
 * Bounds. UNITS units make a request each, the first ROUNDS of them, each for any one of two numbers, or both, shared or
 * exclusive, that waits, waits for some time, or tries. FEW: two wait, the first of them for
 * exclusive ones, and the last waits for some time. There is a table for each number. FAR: the tables are far from all
 * units; else they are near, and worked on by the units themselves.
 *
 * Left out: the tree, which test/lock/node_range.c compares with a list; the hint that a request is next; more spans of a
 * request than one. A table's mutex makes each operation on it a step; whom it lists is told in later ones.
 *
 * Limit. passed_in_the_next: fairness is a table's. A request that waits in one is passed in a later one by a younger one
 * that wants numbers of that one alone.
 *
 * run: near       -DUNITS=2 -DROUNDS=1
 * run: near_three -DUNITS=3 -DROUNDS=1 -DFEW
 * run: far        -DUNITS=2 -DROUNDS=1 -DFAR
 * large: again     -DUNITS=2 -DROUNDS=2
 * large: far_three -DUNITS=3 -DROUNDS=1 -DFAR -DFEW
 * mutant: asks_in_any_order    -DUNITS=2 -DROUNDS=1
 * mutant: does_not_look_again  -DUNITS=3 -DROUNDS=1 -DFEW
 * mutant: waits_for_younger    -DUNITS=3 -DROUNDS=1 -DFEW
 * mutant: keeps_the_first      -DUNITS=2 -DROUNDS=1
 * mutant: forgets_a_late_grant -DUNITS=2 -DROUNDS=1
 * mutant: clears_after_it_tells -DUNITS=2 -DROUNDS=1 -DFAR
 * limit: passed_in_the_next    -DUNITS=3 -DROUNDS=1 -DFEW
 */

#define TABLES 2
#define AT(t, unit) (t * UNITS + unit)

mtype = { HELD, STAYS, BUSY, LEFT };        /* dart__range_state_t; LEFT: a request that gave up */
mtype = { ASK_ENTER, ASK_TRY, ASK_LEAVE, ASK_CANCEL };

/* dart__range_table_t: a request of each unit at most */
bool is_in[TABLES * UNITS], is_held[TABLES * UNITS], is_granted[TABLES * UNITS];
byte age[TABLES * UNITS], blocker[TABLES * UNITS]; /* blocker: a unit and 1; 0: none */
byte newest[TABLES];

bool is_exclusive[UNITS];
byte counter[UNITS]; /* of a waiter; DART__TABLE_GRANTED */
byte untold; /* a bit of each unit that dart__grants_tell is going to tell */

/* Ghosts: holders of a number; when a request began, 0: it has not, or is over; and its numbers. */
byte shared[TABLES], exclusive[TABLES];
byte began[UNITS], clock, numbers[UNITS];

#define CONFLICTS(a, b) (a != b && (is_exclusive[a] || is_exclusive[b]))

/* ---- a table: lock/range.c ---- */

/* `enter_request`, newest_blocker */
inline enter(t, unit, may_wait)
{
  d_step {
    state = HELD;
    found = 0;
    for (i : 0 .. UNITS - 1) {
      if
      :: is_in[AT(t, i)] && CONFLICTS(i, unit) &&
         (found == 0 || age[AT(t, i)] > age[AT(t, found - 1)]) -> found = i + 1
      :: else
      fi
    }
    if
    :: found > 0 && !may_wait -> state = BUSY
    :: else ->
      newest[t]++;
      is_in[AT(t, unit)]    = true;
      age[AT(t, unit)]      = newest[t];
      blocker[AT(t, unit)]  = found;
      is_held[AT(t, unit)]  = found == 0;
      state = (found == 0 -> HELD : STAYS)
    fi;
    found = 0;
    i     = 0
  }
}

#ifdef MUTANT_waits_for_younger
#define IS_BEHIND(a, b) true
#else
#define IS_BEHIND(a, b) (age[a] > age[b])
#endif

/* `grant` */
inline grant(t, unit)
{
  for (j : 0 .. UNITS - 1) {
    assert(!(is_in[AT(t, j)] && CONFLICTS(j, unit) && age[AT(t, j)] < age[AT(t, unit)]))
  }
  j = 0;
  is_held[AT(t, unit)]    = true;
  is_granted[AT(t, unit)] = true
}

/* look_again */
inline look_again(t, unit)
{
  blocker[AT(t, unit)] = 0;
#ifndef MUTANT_does_not_look_again
  for (j : 0 .. UNITS - 1) {
    if
    :: is_in[AT(t, j)] && CONFLICTS(j, unit) && IS_BEHIND(AT(t, unit), AT(t, j)) ->
      blocker[AT(t, unit)] = j + 1
    :: else
    fi
  }
  j = 0;
#endif
  if
  :: blocker[AT(t, unit)] == 0 -> grant(t, unit)
  :: else
  fi
}

/* `remove_request` */
inline leave(t, unit)
{
  is_in[AT(t, unit)]   = false;
  is_held[AT(t, unit)] = false;
  for (i : 0 .. UNITS - 1) {
    if
    :: is_in[AT(t, i)] && blocker[AT(t, i)] == unit + 1 -> look_again(t, i)
    :: else
    fi
  }
  age[AT(t, unit)]     = 0;
  blocker[AT(t, unit)] = 0;
  i = 0
}

/* `cancel`, dart__range_cancel */
inline cancel(t, unit)
{
  if
  :: is_held[AT(t, unit)] -> state = HELD
  :: else -> leave(t, unit); state = LEFT
  fi
}

#define HAS_GRANTED(t) (is_granted[AT(t, 0)] || is_granted[AT(t, 1)] || is_granted[AT(t, UNITS - 1)])

/* list_granted: one of them */
inline tell_one(t)
{
  atomic {
    HAS_GRANTED(t);
    i = 0;
    do
    :: i < UNITS && !is_granted[AT(t, i)] -> i++
    :: else -> break
    od;
    is_granted[AT(t, i)] = false;
    listed               = i + 1;
    i                    = 0
  }
  atomic { counter[listed - 1]++; listed = 0 } /* `tell` */
}

/* tell_all */
inline tell_all(t)
{
  do
  :: tell_one(t)
  :: !HAS_GRANTED(t) -> break
  od
}

/* ---- requests to a table: lock/range_table.c ---- */

#ifdef FAR

chan calls[TABLES * UNITS] = [2] of { mtype };
chan answers[UNITS]        = [1] of { mtype };

/* tell_later: those that the table lists */
inline tell_later(t)
{
  for (i : 0 .. UNITS - 1) {
    if
    :: is_granted[AT(t, i)] ->
      is_granted[AT(t, i)] = false;
      assert((untold & (1 << i)) == 0);
      untold = untold | (1 << i)
    :: else
    fi
  }
  i = 0
}

/* `called_table`, for what one unit asks of a table */
proctype Taker(byte t; byte unit)
{
  mtype kind, state;
  byte i, j, found;

end:
  do
  :: atomic {
       calls[AT(t, unit)]?kind;
       if
       :: kind == ASK_ENTER -> enter(t, unit, true); answers[unit]!state
       :: kind == ASK_TRY -> enter(t, unit, false); answers[unit]!state
       :: kind == ASK_LEAVE -> leave(t, unit); tell_later(t)
       :: kind == ASK_CANCEL -> cancel(t, unit); answers[unit]!state; tell_later(t)
       fi;
       kind  = 0;
       state = 0
     }
  od
}

/* dart__grants_serve and dart__grants_tell, again and again: by progress */
proctype Teller()
{
  byte i, taken;

end:
  do
  :: atomic {
       untold != 0 ->
       taken = untold;
#ifndef MUTANT_clears_after_it_tells
       untold = 0
#endif
     }
    for (i : 0 .. UNITS - 1) {
      counter[i] = counter[i] + ((taken >> i) & 1)
    }
    i     = 0;
    taken = 0;
#ifdef MUTANT_clears_after_it_tells
    untold = 0
#endif
  od
}

#define CALL_ENTER(may_wait)                                          \
  calls[AT(t, me)]!(may_wait -> ASK_ENTER : ASK_TRY);                 \
  answers[me]?state
#define CALL_LEAVE  calls[AT(t, me)]!ASK_LEAVE
#define CALL_CANCEL calls[AT(t, me)]!ASK_CANCEL; answers[me]?state

#else

#define CALL_ENTER(may_wait) enter(t, me, may_wait)
#define CALL_LEAVE           atomic { leave(t, me) }; tell_all(t)
#define CALL_CANCEL          atomic { cancel(t, me) }; tell_all(t)

#endif

/* ---- a unit: lock/range_calls.c ---- */

#ifdef FEW
#define MAY_SHARE (me > 0)
#else
#define MAY_SHARE true
#endif

/* acquire_part, wait_for_grant */
inline acquire_part()
{
  CALL_ENTER(waits);
  if
  :: state == STAYS && has_limit ->
    if
    :: counter[me] > told
    :: true -> /* timed out */
      CALL_CANCEL;
#ifdef MUTANT_forgets_a_late_grant
      state = LEFT;
#endif
      if
      :: state == HELD -> counter[me] > told
      :: else
      fi
    fi;
    told = told + (state != LEFT)
  :: state == STAYS && !has_limit -> counter[me] > told; told++
  :: else
  fi;
  assert(state == LEFT || counter[me] == told)
}

/* release_parts: of tables below `end` */
inline release_parts(end)
{
  t = end;
  do
  :: t > 0 ->
    t--;
    if
    :: mine & (1 << t) -> CALL_LEAVE
    :: else
    fi
  :: else -> break
  od
}

inline use()
{
  d_step {
    for (i : 0 .. TABLES - 1) {
      if
      :: mine & (1 << i) ->
        shared[i]    = shared[i] + !is_exclusive[me];
        exclusive[i] = exclusive[i] + is_exclusive[me];
        assert(exclusive[i] == 0 || (exclusive[i] == 1 && shared[i] == 0))
      :: else
      fi
    }
#ifdef LIMIT_passed_in_the_next
    for (i : 0 .. UNITS - 1) {
      assert(!(began[i] > 0 && began[i] < began[me] && CONFLICTS(i, me) && (numbers[i] & mine)))
    }
#endif
    began[me] = 0;
    i         = 0
  }
  d_step {
    for (i : 0 .. TABLES - 1) {
      if
      :: mine & (1 << i) ->
        shared[i]    = shared[i] - !is_exclusive[me];
        exclusive[i] = exclusive[i] - is_exclusive[me]
      :: else
      fi
    }
    i = 0
  }
}

proctype Unit(byte me)
{
  byte round, mine, t, told, i, j, found, listed;
  bool waits, has_limit;
  mtype state;

  for (round : 1 .. ROUNDS) {
    atomic { /* dart_range_acquire */
      if
      :: mine = 1
      :: mine = 2
      :: mine = 3
      fi;
      if
      :: MAY_SHARE -> is_exclusive[me] = false
      :: is_exclusive[me] = true
      fi;
#ifdef FEW
      waits     = true;
      has_limit = me == UNITS - 1;
#else
      if
      :: waits = false; has_limit = false
      :: waits = true; has_limit = false
      :: waits = true; has_limit = true
      fi;
#endif
#ifdef LIMIT_passed_in_the_next
      clock++;
      began[me]   = (waits -> clock : 0);
      numbers[me] = mine;
#endif
      t = 0
    }
#ifdef MUTANT_asks_in_any_order
    if
    :: mine == 3 && me == 1 && waits && !has_limit ->
      t = 1;
      acquire_part();
      t = 0;
      acquire_part();
      t = TABLES;
      state = HELD;
      goto holds
    :: else
    fi;
#endif
    do /* acquire_parts: from next_unit to next_unit */
    :: t < TABLES && (mine & (1 << t)) ->
      acquire_part();
      if
      :: state == LEFT || state == BUSY -> break
      :: else -> t++
      fi
    :: t < TABLES && !(mine & (1 << t)) -> t++
    :: t == TABLES -> break
    od;
holds:
    if
    :: t == TABLES -> use(); release_parts(TABLES)
    :: else ->
      began[me] = 0;
#ifndef MUTANT_keeps_the_first
      release_parts(t)
#endif
    fi;
#ifndef FAR
    assert(!is_in[AT(0, me)] && !is_in[AT(1, me)])
#endif
    atomic { mine = 0; t = 0; state = 0; waits = false; has_limit = false }
  }
}

init
{
  byte i, j;

  atomic {
#ifdef FAR
    for (i : 0 .. TABLES - 1) {
      for (j : 0 .. UNITS - 1) {
        run Taker(i, j)
      }
    }
    run Teller();
#endif
    for (i : 0 .. UNITS - 1) {
      run Unit(i)
    }
  }
}
