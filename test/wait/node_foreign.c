/* Memory of another process: every pair of layouts against the positions of the contract, more
 * ranges and more bytes than one system call takes, and addresses where nothing is.
 *
 * The other process only sleeps. What it has is looked at from here through memory both share: its
 * mapping lies elsewhere, so an address of it means nothing in this process. */
#include "node_data.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "data/type.h"
#include "wait/foreign.h"

enum { PAGE = 65536, BYTES = PAGE }; /* a multiple of every page size */

/* --- The other process --- */

typedef struct {
  pid_t    pid;
  uint64_t address; /* there; before it and behind it nothing is mapped */
  char    *here;    /* the same bytes */
} other_t;

static other_t other;

static void sleep_for_ever(void)
{
  for (;;)
    pause();
}

/* An address range with unmapped pages around it, which are kept from other uses. */
static char *reserve(size_t nbytes)
{
  char *range = mmap(NULL, nbytes + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  return range == MAP_FAILED ? NULL : range + PAGE;
}

static int start_other(void **state)
{
  int   file = memfd_create("other", MFD_CLOEXEC);
  char *there;

  (void)state;
  if (file < 0 || ftruncate(file, BYTES) != 0)
    return -1;
  there      = reserve(BYTES);
  other.here = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (there == NULL || other.here == MAP_FAILED)
    return -1;
  other.address = (uintptr_t)there;
  other.pid     = fork();
  if (other.pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dart__foreign_consent();
    if (mmap(there, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == there)
      other.here[0] = 1; /* ready */
    sleep_for_ever();
  }
  close(file);
  while (other.pid > 0 && *(volatile char *)other.here == 0)
    usleep(100);
  return other.pid > 0 ? 0 : -1;
}

static void end_process(pid_t pid)
{
  kill(pid, SIGKILL);
  assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static int end_other(void **state)
{
  (void)state;
  end_process(other.pid);
  return 0;
}

/* --- Layouts --- */

typedef struct {
  size_t stride, blocklen;      /* blocklen 0: not strided */
  size_t count, len[4], off[4]; /* count 0: not indexed; neither: contiguous */
  size_t elem_count;
} layout_t;

static const layout_t layouts[] = {
  { .elem_count = 1 },
  { .stride = 2, .blocklen = 1, .elem_count = 1 },
  { .stride = 3, .blocklen = 3, .elem_count = 3 },
  { .stride = 5, .blocklen = 3, .elem_count = 3 },
  { .stride = 9, .blocklen = 4, .elem_count = 4 },
  { .count = 1, .len = { 2 }, .off = { 3 }, .elem_count = 2 },
  { .count = 2, .len = { 2, 1 }, .off = { 1, 4 }, .elem_count = 3 },
  { .count = 4, .len = { 1, 0, 2, 3 }, .off = { 9, 0, 1, 5 }, .elem_count = 6 } /* out of order */
};

enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

/* Contract, section 1.7: where element `k` lies. */
static size_t position(const layout_t *layout, size_t k)
{
  size_t most = 0, least = SIZE_MAX, instance = k / layout->elem_count;
  size_t i = 0;

  k %= layout->elem_count;
  if (layout->blocklen > 0)
    return instance * layout->stride + k;
  if (layout->count == 0)
    return instance;
  for (size_t b = 0; b < layout->count; b++)
    if (layout->len[b] > 0) {
      most  = layout->off[b] + layout->len[b] > most ? layout->off[b] + layout->len[b] : most;
      least = layout->off[b] < least ? layout->off[b] : least;
    }
  for (; k >= layout->len[i]; i++)
    k -= layout->len[i];
  return instance * (most - least) + layout->off[i] + k;
}

static dart_datatype_t make(const layout_t *layout, dart_datatype_t base)
{
  dart_datatype_t type = base;

  if (layout->blocklen > 0)
    assert_int_equal(dart_type_create_strided(base, layout->stride, layout->blocklen, &type),
                     DART_OK);
  else if (layout->count > 0)
    assert_int_equal(dart_type_create_indexed(base, layout->count, layout->len, layout->off, &type),
                     DART_OK);
  return type;
}

static void set_pattern(char *bytes, size_t nbytes, unsigned seed)
{
  for (size_t i = 0; i < nbytes; i++)
    bytes[i] = (char)(i * 7 + i / 251 + seed);
}

/* A transfer between one layout here and another there; bytes that are no elements stay. */
static void check_transfer(bool put, const layout_t *here, const layout_t *there,
                           dart_datatype_t base, size_t nelem, size_t shift)
{
  static char     local[BYTES], want[BYTES];
  dart_datatype_t here_id = make(here, base), there_id = make(there, base);
  size_t          size = dart__type_find(base)->elem_size;
  char           *from = put ? local : other.here, *to = put ? other.here : local;
  dart_ret_t      ret;

  set_pattern(local, BYTES, 3);
  set_pattern(other.here, BYTES, 99);
  memcpy(want, to, BYTES);
  for (size_t k = 0; k < nelem; k++) {
    size_t at_here = shift + position(here, k) * size, at_there = shift + position(there, k) * size;

    assert_true(at_here + size <= BYTES && at_there + size <= BYTES);
    memcpy(want + (put ? at_there : at_here), from + (put ? at_here : at_there), size);
  }
  ret = put ? dart__foreign_put(other.pid, other.address + shift, dart__type_find(there_id),
                                local + shift, dart__type_find(here_id), nelem)
            : dart__foreign_get(local + shift, dart__type_find(here_id), other.pid,
                                other.address + shift, dart__type_find(there_id), nelem);

  assert_int_equal(ret, DART_OK);
  if (memcmp(to, want, BYTES) != 0)
    fail_msg("%s, layouts %td here, %td there, %zu elements of %zu bytes", put ? "put" : "get",
             here - layouts, there - layouts, nelem, size);
  if (here_id != base)
    assert_int_equal(dart_type_destroy(&here_id), DART_OK);
  if (there_id != base)
    assert_int_equal(dart_type_destroy(&there_id), DART_OK);
}

static void layouts_meet_element_by_element(void **state)
{
  static const dart_datatype_t bases[] = { DART_TYPE_BYTE, DART_TYPE_INT, DART_TYPE_LONG_DOUBLE };

  (void)state;
  for (int put = 0; put < 2; put++)
    for (size_t b = 0; b < 3; b++)
      for (const layout_t *here = layouts; here < layouts + LAYOUTS; here++)
        for (const layout_t *there = layouts; there < layouts + LAYOUTS; there++)
          for (size_t nelem = 0; nelem <= 24; nelem += 12)
            check_transfer(put == 1, here, there, bases[b], nelem, b * 5);
}

/* 256 ranges fit one call, 1024 the kernel's: around both, and where either side has more. */
static void any_number_of_ranges_is_moved(void **state)
{
  static const size_t nelem[] = { 240, 252, 264, 1020, 1032, 3060, 3084, 5004 };

  (void)state;
  for (int put = 0; put < 2; put++)
    for (const layout_t *here = layouts; here < layouts + LAYOUTS; here++)
      for (const layout_t *there = layouts; there < layouts + LAYOUTS; there++)
        for (size_t i = 0; i < sizeof nelem / sizeof *nelem; i++)
          check_transfer(put == 1, here, there, DART_TYPE_INT, nelem[i], 1);
}

/* Ranges of one element here, of thousands there, so that one list ends in the midst of a range. */
static void ranges_of_very_different_lengths_meet(void **state)
{
  static const layout_t whole = { .elem_count = 1 };
  static const layout_t ones  = { .stride = 2, .blocklen = 1, .elem_count = 1 };
  static const layout_t rows  = { .stride = 2001, .blocklen = 2000, .elem_count = 2000 };

  (void)state;
  for (int put = 0; put < 2; put++) {
    check_transfer(put == 1, &ones, &rows, DART_TYPE_SHORT, 6000, 0);
    check_transfer(put == 1, &rows, &ones, DART_TYPE_SHORT, 6000, 0);
    check_transfer(put == 1, &ones, &whole, DART_TYPE_SHORT, 6001, 0);
    check_transfer(put == 1, &whole, &ones, DART_TYPE_SHORT, 6001, 0);
  }
}

static void bytes_and_custom_elements_of_equal_size_are_the_same(void **state)
{
  static const layout_t apart = { .stride = 3, .blocklen = 2, .elem_count = 2 };
  dart_datatype_t       custom;

  (void)state;
  assert_int_equal(dart_type_create_custom(37, &custom), DART_OK);
  check_transfer(true, &apart, &layouts[0], custom, 600, 1);
  check_transfer(false, &layouts[0], &apart, custom, 600, 1);
  assert_int_equal(dart_type_destroy(&custom), DART_OK);
}

/* --- Where nothing is --- */

static const dart__type_t *basic(dart_datatype_t type)
{
  return &dart__type_basic[type];
}

static void no_elements_touch_nothing(void **state)
{
  (void)state;
  assert_int_equal(
      dart__foreign_put(other.pid, 8, basic(DART_TYPE_INT), NULL, basic(DART_TYPE_INT), 0),
      DART_OK);
  assert_int_equal(
      dart__foreign_get(NULL, basic(DART_TYPE_INT), other.pid, 8, basic(DART_TYPE_INT), 0),
      DART_OK);
}

static void unmapped_memory_is_an_error(void **state)
{
  static const uint64_t at_end[] = { BYTES, BYTES + 64, BYTES - 4, BYTES - PAGE };
  static char           local[2 * PAGE];
  static const layout_t apart   = { .stride = 100, .blocklen = 1, .elem_count = 1 };
  dart_datatype_t       strided = make(&apart, DART_TYPE_LONG), large;
  char                  before[PAGE];

  (void)state;
  assert_int_equal(dart_type_create_custom(2 * PAGE, &large), DART_OK);
  /* nothing, a part of an element, some pages, and then nothing */
  for (size_t i = 0; i < sizeof at_end / sizeof *at_end; i++) {
    uint64_t address = other.address + at_end[i];

    EXPECT_ERROR(DART_ERR_OTHER,
                 dart__foreign_put(other.pid, address, basic(DART_TYPE_LONG), local,
                                   basic(DART_TYPE_LONG), sizeof local / 8),
                 "process");
    EXPECT_ERROR(DART_ERR_OTHER,
                 dart__foreign_get(local, basic(DART_TYPE_LONG), other.pid, address,
                                   basic(DART_TYPE_LONG), sizeof local / 8),
                 "process");
    EXPECT_ERROR(DART_ERR_OTHER,
                 dart__foreign_put(other.pid, address, dart__type_find(large), local,
                                   dart__type_find(large), 1),
                 "process");
    EXPECT_ERROR(DART_ERR_OTHER,
                 dart__foreign_get(local, dart__type_find(large), other.pid, address,
                                   dart__type_find(large), 1),
                 "process");
    EXPECT_ERROR(DART_ERR_OTHER,
                 dart__foreign_get(local, basic(DART_TYPE_LONG), other.pid, address,
                                   dart__type_find(strided), 500),
                 "process");
  }
  /* and before the start */
  memcpy(before, other.here, PAGE);
  EXPECT_ERROR(DART_ERR_OTHER,
               dart__foreign_put(other.pid, other.address - 8, basic(DART_TYPE_LONG), local,
                                 basic(DART_TYPE_LONG), 4),
               "process");
  assert_memory_equal(before, other.here, PAGE);
  EXPECT_ERROR(
      DART_ERR_OTHER,
      dart__foreign_put(other.pid, 0, basic(DART_TYPE_LONG), local, basic(DART_TYPE_LONG), 1),
      "process");
  assert_int_equal(dart_type_destroy(&large), DART_OK);
  assert_int_equal(dart_type_destroy(&strided), DART_OK);
}

static void a_process_that_ended_is_an_error(void **state)
{
  pid_t pid  = fork();
  long  word = 0;
  char  number[32];

  (void)state;
  assert_true(pid >= 0);
  if (pid == 0)
    sleep_for_ever();
  end_process(pid);
  snprintf(number, sizeof number, "process %d", (int)pid);
  EXPECT_ERROR(DART_ERR_OTHER,
               dart__foreign_put(pid, (uintptr_t)&word, basic(DART_TYPE_LONG), &word,
                                 basic(DART_TYPE_LONG), 1),
               number);
  EXPECT_ERROR(DART_ERR_OTHER,
               dart__foreign_get(&word, basic(DART_TYPE_LONG), pid, (uintptr_t)&word,
                                 basic(DART_TYPE_LONG), 1),
               number);
}

/* --- More than 2 GiB: one small file mapped over and over, with pages of its own at the end --- */

enum { MIB = 1 << 20, MANY = 3 * 700, FILE_MIBS = 4 };

/* `MANY` MiB of address range at `range`, few of memory. */
static bool fill_range(char *range, int file)
{
  for (size_t i = 0; i < MANY; i++) {
    size_t where = i < MANY - 1 ? i % (FILE_MIBS - 1) : FILE_MIBS - 1;

    if (mmap(range + i * MIB, MIB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
             (off_t)(where * MIB)) == MAP_FAILED)
      return false;
  }
  return true;
}

static void more_than_two_gib_are_moved(void **state)
{
  static const layout_t rows = { .stride = 700, .blocklen = 700, .elem_count = 700 };
  char                 *here = reserve((size_t)MANY * MIB), *there = reserve((size_t)MANY * MIB);
  char                 *seen;
  int                   local  = memfd_create("local", MFD_CLOEXEC);
  int                   remote = memfd_create("remote", MFD_CLOEXEC);
  dart_datatype_t       mib, strided;
  pid_t                 pid;

  (void)state;
  assert_true(here != NULL && there != NULL && local >= 0 && remote >= 0);
  assert_int_equal(ftruncate(local, FILE_MIBS * MIB), 0);
  assert_int_equal(ftruncate(remote, FILE_MIBS * MIB), 0);
  seen = mmap(NULL, FILE_MIBS * MIB, PROT_READ | PROT_WRITE, MAP_SHARED, remote, 0);
  assert_true(seen != MAP_FAILED);
  assert_true(fill_range(here, local));
  pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dart__foreign_consent();
    seen[0] = fill_range(there, remote) ? 1 : 2;
    sleep_for_ever();
  }
  while (*(volatile char *)seen == 0)
    usleep(100);
  assert_int_equal(seen[0], 1);
  assert_int_equal(dart_type_create_custom(MIB, &mib), DART_OK);
  strided = make(&rows, mib);

  for (int form = 0; form < 2; form++) { /* one range, then several */
    const dart__type_t *type = dart__type_find(form == 0 ? mib : strided);

    memset(seen, 0, FILE_MIBS * MIB);
    for (size_t i = 0; i < FILE_MIBS; i++)
      memset(here + (i < FILE_MIBS - 1 ? i : MANY - 1) * MIB, (int)(form * 10 + (int)i + 1), MIB);
    assert_int_equal(dart__foreign_put(pid, (uintptr_t)there, type, here, type, MANY), DART_OK);
    for (size_t i = 0; i < (size_t)FILE_MIBS * MIB; i++)
      if (seen[i] != (char)(form * 10 + (int)(i / MIB) + 1))
        fail_msg("byte %zu of form %d is %d", i, form, seen[i]);

    memset(here + (size_t)(MANY - 1) * MIB, 0x7f, MIB);
    assert_int_equal(dart__foreign_get(here, type, pid, (uintptr_t)there, type, MANY), DART_OK);
    assert_memory_equal(here + (size_t)(MANY - 1) * MIB, seen + (FILE_MIBS - 1) * MIB, MIB);
  }
  assert_int_equal(dart_type_destroy(&strided), DART_OK);
  assert_int_equal(dart_type_destroy(&mib), DART_OK);
  end_process(pid);
  munmap(here, (size_t)MANY * MIB);
  munmap(there, (size_t)MANY * MIB);
  munmap(seen, FILE_MIBS * MIB);
  close(local);
  close(remote);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(layouts_meet_element_by_element),
                                      cmocka_unit_test(any_number_of_ranges_is_moved),
                                      cmocka_unit_test(ranges_of_very_different_lengths_meet),
                                      cmocka_unit_test(
                                          bytes_and_custom_elements_of_equal_size_are_the_same),
                                      cmocka_unit_test(no_elements_touch_nothing),
                                      cmocka_unit_test(unmapped_memory_is_an_error),
                                      cmocka_unit_test(a_process_that_ended_is_an_error),
                                      cmocka_unit_test(more_than_two_gib_are_moved) };

  alarm(100); /* ends a transfer that does not */
  return cmocka_run_group_tests_name("foreign", tests, start_other, end_other);
}
