/* See text.h: operations from text. */
#include <string.h>

#include <dash/dart/ext/dart_basic.h>

#include "text.h"

static int look_up(const char *text, size_t n, const char *(*name)(int), int most)
{
  for (int i = 0; i <= most; i++)
    if (strlen(name(i)) == n && strncmp(name(i), text, n) == 0)
      return i;
  return -1;
}

static bool take_base(const char **text, layout_t *layout)
{
  size_t n = strcspn(*text, ",)");
  int    basic, used;

  if (sscanf(*text, "custom%u%n", &layout->custom, &used) == 1) {
    *text += used;
    return layout->custom > 0;
  }
  basic         = look_up(*text, n, text_type, DART_TYPE_BASIC_END - 1);
  layout->basic = basic;
  *text += n;
  return basic > 0;
}

static bool take_blocks(const char *text, layout_t *layout)
{
  int used;

  for (; *text == ',' && layout->nblocks < LAYOUT_BLOCKS_MAX; text += used) {
    uint32_t i = layout->nblocks++;

    if (sscanf(text, ",%u@%u%n", &layout->len[i], &layout->off[i], &used) != 2)
      return false;
  }
  return *text == ')' && layout_instance(layout) > 0;
}

static bool take_layout(const char *text, layout_t *layout)
{
  memset(layout, 0, sizeof *layout);
  if (strncmp(text, "strided(", 8) != 0 && strncmp(text, "indexed(", 8) != 0)
    return take_base(&text, layout);
  layout->kind = text[0] == 's' ? LAYOUT_STRIDED : LAYOUT_INDEXED;
  text += 8;
  if (!take_base(&text, layout))
    return false;
  if (layout->kind == LAYOUT_INDEXED)
    return take_blocks(text, layout);
  return sscanf(text, ",%u,%u)", &layout->stride, &layout->blocklen) == 2 && layout->blocklen > 0 &&
         layout->stride >= layout->blocklen;
}

static bool take_units(const char *text, uint64_t *units)
{
  int unit, used;

  *units = 0;
  while (sscanf(text, "%d%n", &unit, &used) == 1 && unit >= 0 && unit < UNITS_MAX) {
    *units |= unit_set(unit);
    text += used;
    if (*text++ != ',')
      return true;
  }
  return *text == '\0';
}

/* Targets of one origin: units and ranges of units, as 1+4-7. */
static bool take_targets(const char **text, uint64_t *targets)
{
  int first, last, used;

  do {
    if (sscanf(*text, "%d%n", &first, &used) != 1)
      return false;
    *text += used;
    last = first;
    if (**text == '-') {
      if (sscanf(*text, "-%d%n", &last, &used) != 1)
        return false;
      *text += used;
    }
    if (first < 0 || last < first || last >= UNITS_MAX)
      return false;
    *targets |= units_below(last + 1) & ~units_below(first);
  } while (*(*text)++ == '+');
  (*text)--;
  return true;
}

static bool take_pairs(const char *text, op_t *op)
{
  int origin, used = 0;

  memset(op->pairs, 0, sizeof op->pairs);
  for (; sscanf(text, "%d>%n", &origin, &used) == 1; text += *text == ',') {
    if (used == 0 || origin < 0 || origin >= UNITS_MAX)
      return false;
    text += used;
    used = 0;
    if (!take_targets(&text, &op->pairs[origin]))
      return false;
  }
  return *text == '\0';
}

static bool take_sizes(const char *text, op_t *op)
{
  long long size;
  int       used;

  for (int i = 0; i < UNITS_MAX; i++) {
    if (sscanf(text, "%lld%n", &size, &used) != 1)
      return i > 0;
    op->sizes[i] = size;
    text += used;
    text += *text == ',';
  }
  return true;
}

static bool take_ops(const char *text, op_t *op)
{
  int used;

  for (op->nops = 0; op->nops < OP_LIST_MAX; op->nops++) {
    if (sscanf(text, "%u%n", &op->ops[op->nops], &used) != 1)
      break;
    text += used;
    text += *text == ',';
  }
  return op->nops > 0;
}

static bool take_how(const char *text, op_t *op)
{
  const char *word = op_kinds[op->kind].hows;

  for (op->how = 0; *word != '\0'; op->how++) {
    size_t n = strcspn(word, " ");

    if (strlen(text) == n && strncmp(word, text, n) == 0)
      return true;
    word += n + (word[n] == ' ');
  }
  op->how = 0;
  return op_kinds[op->kind].hows[0] == '\0';
}

static bool take_field(const char *text, op_t *op, field_t field)
{
  unsigned long long number = 0;
  bool               good;

  switch (field) {
  case HAS_BY: return sscanf(text, "%d.%d", &op->unit, &op->thread) == 2;
  case HAS_PEER: return sscanf(text, "%d.%d", &op->peer, &op->peer_thread) == 2;
  case HAS_TEAM: return sscanf(text, "t%d", &op->team) == 1;
  case HAS_OF: return sscanf(text, "t%d", &op->of) == 1;
  case HAS_SEG: return sscanf(text, "s%d", &op->seg) == 1;
  case HAS_TO:
    good   = sscanf(text, "s%d:%d+%llu", &op->seg, &op->to, &number) == 3;
    op->at = number;
    return good;
  case HAS_HERE:
    good        = sscanf(text, "s%d+%llu", &op->here, &number) == 2;
    op->here_at = number;
    return good;
  case HAS_LOCK: return sscanf(text, "l%d", &op->lock) == 1;
  case HAS_RANGE: return sscanf(text, "r%d", &op->range) == 1;
  case HAS_FILE: return sscanf(text, "f%d", &op->file) == 1;
  case HAS_AT:
    good   = sscanf(text, "%llu", &number) == 1;
    op->at = number;
    return good;
  case HAS_COUNTER: return sscanf(text, "c%d", &op->counter) == 1;
  case HAS_WORD: return sscanf(text, "w%d", &op->word) == 1;
  case HAS_ALLOCATOR: return sscanf(text, "a%d", &op->allocator) == 1;
  case HAS_N:
    good  = sscanf(text, "%llu", &number) == 1;
    op->n = number;
    return good;
  case HAS_VALUE:
    good      = sscanf(text, "%llu", &number) == 1;
    op->value = number;
    return good;
  case HAS_LOCAL: return take_layout(text, &op->local);
  case HAS_REMOTE: return take_layout(text, &op->remote);
  case HAS_TYPE:
    return (op->type = look_up(text, strlen(text), text_type, DART_TYPE_BASIC_END - 1)) > 0;
  case HAS_OPER: return (op->oper = look_up(text, strlen(text), text_oper, OPER_MERGE)) > 0;
  case HAS_ROOT: return sscanf(text, "%d", &op->root) == 1;
  case HAS_SHIFT: return sscanf(text, "%d", &op->shift) == 1;
  case HAS_TAG: return sscanf(text, "%d", &op->tag) == 1;
  case HAS_HOW: return take_how(text, op);
  case HAS_FORM: return op->is_inline = strcmp(text, "inline") == 0;
  case HAS_UNITS: return take_units(text, &op->units);
  case HAS_PAIRS: return take_pairs(text, op);
  case HAS_SIZES: return take_sizes(text, op);
  case HAS_OPS: return take_ops(text, op);
  }
  return false;
}

static bool take_word(const char *word, op_t *op)
{
  size_t n = strcspn(word, "=");

  for (int i = 0; i < TEXT_FIELDS; i++)
    if (op_has(op, text_fields[i].field) && strlen(text_fields[i].name) == n &&
        strncmp(text_fields[i].name, word, n) == 0)
      return word[n] == '=' && take_field(word + n + 1, op, text_fields[i].field);
  return false;
}

static bool take_kind(const char *name, op_t *op)
{
  for (int kind = 0; kind < NKINDS; kind++)
    if (strcmp(op_kinds[kind].name, name) == 0) {
      *op = op_new((kind_t)kind);
      return true;
    }
  return false;
}

bool text_parse_op(const char *line, op_t *op_out, const char **why_out)
{
  char     copy[TEXT_MAX], name[32], *word, *rest;
  uint32_t id;
  int      used;

  *why_out = "no number and name of an operation";
  if (sscanf(line, "%u %31s%n", &id, name, &used) != 2 || !take_kind(name, op_out))
    return false;
  op_out->id = id;
  snprintf(copy, sizeof copy, "%s", line + used);
  for (word = strtok_r(copy, " \t\r\n", &rest); word != NULL;
       word = strtok_r(NULL, " \t\r\n", &rest)) {
    *why_out = "a field that the operation does not have, or that means nothing";
    if (!take_word(word, op_out))
      return false;
  }
  return true;
}

bool text_parse_shape(const char *line, shape_t *shape_out)
{
  unsigned long long salt;

  if (sscanf(line, "shape units=%d threads=%d salt=%llu", &shape_out->units, &shape_out->threads,
             &salt) != 3)
    return false;
  shape_out->salt = salt;
  return shape_out->units >= 1 && shape_out->units <= UNITS_MAX && shape_out->threads >= 1 &&
         shape_out->threads <= THREADS_MAX;
}

static bool is_for_others(const char *line)
{
  return line[0] == '#' || line[0] == '\n' || strncmp(line, "set ", 4) == 0 ||
         strncmp(line, "nodes ", 6) == 0 || strncmp(line, "backend ", 8) == 0;
}

bool text_read(const char *path, list_t *list_out)
{
  FILE       *from = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
  char        line[TEXT_MAX + 2];
  const char *why  = "cannot be read";
  bool        good = from != NULL;
  op_t        op;
  int         number;

  memset(list_out, 0, sizeof *list_out);
  for (number = 1; good && fgets(line, sizeof line, from) != NULL; number++) {
    if (is_for_others(line) || text_parse_shape(line, &list_out->shape))
      continue;
    good = text_parse_op(line, &op, &why);
    if (good)
      list_add(list_out, &op);
  }
  if (from != NULL && from != stdin)
    fclose(from);
  if (good && list_out->shape.units == 0) {
    why  = "there is no shape";
    good = false;
  }
  if (!good)
    fprintf(stderr, "random: %s:%d: %s\n", path, number - 1, why);
  return good;
}
