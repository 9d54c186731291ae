/* The tree of barriers (wait/tree.h): units of a node in groups, each with a split barrier (barrier.pml), and data that take
 * the same way: dart__tree_arrive, dart__tree_release.
 *
 * Claims. No unit leaves before all have arrived; the data that a unit finds after a step are the sum of all units' of
 * that step, though others may be a step ahead already (assertions). No unit waits for ever (no invalid end state).
 *
 * Bounds. Four units, in the groups {0, 1}, {2, 3} and, of their leaders, {0, 2}, take steps without an end; all counts are
 * taken modulo COUNTS. SPLIT: unit 0 works between the way to the root and the way back. Units bring 1, so the sum is
 * UNITS. What a unit finds, and where, is in dart__tree_result.
 *
 * Memory order. That of barrier.pml, whose claim this relies on: what a unit did before it arrived, or before it opened a
 * group, is seen by a unit that has waited for that. So orders are kept here, and the mutants change the order of steps.
 *
 * run: whole   -DCOUNTS=4
 * run: split   -DCOUNTS=4 -DSPLIT
 * mutant: one_buffer         -DCOUNTS=4
 * mutant: join_before_all    -DCOUNTS=4
 * mutant: open_before_spread -DCOUNTS=4
 * mutant: open_before_root   -DCOUNTS=4
 */
#define UNITS  4
#define GROUPS 3

#define NEXT(count) ((count + 1) % COUNTS)

#ifdef MUTANT_one_buffer
#define BUFFER(step) 0
#else
#define BUFFER(step) (step & 1)
#endif

/* dart__barrier_t of each group, which has two members: the leader, and one that follows. */
byte arrived[GROUPS]; /* steps that the member has come to; the leader comes itself */
byte opened[GROUPS];

/* The step of a unit's slot, and how many units' data are in it. */
byte number[2 * UNITS];
byte sum[2 * UNITS];

#define SLOT(unit) (BUFFER(before) * UNITS + unit)

/* dart__barrier_collect of the group, and the member's data: dart__tree_arrive of its leader */
inline collect(group, member)
{
#ifndef MUTANT_join_before_all
  arrived[group] == step;
#endif
  assert(number[SLOT(member)] == step);
  sum[SLOT(me)] = sum[SLOT(me)] + sum[SLOT(member)]
#ifdef MUTANT_join_before_all
  ;
  arrived[group] == step
#endif
}

/* dart__barrier_follow */
inline follow(group)
{
  arrived[group] = step;
  opened[group] == step
}

/* what a leader takes from the one above it, before it opens its group */
inline spread(leader)
{
  assert(number[SLOT(leader)] == step);
  sum[SLOT(me)] = sum[SLOT(leader)]
}

inline find(leader)
{
  assert(number[SLOT(leader)] == step && sum[SLOT(leader)] == UNITS)
}

active [UNITS] proctype unit()
{
  byte me = _pid, before, step;

  do
  :: step = NEXT(before);
     sum[SLOT(me)] = 1;
     number[SLOT(me)] = step;
     if
     :: me == 0 ->
        collect(0, 1);
        collect(2, 2);
#ifdef SPLIT
        assert(sum[SLOT(me)] == UNITS);
#endif
        opened[2] = step;
        opened[0] = step;
        find(0)
     :: me == 2 ->
        collect(1, 3);
#ifdef MUTANT_open_before_root
        opened[1] = step;
        follow(2);
        spread(0);
#else
        follow(2);
#ifdef MUTANT_open_before_spread
        opened[1] = step;
        spread(0);
#else
        spread(0);
        opened[1] = step;
#endif
#endif
        find(2)
     :: me == 1 -> follow(0); find(0)
     :: me == 3 -> follow(1); find(2)
     fi;
     before = step
  od
}
