/* Post, start, complete, wait between nodes, with accesses that run ahead of their post: epoch/pscw.c,
 * dart-base/epoch/epoch_target.c. An origin whose operations are few and short sends them with the control message that
 * ends the access (DART__LOCK_COMPLETED), though the post has not come, if all posts before have; the target keeps them
 * until it posts. Others wait for the post, and are applied when they come.
 *
 * Claims. The operations of an origin's k-th access are applied while the target is exposed for the k-th time, once
 * (assertion). Wait returns when those of all origins are (assertion). A target keeps at most one access of each origin
 * (assertion). All ends: nobody waits for a message that nobody sends (invalid end state).
 *
 * Bounds. ORIGINS origins, one target, ROUNDS epochs; whether an access is short is any. The target's main thread posts
 * and waits; another thread receives, and looks at what it keeps after messages and now and then. Messages of a pair
 * come in order. POSTED travels alone; in the code it may travel with what is sent next, which is no other order.
 *
 * Memory order. `exposed` is released before the control message is sent, and both threads' accesses are taken in this
 * order.
 *
 * run: one_origin       -DORIGINS=1 -DROUNDS=4
 * run: two_origins      -DORIGINS=2 -DROUNDS=2
 * large: two_origins_3  -DORIGINS=2 -DROUNDS=3
 * mutant: applies_at_once         -DORIGINS=1 -DROUNDS=2
 * mutant: runs_ahead_twice        -DORIGINS=1 -DROUNDS=3
 * mutant: is_open_if_unequal      -DORIGINS=1 -DROUNDS=3
 * mutant: forgets_those_that_waited -DORIGINS=1 -DROUNDS=3
 * mutant: tells_before_it_is_exposed -DORIGINS=1 -DROUNDS=3
 * mutant: serves_the_newest_first -DORIGINS=1 -DROUNDS=3
 * mutant: looks_at_messages_only  -DORIGINS=1 -DROUNDS=2
 */

mtype = { OPERATIONS, COMPLETED, AHEAD };

chan to_target[ORIGINS] = [4] of { mtype, byte };
chan posts[ORIGINS]     = [4] of { bit };

byte exposed[ORIGINS], ended[ORIGINS]; /* dart__epoch_target_t, of the target */
byte done[ORIGINS];                    /* the same for completions */
byte kept[ORIGINS];                    /* accesses that wait for their post: 0, or which it is */

byte exposure;   /* ghosts: which one it is, 0 in between */
byte applied[ORIGINS];

inline apply(o, k)
{
  d_step {
    assert(exposure == k && applied[o] == k - 1);
    applied[o] = k
  }
}

/* note_control of COMPLETED */
inline note_completed(o)
{
  ended[o]++;
  done[o]++
}

/* look_for_post, try_complete: `which` is a kept one */
inline serve_kept(o)
{
  if
  :: kept[o] != 0 && exposed[o] != ended[o] ->
    apply(o, kept[o]);
    kept[o] = 0;
    note_completed(o)
  :: else
  fi
}

inline take_ahead(o, k)
{
#ifndef MUTANT_serves_the_newest_first
  serve_kept(o);
#endif
  if
#ifdef MUTANT_applies_at_once
  :: true ->
#else
  :: exposed[o] != ended[o] -> /* has_posted */
#endif
    apply(o, k);
    note_completed(o)
#ifndef MUTANT_applies_at_once
  :: else ->
    assert(kept[o] == 0);
    kept[o] = k
#endif
  fi
}

/* The thread that receives. */
proctype Receiver()
{
  byte k, o;
  mtype what;

end:
  do
  :: atomic { to_target[0] ? what, k -> o = 0; goto handle }
#if ORIGINS > 1
  :: atomic { to_target[1] ? what, k -> o = 1; goto handle }
#endif
#ifndef MUTANT_looks_at_messages_only
  :: atomic { kept[0] != 0 && exposed[0] != ended[0] -> o = 0; goto look }
#if ORIGINS > 1
  :: atomic { kept[1] != 0 && exposed[1] != ended[1] -> o = 1; goto look }
#endif
#endif
  od;
look:
  serve_kept(o);
  goto end;
handle:
  if
  :: what == OPERATIONS -> apply(o, k)
  :: what == COMPLETED -> /* goes with a post: DART__EPOCH_CHECKED */
#ifdef MUTANT_forgets_those_that_waited
    done[o]++
#else
    note_completed(o)
#endif
  :: what == AHEAD -> take_ahead(o, k)
  fi;
  goto end
}

proctype Target()
{
  byte k, o;

  for (k : 1 .. ROUNDS) {
    exposure = k;
    for (o : 0 .. ORIGINS - 1) { /* tell_far_origin */
#ifdef MUTANT_tells_before_it_is_exposed
      posts[o] ! 1;
      exposed[o]++
#else
      exposed[o]++;
      posts[o] ! 1
#endif
    }
    done[0] == k; /* are_complete */
    done[ORIGINS - 1] == k;
    d_step {
      for (o : 0 .. ORIGINS - 1) {
        assert(applied[o] == k)
      }
      exposure = 0
    }
  }
}

proctype Origin(byte me)
{
  byte k;
  short posted, started; /* the difference is signed in the code, too */
  bool is_short;

  for (k : 1 .. ROUNDS) {
    if
    :: is_short = true
    :: is_short = false
    fi;
    do
    :: posts[me] ? 1 -> posted++
#ifdef MUTANT_is_open_if_unequal
    :: posted != started ->
#else
    :: posted > started -> /* is_open_by_post; tell_target */
#endif
      to_target[me] ! OPERATIONS, k;
      to_target[me] ! COMPLETED, k;
      started++;
      break
#ifdef MUTANT_runs_ahead_twice
    :: is_short && posted <= started -> /* run_ahead */
#else
    :: is_short && posted == started ->
#endif
      to_target[me] ! AHEAD, k;
      started++;
      break
    od
  }
  /* Posts that an access has run ahead of come later. */
  do
  :: posted < ROUNDS -> posts[me] ? 1 -> posted++
  :: else -> break
  od;
  assert(posted == started)
}

init {
  byte o;

  atomic {
    run Receiver();
    run Target();
    for (o : 0 .. ORIGINS - 1) {
      run Origin(o)
    }
  }
}
