/* A team is added while its members are read, and removed again if it is equal to an older one. */
#include "teams.h"

#include <stdlib.h>
#include <string.h>

enum { NIDS = 1 << 15 };

static void *room(void *old, size_t nbytes)
{
  void *bytes = realloc(old, nbytes > 0 ? nbytes : 1);

  if (bytes == NULL) {
    trace_say("out of memory");
    exit(1);
  }
  return bytes;
}

/* Add a team without members, and return its index. */
static size_t add_team(teams_t *teams, int16_t id, size_t nmembers)
{
  teams->team           = room(teams->team, (teams->n + 1) * sizeof teams->team[0]);
  teams->team[teams->n] = (team_t){ .id = id, .member = room(NULL, nmembers * sizeof(uint64_t)) };
  return teams->n++;
}

teams_t teams_make(size_t nunits)
{
  teams_t teams = { 0 };

  teams.of_id = room(NULL, NIDS * sizeof teams.of_id[0]);
  add_team(&teams, 0, nunits);
  for (uint64_t i = 0; i < nunits; i++)
    teams.team[0].member[teams.team[0].nmembers++] = i;
  teams_forget_ids(&teams);
  return teams;
}

void teams_free(teams_t *teams)
{
  for (size_t i = 0; i < teams->n; i++)
    free(teams->team[i].member);
  free(teams->team);
  free(teams->of_id);
}

/* Remove the last team. */
static void drop_last(teams_t *teams)
{
  free(teams->team[--teams->n].member);
}

void teams_forget_ids(teams_t *teams)
{
  if (teams->growing != 0) /* its file ended too early */
    drop_last(teams);
  teams->growing = 0;
  memset(teams->of_id, 0, NIDS * sizeof teams->of_id[0]);
}

/* The index of a team before `last` that is equal to it; `last` if there is none. */
static size_t same(const teams_t *teams, size_t last)
{
  const team_t *one = &teams->team[last];

  for (size_t i = 1; i < last; i++)
    if (teams->team[i].id == one->id && teams->team[i].nmembers == one->nmembers &&
        memcmp(teams->team[i].member, one->member, one->nmembers * sizeof one->member[0]) == 0)
      return i;
  return last;
}

void teams_add_member(teams_t *teams, const dart__trace_event_t *event)
{
  team_t *team;
  size_t  first;

  if (event->team <= 0)
    return;
  if (event->id == 0 && teams->growing != 0)
    drop_last(teams);
  if (event->id == 0)
    teams->growing = add_team(teams, event->team, event->bytes);
  team = &teams->team[teams->growing];
  if (teams->growing == 0 || team->id != event->team || team->nmembers != event->id)
    return; /* earlier members were dropped */
  team->member[team->nmembers++] = (uint32_t)event->unit;
  if (team->nmembers < event->bytes)
    return;
  first                     = same(teams, teams->growing);
  teams->of_id[event->team] = first;
  if (first != teams->growing)
    drop_last(teams);
  teams->growing = 0;
}
