/* Objects that programs make and free: their number is looked at in the end (objects.c), and a
 * datatype has to be committed. */
#include "adversary.h"

#define MAKING(kind, name, result, parameters, arguments) \
  int name parameters                                     \
  {                                                       \
    int ret;                                              \
                                                          \
    if (!adv_enter(#name))                                \
      return P##name arguments;                           \
    ret = P##name arguments;                              \
    if (ret == MPI_SUCCESS)                               \
      adv_made(kind, ADV_HANDLE(*result));                \
    adv_leave();                                          \
    return ret;                                           \
  }                                                       \
  extern int adv_no_semicolon_missing

/* The handle may be another object's as soon as MPI has it back. */
#define FREEING(kind, name, type)        \
  int name(type *object)                 \
  {                                      \
    int ret;                             \
                                         \
    if (!adv_enter(#name))               \
      return P##name(object);            \
    adv_gone(kind, ADV_HANDLE(*object)); \
    ret = P##name(object);               \
    adv_leave();                         \
    return ret;                          \
  }                                      \
  extern int adv_no_semicolon_missing

/* ---- communicators ---------------------------------------------------------------------- */

/* Collective over one, with another as the result; some processes get none. */
#define MAKING_COMM(name, parameters, arguments)          \
  int name parameters                                     \
  {                                                       \
    int ret;                                              \
                                                          \
    if (!adv_enter(#name))                                \
      return P##name arguments;                           \
    adv_collective_begin(comm);                           \
    ret = P##name arguments;                              \
    if (ret == MPI_SUCCESS && *new_comm != MPI_COMM_NULL) \
      adv_made(ADV_COMMUNICATOR, ADV_HANDLE(*new_comm));  \
    adv_collective_end(comm);                             \
    adv_leave();                                          \
    return ret;                                           \
  }                                                       \
  extern int adv_no_semicolon_missing

MAKING_COMM(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm *new_comm), (comm, new_comm));
MAKING_COMM(MPI_Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *new_comm),
            (comm, info, new_comm));
MAKING_COMM(MPI_Comm_split, (MPI_Comm comm, int color, int rank, MPI_Comm *new_comm),
            (comm, color, rank, new_comm));
MAKING_COMM(MPI_Comm_split_type,
            (MPI_Comm comm, int type, int rank, MPI_Info info, MPI_Comm *new_comm),
            (comm, type, rank, info, new_comm));
MAKING_COMM(MPI_Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *new_comm),
            (comm, group, new_comm));

/* Collective over the group alone, and kept apart by the tag: several may go on at once. */
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *new_comm)
{
  int ret;

  if (!adv_enter("MPI_Comm_create_group"))
    return PMPI_Comm_create_group(comm, group, tag, new_comm);
  ret = PMPI_Comm_create_group(comm, group, tag, new_comm);
  if (ret == MPI_SUCCESS && *new_comm != MPI_COMM_NULL)
    adv_made(ADV_COMMUNICATOR, ADV_HANDLE(*new_comm));
  adv_leave();
  return ret;
}

int MPI_Comm_free(MPI_Comm *comm)
{
  int ret;

  if (!adv_enter("MPI_Comm_free"))
    return PMPI_Comm_free(comm);
  adv_sends_release(*comm);
  adv_gone(ADV_COMMUNICATOR, ADV_HANDLE(*comm));
  ret = PMPI_Comm_free(comm);
  adv_leave();
  return ret;
}

ADV_PLAIN(MPI_Comm_rank, (MPI_Comm comm, int *rank), (comm, rank));
ADV_PLAIN(MPI_Comm_size, (MPI_Comm comm, int *size), (comm, size));
ADV_PLAIN(MPI_Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler), (comm, handler));
ADV_PLAIN(MPI_Win_set_errhandler, (MPI_Win win, MPI_Errhandler handler), (win, handler));

/* ---- groups ----------------------------------------------------------------------------- */

static int made_group(int ret, const MPI_Group *group)
{
  if (ret == MPI_SUCCESS && *group != MPI_GROUP_EMPTY)
    adv_made(ADV_GROUP, ADV_HANDLE(*group));
  adv_leave();
  return ret;
}

#define MAKING_GROUP(name, parameters, arguments)                                       \
  int name parameters                                                                   \
  {                                                                                     \
    return adv_enter(#name) ? made_group(P##name arguments, group) : P##name arguments; \
  }                                                                                     \
  extern int adv_no_semicolon_missing

MAKING_GROUP(MPI_Comm_group, (MPI_Comm comm, MPI_Group *group), (comm, group));
MAKING_GROUP(MPI_Win_get_group, (MPI_Win win, MPI_Group *group), (win, group));
MAKING_GROUP(MPI_Group_incl, (MPI_Group all, int n, const int ranks[], MPI_Group *group),
             (all, n, ranks, group));
MAKING_GROUP(MPI_Group_excl, (MPI_Group all, int n, const int ranks[], MPI_Group *group),
             (all, n, ranks, group));
FREEING(ADV_GROUP, MPI_Group_free, MPI_Group);

/* ---- infos, operators, keys ------------------------------------------------------------- */

MAKING(ADV_INFO, MPI_Info_create, info, (MPI_Info * info), (info));
MAKING(ADV_INFO, MPI_Info_dup, copy, (MPI_Info info, MPI_Info *copy), (info, copy));
FREEING(ADV_INFO, MPI_Info_free, MPI_Info);

MAKING(ADV_OP, MPI_Op_create, op, (MPI_User_function * function, int commute, MPI_Op *op),
       (function, commute, op));
FREEING(ADV_OP, MPI_Op_free, MPI_Op);

MAKING(ADV_KEYVAL, MPI_Type_create_keyval, key,
       (MPI_Type_copy_attr_function * copy, MPI_Type_delete_attr_function *destroy, int *key,
        void *extra),
       (copy, destroy, key, extra));
MAKING(ADV_KEYVAL, MPI_Comm_create_keyval, key,
       (MPI_Comm_copy_attr_function * copy, MPI_Comm_delete_attr_function *destroy, int *key,
        void *extra),
       (copy, destroy, key, extra));
FREEING(ADV_KEYVAL, MPI_Type_free_keyval, int);
FREEING(ADV_KEYVAL, MPI_Comm_free_keyval, int);

/* ---- datatypes -------------------------------------------------------------------------- */

#define MAKING_TYPE(name, parameters, arguments) MAKING(ADV_TYPE, name, made, parameters, arguments)

MAKING_TYPE(MPI_Type_contiguous, (int count, MPI_Datatype type, MPI_Datatype *made),
            (count, type, made));
MAKING_TYPE(MPI_Type_vector,
            (int count, int length, int stride, MPI_Datatype type, MPI_Datatype *made),
            (count, length, stride, type, made));
MAKING_TYPE(MPI_Type_create_hvector,
            (int count, int length, MPI_Aint stride, MPI_Datatype type, MPI_Datatype *made),
            (count, length, stride, type, made));
MAKING_TYPE(MPI_Type_indexed,
            (int count, const int lengths[], const int at[], MPI_Datatype type, MPI_Datatype *made),
            (count, lengths, at, type, made));
MAKING_TYPE(MPI_Type_create_hindexed,
            (int count, const int lengths[], const MPI_Aint at[], MPI_Datatype type,
             MPI_Datatype *made),
            (count, lengths, at, type, made));
MAKING_TYPE(MPI_Type_create_struct,
            (int count, const int lengths[], const MPI_Aint at[], const MPI_Datatype types[],
             MPI_Datatype *made),
            (count, lengths, at, types, made));
MAKING_TYPE(MPI_Type_create_resized,
            (MPI_Datatype type, MPI_Aint lower, MPI_Aint extent, MPI_Datatype *made),
            (type, lower, extent, made));
MAKING_TYPE(MPI_Type_create_subarray,
            (int ndims, const int sizes[], const int subsizes[], const int starts[], int order,
             MPI_Datatype type, MPI_Datatype *made),
            (ndims, sizes, subsizes, starts, order, type, made));
FREEING(ADV_TYPE, MPI_Type_free, MPI_Datatype);

/* A copy is committed if its original is. */
int MPI_Type_dup(MPI_Datatype type, MPI_Datatype *made)
{
  int ret;

  if (!adv_enter("MPI_Type_dup"))
    return PMPI_Type_dup(type, made);
  ret = PMPI_Type_dup(type, made);
  adv_lock();
  if (ret == MPI_SUCCESS)
    adv_object_add(ADV_TYPE, ADV_HANDLE(*made), adv_type_is_usable(type) ? made : NULL);
  adv_unlock();
  adv_leave();
  return ret;
}

int MPI_Type_commit(MPI_Datatype *type)
{
  int ret;

  if (!adv_enter("MPI_Type_commit"))
    return PMPI_Type_commit(type);
  ret = PMPI_Type_commit(type);
  adv_lock();
  if (ret == MPI_SUCCESS && adv_object_is(ADV_TYPE, ADV_HANDLE(*type)))
    adv_object_add(ADV_TYPE, ADV_HANDLE(*type), type);
  adv_unlock();
  adv_leave();
  return ret;
}
