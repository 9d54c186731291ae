/* Every unit has a number. All units learn the largest one, the numbers of all, and what unit 0
 * says; unit 0 learns their sum, and deals out squares. */
#include <assert.h>

#include <dash/dart/if/dart.h>

int main(int argc, char **argv)
{
  dart_global_unit_t me;
  size_t             n;
  long               mine, largest, sum, said, square;
  long               all[64], squares[64], back[64];

  if (dart_init(&argc, &argv) != DART_OK)
    return 1;
  dart_myid(&me);
  dart_size(&n);
  assert(n <= 64);
  mine = 10 + me.id;
  dart_allreduce(&mine, &largest, 1, DART_TYPE_LONG, DART_OP_MAX, DART_TEAM_ALL);
  dart_allgather(&mine, all, 1, DART_TYPE_LONG, DART_TEAM_ALL); /* unit i's number is all[i] */
  assert(largest == 9 + (long)n && all[n - 1] == largest);

  said = me.id == 0 ? 42 : 0;
  dart_bcast(&said, 1, DART_TYPE_LONG, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL);
  assert(said == 42);

  dart_reduce(&mine, &sum, 1, DART_TYPE_LONG, DART_OP_SUM, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL);
  if (me.id == 0)
    assert(sum == (long)(10 * n + n * (n - 1) / 2));

  for (size_t i = 0; i < n; i++) /* these count on unit 0 only */
    squares[i] = (long)(i * i);
  dart_scatter(squares, &square, 1, DART_TYPE_LONG, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL);
  assert(square == (long)me.id * me.id);
  dart_gather(&square, back, 1, DART_TYPE_LONG, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL);
  if (me.id == 0)
    assert(back[n - 1] == squares[n - 1]);

  for (size_t i = 0; i < n; i++) /* element i goes to unit i */
    all[i] = 100 * me.id + (long)i;
  dart_alltoall(all, back, 1, DART_TYPE_LONG, DART_TEAM_ALL);
  assert(back[n - 1] == 100 * (long)(n - 1) + me.id);
  dart_barrier(DART_TEAM_ALL);

  dart_exit();
  return 0;
}
