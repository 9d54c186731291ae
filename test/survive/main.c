/* A unit dies, and the others go on: survive CALL MOMENT VICTIM, or survive drawn SEED (drawn.c), or survive cut HOW SEED
 * (cut.c), with DART_SURVIVE=1.
 *
 * CALL is one of the tables of calls.h, "exit", "list", "work", "again", or "code", with an exit code as its MOMENT. MOMENT:
 * "before", the victim is known to be lost when the others call; "in", it dies a while after they have called; "after", which is for exit
 * only, it has left, and the others take their time. The survivors say how long their call took. Then they shrink the team
 * of all units, use the new team, and print "unit U survived". A unit that waits for LIMIT_S ends with code 3. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <dash/dart/ext/dart_name.h>

#include "calls.h"
#include "cut.h"
#include "drawn.h"

#define WHILE_US 50000
#define LONG_S   3 /* more than the launcher gives those that it wants to end */

int me, n, victim;

static const char *name;
static int         ncalled; /* of the handler */

void fail(const char *what, int line)
{
  fprintf(stderr, "unit %d, %s: %s (line %d)\n", me, name, what, line);
  _exit(2);
}

void must(dart_ret_t ret, const char *call, int line)
{
  if (ret == DART_OK)
    return;
  fprintf(stderr, "unit %d: %s\n", me, dart_strerror(ret));
  fail(call, line);
}

#define CHECK(condition) ((condition) ? (void)0 : fail(#condition, __LINE__))

static void give_up(int signal)
{
  static const char text[] = "a call waits for ever\n";

  (void)signal;
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
    _exit(4);
  _exit(3);
}

static void handler(dart_global_unit_t unit, void *context)
{
  if (unit.id == victim)
    ++*(int *)context;
}

static const call_table_t *const tables[] = { &collective_calls, &team_calls, &transfer_calls,
                                              &lock_calls,       &wait_calls, &epoch_calls,
                                              &portion_calls,    &file_calls };

/* NULL: there are no more. */
static const entry_t *entry_at(size_t i)
{
  size_t table = 0;

  while (table < sizeof tables / sizeof *tables && i >= tables[table]->n)
    i -= tables[table++]->n;
  return table < sizeof tables / sizeof *tables ? &tables[table]->entries[i] : NULL;
}

static const entry_t *find(const char *wanted)
{
  for (size_t i = 0; entry_at(i) != NULL; i++)
    if (strcmp(entry_at(i)->name, wanted) == 0)
      return entry_at(i);
  fail("no such call", __LINE__);
  return NULL;
}

static void await_loss(void)
{
  dart_unit_status_t status = DART_UNIT_RUNNING;

  while (status == DART_UNIT_RUNNING)
    MUST(dart_unit_status(DART_GLOBAL_UNIT_ID(victim), &status));
  CHECK(status == DART_UNIT_LOST);
}

int nnodes(void)
{
  const char *text = getenv("DART_NODES");

  return text == NULL ? 1 : atoi(text);
}

bool is_near(int unit)
{
  return unit % nnodes() == me % nnodes();
}

static outcome_t outcome_of(const entry_t *e, bool is_in)
{
  if (e->outcome == NEAR)
    return is_near(victim) ? DONE : is_in ? EITHER : LOST;
  if (e->outcome == WORD)
    return is_in && nnodes() > 1 ? EITHER : is_near(victim) ? DONE : LOST;
  if (e->outcome == ROOTED)
    return nnodes() > 1 ? EITHER : LOST;
  if (e->outcome == AHEAD)
    return is_near(victim) || !is_in ? LOST : EITHER;
  if (e->outcome == AT_FIRST)
    return victim == 0 && nnodes() > 1 ? LOST : ONE_DONE;
  return e->outcome;
}

static void check_outcome(outcome_t outcome, dart_ret_t ret)
{
  bool is_lost = ret == DART_ERR_UNIT_LOST, is_done = ret == DART_OK;

  if (outcome == LOST ? is_lost : outcome == EITHER ? is_lost || is_done : is_done)
    return;
  fprintf(stderr, "unit %d: %s\n", me, dart_strerror(ret));
  fail("not what it should return", __LINE__);
}

/* What is left is whole again. */
static void use_team(dart_team_t team)
{
  dart_team_unit_t mine;
  dart_gptr_t      memory, next;
  dart_lock_t      lock;
  size_t           size;
  long             sum = 0, value = me, got = -1, *here;

  MUST(dart_team_size(team, &size));
  CHECK((int)size == n - 1);
  MUST(dart_team_myid(team, &mine));
  MUST(dart_allreduce(&value, &sum, 1, DART_TYPE_LONG, DART_OP_SUM, team));
  CHECK(sum == n * (n - 1) / 2 - victim);
  MUST(dart_team_memalloc_aligned(team, 100, DART_TYPE_LONG, &memory));
  next        = memory;
  next.unitid = (int)((size_t)(mine.id + 1) % size);
  MUST(dart_put_blocking(next, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  MUST(dart_barrier(team));
  memory.unitid = mine.id;
  MUST(dart_gptr_getaddr(memory, (void **)&here));
  MUST(dart_get_blocking(&got, next, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  CHECK(got == value && *here != victim);
  MUST(dart_team_lock_init(team, &lock));
  MUST(dart_lock_acquire(lock));
  MUST(dart_lock_release(lock));
  MUST(dart_team_lock_destroy(&lock));
  memory.unitid = 0;
  MUST(dart_team_memfree(memory));
}

static int nbroken;

/* How many of the survivors were told that a lock was broken. */
static void count_broken(dart_team_t team)
{
  long mine = dart_lock_was_broken(), all = 0;

  MUST(dart_allreduce(&mine, &all, 1, DART_TYPE_LONG, DART_OP_SUM, team));
  nbroken = (int)all;
}

static void go_on(const entry_t *e, bool is_in)
{
  dart_team_t        team, again;
  dart_global_unit_t lost[2];
  size_t             nlost = 2;
  uint64_t           bits  = ~(UINT64_C(1) << me);

  await_loss();
  CHECK(ncalled == 1);
  CHECK(dart_team_agree(DART_TEAM_ALL, &bits) == DART_ERR_UNIT_LOST);
  for (int u = 0; u < n; u++)
    CHECK((bits >> u & 1) == (u == victim));
  MUST(dart_team_shrink(DART_TEAM_ALL, &team));
  MUST(dart_team_lost(DART_TEAM_ALL, lost, &nlost));
  CHECK(nlost == 1 && lost[0].id == victim);
  CHECK(dart_barrier(DART_TEAM_ALL) == DART_ERR_UNIT_LOST);
  count_broken(team);
  CHECK(nbroken == (outcome_of(e, is_in) == ONE_DONE));
  use_team(team);
  MUST(dart_team_shrink(team, &again));
  use_team(again);
  MUST(dart_team_destroy(&again));
  MUST(dart_team_destroy(&team));
}

static int list(void)
{
  for (size_t i = 0; entry_at(i) != NULL; i++)
    puts(entry_at(i)->name);
  return 0;
}

#define HAS_LEFT 999 /* a tag */

/* A barrier that all others have left before the victim dies. */
static void meet(void)
{
  char byte = 0;

  MUST(dart_barrier(DART_TEAM_ALL));
  if (me != victim)
    MUST(dart_send(&byte, 1, DART_TYPE_BYTE, HAS_LEFT, DART_GLOBAL_UNIT_ID(victim)));
  for (int u = 0; u < n && me == victim; u++)
    if (u != victim)
      MUST(dart_recv(&byte, 1, DART_TYPE_BYTE, HAS_LEFT, DART_GLOBAL_UNIT_ID(u)));
}

static void die(void)
{
  usleep(WHILE_US);
  raise(SIGKILL);
}

static void begin(int *argc, char ***argv)
{
  dart_thread_support_level_t level;
  dart_global_unit_t          unit;
  size_t                      size;

  if (strcmp(name, "team_create_group_full") == 0) /* it fills pools */
    setenv("DART_POOL", "1M", 1);
  if (strncmp(name, "agree_", 6) == 0) /* these are in several threads */
    MUST(dart_init_thread(argc, argv, &level));
  else
    MUST(dart_init(argc, argv));
  MUST(dart_myid(&unit));
  MUST(dart_size(&size));
  me = unit.id;
  n  = (int)size;
  CHECK(dart_survives());
  signal(SIGALRM, give_up);
  alarm(LIMIT_S);
}

static int64_t now_ms(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* One call, and one victim. */
static void test_call(const entry_t *e, bool is_in)
{
  int64_t began;

  MUST(dart_lost_handler(handler, &ncalled));
  if (e->prepare != NULL)
    e->prepare();
  meet();
  if (me == victim)
    die();
  if (!is_in)
    await_loss();
  began = now_ms();
  check_outcome(outcome_of(e, is_in), e->call());
  printf("%" PRId64 " ms\n", now_ms() - began);
  alarm(LIMIT_S);
  go_on(e, is_in);
}

/* The others leave the job meanwhile, without another call; or, "in", the victim is on its way out, too. */
static void leave_beside(bool is_in, bool is_after)
{
  meet();
  if (me != victim || is_after)
    return;
  if (is_in)
    die_after((uint64_t)getpid() % 3000);
  else
    die();
}

/* The victim ends by itself, without dart_exit. */
static void end_by_code(int code)
{
  dart_unit_status_t status = DART_UNIT_RUNNING;
  dart_team_t        rest;

  meet();
  if (me == victim)
    exit(code);
  CHECK(dart_barrier(DART_TEAM_ALL) == DART_ERR_UNIT_LOST);
  while (status == DART_UNIT_RUNNING)
    MUST(dart_unit_status(DART_GLOBAL_UNIT_ID(victim), &status));
  CHECK(status == (code == 0 ? DART_UNIT_ENDED : DART_UNIT_LOST));
  MUST(dart_team_shrink(DART_TEAM_ALL, &rest));
  use_team(rest);
}

/* The launcher is to end them, and the victim does not want to. */
static void work_for_long(void)
{
  int64_t end = now_ms() + LIMIT_S * 1000;

  if (me == victim)
    signal(SIGTERM, SIG_IGN);
  meet();
  if (me == victim)
    fputs("begun\n", stderr);
  while (now_ms() < end)
    MUST(dart_barrier(DART_TEAM_ALL));
}

/* The victim dies when the others are in the dart_init of another cycle: nobody goes on without it then. */
static void begin_again(int *argc, char ***argv)
{
  MUST(dart_exit());
  if (me == victim)
    die();
  begin(argc, argv);
}

int main(int argc, char **argv)
{
  bool is_in    = argc == 4 && strcmp(argv[2], "in") == 0;
  bool is_after = argc == 4 && strcmp(argv[2], "after") == 0;

  if (argc == 2 && strcmp(argv[1], "list") == 0)
    return list();
  if (argc != 4 && (argc != 3 || strcmp(argv[1], "drawn") != 0))
    return 1;
  name   = argv[1];
  victim = argc == 4 ? atoi(argv[3]) : -1;
  begin(&argc, &argv);
  if (strcmp(name, "cut") == 0)
    victim = n - 1;
  if (argc == 3)
    work_until_lost(strtoull(argv[2], NULL, 10));
  else if (strcmp(name, "exit") == 0)
    leave_beside(is_in, is_after);
  else if (strcmp(name, "code") == 0)
    end_by_code(atoi(argv[2]));
  else if (strcmp(name, "cut") == 0)
    work_until_cut(argv[2], strtoull(argv[3], NULL, 10));
  else if (strcmp(name, "work") == 0)
    work_for_long();
  else if (strcmp(name, "again") == 0)
    begin_again(&argc, &argv);
  else
    test_call(find(name), is_in);
  MUST(dart_exit());
  if (me == victim && is_after)
    raise(SIGKILL);
  if (me == victim)
    pause(); /* it was faster */
  if (is_after)
    sleep(LONG_S);
  printf("unit %d survived\n", me);
  return 0;
}
