/* Collectives with bad arguments. See refusal.h. */
#include "refusal.h"

SUITE(errors_coll);

/* Every collective of data, with one argument wrong: those that it takes. */
static void collectives(dart_team_t team, dart_datatype_t type, const char *says)
{
  const size_t nelem[64] = { 0 };

  REFUSED(dart_bcast, (local.got, 1, type, unit_0, team), says);
  REFUSED(dart_scatter, (local.sent, local.got, 1, type, unit_0, team), says);
  REFUSED(dart_gather, (local.sent, local.got, 1, type, unit_0, team), says);
  REFUSED(dart_allgather, (local.sent, local.got, 1, type, team), says);
  REFUSED(dart_allgatherv, (local.sent, 0, type, local.got, nelem, nelem, team), says);
  REFUSED(dart_alltoall, (local.sent, local.got, 1, type, team), says);
  REFUSED(dart_allreduce, (local.sent, local.got, 1, type, DART_OP_SUM, team), says);
  REFUSED(dart_reduce, (local.sent, local.got, 1, type, DART_OP_SUM, unit_0, team), says);
}

TEST(collectives_want_a_team_and_a_type) /* L128 */
{
  const size_t    one = 1, at = 0;
  dart_gptr_t     segment = untouched_segment(DART_TEAM_ALL);
  dart_datatype_t strided, indexed;

  fill_no_types();
  for (int i = 0; i < NO_TEAMS; i++) {
    collectives(no_teams[i].id, T_INT64, no_teams[i].says);
    REFUSED(dart_barrier, (no_teams[i].id), no_teams[i].says);
  }
  for (int i = 0; i < NO_TYPES; i++)
    collectives(DART_TEAM_ALL, no_types[i].id, no_types[i].says);
  EXPECT_OK(dart_type_create_strided(DART_TYPE_INT, 2, 1, &strided));
  EXPECT_OK(dart_type_create_indexed(DART_TYPE_INT, 1, &one, &at, &indexed));
  collectives(DART_TEAM_ALL, strided, "not contiguous");
  collectives(DART_TEAM_ALL, indexed, "not contiguous");
  EXPECT_OK(dart_type_destroy(&strided));
  EXPECT_OK(dart_type_destroy(&indexed));
  expect_untouched(segment);
}

TEST(collectives_want_a_root)
{
  const int   no_root[] = { n, -1, INT32_MAX, INT32_MIN };
  dart_gptr_t segment   = untouched_segment(DART_TEAM_ALL);

  for (int i = 0; i < 4; i++) {
    dart_team_unit_t root = { no_root[i] };
    const char      *says = saying("root %d ", no_root[i]);

    REFUSED(dart_bcast, (local.got, 1, T_INT64, root, DART_TEAM_ALL), says);
    REFUSED(dart_scatter, (local.sent, local.got, 1, T_INT64, root, DART_TEAM_ALL), says);
    REFUSED(dart_gather, (local.sent, local.got, 1, T_INT64, root, DART_TEAM_ALL), says);
    REFUSED(dart_reduce, (local.sent, local.got, 1, T_INT64, DART_OP_SUM, root, DART_TEAM_ALL),
            says);
  }
  expect_untouched(segment);
}

TEST(collectives_want_buffers_and_counts) /* a buffer that all units need */
{
  const char *says    = "2305843009213693953 ";
  dart_gptr_t segment = untouched_segment(DART_TEAM_ALL);
  size_t      one[64], displs[64];

  if (!EXPECT_TRUE(n <= 64))
    return;
  REFUSED(dart_bcast, (NULL, 1, T_INT64, unit_0, DART_TEAM_ALL), "buf is NULL");
  REFUSED(dart_scatter, (local.sent, NULL, 1, T_INT64, unit_0, DART_TEAM_ALL), "recvbuf is NULL");
  REFUSED(dart_gather, (NULL, local.got, 1, T_INT64, unit_0, DART_TEAM_ALL), "sendbuf is NULL");
  REFUSED(dart_allgather, (local.sent, NULL, 1, T_INT64, DART_TEAM_ALL), "recvbuf is NULL");
  REFUSED(dart_alltoall, (local.sent, NULL, 1, T_INT64, DART_TEAM_ALL), "recvbuf is NULL");
  REFUSED(dart_allreduce, (NULL, local.got, 1, T_INT64, DART_OP_SUM, DART_TEAM_ALL),
          "sendbuf is NULL");
  REFUSED(dart_allreduce, (local.sent, NULL, 1, T_INT64, DART_OP_SUM, DART_TEAM_ALL),
          "recvbuf is NULL");
  REFUSED(dart_reduce, (NULL, local.got, 1, T_INT64, DART_OP_SUM, unit_0, DART_TEAM_ALL),
          "sendbuf is NULL");

  REFUSED(dart_bcast, (local.got, TOO_MANY, T_INT64, unit_0, DART_TEAM_ALL), says);
  REFUSED(dart_scatter, (local.sent, local.got, TOO_MANY, T_INT64, unit_0, DART_TEAM_ALL), says);
  REFUSED(dart_gather, (local.sent, local.got, TOO_MANY, T_INT64, unit_0, DART_TEAM_ALL), says);
  REFUSED(dart_allgather, (local.sent, local.got, TOO_MANY, T_INT64, DART_TEAM_ALL), says);
  REFUSED(dart_alltoall, (local.sent, local.got, TOO_MANY, T_INT64, DART_TEAM_ALL), says);
  REFUSED(dart_allreduce, (local.sent, local.got, TOO_MANY, T_INT64, DART_OP_SUM, DART_TEAM_ALL),
          says);
  REFUSED(dart_reduce,
          (local.sent, local.got, TOO_MANY, T_INT64, DART_OP_SUM, unit_0, DART_TEAM_ALL), says);

  test_note("allgatherv"); /* each unit has 1 element, at its id */
  for (int unit = 0; unit < 64; unit++) {
    one[unit]    = 1;
    displs[unit] = (size_t)unit;
  }
  REFUSED(dart_allgatherv, (local.sent, 2, T_INT64, local.got, one, displs, DART_TEAM_ALL),
          "nsendelem is 2");
  REFUSED(dart_allgatherv, (local.sent, 1, T_INT64, NULL, one, displs, DART_TEAM_ALL),
          "recvbuf is NULL");
  REFUSED(dart_allgatherv, (local.sent, 1, T_INT64, local.got, NULL, displs, DART_TEAM_ALL),
          "nrecvelem is NULL");
  REFUSED(dart_allgatherv, (local.sent, 1, T_INT64, local.got, one, NULL, DART_TEAM_ALL),
          "recvdispls is NULL");
  displs[n - 1] = SIZE_MAX;
  REFUSED(dart_allgatherv, (local.sent, 1, T_INT64, local.got, one, displs, DART_TEAM_ALL),
          "18446744073709551615");
  displs[n - 1] = TOO_MANY - 1;
  REFUSED(dart_allgatherv, (local.sent, 1, T_INT64, local.got, one, displs, DART_TEAM_ALL), says);
  expect_untouched(segment);
}

TEST(reductions_want_an_operator_of_the_type) /* L123 L128 */
{
  const struct {
    dart_datatype_t  type;
    dart_operation_t op;
    size_t           nelem;
    const char      *says;
  } wrong[] = {
    { DART_TYPE_INT, DART_OP_MINMAX, 3, "3 elements" },
    { DART_TYPE_INT, DART_OP_REPLACE, 2, "operation DART_OP_REPLACE " },
    { DART_TYPE_INT, DART_OP_NO_OP, 2, "operation DART_OP_NO_OP " },
    { DART_TYPE_INT, DART_OP_UNDEFINED, 2, "operation DART_OP_UNDEFINED " },
    { DART_TYPE_INT, DART_OP_LAST, 2, "operation 14 " },
    { DART_TYPE_INT, 0x5555, 2, "operation 21845 " },
    { DART_TYPE_FLOAT, DART_OP_BAND, 2, "type DART_TYPE_FLOAT" },
    { DART_TYPE_LONG_DOUBLE, DART_OP_LXOR, 2, "type DART_TYPE_LONG_DOUBLE" },
  };
  dart_gptr_t      segment = untouched_segment(DART_TEAM_ALL);
  dart_operation_t op, gone;
  dart_datatype_t  type;

  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const char *says = wrong[i].says;

    type = wrong[i].type;
    op   = wrong[i].op;
    REFUSED(dart_allreduce, (local.sent, local.got, wrong[i].nelem, type, op, DART_TEAM_ALL), says);
    REFUSED(dart_reduce, (local.sent, local.got, wrong[i].nelem, type, op, unit_0, DART_TEAM_ALL),
            says);
  }

  test_note("an operator of another type, and one that is gone");
  EXPECT_OK(dart_op_create(first_of_two, NULL, true, T_INT64, false, &op));
  gone = op;
  REFUSED(dart_allreduce, (local.sent, local.got, 2, DART_TYPE_LONGLONG, op, DART_TEAM_ALL),
          "type DART_TYPE_LONGLONG");
  REFUSED(dart_reduce, (local.sent, local.got, 2, DART_TYPE_INT, op, unit_0, DART_TEAM_ALL),
          "type DART_TYPE_INT");
  EXPECT_OK(dart_op_destroy(&op));
  REFUSED(dart_allreduce, (local.sent, local.got, 2, T_INT64, gone, DART_TEAM_ALL),
          saying("operation %ld ", (long)gone));
  REFUSED(dart_reduce, (local.sent, local.got, 2, T_INT64, gone, unit_0, DART_TEAM_ALL),
          saying("operation %ld ", (long)gone));
  expect_untouched(segment);
}
