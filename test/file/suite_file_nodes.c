/* Collective calls of dart/ext/dart_file.h whose units interleave, on one node and on several: what is written is there, in
 * few pieces, and holes are as they were; by which way, the library's counters tell. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <dash/dart/ext/dart_file.h>
#include <dash/dart/ext/dart_near.h>

#include "base/counters.h"
#include "file_path.h"

SUITE(file_nodes);

#define BYTE   DART_TYPE_BYTE
#define CREATE (DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE | DART_FILE_TRUNCATE)

static dart_file_t open_file(const char *name)
{
  dart_file_t file = DART_FILE_NULL;

  EXPECT_OK(dart_file_open(DART_TEAM_ALL, test_path(DART_TEAM_ALL, name), CREATE, 0600, &file));
  return file;
}

/* Whether some unit is on another node than this one; the same on all units. */
static bool are_many_nodes(void)
{
  dart_gptr_t base;
  bool        many = false;

  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 8, BYTE, &base));
  for (int u = 0; u < n; u++)
    many = many || dart_near_ptr(test_unit(base, u)) == NULL;
  EXPECT_OK(dart_team_memfree(base));
  return many;
}

/* This unit's place when units are listed node by node. */
static size_t place_on_nodes(void)
{
  int        *first = malloc((size_t)n * sizeof *first); /* unit -> the first one of its node */
  int         mine  = n;
  size_t      place = 0;
  dart_gptr_t base;

  EXPECT_OK(dart_team_memalloc_aligned(DART_TEAM_ALL, 8, BYTE, &base));
  for (int u = n - 1; u >= 0; u--)
    if (dart_near_ptr(test_unit(base, u)) != NULL)
      mine = u;
  EXPECT_OK(dart_team_memfree(base));
  EXPECT_OK(dart_allgather(&mine, first, 1, DART_TYPE_INT, DART_TEAM_ALL));
  for (int u = 0; u < n; u++)
    place += first[u] < mine || (first[u] == mine && u < me);
  free(first);
  return place;
}

/* Cells of `width` int64_t, dealt to the units in turn, the last `holes` of each round to nobody. */
typedef struct {
  size_t width, count, holes;
} deal_t;

static dart_datatype_t type_of(const deal_t *d)
{
  dart_datatype_t type;

  EXPECT_OK(dart_type_create_strided(T_INT64, d->width * ((size_t)n + d->holes), d->width, &type));
  return type;
}

static int64_t value_of(int unit, size_t i)
{
  return 1000000000 * (int64_t)(unit + 1) + (int64_t)i;
}

/* The number of int64_t in the file that are not what they should be; those of holes are -7. */
static size_t count_wrong(dart_file_t file, const deal_t *d)
{
  size_t   round = d->width * ((size_t)n + d->holes), nelem = round * d->count, wrong = 0;
  int64_t *all = malloc(nelem * 8);

  EXPECT_OK(dart_file_read_at(file, 0, all, nelem, T_INT64, T_INT64, NULL));
  for (size_t i = 0; i < nelem; i++) {
    size_t unit = i % round / d->width;

    wrong += all[i] !=
             (unit < (size_t)n ? value_of((int)unit, i / round * d->width + i % d->width) : -7);
  }
  free(all);
  return wrong;
}

/* The first unit writes holes everywhere. */
static void fill_holes(dart_file_t file, const deal_t *d)
{
  size_t   nelem = d->width * ((size_t)n + d->holes) * d->count;
  int64_t *all   = malloc(nelem * 8);

  for (size_t i = 0; i < nelem; i++)
    all[i] = -7;
  if (me == 0)
    EXPECT_OK(dart_file_write_at(file, 0, all, nelem, T_INT64, T_INT64, NULL));
  free(all);
  test_barrier();
}

static void try_deal(dart_file_t file, deal_t d)
{
  size_t          nelem = d.width * d.count, count = 0, wrong = 0;
  int64_t        *mine = malloc(nelem * 8);
  dart_datatype_t type = type_of(&d);
  uint64_t        at   = (uint64_t)me * d.width * 8;

  fill_holes(file, &d);
  for (size_t i = 0; i < nelem; i++)
    mine[i] = value_of(me, i);
  EXPECT_OK(dart_file_write_all(file, at, mine, nelem, T_INT64, type, &count));
  EXPECT_EQ(count, nelem);
  test_barrier();
  EXPECT_EQ(count_wrong(file, &d), 0);
  memset(mine, 0, nelem * 8);
  EXPECT_OK(dart_file_read_all(file, at, mine, nelem, T_INT64, type, &count));
  EXPECT_EQ(count, nelem);
  for (size_t i = 0; i < nelem; i++)
    wrong += mine[i] != value_of(me, i);
  EXPECT_EQ(wrong, 0);
  EXPECT_OK(dart_type_destroy(&type));
  free(mine);
}

TEST(cells_that_all_units_have_in_turn)
{
  dart_file_t file = open_file("cells");

  try_deal(file, (deal_t){ .width = 1, .count = 1 });
  try_deal(file,
           (deal_t){ .width = 1, .count = 150000 }); /* rounds, and packets of several turns */
  try_deal(file, (deal_t){ .width = 75, .count = 900 });
  try_deal(file, (deal_t){ .width = 1, .count = 20000, .holes = 1 });
  try_deal(file, (deal_t){ .width = 600, .count = 60, .holes = 2 });
  EXPECT_OK(dart_file_close(&file));
}

/* What a unit writes itself is its windows, whole; where nodes interleave, others of these are its data. */
TEST(interleaved_data_are_written_in_large_pieces)
{
  deal_t          d       = { .width = 16, .count = 5000 };
  size_t          nelem   = d.width * d.count;
  uint64_t        pieces  = dart__counted(DART__COUNT_FILE_PIECE);
  uint64_t        packets = dart__counted(DART__COUNT_FILE_PACKET);
  bool            many    = are_many_nodes();
  dart_file_t     file    = open_file("pieces");
  int64_t        *mine    = calloc(nelem, 8);
  dart_datatype_t type    = type_of(&d);

  EXPECT_OK(
      dart_file_write_all(file, (uint64_t)me * d.width * 8, mine, nelem, T_INT64, type, NULL));
  EXPECT_TRUE(dart__counted(DART__COUNT_FILE_PIECE) - pieces <= 1);
  EXPECT_EQ(dart__counted(DART__COUNT_FILE_PACKET) > packets, many);
  EXPECT_OK(dart_type_destroy(&type));
  free(mine);
  EXPECT_OK(dart_file_close(&file));
}

/* Each unit its own part of the file, of small pieces, node by node: these do not interleave, and nothing goes between
 * them. */
TEST(parts_of_nodes_stay_on_the_node)
{
  enum { BLOCKS = 2000 };
  uint64_t        packets = dart__counted(DART__COUNT_FILE_PACKET);
  dart_file_t     file    = open_file("parts");
  int64_t        *mine    = malloc(BLOCKS * 8);
  uint64_t        at      = place_on_nodes() * BLOCKS * 16;
  dart_datatype_t type;

  EXPECT_OK(dart_type_create_strided(T_INT64, 2, 1, &type));
  for (int i = 0; i < BLOCKS; i++)
    mine[i] = value_of(me, (size_t)i);
  EXPECT_OK(dart_file_write_all(file, at, mine, BLOCKS, T_INT64, type, NULL));
  EXPECT_EQ(dart__counted(DART__COUNT_FILE_PACKET), packets);
  memset(mine, 0, BLOCKS * 8);
  EXPECT_OK(dart_file_read_all(file, at, mine, BLOCKS, T_INT64, type, NULL));
  for (int i = 0; i < BLOCKS; i++)
    if (!EXPECT_EQ(mine[i], value_of(me, (size_t)i)))
      break;
  EXPECT_OK(dart_type_destroy(&type));
  free(mine);
  EXPECT_OK(dart_file_close(&file));
}

TEST(a_read_ends_where_the_file_does_on_every_node)
{
  deal_t          d     = { .width = 3, .count = 30000 };
  size_t          nelem = d.width * d.count, count = 0, there, beyond = 0;
  dart_file_t     file = open_file("ends");
  int64_t        *mine = malloc(nelem * 8);
  dart_datatype_t type = type_of(&d);
  uint64_t        at   = (uint64_t)me * d.width * 8;

  for (size_t i = 0; i < nelem; i++)
    mine[i] = value_of(me, i);
  EXPECT_OK(dart_file_write_all(file, at, mine, nelem, T_INT64, type, NULL));
  for (int part = 0; part < 4;
       part++) { /* whole rounds of cells, and one element of unit 0's next */
    size_t rounds = d.count * (size_t)part / 4;

    EXPECT_OK(dart_file_resize(file, 0)); /* what is beyond the end is zeros if it is read at all */
    EXPECT_OK(dart_file_write_all(file, at, mine, nelem, T_INT64, type, NULL));
    EXPECT_OK(dart_file_resize(file, rounds * (size_t)n * d.width * 8 + 8));
    memset(mine, 0x11, nelem * 8);
    EXPECT_OK(dart_file_read_all(file, at, mine, nelem, T_INT64, type, &count));
    there = rounds * d.width + (me == 0);
    EXPECT_EQ(count, there);
    for (size_t i = 0; i < nelem; i++)
      beyond += i < there ? mine[i] != value_of(me, i) : mine[i] != 0x1111111111111111;
    EXPECT_EQ(beyond, 0);
    for (size_t i = 0; i < nelem; i++)
      mine[i] = value_of(me, i);
  }
  EXPECT_OK(dart_type_destroy(&type));
  free(mine);
  EXPECT_OK(dart_file_close(&file));
}

/* The last unit's process may not write so far; the others have nothing to complain of but for it. */
TEST(units_agree_if_one_cannot_write_its_window)
{
  const uint64_t  base  = (uint64_t)1 << 40;
  deal_t          d     = { .width = 64, .count = 4000 }; /* 2 MB of each unit */
  size_t          nelem = d.width * d.count, count = 7;
  int64_t        *mine = calloc(nelem, 8);
  dart_datatype_t type = type_of(&d);
  struct rlimit   before, less;
  dart_file_t     file;

  EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  less = (struct rlimit){ base, before.rlim_max };
  if (me == n - 1)
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &less), 0);
  file = open_file("window");
  EXPECT_RET(dart_file_write_all(file, base + (uint64_t)me * d.width * 8, mine, nelem, T_INT64,
                                 type, &count),
             DART_ERR_OTHER);
  EXPECT_EQ(dart_file_error(), EFBIG);
  EXPECT_EQ(count, 0);
  if (me == n - 1)
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_OK(dart_type_destroy(&type));
  free(mine);
  EXPECT_OK(dart_file_close(&file));
}
