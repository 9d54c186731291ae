/* A network of which only this unit's side exists, and collectives of units that all do what this unit does.
 *
 * Messages are sent to nobody and never come. So what needs an answer is answered here: the linker sends DART's own
 * agreements and allgathers to this file (--wrap), and every unit contributes what this one does. The memory of the other
 * units of the node is mapped, and stays zero. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "coll/coll.h"
#include "model/world.h"
#include "net.h"

#include "scale.h"

shape_t scale_shape;
bool    scale_last_differs;

static void never(void) __attribute__((noreturn));
static void never(void)
{
  fputs("scale: a call that needs another unit\n", stderr);
  abort();
}

/* ---- collectives -------------------------------------------------------------------------------- */

void __wrap_dart__coll_barrier(dart__team_t *team);
void __wrap_dart__coll_barrier(dart__team_t *team)
{
  (void)team;
}

void __wrap_dart__coll_node_barrier(dart__team_t *team);
void __wrap_dart__coll_node_barrier(dart__team_t *team)
{
  (void)team;
}

void __wrap_dart__coll_most(dart__team_t *team, unsigned long *values, size_t count);
void __wrap_dart__coll_most(dart__team_t *team, unsigned long *values, size_t count)
{
  (void)team;
  if (scale_last_differs && count >= 6) /* of an allocation: the complement of the smallest size */
    values[2]++;
  if (scale_last_differs && count == 8) /* of an adoption: that of the program's memory */
    values[7]++;
}

dart_ret_t __wrap_dart__coll_agree(dart__team_t *team, dart_ret_t mine);
dart_ret_t __wrap_dart__coll_agree(dart__team_t *team, dart_ret_t mine)
{
  (void)team;
  return mine;
}

dart_ret_t __wrap_dart__coll_agree_on(const char *function, dart__team_t *team, dart_ret_t mine,
                                      uint64_t value);
dart_ret_t __wrap_dart__coll_agree_on(const char *function, dart__team_t *team, dart_ret_t mine,
                                      uint64_t value)
{
  (void)function, (void)team, (void)value;
  return mine;
}

void __wrap_dart__coll_share(dart__team_t *team, const void *own, void *all, size_t nbytes);
void __wrap_dart__coll_share(dart__team_t *team, const void *own, void *all, size_t nbytes)
{
  for (int32_t u = 0; u < team->nunits; u++)
    memmove((char *)all + (size_t)u * nbytes, own, nbytes);
  if (scale_last_differs)
    ((char *)all)[(size_t)(team->nunits - 1) * nbytes] ^= 8;
}

/* This unit leads its node. */
void __wrap_dart__coll_share_with_leaders(dart__team_t *team, const void *own, void *all,
                                          size_t nbytes);
void __wrap_dart__coll_share_with_leaders(dart__team_t *team, const void *own, void *all,
                                          size_t nbytes)
{
  __wrap_dart__coll_share(team, own, all, nbytes);
}

void __wrap_dart__coll_share_on_node(dart__team_t *team, const void *own, void *all, size_t nbytes);
void __wrap_dart__coll_share_on_node(dart__team_t *team, const void *own, void *all, size_t nbytes)
{
  for (int32_t i = 0; i < team->node_nunits; i++)
    memmove((char *)all + (size_t)i * nbytes, own, nbytes);
}

void __wrap_dart__coll_hear_on_node(dart__team_t *team, const void *own, void *from_out,
                                    size_t nbytes, int32_t index);
void __wrap_dart__coll_hear_on_node(dart__team_t *team, const void *own, void *from_out,
                                    size_t nbytes, int32_t index)
{
  (void)team, (void)index;
  memmove(from_out, own, nbytes);
}

bool __wrap_dart__step_end(dart__team_t *team);
bool __wrap_dart__step_end(dart__team_t *team)
{
  return team->nnodes > 1 && dart__team_is_leader(team);
}

void __wrap_dart__step_release(dart__team_t *team);
void __wrap_dart__step_release(dart__team_t *team)
{
  (void)team;
}

void __wrap_dart__nodes_allgather(dart__team_t *team, void *buffer, const size_t *starts);
void __wrap_dart__nodes_allgather(dart__team_t *team, void *buffer, const size_t *starts)
{
  size_t nbytes = starts[1] - starts[0];

  for (int32_t k = 0; k < team->nnodes; k++) {
    char *node = (char *)buffer + starts[k];

    memmove(node, (char *)buffer + starts[team->node], nbytes);
    /* what team/hosts.c gathers: two fingerprints, and the name of a host, of which each node has its own */
    if (nbytes == 2 * sizeof(uint64_t) + DART_LOCALITY_HOST_MAX_SIZE)
      snprintf(node + 2 * sizeof(uint64_t), DART_LOCALITY_HOST_MAX_SIZE, "host%d", (int)k);
  }
}

dart_ret_t __wrap_dart__coll_bcast(dart__team_t *team, void *buffer, size_t nbytes, int32_t root);
dart_ret_t __wrap_dart__coll_bcast(dart__team_t *team, void *buffer, size_t nbytes, int32_t root)
{
  (void)team, (void)buffer, (void)nbytes, (void)root;
  return DART_OK;
}

dart_ret_t __wrap_dart__coll_reduce(dart__team_t *team, const void *send, void *recv, size_t nelem,
                                    dart_datatype_t dtype, dart_operation_t op, int32_t root);
dart_ret_t __wrap_dart__coll_reduce(dart__team_t *team, const void *send, void *recv, size_t nelem,
                                    dart_datatype_t dtype, dart_operation_t op, int32_t root)
{
  (void)team, (void)send, (void)recv, (void)nelem, (void)dtype, (void)op, (void)root;
  return DART_OK; /* it is done in place: the maximum of what all units have alike */
}

/* ---- the job ------------------------------------------------------------------------------------ */

int32_t scale_nodes(shape_t shape)
{
  return (shape.nunits + shape.per_node - 1) / shape.per_node;
}

static void place_units(int32_t *node_of)
{
  int32_t  nnodes = scale_nodes(scale_shape);
  uint32_t state  = 1;

  for (int32_t u = 0; u < scale_shape.nunits; u++)
    node_of[u] = scale_shape.placement == PLACEMENT_CYCLIC ? u % nnodes : u / scale_shape.per_node;
  for (int32_t u = scale_shape.nunits - 1; scale_shape.placement == PLACEMENT_RANDOM && u > 0;
       u--) {
    int32_t other = (int32_t)((state = state * 1664525 + 1013904223) % (uint32_t)(u + 1));
    int32_t node  = node_of[u];

    node_of[u]     = node_of[other];
    node_of[other] = node;
  }
}

dart_ret_t dart__net_join(int *argc, char ***argv, dart_thread_support_level_t wanted,
                          dart_thread_support_level_t *provided_out)
{
  (void)argc, (void)argv;
  dart__world.me         = 0;
  dart__world.nunits     = scale_shape.nunits;
  dart__world.many_nodes = scale_nodes(scale_shape) > 1;
  dart__world.node_of    = calloc((size_t)scale_shape.nunits, sizeof *dart__world.node_of);
  if (dart__world.node_of == NULL)
    return DART_ERR_NOMEM;
  place_units(dart__world.node_of);
  *provided_out = wanted;
  return DART_OK;
}

void dart__net_leave(void)
{
  free(dart__world.node_of);
  dart__world.node_of = NULL;
}

void dart__net_agree(int32_t *values, size_t count)
{
  (void)values, (void)count;
}

void dart__net_abort(int code, bool is_asked)
{
  (void)is_asked;
  exit(dart__exit_code(code));
}

static const char *describe_network(void)
{
  return "one side of a network";
}

dart__net_t dart__net = { .describe       = describe_network,
                          .largest_tag    = INT32_MAX,
                          .reaches_memory = true,
                          .memory_stays   = true };

/* ---- memory ------------------------------------------------------------------------------------- */

dart_ret_t dart__net_chunk_prepare(const dart__team_t *team, dart__chunk_t *chunk)
{
  (void)team, (void)chunk;
  return DART_OK;
}

void dart__net_chunk_discard(dart__chunk_t *chunk)
{
  (void)chunk;
}

dart_ret_t dart__net_chunk_open(dart__team_t *team, dart__chunk_t *chunk)
{
  size_t nbytes = chunk->nbytes * (size_t)team->node_nunits;
  char  *memory =
      mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (memory == MAP_FAILED)
    return DART_ERR_NOMEM;
  for (int32_t i = 0; i < team->node_nunits; i++)
    chunk->near[dart__team_near_slot(team, team->node_units[i])] =
        memory + (size_t)i * chunk->nbytes;
  chunk->is_reached = true;
  return DART_OK;
}

void dart__net_chunk_close(dart__team_t *team, dart__chunk_t *chunk)
{
  munmap(chunk->near[dart__team_near_slot(team, team->node_units[0])],
         chunk->nbytes * (size_t)team->node_nunits);
}

dart_ret_t dart__net_reserve(dart__team_t *team, dart__chunk_t *chunk, size_t from, size_t to)
{
  (void)team, (void)chunk, (void)from, (void)to;
  return DART_OK;
}

void dart__net_release(dart__team_t *team, dart__chunk_t *chunk, size_t from, size_t to)
{
  (void)team, (void)chunk, (void)from, (void)to;
}

dart_ret_t dart__net_register(dart__team_t *team, dart__chunk_t *chunk, void *address,
                              size_t nbytes)
{
  (void)team, (void)chunk, (void)address, (void)nbytes;
  return DART_OK;
}

/* ---- puts and gets ------------------------------------------------------------------------------ */

void dart__net_move(dart__team_t *team, dart__chunk_t *chunk, int32_t unit, uint64_t offset,
                    void *buffer, size_t nbytes, bool is_put, dart__net_request_t *request_out)
{
  (void)team, (void)chunk, (void)unit, (void)offset, (void)buffer, (void)nbytes;
  if (!is_put)
    never();
  if (request_out != NULL)
    *request_out = DART__NET_DONE;
}

void dart__net_flush(dart__team_t *team, dart__chunk_t *chunk, int32_t unit, bool at_target)
{
  (void)team, (void)chunk, (void)unit, (void)at_target;
}

/* ---- messages ----------------------------------------------------------------------------------- */

void dart__net_send(dart__net_comm_t *to, int32_t peer, dart__channel_t channel, int tag,
                    const void *data, size_t nbytes, dart__net_request_t *request_out)
{
  (void)to, (void)peer, (void)channel, (void)tag, (void)data, (void)nbytes;
  if (request_out != NULL)
    *request_out = DART__NET_DONE;
}

void dart__net_recv(dart__net_comm_t *from, int32_t peer, dart__channel_t channel, int tag,
                    const dart__net_message_t *claimed, void *buffer, size_t nbytes,
                    dart__net_request_t *request_out)
{
  (void)from, (void)peer, (void)channel, (void)tag, (void)claimed, (void)buffer, (void)nbytes;
  *request_out = (dart__net_request_t){ 0 };
}

bool dart__net_probe(dart__net_comm_t *from, int32_t peer, dart__channel_t channel, int tag,
                     bool claims, dart__net_message_t *found_out)
{
  (void)from, (void)peer, (void)channel, (void)tag, (void)claims, (void)found_out;
  return false;
}

int dart__net_test(dart__net_comm_t *of, dart__net_request_t *const requests[], int count,
                   dart__net_message_t *message_out)
{
  (void)of, (void)requests, (void)count, (void)message_out;
  return -1;
}

void dart__net_cancel(dart__net_comm_t *of, dart__net_request_t *request)
{
  (void)of;
  *request = DART__NET_DONE;
}
