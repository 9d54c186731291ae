#ifndef FAR_ROADS_H
#define FAR_ROADS_H
/* Memory of all units under settings of a test's own, to see by which way operations go. Settings are read at dart_init, so
 * each test starts and ends outside. */
#include <stdlib.h>
#include <time.h>

#include <dash/dart/ext/dart_near.h>

#include "counted.h"
#include "dart_test.h"

enum { ROOM = 65536 };

typedef struct road {
  dart_gptr_t base; /* ROOM bytes on every unit */
  dart_gptr_t far;  /* the start of a far unit's, if there is one */
  bool        has_far, all_near;
} road_t;

static inline road_t begin(void)
{
  road_t road = { .all_near = true };

  look();
  test_init();
  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, ROOM, DART_TYPE_BYTE, &road.base));
  for (int i = 1; i < n; i++) {
    dart_gptr_t at = test_unit(road.base, (me + i) % n);

    if (dart_near_ptr(at) == NULL) {
      road.far      = at;
      road.has_far  = true;
      road.all_near = false;
    }
  }
  return road;
}

static inline void end(const road_t *road)
{
  EXPECT_OK(dart_flush_all(road->base));
  test_barrier();
  EXPECT_OK(dart_team_memfree(road->base));
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
