/* See far_team.h. */
#include "far/far_team.h"

#include <stdlib.h>

#include "base/sparse.h"

static void delete_far(dart__far_team_t *far)
{
  pthread_mutex_destroy(&far->flushing);
  pthread_mutex_destroy(&far->touched_lock);
  dart__sparse_delete(far->unit);
  dart__copies_delete(far->copies);
  free(far->requests);
  free(far->starts);
  free(far->room);
  free(far);
}

bool dart__far_team_prepare(dart__team_t *team)
{
  size_t            nunits = (size_t)team->nunits, nnodes = (size_t)team->nnodes;
  dart__far_team_t *far = calloc(1, sizeof *far);

  if (far == NULL)
    return false;
  pthread_mutex_init(&far->flushing, NULL);
  pthread_mutex_init(&far->touched_lock, NULL);
  far->unit   = dart__sparse_new(nunits, sizeof *far->unit + sizeof *far->touched);
  far->copies = dart__copies_new();
  if (far->unit != NULL)
    far->touched = (int32_t *)(far->unit + nunits);
  if (dart__team_is_leader(team)) {
    far->requests = calloc(nnodes, sizeof *far->requests);
    far->starts   = calloc(nnodes + 1, sizeof *far->starts);
    far->room     = malloc(DART__TEAM_ROOM);
  }
  team->far = far;
  if (far->unit != NULL && far->copies != NULL &&
      ((far->requests != NULL && far->starts != NULL && far->room != NULL) ||
       !dart__team_is_leader(team)))
    return true;
  dart__far_team_discard(team);
  return false;
}

void dart__far_team_discard(dart__team_t *team)
{
  if (team->far != NULL)
    delete_far(team->far);
  team->far = NULL;
}
