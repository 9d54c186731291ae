/* See hang_table.h.
 *
 * The records alone show which unit waits for which. A unit in a collective waits for the members of its team that are
 * not in the same step of it. A unit that wants a lock waits for the units whose records say that they hold it. A
 * message and a flush name their unit. A counter names no unit. These waits form a graph. A unit that others wait for,
 * and that waits for no unit itself, blocks the others: it computes, or waits for an event that no unit is known to
 * cause. If there is no such unit, some units wait for each other in a circle. A walk from each unit to the first that
 * it waits for finds the circle. */
#include "hang_table.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "launch.h"

#define NONE UINT32_MAX

enum { SHOWN_UNITS = 8 }; /* of a list; the rest is a number */

typedef struct {
  const dart__record_t *record;
  dart__wait_seen_t    *seen;   /* of each unit */
  uint32_t             *first;  /* unit that it waits for, or NONE */
  uint32_t             *wanted; /* how many units wait for it */
  bool                 *holds;  /* it holds what it waits for */
  uint32_t              nunits;
  const char           *words;      /* printed before the first unit of the list */
  uint32_t              listed;     /* units in the list so far */
  uint32_t              looked_for; /* by `compare` */
  bool                  is_found;
  FILE                 *to;
} table_t;

/* Called for each unit for which another unit waits. */
typedef void visit_t(table_t *t, uint32_t unit, uint32_t target);

/* ---- which unit waits for which ------------------------------------------------------------------ */

static bool has_come(const table_t *t, uint32_t unit, const dart__wait_for_t *what)
{
  const dart__wait_for_t *other = &t->seen[unit].what;

  return other->kind == DART__WAIT_COLLECTIVE && other->team == what->team &&
         other->first == what->first && other->unit == what->unit;
}

/* Whether all members of the team are known. */
static bool are_known(const table_t *t, const dart__wait_for_t *what)
{
  uint64_t count = 0;

  for (uint32_t u = 0; u < t->nunits; u++)
    count += dart__waits_is_member(&t->record[u].waits, what->team);
  return count == what->last;
}

static void visit_absent(table_t *t, uint32_t unit, visit_t *visit)
{
  const dart__wait_for_t *what = &t->seen[unit].what;

  if (!are_known(t, what))
    return;
  for (uint32_t u = 0; u < t->nunits; u++)
    if (u != unit && dart__waits_is_member(&t->record[u].waits, what->team) &&
        !has_come(t, u, what))
      visit(t, unit, u);
}

static void visit_late(table_t *t, uint32_t unit, visit_t *visit)
{
  for (uint32_t u = 0; u < t->nunits; u++)
    if (t->record[u].waits.pid == 0)
      visit(t, unit, u);
}

/* Whether the entry holds what the unit waits for. If a unit holds several portions, only the newest is known. */
static bool is_of(const dart__hold_t *hold, const dart__wait_for_t *what)
{
  if (hold->team != what->team)
    return false;
  switch (what->kind) {
  case DART__WAIT_LOCK:
    return hold->kind == DART__HOLD_LOCK && hold->number == (int32_t)what->first;
  case DART__WAIT_RANGE: return hold->kind == DART__HOLD_RANGE && hold->number == what->unit;
  default:
    return hold->kind == DART__HOLD_EPOCH && hold->number == (int32_t)what->first &&
           hold->first == what->last;
  }
}

static bool holds(const dart__record_t *record, const dart__wait_for_t *what)
{
  dart_gptr_t word = { .unitid              = (dart_unit_t)(what->last >> 32),
                       .segid               = (int16_t)(uint32_t)what->last,
                       .teamid              = (int16_t)what->team,
                       .addr_or_offs.offset = what->first };

  if (what->kind == DART__WAIT_LOCK_AT)
    return dart__holds_word(&record->holds, word);
  for (int i = 0; i < DART__HOLDS; i++)
    if (is_of(&record->holds.entry[i], what) && dart__hold_is_held(&record->holds.entry[i]))
      return true;
  return false;
}

/* A unit may hold a lock that it waits for: another thread has it, or the unit acquires a lock in a word twice. A unit
 * that waits for a range or portion may hold others of the same object. */
static bool may_be_own(dart__wait_kind_t kind)
{
  return kind == DART__WAIT_LOCK || kind == DART__WAIT_LOCK_AT;
}

static void visit_holders(table_t *t, uint32_t unit, visit_t *visit)
{
  for (uint32_t u = 0; u < t->nunits; u++)
    if ((u != unit || may_be_own(t->seen[unit].what.kind)) &&
        holds(&t->record[u], &t->seen[unit].what))
      visit(t, unit, u);
}

static void visit_one(table_t *t, uint32_t unit, int64_t target, visit_t *visit)
{
  if (target >= 0 && target < (int64_t)t->nunits && target != (int64_t)unit)
    visit(t, unit, (uint32_t)target);
}

/* The units that have accesses to complete, as far as the record has bits for them. */
static void visit_origins(table_t *t, uint32_t unit, visit_t *visit)
{
  for (uint32_t u = 0; u < 64 && u < t->nunits; u++)
    if (u != unit && (t->seen[unit].what.last >> u & 1) != 0)
      visit(t, unit, u);
}

static void visit_targets(table_t *t, uint32_t unit, visit_t *visit)
{
  const dart__wait_for_t *what = &t->seen[unit].what;

  switch (what->kind) {
  case DART__WAIT_JOB: visit_late(t, unit, visit); break;
  case DART__WAIT_COLLECTIVE: visit_absent(t, unit, visit); break;
  case DART__WAIT_LOCK:
  case DART__WAIT_LOCK_AT:
  case DART__WAIT_RANGE:
  case DART__WAIT_PORTION: visit_holders(t, unit, visit); break;
  case DART__WAIT_ORIGINS: visit_origins(t, unit, visit); break;
  case DART__WAIT_SENDRECV: visit_one(t, unit, (int64_t)what->last, visit); /* fall through */
  case DART__WAIT_SEND:
  case DART__WAIT_RECV:
  case DART__WAIT_FENCE:
  case DART__WAIT_POST:
  case DART__WAIT_FLUSH: visit_one(t, unit, what->unit, visit); break;
  default: break;
  }
}

static void note_target(table_t *t, uint32_t unit, uint32_t target)
{
  if (target == unit) {
    t->holds[unit] = true;
    return;
  }
  if (t->first[unit] == NONE)
    t->first[unit] = target;
  t->wanted[target]++;
}

/* ---- the table ------------------------------------------------------------------------------------ */

/* A list of units, as "0, 3, 4 and 12 more". */
static void begin_list(table_t *t, const char *words)
{
  t->words  = words;
  t->listed = 0;
}

static void list_target(table_t *t, uint32_t unit, uint32_t target)
{
  (void)unit;
  if (t->listed++ < SHOWN_UNITS)
    fprintf(t->to, "%s%u", t->listed > 1 ? ", " : t->words, target);
}

static void end_list(const table_t *t)
{
  if (t->listed > SHOWN_UNITS)
    fprintf(t->to, " and %u more", t->listed - SHOWN_UNITS);
}

static void compare(table_t *t, uint32_t unit, uint32_t target)
{
  t->is_found = t->is_found || (target == t->looked_for && target != unit);
}

static bool waits_for(table_t *t, uint32_t unit, uint32_t target)
{
  t->looked_for = target;
  t->is_found   = false;
  visit_targets(t, unit, compare);
  return t->is_found;
}

static void list_targets(table_t *t, uint32_t unit, const char *words)
{
  begin_list(t, words);
  visit_targets(t, unit, list_target);
  end_list(t);
}

static void list_waiters(table_t *t, uint32_t target)
{
  begin_list(t, "");
  for (uint32_t u = 0; u < t->nunits; u++)
    if (waits_for(t, u, target))
      list_target(t, target, u);
  end_list(t);
}

/* What to print before the units that a wait is for. Waits for messages, flushes and posts name them already. */
static const char *words_of(dart__wait_kind_t kind)
{
  switch (kind) {
  case DART__WAIT_JOB:
  case DART__WAIT_COLLECTIVE: return "; missing: ";
  case DART__WAIT_ORIGINS: return "; not complete: ";
  case DART__WAIT_LOCK:
  case DART__WAIT_LOCK_AT:
  case DART__WAIT_RANGE:
  case DART__WAIT_PORTION: return "; held by ";
  default: return NULL;
  }
}

static void print_wait(table_t *t, uint32_t unit)
{
  const dart__wait_seen_t *seen  = &t->seen[unit];
  const char              *words = words_of(seen->what.kind);
  char                     text[160], held[128];

  if (t->record[unit].waits.pid <= 0) {
    fputs(t->record[unit].waits.pid == 0 ? "has not called dart_init\n" : "is lost\n", t->to);
    return;
  }
  dart__wait_describe(seen, text, sizeof text);
  fprintf(t->to, "%s", text);
  if (words != NULL)
    list_targets(t, unit, words);
  dart__holds_describe(&t->record[unit].holds, held, sizeof held);
  if (held[0] != '\0')
    fprintf(t->to, "; it holds %s", held);
  fputc('\n', t->to);
}

static void print_row(table_t *t, uint32_t unit)
{
  const dart__wait_seen_t *seen      = &t->seen[unit];
  char                     since[24] = "-";

  if (seen->what.kind != DART__WAIT_NONE && seen->since != 0)
    snprintf(since, sizeof since, "%" PRId64 " s", (dart__now_ns() - seen->since) / 1000000000);
  fprintf(t->to, "dartrun: %6u %8d %8s  ", unit, (int)t->record[unit].waits.pid, since);
  print_wait(t, unit);
}

/* ---- conclusions ---------------------------------------------------------------------------------- */

/* The unit for which most others wait, among those that wait for no unit. */
static uint32_t blocking_unit(const table_t *t)
{
  uint32_t blocking = NONE;

  for (uint32_t u = 0; u < t->nunits; u++)
    if (t->first[u] == NONE && t->wanted[u] > 0 &&
        (blocking == NONE || t->wanted[u] > t->wanted[blocking]))
      blocking = u;
  return blocking;
}

static bool waits_at_all(const table_t *t, uint32_t unit)
{
  return t->seen[unit].what.kind != DART__WAIT_NONE;
}

static void print_blocking(table_t *t, uint32_t blocking)
{
  fprintf(t->to, "dartrun: unit %u blocks the others: unit%s ", blocking,
          t->wanted[blocking] > 1 ? "s" : "");
  list_waiters(t, blocking);
  fprintf(t->to, " wait%s for it, and it %s\n", t->wanted[blocking] > 1 ? "" : "s",
          t->record[blocking].waits.pid == 0 ? "has not called dart_init"
          : t->holds[blocking]               ? "waits for a lock that it holds"
          : waits_at_all(t, blocking)        ? "waits for an event that no unit is known to cause"
                                             : "computes, or is in a call that is not DART's");
}

/* A walk of as many steps as there are units ends in a circle, or at a unit that waits for no unit. */
static uint32_t in_circle(const table_t *t)
{
  for (uint32_t u = 0; u < t->nunits; u++) {
    uint32_t at = u;

    for (uint32_t steps = 0; at != NONE && steps < t->nunits; steps++)
      at = t->first[at];
    if (at != NONE)
      return at;
  }
  return NONE;
}

static void print_circle(const table_t *t, uint32_t start)
{
  uint32_t at = start;

  fprintf(t->to, "dartrun: these units wait for each other: unit %u", start);
  do {
    at = t->first[at];
    fprintf(t->to, " for unit %u", at);
  } while (at != start);
  fputc('\n', t->to);
}

static void print_conclusion(table_t *t)
{
  uint32_t blocking = blocking_unit(t), circle = in_circle(t), waiting = 0;

  for (uint32_t u = 0; u < t->nunits; u++)
    waiting += waits_at_all(t, u);
  if (circle != NONE) /* units outside the circle cannot help */
    print_circle(t, circle);
  if (blocking != NONE)
    print_blocking(t, blocking);
  else if (circle == NONE && waiting == t->nunits)
    fprintf(t->to, "dartrun: all units wait for events that no unit is known to cause\n");
}

static void read_waits(table_t *t)
{
  for (uint32_t u = 0; u < t->nunits; u++) {
    t->seen[u]  = dart__waits_read(&t->record[u].waits);
    t->first[u] = NONE;
  }
  for (uint32_t u = 0; u < t->nunits; u++)
    visit_targets(t, u, note_target);
}

void table_print(const dart__record_t *record, uint32_t nunits)
{
  char   *text = NULL;
  size_t  size = 0;
  table_t t    = { .record = record,
                   .seen   = calloc(nunits, sizeof *t.seen),
                   .first  = calloc(nunits, sizeof *t.first),
                   .wanted = calloc(nunits, sizeof *t.wanted),
                   .holds  = calloc(nunits, sizeof *t.holds),
                   .nunits = nunits,
                   .to     = open_memstream(&text, &size) };

  if (t.seen != NULL && t.first != NULL && t.wanted != NULL && t.holds != NULL && t.to != NULL) {
    read_waits(&t);
    fprintf(t.to, "dartrun: what the units wait for\ndartrun: %6s %8s %8s  %s\n", "unit", "pid",
            "since", "waits for");
    for (uint32_t u = 0; u < nunits; u++)
      print_row(&t, u);
    print_conclusion(&t);
  }
  if (t.to != NULL && fclose(t.to) == 0)
    launch_write(STDERR_FILENO, text, size);
  free(text);
  free(t.holds);
  free(t.wanted);
  free(t.first);
  free(t.seen);
}
