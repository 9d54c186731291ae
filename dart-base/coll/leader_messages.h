#ifndef DART__COLL_LEADER_MESSAGES_H
#define DART__COLL_LEADER_MESSAGES_H
/* Messages between the leaders of a team's nodes, of any size.
 *
 * All leaders pass the same collectives in the same order, and each collective determines who sends to
 * whom, so messages of a pair match by their order alone. Those of several teams are told apart by their tag, which has the
 * team's id, of which a unit never has two, nor one after the other; so a team needs no communicator of its own. Waits serve the
 * requests of far units. In a team that is broken (model/lost.h), or becomes it, calls return at once, and buffers are
 * undefined.
 *
 * The rest of the tag tells collectives apart, by the call, its size and its root: so units of different nodes that are in
 * different ones wait for each other, and do not take each other's data. A leader that waits long looks for a message of
 * another collective, and tells the leader for which it waits in which collective it does, and in which call. If either shows
 * that they are in different ones, it ends the job, after one line, which names both calls if the other leader waits for it,
 * too. Where both see it, the one of the lower node is first. Of several leaders that wait in a circle one names another that
 * waits for it. Only waits of a second and more cost messages. */
#include "model/team.h"
#include "net.h"

#define DART__NOBODY (-1)

/** Send to the leader of node `to` and receive from that of node `from`, which may be the same; either may be
 *  DART__NOBODY. Complete on return. */
void dart__nodes_exchange(dart__team_t *team, int32_t to, const void *send, size_t send_nbytes,
                          int32_t from, void *recv, size_t recv_nbytes);

/** Send to each other leader its block of `send`, or receive from each its block to `recv`: [starts[k],
 *  starts[k + 1]) is that of node k. */
void dart__nodes_send_blocks(dart__team_t *team, const char *send, const size_t *starts);
void dart__nodes_recv_blocks(dart__team_t *team, char *recv, const size_t *starts);

/** Both: block k of `send` to the leader of node k, whose block comes to block k of `recv`, which may be `send`. Own
 *  blocks stay. All blocks together fit DART__TEAM_ROOM. */
void dart__nodes_swap_blocks(dart__team_t *team, const char *send, char *recv, size_t nbytes);

/** In dart_exit, once all units have come: find data that a leader has sent in an earlier collective of any team, and that
 *  nobody has taken. False: none have come, or units are lost. */
bool dart__nodes_find_left(const dart__team_t *all, dart__net_message_t *left_out);

/** The team that a message of a leader is of; whether messages of a collective of this kind have that tag. Some kinds share
 *  one. */
dart_team_t dart__nodes_team_of(int tag);
bool        dart__nodes_has_tag(const dart__team_t *team, uint32_t kind, int tag);

#endif
