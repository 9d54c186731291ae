/* The program that the injector is tried on: the whole interface, and what it does checked. It goes on
 * when a call fails, for the call is made again; and after dart_exit there is a second cycle. */
#include <dlfcn.h>
#include <stdlib.h>

#include "parts.h"

void dart__inject_part(void);

static long part; /* as the injector counts them */

static void next_part(void)
{
  dart__inject_part();
  part++;
}

/* INJECT_PART=N: of the parts only that one runs, and the one after it; what comes before and behind all parts
 * does in any case. */
static bool is_wanted(void)
{
  const char *only = getenv("INJECT_PART");

  return only == NULL || part == atol(only) || part == atol(only) + 1;
}

/* A part of the program, in which the calls of DART are numbered anew. */
#define PART(call) (next_part(), is_wanted() ? (call) : (void)0)

static void cycle(bool whole)
{
  dart_global_unit_t self;
  size_t             nunits;
  dart_team_t        all;

  EXPECT(dart_initialized());
  FINE(dart_myid(&self));
  FINE(dart_size(&nunits));
  EXPECT(self.id == me && nunits == (size_t)n);
  ALL(NOMEM, dart_team_clone(DART_TEAM_ALL, &all));
  PART(use_memory(all));
  PART(use_transfers(all));
  if (whole) {
    PART(use_groups());
    PART(use_teams());
    PART(use_survivors());
    PART(use_registered_memory(all));
    PART(use_adopted_memory(all));
    PART(use_pointers(all));
    PART(use_types());
    PART(use_handles(all));
    PART(use_atomics(all));
    PART(use_collectives(all));
    PART(use_large_collectives(all));
    PART(use_messages());
    PART(use_locks(all));
    PART(use_locks_in_words(all));
    PART(use_notifications(all));
    PART(use_epochs(all));
    PART(use_locality(all));
    PART(use_trees());
    PART(use_files(all));
    PART(use_ranges(all));
    PART(use_team_files(all));
    PART(use_statistics());
  }
  ALL(NEVER, dart_team_destroy(&all));
}

/* A unit that fails alone, before it has met the others, tries again alone. */
#define INIT(call)                                              \
  do {                                                          \
    if (board_init(HERE(#call), board_call(HERE(#call), call))) \
      FINE(call);                                               \
    board_wait("all have joined");                              \
  } while (0)

/* hwloc loads libpciaccess for every topology, which keeps memory of its own in a variable, and unloads it with the
 * last one: MPI's, where DART could not make its own. LeakSanitizer then finds memory that nobody knows, of a library
 * without a name. A library that stays still knows its memory. */
static void keep_loaded(void)
{
  dlopen("libpciaccess.so.0", RTLD_LAZY | RTLD_NODELETE); /* where there is none, nothing is lost */
}

int main(int argc, char **argv)
{
  dart_thread_support_level_t level;
  dart_config_t              *config;

  keep_loaded();
  board_open();
  setenv("DART_HEAP_CHUNK", "8M", 1); /* pages take more time than all else, and many are as few */
  dart_config(&config);
  config->log_enabled = 0;
  INIT(dart_init(&argc, &argv));
  cycle(true);
  next_part();
  ALL(NEVER, dart_exit());
  next_part();
  setenv("DART_STATS", "near,json:/dev/null", 1);
  INIT(dart_init_thread(&argc, &argv, &level));
  cycle(false);
  next_part();
  ALL(NEVER, dart_exit());
  return board_close();
}
