/* Types and operators: bad arguments. See refusal.h. */
#include "refusal.h"

SUITE(errors_data);

TEST(types_want_a_layout) /* H77 H79 */
{
  const size_t    one[2] = { 1, 1 }, none[2] = { 0, 0 }, huge[2] = { 1, (size_t)INT_MAX + 1 };
  dart_gptr_t     segment = untouched_segment(DART_TEAM_ALL);
  dart_datatype_t strided, indexed, basic = DART_TYPE_INT, was;

  fill_no_types();
  EXPECT_OK(dart_type_create_strided(DART_TYPE_INT, 2, 1, &strided));
  EXPECT_OK(dart_type_create_indexed(DART_TYPE_INT, 2, one, (size_t[]){ 0, 2 }, &indexed));
  for (int i = 0; i < NO_TYPES; i++) {
    dart_datatype_t no   = no_types[i].id;
    const char     *says = saying("%s is", no_types[i].says);

    REFUSED(dart_type_create_strided, (no, 2, 1, &out.type), says);
    REFUSED(dart_type_create_indexed, (no, 2, one, one, &out.type), says);
    was = no;
    REFUSED(dart_type_destroy, (&was), says);
    EXPECT_EQ(was, no);
  }
  REFUSED(dart_type_create_strided, (strided, 2, 1, &out.type), "strided");
  REFUSED(dart_type_create_strided, (indexed, 2, 1, &out.type), "indexed");
  REFUSED(dart_type_create_strided, (DART_TYPE_INT, 2, 0, &out.type), "blocklen 0 ");
  REFUSED(dart_type_create_strided, (DART_TYPE_INT, 2, 3, &out.type), "stride 2 ");
  REFUSED(dart_type_create_strided, (DART_TYPE_INT, SIZE_MAX, 1, &out.type),
          "18446744073709551615");
  REFUSED(dart_type_create_strided, (DART_TYPE_INT, SIZE_MAX, SIZE_MAX, &out.type),
          "18446744073709551615");
  REFUSED(dart_type_create_strided, (DART_TYPE_INT, 2, 1, NULL), "newtype is NULL");
  REFUSED(dart_type_create_indexed, (strided, 2, one, one, &out.type), "strided");
  REFUSED(dart_type_create_indexed, (DART_TYPE_INT, 0, one, one, &out.type), "count 0 ");
  REFUSED(dart_type_create_indexed, (DART_TYPE_INT, SIZE_MAX, one, one, &out.type),
          "count 18446744073709551615 ");
  REFUSED(dart_type_create_indexed, (DART_TYPE_INT, 2, none, one, &out.type), "count 2 ");
  REFUSED(dart_type_create_indexed, (DART_TYPE_INT, 2, huge, one, &out.type),
          "blocklen[1] is 2147483648");
  REFUSED(dart_type_create_indexed, (DART_TYPE_INT, 2, one, huge, &out.type),
          "offset[1] is 2147483648");
  REFUSED(dart_type_create_indexed, (DART_TYPE_INT, 2, NULL, one, &out.type), "blocklen is NULL");
  REFUSED(dart_type_create_indexed, (DART_TYPE_INT, 2, one, NULL, &out.type), "offset is NULL");
  REFUSED(dart_type_create_indexed, (DART_TYPE_INT, 2, one, one, NULL), "newtype is NULL");
  REFUSED(dart_type_create_custom, (0, &out.type), "num_bytes 0 ");
  REFUSED(dart_type_create_custom, ((size_t)INT_MAX + 1, &out.type), "num_bytes 2147483648 ");
  REFUSED(dart_type_create_custom, (8, NULL), "newtype is NULL");
  REFUSED(dart_type_destroy, (NULL), "NULL");
  REFUSED(dart_type_destroy, (&basic), "dart_type DART_TYPE_INT ");
  EXPECT_EQ(basic, DART_TYPE_INT);
  EXPECT_OK(dart_type_destroy(&strided));
  EXPECT_OK(dart_type_destroy(&indexed));
  expect_untouched(segment);
}

TEST(operators_want_a_function_and_a_contiguous_type) /* L128 */
{
  dart_gptr_t      segment = untouched_segment(DART_TEAM_ALL);
  dart_operation_t made, was, no_op[] = { DART_OP_UNDEFINED, DART_OP_SUM, DART_OP_LAST, 4711 };
  const char *no_op_says[] = { "op DART_OP_UNDEFINED ", "op DART_OP_SUM ", "op 14 ", "op 4711 " };
  dart_datatype_t strided;

  fill_no_types();
  EXPECT_OK(dart_type_create_strided(DART_TYPE_INT, 2, 1, &strided));
  REFUSED(dart_op_create, (NULL, NULL, true, T_INT64, false, &out.op), "op is NULL");
  REFUSED(dart_op_create, (first_of_two, NULL, true, T_INT64, false, NULL), "new_op is NULL");
  REFUSED(dart_op_create, (first_of_two, NULL, true, strided, false, &out.op), "dtype ");
  for (int i = 0; i < NO_TYPES; i++) {
    dart_datatype_t no = no_types[i].id;

    REFUSED(dart_op_create, (first_of_two, NULL, true, no, false, &out.op),
            saying("d%s is", no_types[i].says));
  }
  EXPECT_OK(dart_op_create(first_of_two, NULL, true, T_INT64, false, &made));
  was = made;
  EXPECT_OK(dart_op_destroy(&made));
  REFUSED(dart_op_destroy, (&was), "op ");
  for (int i = 0; i < 4; i++) {
    was = no_op[i];
    REFUSED(dart_op_destroy, (&was), no_op_says[i]);
    EXPECT_EQ(was, no_op[i]);
  }
  REFUSED(dart_op_destroy, (NULL), "op is NULL");
  EXPECT_OK(dart_type_destroy(&strided));
  expect_untouched(segment);
}
