/* Units with even numbers make a team, and learn their numbers in it. All units of the parent call
 * dart_team_create; units that are not members get DART_TEAM_NULL. Then the members alone make
 * another team of the same units. */
#include <assert.h>

#include <dash/dart/ext/dart_team_group.h>
#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_group_t       group;
  dart_team_t        even, again;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_group_create(&group);
  for (int unit = 0; unit < (int)n; unit += 2)
    dart_group_addmember(group, DART_GLOBAL_UNIT_ID(unit));
  dart_team_create(DART_TEAM_ALL, group, &even);
  if (even != DART_TEAM_NULL) {
    dart_team_unit_t   mine;
    dart_global_unit_t first;
    size_t             size;

    dart_team_myid(even, &mine);
    dart_team_size(even, &size);
    dart_team_unit_l2g(even, DART_TEAM_UNIT_ID(0), &first);
    assert(mine.id == me.id / 2 && size == (n + 1) / 2 && first.id == 0);

    dart_team_create_group(DART_TEAM_ALL, group, 0, &again); /* no other unit calls this */
    dart_barrier(again);
    dart_team_destroy(&again);
    dart_team_destroy(&even);
  }
  dart_group_destroy(&group);

  dart_exit();
  return 0;
}
