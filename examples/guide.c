/* The pieces of doc/guide.md as one program, which checks each of them.
 *
 * Units form a ring. In a step each unit sends an edge of N numbers to its right neighbour, by each way to
 * synchronise in turn. Then come atomics, locks and a file.
 *
 *   dartrun -n 4 ./guide */
#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_file.h>
#include <dash/dart/ext/dart_lock_at.h>
#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_order.h>
#include <dash/dart/ext/dart_wait_word.h>
#include <dash/dart/if/dart.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A call that cannot fail here. Ends all units: the others may already wait for this one. */
#define MUST(call)                                  \
  do {                                              \
    if ((call) != DART_OK) {                        \
      fprintf(stderr, "guide: %s failed\n", #call); \
      dart_abort(EXIT_FAILURE);                     \
    }                                               \
  } while (0)

enum { N = 64 };

static int me, nunits, left, right;

/* The address of element `index` of unit `unit`'s portion of a segment of 8-byte elements. */
static dart_gptr_t at(dart_gptr_t segment, int unit, int index)
{
  dart_gptr_setunit(&segment, DART_TEAM_UNIT_ID(unit));
  dart_gptr_incaddr(&segment, index * 8);
  return segment;
}

/* ---- ways to synchronise ----------------------------------------------------------------------- */

static void by_flush(dart_gptr_t halo, const double *edge)
{
  MUST(dart_put(at(halo, right, 0), edge, N, DART_TYPE_DOUBLE, DART_TYPE_DOUBLE));
  MUST(dart_flush(at(halo, right, 0))); /* this unit's data has arrived */
  MUST(dart_barrier(DART_TEAM_ALL));    /* so has the data of the left neighbour */
}

static void by_notification(dart_gptr_t halo, dart_gptr_t counter, const double *edge,
                            uint64_t step)
{
  MUST(dart_put_notify(at(halo, right, 0), edge, N, DART_TYPE_DOUBLE, DART_TYPE_DOUBLE,
                       at(counter, right, 0), 1));
  MUST(dart_notify_wait(at(counter, me, 0), step, -1)); /* the left neighbour's data is here */
  MUST(dart_flush_local(at(counter, right, 0)));        /* `edge` may be overwritten */
}

static void by_fence(dart_gptr_t halo, const double *edge)
{
  MUST(dart_epoch_fence(halo, DART_EPOCH_NOPRECEDE)); /* nothing to complete yet */
  MUST(dart_put(at(halo, right, 0), edge, N, DART_TYPE_DOUBLE, DART_TYPE_DOUBLE));
  MUST(dart_epoch_fence(halo, DART_EPOCH_NOSUCCEED)); /* all puts of all units are complete */
}

static void by_post(dart_gptr_t halo, const double *edge)
{
  dart_team_unit_t origin = DART_TEAM_UNIT_ID(left), target = DART_TEAM_UNIT_ID(right);

  MUST(dart_epoch_post(halo, 1, &origin, 0));  /* the left neighbour may write here */
  MUST(dart_epoch_start(halo, 1, &target, 0)); /* this unit writes to the right neighbour */
  MUST(dart_put(at(halo, right, 0), edge, N, DART_TYPE_DOUBLE, DART_TYPE_DOUBLE));
  MUST(dart_epoch_complete(halo)); /* `edge` may be overwritten */
  MUST(dart_epoch_wait(halo));     /* the left neighbour's data is here */
}

static void under_lock(dart_gptr_t halo, const double *edge)
{
  MUST(dart_epoch_lock(at(halo, right, 0), DART_EPOCH_EXCLUSIVE, 0));
  MUST(dart_put(at(halo, right, 0), edge, N, DART_TYPE_DOUBLE, DART_TYPE_DOUBLE));
  MUST(dart_epoch_unlock(at(halo, right, 0), 0)); /* the data has arrived */
}

static void by_flag(dart_gptr_t halo, dart_gptr_t flag, const double *edge, int64_t step)
{
  MUST(dart_put(at(halo, right, 0), edge, N, DART_TYPE_DOUBLE, DART_TYPE_DOUBLE));
  MUST(dart_order(at(halo, right, 0))); /* the flag comes after the data */
  MUST(dart_put(at(flag, right, 0), &step, 1, DART_TYPE_LONGLONG, DART_TYPE_LONGLONG));
  MUST(dart_wait_word(at(flag, me, 0), DART_TYPE_LONGLONG, DART_WAIT_GE, &step, -1));
  MUST(dart_flush(at(halo, right, 0))); /* both puts are complete */
}

/* ---- atomics and locks ------------------------------------------------------------------------- */

static int64_t draw_ticket(dart_gptr_t counter)
{
  int64_t one = 1, ticket;

  MUST(dart_fetch_and_op(at(counter, 0, 0), &one, &ticket, DART_TYPE_LONGLONG, DART_OP_SUM));
  MUST(dart_flush(at(counter, 0, 0))); /* `ticket` is valid from here on */
  return ticket;
}

static void pay(dart_gptr_t account, dart_lock_t lock, int64_t sum)
{
  int64_t words[2];

  MUST(dart_lock_acquire(lock));
  MUST(dart_get_blocking(words, account, 2, DART_TYPE_LONGLONG, DART_TYPE_LONGLONG));
  words[0] += sum;
  words[1] += 1;
  MUST(dart_put_blocking(account, words, 2, DART_TYPE_LONGLONG, DART_TYPE_LONGLONG));
  MUST(dart_lock_release(lock));
}

static void pay_in_row(dart_gptr_t row, int64_t sum)
{
  dart_gptr_t lock = at(row, row.unitid, 0), value = at(row, row.unitid, 1);
  int64_t     old;

  MUST(dart_lock_at_acquire(lock)); /* the first word of the row, zero at the start */
  MUST(dart_get_blocking(&old, value, 1, DART_TYPE_LONGLONG, DART_TYPE_LONGLONG));
  old += sum;
  MUST(dart_put_blocking(value, &old, 1, DART_TYPE_LONGLONG, DART_TYPE_LONGLONG));
  MUST(dart_lock_at_release(lock));
}

/* ---- files ------------------------------------------------------------------------------------- */

static void save(const char *path, const double *edge, double *back)
{
  uint64_t    offset = (uint64_t)me * N * sizeof(double);
  dart_file_t file;

  MUST(dart_file_open(DART_TEAM_ALL, path, DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE,
                      0644, &file));
  MUST(dart_file_write_all(file, offset, edge, N, DART_TYPE_DOUBLE, DART_TYPE_DOUBLE, NULL));
  MUST(dart_file_read_at(file, (uint64_t)left * N * sizeof(double), back, N, DART_TYPE_DOUBLE,
                         DART_TYPE_DOUBLE, NULL));
  MUST(dart_file_close(&file));
}

/* ---- the checks -------------------------------------------------------------------------------- */

static int wrong;

static void check(const char *what, bool is_right)
{
  if (!is_right) {
    fprintf(stderr, "guide: unit %d: %s is wrong\n", me, what);
    wrong = 1;
  }
}

/* The left neighbour's edge of this step is in this unit's halo. */
static void check_halo(const char *what, dart_gptr_t halo, int step)
{
  double found[N];

  MUST(dart_get_blocking(found, at(halo, me, 0), N, DART_TYPE_DOUBLE, DART_TYPE_DOUBLE));
  for (int i = 0; i < N; i++)
    check(what, found[i] == 1000 * left + 100 * step + i);
  MUST(dart_barrier(DART_TEAM_ALL)); /* the halo may be overwritten */
}

static const double *edge_of(int step)
{
  static double edge[N];

  for (int i = 0; i < N; i++)
    edge[i] = 1000 * me + 100 * step + i;
  return edge;
}

static void check_ways(void)
{
  dart_gptr_t halo, words;
  int64_t    *own;

  MUST(dart_team_memalloc_aligned(DART_TEAM_ALL, N, DART_TYPE_DOUBLE, &halo));
  MUST(dart_team_memalloc_aligned(DART_TEAM_ALL, 2, DART_TYPE_LONGLONG, &words));
  MUST(dart_gptr_getaddr(at(words, me, 0), (void **)&own));
  own[0] = own[1] = 0;
  MUST(dart_barrier(DART_TEAM_ALL));
  by_flush(halo, edge_of(1));
  check_halo("by_flush", halo, 1);
  by_notification(halo, words, edge_of(2), 1);
  check_halo("by_notification", halo, 2);
  by_fence(halo, edge_of(3));
  check_halo("by_fence", halo, 3);
  by_post(halo, edge_of(4));
  check_halo("by_post", halo, 4);
  under_lock(halo, edge_of(5));
  MUST(dart_barrier(DART_TEAM_ALL));
  check_halo("under_lock", halo, 5);
  by_flag(halo, at(words, 0, 1), edge_of(6), 6);
  check_halo("by_flag", halo, 6);
  MUST(dart_team_memfree(words));
  MUST(dart_team_memfree(halo));
}

static void check_updates(void)
{
  dart_gptr_t words; /* of unit 0: a counter, an account of two words, a row of two words */
  dart_lock_t lock;
  int64_t    *own, ticket, sum, found[5];

  MUST(dart_team_memalloc_aligned(DART_TEAM_ALL, 5, DART_TYPE_LONGLONG, &words));
  MUST(dart_gptr_getaddr(at(words, me, 0), (void **)&own));
  for (int i = 0; i < 5; i++)
    own[i] = 0;
  MUST(dart_team_lock_init(DART_TEAM_ALL, &lock));
  ticket = draw_ticket(words);
  MUST(dart_allreduce(&ticket, &sum, 1, DART_TYPE_LONGLONG, DART_OP_SUM, DART_TEAM_ALL));
  check("draw_ticket", sum == (int64_t)nunits * (nunits - 1) / 2);
  pay(at(words, 0, 1), lock, 7);
  pay_in_row(at(words, 0, 3), 5);
  MUST(dart_barrier(DART_TEAM_ALL));
  MUST(dart_get_blocking(found, at(words, 0, 0), 5, DART_TYPE_LONGLONG, DART_TYPE_LONGLONG));
  check("pay", found[1] == 7 * nunits && found[2] == nunits);
  check("pay_in_row", found[4] == 5 * nunits);
  MUST(dart_team_lock_destroy(&lock));
  MUST(dart_team_memfree(words));
}

static void check_file(void)
{
  char   path[64];
  double back[N];
  long   number = getpid();

  MUST(dart_bcast(&number, 1, DART_TYPE_LONG, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  snprintf(path, sizeof path, "/tmp/dart-guide-%ld", number);
  save(path, edge_of(7), back);
  for (int i = 0; i < N; i++)
    check("save", back[i] == 1000 * left + 700 + i);
  MUST(dart_barrier(DART_TEAM_ALL));
  if (me == 0)
    unlink(path);
}

int main(int argc, char **argv)
{
  dart_global_unit_t myid;
  size_t             size;
  int                any;

  if (dart_init(&argc, &argv) != DART_OK)
    return EXIT_FAILURE; /* it has said why */
  MUST(dart_myid(&myid));
  MUST(dart_size(&size));
  me     = myid.id;
  nunits = (int)size;
  left   = (me + nunits - 1) % nunits;
  right  = (me + 1) % nunits;
  check_ways();
  check_updates();
  check_file();
  MUST(dart_allreduce(&wrong, &any, 1, DART_TYPE_INT, DART_OP_MAX, DART_TEAM_ALL));
  if (me == 0 && !any)
    printf("All pieces of the guide are right for %d units.\n", nunits);
  MUST(dart_exit());
  return any;
}
