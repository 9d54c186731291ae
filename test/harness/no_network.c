/* Calls of net.h that tests of shared memory never make. */
#include "net.h"

static void never(void) __attribute__((noreturn));
static void never(void)
{
  abort();
}

dart__net_t dart__net = { .largest_tag = 32767 };

void dart__net_abort(int code, bool is_asked)
{
  (void)code, (void)is_asked;
  never();
}

void dart__net_move(dart__team_t *team, dart__chunk_t *chunk, int32_t unit, uint64_t offset,
                    void *buffer, size_t nbytes, bool is_put, dart__net_request_t *request_out)
{
  (void)team, (void)chunk, (void)unit, (void)offset, (void)buffer, (void)nbytes, (void)is_put,
      (void)request_out;
  never();
}

void dart__net_flush(dart__team_t *team, dart__chunk_t *chunk, int32_t unit, bool at_target)
{
  (void)team, (void)chunk, (void)unit, (void)at_target;
  never();
}

void dart__net_send(dart__net_comm_t *comm, int32_t peer, dart__channel_t channel, int tag,
                    const void *data, size_t nbytes, dart__net_request_t *request_out)
{
  (void)comm, (void)peer, (void)channel, (void)tag, (void)data, (void)nbytes, (void)request_out;
  never();
}

void dart__net_recv(dart__net_comm_t *comm, int32_t peer, dart__channel_t channel, int tag,
                    const dart__net_message_t *claimed, void *buffer, size_t nbytes,
                    dart__net_request_t *request_out)
{
  (void)comm, (void)peer, (void)channel, (void)tag, (void)claimed, (void)buffer, (void)nbytes,
      (void)request_out;
  never();
}

bool dart__net_probe(dart__net_comm_t *comm, int32_t peer, dart__channel_t channel, int tag,
                     bool claims, dart__net_message_t *found_out)
{
  (void)comm, (void)peer, (void)channel, (void)tag, (void)claims, (void)found_out;
  never();
}

int dart__net_test(dart__net_comm_t *comm, dart__net_request_t *const requests[], int count,
                   dart__net_message_t *message_out)
{
  (void)comm, (void)requests, (void)count, (void)message_out;
  never();
}

void dart__net_cancel(dart__net_comm_t *comm, dart__net_request_t *request)
{
  (void)comm, (void)request;
  never();
}
