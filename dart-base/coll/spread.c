/* One unit on each node: see spread.h. */
#include "coll/spread.h"

#include "base/copy.h"
#include "coll/leader_messages.h"
#include "coll/nodes.h"
#include "coll/step.h"
#include "far/far_team.h"

static void copy(void *to, const void *from, size_t nbytes)
{
  if (to != from && nbytes > 0)
    dart__copy_bytes(to, from, nbytes);
}

void dart__spread_bcast(dart__team_t *team, void *buffer, size_t nbytes, int32_t root)
{
  dart__step_end(team);
  dart__nodes_bcast(team, buffer, nbytes, root);
  dart__step_release(team);
}

void dart__spread_scatter(dart__team_t *team, const void *send, void *recv, size_t nbytes,
                          int32_t root)
{
  const size_t *starts = dart__step_blocks(team, nbytes);

  if (team->me == root)
    copy(recv, (const char *)send + starts[root], nbytes);
  dart__step_end(team);
  dart__nodes_scatter(team, send, recv, starts, root);
  dart__step_release(team);
}

void dart__spread_gather(dart__team_t *team, const void *send, void *recv, size_t nbytes,
                         int32_t root)
{
  const size_t *starts = dart__step_blocks(team, nbytes);

  if (team->me == root)
    copy((char *)recv + starts[root], send, nbytes);
  dart__step_end(team);
  dart__nodes_gather(team, send, recv, starts, root);
  dart__step_release(team);
}

void dart__spread_allgather(dart__team_t *team, const void *send, void *recv, size_t nbytes)
{
  const size_t *starts = dart__step_blocks(team, nbytes);

  copy((char *)recv + starts[team->me], send, nbytes);
  dart__step_end(team);
  dart__nodes_allgather(team, recv, starts);
  dart__step_release(team);
}

/* Bytes of all blocks of a unit; shorter ones travel many at a time. */
#define SHORT_BYTES ((size_t)32 * 1024)
_Static_assert(SHORT_BYTES <= DART__TEAM_ROOM, "dart__nodes_swap_blocks copies them to the room");

/* In round d, unit a is paired with unit (d - a) mod nunits, which may be itself. */
static void swap_in_rounds(dart__team_t *team, const void *send, void *recv, size_t nbytes)
{
  for (int32_t round = 0; round < team->nunits; round++) {
    int32_t     unit = (round + team->nunits - team->me) % team->nunits;
    const char *from = (const char *)send + (size_t)unit * nbytes;
    char       *to   = (char *)recv + (size_t)unit * nbytes;

    if (unit == team->me)
      copy(to, from, nbytes);
    else
      dart__nodes_swap(team, unit, from, nbytes, to, nbytes);
  }
}

/* Which of the two is the same on all units: it may not depend on whether one of them receives in place. */
void dart__spread_alltoall(dart__team_t *team, const void *send, void *recv, size_t nbytes)
{
  size_t own = (size_t)team->me * nbytes;

  dart__step_end(team);
  if ((size_t)team->nunits * nbytes > SHORT_BYTES) {
    swap_in_rounds(team, send, recv, nbytes);
  } else {
    copy((char *)recv + own, (const char *)send + own, nbytes);
    dart__nodes_swap_blocks(team, send, recv, nbytes);
  }
  dart__step_release(team);
}

void dart__spread_reduce(dart__team_t *team, const void *send, void *recv, size_t nelem,
                         dart_datatype_t dtype, dart_operation_t op, int32_t root)
{
  dart__step_end(team);
  dart__nodes_reduce(team, send, recv, nelem, dtype, op, root);
  dart__step_release(team);
}
