/* Allocation: bad arguments. See refusal.h. */
#include "refusal.h"

SUITE(errors_memory);

TEST(allocations_want_a_team_a_type_and_a_size) /* E46 E47 F56 G68 */
{
  dart_gptr_t     segment = untouched_segment(DART_TEAM_ALL), wrong, block, registered;
  dart_datatype_t strided, custom;
  int64_t         cell = 5;
  char            nowhere[64];

  fill_no_types();
  EXPECT_OK(dart_type_create_strided(DART_TYPE_INT, 2, 1, &strided));
  EXPECT_OK(dart_type_create_custom(8, &custom));
  for (int i = 0; i < NO_TEAMS; i++) {
    dart_team_t none = no_teams[i].id;
    const char *says = no_teams[i].says;

    REFUSED(dart_team_memalloc_aligned, (none, 1, T_INT64, &out.gptr), says);
    REFUSED(dart_team_memregister, (none, 1, T_INT64, &cell, &out.gptr), says);
    REFUSED(dart_team_memregister_aligned, (none, 1, T_INT64, &cell, &out.gptr), says);
  }
  for (int i = 0; i < NO_TYPES; i++) {
    dart_datatype_t none = no_types[i].id;
    const char     *says = no_types[i].says;

    REFUSED(dart_team_memalloc_aligned, (DART_TEAM_ALL, 1, none, &out.gptr), says);
    REFUSED(dart_team_memregister, (DART_TEAM_ALL, 1, none, &cell, &out.gptr), says);
    REFUSED(dart_team_memregister_aligned, (DART_TEAM_ALL, 1, none, &cell, &out.gptr), says);
    REFUSED(dart_memalloc, (1, none, &out.gptr), says);
  }
  REFUSED(dart_team_memalloc_aligned, (DART_TEAM_ALL, 2, strided, &out.gptr), "type ");
  REFUSED(dart_team_memalloc_aligned, (DART_TEAM_ALL, 2, custom, &out.gptr), "type ");
  REFUSED(dart_team_memregister, (DART_TEAM_ALL, 1, strided, &cell, &out.gptr), "type ");
  REFUSED(dart_team_memregister_aligned, (DART_TEAM_ALL, 1, custom, &cell, &out.gptr), "type ");
  REFUSED(dart_memalloc, (2, strided, &out.gptr), "not contiguous");

  test_note("sizes");
  REFUSED(dart_team_memalloc_aligned, (DART_TEAM_ALL, TOO_MANY, T_INT64, &out.gptr),
          "2305843009213693953 ");
  REFUSED(dart_team_memalloc_aligned, (DART_TEAM_ALL, SIZE_MAX, DART_TYPE_BYTE, &out.gptr),
          "18446744073709551615 ");
  ROW(dart_team_memalloc_aligned, (DART_TEAM_ALL, (size_t)1 << 50, DART_TYPE_BYTE, &out.gptr),
      DART_ERR_NOMEM, "1125899906842624 bytes");
  REFUSED(dart_team_memregister, (DART_TEAM_ALL, TOO_MANY, T_INT64, &cell, &out.gptr),
          "2305843009213693953 ");
  REFUSED(dart_team_memregister_aligned,
          (DART_TEAM_ALL, SIZE_MAX, DART_TYPE_BYTE, &cell, &out.gptr), "18446744073709551615 ");
  REFUSED(dart_memalloc, (TOO_MANY, T_INT64, &out.gptr), "2305843009213693953 ");
  ROW(dart_memalloc, ((size_t)1 << 50, DART_TYPE_BYTE, &out.gptr), DART_ERR_OTHER,
      "1125899906842624 bytes");

  test_note("buffers");
  snprintf(nowhere, sizeof nowhere, "8 bytes at address %p are not all there",
           NULL); /* C libraries differ in it */
  REFUSED(dart_team_memalloc_aligned, (DART_TEAM_ALL, 1, T_INT64, NULL), "gptr is NULL");
  REFUSED(dart_team_memregister, (DART_TEAM_ALL, 1, T_INT64, &cell, NULL), "gptr is NULL");
  REFUSED(dart_team_memregister, (DART_TEAM_ALL, 1, T_INT64, NULL, &out.gptr), nowhere);
  REFUSED(dart_team_memregister_aligned, (DART_TEAM_ALL, 1, T_INT64, &cell, NULL), "gptr is NULL");
  REFUSED(dart_team_memregister_aligned, (DART_TEAM_ALL, 1, T_INT64, NULL, &out.gptr), nowhere);
  REFUSED(dart_memalloc, (1, T_INT64, NULL), "gptr is NULL");

  test_note("frees");
  EXPECT_OK(dart_memalloc(2, T_INT64, &block));
  EXPECT_OK(dart_team_memregister(DART_TEAM_ALL, 1, T_INT64, &cell, &registered));
  wrong       = segment;
  wrong.segid = UNKNOWN_SEGMENT;
  REFUSED(dart_team_memfree, (wrong), "segment 77 ");
  REFUSED(dart_team_memfree, (block), "segment 0 ");
  REFUSED(dart_team_memfree, (registered), saying("segment %d ", registered.segid));
  wrong.segid = -UNKNOWN_SEGMENT;
  REFUSED(dart_team_memderegister, (wrong), "segment -77 ");
  REFUSED(dart_team_memderegister, (block), "segment 0 ");
  REFUSED(dart_team_memderegister, (segment), saying("segment %d ", segment.segid));
  for (int i = 1; i < NO_TEAMS; i++) { /* the first may make a null pointer */
    wrong        = segment;
    wrong.teamid = no_teams[i].id;
    REFUSED(dart_team_memfree, (wrong), no_teams[i].says);
    REFUSED(dart_memfree, (wrong), no_teams[i].says);
    wrong        = registered;
    wrong.teamid = no_teams[i].id;
    REFUSED(dart_team_memderegister, (wrong), no_teams[i].says);
  }
  REFUSED(dart_memfree, (null_gptr), "unit -1 ");
  REFUSED(dart_memfree, (test_unit(segment, me)), saying("segment %d", segment.segid));
  REFUSED(dart_memfree, (test_byte(block, 8)),
          saying("offset %llu", (unsigned long long)block.addr_or_offs.offset + 8));
  REFUSED(dart_memfree, (test_unit(block, n)), saying("unit %d ", n));
  if (n > 1)
    REFUSED(dart_memfree, (test_unit(block, (me + 1) % n)), saying("unit %d ", (me + 1) % n));
  EXPECT_OK(dart_memfree(block));
  REFUSED(dart_memfree, (block),
          saying("offset %llu", (unsigned long long)block.addr_or_offs.offset));
  EXPECT_OK(dart_team_memderegister(registered));
  REFUSED(dart_team_memderegister, (registered), saying("segment %d ", registered.segid));
  EXPECT_EQ(cell, 5);

  EXPECT_OK(dart_type_destroy(&strided));
  EXPECT_OK(dart_type_destroy(&custom));
  expect_untouched(segment);
}

TEST(allocators_want_their_own_blocks) /* F61 */
{
  dart_gptr_t      segment = untouched_segment(DART_TEAM_ALL), block, other_block, wrong;
  dart_allocator_t one, other, none = NULL;
  dart_datatype_t  strided;
  uint64_t         offset;

  fill_no_types();
  EXPECT_OK(dart_type_create_strided(DART_TYPE_INT, 2, 1, &strided));
  EXPECT_OK(dart_allocator_new(1024, DART_TEAM_ALL, &one));
  EXPECT_OK(dart_allocator_new(1024, DART_TEAM_ALL, &other));
  EXPECT_OK(dart_allocator_alloc(2, T_INT64, &block, one));
  EXPECT_OK(dart_allocator_alloc(2, T_INT64, &other_block, other));
  offset = block.addr_or_offs.offset;

  for (int i = 0; i < NO_TEAMS; i++) {
    dart_team_t no = no_teams[i].id;

    REFUSED(dart_allocator_new, (1024, no, &out.allocator), no_teams[i].says);
  }
  REFUSED(dart_allocator_new, (1024, DART_TEAM_ALL, NULL), "new_allocator is NULL");
  ROW(dart_allocator_new, (SIZE_MAX, DART_TEAM_ALL, &out.allocator), DART_ERR_NOMEM,
      "18446744073709551615 bytes");
  for (int i = 0; i < NO_TYPES; i++) {
    dart_datatype_t no = no_types[i].id;

    REFUSED(dart_allocator_alloc, (1, no, &out.gptr, one), no_types[i].says);
  }
  REFUSED(dart_allocator_alloc, (1, strided, &out.gptr, one), "not contiguous");
  REFUSED(dart_allocator_alloc, (1, T_INT64, NULL, one), "gptr is NULL");
  REFUSED(dart_allocator_alloc, (1, T_INT64, &out.gptr, NULL), "allocator is NULL");
  REFUSED(dart_allocator_alloc, (TOO_MANY, T_INT64, &out.gptr, one), "2305843009213693953 ");
  ROW(dart_allocator_alloc, (1025, DART_TYPE_BYTE, &out.gptr, one), DART_ERR_NOMEM, "1025 bytes");

  REFUSED(dart_allocator_free, (NULL, one), "gptr is NULL");
  REFUSED(dart_allocator_free, (&block, NULL), "allocator is NULL");
  REFUSED(dart_allocator_free, (&other_block, one), saying("segment %d", other_block.segid));
  wrong = null_gptr;
  REFUSED(dart_allocator_free, (&wrong, one), "unit -1 ");
  wrong = test_unit(segment, me);
  REFUSED(dart_allocator_free, (&wrong, one), saying("segment %d", segment.segid));
  wrong = test_byte(block, 8);
  REFUSED(dart_allocator_free, (&wrong, one),
          saying("offset %llu", (unsigned long long)offset + 8));
  wrong = test_unit(block, n);
  REFUSED(dart_allocator_free, (&wrong, one), saying("unit %d ", n));
  wrong = block;
  EXPECT_OK(dart_allocator_free(&block, one));
  REFUSED(dart_allocator_free, (&wrong, one), saying("offset %llu", (unsigned long long)offset));
  REFUSED(dart_allocator_destroy, (NULL), "allocator is NULL");
  REFUSED(dart_allocator_destroy, (&none), "allocator is NULL");
  EXPECT_OK(dart_allocator_free(&other_block, other));

  EXPECT_OK(dart_allocator_destroy(&one));
  EXPECT_OK(dart_allocator_destroy(&other));
  EXPECT_OK(dart_type_destroy(&strided));
  expect_untouched(segment);
}
