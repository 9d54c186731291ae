#ifndef DART__MPI_WINDOW_WINDOW_H
#define DART__MPI_WINDOW_WINDOW_H
/* Windows of MPI, by which memory of far units is reached. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/outstanding.h"
#include "model/team.h"
#include "mpi/call.h"

typedef struct dart__window {
  struct dart__window *next; /* windows of the same team */
  MPI_Win              win;  /* over the team's communicator; MPI_WIN_NULL: not made yet */
  bool                 is_static;
  bool                 leads; /* this unit is the team's first on its host */
  int32_t              nunits;
  dart__outstanding_t *unit; /* team unit → what is outstanding on this window; sparse */
} dart__window_t;

/* The windows of a team. */
typedef struct {
  pthread_rwlock_t lock;
  dart__window_t  *first;
} dart__windows_t;

/** What this unit says about the kind of windows, by the settings or by the network below MPI. */
#define DART__WINDOW_VOTES 4
void dart__windows_vote(int32_t votes_out[DART__WINDOW_VOTES]);
/** Choose the kind, by the maximum of each value over the job. */
void dart__windows_choose(const int32_t most[DART__WINDOW_VOTES]);

/** Whether chunks may get windows of their own. */
bool dart__windows_are_static(void);

/** Whether this unit can have one more static window; the units of the team have to agree. */
bool dart__window_wants_static(void);

/** A window that MPI has not made yet. Local. NULL: no memory. */
dart__window_t *dart__window_new(const dart__team_t *team);
void            dart__window_delete(dart__window_t *window); /* NULL: nothing */

/** Whether MPI can make one more window over this communicator: DART_OK or DART_ERR_NOMEM. Collective over
 *  the communicator; agreed. */
dart_ret_t dart__window_is_possible(MPI_Comm comm);

/** Make the window over a team's communicator, begin its only epoch, and enter it into the team's windows.
 *  Collective; agreed. DART_ERR_NOMEM. */
dart_ret_t dart__window_open_dynamic(dart__windows_t *all, MPI_Comm comm, dart__window_t *window);
dart_ret_t dart__window_open_static(dart__windows_t *all, MPI_Comm comm, void *base, size_t nbytes,
                                    dart__window_t *window);
void       dart__window_close(dart__windows_t *all, dart__window_t *window);

#endif
