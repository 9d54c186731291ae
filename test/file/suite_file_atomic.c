/* Atomic mode of dart/ext/dart_file.h: accesses that overlap and are not contiguous are sequentially consistent.
 *
 * A file has cells, of as many bytes as make the library take one or the other way of locking and writing. In a round
 * every unit writes its pattern to random cells in one call, and reads random cells in another, before that or after; all at the same
 * time. Either call may be collective, and the cells may be given by the types of the calls or by views, which overlap or
 * are apart. Then a checker (file_order.h) looks for an order of the writes that explains all that was read, and what the
 * file has at the end. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dash/dart/ext/dart_file.h>

#include "file_order.h"
#include "file_path.h"

SUITE(file_atomic);

#define BYTE  DART_TYPE_BYTE
#define FLAGS (DART_FILE_READ | DART_FILE_WRITE | DART_FILE_CREATE)

TEST(the_checker_tells_orders_from_tears)
{
  round_t r = { .units = 2, .writes = { 3, 3 }, .reads = { 3, 3 }, .before = { 1, 2 } };

  memcpy(r.end, (uint8_t[]){ 2, 2 }, 2);
  memcpy(r.seen[0], (uint8_t[]){ 1, 1 }, 2);
  memcpy(r.seen[1], (uint8_t[]){ 2, 2 }, 2);
  EXPECT_TRUE(is_explained(&r));
  memcpy(r.seen[0], (uint8_t[]){ 1, 2 }, 2); /* torn */
  EXPECT_TRUE(!is_explained(&r));
  memcpy(r.seen[0], (uint8_t[]){ 0, 0 }, 2); /* not its own write */
  EXPECT_TRUE(!is_explained(&r));
  r.before[0] = 0;
  r.after[0]  = 1;
  EXPECT_TRUE(is_explained(&r));
  r.after[1] = 1; /* unit 0's write is over what unit 1 has read, though that is the end */
  EXPECT_TRUE(!is_explained(&r));
  r.after[1] = 0;
  memcpy(r.seen[1], (uint8_t[]){ 1, 1 }, 2); /* older than its own */
  EXPECT_TRUE(!is_explained(&r));
  memcpy(r.seen[1], (uint8_t[]){ 2, 2 }, 2);
  memcpy(r.end, (uint8_t[]){ 1, 2 }, 2);
  EXPECT_TRUE(!is_explained(&r));
}

/* ---- which cells a call accesses ------------------------------------------------------------------- */

/* Cells `start` + c of all c in `set`, and again and again `period` cells further on. */
typedef struct {
  int      start;
  int      period;
  uint32_t set;
} view_t;

/* A call's cells, in the order of its bytes. */
typedef struct {
  int count;
  int cell[CELLS];
  int offset; /* cells of the view before these */
} part_t;

/* What the units do in a round, and how; drawn alike by all. */
typedef enum { NO_VIEWS, VIEWS_OVERLAP, VIEWS_ARE_APART, VIEWS } views_t;

typedef struct {
  views_t views;
  bool    writes_together; /* by dart_file_write_all */
  bool    reads_together;
  bool    writes_first[MOST_UNITS];
  view_t  view[MOST_UNITS];
  part_t  write[MOST_UNITS];
  part_t  read[MOST_UNITS];
} plan_t;

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

static uint32_t set_of(const part_t *part)
{
  uint32_t set = 0;

  for (int i = 0; i < part->count; i++)
    set |= 1U << part->cell[i];
  return set;
}

static int draw(test_random_t *random, int from, int to)
{
  return from + (int)(test_random(random) % (uint64_t)(to - from + 1));
}

static uint32_t draw_set(test_random_t *random, int ncells)
{
  uint32_t cells = (uint32_t)(test_random(random) & test_random(random)) & ((1U << ncells) - 1);

  return cells | 1U << draw(random, 0, ncells - 1);
}

/* All cells that the view has. */
static part_t through(view_t view)
{
  part_t part = { 0 };

  for (int at = view.start; at < CELLS; at += view.period)
    for (int c = 0; at + c < CELLS; c++)
      if ((view.set >> c & 1) != 0)
        part.cell[part.count++] = at + c;
  return part;
}

/* Some cells of the view that follow one another in it. */
static part_t draw_run(test_random_t *random, view_t view)
{
  part_t all = through(view), part = { 0 };

  part.offset = draw(random, 0, all.count - 1);
  part.count  = draw(random, 1, all.count - part.offset);
  memcpy(part.cell, all.cell + part.offset, (size_t)part.count * sizeof *part.cell);
  return part;
}

static part_t draw_part(test_random_t *random, const plan_t *plan, int unit)
{
  view_t once = { 0, CELLS, draw_set(random, CELLS) };

  return plan->views == NO_VIEWS ? through(once) : draw_run(random, plan->view[unit]);
}

/* Random blocks, whose type repeats where its last one ends; or blocks of all units in turn. */
static view_t draw_view(test_random_t *random, views_t views, int unit, int block)
{
  uint32_t set   = draw_set(random, CELLS / draw(random, 1, 3));
  int      first = __builtin_ctz(set), last = 31 - __builtin_clz(set);

  if (views == VIEWS_ARE_APART)
    return (view_t){ unit * block, n * block, (1U << block) - 1 };
  return (view_t){ 0, last + 1 - first, set };
}

static plan_t draw_plan(test_random_t *random, int number)
{
  plan_t plan  = { .views           = (views_t)(number % VIEWS),
                   .writes_together = number / VIEWS % 2 != 0,
                   .reads_together  = number / VIEWS / 2 % 2 != 0 };
  int    block = draw(random, 1, CELLS / MOST_UNITS);

  for (int u = 0; u < n; u++) {
    plan.view[u]         = draw_view(random, plan.views, u, block);
    plan.write[u]        = draw_part(random, &plan, u);
    plan.read[u]         = draw_part(random, &plan, u);
    plan.writes_first[u] = draw(random, 0, 1) == 0;
    if (plan.writes_together && plan.reads_together)
      plan.writes_first[u] = plan.writes_first[0]; /* for all enter the same call */
  }
  return plan;
}

/* ---- calls ------------------------------------------------------------------------------------------- */

static void set_view(dart_file_t file, const plan_t *plan, size_t cell_bytes)
{
  const view_t   *view = &plan->view[me];
  dart_datatype_t type;

  if (plan->views == NO_VIEWS)
    return;
  if (plan->views == VIEWS_OVERLAP)
    type = type_of(view->set, cell_bytes);
  else
    EXPECT_OK(dart_type_create_strided(BYTE, (size_t)view->period * cell_bytes,
                                       (size_t)__builtin_popcount(view->set) * cell_bytes, &type));
  EXPECT_OK(dart_file_set_view(file, (uint64_t)view->start * cell_bytes, type));
  EXPECT_OK(dart_type_destroy(&type));
}

/* The value that all bytes of a cell have; MIXED if they differ. */
static uint8_t value_of(const char *cell, size_t cell_bytes)
{
  for (size_t i = 1; i < cell_bytes; i++)
    if (cell[i] != cell[0])
      return MIXED;
  return (uint8_t)cell[0];
}

static void write_cells(dart_file_t file, const plan_t *plan, size_t cell_bytes, char *buffer)
{
  const part_t   *part   = &plan->write[me];
  size_t          nelem  = (size_t)part->count * cell_bytes;
  uint64_t        offset = (uint64_t)part->offset * cell_bytes;
  dart_datatype_t type   = plan->views == NO_VIEWS ? type_of(set_of(part), cell_bytes) : BYTE;

  memset(buffer, me + 1, nelem);
  if (plan->writes_together)
    EXPECT_OK(dart_file_write_all(file, offset, buffer, nelem, BYTE, type, NULL));
  else
    EXPECT_OK(dart_file_write_at(file, offset, buffer, nelem, BYTE, type, NULL));
  if (type != BYTE)
    EXPECT_OK(dart_type_destroy(&type));
}

static void read_cells(dart_file_t file, const plan_t *plan, size_t cell_bytes, char *buffer,
                       uint8_t *seen)
{
  const part_t   *part   = &plan->read[me];
  size_t          nelem  = (size_t)part->count * cell_bytes;
  uint64_t        offset = (uint64_t)part->offset * cell_bytes;
  dart_datatype_t type   = plan->views == NO_VIEWS ? type_of(set_of(part), cell_bytes) : BYTE;

  if (plan->reads_together)
    EXPECT_OK(dart_file_read_all(file, offset, buffer, nelem, BYTE, type, NULL));
  else
    EXPECT_OK(dart_file_read_at(file, offset, buffer, nelem, BYTE, type, NULL));
  for (int i = 0; i < part->count; i++)
    seen[part->cell[i]] = value_of(buffer + (size_t)i * cell_bytes, cell_bytes);
  if (type != BYTE)
    EXPECT_OK(dart_type_destroy(&type));
}

static void clear_file(dart_file_t file, size_t cell_bytes, char *buffer)
{
  memset(buffer, 0, CELLS * cell_bytes);
  EXPECT_OK(dart_file_write_at(file, 0, buffer, CELLS * cell_bytes, BYTE, BYTE, NULL));
}

static void read_end(dart_file_t file, size_t cell_bytes, char *buffer, uint8_t *end)
{
  EXPECT_OK(dart_file_read_at(file, 0, buffer, CELLS * cell_bytes, BYTE, BYTE, NULL));
  for (size_t c = 0; c < CELLS; c++)
    end[c] = value_of(buffer + c * cell_bytes, cell_bytes);
}

/* ---- rounds ------------------------------------------------------------------------------------------ */

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

/* What the checker is to know of the plan. A collective call is done on all units when it returns on one. */
static round_t expected_of(const plan_t *plan)
{
  round_t  r      = { .units = n };
  uint32_t behind = 0; /* units that write after they have read */

  for (int u = 0; u < n; u++) {
    r.writes[u] = set_of(&plan->write[u]);
    r.reads[u]  = set_of(&plan->read[u]);
    if (!plan->writes_first[u])
      behind |= 1U << u;
    else
      r.before[u] = plan->writes_together ? (1U << n) - 1 : 1U << u;
  }
  for (int u = 0; u < n; u++)
    r.after[u] = plan->reads_together ? behind : behind & 1U << u;
  return r;
}

static void play_round(dart_file_t file, size_t cell_bytes, int number, char *buffer)
{
  test_random_t random      = { (uint64_t)number * 1000 + cell_bytes };
  plan_t        plan        = draw_plan(&random, number);
  round_t       r           = expected_of(&plan);
  uint8_t       seen[CELLS] = { 0 };

  if (me == 0)
    clear_file(file, cell_bytes, buffer);
  set_view(file, &plan, cell_bytes);
  start_together();
  if (plan.writes_first[me])
    write_cells(file, &plan, cell_bytes, buffer);
  read_cells(file, &plan, cell_bytes, buffer, seen);
  if (!plan.writes_first[me])
    write_cells(file, &plan, cell_bytes, buffer);
  test_barrier();
  EXPECT_OK(dart_allgather(seen, r.seen, CELLS, BYTE, DART_TEAM_ALL));
  EXPECT_OK(dart_file_set_view(file, 0, BYTE));
  if (me == number % n) {
    read_end(file, cell_bytes, buffer, r.end);
    test_note("round %d, cells of %zu bytes, views %d, together: writes %d, reads %d", number,
              cell_bytes, plan.views, plan.writes_together, plan.reads_together);
    EXPECT_TRUE(is_explained(&r));
  }
  test_barrier();
}

TEST(overlapping_accesses_are_sequentially_consistent)
{
  /* sieved, or not; by windows, in collective calls; over stripes; beyond a stage */
  static const size_t sizes[] = { 1, 40, 700, 5000, 12000, 70000 };
  dart_file_t         file    = DART_FILE_NULL;
  char               *buffer  = malloc(CELLS * 70000);

  if (n > MOST_UNITS)
    return;
  EXPECT_OK(dart_file_open(DART_TEAM_ALL, test_path(DART_TEAM_ALL, "atomic"), FLAGS, 0600, &file));
  EXPECT_OK(dart_file_set_atomicity(file, true));
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (int round = 0; round < test_rounds(sizes[i] < 20000 ? 192 : 24); round++)
      play_round(file, sizes[i], round + 7 * (int)i, buffer); /* of all kinds, if there are few */
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
