#ifndef FAR_PATHS_H
#define FAR_PATHS_H
/* Memory of all units under settings of a test's own, to see by which way operations go. Settings are read at dart_init, so
 * each test starts and ends outside. */
#include <stdlib.h>
#include <time.h>

#include <dash/dart/ext/dart_near.h>

#include "counted.h"
#include "dart_test.h"

enum { ROOM = 131072 };

typedef struct path {
  dart_gptr_t base; /* ROOM bytes on every unit */
  dart_gptr_t far;  /* the start of a far unit's, if there is one */
  bool        has_far, all_near;
} path_t;

static inline path_t begin(void)
{
  path_t path = { .all_near = true };

  look();
  test_init();
  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, ROOM, DART_TYPE_BYTE, &path.base));
  for (int i = 1; i < n; i++) {
    dart_gptr_t at = test_unit(path.base, (me + i) % n);

    if (dart_near_ptr(at) == NULL) {
      path.far      = at;
      path.has_far  = true;
      path.all_near = false;
    }
  }
  return path;
}

static inline void end(const path_t *path)
{
  EXPECT_OK(dart_flush_all(path->base));
  test_barrier();
  EXPECT_OK(dart_team_memfree(path->base));
  EXPECT_OK(dart_exit());
}

static inline void nap_ms(long ms)
{
  nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

static inline void set(const char *name, const char *value)
{
  if (value != NULL)
    setenv(name, value, 1);
  else
    unsetenv(name);
}

#endif
