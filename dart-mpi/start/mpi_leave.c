/* A unit that ends without dart_exit: see job/leave.c.
 *
 * For each of its teams, the unit sends all far units the last step that it took part in. Then it makes
 * progress for units that still use its memory, until all units have come to their end: memory of a process
 * that has gone cannot be reached, and MPI does not end while windows are open. All units have left in the
 * same way then, for a unit that calls dart_exit waits there for this one, and so ends the program; so all
 * units can close their windows together. */
#include "model/world.h"
#include "mpi/comm.h"
#include "port.h"
#include "progress/agent.h"
#include "progress/engine.h"

static void inform_of_teams(dart_unit_t unit)
{
  for (int32_t id = 0; id < DART__MAX_TEAMS; id++)
    if (dart__teams[id] != NULL)
      dart__am_inform(dart__engine.am, unit,
                      (uint64_t)id << 32 | dart__teams[id]->exchange.episode);
}

static void inform_far_units(void)
{
  for (dart_unit_t u = 0; u < dart__world.nunits; u++)
    if (dart__world.node_of[u] != dart__world.node_of[dart__world.me])
      inform_of_teams(u);
  dart__am_push(dart__engine.am);
}

bool dart__port_leave(void)
{
  MPI_Request request;

  if (dart__world.many_nodes)
    inform_far_units();
  DART__MPI(MPI_Ibarrier, dart__comm.world, &request);
  dart__engine_wait(&request);
  dart__agent_close(); /* it may still be handling the last unit's message */
  return true;
}
