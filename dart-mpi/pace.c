/* Which units are slow to answer.
 *
 * MPI moves a transfer on while its target is in a call of MPI. A unit that computes is not; its
 * agent is, now and then, and soon again after a request, of which it knows, while it knows nothing
 * of MPI's transfers. So the time that transfers take is measured, of a few of them, and who was
 * slow is asked by requests for a while: small transfers travel as such, others are followed by one.
 * That keeps the agent awake, and a target that naps in a wait. Where units outnumber cores everyone
 * counts as slow: MPI's flush spins, and takes the core from who has to answer. */
#include <stdlib.h>

#include "model/world.h"
#include "mpi_port.h"

#define MEASURED_EVERY 8     /* transfers */
#define SLOW_NS        50000 /* longer than a small transfer takes in any network */
#define BYTE_NS        10    /* and so much for each byte */
#define SLOW_FOR       64    /* operations until a unit that was slow gets another chance */

/* Global id → operations for which it still counts as slow. Guesses, so all accesses are relaxed. */
static _Atomic uint8_t *slow;

dart_ret_t dart__pace_open(void)
{
  slow = calloc((size_t)dart__world.nunits, sizeof *slow);
  return slow == NULL ? DART_ERR_NOMEM : DART_OK;
}

void dart__pace_close(void)
{
  free(slow);
  slow = NULL;
}

bool dart__pace_is_slow(dart_unit_t unit)
{
  uint8_t left = atomic_load_explicit(&slow[unit], memory_order_relaxed);

  if (left > 0)
    atomic_store_explicit(&slow[unit], left - 1, memory_order_relaxed);
  return left > 0 || dart__world.wait.yields == 0;
}

int64_t dart__pace_begin(void)
{
  static _Atomic unsigned calls; /* relaxed, and not one step: any choice of transfers will do */
  unsigned                number = atomic_load_explicit(&calls, memory_order_relaxed);

  atomic_store_explicit(&calls, number + 1, memory_order_relaxed);
  return number % MEASURED_EVERY == 0 ? dart__now_ns() : 0;
}

void dart__pace_end(dart_unit_t unit, int64_t began, size_t nbytes)
{
  if (began != 0 && dart__now_ns() - began > SLOW_NS + (int64_t)nbytes * BYTE_NS)
    atomic_store_explicit(&slow[unit], SLOW_FOR, memory_order_relaxed);
}
