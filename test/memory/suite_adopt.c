/* Memory of the program's own that becomes a segment (dart_adopt.h). */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <dash/dart/ext/dart_adopt.h>
#include <dash/dart/ext/dart_epoch.h>
#include <dash/dart/ext/dart_file.h>
#include <dash/dart/ext/dart_lock_at.h>
#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_notify.h>

#include "dart_test.h"
#include "file_path.h"

SUITE(adopt);

enum { WORDS = 1000, PAGE = 4096 };

/* Statics, each on pages of its own, but for what stands beside it. */
static struct {
  _Alignas(PAGE) int64_t before[8];
  int64_t word[WORDS];
  int64_t behind[8];
} data = { .before = { 1, 2, 3 }, .behind = { 4, 5, 6 } };

static struct {
  _Alignas(PAGE) int64_t word[2 * WORDS];
} zeros, kept;

static void fill(int64_t *word, int count, int seed)
{
  for (int i = 0; i < count; i++)
    word[i] = seed * 100000 + i;
}

static bool is_filled(const int64_t *word, int count, int seed)
{
  for (int i = 0; i < count; i++)
    if (word[i] != seed * 100000 + i)
      return false;
  return true;
}

static bool neighbours_are_there(void)
{
  return data.before[0] == 1 && data.before[2] == 3 && data.behind[0] == 4 && data.behind[2] == 6;
}

static dart_gptr_t adopted(void *addr, size_t nbytes)
{
  dart_gptr_t gptr;

  EXPECT_OK(dart_team_adopt(DART_TEAM_ALL, addr, nbytes, &gptr));
  EXPECT_TRUE(!DART_GPTR_ISNULL(gptr));
  EXPECT_EQ(gptr.unitid, 0);
  return gptr;
}

TEST(contents_and_neighbours_stay)
{
  dart_gptr_t gptr;
  void       *own;

  fill(data.word, WORDS, me);
  gptr = adopted(data.word, sizeof data.word);
  EXPECT_TRUE(is_filled(data.word, WORDS, me) && neighbours_are_there());
  EXPECT_OK(dart_gptr_getaddr(test_unit(gptr, me), &own));
  EXPECT_TRUE(own == data.word);
  EXPECT_TRUE(dart_near_ptr(test_at(test_unit(gptr, me), 7)) == &data.word[7]);
  EXPECT_OK(dart_gptr_setaddr(&gptr, &data.word[3]));
  EXPECT_EQ(gptr.addr_or_offs.offset, 3 * sizeof(int64_t));
  fill(data.word, WORDS, me + 50);
  EXPECT_OK(dart_team_memfree(gptr));
  EXPECT_TRUE(is_filled(data.word, WORDS, me + 50) && neighbours_are_there());
}

TEST(others_put_into_variables_and_get_them)
{
  dart_gptr_t gptr;
  int64_t     got[WORDS], value = 7000 + me;
  int         right = (me + 1) % n, left = (me + n - 1) % n;

  fill(data.word, WORDS, me);
  gptr = adopted(data.word, sizeof data.word);
  EXPECT_OK(dart_get_blocking(got, test_unit(gptr, right), WORDS, T_INT64, T_INT64));
  EXPECT_TRUE(is_filled(got, WORDS, right));
  test_barrier();
  EXPECT_OK(
      dart_put_blocking(test_at(test_unit(gptr, right), WORDS - 1), &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_put(test_unit(gptr, right), &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_flush(test_unit(gptr, right)));
  test_barrier();
  EXPECT_EQ(data.word[0], 7000 + left);
  EXPECT_EQ(data.word[1], me * 100000 + 1);
  EXPECT_EQ(data.word[WORDS - 1], 7000 + left);
  EXPECT_TRUE(neighbours_are_there());
  EXPECT_INVAL(
      dart_put_blocking(test_at(test_unit(gptr, right), WORDS), &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_team_memfree(gptr));
  EXPECT_EQ(data.word[0], 7000 + left);
}

TEST(large_data_go_both_ways) /* by MPI, between nodes, and over pages */
{
  enum { MANY = 200000 };
  int64_t *own =
      mmap(NULL, MANY * sizeof *own, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int64_t    *sent = malloc(MANY * sizeof *sent);
  dart_gptr_t gptr;

  fill(own, MANY, me);
  fill(sent, MANY, me + 70);
  gptr = adopted(own, MANY * sizeof *own);
  EXPECT_OK(dart_put_blocking(test_unit(gptr, (me + 1) % n), sent, MANY, T_INT64, T_INT64));
  test_barrier();
  EXPECT_TRUE(is_filled(own, MANY, (me + n - 1) % n + 70));
  EXPECT_OK(dart_get_blocking(sent, test_unit(gptr, (me + 1) % n), MANY, T_INT64, T_INT64));
  EXPECT_TRUE(is_filled(sent, MANY, me + 70));
  EXPECT_OK(dart_team_memfree(gptr));
  EXPECT_TRUE(is_filled(own, MANY, (me + n - 1) % n + 70));
  free(sent);
  munmap(own, MANY * sizeof *own);
}

TEST(
    addresses_and_sizes_differ) /* other pages, other places on them, other sizes; none on one unit */
{
  int         count = me == n - 1 && n > 1 ? 0 : 10 + me;
  int64_t    *own   = count > 0 ? &zeros.word[3 * me + 1] : NULL;
  int         right = (me + 1) % n, left = (me + n - 1) % n;
  int         there = right == n - 1 && n > 1 ? 0 : 10 + right;
  int64_t     value = 30 + me, got = -1;
  dart_gptr_t gptr;

  memset(zeros.word, 0, sizeof zeros.word);
  fill(own, count, me);
  gptr = adopted(own, (size_t)count * sizeof *own);
  if (there > 0) {
    dart_gptr_t last = test_at(test_unit(gptr, right), (size_t)there - 1);

    EXPECT_OK(dart_get_blocking(&got, last, 1, T_INT64, T_INT64));
    EXPECT_EQ(got, right * 100000 + there - 1);
    EXPECT_OK(dart_put(last, &value, 1, T_INT64, T_INT64));
    EXPECT_OK(dart_flush(last));
  }
  EXPECT_INVAL(
      dart_put(test_at(test_unit(gptr, right), (size_t)there), &value, 1, T_INT64, T_INT64));
  test_barrier();
  if (count > 0) {
    EXPECT_EQ(own[count - 1], 30 + left);
    EXPECT_EQ(own[count], 0);
    EXPECT_EQ(own[-1], 0);
  }
  EXPECT_OK(dart_team_memfree(gptr));
}

TEST(atomics_of_all_meet_in_a_variable)
{
  dart_gptr_t gptr;
  int64_t     one = 1, before = -1, rounds = 50;

  data.word[1] = 0;
  data.word[2] = 0;
  gptr         = adopted(data.word, sizeof data.word);
  for (int i = 0; i < rounds; i++) {
    EXPECT_OK(dart_accumulate(test_at(gptr, 1), &one, 1, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_fetch_and_op(test_at(gptr, 2), &one, &before, T_INT64, DART_OP_SUM));
    EXPECT_OK(dart_flush(gptr));
  }
  EXPECT_TRUE(before >= rounds - 1 && before < n * rounds);
  test_barrier();
  if (me == 0) {
    EXPECT_EQ(data.word[1], n * rounds);
    EXPECT_EQ(data.word[2], n * rounds);
  }
  EXPECT_OK(dart_team_memfree(gptr));
}

/* Elements of 16 bytes are aligned where the variable's address says so, on near and far units alike. */
TEST(alignment_is_that_of_addresses)
{
  double _Complex one = 1, before = -1;
  dart_gptr_t gptr, right;

  fill(data.word, WORDS, 0);
  gptr  = adopted(&data.word[1], 8 * sizeof data.word[0]);
  right = test_unit(gptr, (me + 1) % n);
  EXPECT_REFUSED(dart_fetch_and_op, (right, &one, &before, DART_TYPE_DOUBLE_COMPLEX, DART_OP_SUM),
                 DART_ERR_INVAL, "aligned");
  EXPECT_OK(dart_fetch_and_op(test_at(right, 1), &one, &before, DART_TYPE_DOUBLE_COMPLEX,
                              DART_OP_REPLACE));
  EXPECT_OK(dart_flush(right));
  test_barrier();
  EXPECT_BYTES(&data.word[2], &one, sizeof one);
  EXPECT_OK(dart_team_memfree(gptr));
}

TEST(notifications_locks_and_epochs_work_in_variables)
{
  dart_gptr_t gptr, right;
  int64_t     value = 90 + me;
  int         left  = (me + n - 1) % n;

  memset(data.word, 0, sizeof data.word);
  gptr  = adopted(data.word, sizeof data.word);
  right = test_unit(gptr, (me + 1) % n);
  EXPECT_OK(dart_put_notify(test_at(right, 1), &value, 1, T_INT64, T_INT64, right, 1));
  EXPECT_OK(dart_notify_wait(test_unit(gptr, me), 1, -1));
  EXPECT_EQ(data.word[1], 90 + left);

  EXPECT_OK(dart_lock_at_acquire(test_at(gptr, 2)));
  EXPECT_OK(dart_get_blocking(&value, test_at(gptr, 3), 1, T_INT64, T_INT64));
  value++;
  EXPECT_OK(dart_put_blocking(test_at(gptr, 3), &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_lock_at_release(test_at(gptr, 2)));
  EXPECT_OK(dart_flush(gptr));
  test_barrier();
  if (me == 0)
    EXPECT_EQ(data.word[3], n);

  value = 60 + me;
  EXPECT_OK(dart_epoch_fence(gptr, 0));
  EXPECT_OK(dart_put(test_at(right, 4), &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_epoch_fence(gptr, 0));
  EXPECT_EQ(data.word[4], 60 + left);
  EXPECT_OK(dart_epoch_lock(right, DART_EPOCH_EXCLUSIVE, 0));
  EXPECT_OK(dart_put(test_at(right, 5), &value, 1, T_INT64, T_INT64));
  EXPECT_OK(dart_epoch_unlock(right, 0));
  test_barrier();
  EXPECT_EQ(data.word[5], 60 + left);
  EXPECT_OK(dart_team_memfree(gptr));
}

TEST(near_units_load_and_store)
{
  dart_gptr_t      gptr;
  dart_team_unit_t near[64];
  size_t           nnear;
  int64_t          sum = 0;

  data.word[9] = 11 + me;
  gptr         = adopted(data.word, sizeof data.word);
  EXPECT_OK(dart_team_near_units(DART_TEAM_ALL, 64, near, &nnear));
  for (size_t i = 0; i < nnear; i++) {
    const int64_t *there = dart_near_ptr(test_at(test_unit(gptr, near[i].id), 9));

    if (EXPECT_TRUE(there != NULL))
      sum += *there - 11 - near[i].id;
  }
  EXPECT_EQ(sum, 0);
  test_barrier();
  EXPECT_OK(dart_team_memfree(gptr));
}

TEST(again_and_again_and_left_to_the_end_of_a_team)
{
  dart_gptr_t gptr;
  dart_team_t team;

  for (int round = 0; round < 3; round++) {
    fill(data.word, WORDS, me + round);
    gptr = adopted(data.word, sizeof data.word);
    EXPECT_OK(dart_team_memfree(gptr));
    EXPECT_TRUE(is_filled(data.word, WORDS, me + round));
  }
  EXPECT_OK(dart_team_clone(DART_TEAM_ALL, &team));
  EXPECT_OK(dart_team_adopt(team, data.word, sizeof data.word, &gptr));
  data.word[0] = 77;
  EXPECT_OK(dart_team_destroy(&team));
  EXPECT_EQ(data.word[0], 77);
  EXPECT_TRUE(neighbours_are_there());
  data.word[0] = 78; /* private, writable pages */
  EXPECT_EQ(data.word[0], 78);
}

/* Bytes of this process's address space. */
static size_t address_space(void)
{
  FILE         *statm = fopen("/proc/self/statm", "r");
  unsigned long pages = 0;

  EXPECT_EQ(fscanf(statm, "%lu", &pages), 1);
  fclose(statm);
  return pages * PAGE;
}

TEST(little_memory_is_needed_to_give_it_back)
{
  const size_t nbytes = me == 0 ? (size_t)96 << 20 : 0;
  char        *pages =
      nbytes == 0 ? NULL
                         : mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct rlimit before, little;
  dart_gptr_t   gptr;

  for (size_t i = 0; i < nbytes; i += PAGE)
    pages[i] = (char)(i / PAGE);
  gptr = adopted(pages, nbytes);
  EXPECT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  little = (struct rlimit){ address_space() + ((size_t)32 << 20), before.rlim_max };
  if (me == 0)
    EXPECT_EQ(setrlimit(RLIMIT_AS, &little), 0);
  EXPECT_OK(dart_team_memfree(gptr));
  EXPECT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  for (size_t i = 0; i < nbytes; i += PAGE)
    if (!EXPECT_EQ(pages[i], (char)(i / PAGE)))
      break;
  if (nbytes > 0)
    munmap(pages, nbytes);
}

TEST(left_to_the_end) /* dart_exit returns it */
{
  adopted(kept.word, sizeof kept.word);
}

/* ---- errors ---------------------------------------------------------------------------------- */

/* Unit `wrong` offers memory that cannot be adopted, the others some that can: all get the error. */
static void expect_refused(int wrong, void *addr, size_t nbytes, dart_ret_t code)
{
  dart_gptr_t gptr = { .segid = 5 };

  fill(data.word, WORDS, me);
  if (me == wrong)
    EXPECT_RET(dart_team_adopt(DART_TEAM_ALL, addr, nbytes, &gptr), code);
  else
    EXPECT_RET(dart_team_adopt(DART_TEAM_ALL, data.word, sizeof data.word, &gptr), code);
  EXPECT_TRUE(DART_GPTR_ISNULL(gptr));
  EXPECT_TRUE(is_filled(data.word, WORDS, me) && neighbours_are_there());
}

TEST(memory_that_cannot_be_moved_is_refused_by_all)
{
  void   *shared      = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  void   *read        = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int64_t on_stack[4] = { 0 };

  expect_refused(n - 1, shared, PAGE, DART_ERR_INVAL);
  expect_refused(n - 1, read, PAGE, DART_ERR_INVAL);
  expect_refused(n - 1, on_stack, sizeof on_stack, DART_ERR_INVAL);
  expect_refused(n - 1, NULL, 8, DART_ERR_INVAL);
  expect_refused(n - 1, (char *)data.word + 4, 8, DART_ERR_INVAL);
  expect_refused(n - 1, data.word, SIZE_MAX, DART_ERR_INVAL);
  munmap(shared, PAGE);
  munmap(read, PAGE);
}

/* A page of a file that has ended, between two that are there. */
TEST(memory_of_a_file_that_has_ended_is_refused_by_all)
{
  char *pages =
      mmap(NULL, (size_t)3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  FILE *file = tmpfile();

  EXPECT_TRUE(mmap(pages + PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
                   fileno(file), 0) == pages + PAGE);
  expect_refused(n - 1, pages, (size_t)3 * PAGE, DART_ERR_INVAL);
  EXPECT_EQ(ftruncate(fileno(file), 1), 0); /* the rest of the page is zeros */
  if (me == n - 1)
    dart_team_memfree(adopted(pages, (size_t)3 * PAGE));
  else
    dart_team_memfree(adopted(data.word, sizeof data.word));
  munmap(pages, (size_t)3 * PAGE);
  fclose(file);
}

TEST(pages_that_a_request_may_write_to_are_refused_by_all)
{
  dart_file_request_t request;
  dart_file_t         file;
  int64_t             word = 5;

  EXPECT_OK(dart_file_open(DART_TEAM_ALL, test_path(DART_TEAM_ALL, "adopt"),
                           DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE, 0600, &file));
  EXPECT_OK(
      dart_file_write_at_request(file, 8 * (uint64_t)me, &word, 1, T_INT64, T_INT64, &request));
  if (me != n - 1)
    EXPECT_OK(dart_file_wait(&request, NULL));
  expect_refused(n - 1, data.word, sizeof data.word, DART_ERR_INVAL);
  if (me == n - 1)
    EXPECT_OK(dart_file_wait(&request, NULL));
  EXPECT_OK(dart_team_memfree(adopted(data.word, sizeof data.word)));
  EXPECT_OK(dart_file_close(&file));
}

TEST(no_page_is_adopted_twice)
{
  dart_gptr_t gptr = adopted(zeros.word, 8 * sizeof *zeros.word);

  expect_refused(0, &zeros.word[8], 8, DART_ERR_INVAL);
  expect_refused(n - 1, zeros.word, sizeof zeros.word, DART_ERR_INVAL);
  zeros.word[3] = 5 + me;
  EXPECT_OK(dart_team_memfree(gptr));
  EXPECT_EQ(zeros.word[3], 5 + me);
}

TEST(wrong_arguments_are_refused)
{
  dart_gptr_t gptr = { .segid = 5 };

  EXPECT_REFUSED(dart_team_adopt, (12345, zeros.word, 8, &gptr), DART_ERR_INVAL, "team 12345");
  EXPECT_TRUE(DART_GPTR_ISNULL(gptr));
  EXPECT_REFUSED(dart_team_adopt, (DART_TEAM_ALL, zeros.word, 8, NULL), DART_ERR_INVAL, "NULL");
}
