/* Messages to far units: there are none. */
#include <stdlib.h>

#include "base/log.h"
#include "port.h"

static dart_ret_t unreachable(const char *function)
{
  dart__error("%s: dart-shmem has no far units", function);
  abort();
}

dart_ret_t dart__far_send(dart_unit_t unit, int tag, const void *data, size_t nbytes,
                          dart__far_message_t **message_out)
{
  (void)unit, (void)tag, (void)data, (void)nbytes, (void)message_out;
  return unreachable(__func__);
}

dart_ret_t dart__far_recv(dart_unit_t unit, int tag, void *buffer, size_t nbytes,
                          dart__far_message_t **message_out)
{
  (void)unit, (void)tag, (void)buffer, (void)nbytes, (void)message_out;
  return unreachable(__func__);
}

void dart__far_message_forget(dart__far_message_t *message)
{
  (void)message;
  unreachable(__func__);
}

dart_ret_t dart__far_message_test(dart__far_message_t *message, bool *done_out)
{
  (void)message, (void)done_out;
  return unreachable(__func__);
}
