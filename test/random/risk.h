#ifndef RANDOM_RISK_H
#define RANDOM_RISK_H
/* What the loss of some units can do to the operations of a round.
 *
 * Units derive it from the list before they begin, as they derive all else. *Doomed* units die at some moment of the round. An
 * operation of theirs may be executed, or a part of it, or nothing. One of a survivor may fail if it needs a doomed unit: its
 * memory, its part of a collective, what it sends, raises or writes. An actor that has waited in vain does not know what it has
 * to, so it leaves out what follows, and all of its later operations may be left out. Survivors that wait for it would do so for
 * ever: what it shares with other survivors alone is left out by all of them. All that such operations may write is
 * *spoiled*: nobody knows what is there. Everything else must be as if no unit had been lost. */
#include "op_access.h"

typedef enum {
  RISK_NONE,    /* it must succeed */
  RISK_FAILS,   /* it may return DART_ERR_UNIT_LOST, or not be executed */
  RISK_LEFT_OUT /* nobody executes it */
} risk_t;

/* A round with units that are doomed. */
typedef struct {
  uint64_t  doomed;
  bool      has_nodes; /* there are several */
  risk_t   *of;        /* each operation */
  access_t *spoiled;
  size_t    nspoiled, room;
} risks_t;

/** Derive `risks->of` and `risks->spoiled` for the `n` operations of a round, whose scene is that before the first. */
void risks_find(risks_t *risks, const scene_t *scene, const op_t *op, size_t n);

/** Whether a doomed unit is a member of the team. */
bool risks_have_team(const risks_t *risks, const scene_t *scene, int team);

/** Whether an operation that is under way may be dropped: some of its memory is a doomed unit's, or its epoch may fail. */
bool risks_may_drop(const risks_t *risks, const scene_t *scene, const op_t *op);

/** Whether a word that several update, or anything of a file but its bytes, is spoiled. */
bool risks_have_word(const risks_t *risks, int word);
bool risks_have_file(const risks_t *risks, int file);

#endif
