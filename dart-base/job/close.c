/* The end of a cycle of init and exit: see job.h. */
#include "job/job.h"

#include "base/log.h"
#include "data/op.h"
#include "data/type.h"
#include "far/grants.h"
#include "model/holds.h"
#include "model/world.h"
#include "p2p/twosided.h"
#include "rma/watch.h"
#include "team/team_calls.h"
#include "team/team_locality.h"

void dart__close(void)
{
  dart__world.initialized = false;
  dart__holds_clear();
  dart__grants_close();
  dart__watch_close();
  dart__twosided_close();
  dart__relays_close();
  dart__locality_close();
  dart__team_close_all();
  dart__type_clear();
  dart__op_clear();
  dart__log_sum_up();
  dart__network_leave();
  dart__log_set_unit(-1);
}
