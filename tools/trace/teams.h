#ifndef DART_TOOLS_TEAMS_H
#define DART_TOOLS_TEAMS_H
/* Teams of all units' traces, each once. Different teams may have one id on different units, so a team is what its id
 * and its members are. */
#include <stddef.h>
#include <stdint.h>

#include "trace.h"

typedef struct {
  int16_t   id;
  uint64_t *member; /* global units, in the order of the team */
  size_t    nmembers;
} team_t;

typedef struct {
  team_t *team; /* 0: all units */
  size_t  n;
  size_t *
      of_id; /* for the file that is being read: the index of the team with an id; 0 if it is not known */
  size_t growing; /* the last team, whose members are coming; 0: none */
} teams_t;

/** With the team of `nunits` units alone; ends the program if there is no memory. */
teams_t teams_make(size_t nunits);

/** Give back their memory. */
void teams_free(teams_t *teams);

/** Another file is read: its ids mean nothing yet. */
void teams_forget_ids(teams_t *teams);

/** An event DART__TRACE_MEMBER, of which the file has one for each member, in their order. */
void teams_add_member(teams_t *teams, const dart__trace_event_t *event);

#endif /* DART_TOOLS_TEAMS_H */
