#ifndef RANDOM_ORDER_H
#define RANDOM_ORDER_H
/* Who knows what of whom: vector clocks, and which operations hand them on. */
#include "scene.h"

typedef struct {
  uint32_t clock[ACTORS_MAX]; /* what is known of each actor: its last event */
} knowledge_t;

/** `to` knows what `from` knows, too. */
void knowledge_learn(knowledge_t *to, const knowledge_t *from);

/** All readers know what all writers know. Sets of actors. */
void knowledge_tell(knowledge_t know[ACTORS_MAX], const actors_t *writers, const actors_t *readers);

/** Something happens to these actors. */
void knowledge_event(knowledge_t know[ACTORS_MAX], const actors_t *actors);

/** What an operation orders by itself: collectives as their data goes, those that move nothing order
 *  nothing; messages. */
void order_apply(const scene_t *scene, knowledge_t know[ACTORS_MAX], const op_t *op);

#endif
