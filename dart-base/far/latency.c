/* Which targets are slow to respond.
 *
 * MPI makes progress on a transfer while its target is in a call of MPI. A unit that computes is not; its
 * agent is, now and then, and soon again after a request, which it sees, while it does not see MPI's
 * transfers. So the latency of a few transfers is measured, and a unit that was slow gets requests for a
 * while: small transfers travel as requests, others are followed by a ping. Requests keep the target's
 * agent awake, or the target itself where it naps in a wait; so does a keep-alive ping of the target of a
 * long stream every few milliseconds, which nothing waits for. Where units outnumber cores every unit counts as slow: MPI's flush
 * spins, and takes the core from the target that has to respond.
 *
 * Without agents no unit counts as slow. A transfer by MPI completes even if its target is inside a call of
 * MPI that the program made; a request that is waited for would wait there for ever. */
#include "far/latency.h"

#include "base/sparse.h"
#include "far/engine.h"
#include "model/world.h"

#define SLOW_NS   50000 /* longer than a small transfer takes in any network */
#define BYTE_NS   10    /* and this for each byte */
#define PUT_NS    2000  /* longer than a put and its flush take beside their bytes, and ... */
#define PUT_BYTES 4     /* ... so many bytes a ns are moved by any put that is worth it */
#define PUTS      3     /* that were slow, in a row, until others are tried */
#define SLOW_FOR  64    /* operations until a unit that was slow gets another chance */

/* Of a unit. Only estimates, so all accesses are relaxed. */
typedef struct {
  _Atomic int64_t pinged; /* when the unit was last sent a keep-alive ping */
  _Atomic uint8_t slow;   /* operations for which it still counts as slow */
  /* large puts that were slow, in a row; PUTS and more: data that are no puts until the next */
  _Atomic uint8_t puts;
} latency_t;

static latency_t *latency; /* by global id */

dart_ret_t dart__latency_open(void)
{
  latency = dart__sparse_new((size_t)dart__world.nunits, sizeof *latency);
  return latency == NULL ? DART_ERR_NOMEM : DART_OK;
}

void dart__latency_close(void)
{
  dart__sparse_delete(latency);
  latency = NULL;
}

_Atomic unsigned dart__latency_started, dart__latency_waits;

bool dart__latency_was_slow(dart_unit_t unit)
{
  uint8_t left = atomic_load_explicit(&latency[unit].slow, memory_order_relaxed);

  if (left > 0)
    atomic_store_explicit(&latency[unit].slow, left - 1, memory_order_relaxed);
  return left > 0 || dart__world.pace.yields == 0;
}

/* Between processes of a host MPI's put goes through a buffer that both map, piece by piece, and a large message is
 * read by the kernel, once. Which one is faster depends on how far apart the two cores are. */
bool dart__latency_puts_slowly(dart_unit_t unit)
{
  uint8_t state = atomic_load_explicit(&latency[unit].puts, memory_order_relaxed);

  if (state > PUTS)
    atomic_store_explicit(&latency[unit].puts, state - 1, memory_order_relaxed);
  return state > PUTS;
}

void dart__latency_put_took(dart_unit_t unit, int64_t ns, size_t nbytes)
{
  uint8_t state   = atomic_load_explicit(&latency[unit].puts, memory_order_relaxed);
  bool    is_slow = ns > PUT_NS + (int64_t)(nbytes / PUT_BYTES);

  if (state <= PUTS)
    atomic_store_explicit(&latency[unit].puts,
                          !is_slow       ? 0
                          : state < PUTS ? state + 1
                                         : PUTS + SLOW_FOR,
                          memory_order_relaxed);
}

/* Whether the unit was sent nothing for a while to keep it awake; the caller does so now. */
static bool is_due(dart_unit_t unit)
{
  int64_t now = dart__coarse_ns();

  /* a quarter of the time that a unit which waits stays awake */
  if (now - atomic_load_explicit(&latency[unit].pinged, memory_order_relaxed) <
      DART__LATE_US * INT64_C(1000) / 4)
    return false;
  atomic_store_explicit(&latency[unit].pinged, now, memory_order_relaxed);
  return true;
}

bool dart__latency_is_awake(dart_unit_t unit)
{
  return !is_due(unit);
}

void dart__latency_end(dart_unit_t unit, int64_t began, size_t nbytes)
{
  if (began != 0 && dart__now_ns() - began > SLOW_NS + (int64_t)nbytes * BYTE_NS)
    atomic_store_explicit(&latency[unit].slow, SLOW_FOR, memory_order_relaxed);
}

void dart__latency_ping(dart_unit_t unit)
{
  if (is_due(unit))
    dart__am_wake(dart__engine.am, unit);
}
