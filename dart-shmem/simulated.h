#ifndef DART__SHMEM_SIMULATED_H
#define DART__SHMEM_SIMULATED_H
/* A job of several simulated nodes: the network between them, as net.h has it. */
#include "model/team.h"
#include "shmem.h"

/** Read the setting. DART_ERR_INVAL, after one log line. */
dart_ret_t dart__simulated_read(void);

/** Open the network. Collective over the job; agreed. DART_ERR_NOMEM: nothing is open. */
dart_ret_t dart__simulated_open(void);
void       dart__simulated_close(void); /* not open: nothing */

/** As net.h has it; the network is open. */
uint32_t dart__simulated_idle_us(uint32_t most_us);

/** The value of the team's first unit, once all have called this. Collective over a team of several nodes. */
uint64_t dart__simulated_share(dart__team_t *team, uint64_t value);

/** Let units of other nodes access `nbytes` at `base`, this unit's portion of the chunk, until dart__region_leave. Local,
 *  in the same order on all units of the team. */
void dart__simulated_publish(dart__team_t *team, dart__chunk_t *chunk, char *base, size_t nbytes);

#endif
