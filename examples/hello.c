/* Hello: the units say hello, one after the other.
 *
 * Every unit runs this same program; what differs is its id. The units take turns: in each turn one
 * of them speaks while the others wait in the barrier. A counter that all can see, in the memory of
 * unit 0, tells whether the turns were kept: the unit whose turn it is adds one, and must find as
 * many before it as have spoken.
 *
 *   dartrun -n 4 ./hello
 *
 * (Lines may still reach the terminal in another order, where a launcher collects the output of
 * processes, each in its own time.) */
#include <dash/dart/if/dart.h>

#include <stdio.h>
#include <stdlib.h>

/* A call that cannot fail here. Ends all units: the others may already wait for this one. */
#define MUST(call)                                  \
  do {                                              \
    if ((call) != DART_OK) {                        \
      fprintf(stderr, "hello: %s failed\n", #call); \
      dart_abort(EXIT_FAILURE);                     \
    }                                               \
  } while (0)

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  dart_gptr_t        counter;
  void              *mine;
  size_t             nunits;
  long               one = 1, before = -1;

  MUST(dart_init(&argc, &argv));
  MUST(dart_myid(&me));
  MUST(dart_size(&nunits));

  /* One long of every unit; the pointer names that of unit 0. */
  MUST(dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_LONG, &counter));
  if (me.id == 0) {
    MUST(dart_gptr_getaddr(counter, &mine));
    *(long *)mine = 0;
  }
  MUST(dart_barrier(DART_TEAM_ALL));

  for (size_t turn = 0; turn < nunits; turn++) {
    if (turn == (size_t)me.id) {
      MUST(dart_fetch_and_op(counter, &one, &before, DART_TYPE_LONG, DART_OP_SUM));
      MUST(dart_flush(counter)); /* now `before` holds the old value */
      printf("Hello from unit %d of %zu, %ld before me.\n", me.id, nunits, before);
      fflush(stdout);
    }
    MUST(dart_barrier(DART_TEAM_ALL));
  }

  if (before != me.id)
    fprintf(stderr, "hello: unit %d spoke when %ld had spoken\n", me.id, before);
  MUST(dart_team_memfree(counter));
  MUST(dart_exit());
  return before == me.id ? EXIT_SUCCESS : EXIT_FAILURE;
}
