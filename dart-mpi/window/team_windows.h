#ifndef DART__MPI_WINDOW_TEAM_WINDOWS_H
#define DART__MPI_WINDOW_TEAM_WINDOWS_H
/* What MPI has of a team: its communicators and its windows.
 *
 * Most teams only synchronise, and MPI has few context ids, so a team costs no MPI object until it allocates. */
#include "model/team.h"
#include "mpi/call.h"
#include "window/window.h"

/* team->net */
typedef struct {
  MPI_Comm     comm;  /* the team's units in team order; made when it first allocates, as is ... */
  MPI_Comm     node;  /* ... that of this node's units; not for the pool */
  dart_unit_t *units; /* [node_nunits], room for the members of `node`, before it is made */
  dart__window_t *dynamic; /* memory without a static window is attached to it; NULL: one node */
  dart__windows_t windows; /* all of the team */
} dart__team_net_t;

static inline dart__team_net_t *dart__team_net(const dart__team_t *team)
{
  return team->net;
}

/** For dart__net. */
extern const struct dart__net_teams dart__team_windows;

/** The team's communicators, made at the first call; that of the node alone; and the dynamic window. Collective, the second
 *  over the node, after a barrier; agreed. DART_ERR_NOMEM: MPI has no more of them. */
dart_ret_t dart__team_connect(dart__team_t *team);
dart_ret_t dart__team_connect_node(dart__team_t *team);
dart_ret_t dart__team_open_dynamic(dart__team_t *team);

/** The worst of all units' results. Collective over a team that is connected. */
dart_ret_t dart__team_agree(const dart__team_t *team, dart_ret_t mine);

#endif
