/* More than 2^31 - 1 elements in one call.
 *
 * Buffers are huge in virtual memory only: all of the middle is one piece of memory, mapped over and
 * over, with a period that is no power of two. Whoever loses his way in a buffer breaks the pattern;
 * the first and the last megabyte have memory of their own, so they show who stops too early or
 * starts too late; and behind the end nothing is mapped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "dart_test.h"

SUITE(large);

static const size_t many = ((size_t)1 << 31) + 1003;

enum { PAGE = 4096, PERIOD = 257 * PAGE, EDGE = PERIOD };

typedef struct huge {
  unsigned char *start;
  size_t         nbytes, mapped;
} huge_t;

static void give_up(const char *what)
{
  perror(what);
  dart_abort(EXIT_FAILURE);
}

static void map(unsigned char *at, size_t nbytes, int memory)
{
  int flags = memory < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;

  if (mmap(at, nbytes, PROT_READ | PROT_WRITE, MAP_FIXED | flags, memory, 0) != at)
    give_up("mmap");
}

/* All bytes 0. It ends where its mapping does, and starts somewhere in a page. */
static huge_t huge_new(size_t nbytes)
{
  huge_t         huge   = { NULL, nbytes, (nbytes / PERIOD + 3) * PERIOD };
  int            memory = memfd_create("middle", MFD_CLOEXEC);
  unsigned char *from;

  if (memory < 0 || ftruncate(memory, PERIOD) != 0)
    give_up("memfd_create");
  from =
      mmap(NULL, huge.mapped + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (from == MAP_FAILED)
    give_up("mmap");
  huge.start = from + huge.mapped - nbytes;
  for (size_t at = 0; at < huge.mapped; at += PERIOD) {
    bool edge = at < 2 * (size_t)PERIOD || at + 2 * (size_t)PERIOD >= huge.mapped;

    map(from + at, PERIOD, edge ? -1 : memory);
  }
  close(memory);
  return huge;
}

static void huge_delete(huge_t *huge)
{
  munmap(huge->start + huge->nbytes - huge->mapped, huge->mapped + PAGE);
}

/* Byte `at` of a pattern that repeats as the middle does. */
static unsigned char byte_of(size_t at, int stamp)
{
  size_t in = at % PERIOD;

  return (unsigned char)((in * 7 + in / 251 + (size_t)stamp) * 5);
}

/* What is written shows everywhere in the middle, so a part of it will do. */
static void for_parts(huge_t *huge, int stamp, int factor, size_t *wrong_out)
{
  const size_t parts[][2] = {
    { 0, 2 * EDGE },
    { huge->nbytes / 2, 2 * EDGE },
    { huge->nbytes - 2 * EDGE, 2 * EDGE },
  };

  for (int p = 0; p < 3; p++) {
    for (size_t at = parts[p][0]; at < parts[p][0] + parts[p][1]; at++) {
      unsigned char value = (unsigned char)(byte_of(at, stamp) * factor);

      if (wrong_out != NULL)
        *wrong_out += huge->start[at] != value;
      else
        huge->start[at] = value;
    }
  }
}

static void huge_fill(huge_t *huge, int stamp)
{
  for_parts(huge, stamp, 1, NULL);
}

static void expect_huge(test_place_t at, huge_t *huge, int stamp, int factor)
{
  size_t wrong = 0;

  for_parts(huge, stamp, factor, &wrong);
  test_expect_eq(at, (intmax_t)wrong, 0);
}

#define EXPECT_HUGE(huge, stamp) expect_huge(TEST__HERE(#huge), &huge, stamp, 1)

/* ---- One-sided ------------------------------------------------------------------------------- */

static void put_and_get(const test_type_t *type, int to)
{
  huge_t      sent = huge_new(many * type->size), target = huge_new(many * type->size);
  dart_gptr_t segment, at;

  test_note("%zu of %s to unit %d", many, type->name, to);
  huge_fill(&sent, 1);
  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, me == to ? target.nbytes : 0, DART_TYPE_BYTE,
                                  me == to ? target.start : NULL, &segment));
  at = test_unit(segment, to);
  if (me == 0) {
    EXPECT_OK(dart_put_blocking(at, sent.start, many, type->id, type->id));
    huge_delete(&sent);
    sent = huge_new(many * type->size);
    EXPECT_OK(dart_get(sent.start, at, many, type->id, type->id));
    EXPECT_OK(dart_flush(at));
    EXPECT_HUGE(sent, 1);
    EXPECT_INVAL(dart_put(at, sent.start, many + 1, type->id, type->id));
  }
  test_barrier();
  if (me == to)
    EXPECT_HUGE(target, 1);
  test_barrier();
  EXPECT_OK(dart_team_memderegister(segment));
  huge_delete(&sent);
  huge_delete(&target);
}

TEST(put_and_get_of_many_elements)
{
  put_and_get(&test_types[0], 0);
  put_and_get(&test_types[1], n - 1); /* SHORT: offsets in bytes and in elements differ */
}

/* There and back in each form; `data` is `nelem` elements at either side. */
static void move_in_all_forms(dart_gptr_t at, huge_t *data, size_t nelem, dart_datatype_t type)
{
  dart_handle_t handle;

  for (int form = 0; form < 3; form++) {
    test_note("%zu elements of %zu bytes, form %d", nelem, data->nbytes / nelem, form);
    huge_fill(data, form);
    if (form == 0) {
      EXPECT_OK(dart_put_blocking(at, data->start, nelem, type, type));
    } else if (form == 1) {
      EXPECT_OK(dart_put(at, data->start, nelem, type, type));
      EXPECT_OK(dart_flush(at));
    } else {
      EXPECT_OK(dart_put_handle(at, data->start, nelem, type, type, &handle));
      EXPECT_OK(dart_wait(&handle));
    }
    huge_fill(data, 99);
    if (form == 0) {
      EXPECT_OK(dart_get_blocking(data->start, at, nelem, type, type));
    } else if (form == 1) {
      EXPECT_OK(dart_get(data->start, at, nelem, type, type));
      EXPECT_OK(dart_flush_local(at));
    } else {
      EXPECT_OK(dart_get_handle(data->start, at, nelem, type, type, &handle));
      EXPECT_OK(dart_wait_local(&handle));
    }
    expect_huge(TEST__HERE("what came back"), data, form, 1);
  }
}

static void elements_of(size_t nbytes, size_t nelem)
{
  huge_t          data = huge_new(nelem * nbytes), target = huge_new(nelem * nbytes);
  dart_gptr_t     segment;
  dart_datatype_t type;

  EXPECT_OK(dart_type_create_custom(nbytes, &type));
  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, me == n - 1 ? target.nbytes : 0, DART_TYPE_BYTE,
                                  me == n - 1 ? target.start : NULL, &segment));
  if (me == 0)
    move_in_all_forms(test_unit(segment, n - 1), &data, nelem, type);
  test_barrier();
  if (me == n - 1)
    EXPECT_HUGE(target, 2);
  EXPECT_OK(dart_team_memderegister(segment));
  EXPECT_OK(dart_type_destroy(&type));
  test_barrier();
  huge_delete(&data);
  huge_delete(&target);
}

TEST(elements_of_many_bytes) /* larger than what one call of MPI, or of the kernel, moves */
{
  elements_of(INT32_MAX, 1);
  elements_of(((size_t)1 << 30) + 1, 2);
}

TEST(replace_of_many_elements)
{
  huge_t      sent = huge_new(many), target = huge_new(many);
  dart_gptr_t segment, at;

  huge_fill(&sent, 1);
  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, many, DART_TYPE_BYTE, target.start, &segment));
  at = test_unit(segment, n - 1);
  if (me == 0) {
    EXPECT_OK(dart_accumulate(at, sent.start, many, DART_TYPE_BYTE, DART_OP_REPLACE));
    EXPECT_OK(dart_flush(at));
  }
  test_barrier();
  if (me == n - 1)
    EXPECT_HUGE(target, 1);
  EXPECT_OK(dart_team_memderegister(segment));
  test_barrier();
  huge_delete(&sent);
  huge_delete(&target);
}

/* ---- Collectives and messages ---------------------------------------------------------------- */

TEST(bcast_of_many_elements)
{
  huge_t buffer = huge_new(many);

  if (me == n - 1)
    huge_fill(&buffer, 3);
  EXPECT_OK(
      dart_bcast(buffer.start, many, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(n - 1), DART_TEAM_ALL));
  EXPECT_HUGE(buffer, 3);
  huge_delete(&buffer);
}

TEST(allreduce_of_many_elements)
{
  huge_t sent = huge_new(many), got = huge_new(many);

  huge_fill(&sent, 4); /* the same on all units: the sum is n times that, modulo 256 */
  EXPECT_OK(
      dart_allreduce(sent.start, got.start, many, DART_TYPE_BYTE, DART_OP_SUM, DART_TEAM_ALL));
  expect_huge(TEST__HERE("sum"), &got, 4, n);
  huge_delete(&sent);
  huge_delete(&got);
}

TEST(gather_and_scatter_of_many_elements) /* blocks as long as the period allows: all in phase */
{
  size_t nelem = (many / PERIOD + 1) * PERIOD;
  huge_t block = huge_new(nelem), all = huge_new((size_t)n * nelem);

  huge_fill(&block, 5);
  EXPECT_OK(dart_gather(block.start, all.start, nelem, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0),
                        DART_TEAM_ALL));
  if (me == 0)
    EXPECT_HUGE(all, 5);
  huge_delete(&block);
  block = huge_new(nelem);
  EXPECT_OK(dart_scatter(all.start, block.start, nelem, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0),
                         DART_TEAM_ALL));
  EXPECT_HUGE(block, 5);
  huge_delete(&all);
  all = huge_new((size_t)n * nelem);
  EXPECT_OK(dart_allgather(block.start, all.start, nelem, DART_TYPE_BYTE, DART_TEAM_ALL));
  EXPECT_HUGE(all, 5);
  huge_delete(&all);
  huge_delete(&block);
}

TEST(alltoall_of_many_elements)
{
  size_t nelem = (many / PERIOD + 1) * PERIOD;
  huge_t sent = huge_new((size_t)n * nelem), got = huge_new((size_t)n * nelem);

  huge_fill(&sent, 6);
  EXPECT_OK(dart_alltoall(sent.start, got.start, nelem, DART_TYPE_BYTE, DART_TEAM_ALL));
  EXPECT_HUGE(got, 6);
  huge_delete(&sent);
  huge_delete(&got);
}

TEST_N(2, messages_of_many_elements) /* those to oneself are kept whole, in DART_POOL */
{
  huge_t             sent = huge_new(many), got = huge_new(many);
  dart_global_unit_t right = { (me + 1) % n }, left = { (me + n - 1) % n };

  huge_fill(&sent, 7);
  EXPECT_OK(dart_sendrecv(sent.start, many, DART_TYPE_BYTE, 1, right, got.start, many,
                          DART_TYPE_BYTE, 1, left));
  EXPECT_HUGE(got, 7);
  huge_delete(&sent);
  huge_delete(&got);
}

/* ---- Real memory ----------------------------------------------------------------------------- */

TEST(a_portion_of_many_elements) /* of unit 0 alone: the others ask for 1 */
{
  struct statvfs shm;
  int64_t        free_mib = 0, least;
  dart_gptr_t    segment;
  unsigned char  byte = 0x77, got = 0;

  if (statvfs("/dev/shm", &shm) == 0)
    free_mib = (int64_t)(shm.f_bavail * shm.f_bsize >> 20);
  EXPECT_OK(dart_allreduce(&free_mib, &least, 1, T_INT64, DART_OP_MIN, DART_TEAM_ALL));
  if (least < 3 << 10) {
    if (me == 0)
      printf("skip a_portion_of_many_elements (/dev/shm has %ld MiB, not 3072)\n", (long)least);
    return;
  }
  EXPECT_OK(
      dart_team_memalloc_aligned(DART_TEAM_ALL, me == 0 ? many : 1, DART_TYPE_BYTE, &segment));
  if (me == n - 1) {
    EXPECT_OK(
        dart_put_blocking(test_byte(segment, many - 1), &byte, 1, DART_TYPE_BYTE, DART_TYPE_BYTE));
    EXPECT_OK(
        dart_get_blocking(&got, test_byte(segment, many - 1), 1, DART_TYPE_BYTE, DART_TYPE_BYTE));
    EXPECT_EQ(got, 0x77);
    EXPECT_INVAL(
        dart_put_blocking(test_byte(segment, many), &byte, 1, DART_TYPE_BYTE, DART_TYPE_BYTE));
  }
  test_barrier();
  if (me == 0)
    EXPECT_EQ(((unsigned char *)test_mine(segment))[many - 1], 0x77);
  EXPECT_OK(dart_team_memfree(segment));
}
