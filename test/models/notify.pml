/* Notifications after their data (dart-base/far/am: dart__am_move_data, dart__am_notify in request.c;
 * dart__am_endpoint_add_data, dart__am_endpoint_send in endpoint.c; `handle`, `keep`,
 * `apply_pending` in receive.c).
 *
 * A notification is a record in a batch. Its data are another record before it, or, if they are
 * large, a message of their own, which the same batch or an earlier one announces; the batch then
 * waits for it, and later batches of the same unit wait behind.
 *
 * Claims. A counter is never raised before all data of the notification are there, nor before an
 * earlier counter of the same unit (assertion). A message of data is received by the receive that
 * was posted for it (assertion). All notifications arrive (assertion, when nothing moves any more);
 * and if the data of one unit never come, those of another do all the same.
 *
 * Bounds. A unit sends N notifications to another, of data that are small, or large; if large, they
 * are sent at once or after the batch that announces them. MOST messages of data fit a batch.
 * Batches are sent at any time, between the data and the notification, too, for other threads send
 * what is collected. WITHHELD: another unit, 0, sends one notification, whose data never come if
 * they are large.
 *
 * Abstractions. MPI keeps the order of messages with the same tag of one sender; batches and data
 * have different tags, and any delay. The window of lane.pml is left out: here no unit waits for
 * replies.
 *
 * Memory order. `notify` (target.c) releases what was put before to the thread that waits: data are
 * there with the step that raises, or before. The target's queue of pending batches is behind the
 * lock of receive.c.
 *
 * Limit. same_memory: data for the same memory, notified twice with nothing completed in between.
 * Data are received in place as soon as they are announced, before earlier batches of the unit are
 * applied: an older put may then overwrite them, while the counter shows that the newer data are
 * there.
 *
 * run: all_arrive  -DN=4 -DMOST=2
 * run: withheld    -DN=2 -DMOST=2 -DWITHHELD
 * mutant: does_not_wait_for_data  -DN=1 -DMOST=2
 * mutant: overtakes               -DN=2 -DMOST=2
 * mutant: waits_for_all           -DN=1 -DMOST=2 -DWITHHELD
 * mutant: data_out_of_order       -DN=2 -DMOST=2
 * mutant: raises_first            -DN=1 -DMOST=2
 * limit: same_memory              -DN=3 -DMOST=2
 */
#include "common.pml"

#define BIT(k)   (1 << k)
#define UP_TO(k) ((2 << k) - 2)

/* A batch: the notifications whose data it announces, those whose data it has as records (bits),
 * and up to which it has the notifications themselves. */
#define BATCH byte, byte, byte

chan batches[2] = [3 * N] of { BATCH }; /* under way, by sender */
chan pending[2] = [3 * N] of { BATCH }; /* `pending`; the order between units does not matter */
chan data[2]    = [N] of { byte };      /* under way: of which notification */
chan posted[2]  = [N] of { byte };      /* receives: of which notification they should be */

byte there[2];   /* bits: data */
byte newest[2];  /* the notification whose data were written last, if all go to the same memory */
byte counter[2];

/* ---- the origin's side ---- */

/* `send_data`: what is announced and not under way yet, in order */
inline send_data()
{
  for (k : 1 .. N) {
    if
    :: unsent & BIT(k) -> data[me]!k
    :: else
    fi
  }
  unsent = 0;
  k = 0
}

/* dart__am_endpoint_send */
inline send()
{
  batches[me]!announces,puts,raised;
  send_data();
  announces = 0;
  puts = 0;
  nannounced = 0;
  sent = raised
}

#define HAS_MORE (announces != 0 || puts != 0 || raised != sent)

/* Some thread sends the open batch, or not yet. */
inline may_send()
{
  if
  :: atomic { HAS_MORE -> send() }
  :: true
  fi
}

#ifdef MUTANT_data_out_of_order
#define SEND_LARGE unsent = unsent & ~BIT(number); data[me]!number
#else
#define SEND_LARGE send_data()
#endif

/* dart__am_endpoint_add_data */
inline announce(number)
{
  atomic {
    if
    :: nannounced == MOST -> send()
    :: else
    fi;
    nannounced++;
    announces = announces | BIT(number);
    unsent = unsent | BIT(number);
    if
    :: true      /* eager */
    :: SEND_LARGE
    fi
  }
}

/* dart_put_notify */
proctype sender(byte me)
{
  byte number, k, announces, nannounced, puts, unsent, raised, sent;

  for (number : 1 .. (me == 0 -> 1 : N)) {
    if
    :: announce(number)         /* dart__am_move_data */
    :: puts = puts | BIT(number) /* dart__am_notify, the put */
    fi;
    may_send();
    raised = number;            /* and the notification */
    may_send()
  }
  if
  :: atomic { HAS_MORE -> send() }
  :: else
  fi
}

/* ---- the target's side ---- */

/* dart__am_apply: `notify`, with release */
inline raise()
{
  assert((there[from] & UP_TO(k)) == UP_TO(k));
#ifdef LIMIT_same_memory
  assert(newest[from] >= k);
#endif
  counter[from] = k
}

inline put()
{
  there[from] = there[from] | BIT(k);
  newest[from] = k
}

#ifdef MUTANT_raises_first
#define RAISES(k) (k > counter[from] && k <= raised)
#define APPLY_ONE if :: RAISES(k) -> raise() :: else fi; if :: puts & BIT(k) -> put() :: else fi
#else
#define RAISES(k) (k > counter[from] && k <= raised)
#define APPLY_ONE if :: puts & BIT(k) -> put() :: else fi; if :: RAISES(k) -> raise() :: else fi
#endif

/* `serve_batch` */
inline serve()
{
  for (k : 1 .. N) {
    APPLY_ONE
  }
  k = 0
}

/* `keep`, move_data */
inline keep()
{
  pending[from]!announces,puts,raised;
  for (k : 1 .. N) {
    if
    :: announces & BIT(k) -> posted[from]!k
    :: else
    fi
  }
  k = 0
}

#ifdef MUTANT_overtakes
#define MUST_WAIT (announces != 0)
#else
#define MUST_WAIT (announces != 0 || len(pending[from]) > 0) /* `handle` */
#endif

/* has_data */
#ifdef MUTANT_does_not_wait_for_data
#define HAS_DATA true
#else
#define HAS_DATA ((there[from] & announces) == announces)
#endif

#ifdef MUTANT_waits_for_all
#define IS_FIRST (from == 0 || len(pending[0]) == 0)
#else
#define IS_FIRST true
#endif

/* `drain`: `handle` */
proctype receiver(byte from)
{
  byte k, announces, puts, raised;

end:
  do
  :: atomic {
       batches[from]?announces,puts,raised;
       if
       :: MUST_WAIT -> keep()
       :: else -> serve()
       fi;
       announces = 0;
       puts = 0;
       raised = 0
     }
  od
}

/* `drain`: apply_pending */
proctype applier(byte from)
{
  byte k, announces, puts, raised;

end:
  do
  :: pending[from]?<announces,puts,raised>;
end_data:
     atomic {
       HAS_DATA && IS_FIRST;
       pending[from]?announces,puts,raised;
       serve();
       announces = 0;
       puts = 0;
       raised = 0
     }
  od
}

/* MPI matches messages and receives. */
proctype network(byte from)
{
  byte number, should_be;

end:
  do
  :: atomic {
       nempty(data[from]) && nempty(posted[from]);
       data[from]?number;
       posted[from]?should_be;
       assert(number == should_be);
       there[from] = there[from] | BIT(number);
       newest[from] = number;
       number = 0;
       should_be = 0
     }
  od
}

inline run_unit(unit)
{
  run sender(unit);
  run receiver(unit);
  run applier(unit)
}

init
{
  atomic {
    run_unit(1);
    run network(1);
#ifdef WITHHELD
    run_unit(0)
#endif
  }
  timeout;
  assert(counter[1] == N)
}
