/* main: the cases that are named, one after the other, or their list. After the word "threads" DART is started for
 * several. */
#include <stdio.h>

#include "check.h"

int me, n;

static const case_t *const all[] = { memory_cases,  completion_cases, collective_cases,
                                     ordered_cases, race_cases,       lock_cases,
                                     epoch_cases,   in_epoch_cases,   bound_cases };

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
  static const char *const hows[] = { "together", "alone", "crashes", "bound", "threads" };

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

static bool start(bool with_threads)
{
  dart_thread_support_level_t level;

  if (!with_threads)
    return dart_init(NULL, NULL) == DART_OK;
  return dart_init_thread(NULL, NULL, &level) == DART_OK && level == DART_THREAD_MULTIPLE;
}

int main(int argc, char **argv)
{
  bool               with_threads = argc > 1 && strcmp(argv[1], "threads") == 0;
  dart_global_unit_t unit;
  size_t             size;

  if (argc == 1) {
    list();
    return 0;
  }
  if (!start(with_threads))
    return 1;
  dart_myid(&unit);
  dart_size(&size);
  me = unit.id;
  n  = (int)size;
  for (int i = with_threads ? 2 : 1; i < argc; i++)
    if (!run_named(argv[i]))
      dart_abort(2);
  return dart_exit() == DART_OK ? 0 : 1;
}
