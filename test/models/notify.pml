/* Notifications after their data (dart-mpi: dart__lanes_send_data, dart__lanes_notify,
 * dart__lane_send in collect.c and lanes.c; `handle`, `keep`, `apply_pending` in service.c).
 *
 * A notification is a record in a batch. Its data are another record before it, or, if they are
 * many, a message of their own, which the same batch or an earlier one announces; the batch then
 * waits for it, and later ones of the same unit wait behind.
 *
 * Claims. A counter is never raised before all data of the notification are there, nor before an
 * earlier one of the same unit (assertion). Data are received where they belong (assertion). All
 * notifications arrive (assertion, when nothing moves any more); and if the data of one unit never
 * come, those of another do all the same.
 *
 * Bounds. A unit sends N notifications to another, of data that are few, or many; if many, they
 * leave at once or after the batch that announces them. MOST messages of data fit a batch. Batches
 * leave at any time, between the data and the notification, too, for other threads send what is
 * collected. WITHHELD: another unit, 0, sends one notification, whose data never come if they are
 * many.
 *
 * Abstractions. MPI keeps the order of messages with the same tag of one sender; batches and data
 * have different ones, and any delay. The window of lane.pml is left out: here nobody waits for
 * answers.
 *
 * Memory order. `raise` (owner.c) releases what was put before to who waits: data are there with
 * the step that raises, or before. The owner's list of batches that wait is behind the lock of
 * service.c.
 *
 * Limit. same_place: data of the same place, notified twice with nothing completed in between. Data
 * are received in place as soon as they are announced, before earlier batches of the unit are
 * applied: an older put may then be written over them, and the counter says that the newer one is
 * there.
 *
 * run: all_arrive  -DN=4 -DMOST=2
 * run: withheld    -DN=2 -DMOST=2 -DWITHHELD
 * mutant: does_not_wait_for_data  -DN=1 -DMOST=2
 * mutant: overtakes               -DN=2 -DMOST=2
 * mutant: waits_for_all           -DN=1 -DMOST=2 -DWITHHELD
 * mutant: data_out_of_order       -DN=2 -DMOST=2
 * mutant: raises_first            -DN=1 -DMOST=2
 * limit: same_place               -DN=3 -DMOST=2
 */
#include "common.pml"

#define BIT(k)   (1 << k)
#define UP_TO(k) ((2 << k) - 2)

/* A batch: of which notifications it announces data, of which it has them as records (bits), and
 * up to which it has the notifications themselves. */
#define BATCH byte, byte, byte

chan batches[2] = [3 * N] of { BATCH }; /* under way, by who sent them */
chan pending[2] = [3 * N] of { BATCH }; /* `pending`; the order between units does not matter */
chan data[2]    = [N] of { byte };      /* under way: of which notification */
chan posted[2]  = [N] of { byte };      /* receives: of which notification they should be */

byte there[2];   /* bits: data */
byte place[2];   /* whose data were written last, if all go to one place */
byte counter[2];

/* ---- who sends ---- */

/* dart__batch_send_data: what is announced and not on its way yet, in order */
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

/* dart__lane_send */
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
#define SEND_MUCH unsent = unsent & ~BIT(number); data[me]!number
#else
#define SEND_MUCH send_data()
#endif

/* add_data */
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
    :: true      /* a little */
    :: SEND_MUCH
    fi
  }
}

/* dart_put_notify */
proctype sender(byte me)
{
  byte number, k, announces, nannounced, puts, unsent, raised, sent;

  for (number : 1 .. (me == 0 -> 1 : N)) {
    if
    :: announce(number)         /* dart__lanes_send_data */
    :: puts = puts | BIT(number) /* dart__lanes_notify, the put */
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

/* ---- who receives ---- */

/* dart__owner_apply: `raise`, with release */
inline raise()
{
  assert((there[from] & UP_TO(k)) == UP_TO(k));
#ifdef LIMIT_same_place
  assert(place[from] >= k);
#endif
  counter[from] = k
}

inline put()
{
  there[from] = there[from] | BIT(k);
  place[from] = k
}

#ifdef MUTANT_raises_first
#define RAISES(k) (k > counter[from] && k <= raised)
#define APPLY_ONE if :: RAISES(k) -> raise() :: else fi; if :: puts & BIT(k) -> put() :: else fi
#else
#define RAISES(k) (k > counter[from] && k <= raised)
#define APPLY_ONE if :: puts & BIT(k) -> put() :: else fi; if :: RAISES(k) -> raise() :: else fi
#endif

/* `serve` */
inline serve()
{
  for (k : 1 .. N) {
    APPLY_ONE
  }
  k = 0
}

/* `keep`, receive_data */
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
#define MUST_WAIT (announces != 0 || len(pending[from]) > 0) /* is_waited_for */
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

/* MPI receives what has come. */
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
       place[from] = number;
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
