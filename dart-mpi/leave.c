/* A unit that ends without dart_exit: see api/leave.c.
 *
 * It tells all far units, in messages of the service, for each of its teams the last step that it took
 * part in. Then it serves whoever still uses its memory, until all units have come to their end: memory
 * of a process that has gone cannot be reached, and MPI does not end while windows are open. All have
 * left in the same way then, for a unit that calls dart_exit waits there for this one, and so ends the
 * program; so they can close together what is open. */
#include "base/log.h"
#include "model/world.h"
#include "mpi_port.h"
#include "service.h"

typedef struct {
  dart__message_t head;
  uint64_t        words[DART__BATCH_WORDS]; /* a team, above its step */
  size_t          nwords;
} news_t;

static void send_news(dart_unit_t unit, news_t *news)
{
  MPI_Request request;

  dart__service_tell(unit, &news->head);
  DART__MPI(MPI_Isend, &news->head, (int)(sizeof news->head + news->nwords * sizeof(uint64_t)),
            MPI_BYTE, unit, DART__TAG_MESSAGE, dart__mpi.service, &request);
  dart__mpi_wait(&request);
}

static void send_all(news_t *news)
{
  for (dart_unit_t u = 0; u < dart__world.nunits; u++)
    if (dart__world.node_of[u] != dart__world.node_of[dart__world.me])
      send_news(u, news);
  news->nwords = 0;
}

static void tell_far_units(void)
{
  static news_t news; /* too large for some stacks */

  news.head = (dart__message_t){ .kind = DART__GONE };
  for (int32_t id = 0; id < DART__MAX_TEAMS; id++) {
    if (dart__teams[id] == NULL)
      continue;
    news.words[news.nwords++] = (uint64_t)id << 32 | dart__teams[id]->exchange.episode;
    if (news.nwords == DART__BATCH_WORDS)
      send_all(&news);
  }
  if (news.nwords > 0)
    send_all(&news);
}

/* A team that the unit told of is open on all its units, and stays so, for it ends with a step of all:
 * until this unit has left, too. */
void dart__hear_gone(dart_unit_t unit, const uint64_t *words, size_t nwords)
{
  if (!dart__world.initialized)
    return;
  for (size_t i = 0; i < nwords; i++) {
    dart__team_t *team   = dart__team_find((dart_team_t)(words[i] >> 32));
    int32_t       member = team == NULL ? -1 : dart__team_unit_of(team, unit);

    if (member >= 0)
      dart__exchange_note_gone(&team->exchange, member, (uint32_t)words[i]);
  }
}

bool dart__port_leave(void)
{
  MPI_Request request;

  if (dart__world.many_nodes)
    tell_far_units();
  DART__MPI(MPI_Ibarrier, dart__mpi.world, &request);
  dart__mpi_wait(&request);
  dart__agent_close(); /* it may be hearing of the last one */
  return true;
}
