/* Shared by the models: accesses in any order, and the kernel's futex.
 *
 * Spin interleaves steps: every process sees every step at once and in one order. Machines do
 * not, and C11 says how much of that a program may rely on. So where the memory order of an access
 * does not keep it behind another one, the model takes both in either order, with other
 * processes in between; a mutant that weakens an order does the same where the code
 * does not. That covers what a store buffer, an out-of-order core and a compiler do to two
 * accesses. It does not cover stores that become visible to two observers in different orders,
 * which neither x86-64 nor Armv8 has. */

#define UNORDERED(first, second) if :: first; second :: second; first fi

#define SLEEPERS_MOST 4 /* processes that may sleep on a word */

/* A word that processes sleep on: `queue` has a flag for each of SLEEPERS_MOST. The comparison
 * and going to sleep are one step, for the kernel does both under a lock; a system call is a
 * full fence.
 *
 * A sleep may end without a wake, by a signal or a time limit. If it always could, no wake would
 * ever be missed; so it does at most `early` times in a run, and not at all where that is 0. */
#define FUTEX_WAIT(word, expected, queue, me, early)                            \
  atomic {                                                                      \
    if                                                                          \
    :: word == expected -> queue[me] = true                                     \
    :: else                                                                     \
    fi                                                                          \
  }                                                                             \
  if                                                                            \
  :: !queue[me]                                                                 \
  :: atomic { queue[me] && early > 0 -> early--; queue[me] = false }            \
  fi

/* Wake all. */
#define FUTEX_WAKE_ALL(queue)                                                   \
  d_step { queue[0] = false; queue[1] = false; queue[2] = false; queue[3] = false }

/* Wake any one process, if any sleeps. (The kernel wakes the one that has slept longest.) */
#define FUTEX_WAKE_ONE(queue)                                                   \
  if                                                                            \
  :: atomic { queue[0] -> queue[0] = false }                                    \
  :: atomic { queue[1] -> queue[1] = false }                                    \
  :: atomic { queue[2] -> queue[2] = false }                                    \
  :: atomic { queue[3] -> queue[3] = false }                                    \
  :: else                                                                       \
  fi
