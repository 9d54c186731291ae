/* Atomic mode of dart/ext/dart_file.h: accesses that overlap and are not contiguous are sequentially consistent.
 *
 * A file has cells, of as many bytes as make the library take one or the other way of locking and writing. In a round
 * every unit writes its pattern to random cells in one call, and reads random cells in another, before that or after; all at the same
 * time. Then a checker looks for an order of the writes that explains all that was read, and what the file has at the end: a
 * read sees the file as it is after some of them, and after the unit's own if that came before it. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dash/dart/ext/dart_file.h>

#include "file_path.h"

SUITE(file_atomic);

#define BYTE  DART_TYPE_BYTE
#define FLAGS (DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE)

enum { CELLS = 24, MOST_UNITS = 8, MIXED = 250 };

/* ---- the checker --------------------------------------------------------------------------------- */

/* What the units did in a round; a value is that of a unit + 1, or 0 for what was there at the beginning. */
typedef struct {
  int      units;
  uint32_t writes[MOST_UNITS]; /* set of cells */
  uint32_t reads[MOST_UNITS];
  bool     writes_first[MOST_UNITS];
  uint8_t  seen[MOST_UNITS][CELLS];
  uint8_t  end[CELLS];
} round_t;

/* Whether the unit's read is what the file has in `state`. */
static bool sees(const round_t *r, int unit, const uint8_t *state)
{
  for (int c = 0; c < CELLS; c++)
    if ((r->reads[unit] >> c & 1) != 0 && r->seen[unit][c] != state[c])
      return false;
  return true;
}

/* Whether each read sees the file after some of the writes in this order, on the right side of the unit's own. */
static bool reads_fit(const round_t *r, const int *order)
{
  uint8_t state[CELLS]     = { 0 };
  bool    fits[MOST_UNITS] = { false }, has_written[MOST_UNITS] = { false };

  for (int step = 0;; step++) {
    for (int u = 0; u < r->units; u++)
      if (has_written[u] == r->writes_first[u] && sees(r, u, state))
        fits[u] = true;
    if (step == r->units)
      break;
    for (int c = 0; c < CELLS; c++)
      if ((r->writes[order[step]] >> c & 1) != 0)
        state[c] = (uint8_t)(order[step] + 1);
    has_written[order[step]] = true;
  }
  for (int u = 0; u < r->units; u++)
    if (!fits[u])
      return false;
  return true;
}

/* Try all units that are left as the one that writes last of them. `covered`: cells that later ones write. */
static bool search(const round_t *r, int *order, int left, uint32_t used, uint32_t covered)
{
  if (left == 0) {
    for (int c = 0; c < CELLS; c++)
      if ((covered >> c & 1) == 0 && r->end[c] != 0)
        return false;
    return reads_fit(r, order);
  }
  for (int u = 0; u < r->units; u++) {
    bool fits = (used >> u & 1) == 0;

    for (int c = 0; c < CELLS && fits; c++)
      fits = (r->writes[u] >> c & 1) == 0 || (covered >> c & 1) != 0 || r->end[c] == u + 1;
    order[left - 1] = u;
    if (fits && search(r, order, left - 1, used | 1U << u, covered | r->writes[u]))
      return true;
  }
  return false;
}

static bool is_explained(const round_t *r)
{
  int order[MOST_UNITS];

  return search(r, order, r->units, 0, 0);
}

TEST(the_checker_tells_orders_from_tears)
{
  round_t r = { .units = 2, .writes = { 3, 3 }, .reads = { 3, 3 }, .writes_first = { true, true } };

  memcpy(r.end, (uint8_t[]){ 2, 2 }, 2);
  memcpy(r.seen[0], (uint8_t[]){ 1, 1 }, 2);
  memcpy(r.seen[1], (uint8_t[]){ 2, 2 }, 2);
  EXPECT_TRUE(is_explained(&r));
  memcpy(r.seen[0], (uint8_t[]){ 1, 2 }, 2); /* torn */
  EXPECT_TRUE(!is_explained(&r));
  memcpy(r.seen[0], (uint8_t[]){ 0, 0 }, 2); /* not its own write */
  EXPECT_TRUE(!is_explained(&r));
  r.writes_first[0] = false;
  EXPECT_TRUE(is_explained(&r));
  memcpy(r.seen[1], (uint8_t[]){ 1, 1 }, 2); /* older than its own */
  EXPECT_TRUE(!is_explained(&r));
  memcpy(r.seen[1], (uint8_t[]){ 2, 2 }, 2);
  memcpy(r.end, (uint8_t[]){ 1, 2 }, 2);
  EXPECT_TRUE(!is_explained(&r));
}

/* ---- rounds ------------------------------------------------------------------------------------------ */

/* The cells of a set as an indexed type: runs of cells, each a block. */
static dart_datatype_t type_of(uint32_t cells, size_t cell_bytes)
{
  size_t          length[CELLS], offset[CELLS], n_blocks = 0;
  dart_datatype_t type;

  for (size_t c = 0; c < CELLS; c++) {
    if ((cells >> c & 1) == 0)
      continue;
    if (n_blocks > 0 && offset[n_blocks - 1] + length[n_blocks - 1] == c * cell_bytes) {
      length[n_blocks - 1] += cell_bytes;
    } else {
      offset[n_blocks]   = c * cell_bytes;
      length[n_blocks++] = cell_bytes;
    }
  }
  EXPECT_OK(dart_type_create_indexed(BYTE, n_blocks, length, offset, &type));
  return type;
}

static uint32_t draw_cells(test_random_t *random)
{
  uint32_t cells = (uint32_t)(test_random(random) & test_random(random)) & ((1U << CELLS) - 1);

  return cells | 1U << test_random(random) % CELLS;
}

/* The value that all bytes of a cell have; MIXED if they differ. */
static uint8_t value_of(const char *cell, size_t cell_bytes)
{
  for (size_t i = 1; i < cell_bytes; i++)
    if (cell[i] != cell[0])
      return MIXED;
  return (uint8_t)cell[0];
}

static void write_cells(dart_file_t file, uint32_t cells, size_t cell_bytes, char *buffer)
{
  dart_datatype_t type  = type_of(cells, cell_bytes);
  size_t          nelem = (size_t)__builtin_popcount(cells) * cell_bytes;

  memset(buffer, me + 1, nelem);
  EXPECT_OK(dart_file_write_at(file, 0, buffer, nelem, BYTE, type, NULL));
  EXPECT_OK(dart_type_destroy(&type));
}

static void read_cells(dart_file_t file, uint32_t cells, size_t cell_bytes, char *buffer,
                       uint8_t *seen)
{
  dart_datatype_t type  = type_of(cells, cell_bytes);
  size_t          nelem = (size_t)__builtin_popcount(cells) * cell_bytes, at = 0;

  EXPECT_OK(dart_file_read_at(file, 0, buffer, nelem, BYTE, type, NULL));
  for (int c = 0; c < CELLS; c++)
    if ((cells >> c & 1) != 0)
      seen[c] = value_of(buffer + at++ * cell_bytes, cell_bytes);
  EXPECT_OK(dart_type_destroy(&type));
}

static int64_t now_ns(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* All units go on at the same time, as far as they have cores: at one that unit 0 sets. */
static void start_together(void)
{
  int64_t start = now_ns() + 100000, end = start + 1000000;

  EXPECT_OK(dart_bcast(&start, 1, T_INT64, DART_TEAM_UNIT_ID(0), DART_TEAM_ALL));
  while (now_ns() < start && now_ns() < end) /* clocks of other nodes may be ahead */
    ;
}

static void play_round(dart_file_t file, size_t cell_bytes, int number, char *buffer)
{
  round_t       r           = { .units = n };
  test_random_t random      = { (uint64_t)number * 1000 + cell_bytes };
  uint8_t       seen[CELLS] = { 0 };

  for (int u = 0; u < n; u++) { /* all units draw the same for all */
    r.writes[u]       = draw_cells(&random);
    r.reads[u]        = draw_cells(&random) | draw_cells(&random);
    r.writes_first[u] = test_random(&random) % 2 == 0;
  }
  if (me == 0) {
    memset(buffer, 0, CELLS * cell_bytes);
    EXPECT_OK(dart_file_write_at(file, 0, buffer, CELLS * cell_bytes, BYTE, BYTE, NULL));
  }
  start_together();
  if (r.writes_first[me])
    write_cells(file, r.writes[me], cell_bytes, buffer);
  read_cells(file, r.reads[me], cell_bytes, buffer, seen);
  if (!r.writes_first[me])
    write_cells(file, r.writes[me], cell_bytes, buffer);
  test_barrier();
  EXPECT_OK(dart_allgather(seen, r.seen, CELLS, BYTE, DART_TEAM_ALL));
  if (me == number % n) {
    read_cells(file, (1U << CELLS) - 1, cell_bytes, buffer, r.end);
    test_note("round %d, cells of %zu bytes", number, cell_bytes);
    EXPECT_TRUE(is_explained(&r));
  }
  test_barrier();
}

TEST(overlapping_accesses_are_sequentially_consistent)
{
  static const size_t sizes[] = { 1, 40, 700, 5000,
                                  70000 }; /* sieved, or not; over stripes; beyond a stage */
  dart_file_t         file    = DART_FILE_NULL;
  char               *buffer  = malloc(CELLS * 70000);

  if (n > MOST_UNITS)
    return;
  EXPECT_OK(dart_file_open(DART_TEAM_ALL, test_path(DART_TEAM_ALL, "atomic"), FLAGS, 0600, &file));
  EXPECT_OK(dart_file_set_atomicity(file, true));
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int round = 0; round < test_rounds(i < 4 ? 60 : 20); round++)
      play_round(file, sizes[i], round, buffer);
  EXPECT_OK(dart_file_close(&file));
  free(buffer);
}

/* Each unit's pieces lie between those of the others, so that they share every page and every sieve: none is lost. */
TEST(neighbours_do_not_disturb_each_other)
{
  enum { PIECES = 500 };
  dart_file_t     file = DART_FILE_NULL;
  dart_datatype_t type;
  int64_t         own[PIECES], got[PIECES];

  EXPECT_OK(dart_file_open(DART_TEAM_ALL, test_path(DART_TEAM_ALL, "between"), FLAGS, 0600, &file));
  EXPECT_OK(dart_file_set_atomicity(file, true));
  EXPECT_OK(dart_type_create_strided(T_INT64, (size_t)n, 1, &type));
  for (int round = 0; round < test_rounds(50); round++) {
    for (int i = 0; i < PIECES; i++)
      own[i] = me * 1000000 + round * 1000 + i;
    EXPECT_OK(dart_file_write_at(file, 8 * (uint64_t)me, own, PIECES, T_INT64, type, NULL));
    EXPECT_OK(dart_file_read_at(file, 8 * (uint64_t)me, got, PIECES, T_INT64, type, NULL));
    EXPECT_BYTES(got, own, sizeof own);
  }
  EXPECT_OK(dart_type_destroy(&type));
  EXPECT_OK(dart_file_close(&file));
}

/* What is written is there for whoever is told of it. */
TEST(writes_are_visible_at_once)
{
  dart_file_t file = DART_FILE_NULL;
  dart_gptr_t turn = test_segment(DART_TEAM_ALL, sizeof(int64_t), 0);
  int64_t     whose, value[2] = { 0 };

  EXPECT_OK(dart_file_open(DART_TEAM_ALL, test_path(DART_TEAM_ALL, "turns"), FLAGS, 0600, &file));
  EXPECT_OK(dart_file_set_atomicity(file, true));
  for (int64_t round = me; round < test_rounds(40) * n; round += n) {
    do {
      EXPECT_OK(dart_get_blocking(&whose, turn, 1, T_INT64, T_INT64));
      test_pause();
    } while (whose != round);
    if (round > 0)
      EXPECT_OK(dart_file_read_at(file, 16, value, 2, T_INT64, T_INT64, NULL));
    EXPECT_EQ(value[0], round);
    EXPECT_EQ(value[1], -round);
    value[0] = round + 1;
    value[1] = -value[0];
    EXPECT_OK(dart_file_write_at(file, 16, value, 2, T_INT64, T_INT64, NULL));
    whose++;
    EXPECT_OK(dart_put_blocking(turn, &whose, 1, T_INT64, T_INT64));
  }
  test_barrier();
  EXPECT_OK(dart_file_close(&file));
}
