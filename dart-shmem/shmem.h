#ifndef DART__SHMEM_SHMEM_H
#define DART__SHMEM_SHMEM_H
/* Shared by the files of this backend: the job of which this process is a unit, and what it keeps of chunks. */
#include "job_file.h"
#include "wire.h"

typedef struct {
  dart__job_t      *job; /* NULL before the first init */
  int               fd;
  uint32_t          unit;
  uint32_t          episode; /* of the job's barrier */
  uint64_t          nvotes;  /* of the job, which no team's have for keys */
  dart__net_model_t model;   /* of the network between nodes ... */
  dart__net_comm_t *comm;    /* ... and this unit's end of it; NULL: there is one node */
  bool
      reaches_processes; /* puts and gets need no help of other units for their registered memory */
} dart__shmem_t;

extern dart__shmem_t dart__shmem;

/* chunk->net */
typedef struct {
  char          *base; /* all portions, in the order of units; NULL: registered memory */
  size_t         nbytes;
  uint64_t       offset; /* in the file */
  dart__region_t region; /* this unit's portion, for units of other nodes */
} dart__mapping_t;

/** Cut a range of the file for the units of a team, whose first unit calls this; they read where it is behind a barrier.
 *  DART_ERR_NOMEM: the file is used up, or has no page to note it. */
dart_ret_t dart__job_cut_for(dart_team_t team, size_t nbytes);
uint64_t   dart__job_cut_by(dart_unit_t first, dart_team_t team);

/** Whether the kernel lets this unit access the memory of others; they have consented before a barrier. */
bool dart__processes_are_reached(void);

/** Where `offset` in the registered memory of a unit is in its process. NULL: that is not known. */
char *dart__registered_find(const dart__mapping_t *mapping, int32_t unit, uint64_t offset,
                            pid_t *process_out);

/** Map a range of the file at an address that is a multiple of the size of huge pages, as offsets in the file are; or so
 *  that what is `at` bytes further is one of `alignment`. NULL, after one log line. */
char *dart__job_map(uint64_t offset, size_t nbytes, size_t alignment, size_t at);

/* ---- simulated.c: a job of several nodes, and the network between them ---------------------------- */

/** Open the network, whose inboxes are in the range that unit 0 has cut for DART_TEAM_ALL. Collective over the job;
 *  agreed. DART_ERR_NOMEM: nothing is open. */
dart_ret_t dart__simulated_open(void);
void       dart__simulated_close(void); /* not open: nothing */

/** As net.h has it; the network is open. */
uint32_t dart__simulated_idle_us(uint32_t most_us);
void     dart__simulated_drop_lost(dart__net_comm_t *comm);

#endif
