/* Groups and teams. */
#include <dash/dart/ext/dart_survive.h>
#include <dash/dart/ext/dart_team_group.h>

#include "parts.h"

static dart_group_t group_of(int first, int last)
{
  dart_group_t group;

  OWN(NOMEM, dart_group_create(&group));
  for (int u = first; u <= last; u++)
    OWN(NOMEM, dart_group_addmember(group, DART_GLOBAL_UNIT_ID(u)));
  return group;
}

void use_groups(void)
{
  dart_group_t       left = group_of(0, n - 1), right = group_of(n - 1, n - 1), other, parts[2];
  dart_global_unit_t ids[16];
  size_t             size, nparts;
  int32_t            is_member;

  OWN(NOMEM, dart_group_clone(left, &other));
  FINE(dart_group_size(other, &size));
  EXPECT(size == (size_t)n);
  FINE(dart_group_delmember(other, DART_GLOBAL_UNIT_ID(n - 1)));
  FINE(dart_group_ismember(other, DART_GLOBAL_UNIT_ID(n - 1), &is_member));
  EXPECT(!is_member);
  FINE(dart_group_destroy(&other));
  OWN(NOMEM, dart_group_union(left, right, &other));
  FINE(dart_group_getmembers(other, ids));
  EXPECT(ids[n - 1].id == n - 1);
  FINE(dart_group_destroy(&other));
  OWN(NOMEM, dart_group_intersect(left, right, &other));
  FINE(dart_group_size(other, &size));
  EXPECT(size == 1);
  FINE(dart_group_destroy(&other));
  OWN(NOMEM, dart_group_split(left, 2, &nparts, parts));
  EXPECT(nparts == (n > 1 ? 2 : 1));
  FINE(dart_group_destroy(&parts[0]));
  FINE(dart_group_destroy(&parts[1]));
  FINE(dart_group_destroy(&left));
  FINE(dart_group_destroy(&right));

  /* more members than there is room for at first */
  OWN(NOMEM, dart_group_create(&other));
  for (int u = 0; u < n; u++)
    OWN(NOMEM, dart_group_addmember(other, DART_GLOBAL_UNIT_ID(u)));
  FINE(dart_group_destroy(&other));
}

/* What a team is for. */
static void use(dart_team_t team, bool member, int size)
{
  dart_gptr_t gptr;
  int         one = 1, sum = 0;

  SOME(member, NOMEM, dart_team_memalloc_aligned(team, 100, DART_TYPE_INT, &gptr));
  SOME(member, NOMEM | OTHER, dart_allreduce(&one, &sum, 1, DART_TYPE_INT, DART_OP_SUM, team));
  EXPECT(!member || sum == size);
  SOME(member, NEVER, dart_team_memfree(gptr));
}

void use_teams(void)
{
  dart_group_t       group = group_of(n > 1 ? 1 : 0, n - 1), members;
  dart_team_t        team, copy;
  dart_team_unit_t   unit;
  dart_global_unit_t global;
  size_t             size;
  bool               member = n == 1 || me > 0;

  ALL(NOMEM, dart_team_create(DART_TEAM_ALL, group, &team));
  EXPECT(member == (team != DART_TEAM_NULL));
  FINE(dart_group_destroy(&group));
  use(team, member, n > 1 ? n - 1 : 1);
  SOME(member, NOMEM, dart_team_clone(team, &copy));
  use(copy, member, n > 1 ? n - 1 : 1);
  if (member) {
    FINE(dart_team_myid(copy, &unit));
    FINE(dart_team_size(copy, &size));
    EXPECT(unit.id == (n > 1 ? me - 1 : 0) && size == (size_t)(n > 1 ? n - 1 : 1));
    FINE(dart_team_unit_l2g(copy, unit, &global));
    EXPECT(global.id == me);
    FINE(dart_team_unit_g2l(copy, global, &unit));
    OWN(NOMEM, dart_team_get_group(copy, &members));
    FINE(dart_group_destroy(&members));
  }
  SOME(member, NEVER, dart_team_destroy(&copy));
  SOME(member, NEVER, dart_team_destroy(&team));
  group = group_of(n > 1 ? 1 : 0, n - 1);
  SOME(member, NOMEM, dart_team_create_group(DART_TEAM_ALL, group, 3, &team));
  FINE(dart_group_destroy(&group));
  use(team, member, n > 1 ? n - 1 : 1);
  SOME(member, NEVER, dart_team_destroy(&team));
}

static void ignore_loss(dart_global_unit_t unit, void *context)
{
  (void)unit, (void)context;
}

/* Nobody is lost. */
void use_survivors(void)
{
  dart_unit_status_t status;
  dart_team_t        team;
  uint64_t           value = 5;
  size_t             nlost = 0;

  FINE(dart_unit_status(DART_GLOBAL_UNIT_ID(n - 1), &status));
  EXPECT(status == DART_UNIT_RUNNING);
  FINE(dart_team_lost(DART_TEAM_ALL, NULL, &nlost));
  EXPECT(nlost == 0 && !dart_lock_was_broken());
  FINE(dart_lost_handler(ignore_loss, NULL));
  FINE(dart_lost_handler(NULL, NULL));
  if (!dart_survives())
    return;
  FINE(dart_team_agree(DART_TEAM_ALL, &value));
  EXPECT(value == 5);
  ALL(NOMEM, dart_team_shrink(DART_TEAM_ALL, &team));
  use(team, true, n);
  FINE(dart_team_destroy(&team));
}
