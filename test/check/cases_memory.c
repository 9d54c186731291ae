/* Memory that is used as it may be, and that is not. Unit 1 is the one that errs. */
#include "check.h"

static void right_edges(void)
{
  dart_gptr_t gptr = segment(100, (me + 1) % n);
  int         values[100], *mine;

  dart_put_blocking(gptr, memset(values, 1, sizeof values), 100, DART_TYPE_INT, DART_TYPE_INT);
  dart_barrier(DART_TEAM_ALL);
  dart_gptr_getaddr(at(gptr, me, 0), (void **)&mine);
  mine[99]++;
  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(gptr);
}

static void right_blocks(void)
{
  dart_gptr_t block[200];
  char       *bytes;

  for (int i = 0; i < 200; i++) {
    dart_memalloc((size_t)i, DART_TYPE_BYTE, &block[i]);
    dart_gptr_getaddr(block[i], (void **)&bytes);
    memset(bytes, i, (size_t)i);
  }
  for (int i = 0; i < 200; i++)
    dart_memfree(block[i]);
}

/* The id of a segment that was freed serves again. */
static void right_again(void)
{
  for (int i = 0; i < 30; i++) {
    dart_gptr_t gptr = segment(10, (me + 1) % n);

    dart_put_blocking(gptr, &i, 1, DART_TYPE_INT, DART_TYPE_INT);
    dart_team_memfree(gptr);
  }
}

/* What is registered ends by its own call, or with its team. */
static void right_registered(void)
{
  static int  mine[10];
  dart_gptr_t gptr;
  dart_team_t team;

  for (int i = 0; i < 3; i++) {
    dart_team_memregister_aligned(DART_TEAM_ALL, 10, DART_TYPE_INT, mine, &gptr);
    dart_team_memderegister(gptr);
  }
  dart_team_clone(DART_TEAM_ALL, &team);
  dart_team_memregister(team, 5, DART_TYPE_INT, mine, &gptr);
  dart_team_destroy(&team);
}

static void right_objects(void)
{
  dart_lock_t      lock;
  dart_allocator_t allocator;
  dart_gptr_t      gptr;
  dart_datatype_t  type;

  dart_team_lock_init(DART_TEAM_ALL, &lock);
  dart_lock_acquire(lock);
  dart_lock_release(lock);
  dart_team_lock_destroy(&lock);
  dart_team_lock_destroy(&lock); /* it is NULL now, which is fine */
  dart_allocator_new(4096, DART_TEAM_ALL, &allocator);
  dart_allocator_alloc(10, DART_TYPE_INT, &gptr, allocator);
  dart_put_blocking(gptr, (int[10]){ 0 }, 10, DART_TYPE_INT, DART_TYPE_INT);
  dart_allocator_destroy(&allocator);
  dart_type_create_strided(DART_TYPE_INT, 3, 2, &type);
  dart_type_destroy(&type);
}

/* The last element of a strided type may be the portion's. */
static void right_strides(void)
{
  dart_gptr_t     gptr = segment(12, (me + 1) % n);
  int             values[8];
  dart_datatype_t type;

  dart_type_create_strided(DART_TYPE_INT, 3, 2, &type);
  dart_put_blocking(at(gptr, (me + 1) % n, 1), memset(values, 0, sizeof values), 8, DART_TYPE_INT,
                    type);
  dart_type_destroy(&type);
  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(gptr);
}

/* Portions that end with a page, and others: all of them may be stored to, and memory that was freed serves again. */
static void right_pages(void)
{
  for (int i = 0; i < 30; i++) {
    size_t      nelem  = (size_t)(i % 3 + 1) * 1024 - (size_t)(i % 5 + me);
    dart_gptr_t gptr   = segment(nelem, (me + 1) % n);
    int        *theirs = dart_near_ptr(at(gptr, (me + 1) % n, 0)), *mine;

    dart_gptr_getaddr(at(gptr, me, 0), (void **)&mine);
    for (size_t j = me == 2; j < nelem; j++)
      mine[j] = i;
    dart_barrier(DART_TEAM_ALL);
    if (theirs != NULL && theirs[100] != i)
      dart_abort(3);
    dart_barrier(DART_TEAM_ALL);
    dart_team_memfree(gptr);
  }
}

/* What was under way is there before the memory is gone. */
static void right_last_put(void)
{
  for (int i = 0; i < 12; i++) {
    dart_gptr_t gptr = segment(3000, (me + 1) % n);
    int         values[3000];

    dart_put(gptr, memset(values, 1, sizeof values), 3000, DART_TYPE_INT, DART_TYPE_INT);
    dart_flush_local(gptr);
    dart_flush(gptr);
    dart_team_memfree(gptr);
  }
}

/* A team takes its segments with it. */
static void right_team(void)
{
  dart_team_t team;
  dart_gptr_t gptr;

  for (int i = 0; i < 3; i++) {
    dart_team_clone(DART_TEAM_ALL, &team);
    for (int j = 0; j < 3; j++)
      dart_team_memalloc_aligned(team, 10, DART_TYPE_INT, &gptr);
    dart_team_memfree(gptr);
    dart_team_destroy(&team);
  }
}

static void wrong_bounds(void)
{
  dart_gptr_t gptr = segment(10, 2);

  if (me == 1)
    dart_put_blocking(at(gptr, 2, 9), (int[2]){ 0 }, 2, DART_TYPE_INT, DART_TYPE_INT);
  dart_team_memfree(gptr);
}

/* The counter is right, the data are not. */
static void wrong_notified_get(void)
{
  dart_gptr_t gptr = segment(10, 2);
  int         got[2];

  if (me == 1)
    dart_get_notify(got, at(gptr, 2, 9), 2, DART_TYPE_INT, DART_TYPE_INT, at(gptr, 1, 0), 1);
  dart_team_memfree(gptr);
}

/* The other way round; and where there is nothing to get, no place to get it from. */
static void wrong_counter(void)
{
  dart_gptr_t gptr = segment(10, 2);
  int         got[2];

  dart_get_notify(NULL, DART_GPTR_NULL, 0, DART_TYPE_INT, DART_TYPE_INT, at(gptr, me, 0), 1);
  if (me == 1)
    dart_get_notify_op(got, gptr, 2, DART_TYPE_INT, DART_TYPE_INT, at(gptr, 1, 10), 1,
                       DART_OP_REPLACE);
  dart_team_memfree(gptr);
}

static void wrong_store(void)
{
  dart_gptr_t gptr = segment(10, me);
  int        *mine;

  dart_gptr_getaddr(gptr, (void **)&mine);
  if (me == 1)
    mine[10] = 1;
  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(gptr);
}

static void wrong_put_after_free(void)
{
  dart_gptr_t gptr  = segment(10, 2);
  int         value = 0;

  dart_team_memfree(gptr);
  if (me == 1)
    dart_put_blocking(gptr, &value, 1, DART_TYPE_INT, DART_TYPE_INT);
}

/* Another segment has been made meanwhile. */
static void wrong_get_after_free(void)
{
  dart_gptr_t old = segment(10, 2), new;
  int         value;

  dart_team_memfree(old);
  new = segment(10, 2);
  if (me == 1)
    dart_get_blocking(&value, old, 1, DART_TYPE_INT, DART_TYPE_INT);
  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(new);
}

static void wrong_flush_after_free(void)
{
  dart_gptr_t old = segment(10, 2);

  dart_team_memfree(old);
  if (me == 1)
    dart_flush_all(old);
}

static void wrong_order_after_free(void)
{
  dart_gptr_t old = segment(10, 2);

  dart_team_memfree(old);
  if (me == 1 && dart_order(old) == DART_OK)
    dart_abort(3);
}

static void wrong_lock_after_free(void)
{
  dart_gptr_t old = segment(10, 2);

  dart_team_memfree(old);
  if (me == 1 && dart_epoch_lock(old, DART_EPOCH_SHARED, 0) == DART_OK)
    dart_abort(3);
}

static void wrong_second_free(void)
{
  dart_gptr_t gptr;

  dart_memalloc(10, DART_TYPE_INT, &gptr);
  dart_memfree(gptr);
  if (me == 1)
    dart_memfree(gptr);
}

static void wrong_block_store(void)
{
  dart_gptr_t gptr;
  char       *bytes;

  dart_memalloc(10, DART_TYPE_BYTE, &gptr);
  dart_gptr_getaddr(gptr, (void **)&bytes);
  if (me == 1)
    bytes[10] = 1;
  dart_memfree(gptr);
}

/* Unit 2 puts to a block of unit 1 that is freed: its owner finds out. */
static void wrong_put_to_freed_block(void)
{
  dart_gptr_t gptr  = DART_GPTR_NULL;
  int         value = 1;

  if (me == 1)
    dart_memalloc(10, DART_TYPE_INT, &gptr);
  dart_bcast(&gptr, sizeof gptr, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(1), DART_TEAM_ALL);
  if (me == 1)
    dart_memfree(gptr);
  dart_barrier(DART_TEAM_ALL);
  if (me == 2)
    dart_put_blocking(gptr, &value, 1, DART_TYPE_INT, DART_TYPE_INT);
  dart_barrier(DART_TEAM_ALL);
  dart_barrier(DART_TEAM_ALL);
}

static void wrong_second_end(void)
{
  dart_group_t group, same;

  dart_group_create(&group);
  same = group;
  dart_group_destroy(&group);
  if (me == 1)
    dart_group_destroy(&same);
}

static void wrong_foreign_lock(void)
{
  static char no_lock[256];

  if (me == 1)
    dart_lock_acquire((dart_lock_t)(void *)no_lock);
}

static void wrong_group_leak(void)
{
  dart_group_t group;

  dart_group_create(&group);
  if (me != 1)
    dart_group_destroy(&group);
}

static void wrong_type_leak(void)
{
  dart_datatype_t type;

  dart_type_create_custom(3, &type);
  if (me != 1)
    dart_type_destroy(&type);
}

static void wrong_block_leak(void)
{
  dart_gptr_t gptr;

  if (me == 1)
    dart_memalloc(10, DART_TYPE_BYTE, &gptr);
}

static void wrong_segment_leak(void)
{
  dart_gptr_t gptr;

  dart_team_memalloc_aligned(DART_TEAM_ALL, 10, DART_TYPE_INT, &gptr);
}

static void wrong_registered_leak(void)
{
  static int  mine[10];
  dart_gptr_t gptr;

  dart_team_memregister_aligned(DART_TEAM_ALL, 10, DART_TYPE_INT, mine, &gptr);
}

static void wrong_team_leak(void)
{
  dart_team_t team;

  dart_team_clone(DART_TEAM_ALL, &team);
}

static void wrong_team(void)
{
  dart_gptr_t gptr = segment(10, 2);
  int         value;

  if (me == 1) {
    gptr.teamid = 7; /* nobody has made it */
    dart_get_blocking(&value, gptr, 1, DART_TYPE_INT, DART_TYPE_INT);
    gptr.teamid = DART_TEAM_ALL;
  }
  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(gptr);
}

static dart_gptr_t of_no_team(dart_gptr_t gptr)
{
  gptr.teamid = 7; /* nobody has made it */
  return gptr;
}

static void free_together(dart_gptr_t gptr)
{
  dart_barrier(DART_TEAM_ALL);
  dart_team_memfree(gptr);
}

/* Calls that end an epoch, or a registration, access nothing. */
static void wrong_team_complete(void)
{
  dart_gptr_t gptr = segment(10, 2);

  if (me == 1)
    dart_epoch_complete(of_no_team(gptr));
  free_together(gptr);
}

static void wrong_team_wait(void)
{
  dart_gptr_t gptr = segment(10, 2);

  if (me == 1)
    dart_epoch_wait(of_no_team(gptr));
  free_together(gptr);
}

static void wrong_team_test(void)
{
  dart_gptr_t gptr = segment(10, 2);
  int32_t     is_complete;

  if (me == 1)
    dart_epoch_test(of_no_team(gptr), &is_complete);
  free_together(gptr);
}

static void wrong_team_unlock(void)
{
  dart_gptr_t gptr = segment(10, 2);

  if (me == 1)
    dart_epoch_unlock(of_no_team(gptr), 0);
  free_together(gptr);
}

static void wrong_team_unlock_all(void)
{
  dart_gptr_t gptr = segment(10, 2);

  if (me == 1)
    dart_epoch_unlock_all(of_no_team(gptr), 0);
  free_together(gptr);
}

static void wrong_team_deregister(void)
{
  dart_gptr_t gptr = segment(10, 2);

  if (me == 1)
    dart_team_memderegister(of_no_team(gptr));
  free_together(gptr);
}

static void wrong_team_setaddr(void)
{
  dart_gptr_t gptr = segment(10, 2), wrong = of_no_team(gptr);

  if (me == 1)
    dart_gptr_setaddr(&wrong, &wrong);
  free_together(gptr);
}

static void wrong_team_getflags(void)
{
  dart_gptr_t gptr = segment(10, 2);
  uint16_t    flags;

  if (me == 1)
    dart_gptr_getflags(of_no_team(gptr), &flags);
  free_together(gptr);
}

static void wrong_team_setflags(void)
{
  dart_gptr_t gptr = segment(10, 2), wrong = of_no_team(gptr);

  if (me == 1)
    dart_gptr_setflags(&wrong, 1);
  free_together(gptr);
}

static void wrong_team_memfree(void)
{
  dart_gptr_t block;

  dart_memalloc(10, DART_TYPE_INT, &block);
  if (me == 1)
    dart_memfree(of_no_team(block));
  dart_memfree(block);
}

static void wrong_unit_memfree(void)
{
  dart_gptr_t block;

  dart_memalloc(10, DART_TYPE_INT, &block);
  if (me == 1)
    dart_memfree(at(block, 2, 0));
  dart_memfree(block);
}

/* The team is there, and has no segment of this id. */
static void wrong_team_segment(void)
{
  dart_gptr_t gptr = segment(10, 2);
  dart_team_t team;

  dart_team_clone(DART_TEAM_ALL, &team);
  if (me == 1) {
    gptr.teamid = team;
    dart_flush(gptr);
    gptr.teamid = DART_TEAM_ALL;
  }
  dart_barrier(DART_TEAM_ALL);
  dart_team_destroy(&team);
  dart_team_memfree(gptr);
}

/* A segment of the units 1 and 2 alone: its pointer, with another unit's id in DART_TEAM_ALL. */
static dart_gptr_t of_small_team(dart_team_t *team)
{
  dart_group_t group;
  dart_gptr_t  gptr;

  dart_group_create(&group);
  dart_group_addmember(group, DART_GLOBAL_UNIT_ID(1));
  dart_group_addmember(group, DART_GLOBAL_UNIT_ID(2));
  dart_team_create(DART_TEAM_ALL, group, team);
  dart_group_destroy(&group);
  if (me == 0)
    return DART_GPTR_NULL;
  dart_team_memalloc_aligned(*team, 10, DART_TYPE_INT, &gptr);
  gptr.unitid = 2;
  return gptr;
}

static void free_of_small_team(dart_gptr_t gptr, dart_team_t team)
{
  if (me > 0) {
    dart_team_memfree(gptr);
    dart_team_destroy(&team);
  }
  dart_barrier(DART_TEAM_ALL);
}

static void wrong_team_unit(void)
{
  dart_team_t team;
  dart_gptr_t gptr  = of_small_team(&team);
  int         value = 1;

  if (me == 1)
    dart_put_blocking(gptr, &value, 1, DART_TYPE_INT, DART_TYPE_INT);
  free_of_small_team(gptr, team);
}

static void wrong_team_flush(void)
{
  dart_team_t team;
  dart_gptr_t gptr = of_small_team(&team);

  if (me == 1)
    dart_flush(gptr);
  free_of_small_team(gptr, team);
}

static void wrong_team_lock(void)
{
  dart_team_t team;
  dart_gptr_t gptr = of_small_team(&team);

  if (me == 1)
    dart_epoch_lock(gptr, DART_EPOCH_SHARED, 0);
  free_of_small_team(gptr, team);
}

/* The pool is of all units. */
static void wrong_team_pool(void)
{
  dart_gptr_t block;
  dart_team_t team;

  dart_memalloc(10, DART_TYPE_INT, &block);
  dart_team_clone(DART_TEAM_ALL, &team);
  if (me == 1) {
    block.teamid = team;
    dart_flush(block);
    block.teamid = DART_TEAM_ALL;
  }
  dart_barrier(DART_TEAM_ALL);
  dart_team_destroy(&team);
  dart_memfree(block);
}

/* Pointers of a small team, of its allocator, and of the pool. */
static void right_teams(void)
{
  dart_gptr_t      gptr, block;
  dart_team_t      team;
  dart_allocator_t allocator;
  int              value = me;

  dart_team_clone(DART_TEAM_ALL, &team);
  dart_allocator_new(4096, team, &allocator);
  dart_allocator_alloc(10, DART_TYPE_INT, &gptr, allocator);
  dart_memalloc(10, DART_TYPE_INT, &block);
  dart_put_blocking(gptr, &value, 1, DART_TYPE_INT, DART_TYPE_INT);
  dart_put_blocking(block, &value, 1, DART_TYPE_INT, DART_TYPE_INT);
  dart_flush(gptr);
  dart_flush_all(block);
  dart_memfree(block);
  dart_allocator_free(&gptr, allocator);
  dart_barrier(team);
  dart_allocator_destroy(&allocator);
  dart_team_destroy(&team);
}

static void wrong_load_after_free(void)
{
  dart_gptr_t   gptr = segment(10, me);
  volatile int *mine;

  dart_gptr_getaddr(gptr, (void **)&mine);
  dart_team_memfree(gptr);
  if (me == 1 && mine[1] == 0)
    dart_abort(3);
  dart_barrier(DART_TEAM_ALL);
}

static void wrong_store_behind(void)
{
  dart_gptr_t   gptr = segment(2048, me);
  volatile int *mine;

  dart_gptr_getaddr(gptr, (void **)&mine);
  if (me == 1)
    mine[2049] = 0;
  dart_barrier(DART_TEAM_ALL);
}

const case_t memory_cases[] = {
  { "right_edges", NULL, right_edges, TOGETHER },
  { "right_blocks", NULL, right_blocks, TOGETHER },
  { "right_again", NULL, right_again, TOGETHER },
  { "right_registered", NULL, right_registered, TOGETHER },
  { "right_objects", NULL, right_objects, TOGETHER },
  { "right_strides", NULL, right_strides, TOGETHER },
  { "right_pages", NULL, right_pages, TOGETHER },
  { "right_last_put", NULL, right_last_put, TOGETHER },
  { "right_team", NULL, right_team, TOGETHER },
  { "right_teams", NULL, right_teams, TOGETHER },
  { "wrong_team",
    "*unit 1: memory: dart_get_blocking uses a pointer of team 7, of which this unit is not a "
    "member",
    wrong_team, TOGETHER },
  { "wrong_team_complete",
    "*unit 1: memory: dart_epoch_complete uses a pointer of team 7, of which*", wrong_team_complete,
    TOGETHER },
  { "wrong_team_wait", "*unit 1: memory: dart_epoch_wait uses a pointer of team 7, of which*",
    wrong_team_wait, TOGETHER },
  { "wrong_team_test", "*unit 1: memory: dart_epoch_test uses a pointer of team 7, of which*",
    wrong_team_test, TOGETHER },
  { "wrong_team_unlock", "*unit 1: memory: dart_epoch_unlock uses a pointer of team 7, of which*",
    wrong_team_unlock, TOGETHER },
  { "wrong_team_unlock_all",
    "*unit 1: memory: dart_epoch_unlock_all uses a pointer of team 7, of which*",
    wrong_team_unlock_all, TOGETHER },
  { "wrong_team_deregister",
    "*unit 1: memory: dart_team_memderegister uses a pointer of team 7, of which*",
    wrong_team_deregister, TOGETHER },
  { "wrong_team_setaddr", "*unit 1: memory: dart_gptr_setaddr uses a pointer of team 7, of which*",
    wrong_team_setaddr, TOGETHER },
  { "wrong_team_getflags",
    "*unit 1: memory: dart_gptr_getflags uses a pointer of team 7, of which*", wrong_team_getflags,
    TOGETHER },
  { "wrong_team_setflags",
    "*unit 1: memory: dart_gptr_setflags uses a pointer of team 7, of which*", wrong_team_setflags,
    TOGETHER },
  { "wrong_team_memfree",
    "*unit 1: memory: dart_memfree uses a pointer to unit 1, segment 0 of team 7, which*",
    wrong_team_memfree, TOGETHER },
  { "wrong_unit_memfree",
    "*unit 1: memory: dart_memfree uses a pointer to unit 2, segment 0 of team 0, which*",
    wrong_unit_memfree, TOGETHER },
  { "wrong_team_segment",
    "*unit 1: memory: dart_flush uses a pointer to segment * of team *, which has no such segment",
    wrong_team_segment, TOGETHER },
  { "wrong_team_unit",
    "*unit 1: memory: dart_put_blocking uses a pointer to unit 2 of team *, which has 2 units",
    wrong_team_unit, TOGETHER },
  { "wrong_team_flush",
    "*unit 1: memory: dart_flush uses a pointer to unit 2 of team *, which has 2 units",
    wrong_team_flush, TOGETHER },
  { "wrong_team_lock",
    "*unit 1: memory: dart_epoch_lock uses a pointer to unit 2 of team *, which has 2 units",
    wrong_team_lock, TOGETHER },
  { "wrong_team_pool",
    "*unit 1: memory: dart_flush uses a pointer to segment 0 of team *, which has no such segment",
    wrong_team_pool, TOGETHER },
  { "wrong_bounds",
    "*unit 1: memory: dart_put_blocking of 8 bytes at offset 36, in a portion of 40 bytes",
    wrong_bounds, TOGETHER },
  { "wrong_notified_get",
    "*unit 1: memory: dart_get_notify of 8 bytes at offset 36, in a portion of 40 bytes",
    wrong_notified_get, TOGETHER },
  { "wrong_counter",
    "*unit 1: memory: dart_get_notify_op of 8 bytes at offset 40, in a portion of 40 bytes",
    wrong_counter, TOGETHER },
  { "wrong_store",
    "*unit 1: memory: bytes behind this unit's portion of segment * were changed, 0 behind its end",
    wrong_store, TOGETHER },
  { "wrong_put_after_free", "*unit 1: memory: dart_put_blocking uses segment * after it was freed",
    wrong_put_after_free, TOGETHER },
  { "wrong_get_after_free", "*unit 1: memory: dart_get_blocking uses segment * after it was freed",
    wrong_get_after_free, TOGETHER },
  { "wrong_flush_after_free", "*unit 1: memory: dart_flush_all uses segment * after it was freed",
    wrong_flush_after_free, TOGETHER },
  { "wrong_order_after_free", "*unit 1: memory: dart_order uses segment * after it was freed",
    wrong_order_after_free, TOGETHER },
  { "wrong_lock_after_free", "*unit 1: memory: dart_epoch_lock uses segment * after it was freed",
    wrong_lock_after_free, TOGETHER },
  { "wrong_second_free",
    "*unit 1: memory: dart_memfree uses a block of dart_memalloc after it was freed",
    wrong_second_free, TOGETHER },
  { "wrong_block_store",
    "*unit 1: memory: bytes behind a block of dart_memalloc were changed, the first at 0",
    wrong_block_store, TOGETHER },
  { "wrong_put_to_freed_block",
    "*unit 1: memory: bytes of a block of dart_memalloc that was freed were changed, the first at "
    "0",
    wrong_put_to_freed_block, TOGETHER },
  { "wrong_second_end", "*unit 1: memory: dart_group_destroy is called with a destroyed group",
    wrong_second_end, TOGETHER },
  { "wrong_foreign_lock", "*unit 1: memory: dart_lock_acquire is called with an invalid lock",
    wrong_foreign_lock, TOGETHER },
  { "wrong_group_leak", "*unit 1: memory: group was never destroyed, 1 time", wrong_group_leak,
    ALONE },
  { "wrong_type_leak", "*unit 1: memory: type was never destroyed, 1 time", wrong_type_leak,
    ALONE },
  { "wrong_block_leak", "*unit 1: memory: a block of dart_memalloc, 10 bytes, was never freed",
    wrong_block_leak, ALONE },
  { "wrong_segment_leak", "*unit 0: memory: segment * of team 0, 40 bytes here, was never freed",
    wrong_segment_leak, ALONE },
  { "wrong_registered_leak", "*unit 0: memory: registered memory was never deregistered, 1 time",
    wrong_registered_leak, ALONE },
  { "wrong_team_leak", "*unit 0: memory: team was never destroyed, 1 time", wrong_team_leak,
    ALONE },
  { "wrong_load_after_free",
    "*unit 1: memory: a load or store by a pointer to segment * of team 0 after it was freed",
    wrong_load_after_free, CRASHES },
  { "wrong_store_behind",
    "*unit 1: memory: a load or store behind a portion of segment * of team 0", wrong_store_behind,
    CRASHES },
  { NULL, NULL, NULL, TOGETHER },
};
