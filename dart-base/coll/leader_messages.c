/* See leader_messages.h. */
#include "coll/leader_messages.h"

#include <string.h>

#include "far/engine.h"
#include "far/far_team.h"
#include "net.h"

/* The leader of a node, as a peer. */
static dart_unit_t leader(const dart__team_t *team, int32_t node)
{
  return dart__team_member(team, dart__team_unit_at(team, dart__team_node_start(team, node)));
}

static void send_to(const dart__team_t *team, int32_t node, const void *send, size_t nbytes,
                    dart__net_request_t *request)
{
  dart__net_send(dart__engine.comm, leader(team, node), DART__CHANNEL_LEADERS, team->id, send,
                 nbytes, request);
}

static void recv_from(const dart__team_t *team, int32_t node, void *recv, size_t nbytes,
                      dart__net_request_t *request)
{
  dart__net_recv(dart__engine.comm, leader(team, node), DART__CHANNEL_LEADERS, team->id, recv,
                 nbytes, request);
}

void dart__nodes_exchange(dart__team_t *team, int32_t to, const void *send, size_t send_nbytes,
                          int32_t from, void *recv, size_t recv_nbytes)
{
  dart__net_request_t sent = DART__NET_DONE, received = DART__NET_DONE;

  if (from != DART__NOBODY)
    recv_from(team, from, recv, recv_nbytes, &received);
  if (to != DART__NOBODY)
    send_to(team, to, send, send_nbytes, &sent);
  if (from != DART__NOBODY)
    dart__engine_wait_by(&team->wait, &received);
  if (to != DART__NOBODY)
    dart__engine_wait_by(&team->wait, &sent);
}

static void wait_for_requests(dart__team_t *team, dart__net_request_t *requests, int32_t n)
{
  for (int32_t i = 0; i < n; i++)
    dart__engine_wait_by(&team->wait, &requests[i]);
}

/* ---- to or from all others at a time --------------------------------------------------------- */

static void wait_for_all(dart__team_t *team)
{
  dart__net_request_t *request = dart__far_team(team)->requests;

  for (int32_t node = 0; node < team->nnodes; node++)
    if (node != team->node)
      dart__engine_wait_by(&team->wait, &request[node]);
}

void dart__nodes_send_blocks(dart__team_t *team, const char *send, const size_t *starts)
{
  for (int32_t node = 0; node < team->nnodes; node++)
    if (node != team->node)
      send_to(team, node, send + starts[node], starts[node + 1] - starts[node],
              &dart__far_team(team)->requests[node]);
  wait_for_all(team);
}

void dart__nodes_recv_blocks(dart__team_t *team, char *recv, const size_t *starts)
{
  for (int32_t node = 0; node < team->nnodes; node++)
    if (node != team->node)
      recv_from(team, node, recv + starts[node], starts[node + 1] - starts[node],
                &dart__far_team(team)->requests[node]);
  wait_for_all(team);
}

#define AT_A_TIME 8 /* more messages to be sent may find no room in the network */

/* Each begins with the leader of the next node, so that not all send to one at a time. */
void dart__nodes_swap_blocks(dart__team_t *team, const char *send, char *recv, size_t nbytes)
{
  dart__net_request_t received[AT_A_TIME], sent[AT_A_TIME];
  int32_t             n = team->nnodes;

  if (send == recv)
    send = memcpy(dart__far_team(team)->room, recv, (size_t)n * nbytes);
  for (int32_t step = 1, count; step < n; step += count) {
    count = n - step < AT_A_TIME ? n - step : AT_A_TIME;
    for (int32_t i = 0; i < count; i++) {
      int32_t node = (team->node + n - step - i) % n;

      recv_from(team, node, recv + (size_t)node * nbytes, nbytes, &received[i]);
    }
    for (int32_t i = 0; i < count; i++) {
      int32_t node = (team->node + step + i) % n;

      send_to(team, node, send + (size_t)node * nbytes, nbytes, &sent[i]);
    }
    wait_for_requests(team, received, count);
    wait_for_requests(team, sent, count);
  }
}
