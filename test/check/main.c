/* main: the cases that are named, one after the other, or their list. */
#include <stdio.h>

#include "check.h"

int me, n;

static const case_t *const all[] = { memory_cases,   completion_cases, collective_cases,
                                     ordered_cases,  race_cases,       epoch_cases,
                                     in_epoch_cases, bound_cases };

dart_gptr_t at(dart_gptr_t gptr, int unit, size_t element)
{
  dart_gptr_setunit(&gptr, DART_TEAM_UNIT_ID(unit));
  dart_gptr_incaddr(&gptr, (int64_t)(element * sizeof(int)));
  return gptr;
}

dart_gptr_t segment(size_t nelem, int unit)
{
  dart_gptr_t gptr;
  int        *mine;

  if (dart_team_memalloc_aligned(DART_TEAM_ALL, nelem, DART_TYPE_INT, &gptr) != DART_OK)
    abort();
  dart_gptr_getaddr(at(gptr, me, 0), (void **)&mine);
  memset(mine, 0, nelem * sizeof *mine);
  dart_barrier(DART_TEAM_ALL);
  return at(gptr, unit, 0);
}

static void list(void)
{
  static const char *const hows[] = { "together", "alone", "crashes", "bound" };

  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    for (const case_t *c = all[i]; c->name != NULL; c++)
      printf("%s\t%s\t%s\n", hows[c->how], c->name, c->expected == NULL ? "" : c->expected);
}

static bool run_named(const char *name)
{
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    for (const case_t *c = all[i]; c->name != NULL; c++)
      if (strcmp(c->name, name) == 0) {
        dart_barrier(DART_TEAM_ALL);
        c->run();
        return true;
      }
  return false;
}

int main(int argc, char **argv)
{
  dart_global_unit_t unit;
  size_t             size;

  if (argc == 1) {
    list();
    return 0;
  }
  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&unit);
  dart_size(&size);
  me = unit.id;
  n  = (int)size;
  for (int i = 1; i < argc; i++)
    if (!run_named(argv[i]))
      dart_abort(2);
  return dart_exit() == DART_OK ? 0 : 1;
}
