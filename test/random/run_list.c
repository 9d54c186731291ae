/* A schedule, round after round: what comes and goes; then the threads, each with its operations; then all
 * units meet, and compare. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dash/dart/ext/dart_near.h>

#include "draw.h"
#include "run_common.h"
#include "text.h"
#include "value.h"

static run_op_t *const runners[NKINDS] = {
  [PUT]                = run_transfer,
  [GET]                = run_transfer,
  [PUT_HANDLE]         = run_transfer,
  [GET_HANDLE]         = run_transfer,
  [PUT_BLOCKING]       = run_transfer,
  [GET_BLOCKING]       = run_transfer,
  [PUT_VALUE]          = run_put_value,
  [STORE]              = run_store,
  [LOAD]               = run_load,
  [ACCUMULATE]         = run_atomic,
  [ACCUMULATE_LOCAL]   = run_atomic,
  [STREAM]             = run_stream,
  [FETCH]              = run_atomic,
  [SWAP]               = run_swap,
  [SWAP_LOOP]          = run_swap_loop,
  [FLUSH]              = run_flush,
  [FLUSH_ALL]          = run_flush,
  [FLUSH_LOCAL]        = run_flush,
  [FLUSH_LOCAL_ALL]    = run_flush,
  [ORDER]              = run_order,
  [WAIT]               = run_wait,
  [WAIT_LOCAL]         = run_wait,
  [TEST]               = run_wait,
  [TEST_LOCAL]         = run_wait,
  [HANDLE_FREE]        = run_wait,
  [NOTIFY]             = run_notify,
  [GET_NOTIFY]         = run_get_notify,
  [AWAIT]              = run_await,
  [POLL]               = run_poll,
  [LOCKED]             = run_locked,
  [RANGED]             = run_ranged,
  [FILE_READ]          = run_file_access,
  [FILE_WRITE]         = run_file_access,
  [FILE_APPEND]        = run_file_access,
  [FILE_TAKE]          = run_file_access,
  [FILE_READ_ALL]      = run_file_access,
  [FILE_WRITE_ALL]     = run_file_access,
  [FILE_READ_ORDERED]  = run_file_access,
  [FILE_WRITE_ORDERED] = run_file_access,
  [FILE_WAIT]          = run_file_wait,
  [FENCE]              = run_fence,
  [SECTION]            = run_section,
  [REFUSED]            = run_refused,
  [HOLD]               = run_hold,
  [LETTERS]            = run_letters,
  [PAUSE]              = run_pause,
  [MESSAGE]            = run_message,
  [RING]               = run_ring,
  [BARRIER]            = run_barrier,
  [BCAST]              = run_bcast,
  [SCATTER]            = run_scatter,
  [GATHER]             = run_gather,
  [ALLGATHER]          = run_allgather,
  [ALLGATHERV]         = run_allgatherv,
  [ALLTOALL]           = run_alltoall,
  [REDUCE]             = run_reduce,
  [ALLREDUCE]          = run_reduce,
  [CHURN]              = run_churn,
};

bool run_init(unit_t *unit, int *argc, char ***argv)
{
  dart_thread_support_level_t level = DART_THREAD_SINGLE;
  dart_ret_t                  ret =
      unit->shape.threads > 1 ? dart_init_thread(argc, argv, &level) : dart_init(argc, argv);

  if (ret != DART_OK)
    return false;
  for (int i = 0; i < TEAMS_MAX; i++)
    unit->team[i] = i == 0 ? DART_TEAM_ALL : DART_TEAM_NULL;
  return unit->shape.threads == 1 || level == DART_THREAD_MULTIPLE;
}

/* ---- threads ------------------------------------------------------------------------------- */

/* What the threads of this unit are at, for who looks when nothing moves. */
static thread_t threads[THREADS_MAX];

static void execute(thread_t *thread, const op_t *op)
{
  run_op_t *run = op->kind == ROUND ? run_finish : runners[op->kind];

  if (thread->unit->risks.doomed != 0)
    run_at_risk(thread, op, run);
  else
    run(thread, op);
}

static void *run_thread(void *argument)
{
  thread_t *thread = argument;
  unit_t   *unit   = thread->unit;
  int       me     = actor_number(unit->me, thread->id);

  for (size_t i = 0; i < unit->nops; i++) {
    const op_t *op  = &unit->op[i];
    actors_t    who = scene_who(&unit->model.scene, op);

    if (!actors_have(&who, me))
      continue;
    atomic_store(&thread->current, op);
    execute(thread, op);
    run_note_done(thread, op);
  }
  atomic_store(&thread->current, NULL);
  return NULL;
}

static void run_threads(unit_t *unit)
{
  pthread_t id[THREADS_MAX];

  for (int i = 0; i < unit->shape.threads; i++) {
    threads[i].unit       = unit;
    threads[i].id         = i;
    threads[i].has_failed = false;
  }
  for (int i = 1; i < unit->shape.threads; i++)
    if (pthread_create(&id[i], NULL, run_thread, &threads[i]) != 0)
      run_fail(unit, NULL, "no thread can be started");
  run_thread(&threads[0]);
  for (int i = 1; i < unit->shape.threads; i++)
    pthread_join(id[i], NULL);
}

static const char *current_phase = "start";

void run_phase(unit_t *unit, const char *phase)
{
  threads[0].unit = unit;
  current_phase   = phase;
  atomic_store(&threads[0].current, NULL);
  alarm(unit->seconds);
}

/* What each thread is at, and the end. Called by a signal, when all is lost anyway. */
void run_say_where(const char *why)
{
  char line[TEXT_MAX], all[TEXT_MAX + 200];

  for (int i = 0; i < THREADS_MAX; i++) {
    const op_t *op = atomic_load(&threads[i].current);
    int         n;

    if (threads[i].unit == NULL || (op == NULL && i > 0))
      continue;
    if (op != NULL)
      text_op(op, line);
    n = snprintf(all, sizeof all,
                 "random: FAILED: unit %d of %d, %d thread(s), seed %llu, salt %llu: %s\n"
                 "random: operation: %s\n",
                 threads[i].unit->me, threads[i].unit->shape.units, threads[i].unit->shape.threads,
                 (unsigned long long)threads[i].unit->seed,
                 (unsigned long long)threads[i].unit->shape.salt, why,
                 op != NULL ? line : current_phase);
    if (write(STDERR_FILENO, all, (size_t)n) < 0)
      return;
  }
}

/* ---- the end of a round ---------------------------------------------------------------------- */

/* The memory of a unit that is lost is there where it is near, but for what it has registered. */
static bool is_gone(unit_t *unit, int seg, dart_gptr_t gptr, dart_ret_t ret)
{
  bool is_registered = unit->model.scene.segment[seg].kind == SEGMENT_REGISTERED;

  if (!is_registered && (ret == DART_OK) != (dart_near_ptr(gptr) != NULL))
    run_fail(unit, NULL, "a get from a lost unit returned %d", (int)ret);
  return is_registered || ret == DART_ERR_UNIT_LOST;
}

/* A segment whose epoch has failed may still be in it. */
static bool is_there(unit_t *unit, int seg, int to, dart_gptr_t gptr, dart_ret_t ret)
{
  if (ret == DART_ERR_UNIT_LOST && (unit->in_epochs >> seg & 1) != 0)
    return false;
  return !units_have(unit->risks.doomed, to) || !is_gone(unit, seg, gptr, ret);
}

/* Now and then a unit also looks at what others own. */
static void compare_far(unit_t *unit, const op_t *round)
{
  uint64_t    at = 0, draw = mix(unit->shape.salt, round->id, (uint64_t)unit->me);
  int         seg = (int)(draw % SEGMENTS_MAX), to = (int)(draw / 64 % (uint64_t)unit->shape.units);
  memory_t   *memory;
  size_t      size;
  buffer_t   *bytes;
  dart_gptr_t gptr;
  dart_ret_t  ret;

  for (int i = 0; i < SEGMENTS_MAX && !unit->model.scene.segment[seg].alive; i++)
    seg = (seg + 1) % SEGMENTS_MAX;
  if (!unit->model.scene.segment[seg].alive || scene_size(&unit->model.scene, seg, to) == 0 ||
      units_have(unit->model.scene.segment[seg].gone, unit->me) ||
      scene_team_id(&unit->model.scene, unit->model.scene.segment[seg].team, unit->me) < 0)
    return;
  memory = model_memory(&unit->model, seg, to, &at);
  size   = scene_size(&unit->model.scene, seg, to);
  gptr   = run_gptr(unit, seg, to, 0);
  bytes  = run_buffer(&threads[0], round, size, 0, PATTERN_BLANK);
  ret    = dart_get_blocking(bytes->bytes, gptr, size, DART_TYPE_BYTE, DART_TYPE_BYTE);
  if (is_there(unit, seg, to, gptr, ret)) {
    run_expect_ok(unit, NULL, ret, "dart_get_blocking");
    run_compare(unit, round, "memory of another unit", bytes->bytes, memory->data + at,
                memory->vague != NULL ? memory->vague + at : NULL, size);
  }
  run_end_buffers(&threads[0]);
}

static void explain_word(unit_t *unit, int actor, int word)
{
  insight_t   insight;
  const char *why;

  insight_begin(&insight, &unit->explain, word);
  for (size_t i = 0; i < unit->nops; i++) {
    const op_t *op = &unit->op[i];

    if (!op_is_atomic(op) || op->word != word || actor_number(op->unit, op->thread) != actor)
      continue;
    why = explain_next(&unit->explain, &insight, unit->op, unit->nops, i,
                       unit->fetched[i].is_there ? unit->fetched[i].bytes : NULL);
    if (why != NULL)
      run_fail(unit, op, "fetched %llx: %s",
               (unsigned long long)value_load(op->type, unit->fetched[i].bytes), why);
  }
}

static void compare(unit_t *unit, const op_t *round)
{
  const scene_t *scene = &unit->model.scene;

  for (int word = 0; word < WORDS_MAX; word++)
    for (int thread = 0; thread < unit->shape.threads && scene->word[word].alive &&
                         !risks_have_word(&unit->risks, word);
         thread++)
      explain_word(unit, actor_number(unit->me, thread), word);
  for (int seg = 0; seg < SEGMENTS_MAX; seg++)
    if (scene->segment[seg].alive && !units_have(scene->segment[seg].gone, unit->me) &&
        scene_team_id(scene, scene->segment[seg].team, unit->me) >= 0)
      run_check_segment(unit, round, seg);
  for (int file = 0; file < FILES_MAX; file++)
    if (scene->file[file].alive && scene_team_id(scene, scene->file[file].team, unit->me) >= 0 &&
        !risks_have_file(&unit->risks, file))
      run_check_file(unit, round, file);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static void meet(unit_t *unit, const op_t *round)
{
  unit->left = unit->team[0];
  if (unit->risks.doomed != 0)
    run_shrink(unit);
  else
    RUN_OK(unit, round, dart_barrier(unit->left));
}

/* The operations of a round after what comes and goes, its end the last one. */
static void run_body(unit_t *unit, const op_t *op, size_t n)
{
  const op_t *round = &op[n - 1];

  unit->op      = op;
  unit->nops    = n;
  unit->expect  = calloc(n, sizeof unit->expect[0]);
  unit->fetched = calloc(n, sizeof unit->fetched[0]);
  if (unit->expect == NULL || unit->fetched == NULL)
    run_fail(unit, round, "out of memory");
  explain_begin(&unit->explain, &unit->model);
  if (unit->risks.doomed != 0)
    run_find_risks(unit);
  for (size_t i = 0; i < n; i++) {
    model_apply(&unit->model, &op[i], &unit->expect[i]);
    if (unit->risks.doomed != 0)
      run_spoil(unit, &op[i]);
  }

  run_threads(unit);
  for (int i = 0; i < unit->shape.threads && unit->risks.doomed != 0; i++)
    run_drop(&threads[i], round);
  run_end_epochs(unit, round);
  for (int i = 0; i < unit->shape.threads; i++) {
    run_completed(&threads[i], round);
    run_end_buffers(&threads[i]);
  }
  unit->operations += n;
  meet(unit, round);
  compare(unit, round);
  scene_end_contests(&unit->model.scene);
  compare_far(unit, round);
  RUN_OK(unit, NULL, dart_barrier(unit->left));

  for (size_t i = 0; i < n; i++)
    model_release(&unit->expect[i]);
  free(unit->expect);
  free(unit->fetched);
  unit->nops = 0;
}

/* Without an operation the rest of a round in which units are lost. */
static void abandon(unit_t *unit, const op_t *round)
{
  run_end_epochs(unit, round);
  run_shrink(unit);
  compare(unit, round);
  RUN_OK(unit, NULL, dart_barrier(unit->left));
}

static size_t end_of_round(const list_t *list, size_t from)
{
  while (from < list->n && list->op[from].kind != ROUND)
    from++;
  return from < list->n ? from + 1 : from;
}

/* Between rounds the first thread is at work. */
static bool run_objects(unit_t *unit, const op_t *op)
{
  threads[0].unit = unit;
  atomic_store(&threads[0].current, op);
  if (unit->risks.doomed != 0)
    return run_object_at_risk(unit, op);
  run_object(unit, op);
  return true;
}

void run_list(unit_t *unit, const list_t *list)
{
  unit->lists++;
  model_open(&unit->model, unit->shape, unit->me);
  run_plan_losses(unit, list);
  for (size_t i = 0, round = 0; i < list->n && unit->risks.doomed == 0; round++) {
    size_t end  = end_of_round(list, i);
    bool   good = true;

    run_begin_losses(unit, round);
    run_phase(unit, "between rounds");
    for (; i < end && good && op_kinds[list->op[i].kind].who == WHO_UNITS; i++)
      good = run_objects(unit, &list->op[i]);
    if (!good)
      abandon(unit, &list->op[end - 1]);
    else if (i < end)
      run_body(unit, &list->op[i], end - i);
    i = end;
  }
  run_phase(unit, "the end of the schedule");
  run_end_objects(unit);
  if (unit->risks.doomed != 0)
    run_take_team(unit);
  model_close(&unit->model);
}
