/* Ring: a token goes round all units, and nobody but its holder does anything.
 *
 * Every unit has a mailbox that its left neighbour writes into: a sum, to which each holder of the
 * token adds, and the number of hops the token has made. The hops tell that there is mail: the sum
 * is put, and then they are set, by one call, so whoever sees the new number sees its sum too.
 *
 * The receiver waits for the hops with dart_wait_word, and looks into its own mailbox with dart_get_blocking
 * rather than through a pointer: each get reads memory anew.
 *
 *   dartrun -n 4 ./ring */
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_wait_word.h>
#include <dash/dart/if/dart.h>

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* A call that cannot fail here. Ends all units: the others may already wait for this one. */
#define MUST(call)                                 \
  do {                                             \
    if ((call) != DART_OK) {                       \
      fprintf(stderr, "ring: %s failed\n", #call); \
      dart_abort(EXIT_FAILURE);                    \
    }                                              \
  } while (0)

enum { ROUNDS = 10 };

typedef struct {
  long sum;
  long hops;
} mailbox_t;

static dart_gptr_t field(dart_gptr_t mailbox, size_t offset)
{
  dart_gptr_incaddr(&mailbox, (int64_t)offset);
  return mailbox;
}

static void send_token(dart_gptr_t mailbox, mailbox_t token)
{
  dart_gptr_t hops = field(mailbox, offsetof(mailbox_t, hops));

  MUST(dart_put_notify_op(field(mailbox, offsetof(mailbox_t, sum)), &token.sum, 1, DART_TYPE_LONG,
                          DART_TYPE_LONG, hops, (uint64_t)token.hops, DART_OP_REPLACE));
  MUST(dart_flush(hops)); /* it is there, and `token` can go */
}

/* Wait for the token to come in with `hops` hops. */
static mailbox_t receive_token(dart_gptr_t mailbox, long hops)
{
  mailbox_t token;

  MUST(dart_wait_word(field(mailbox, offsetof(mailbox_t, hops)), DART_TYPE_LONG, DART_WAIT_GE,
                      &hops, -1));
  MUST(dart_get_blocking(&token.hops, field(mailbox, offsetof(mailbox_t, hops)), 1, DART_TYPE_LONG,
                         DART_TYPE_LONG));
  MUST(dart_get_blocking(&token.sum, field(mailbox, offsetof(mailbox_t, sum)), 1, DART_TYPE_LONG,
                         DART_TYPE_LONG));
  return token;
}

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  dart_gptr_t        mine, right;
  size_t             nunits;
  void              *address;
  int                wrong = 0;

  MUST(dart_init(&argc, &argv));
  MUST(dart_myid(&me));
  MUST(dart_size(&nunits));

  MUST(dart_team_memalloc_aligned(DART_TEAM_ALL, 2, DART_TYPE_LONG, &mine));
  right = mine;
  dart_gptr_setunit(&mine, DART_TEAM_UNIT_ID(me.id));
  dart_gptr_setunit(&right, DART_TEAM_UNIT_ID((dart_unit_t)(((size_t)me.id + 1) % nunits)));

  MUST(dart_gptr_getaddr(mine, &address));
  *(mailbox_t *)address = (mailbox_t){ .sum = 0, .hops = 0 };
  MUST(dart_barrier(DART_TEAM_ALL)); /* all mailboxes are empty */

  if (me.id == 0)
    send_token(right, (mailbox_t){ .sum = 1, .hops = 1 });

  /* Hop h ends at unit h mod n. Unit 0 keeps the token when it comes in for the last time. */
  for (long round = 0; round < ROUNDS; round++) {
    long      last  = ROUNDS * (long)nunits;
    long      hops  = round * (long)nunits + (me.id == 0 ? (long)nunits : me.id);
    mailbox_t token = receive_token(mine, hops);

    /* Unit u adds u + 1 whenever it sends; all units together n (n + 1) / 2 a round. */
    long full = hops / (long)nunits, holders = hops % (long)nunits;
    long expected = full * ((long)nunits * ((long)nunits + 1) / 2) + holders * (holders + 1) / 2;

    if (token.hops != hops || token.sum != expected) {
      fprintf(stderr, "ring: unit %d got sum %ld after %ld hops, not %ld after %ld\n", me.id,
              token.sum, token.hops, expected, hops);
      wrong = 1;
    }
    if (hops < last)
      send_token(right, (mailbox_t){ .sum = expected + me.id + 1, .hops = hops + 1 });
    else
      printf("The token made %ld hops over %zu units and brought %ld.\n", token.hops, nunits,
             token.sum);
  }

  MUST(dart_team_memfree(mine));
  MUST(dart_exit());
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
