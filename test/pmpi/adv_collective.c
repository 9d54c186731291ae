/* Collective calls: one at a time on a communicator, in a process. Those that do not block give a
 * request that is tested like all others. Nothing is held back here: a unit that is late does that
 * by itself. */
#include "adversary.h"

#define COLLECTIVE(name, parameters, arguments) \
  int name parameters                           \
  {                                             \
    int ret;                                    \
                                                \
    if (!adv_enter(#name))                      \
      return P##name arguments;                 \
    adv_collective_begin(comm);                 \
    ret = P##name arguments;                    \
    adv_collective_end(comm);                   \
    adv_leave();                                \
    return ret;                                 \
  }                                             \
  extern int adv_no_semicolon_missing

#define STARTING(name, parameters, arguments)                   \
  int name parameters                                           \
  {                                                             \
    int ret;                                                    \
                                                                \
    if (!adv_enter(#name))                                      \
      return P##name arguments;                                 \
    adv_collective_begin(comm);                                 \
    adv_lock();                                                 \
    ret = P##name arguments;                                    \
    if (ret == MPI_SUCCESS)                                     \
      adv_request_watch(*request, &adv_collective_class, NULL); \
    adv_unlock();                                               \
    adv_collective_end(comm);                                   \
    adv_leave();                                                \
    return ret;                                                 \
  }                                                             \
  extern int adv_no_semicolon_missing

/* Every collective call of MPI in its two forms: the parameters before the communicator differ. */
#define BOTH(name, iname, arguments, ...)                                   \
  COLLECTIVE(name, (__VA_ARGS__, MPI_Comm comm), (EXPAND arguments, comm)); \
  STARTING(iname, (__VA_ARGS__, MPI_Comm comm, MPI_Request * request),      \
           (EXPAND arguments, comm, request))
#define EXPAND(...) __VA_ARGS__

COLLECTIVE(MPI_Barrier, (MPI_Comm comm), (comm));
STARTING(MPI_Ibarrier, (MPI_Comm comm, MPI_Request *request), (comm, request));

BOTH(MPI_Bcast, MPI_Ibcast, (buffer, count, type, root), void *buffer, int count, MPI_Datatype type,
     int root);
BOTH(MPI_Gather, MPI_Igather, (from, count, type, to, to_count, to_type, root), const void *from,
     int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type, int root);
BOTH(MPI_Gatherv, MPI_Igatherv, (from, count, type, to, counts, starts, to_type, root),
     const void *from, int count, MPI_Datatype type, void *to, const int counts[],
     const int starts[], MPI_Datatype to_type, int root);
BOTH(MPI_Scatter, MPI_Iscatter, (from, count, type, to, to_count, to_type, root), const void *from,
     int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type, int root);
BOTH(MPI_Scatterv, MPI_Iscatterv, (from, counts, starts, type, to, to_count, to_type, root),
     const void *from, const int counts[], const int starts[], MPI_Datatype type, void *to,
     int to_count, MPI_Datatype to_type, int root);
BOTH(MPI_Allgather, MPI_Iallgather, (from, count, type, to, to_count, to_type), const void *from,
     int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type);
BOTH(MPI_Allgatherv, MPI_Iallgatherv, (from, count, type, to, counts, starts, to_type),
     const void *from, int count, MPI_Datatype type, void *to, const int counts[],
     const int starts[], MPI_Datatype to_type);
BOTH(MPI_Alltoall, MPI_Ialltoall, (from, count, type, to, to_count, to_type), const void *from,
     int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type);
BOTH(MPI_Alltoallv, MPI_Ialltoallv, (from, counts, starts, type, to, to_counts, to_starts, to_type),
     const void *from, const int counts[], const int starts[], MPI_Datatype type, void *to,
     const int to_counts[], const int to_starts[], MPI_Datatype to_type);
BOTH(MPI_Reduce, MPI_Ireduce, (from, to, count, type, op, root), const void *from, void *to,
     int count, MPI_Datatype type, MPI_Op op, int root);
BOTH(MPI_Allreduce, MPI_Iallreduce, (from, to, count, type, op), const void *from, void *to,
     int count, MPI_Datatype type, MPI_Op op);
BOTH(MPI_Reduce_scatter, MPI_Ireduce_scatter, (from, to, counts, type, op), const void *from,
     void *to, const int counts[], MPI_Datatype type, MPI_Op op);
BOTH(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, (from, to, count, type, op),
     const void *from, void *to, int count, MPI_Datatype type, MPI_Op op);
BOTH(MPI_Scan, MPI_Iscan, (from, to, count, type, op), const void *from, void *to, int count,
     MPI_Datatype type, MPI_Op op);
BOTH(MPI_Exscan, MPI_Iexscan, (from, to, count, type, op), const void *from, void *to, int count,
     MPI_Datatype type, MPI_Op op);
