/* Messages with bad arguments. See refusal.h. */
#include "refusal.h"

SUITE(errors_p2p);

TEST(messages_want_a_unit_a_tag_a_type_and_a_buffer) /* M134 */
{
  const int no_unit[] = { n, -1, INT32_MAX, INT32_MIN }, no_tag[] = { -1, INT32_MIN };
  const dart_global_unit_t self    = { me };
  const char              *says    = "2305843009213693953 ";
  dart_gptr_t              segment = untouched_segment(DART_TEAM_ALL);
  const void              *sent    = local.sent;
  void                    *got     = local.got;
  dart_datatype_t          strided;

  fill_no_types();
  EXPECT_OK(dart_type_create_strided(DART_TYPE_INT, 2, 1, &strided));
  for (int i = 0; i < 4; i++) {
    dart_global_unit_t none = { no_unit[i] };

    says = saying("unit %d ", no_unit[i]);
    REFUSED(dart_send, (sent, 1, T_INT64, 0, none), says);
    REFUSED(dart_recv, (got, 1, T_INT64, 0, none), says);
    REFUSED(dart_sendrecv, (sent, 1, T_INT64, 0, none, got, 1, T_INT64, 0, self), says);
    REFUSED(dart_sendrecv, (sent, 1, T_INT64, 0, self, got, 1, T_INT64, 0, none), says);
  }
  for (int i = 0; i < 2; i++) {
    says = saying("tag %d ", no_tag[i]);
    REFUSED(dart_send, (sent, 1, T_INT64, no_tag[i], self), says);
    REFUSED(dart_recv, (got, 1, T_INT64, no_tag[i], self), says);
    REFUSED(dart_sendrecv, (sent, 1, T_INT64, no_tag[i], self, got, 1, T_INT64, 0, self), says);
    REFUSED(dart_sendrecv, (sent, 1, T_INT64, 0, self, got, 1, T_INT64, no_tag[i], self), says);
  }
  for (int i = 0; i <= NO_TYPES; i++) {
    dart_datatype_t none = i < NO_TYPES ? no_types[i].id : strided;

    says = i == NO_TYPES ? "not contiguous" : no_types[i].says;
    REFUSED(dart_send, (sent, 1, none, 0, self), says);
    REFUSED(dart_recv, (got, 1, none, 0, self), says);
    REFUSED(dart_sendrecv, (sent, 1, none, 0, self, got, 1, T_INT64, 0, self), says);
    REFUSED(dart_sendrecv, (sent, 1, T_INT64, 0, self, got, 1, none, 0, self), says);
  }
  says = "2305843009213693953 ";
  REFUSED(dart_send, (sent, TOO_MANY, T_INT64, 0, self), says);
  REFUSED(dart_recv, (got, TOO_MANY, T_INT64, 0, self), says);
  REFUSED(dart_sendrecv, (sent, TOO_MANY, T_INT64, 0, self, got, 1, T_INT64, 0, self), says);
  REFUSED(dart_sendrecv, (sent, 1, T_INT64, 0, self, got, TOO_MANY, T_INT64, 0, self), says);
  REFUSED(dart_send, (NULL, 1, T_INT64, 0, self), "NULL");
  REFUSED(dart_recv, (NULL, 1, T_INT64, 0, self), "NULL");
  REFUSED(dart_sendrecv, (NULL, 1, T_INT64, 0, self, got, 1, T_INT64, 0, self), "NULL");
  REFUSED(dart_sendrecv, (sent, 1, T_INT64, 0, self, NULL, 1, T_INT64, 0, self), "NULL");
  EXPECT_OK(dart_type_destroy(&strided));
  expect_untouched(segment);
}
