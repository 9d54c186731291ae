#ifndef RANDOM_EXPLAIN_H
#define RANDOM_EXPLAIN_H
/* Whether what was fetched from a shared word can be explained.
 *
 * Which updates of others a fetch sees is open; but it sees all earlier ones of its own actor, those of
 * each other actor up to some point, and never fewer than the fetch before. In words of the family
 * FIELDS every actor's updates can be told apart, for each has bits of its own. */
#include "model.h"

typedef struct explain {
  scene_t       scene;                /* when the round began */
  unsigned char start[WORDS_MAX][16]; /* what words held */
} explain_t;

void explain_begin(explain_t *explain, model_t *model);

/** What an actor knows of a shared word. */
typedef struct {
  size_t        seen[ACTORS_MAX]; /* FIELDS, TURN: so many updates of each */
  unsigned char least[16];        /* EXTREME, LOGIC: what a fetch must contain */
} insight_t;

void insight_begin(insight_t *insight, const explain_t *explain, int word);

/** The next operation of `actor` on the word, ops[index] of the round, and what it fetched (NULL: nothing).
 *  NULL: it can be; or what is wrong with it. */
const char *explain_next(const explain_t *explain, insight_t *insight, const op_t *ops, size_t nops,
                         size_t index, const unsigned char *fetched);

#endif
