#ifndef TEST_WIRE_TEST_PEERS_H
#define TEST_WIRE_TEST_PEERS_H
/* Peers of a simulated network in one process. */
#include "wire.h"

enum { PEERS_MOST = 8 };

typedef struct {
  int32_t           count;
  char             *inboxes;
  dart__net_comm_t *comm[PEERS_MOST];
  dart__traffic_t   traffic[PEERS_MOST]; /* all that was counted since the program began */
} peers_t;

/** `model` as of DART_NET. */
void peers_open(peers_t *peers, int32_t count, const char *model);
void peers_close(peers_t *peers);

/** The same, where peers may be lost; and lose one: it makes no progress any more. */
void peers_open_mortal(peers_t *peers, int32_t count, const char *model);
void peers_lose(int32_t peer);

/** Let a peer make progress. */
void peers_progress(dart__net_comm_t *comm);

#endif
