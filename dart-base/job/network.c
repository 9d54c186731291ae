/* See job.h. */
#include "job/job.h"

#include "far/agent.h"
#include "far/engine.h"
#include "far/engine_start.h"
#include "far/handlers.h"
#include "model/team.h"
#include "model/world.h"
#include "net.h"
#include "p2p/far_message.h"

dart_ret_t dart__network_join(int *argc, char ***argv, dart_thread_support_level_t wanted,
                              dart_thread_support_level_t *provided_out)
{
  dart_ret_t ret = dart__net_join(argc, argv, wanted, provided_out);

  dart__handlers_clear();
  if (ret != DART_OK || !dart__world.many_nodes)
    return ret;
  ret = dart__engine_prepare();
  if (ret == DART_OK)
    ret = dart__far_messages_prepare();
  ret = dart__engine_open(ret);
  if (ret == DART_OK)
    dart__far_messages_open();
  else
    dart__network_leave();
  return ret;
}

void dart__network_leave(void)
{
  dart__far_messages_close();
  dart__engine_close();
  dart__net_leave();
}

/* ---- ending without dart_exit ------------------------------------------------------------------- */

/* For each of its teams, the unit sends a far unit the last step that it took part in. */
static void inform_of_teams(dart_unit_t unit)
{
  for (int32_t id = 0; id < dart__teams_end; id++)
    if (dart__teams[id] != NULL)
      dart__am_inform(dart__engine.am, unit,
                      (uint64_t)id << 32 | dart__teams[id]->exchange.episode);
}

static void inform_far_units(void)
{
  for (dart_unit_t u = 0; u < dart__world.nunits; u++)
    if (dart__world_node(u) != dart__world_node(dart__world.me))
      inform_of_teams(u);
  dart__am_push(dart__engine.am);
}

/* Where the memory goes with the process, it makes progress for units that still use it until all units have come to
 * their end. All have left in the same way then, for a unit that calls dart_exit waits there for this one, and so ends
 * the program; so all units can close what they have together. */
bool dart__network_end(void)
{
  if (dart__net.memory_stays)
    return false;
  if (dart__world.many_nodes)
    inform_far_units();
  dart__net_agree_on_result(DART_OK);
  dart__agent_close(); /* it may still be handling the last unit's message */
  return true;
}
