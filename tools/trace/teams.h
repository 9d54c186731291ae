#ifndef DART_TOOLS_TEAMS_H
#define DART_TOOLS_TEAMS_H
/* The teams in all units' traces, each once. Different units may use one id for different teams, so a team is its id
 * and its members. */
#include <stddef.h>
#include <stdint.h>

#include "trace.h"

typedef struct {
  int16_t   id;
  uint64_t *member; /* global units, in the order of the team */
  size_t    nmembers;
} team_t;

typedef struct {
  team_t *team; /* index 0: all units */
  size_t  n;
  size_t *of_id;   /* in the current file, the team of an id; 0: not known */
  size_t  growing; /* the last team, if its members are being read; 0: none */
} teams_t;

/** Only the team of all `nunits` units. Ends the program if there is no memory. */
teams_t teams_make(size_t nunits);

/** Free the teams. */
void teams_free(teams_t *teams);

/** Another file begins: none of its ids is known yet. */
void teams_forget_ids(teams_t *teams);

/** Handle an event DART__TRACE_MEMBER. A file has one for each member, in their order. */
void teams_add_member(teams_t *teams, const dart__trace_event_t *event);

#endif /* DART_TOOLS_TEAMS_H */
