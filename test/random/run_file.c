/* Files: opened, accessed in all ways, and compared with the model's.
 *
 * They have no name in any folder, so that nothing is left of them whatever happens: the first unit makes one
 * in memory or one without a name on disk, and all open it by way of that process. What is in them in the end
 * is read by the system's calls, not by those that are tested. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "contest.h"
#include "draw.h"
#include "run_common.h"

enum { PATH = 64 };

static const scene_file_t *scene_of(const unit_t *unit, const op_t *op)
{
  return &unit->model.scene.file[op->file];
}

static dart_team_t team_of(const unit_t *unit, const op_t *op)
{
  return unit->team[scene_of(unit, op)->team];
}

/* ---- what comes and goes ------------------------------------------------------------------------ */

static int make_file(const unit_t *unit, const op_t *op)
{
  const char *folder = getenv("TMPDIR");
  int         fd     = -1;

  if (op->how == FILE_ON_DISK)
    fd = open(folder != NULL ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0)
    fd = memfd_create("random", MFD_CLOEXEC);
  if (fd < 0)
    run_fail(unit, op, "no file can be made");
  return fd;
}

static void fill(unit_t *unit, const op_t *op)
{
  uint64_t base = scene_of(unit, op)->base;

  if (scene_team_id(&unit->model.scene, op->team, unit->me) == 0)
    RUN_OK(unit, op,
           dart_file_write_at(unit->file[op->file], base, unit->model.file[op->file].data, op->n,
                              DART_TYPE_BYTE, DART_TYPE_BYTE, NULL));
}

static void open_file(unit_t *unit, const op_t *op)
{
  bool     is_first = scene_team_id(&unit->model.scene, op->team, unit->me) == 0;
  unsigned flags    = DART_FILE_READ | DART_FILE_WRITE | (op->id % 2 != 0 ? DART_FILE_TRUNCATE : 0);
  char     path[PATH] = "";
  int      fd         = -1;

  if (is_first) {
    fd = make_file(unit, op);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), fd);
  }
  RUN_OK(unit, op,
         dart_bcast(path, sizeof path, DART_TYPE_BYTE, DART_TEAM_UNIT_ID(0), unit->team[op->team]));
  unit->file_fd[op->file] = is_first ? fd : open(path, O_RDONLY | O_CLOEXEC);
  RUN_OK(unit, op, dart_file_open(unit->team[op->team], path, flags, 0600, &unit->file[op->file]));
  RUN_OK(unit, op, dart_file_resize(unit->file[op->file], op->value + op->n));
  RUN_OK(unit, op, dart_file_seek_shared(unit->file[op->file], op->value));
  fill(unit, op);
}

static void set_view(unit_t *unit, const op_t *op)
{
  dart_datatype_t type = DART_TYPE_BYTE;

  if (op->how == VIEW_ALL) {
    RUN_OK(unit, op, dart_file_set_view(unit->file[op->file], 0, DART_TYPE_BYTE));
    return;
  }
  type = run_type(unit, op, &op->remote);
  RUN_OK(unit, op,
         dart_file_set_view(unit->file[op->file],
                            scene_of(unit, op)->base + (uint64_t)op->sizes[unit->me], type));
  run_end_type(unit, op, &type);
}

void run_close_file(unit_t *unit, const op_t *op, int file)
{
  RUN_OK(unit, op, dart_file_close(&unit->file[file]));
  close(unit->file_fd[file]);
}

void run_file_object(unit_t *unit, const op_t *op)
{
  dart_file_t *file = &unit->file[op->file];

  switch (op->kind) {
  case FILE_OPEN: open_file(unit, op); break;
  case FILE_CLOSE: run_close_file(unit, op, op->file); break;
  case FILE_RESIZE:
    RUN_OK(unit, op, dart_file_resize(*file, scene_of(unit, op)->base + op->n));
    break;
  case FILE_SYNC: RUN_OK(unit, op, dart_file_sync(*file)); break;
  case FILE_MODE: RUN_OK(unit, op, dart_file_set_atomicity(*file, op->how == MODE_ATOMIC)); break;
  case FILE_VIEW: set_view(unit, op); break;
  default: RUN_OK(unit, op, dart_file_seek_shared(*file, scene_of(unit, op)->base + op->at)); break;
  }
  if (op->kind != FILE_CLOSE)
    RUN_OK(unit, op, dart_barrier(team_of(unit, op)));
}

/* ---- accesses ------------------------------------------------------------------------------------ */

/* A number for each write in atomic mode, which all its bytes are. */
static unsigned char tag_of(const op_t *op, int unit)
{
  return (unsigned char)((op->id + 83 * (unsigned)unit) % 251);
}

static size_t elements_of(const unit_t *unit, const op_t *op)
{
  return op_has(op, HAS_UNITS) && !units_have(op->units, unit->me) ? 0 : (size_t)op->n;
}

static uint64_t offset_of(const unit_t *unit, const op_t *op)
{
  const scene_file_t *file = scene_of(unit, op);
  uint64_t            at   = op->at + (file->viewed ? 0 : file->base);

  if (op_kinds[op->kind].who == WHO_TEAM)
    at += (uint64_t)scene_team_id(&unit->model.scene, op->team, unit->me) * op->value;
  return at;
}

static buffer_t *new_buffer(thread_t *thread, const op_t *op)
{
  const unit_t *unit   = thread->unit;
  bool          write  = op_is_file_write(op);
  buffer_t     *buffer = run_buffer(thread, op, layout_span(&op->local, op->n), op->shift,
                                write ? PATTERN_GIVEN + unit->me : PATTERN_BLANK);

  if (write && file_is_contest(&unit->model.scene, op))
    memset(buffer->bytes, tag_of(op, unit->me), buffer->nbytes);
  return buffer;
}

/* Whether what is read is open until the end of the round. */
static bool is_open(const unit_t *unit, const op_t *op)
{
  return scene_of(unit, op)->atomic || op->kind == FILE_TAKE;
}

/* What was read is kept until all is known. */
static void keep(unit_t *unit, const op_t *op, const buffer_t *buffer)
{
  layout_t       run  = { .basic = op->local.basic, .custom = op->local.custom };
  unsigned char *seen = malloc(op->n * layout_elem(&run) + 1);

  if (seen == NULL)
    run_fail(unit, op, "out of memory");
  layout_copy(seen, &run, buffer->bytes, &op->local, op->n);
  unit->expect[op - unit->op].bytes = seen;
}

/* The fewest elements that it has to be: the file may be longer when it is read in atomic mode. */
static size_t least_count(unit_t *unit, const op_t *op, size_t n)
{
  const scene_file_t *file   = scene_of(unit, op);
  file_region_t       region = file_region(&unit->model.scene, op, unit->me);

  if (op_is_file_write(op) || op->kind == FILE_TAKE || n == 0)
    return n;
  if (!file->atomic)
    return run_expected(unit, op)->count;
  if (op_is_file_shared(op))
    return n;
  return file_elements_in(&region, file->settled) * layout_elem(&region.layout) /
         layout_elem(&op->local);
}

static void check_access(thread_t *thread, const op_t *op, buffer_t *buffer, size_t count)
{
  unit_t         *unit   = thread->unit;
  const expect_t *expect = run_expected(unit, op);
  bool            open   = is_open(unit, op);
  size_t          n = elements_of(unit, op), least = least_count(unit, op, n);
  /* a write that the loss of a unit has prevented may have made the file longer */
  bool any_length =
      !op_is_file_write(op) && unit->risks.doomed != 0 && risks_have_file(&unit->risks, op->file);

  if (any_length ? count > n : count < least || count > (open ? n : least))
    run_fail(unit, op, "%zu elements of %zu, not %zu", count, n, least);
  unit->expect[op - unit->op].count = count;
  if (!op_is_file_write(op) && open && n > 0)
    keep(unit, op, buffer);
  else if (!op_is_file_write(op) && n > 0 && (!any_length || count == least))
    run_compare(unit, op, "the local buffer", buffer->bytes, expect->bytes, expect->vague,
                expect->nbytes);
  run_poison(thread, buffer);
}

static dart_ret_t access_now(unit_t *unit, const op_t *op, void *buffer, const dart_datatype_t t[2],
                             size_t *count)
{
  dart_file_t file   = unit->file[op->file];
  uint64_t    offset = offset_of(unit, op);
  size_t      n      = elements_of(unit, op);

  switch (op->kind) {
  case FILE_READ: return dart_file_read_at(file, offset, buffer, n, t[0], t[1], count);
  case FILE_WRITE: return dart_file_write_at(file, offset, buffer, n, t[0], t[1], count);
  case FILE_READ_ALL: return dart_file_read_all(file, offset, buffer, n, t[0], t[1], count);
  case FILE_WRITE_ALL: return dart_file_write_all(file, offset, buffer, n, t[0], t[1], count);
  case FILE_READ_ORDERED: return dart_file_read_ordered(file, buffer, n, t[0], count);
  case FILE_WRITE_ORDERED: return dart_file_write_ordered(file, buffer, n, t[0], count);
  case FILE_TAKE: return dart_file_read_shared(file, buffer, n, t[0], count);
  default: return dart_file_write_shared(file, buffer, n, t[0], count);
  }
}

static void begin_request(unit_t *unit, const op_t *op, under_way_t *u)
{
  dart_file_t file = unit->file[op->file];
  uint64_t    at   = offset_of(unit, op);

  if (op->kind == FILE_READ)
    RUN_OK(unit, op,
           dart_file_read_at_request(file, at, u->file_buffer->bytes, op->n, u->types[0],
                                     u->types[1], &u->request));
  else
    RUN_OK(unit, op,
           dart_file_write_at_request(file, at, u->file_buffer->bytes, op->n, u->types[0],
                                      u->types[1], &u->request));
}

void run_file_access(thread_t *thread, const op_t *op)
{
  unit_t         *unit     = thread->unit;
  buffer_t       *buffer   = new_buffer(thread, op);
  dart_datatype_t types[2] = { run_type(unit, op, &op->local), DART_TYPE_UNDEFINED };
  size_t          count    = 0;
  under_way_t    *u;

  if (op_has(op, HAS_REMOTE))
    types[1] = run_type(unit, op, &op->remote);
  if (contract_is_request(op)) {
    u              = run_start(thread, op, NULL);
    u->file_buffer = buffer;
    memcpy(u->types, types, sizeof types);
    begin_request(unit, op, u);
    return;
  }
  run_expect_ok(unit, op, access_now(unit, op, buffer->bytes, types, &count),
                op_kinds[op->kind].name);
  for (int i = 0; i < (op_has(op, HAS_REMOTE) ? 2 : 1); i++)
    run_end_type(unit, op, &types[i]);
  check_access(thread, op, buffer, count);
}

void run_file_finish(thread_t *thread, under_way_t *u, bool tests)
{
  unit_t *unit  = thread->unit;
  size_t  count = 0;
  int32_t done  = 0;

  run_go_on();
  if (!tests)
    RUN_OK(unit, u->op, dart_file_wait(&u->request, &count));
  while (tests && done == 0 && !run_has_lost()) {
    RUN_OK(unit, u->op, dart_file_test(&u->request, &done, &count));
    run_yield();
  }
  if (u->request != DART_FILE_REQUEST_NULL && !run_has_lost())
    run_fail(unit, u->op, "the request is still there");
  for (int i = 0; i < 2; i++)
    run_end_type(unit, u->op, &u->types[i]);
  if (!run_has_lost())
    check_access(thread, u->op, u->file_buffer, count);
  u->has_handle = false;
  u->is_here = u->is_there = true;
}

void run_file_wait(thread_t *thread, const op_t *op)
{
  for (int i = 0; i < op->nops; i++)
    run_file_finish(thread, run_find(thread, op->ops[i]), op->how == FILE_WAIT_TEST);
  run_completed(thread, op);
}

/* ---- the end of a round --------------------------------------------------------------------------- */

/* Whether the record of an operation is what stands there. */
static bool is_record(const unit_t *unit, const op_t *op, const unsigned char *there)
{
  layout_t       run  = { .basic = op->local.basic, .custom = op->local.custom };
  size_t         span = layout_span(&op->local, op->n), nbytes = op->n * layout_elem(&op->local);
  unsigned char *source = malloc(span + nbytes);
  bool           same;

  if (source == NULL)
    run_fail(unit, op, "out of memory");
  pattern_fill(source, model_key(&unit->model.scene, op, PATTERN_GIVEN + op->unit), 0, span);
  layout_copy(source + span, &run, source, &op->local, op->n);
  same = memcmp(source + span, there, nbytes) == 0;
  free(source);
  return same;
}

/* Of each actor's records the next one that has not been found: one of them stands there. NULL: none does. */
static const op_t *find_record(const unit_t *unit, int file, const bool *found,
                               const unsigned char *there, size_t room)
{
  actors_t tried = { { 0 } };

  for (size_t i = 0; i < unit->nops; i++) {
    const op_t *op    = &unit->op[i];
    int         actor = actor_number(op->unit, op->thread);

    if (op->kind != FILE_APPEND || op->file != file || found[i] || actors_have(&tried, actor))
      continue;
    actors_add(&tried, actor);
    if (op->n * layout_elem(&op->local) <= room && is_record(unit, op, there))
      return op;
  }
  return NULL;
}

/* Records stand one behind the other, each actor's in their order. */
static void check_appended(unit_t *unit, const op_t *round, int file, const unsigned char *bytes)
{
  const scene_file_t *scene = &unit->model.scene.file[file];
  bool               *found = calloc(unit->nops, sizeof *found);
  const op_t         *op;

  if (found == NULL)
    run_fail(unit, round, "out of memory");
  for (uint64_t at = scene->append_from; at < scene->pointer;
       at += op->n * layout_elem(&op->local)) {
    op = find_record(unit, file, found, bytes + at, scene->pointer - at);
    if (op == NULL)
      run_fail(unit, round, "f%d: at byte %llu there is nobody's next record", file,
               (unsigned long long)at);
    found[op - unit->op] = true;
  }
  free(found);
  memcpy(unit->model.file[file].data + scene->append_from, bytes + scene->append_from,
         scene->pointer - scene->append_from);
}

/* The first record from number k on that is the same; the end if there is none. */
static uint64_t find_taken(const scene_file_t *scene, const unsigned char *bytes,
                           const unsigned char *seen, uint64_t k)
{
  uint64_t end = (scene->pointer - scene->take_from) / scene->taken;

  while (k < end && memcmp(bytes + scene->take_from + k * scene->taken, seen, scene->taken) != 0)
    k++;
  return k;
}

/* Each took a record, its own threads in their order; and none that another took, as far as records differ. */
static void check_taken(unit_t *unit, const op_t *round, int file, const unsigned char *bytes)
{
  const scene_file_t *scene = &unit->model.scene.file[file];
  uint64_t end = (scene->pointer - scene->take_from) / scene->taken, next[THREADS_MAX] = { 0 };
  int      taken[RECORDS_MOST] = { 0 }, by_all[RECORDS_MOST] = { 0 };

  for (size_t i = 0; i < unit->nops; i++) {
    const op_t *op = &unit->op[i];
    uint64_t    k;

    if (op->kind != FILE_TAKE || op->file != file || op->unit != unit->me)
      continue;
    k = find_taken(scene, bytes, unit->expect[i].bytes, next[op->thread]);
    if (k == end)
      run_fail(unit, op, "no record from number %llu on is what was read",
               (unsigned long long)next[op->thread]);
    next[op->thread] = k + 1;
    taken[k] += find_taken(scene, bytes, unit->expect[i].bytes, 0) == k &&
                find_taken(scene, bytes, unit->expect[i].bytes, k + 1) == end;
  }
  RUN_OK(unit, round,
         dart_allreduce(taken, by_all, RECORDS_MOST, DART_TYPE_INT, DART_OP_SUM,
                        unit->team[scene->team]));
  for (uint64_t k = 0; k < end; k++)
    if (by_all[k] > 1)
      run_fail(unit, round, "f%d: record %llu was taken %d times", file, (unsigned long long)k,
               by_all[k]);
}

/* The operation by which it was complete: itself, or the one that waits for the request; the end of the round. */
static size_t end_of(const unit_t *unit, const op_t *op)
{
  size_t at = (size_t)(op - unit->op);

  if (!contract_is_request(op))
    return at;
  for (at++; at < unit->nops; at++) {
    const op_t *by = &unit->op[at];

    if (by->kind == FILE_WAIT && by->unit == op->unit && by->thread == op->thread &&
        contract_names(by, op->id))
      break;
  }
  return at;
}

/* What a read of this unit has found; and where the element lies that it has not. */
static void add_found(const unit_t *unit, const op_t *op, contest_node_t *node)
{
  const expect_t *expect = &unit->expect[op - unit->op];
  size_t          elem = layout_elem(&op->local), there = layout_elem(&node->region.layout), missed;

  node->seen  = expect->bytes;
  node->nseen = expect->count * elem;
  if (expect->count == op->n)
    return;
  missed       = ((expect->count + 1) * elem + there - 1) / there - 1;
  node->beyond = node->region.from + layout_at(&node->region.layout, missed) + there;
}

static int add_nodes(unit_t *unit, const op_t *op, contest_node_t *nodes)
{
  const scene_t *scene = &unit->model.scene;
  bool           team  = op_kinds[op->kind].who == WHO_TEAM;
  int            n = 0, first = team ? 0 : op->unit, last = team ? scene->shape.units - 1 : first;

  for (int u = first; u <= last; u++) {
    contest_node_t node = { .actor =
                                actor_number(u, team ? scene_thread(scene, op->team) : op->thread),
                            .begin    = (size_t)(op - unit->op),
                            .end      = end_of(unit, op),
                            .is_write = op_is_file_write(op),
                            .tag      = tag_of(op, u) };

    if (team && scene_team_id(scene, op->team, u) < 0)
      continue;
    node.region = file_region(scene, op, u);
    if (op_is_file_shared(op)) /* the pointer has gone on since */
      node.region.from += unit->expect[op - unit->op].pointer - scene->file[op->file].pointer;
    if (u == unit->me && !node.is_write && node.region.n > 0)
      add_found(unit, op, &node);
    if (node.region.n > 0)
      nodes[n++] = node;
  }
  return n;
}

static void check_contested(unit_t *unit, const op_t *round, int file, const unsigned char *bytes)
{
  contest_node_t      nodes[CONTEST_NODES + UNITS_MAX];
  const scene_file_t *scene  = &unit->model.scene.file[file];
  memory_t           *memory = &unit->model.file[file];
  contest_file_t      all = { memory->data, bytes, scene->settled, scene->size, scene->appended };
  const char         *why;
  int                 n = 0;

  for (size_t i = 0; i < unit->nops && n <= CONTEST_NODES; i++)
    if (op_is_file_access(&unit->op[i]) && unit->op[i].file == file &&
        file_is_contest(&unit->model.scene, &unit->op[i]))
      n += add_nodes(unit, &unit->op[i], nodes + n);
  why = contest_explain(nodes, n, &all);
  if (why != NULL)
    run_fail(unit, round, "f%d: %s", file, why);
  memcpy(memory->data, bytes, scene->size);
}

static void check_numbers(unit_t *unit, const op_t *round, int file)
{
  const scene_file_t *scene = &unit->model.scene.file[file];
  uint64_t            size, at;

  RUN_OK(unit, round, dart_file_size(unit->file[file], &size));
  RUN_OK(unit, round, dart_file_tell_shared(unit->file[file], &at));
  if (size != scene->base + scene->size || at != scene->base + scene->pointer)
    run_fail(unit, round, "f%d: %llu bytes, the pointer at %llu, not %llu and %llu", file,
             (unsigned long long)size, (unsigned long long)at,
             (unsigned long long)(scene->base + scene->size),
             (unsigned long long)(scene->base + scene->pointer));
}

void run_check_file(unit_t *unit, const op_t *round, int file)
{
  const scene_file_t *scene = &unit->model.scene.file[file];
  unsigned char      *bytes = malloc(FILE_MOST);
  char                what[16];

  if (unit->risks.doomed == 0)
    check_numbers(unit, round, file);
  if (bytes == NULL ||
      pread(unit->file_fd[file], bytes, scene->size, (off_t)scene->base) != (ssize_t)scene->size)
    run_fail(unit, round, "f%d cannot be read", file);
  if (scene->appended)
    check_appended(unit, round, file, bytes);
  if (scene->taken > 0)
    check_taken(unit, round, file, bytes);
  if (scene->contests > 0)
    check_contested(unit, round, file, bytes);
  snprintf(what, sizeof what, "f%d", file);
  run_compare(unit, round, what, bytes, unit->model.file[file].data, NULL, scene->size);
  free(bytes);
}
