/* See far_team.h. */
#include "far/far_team.h"

#include <stdlib.h>

#include "base/sparse.h"
#include "model/lost.h"
#include "model/world.h"

/* Of the teams of most jobs, which are in one collective at a time. */
static _Alignas(64) char room_of_all[DART__TEAM_ROOM];

/* Two threads may be in two collectives; and one that is given up after a loss may leave data in its room that others read. */
static char *new_room(void)
{
  return dart__world.many_threads || dart__survives() ? malloc(DART__TEAM_ROOM) : room_of_all;
}

bool dart__far_team_prepare(dart__team_t *team)
{
  bool              leads  = dart__team_is_leader(team);
  size_t            nunits = (size_t)team->nunits, nnodes = leads ? (size_t)team->nnodes : 0;
  size_t            nbytes = nnodes * sizeof(dart__net_request_t) + (nnodes + 1) * sizeof(size_t);
  dart__far_team_t *far    = calloc(1, sizeof *far + nbytes);

  if (far == NULL)
    return false;
  pthread_mutex_init(&far->flushing, NULL);
  pthread_mutex_init(&far->touched_lock, NULL);
  far->unit   = dart__sparse_new(nunits, sizeof *far->unit + sizeof *far->touched);
  far->copies = dart__copies_new();
  if (far->unit != NULL)
    far->touched = (int32_t *)(far->unit + nunits);
  if (leads) {
    far->requests = (dart__net_request_t *)(far + 1);
    far->starts   = (size_t *)(far->requests + nnodes);
    far->room     = new_room();
  }
  team->far = far;
  if (far->unit != NULL && far->copies != NULL && (!leads || far->room != NULL))
    return true;
  dart__far_team_discard(team);
  return false;
}

void dart__far_team_discard(dart__team_t *team)
{
  dart__far_team_t *far = team->far;

  if (far == NULL)
    return;
  pthread_mutex_destroy(&far->flushing);
  pthread_mutex_destroy(&far->touched_lock);
  dart__sparse_delete(far->unit);
  dart__copies_delete(far->copies);
  if (far->room != room_of_all)
    free(far->room);
  free(far);
  team->far = NULL;
}
