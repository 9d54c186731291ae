/* See text.h: operations to text. */
#include "text.h"

#include <stdarg.h>
#include <string.h>

#include <dash/dart/ext/dart_basic.h>
#include <dash/dart/if/dart_types.h>

#include "value.h"

const char *text_type(int basic)
{
  static const char *const names[DART_TYPE_BASIC_END] = {
    "?",        "BYTE",      "SHORT", "INT",           "UINT",           "LONG", "ULONG",
    "LONGLONG", "ULONGLONG", "FLOAT", "DOUBLE",        "LONG_DOUBLE",    "?",    "INT8",
    "UINT8",    "UINT16",    "BOOL",  "FLOAT_COMPLEX", "DOUBLE_COMPLEX",
  };

  return basic >= 0 && basic < (int)DART_TYPE_BASIC_END ? names[basic] : "?";
}

const char *text_oper(int oper)
{
  static const char *const names[DART_OP_LAST] = { "?",    "MIN",  "MAX",     "MINMAX", "SUM",
                                                   "PROD", "BAND", "LAND",    "BOR",    "LOR",
                                                   "BXOR", "LXOR", "REPLACE", "NO_OP" };

  if (oper == OPER_AFFINE)
    return "AFFINE";
  if (oper == OPER_MERGE)
    return "MERGE";
  return oper >= 0 && oper < (int)DART_OP_LAST ? names[oper] : "?";
}

/* ---- to text ------------------------------------------------------------------------------ */

typedef struct {
  char  *line;
  size_t used;
} out_t;

static void __attribute__((format(printf, 2, 3))) say(out_t *out, const char *format, ...)
{
  size_t  room = TEXT_MAX - out->used;
  va_list args;
  int     n;

  va_start(args, format);
  n = vsnprintf(out->line + out->used, room, format, args);
  va_end(args);
  if (n > 0)
    out->used += (size_t)n < room ? (size_t)n : room - 1;
}

static void say_base(out_t *out, const layout_t *layout)
{
  if (layout->basic != 0)
    say(out, "%s", text_type(layout->basic));
  else
    say(out, "custom%u", layout->custom);
}

static void say_layout(out_t *out, const layout_t *layout)
{
  if (layout->kind == LAYOUT_RUN) {
    say_base(out, layout);
    return;
  }
  say(out, layout->kind == LAYOUT_STRIDED ? "strided(" : "indexed(");
  say_base(out, layout);
  if (layout->kind == LAYOUT_STRIDED)
    say(out, ",%u,%u", layout->stride, layout->blocklen);
  else
    for (uint32_t i = 0; i < layout->nblocks; i++)
      say(out, ",%u@%u", layout->len[i], layout->off[i]);
  say(out, ")");
}

static void say_units(out_t *out, uint64_t units)
{
  const char *comma = "";

  for (int i = 0; i < UNITS_MAX; i++)
    if (units_have(units, i)) {
      say(out, "%s%d", comma, i);
      comma = ",";
    }
}

/* Units and ranges of units. */
static void say_targets(out_t *out, uint64_t targets)
{
  const char *plus = "";

  for (int first = 0, last; first < UNITS_MAX; first = last + 1) {
    last = first;
    if (!units_have(targets, first))
      continue;
    while (last + 1 < UNITS_MAX && units_have(targets, last + 1))
      last++;
    say(out, last > first ? "%s%d-%d" : "%s%d", plus, first, last);
    plus = "+";
  }
}

static void say_pairs(out_t *out, const op_t *op)
{
  const char *comma = "";

  for (int origin = 0; origin < UNITS_MAX; origin++)
    if (op->pairs[origin] != 0) {
      say(out, "%s%d>", comma, origin);
      say_targets(out, op->pairs[origin]);
      comma = ",";
    }
}

static bool has_pairs(const op_t *op)
{
  for (int origin = 0; origin < UNITS_MAX; origin++)
    if (op->pairs[origin] != 0)
      return true;
  return false;
}

static void say_how(out_t *out, const op_t *op)
{
  const char *word = op_kinds[op->kind].hows;

  for (int i = 0; i < op->how && *word != '\0'; i++)
    word += strcspn(word, " ") + 1;
  say(out, "%.*s", (int)strcspn(word, " "), word);
}

/* Whether there is a size from unit i on: the rest is 0. */
static bool has_more(const op_t *op, int i)
{
  while (i < UNITS_MAX && op->sizes[i] == 0)
    i++;
  return i < UNITS_MAX;
}

static void say_field(out_t *out, const op_t *op, field_t field)
{
  switch (field) {
  case HAS_BY: say(out, "%d.%d", op->unit, op->thread); break;
  case HAS_PEER: say(out, "%d.%d", op->peer, op->peer_thread); break;
  case HAS_TEAM: say(out, "t%d", op->team); break;
  case HAS_OF: say(out, "t%d", op->of); break;
  case HAS_SEG: say(out, "s%d", op->seg); break;
  case HAS_TO: say(out, "s%d:%d+%llu", op->seg, op->to, (unsigned long long)op->at); break;
  case HAS_HERE: say(out, "s%d+%llu", op->here, (unsigned long long)op->here_at); break;
  case HAS_LOCK: say(out, "l%d", op->lock); break;
  case HAS_RANGE: say(out, "r%d", op->range); break;
  case HAS_FILE: say(out, "f%d", op->file); break;
  case HAS_AT: say(out, "%llu", (unsigned long long)op->at); break;
  case HAS_COUNTER: say(out, "c%d", op->counter); break;
  case HAS_WORD: say(out, "w%d", op->word); break;
  case HAS_ALLOCATOR: say(out, "a%d", op->allocator); break;
  case HAS_N: say(out, "%llu", (unsigned long long)op->n); break;
  case HAS_LOCAL: say_layout(out, &op->local); break;
  case HAS_REMOTE: say_layout(out, &op->remote); break;
  case HAS_TYPE: say(out, "%s", text_type(op->type)); break;
  case HAS_OPER: say(out, "%s", text_oper(op->oper)); break;
  case HAS_VALUE: say(out, "%llu", (unsigned long long)op->value); break;
  case HAS_ROOT: say(out, "%d", op->root); break;
  case HAS_SHIFT: say(out, "%d", op->shift); break;
  case HAS_TAG: say(out, "%d", op->tag); break;
  case HAS_FORM: say(out, "inline"); break;
  case HAS_HOW: say_how(out, op); break;
  case HAS_UNITS: say_units(out, op->units); break;
  case HAS_PAIRS: say_pairs(out, op); break;
  case HAS_SIZES:
    for (int i = 0; i < UNITS_MAX && (i == 0 || has_more(op, i)); i++)
      say(out, "%s%lld", i > 0 ? "," : "", (long long)op->sizes[i]);
    break;
  case HAS_OPS:
    for (int i = 0; i < op->nops; i++)
      say(out, "%s%u", i > 0 ? "," : "", op->ops[i]);
    break;
  }
}

const text_field_t text_fields[TEXT_FIELDS] = {
  { HAS_BY, "by" },          { HAS_PEER, "peer" },   { HAS_WORD, "word" },
  { HAS_LOCK, "lock" },      { HAS_RANGE, "range" }, { HAS_COUNTER, "counter" },
  { HAS_ALLOCATOR, "from" }, { HAS_SEG, "seg" },     { HAS_FILE, "file" },
  { HAS_AT, "at" },          { HAS_TEAM, "team" },   { HAS_OF, "of" },
  { HAS_TO, "to" },          { HAS_N, "n" },         { HAS_LOCAL, "local" },
  { HAS_REMOTE, "remote" },  { HAS_HERE, "here" },   { HAS_TYPE, "type" },
  { HAS_OPER, "op" },        { HAS_VALUE, "value" }, { HAS_ROOT, "root" },
  { HAS_SHIFT, "shift" },    { HAS_TAG, "tag" },     { HAS_UNITS, "units" },
  { HAS_PAIRS, "pairs" },    { HAS_SIZES, "sizes" }, { HAS_OPS, "ops" },
  { HAS_HOW, "how" },        { HAS_FORM, "form" },
};

void text_op(const op_t *op, char line[TEXT_MAX])
{
  out_t out = { line, 0 };

  say(&out, "%u %s", op->id, op_kinds[op->kind].name);
  for (int i = 0; i < TEXT_FIELDS; i++) {
    field_t field = text_fields[i].field;

    if (!op_has(op, field) || (field == HAS_HERE && op->here < 0) ||
        (field == HAS_WORD && op->word < 0) || (field == HAS_PAIRS && !has_pairs(op)) ||
        (field == HAS_FORM && !op->is_inline) || (field == HAS_OPER && op->oper == 0))
      continue;
    say(&out, " %s=", text_fields[i].name);
    say_field(&out, op, field);
  }
}

void text_shape(const shape_t *shape, char line[TEXT_MAX])
{
  out_t out = { line, 0 };

  say(&out, "shape units=%d threads=%d salt=%llu", shape->units, shape->threads,
      (unsigned long long)shape->salt);
}

void text_print(FILE *to, const list_t *list)
{
  char line[TEXT_MAX];

  text_shape(&list->shape, line);
  fprintf(to, "%s\n", line);
  for (size_t i = 0; i < list->n; i++) {
    text_op(&list->op[i], line);
    fprintf(to, "%s\n", line);
  }
}
