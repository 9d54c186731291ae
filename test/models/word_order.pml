/* Program order of what a unit does to one word of a far unit, by requests and by MPI
 * (dart-base/far/word_order.h).
 *
 * Claims. Each word takes its values in the order of the calls (assertion), whichever way each of
 * them travels, and the unit does not wait for ever (no invalid end state).
 *
 * Bounds. A unit makes OPS calls on WORDS words of one target. Each is a request, a put, which is
 * MPI's or a request, or one request on all words; the unit may flush after each.
 *
 * Abstractions. Requests are applied in order, and the unit learns of that later. MPI applies its
 * puts to one word in order, others in any order, and a flush waits for all of them; the limit is what
 * MPI would do that kept no order at all. An atomic is a request with a value of its own. The sets
 * have no ranges. With COLLIDE all words share one bit.
 *
 * Memory order. The sets belong to one thread. With several threads nothing is looked up in them
 * (`many_threads`): everything that is outstanding counts, which is COLLIDE.
 *
 * run: two_words  -DOPS=4 -DWORDS=2
 * run: one_bit    -DOPS=4 -DWORDS=2 -DCOLLIDE
 * run: one_word   -DOPS=5 -DWORDS=1
 * mutant: request_passes_put    -DOPS=3 -DWORDS=2
 * mutant: put_passes_request    -DOPS=3 -DWORDS=2
 * mutant: emptied_too_early     -DOPS=3 -DWORDS=2
 * mutant: emptied_by_each_word  -DOPS=3 -DWORDS=2
 * mutant: last_is_not_noted     -DOPS=3 -DWORDS=2
 * limit: puts_reordered         -DOPS=3 -DWORDS=2
 */
#include "common.pml"

#ifdef COLLIDE
#define BIT(word) 1
#else
#define BIT(word) (1 << word)
#endif
#define ALL_WORDS ((1 << WORDS) - 1)

byte value[WORDS]; /* in the target's memory; a call's value is its number */

/* Requests, in order: the words of each. */
byte request[OPS + 1], number_of[OPS + 1];
byte requests, applied, known;

/* Puts by MPI: the word of call i, plus 1; 0: none is under way. */
byte under_way[6]; /* OPS + 1, at most */
byte started, done_remote;

/* dart__word_order_t: `requested`, `by_mpi`, `last` */
byte requested, by_mpi, last;

#define IS_FLUSHED (known == requests)

inline take(word, number)
{
  assert(value[word] < number);
  value[word] = number
}

inline flush_puts()
{
  i = 1;
  do
  :: i > OPS -> break
  :: else -> under_way[i] == 0; i++
  od;
  done_remote = started;
  i = 0
}

/* dart__word_order_wait */
inline wait_for_puts(words)
{
  if
  :: (by_mpi & words) != 0 && last > done_remote -> flush_puts()
  :: else
  fi
}

/* dart__word_order_request, and dart__word_order_request_too for each word after the first */
inline start_request(words, bits)
{
#ifdef MUTANT_emptied_too_early
  requested = 0;
#else
  if
  :: IS_FLUSHED -> requested = 0
  :: else
  fi;
#endif
#ifndef MUTANT_request_passes_put
  wait_for_puts(bits);
#endif
#ifdef MUTANT_emptied_by_each_word
  if
  :: IS_FLUSHED -> requested = bits & ~BIT(0)
  :: else -> requested = requested | bits
  fi;
#else
  requested = requested | bits;
#endif
  d_step { request[requests] = words; number_of[requests] = op; requests++ }
}

#ifdef MUTANT_put_passes_request
#define GOES_AFTER_REQUEST(word) false
#else
#define GOES_AFTER_REQUEST(word) ((requested & BIT(word)) != 0 && !IS_FLUSHED)
#endif

/* MPI_Put, dart__completion_started, dart__word_order_transferred */
inline start_by_mpi(word)
{
  under_way[op] = word + 1;
  d_step {
    started++;
    if
    :: last > done_remote -> by_mpi = by_mpi | BIT(word)
    :: else -> by_mpi = BIT(word)
    fi;
#ifndef MUTANT_last_is_not_noted
    last = started
#endif
  }
}

/* A put: `dart__way_follows` of far/way.h */
inline start_put(word)
{
  if
  :: GOES_AFTER_REQUEST(word) -> start_request(1 << word, BIT(word))
  :: else -> start_by_mpi(word)
  fi
}

active proctype unit()
{
  byte op, word, i;

  for (op : 1 .. OPS) {
    select(word : 0 .. WORDS - 1);
    if
    :: true -> start_request(1 << word, BIT(word))
    :: true -> start_request(ALL_WORDS, ALL_WORDS)
    :: true -> start_put(word)
    fi;
    if
    :: true
    :: true -> IS_FLUSHED; flush_puts()
    fi
  }
}

active proctype requests_are_applied()
{
  byte w;

end:
  do
  :: atomic {
       applied < requests ->
       for (w : 0 .. WORDS - 1) {
         if
         :: (request[applied] & (1 << w)) != 0 -> take(w, number_of[applied])
         :: else
         fi
       }
       w = 0;
       applied++
     }
  :: known < applied -> known = applied
  od
}

#ifdef LIMIT_puts_reordered
#define IS_FIRST(i) true
#else
#define IS_FIRST(i) \
  ((i < 2 || under_way[1] != under_way[i]) && (i < 3 || under_way[2] != under_way[i]) && \
   (i < 4 || under_way[3] != under_way[i]) && (i < 5 || under_way[4] != under_way[i]))
#endif

active proctype puts_are_applied()
{
  byte i;

end:
  do
  :: atomic {
       i < OPS ->
       i++;
       if
       :: under_way[i] != 0 && IS_FIRST(i) -> take(under_way[i] - 1, i); under_way[i] = 0
       :: true /* later */
       fi
     }
  :: atomic { i == OPS -> i = 0 }
  od
}
