#ifndef DART__COLL_DIRECT_H
#define DART__COLL_DIRECT_H
/* Large data between the units of one node: copied once, from the source buffer to the destination.
 *
 * Buffers of the exchange cost two copies, and a step for every piece that fits them: a barrier,
 * which is a context switch where units outnumber cores. Here units publish where their buffers are, copy,
 * and wait until all are done: two steps, whatever the size. Buffers that all have mapped are copied
 * by memcpy, others by the kernel (wait/foreign.h). The kernel copies more slowly, and is called for every pair
 * of units, so private data that are not large go through the exchange, and of few units that have a core each, for which
 * steps are cheap, all do. So do all where the kernel does not permit it.
 *
 * Arguments as in coll/coll.h; the team has more than one unit. True: it was done, with the result
 * `*ret_out`. False, on all units: there was one step at most, and it is to be done in another way. If the kernel
 * cannot copy between two units (a buffer that is not mapped), all units get DART_ERR_OTHER, and the contents
 * of the receive buffers are undefined. */
#include "coll/staged.h"

#define DART__DIRECT_LEAST ((size_t)16 * 1024)
#define DART__DIRECT_FEW   4 /* units, whose pieces in the exchange are as large as they may be */

/** Whether data may go directly that come to so many bytes a unit, about: the same on all units. The functions below are
 *  called only then. Small blocks do not look where they are; nor do blocks of up to two LEAST of teams of at most `few`
 *  units, which take one step of the exchange. */
static inline bool dart__direct_may(const dart__team_t *team, size_t nbytes, int32_t few)
{
  return nbytes >= DART__DIRECT_LEAST * (team->nunits <= few ? 2 : 1) && team->nnodes == 1;
}

bool dart__direct_bcast(dart__team_t *team, void *buffer, size_t nbytes, int32_t root,
                        dart_ret_t *ret_out);
bool dart__direct_scatter(dart__team_t *team, const void *send, void *recv, size_t nbytes,
                          int32_t root, dart_ret_t *ret_out);
bool dart__direct_gather(dart__team_t *team, const void *send, void *recv, size_t nbytes,
                         int32_t root, dart_ret_t *ret_out);
/** An element of `size` bytes of each unit; or, with `nelem` and `displs`, as dart__coll_allgatherv. `mean`: bytes of a
 *  block on average. */
bool dart__direct_allgather(dart__team_t *team, const void *send, void *recv, const size_t *nelem,
                            const size_t *displs, size_t size, size_t mean, dart_ret_t *ret_out);
bool dart__direct_alltoall(dart__team_t *team, const void *send, void *recv, size_t nbytes,
                           dart_ret_t *ret_out);

/** Any operator. Elements of more than DART__DIRECT_MOST bytes go another way. */
#define DART__DIRECT_MOST ((size_t)32 * 1024)
bool dart__direct_reduce(dart__team_t *team, const void *send, void *recv, size_t nelem,
                         dart_datatype_t dtype, dart_operation_t op, int32_t root,
                         dart_ret_t *ret_out);

#endif
