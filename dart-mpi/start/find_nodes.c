/* See find_nodes.h.
 *
 * MPI finds the nodes by blocking collectives, in which units that share cores wait for each other's time slices: for half
 * a second, if they are 8 on two. So it is asked only where nothing else tells: units of one host know from the launcher
 * that they are all, and how the host is divided, and units of several hosts tell one another theirs. */
#include "start/find_nodes.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/config.h"
#include "base/kernel.h"
#include "model/world.h"
#include "mpi/comm.h"
#include "mpi/vendor.h"
#include "net.h"
#include "window/window.h"

/* How the nodes are found. All units take the last of these that one of them names. */
typedef enum { ALL_ON_ONE, ROUND_ROBIN, BY_HOST, BY_MPI } finding_t;

/* Nodes into which one host is divided; at most 1: it is not. */
static int parts_of_host(void)
{
  int parts = dart__vendor_nodes();

  return parts > 1 ? parts : (int)dart__settings.nodes;
}

static finding_t choose_finding(void)
{
  bool is_divided = parts_of_host() > 1;

  if (dart__vendor_nodes() < 0)
    return BY_MPI;
  if (!dart__vendor_is_one_host(dart__world.nunits))
    return is_divided ? BY_MPI : BY_HOST;
  return is_divided ? ROUND_ROBIN : ALL_ON_ONE;
}

/* ---- by hosts --------------------------------------------------------------------------------------- */

typedef struct {
  uint64_t host;
  int32_t  unit;
} place_t;

static int by_host(const void *left, const void *right)
{
  const place_t *a = left, *b = right;

  return a->host != b->host ? (a->host > b->host) - (a->host < b->host)
                            : (a->unit > b->unit) - (a->unit < b->unit);
}

static void number_hosts(place_t *place)
{
  int32_t first = 0;

  qsort(place, (size_t)dart__world.nunits, sizeof *place, by_host);
  for (int32_t i = 0; i < dart__world.nunits; i++) {
    if (place[i].host != place[first].host)
      first = i;
    dart__world.node_of[place[i].unit] = place[first].unit;
  }
}

/* Agreed. */
static dart_ret_t find_by_host(void)
{
  uint64_t    own   = dart__host_number();
  uint64_t   *hosts = malloc((size_t)dart__world.nunits * sizeof *hosts);
  place_t    *place = malloc((size_t)dart__world.nunits * sizeof *place);
  int32_t     ret   = hosts == NULL || place == NULL ? DART_ERR_NOMEM : DART_OK;
  MPI_Request request;

  dart__net_agree(&ret, 1);
  if (ret == DART_OK) {
    DART__MPI(MPI_Iallgather, &own, 1, MPI_UINT64_T, hosts, 1, MPI_UINT64_T, dart__comm.world,
              &request);
    dart__mpi_wait(&request);
    for (int32_t u = 0; u < dart__world.nunits; u++)
      place[u] = (place_t){ hosts[u], u };
    number_hosts(place);
  }
  free(place);
  free(hosts);
  return (dart_ret_t)ret;
}

/* ---- by MPI ----------------------------------------------------------------------------------------- */

/* One host that MPI does not divide, and DART does. */
static void divide_host(void)
{
  int parts = parts_of_host(), here;

  DART__MPI(MPI_Comm_size, dart__comm.node, &here);
  if (parts < 2 || here < dart__world.nunits)
    return;
  DART__MPI(MPI_Comm_free, &dart__comm.node);
  DART__MPI(MPI_Comm_split, dart__comm.world, dart__world.me % parts, dart__world.me,
            &dart__comm.node);
  dart__comm.is_divided = true;
}

static void find_by_mpi(void)
{
  int first = dart__world.me;

  DART__MPI(MPI_Comm_split_type, dart__comm.world, MPI_COMM_TYPE_SHARED, dart__world.me,
            MPI_INFO_NULL, &dart__comm.node);
  divide_host();
  DART__MPI(MPI_Bcast, &first, 1, MPI_INT, 0, dart__comm.node);
  DART__MPI(MPI_Allgather, &first, 1, MPI_INT, dart__world.node_of, 1, MPI_INT, dart__comm.world);
}

/* ---- all ways --------------------------------------------------------------------------------------- */

static void go_round(int parts)
{
  for (int32_t u = 0; u < dart__world.nunits; u++)
    dart__world.node_of[u] = u % parts;
  dart__comm.is_divided = dart__vendor_nodes() < 2;
}

/* Those of an earlier cycle, which may have had other settings. Collective. */
static void forget_nodes(void)
{
  if (dart__comm.node != MPI_COMM_NULL && dart__comm.node != dart__comm.world)
    DART__MPI(MPI_Comm_free, &dart__comm.node);
  dart__comm.node       = MPI_COMM_NULL;
  dart__comm.is_divided = false;
}

dart_ret_t dart__find_nodes(dart_ret_t mine)
{
  int32_t    parts                         = parts_of_host();
  int32_t    votes[4 + DART__WINDOW_VOTES] = { (int32_t)mine, (int32_t)choose_finding(), parts,
                                               -parts };
  int32_t    here                          = 0;
  dart_ret_t ret;

  dart__windows_vote(votes + 4); /* one reduction for all votes: each would be a collective */
  dart__net_agree(votes, 4 + DART__WINDOW_VOTES);
  ret = (dart_ret_t)votes[0];
  if (ret != DART_OK)
    return ret;
  forget_nodes();
  if (votes[1] == BY_MPI || votes[2] != -votes[3]) /* units were started in different ways */
    find_by_mpi();
  else if (votes[1] == BY_HOST)
    ret = find_by_host();
  else if (votes[1] == ROUND_ROBIN)
    go_round(parts);
  if (ret != DART_OK)
    return ret;
  for (int32_t u = 0; u < dart__world.nunits; u++) /* of one node there are zeros */
    here += dart__world.node_of[u] == dart__world.node_of[dart__world.me];
  dart__world.many_nodes = here < dart__world.nunits;
  if (!dart__world.many_nodes && dart__comm.node == MPI_COMM_NULL)
    dart__comm.node = dart__comm.world;
  dart__world_set_pace((uint32_t)here);
  if (dart__world.many_nodes)
    dart__windows_choose(votes + 4);
  return ret;
}
