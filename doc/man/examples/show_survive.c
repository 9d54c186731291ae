/* Steps that units make together, and go on making when one of them dies: started with DART_SURVIVE=1. */
#include <assert.h>
#include <stdio.h>

#include <dash/dart/ext/dart_survive.h>
#include <dash/dart/if/dart.h>

static void note_loss(dart_global_unit_t unit, void *context)
{
  dart_unit_status_t status;

  dart_unit_status(unit, &status);
  printf("%s: unit %d is %s\n", (const char *)context, unit.id,
         status == DART_UNIT_LOST ? "lost" : "at its end");
}

/* What is left of the team. */
static dart_team_t go_on(dart_team_t team)
{
  size_t      nlost = 0;
  dart_team_t smaller;
  dart_ret_t  ret = dart_team_shrink(team, &smaller);

  assert(ret == DART_OK);
  dart_team_lost(DART_TEAM_ALL, NULL, &nlost);
  printf("%zu units were lost\n", nlost);
  dart_team_destroy(&team);
  return smaller;
}

int main(int argc, char **argv)
{
  dart_team_t team;
  uint64_t    is_done = 1;
  long        one     = 1, sum;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_lost_handler(note_loss, "survive");
  dart_team_clone(DART_TEAM_ALL, &team);
  for (int step = 0; step < 10; step++) {
    dart_ret_t ret = dart_allreduce(&one, &sum, 1, DART_TYPE_LONG, DART_OP_SUM, team);

    if (dart_survives()) { /* a step counts if it was complete on all that are left */
      is_done = ret == DART_OK;
      ret     = dart_team_agree(team, &is_done);
    }
    if (ret == DART_ERR_UNIT_LOST || is_done == 0)
      team = go_on(team);
    if (dart_lock_was_broken())
      puts("a lost unit held a lock"); /* there is none here */
  }
  dart_team_destroy(&team);
  dart_exit();
  return 0;
}
