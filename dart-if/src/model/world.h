#ifndef DART__MODEL_WORLD_H
#define DART__MODEL_WORLD_H
/* What this process knows of the job it is a unit of. Written by init and exit, read everywhere. */
#include <stdbool.h>
#include <stdint.h>

#include <dash/dart/if/dart_types.h>

#include "node/wait.h"

typedef struct {
  _Atomic bool initialized;     /* from inside init until exit starts */
  bool         many_threads;    /* DART_THREAD_MULTIPLE: threads of a unit are told apart */
  bool         many_nodes;      /* some units are far: their requests need progress here */
  bool         progress_is_due; /* calls that poll have something to do on the way: many_nodes, or
                                    * own updates wait; see api/progress/progress.h */
  bool         far_atomics;     /* the backend does the atomics on memory that far units share, on
                                    * near memory too */
  uint32_t     cycle;           /* how often init was called: tells what is left over */
  dart_unit_t  me;              /* global id */
  int32_t      nunits;
  int32_t     *node_of; /* global id → number of its node; units with equal numbers are near */
  int32_t     *pid_of;  /* global id → process; meaningful on the own node */
  dart__wait_policy_t wait;
  void (*leave)(
      int code); /* api/job/leave.c. The backend calls it where the process ends, perhaps with
                                * this code, while it is initialized */
  dart__event_t *event; /* raised when this unit may have what it waits for: a message, a
                                * notification; NULL: not yet */
} dart__world_t;

extern dart__world_t dart__world;

/** The settings' way to wait, where `sharing` units share the processors of this one. */
dart__wait_policy_t dart__world_wait_policy(uint32_t sharing, void (*progress)(void));

#endif
