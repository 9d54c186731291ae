// dart_inline.h in C++: every function once, to every unit; ends with 0 if all came back right.
#define DART_USE_INLINE
#include <dash/dart/if/dart.h>

#include <cstdio>

namespace
{

int wrong;

void expect(bool holds, const char *what)
{
  if (!holds) {
    std::fprintf(stderr, "inline_cxx: %s\n", what);
    wrong++;
  }
}

#define EXPECT(condition) expect(condition, #condition)

void try_unit(dart_gptr_t start, int me, int unit)
{
  const dart_datatype_t type = DART_TYPE_LONG;
  dart_gptr_t   at = dart_inline_gptr_at(start, dart_team_unit_t{ unit }, 16 * me, sizeof(long));
  dart_handle_t handle;
  long          value = 100 * me + unit, one = 1, found = -1, few[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  long          got[8] = { 0 };

  EXPECT(dart_put_blocking(at, &value, 1, type, type) == DART_OK);
  EXPECT(dart_get_blocking(&found, at, 1, type, type) == DART_OK && found == value);
  value++;
  EXPECT(dart_put(at, &value, 1, type, type) == DART_OK && dart_flush(at) == DART_OK);
  EXPECT(dart_get(&found, at, 1, type, type) == DART_OK && dart_flush(at) == DART_OK);
  EXPECT(found == value);
  value++;
  EXPECT(dart_put_handle(at, &value, 1, type, type, &handle) == DART_OK);
  EXPECT(dart_wait(&handle) == DART_OK);
  EXPECT(dart_get_handle(&found, at, 1, type, type, &handle) == DART_OK);
  EXPECT(dart_wait(&handle) == DART_OK && found == value);
  EXPECT(dart_fetch_and_op(at, &one, &found, type, DART_OP_SUM) == DART_OK);
  EXPECT(dart_flush(at) == DART_OK && found == value);
  value++;
  EXPECT(dart_compare_and_swap(at, &one, &value, &found, type) == DART_OK);
  EXPECT(dart_flush(at) == DART_OK && found == value);
  EXPECT(::dart_put_blocking(at, few, 8, type, type) == DART_OK);
  EXPECT(dart_get_blocking(got, at, 8, type, type) == DART_OK);
  for (int i = 0; i < 8; i++)
    EXPECT(got[i] == few[i]);
  EXPECT(dart_put_blocking(dart_gptr_t{ unit, 0, 12345, 0, { 0 } }, &one, 1, type, type) ==
         DART_ERR_INVAL);
}

}  // namespace

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  dart_gptr_t        start;
  size_t             n;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  EXPECT(dart_team_memalloc_aligned(DART_TEAM_ALL, 16 * n, DART_TYPE_LONG, &start) == DART_OK);
  for (int unit = 0; unit < static_cast<int>(n); unit++)
    try_unit(start, me.id, unit);
  dart_barrier(DART_TEAM_ALL);
  EXPECT(dart_team_memfree(start) == DART_OK);
  dart_exit();
  return wrong > 0;
}
