/* See shrink.h. */
#include "shrink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "rules.h"
#include "text.h"

enum { PATIENCE = 4 }; /* seconds for a round of a small job */

typedef struct {
  job_t  job;
  list_t list;
  double end;   /* when it has to be enough */
  int    tries; /* jobs so far */
} search_t;

static double now(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static list_t copy(const list_t *list)
{
  list_t new = { .shape = list->shape };

  for (size_t i = 0; i < list->n; i++)
    list_add(&new, &list->op[i]);
  return new;
}

/* ---- files ----------------------------------------------------------------------------------- */

bool shrink_write(const char *path, const job_t *job, const list_t *list)
{
  FILE *to = fopen(path, "we");

  if (to == NULL)
    return false;
  fprintf(to, "backend %s\nnodes %d\n", job->backend, job->nodes);
  for (int i = 0; i < job->nsettings; i++)
    fprintf(to, "set %s\n", job->settings[i]);
  text_print(to, list);
  return fclose(to) == 0;
}

bool shrink_read(const char *path, job_t *job, list_t *list)
{
  FILE *from = fopen(path, "re");
  char  line[TEXT_MAX], word[64];

  if (from == NULL || !text_read(path, list)) {
    if (from == NULL)
      perror(path);
    else
      fclose(from);
    return false;
  }
  while (fgets(line, sizeof line, from) != NULL) {
    if (sscanf(line, "set %63s", word) == 1)
      job_set(job, word);
    else if (sscanf(line, "nodes %d", &job->nodes) != 1)
      sscanf(line, "backend %15s", job->backend);
  }
  fclose(from);
  job->units   = list->shape.units;
  job->threads = list->shape.threads;
  return true;
}

/* ---- does it still fail? ----------------------------------------------------------------------- */

static bool fails(search_t *s, job_t *job, const list_t *list)
{
  static job_result_t result;

  strcpy(job->list, "/tmp/dart-random-list-XXXXXX");
  close(mkstemp(job->list));
  job->units   = list->shape.units;
  job->threads = list->shape.threads;
  if (!shrink_write(job->list, job, list))
    return false;
  job_run(job, &result);
  unlink(job->list);
  s->tries++;
  return result.end != JOB_PASSED && result.end != JOB_NOT_STARTED;
}

/* Take the candidate if it is legal and still fails. It is freed, or becomes the list. */
static bool try(search_t *s, const job_t *job, list_t *candidate)
{
  op_t  round = op_new(ROUND);
  job_t j     = *job;

  rules_filter(candidate);
  if (candidate->n > 0 && candidate->op[candidate->n - 1].kind != ROUND) {
    round.id = s->list.op[s->list.n - 1].id + 1;
    list_add(candidate, &round);
  }
  if (candidate->n == 0 || now() > s->end || !fails(s, &j, candidate)) {
    list_free(candidate);
    return false;
  }
  list_free(&s->list);
  s->list = *candidate;
  s->job  = j;
  return true;
}

/* ---- fewer operations -------------------------------------------------------------------------- */

static list_t without(const list_t *list, size_t from, size_t to)
{
  list_t new = { .shape = list->shape };

  for (size_t i = 0; i < list->n; i++)
    if (i < from || i >= to)
      list_add(&new, &list->op[i]);
  return new;
}

static bool drop_chunks(search_t *s, size_t size)
{
  bool better = false;

  for (size_t i = s->list.n;
       i > 0 && now() < s->end;) { /* from the end: what comes first is needed */
    size_t from      = i > size ? i - size : 0;
    list_t candidate = without(&s->list, from, i);

    if (try(s, &s->job, &candidate))
      better = true;
    i = from < s->list.n ? from : s->list.n;
  }
  return better;
}

static bool drop_operations(search_t *s)
{
  bool better = false;

  for (size_t size = s->list.n / 2; size >= 1; size /= 2)
    better |= drop_chunks(s, size);
  return better;
}

/* ---- fewer units, threads, nodes, settings -------------------------------------------------------- */

static int renumber(int unit, int gone)
{
  return unit > gone ? unit - 1 : unit;
}

static uint64_t units_without(uint64_t units, int gone)
{
  return (units & units_below(gone)) | (units >> 1 & ~units_below(gone));
}

static void pairs_without(uint64_t pairs[UNITS_MAX], int gone)
{
  for (int origin = 0; origin < UNITS_MAX - 1; origin++)
    pairs[origin] = units_without(pairs[origin < gone ? origin : origin + 1], gone);
  pairs[UNITS_MAX - 1] = 0;
}

/* Without a unit: what it does and what is done to it goes, the units behind it move up. */
static bool move_up(op_t *op, int gone)
{
  if ((op_has(op, HAS_BY) && op->unit == gone) || (op_has(op, HAS_PEER) && op->peer == gone) ||
      (op_has(op, HAS_TO) && op->to == gone))
    return false;
  op->unit  = renumber(op->unit, gone);
  op->peer  = renumber(op->peer, gone);
  op->to    = renumber(op->to, gone);
  op->units = units_without(op->units, gone);
  pairs_without(op->pairs, gone);
  memmove(&op->sizes[gone], &op->sizes[gone + 1],
          (size_t)(UNITS_MAX - 1 - gone) * sizeof op->sizes[0]);
  op->sizes[UNITS_MAX - 1] = 0;
  if (op_has(op, HAS_ROOT) && op->root >= gone && op->root > 0)
    op->root--;
  return true;
}

/* Units from..to - 1. */
static bool drop_some_units(search_t *s, int from, int to)
{
  list_t candidate = { .shape = s->list.shape };
  job_t  job       = s->job;

  candidate.shape.units -= to - from;
  for (size_t i = 0; i < s->list.n; i++) {
    op_t op    = s->list.op[i];
    bool stays = true;

    for (int unit = to - 1; unit >= from && stays; unit--)
      stays = move_up(&op, unit);
    if (stays)
      list_add(&candidate, &op);
  }
  if (job.nodes > candidate.shape.units)
    job.nodes = candidate.shape.units;
  return try(s, &job, &candidate);
}

/* One at a time, or halves, quarters and so on of a large job first. */
static bool drop_units(search_t *s)
{
  int  size   = s->list.shape.units > UNITS_SMALL ? s->list.shape.units / 2 : 1;
  bool better = false;

  for (; size >= 1; size /= 2)
    for (int to = s->list.shape.units; to > 0 && s->list.shape.units > size && now() < s->end;
         to -= size)
      better |= drop_some_units(s, to > size ? to - size : 0, to);
  return better;
}

static bool drop_threads(search_t *s)
{
  list_t candidate = copy(&s->list);

  for (size_t i = 0; i < candidate.n; i++) {
    op_t *op = &candidate.op[i];

    op->thread = op->peer_thread = 0;
    op->tag -= op->tag % 16;
  }
  candidate.shape.threads = 1;
  if (s->list.shape.threads > 1)
    return try(s, &s->job, &candidate);
  list_free(&candidate);
  return false;
}

static bool drop_nodes(search_t *s)
{
  bool better = false;

  while (s->job.nodes > 1 && now() < s->end) {
    list_t candidate = copy(&s->list);
    job_t  job       = s->job;

    job.nodes--;
    if (!try(s, &job, &candidate))
      break;
    better = true;
  }
  return better;
}

static bool drop_settings(search_t *s)
{
  bool better = false;

  for (int i = s->job.nsettings - 1; i >= 0; i--) {
    list_t candidate = copy(&s->list);
    job_t  job       = s->job;

    memmove(&job.settings[i], &job.settings[i + 1],
            (size_t)(job.nsettings - 1 - i) * sizeof job.settings[0]);
    job.nsettings--;
    better |= try(s, &job, &candidate);
  }
  return better;
}

/* ---- simpler operations --------------------------------------------------------------------------- */

/* Ways to make an operation simpler; false: that changes nothing. */
typedef bool simplify_t(op_t *op);

static bool halve(op_t *op)
{
  if (op->n < 2 || !op_has(op, HAS_N))
    return false;
  op->n /= 2;
  return true;
}

static bool whole_instances(op_t *op)
{
  size_t a = layout_instance(&op->local), b = layout_instance(&op->remote);

  if (!op_has(op, HAS_LOCAL) || op->n <= a * b)
    return false;
  op->n = a * b;
  return true;
}

static bool plain_local(op_t *op)
{
  if (!op_has(op, HAS_LOCAL) || op->local.kind == LAYOUT_RUN)
    return false;
  op->local.kind = LAYOUT_RUN;
  return true;
}

static bool plain_remote(op_t *op)
{
  if (!op_has(op, HAS_REMOTE) || op->remote.kind == LAYOUT_RUN)
    return false;
  op->remote.kind = LAYOUT_RUN;
  return true;
}

static bool private_buffer(op_t *op)
{
  if (!op_has(op, HAS_HERE) || (op->here < 0 && op->shift == 0) || op->kind == REGISTER)
    return false;
  op->here  = -1;
  op->shift = 0;
  return true;
}

static bool by_call(op_t *op)
{
  bool was = op->is_inline;

  op->is_inline = false;
  return was;
}

static bool at_start(op_t *op)
{
  if (!op_has(op, HAS_TO) || op->at == 0)
    return false;
  op->at = 0;
  return true;
}

static bool fewer_pairs(op_t *op)
{
  int origin = 0;

  while (origin < UNITS_MAX && op->pairs[origin] == 0)
    origin++;
  if (!op_has(op, HAS_PAIRS) || origin == UNITS_MAX)
    return false;
  op->pairs[origin] &= op->pairs[origin] - 1;
  return true;
}

static bool smaller_portions(op_t *op)
{
  bool changed = false;

  for (int i = 0; i < UNITS_MAX && op_has(op, HAS_SIZES); i++) {
    changed |= op->sizes[i] >= 128;
    if (op->sizes[i] >= 128)
      op->sizes[i] = op->sizes[i] / 128 * 64;
  }
  return changed;
}

static bool simplify(search_t *s, simplify_t *change)
{
  bool better = false;

  for (size_t i = s->list.n; i-- > 0 && now() < s->end;)
    while (i < s->list.n) {
      list_t candidate = copy(&s->list);

      if (!change(&candidate.op[i])) {
        list_free(&candidate);
        break;
      }
      if (!try(s, &s->job, &candidate))
        break;
      better = true;
    }
  return better;
}

static bool simplify_all(search_t *s)
{
  static simplify_t *const changes[] = { plain_local, plain_remote, private_buffer,
                                         by_call,     halve,        whole_instances,
                                         at_start,    fewer_pairs,  smaller_portions };
  bool                     better    = false;

  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
    better |= simplify(s, changes[i]);
  return better;
}

/* ---- all -------------------------------------------------------------------------------------------- */

/* Whether it fails at all, and how often it must be repeated: few times are quicker. */
static bool calibrate(search_t *s)
{
  static const unsigned times[] = { 1, 5, 30, 300 };

  for (size_t i = 0; i < sizeof times / sizeof times[0] && now() < s->end; i++) {
    int failed = 0, tried = 0;

    s->job.times   = times[i];
    s->job.seconds = 15;
    for (; tried < 3 && tried == failed; tried++)
      failed += fails(s, &s->job, &s->list);
    if (failed == tried)
      return true;
  }
  return fails(s, &s->job, &s->list);
}

/* What hangs would take all the time; the more units, the longer takes what does not. */
static void be_patient(search_t *s)
{
  unsigned units = (unsigned)s->list.shape.units, most = PATIENCE;

  if (units > UNITS_SMALL)
    most = PATIENCE * units / UNITS_SMALL;
  if (s->job.round_seconds > most)
    s->job.round_seconds = most;
}

bool shrink(job_t *job, list_t *list, double seconds)
{
  search_t s = { .job = *job, .list = copy(list), .end = now() + seconds };
  bool     found;

  be_patient(&s);
  found = calibrate(&s);
  if (found && s.list.shape.units > UNITS_SMALL)
    drop_units(&s);
  if (found) {
    while (now() < s.end) {
      bool better = drop_operations(&s);

      better |= drop_threads(&s);
      better |= drop_units(&s);
      better |= drop_nodes(&s);
      better |= drop_settings(&s);
      if (!simplify_all(&s) && !better)
        break;
    }
    list_free(list);
    *list        = s.list;
    *job         = s.job;
    job->list[0] = '\0';
  } else
    list_free(&s.list);
  return found;
}
