#ifndef DART__RMA_WATCH_H
#define DART__RMA_WATCH_H
/* Words that units of the node sleep for: a unit that changes one wakes its sleeper.
 *
 * A near put is one store, so a look for a sleeper after it has to do without a fence, which takes longer
 * than the put. It is the sleeper that has the fence made, in all processes of the node, by membarrier: Dekker's
 * protocol with one side's fence made by the other (Dice, Huang, Yang: Asymmetric Dekker synchronization, 2001).
 *
 *     sleeper                                    writer
 *     notes the words, raises the count          stores to the word
 *     membarrier                                 reads the count: 0 as a rule
 *     looks at its event, and at the word        if it is not: reads the notes, raises the event of the sleeper
 *     sleeps while the event is as it was
 *
 * The barrier falls between two instructions of each writer. If the store is before it, the sleeper's look finds the
 * word changed. If the store is after it, so is all that the writer reads from then on, and that is the count and the
 * note; what it raises then keeps the sleeper from its sleep, or wakes it (wait/wait.h). On the writer's side only the
 * order in the program is needed: store, count, notes. test/models/watch.pml is this protocol.
 *
 * The count is in a page that every process maps at a constant address, so that it costs a writer one load and a
 * branch. Only a unit that begins or ends a long wait writes to that page. Where the kernel has no such barrier,
 * nothing is noted; where the page cannot be mapped, the process wakes nobody. Sleepers look by themselves in any case,
 * for plain stores (rma/await.c), so they are late then, and not lost. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <dash/dart/ext/dart_wait_word.h>
#include <dash/dart/if/dart_globmem.h>

#include "wait/watches.h"

/** What a thread of this unit waits for. */
typedef struct {
  dart_gptr_t       gptr; /* the first of these bytes */
  uint64_t          nbytes;
  bool              is_several; /* words, among these bytes; else it is one, and: */
  dart_datatype_t   type;
  dart_comparison_t comparison;
  uint64_t          value; /* as in memory, from the first byte on */
} dart__watched_t;

/** Whether two pointers are into one unit's portion of one segment. */
static inline bool dart__is_same_portion(dart_gptr_t a, dart_gptr_t b)
{
  return a.teamid == b.teamid && a.segid == b.segid && a.unitid == b.unitid;
}

/* The count of the node's notes is at its start. A page of zeros until init and after exit, or if it is not mapped. */
extern char dart__watch_page[DART__WATCH_PAGE];

/** Whether a unit of the node may sleep until a word changes; after the store. */
static inline __attribute__((always_inline)) bool dart__is_watched(void)
{
  /* the store first: an order for the compiler, which the sleeper's barrier makes one of the machine */
  atomic_signal_fence(memory_order_seq_cst);
  return __builtin_expect(
      atomic_load_explicit((_Atomic uint32_t *)(void *)dart__watch_page, memory_order_relaxed) != 0,
      0);
}

/** Wake whom a store of `nbytes` bytes at `gptr` may have given what it waits for; it says so of no others, but where
 *  that takes longer to know than to wake. */
void dart__watch_wrote(dart_gptr_t gptr, uint64_t nbytes) __attribute__((cold));

/** dart__watch_wrote for at most 64 bytes. Returns DART_OK, as the caller does: with the pointer as its only argument it needs
 *  no register that the caller would have to save first. */
dart_ret_t dart__watch_wrote_few(dart_gptr_t gptr) __attribute__((cold));

/* The most of them in one wait. */
#define DART__WATCHED_MOST 4

/** Note what this thread is to be woken for, n of them; its next look has to come after that. Those that could not be
 *  noted are -1 in `watches_out`. */
void dart__watch_begin(const dart__watched_t what[], int n, int watches_out[]);
void dart__watch_end(int watch);

/** Have the barriers of others made in this process. While it has one thread this takes a microsecond, later
 *  milliseconds. */
void dart__watch_register(void);

/** Map the page, once units know of one another, and from then on wake. */
void dart__watch_open(void);
void dart__watch_close(void);

#endif
