#ifndef DART__TEAM_HOSTS_H
#define DART__TEAM_HOSTS_H
/* The hardware of units on several hosts.
 *
 * Nodes mostly have the same hardware, and the same numbers of units. So each has its host name and the fingerprint of
 * its shape: the machine, and which processors its units may use. Shapes that differ are there once: all units take what
 * the first node of a shape has found for what is on each, so that all have the same trees. All this is in the pool of
 * each node's leader, once for the units of the node. */
#include "model/team.h"
#include "topology/hardware.h"

/** Gather it. Collective over the team of all units, which has several nodes; agreed. DART_ERR_NOMEM. */
dart_ret_t dart__hosts_gather(dart__team_t *all);
void       dart__hosts_forget(void);

/** Whether it was gathered. */
bool dart__hosts_are_known(void);

/** Describe the units of a node, in their order on it. They share processors; others may follow. To be freed; NULL: no
 *  memory. */
dart__hardware_t *dart__hosts_describe_node(const dart__team_t *all, int32_t node);

/** The hardware that this node's units have found, in their order. */
const dart__hardware_t *dart__hosts_here(void);

/** How many units may use the processors of this one. Hosts are compared, not nodes: a machine may be divided into
 *  several nodes, which share its processors. */
uint32_t dart__hosts_sharing(const dart__team_t *all);

#endif
