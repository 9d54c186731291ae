/* The end of a cycle of init and exit: see close.h. */
#include "api/job/close.h"

#include "api/locality/locality.h"
#include "api/p2p/twosided.h"
#include "api/range/object.h"
#include "api/rma/watch.h"
#include "api/sync/lock_at.h"
#include "api/team/team.h"
#include "base/log.h"
#include "data/op.h"
#include "data/type.h"
#include "model/holds.h"
#include "model/world.h"
#include "port.h"

void dart__close(void)
{
  dart__world.initialized = false;
  dart__holds_clear();
  dart__lock_at_close();
  dart__range_close();
  dart__watch_close();
  dart__twosided_close();
  dart__locality_close();
  dart__team_close_all();
  dart__type_clear();
  dart__op_clear();
  dart__log_sum_up();
  dart__port_exit();
  dart__log_set_unit(-1);
}
