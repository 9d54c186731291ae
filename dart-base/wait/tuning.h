#ifndef DART__WAIT_TUNING_H
#define DART__WAIT_TUNING_H
/* How long waits poll, yield and sleep: the numbers of all of DART's waits, with what was measured, on 2 cores.
 *
 * A poll of memory takes some 35 ns, one that makes progress 100 ns and more, a yield 0.4 µs. To sleep and to be woken
 * takes 5 to 14 µs, and the waker a system call. */

/* Polls of a unit that has a core, before it yields or sleeps: some 150 µs. A barrier of 2 units took 1849 ns without, 323
 * with 400, 333 with 4000 and 362 with 40000. */
#define DART__SPINS 4000

/* DART__SPINS where units share a core. A barrier of 4 units took 23.6 µs when they slept after these, and 1.9 since they
 * yield in between. */
#define DART__SPINS_SHARED 50

/* Polls of memory from one thing that takes longer to the next: progress, a look at the clock, a yield of a unit that has
 * a core. When such a unit made progress every 8 polls and yielded every 16, an atomic of a far unit took 1.5 times as
 * long. */
#define DART__POLLS 64

/* DART__POLLS where the thing takes no longer than some polls: yields of a unit that shares its core, progress between looks
 * at a request, messages that one call of progress takes. With several looks at messages in a row a far fetch took 0.95 of
 * MPI's time, with one 1.42. */
#define DART__LOOKS 16

/* Yields from one look at the clock to the next; and for how long, as a multiple of the time that its core was away, a
 * thread does not yield it. Beside units that compute, barriers took 4 to 76 µs with 4, without it 150; with 16 they took
 * 6 to 9 µs where waiting follows computing, with 4 less than 3. */
#define DART__FEW 4

/* How long a wait yields before it first sleeps. It is also the longest sleep that a message ends, or what the wait is for.
 * A token round 4 units took 14.6 µs a hop without these yields, and 1.3 with them. A mutex that is held for 1 ms had 0.9
 * to 2.5 % overhead without, and 0.6 to 0.85 with them. 8 units that write one range in turns reached 0.59 of ROMIO's rate
 * when the next of them slept at once, and 0.93 when it yielded for 0.1 ms. With sleeps of this length instead of a tenth,
 * 200 units on 20 simulated nodes start and end with half as many switches of the processor, in 0.84 of its time. */
#define DART__AWAKE_US 1000

/* The sleep between two looks for what nothing announces: with 20 and 500 a ring and a barrier over 2 nodes took 0.87 to
 * 1.02 times as long. */
#define DART__NAP_US 100

/* After which nothing is expected soon: a unit that has a core and waits for requests sleeps. A waiter for a lock is
 * late then, and 4 others may pass it. 64 units, 1 ms of work: 1.3 to 1.6 % overhead, where a lock that always goes to
 * the first waiter has 2.2 to 3.7. Where units may be lost, a wait sleeps no longer: a loss wakes nobody. */
#define DART__LATE_US 10000

/* The longest sleep where at most a hundred units share a core: of a unit that arrivals wake, and of one that looks, when it
 * ends, for others that are gone, which wake nobody. With naps of 20 to 100 µs the start and end of 1000 units on 100
 * simulated nodes took more than 120 s, with this some seconds. Where more share a core (dart__wait_longest_us) it would
 * wake 2000 units on 2 cores 20 times in each millisecond: they slept 35 to 68 times each, half of it in vain, now 23. */
#define DART__LONGEST_US 100000

/* After which a process that has ended is known to be lost, and no message of it is in flight. On a loaded machine all units
 * knew of a loss within 380 ms. */
#define DART__NEWS_US 1000000

/* A sleep that may be in vain is this part of the time waited, or of the time that a lock is held as a rule: it makes a
 * wait longer by 1/16 at most. 4 units, of which one waits in dart_wait_word for a plain store after 8 ms, on a loaded
 * machine: with 4, 16 and 64 it was 141, 74 and 82 µs late, slept 8, 18 and 65 times, and took 0.34, 0.38 and 1.11 ms of
 * processor time; after 2 ms 54, 31 and 14 µs, 4, 10 and 27 times, and 0.21, 0.26 and 0.53 ms. */
#define DART__PART 16

/* How long an agent is awake in a row, and its shortest nap. Half as long it waits for the next request of a stream, and
 * a unit that shares its core sleeps at least. With 40 an atomic of a unit that computes took 104 µs, with 30 79. */
#define DART__AGENT_US 30

#endif
