/* Streams: two threads of each unit put to the same neighbour, and each completes its own puts only.
 *
 * One thread sends a large array in blocks, and wants to know after each block that it is there, for then it reuses its
 * buffer. The other sends a number now and then. With dart_flush each would wait for the puts of both; with a
 * completion context of its own neither waits for what the other starts later.
 *
 *   dartrun --nodes 2 -n 4 ./streams */
#include <dash/dart/ext/dart_context.h>
#include <dash/dart/if/dart.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* A call that cannot fail here. Ends all units: the others may already wait for this one. */
#define MUST(call)                                    \
  do {                                                \
    if ((call) != DART_OK) {                          \
      fprintf(stderr, "streams: %s failed\n", #call); \
      dart_abort(EXIT_FAILURE);                       \
    }                                                 \
  } while (0)

enum { BLOCK = 4096, BLOCKS = 16, NUMBERS = 100, WORDS = BLOCK * BLOCKS + NUMBERS };

typedef struct {
  dart_gptr_t to; /* the neighbour's portion */
  long        me;
} stream_t;

static void put(dart_context_t context, dart_gptr_t to, size_t word, const long *from, size_t count)
{
  dart_gptr_incaddr(&to, (int64_t)(word * sizeof(long)));
  MUST(dart_context_enter(context));
  MUST(dart_put(to, from, count, DART_TYPE_LONG, DART_TYPE_LONG));
  MUST(dart_context_leave(context));
  MUST(dart_context_flush(context));
}

static long value_of(long unit, size_t word)
{
  return unit * 1000000 + (long)word;
}

static void *send_blocks(void *data)
{
  static long     buffer[BLOCK]; /* of the unit's one such thread */
  const stream_t *s = data;
  dart_context_t  context;

  MUST(dart_context_create(DART_TEAM_ALL, &context));
  for (size_t block = 0; block < BLOCKS; block++) {
    for (size_t i = 0; i < BLOCK; i++)
      buffer[i] = value_of(s->me, block * BLOCK + i);
    put(context, s->to, block * BLOCK, buffer, BLOCK);
  }
  MUST(dart_context_destroy(&context));
  return NULL;
}

static void *send_numbers(void *data)
{
  const stream_t *s = data;
  dart_context_t  context;

  MUST(dart_context_create(DART_TEAM_ALL, &context));
  for (size_t i = BLOCK * BLOCKS; i < WORDS; i++) {
    long value = value_of(s->me, i);

    put(context, s->to, i, &value, 1);
  }
  MUST(dart_context_destroy(&context));
  return NULL;
}

/* Both streams, by threads if there may be several. */
static void run(stream_t *s, dart_thread_support_level_t level)
{
  pthread_t thread;

  if (level != DART_THREAD_MULTIPLE || pthread_create(&thread, NULL, send_numbers, s) != 0) {
    send_numbers(s);
    send_blocks(s);
    return;
  }
  send_blocks(s);
  pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
  dart_thread_support_level_t level;
  dart_global_unit_t          me;
  dart_gptr_t                 array, own;
  stream_t                    stream;
  size_t                      n;
  long                       *mine, left;
  int                         wrong = 0, all_wrong;

  if (dart_init_thread(&argc, &argv, &level) != DART_OK)
    return EXIT_FAILURE;
  MUST(dart_myid(&me));
  MUST(dart_size(&n));
  MUST(dart_team_memalloc_aligned(DART_TEAM_ALL, WORDS, DART_TYPE_LONG, &array));
  stream = (stream_t){ .to = array, .me = me.id };
  MUST(dart_gptr_setunit(&stream.to, DART_TEAM_UNIT_ID((me.id + 1) % (int)n)));
  run(&stream, level);
  MUST(dart_barrier(DART_TEAM_ALL)); /* all have completed what they put */
  own = array;
  MUST(dart_gptr_setunit(&own, DART_TEAM_UNIT_ID(me.id)));
  MUST(dart_gptr_getaddr(own, (void **)&mine));
  left = (me.id + (long)n - 1) % (long)n;
  for (size_t i = 0; i < WORDS; i++)
    wrong += mine[i] != value_of(left, i);
  MUST(dart_allreduce(&wrong, &all_wrong, 1, DART_TYPE_INT, DART_OP_SUM, DART_TEAM_ALL));
  if (me.id == 0)
    printf("%zu units, 2 streams each: %d wrong words\n", n, all_wrong);
  MUST(dart_team_memfree(array));
  MUST(dart_exit());
  return all_wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
