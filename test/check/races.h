#ifndef TEST_RACES_H
#define TEST_RACES_H
/* What the cases of accesses by two units have in common. Memory is unit 2's, whose checker reports. */
#include "check.h"

enum { ROOM = 16, FLAG = 8 }; /* ints of a portion, a flag's place */

static int two[2], twelve[12];

static inline void all_meet(void)
{
  dart_barrier(DART_TEAM_ALL);
}

static inline void end(dart_gptr_t gptr)
{
  dart_flush_all(gptr);
  all_meet();
  dart_team_memfree(gptr);
}

static inline void put(dart_gptr_t gptr, size_t first, size_t count)
{
  dart_put_blocking(at(gptr, 2, first), twelve, count, DART_TYPE_INT, DART_TYPE_INT);
}

/* What the report names is the case, so it is the one that calls. */
#define PUT(gptr) dart_put_blocking(gptr, two, 2, DART_TYPE_INT, DART_TYPE_INT)
#define GET(gptr) dart_get_blocking(twelve, gptr, 2, DART_TYPE_INT, DART_TYPE_INT)

/* What is reported of units `a` and `b`, as text. */
#define RACE(a, b) \
  "*unit 2: races: units " a " and " b " access the same bytes, from * on, of this unit's portion"

/* A team of units 0 and 1. */
static inline dart_team_t pair(void)
{
  dart_group_t group;
  dart_team_t  team;

  dart_group_create(&group);
  dart_group_addmember(group, DART_GLOBAL_UNIT_ID(0));
  dart_group_addmember(group, DART_GLOBAL_UNIT_ID(1));
  dart_team_create(DART_TEAM_ALL, group, &team);
  dart_group_destroy(&group);
  return team;
}

#endif
