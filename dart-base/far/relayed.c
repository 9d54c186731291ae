/* See relayed.h. */
#include "far/relayed.h"

#include "base/config.h"
#include "base/size.h"
#include "far/am/node_relay.h"
#include "model/lost.h"

/* The relays of a node together take this at most, where a node's share of it is a batch; less than a batch in jobs of
 * thousands of nodes. */
#define MOST_BYTES  ((size_t)16 << 20)
#define LEAST_WORDS ((size_t)64)

/* The most units that a node has. */
static int32_t widest_node(void)
{
  const int32_t *start = dart__world.nodes.start;
  int32_t        most  = 0;

  for (int32_t node = 0; node < dart__world.nodes.nnodes; node++)
    most = start[node + 1] - start[node] > most ? start[node + 1] - start[node] : most;
  return most;
}

static size_t words_of_each(void)
{
  size_t share = MOST_BYTES / (size_t)dart__world.nodes.nnodes / sizeof(uint64_t);

  return dart__least(DART__AM_WORDS, share);
}

bool dart__relayed_is_wanted(void)
{
  int32_t widest = widest_node(), nnodes = dart__world.nodes.nnodes;

  return dart__engine.by_agents && !dart__survives() && nnodes > 1 && widest > 1 &&
         (size_t)widest < DART__AM_NEAR_UNITS && words_of_each() >= LEAST_WORDS &&
         dart__world.nunits - widest >= dart__settings.relayed;
}

static struct dart__am_relay *(*find_relay)(int32_t node, size_t nbytes);

/* Nodes send to different units of a node, so that these share the work. */
static int32_t partner(int32_t node)
{
  const dart__placement_t *nodes  = &dart__world.nodes;
  int32_t                  nunits = nodes->start[node + 1] - nodes->start[node];

  return dart__placement_unit(nodes,
                              nodes->start[node] + dart__world_node(dart__world.me) % nunits);
}

void dart__relayed_open(struct dart__am_relay *(*find)(int32_t node, size_t nbytes))
{
  dart__am_relays_t relays = { .words   = words_of_each(),
                               .me      = dart__placement_rank(&dart__world.nodes, dart__world.me),
                               .partner = partner };

  find_relay = find;
  dart__am_use_relays(dart__engine.am, &relays);
  dart__engine.by_relays = true;
}

void dart__relayed_close(void)
{
  dart__engine.by_relays = false;
  dart__am_use_relays(dart__engine.am, NULL);
}

bool dart__relayed_find(dart_unit_t unit)
{
  int32_t           peer = dart__relayed_peer(unit);
  dart__am_relay_t *relay;

  if (__builtin_expect(dart__am_has_relay(dart__engine.am, peer), 1))
    return true;
  relay = find_relay(dart__world_node(unit), dart__am_relay_bytes(words_of_each()));
  if (relay != NULL)
    dart__am_use_relay(dart__engine.am, peer, relay);
  return relay != NULL;
}

uint64_t dart__relayed_update(const dart__address_t *at, uint64_t offset, uint64_t value,
                              dart_datatype_t type, dart_operation_t op)
{
  const dart__team_t *team = at->team;
  int32_t             node = dart__team_node_of(team, at->unit);
  dart__am_address_t  word = { .peer   = dart__am_node_peer(dart__engine.am, node),
                               .team   = team->id,
                               .segid  = at->segment->id,
                               .offset = offset };

  return dart__am_near_update(
      dart__engine.am, &word,
      (uint32_t)(dart__team_rank(team, at->unit) - dart__team_node_start(team, node)), value, type,
      op);
}
