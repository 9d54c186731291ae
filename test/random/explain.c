/* See explain.h. */
#include "explain.h"

#include <string.h>

#include <dash/dart/if/dart_types.h>

#include "value.h"

void explain_begin(explain_t *explain, model_t *model)
{
  explain->scene = model->scene;
  for (int i = 0; i < WORDS_MAX; i++) {
    const scene_word_t *word = &model->scene.word[i];
    uint64_t            at   = word->at;

    if (word->alive)
      memcpy(explain->start[i], model_memory(model, word->seg, word->unit, &at)->data + at,
             type_size(word->type));
  }
}

void insight_begin(insight_t *insight, const explain_t *explain, int word)
{
  memset(insight, 0, sizeof *insight);
  memcpy(insight->least, explain->start[word], sizeof insight->least);
}

static bool is_update(const op_t *op, int word)
{
  return op_is_atomic(op) && op->word == word && op->oper != DART_OP_NO_OP;
}

static int actor_of(const op_t *op)
{
  return actor_number(op->unit, op->thread);
}

static bool is_same(const scene_word_t *word, const void *a, const void *b)
{
  return memcmp(a, b, value_meaning(word->type)) == 0;
}

/* ---- FIELDS -------------------------------------------------------------------------------- */

/* The field of an actor after so many of its updates; false: there are not so many. */
static bool field_after(const explain_t *explain, int w, const op_t *ops, size_t nops, int actor,
                        size_t count, uint64_t *field_out)
{
  scene_word_t word = explain->scene.word[w];

  for (size_t i = 0; i < nops && count > 0; i++)
    if (is_update(&ops[i], w) && actor_of(&ops[i]) == actor) {
      scene_field_after(&explain->scene, &word, &ops[i], &word.field[actor]);
      count--;
    }
  *field_out = word.field[actor];
  return count == 0;
}

/* Whether the actor's field may be `field`: after its updates so far, or any number that is not less. */
static bool match_field(const explain_t *explain, int w, const op_t *ops, size_t nops, int actor,
                        bool exactly, size_t *seen, uint64_t field)
{
  uint64_t after;

  for (size_t count = *seen; field_after(explain, w, ops, nops, actor, count, &after); count++) {
    if (after == field) {
      *seen = count;
      return true;
    }
    if (exactly)
      return false;
  }
  return false;
}

static const char *explain_fields(const explain_t *explain, insight_t *insight, const op_t *ops,
                                  size_t nops, const op_t *op, const unsigned char *fetched)
{
  const scene_word_t *word = &explain->scene.word[op->word];
  uint64_t            bits = (uint64_t)value_load(word->type, fetched), all = 0;
  actors_t            all_actors = scene_actors(&explain->scene);

  for (int actor = actors_next(&all_actors, 0); actor < ACTORS_MAX;
       actor     = actors_next(&all_actors, actor + 1)) {
    int low, width;

    width = scene_field(&explain->scene, word, actor, &low);
    if (width == 0)
      continue;
    all |= ((UINT64_C(1) << width) - 1) << low;
    if (!match_field(explain, op->word, ops, nops, actor, actor == actor_of(op),
                     &insight->seen[actor], bits >> low & ((UINT64_C(1) << width) - 1)))
      return actor == actor_of(op) ? "an own update is missing, or is there twice"
                                   : "the field of another actor has a value it never had since";
  }
  if (type_size(word->type) < 8) /* a signed one was extended */
    bits &= (UINT64_C(1) << 8 * type_size(word->type)) - 1;
  return (bits & ~all) == 0 ? NULL : "bits are set that belong to nobody";
}

/* ---- TURN ---------------------------------------------------------------------------------- */

/* What the word holds after so many replacements; false: there are not so many. */
static bool value_after(const explain_t *explain, int w, const op_t *ops, size_t nops, size_t count,
                        unsigned char value[16])
{
  memcpy(value, explain->start[w], 16);
  for (size_t i = 0; i < nops && count > 0; i++)
    if (is_update(&ops[i], w)) {
      model_operand(&explain->scene, &ops[i], 0, value);
      count--;
    }
  return count == 0;
}

static const char *explain_turn(const explain_t *explain, insight_t *insight, const op_t *ops,
                                size_t nops, const op_t *op, const unsigned char *fetched)
{
  const scene_word_t *word   = &explain->scene.word[op->word];
  int                 writer = word->writer;
  unsigned char       value[16];

  for (size_t i = 0; i < nops && writer < 0; i++)
    if (is_update(&ops[i], op->word))
      writer = actor_of(&ops[i]);
  for (size_t count = insight->seen[0]; value_after(explain, op->word, ops, nops, count, value);
       count++) {
    if (is_same(word, value, fetched)) {
      insight->seen[0] = count;
      return NULL;
    }
    if (actor_of(op) == writer)
      return "its own last value is not there";
  }
  return "a value that was never there since";
}

/* ---- EXTREME, LOGIC ------------------------------------------------------------------------ */

static bool is_an_operand(const explain_t *explain, int w, const op_t *ops, size_t nops,
                          const unsigned char *fetched)
{
  const scene_word_t *word = &explain->scene.word[w];
  unsigned char       operand[16];

  for (size_t i = 0; i < nops; i++) {
    if (!is_update(&ops[i], w))
      continue;
    model_operand(&explain->scene, &ops[i], 0, operand);
    if (is_same(word, operand, fetched))
      return true;
  }
  return is_same(word, explain->start[w], fetched);
}

/* The operator that all use, NO_OP if nobody does. */
static int operator_of(const op_t *ops, size_t nops, int w)
{
  for (size_t i = 0; i < nops; i++)
    if (is_update(&ops[i], w))
      return ops[i].oper;
  return DART_OP_NO_OP;
}

static const char *explain_monotone(const explain_t *explain, insight_t *insight, const op_t *ops,
                                    size_t nops, const op_t *op, const unsigned char *fetched)
{
  const scene_word_t *word = &explain->scene.word[op->word];
  int                 oper = operator_of(ops, nops, op->word);
  unsigned char       value[16];

  if (word->family == WORD_EXTREME && !is_an_operand(explain, op->word, ops, nops, fetched))
    return "a value that nobody gave";
  if (word->family == WORD_LOGIC && value_load(word->type, fetched) != 0 &&
      value_load(word->type, fetched) != 1)
    return "neither 0 nor 1";
  if (oper == DART_OP_LXOR)
    return NULL;
  memcpy(value, fetched, type_size(word->type));
  value_combine(word->type, oper, value, insight->least);
  if (!is_same(word, value, fetched))
    return "it does not contain an own update, or what was seen before";
  memcpy(insight->least, fetched, type_size(word->type));
  return NULL;
}

/* ---- all ----------------------------------------------------------------------------------- */

static void note_update(const explain_t *explain, insight_t *insight, const op_t *op)
{
  const scene_word_t *word = &explain->scene.word[op->word];
  unsigned char       operand[16];

  if (op->oper == DART_OP_NO_OP)
    return;
  insight->seen[word->family == WORD_TURN ? 0 : actor_of(op)]++;
  if (word->family != WORD_EXTREME && word->family != WORD_LOGIC)
    return;
  model_operand(&explain->scene, op, 0, operand);
  value_combine(word->type, op->oper, insight->least, operand);
}

const char *explain_next(const explain_t *explain, insight_t *insight, const op_t *ops, size_t nops,
                         size_t index, const unsigned char *fetched)
{
  const op_t *op  = &ops[index];
  const char *why = NULL;

  if (fetched != NULL)
    switch (explain->scene.word[op->word].family) {
    case WORD_FIELDS: why = explain_fields(explain, insight, ops, nops, op, fetched); break;
    case WORD_TURN: why = explain_turn(explain, insight, ops, nops, op, fetched); break;
    case WORD_PRODUCT: break;
    default: why = explain_monotone(explain, insight, ops, nops, op, fetched); break;
    }
  note_update(explain, insight, op);
  return why;
}
