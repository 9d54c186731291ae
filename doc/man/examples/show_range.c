/* Rows 0 to 999 of a table. Each unit locks the rows that it changes and the one that it reads, in
 * one call, so that no two units wait for each other. */
#include <assert.h>

#include <dash/dart/ext/dart_range.h>
#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  dart_range_t       rows;
  dart_range_hold_t  hold;
  dart_range_span_t  spans[2] = { { .first = 10, .last = 19, .mode = DART_RANGE_EXCLUSIVE },
                                  { .first = 500, .last = 500, .mode = DART_RANGE_SHARED } };
  dart_gptr_t        gptr;
  long              *mine, value;
  dart_ret_t         ret;

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  dart_team_memalloc_aligned(DART_TEAM_ALL, 1, DART_TYPE_LONG,
                             &gptr); /* stands for rows 10 to 19 */
  if (me.id == 0) {
    dart_gptr_getaddr(gptr, (void **)&mine);
    *mine = 0;
  }
  dart_team_range_init(DART_TEAM_ALL, 256, 0,
                       &rows); /* 256 numbers of a stripe are kept by one unit */

  ret = dart_range_acquire(rows, spans, 2, -1,
                           &hold); /* a time limit, and not -1, may give DART_PENDING */
  assert(ret == DART_OK);
  dart_get_blocking(&value, gptr, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  value++;
  dart_put_blocking(gptr, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  dart_range_release(&hold);

  dart_barrier(DART_TEAM_ALL);
  dart_get_blocking(&value, gptr, 1, DART_TYPE_LONG, DART_TYPE_LONG);
  assert(value == (long)n);
  dart_team_range_destroy(&rows);
  dart_team_memfree(gptr);

  dart_exit();
  return 0;
}
