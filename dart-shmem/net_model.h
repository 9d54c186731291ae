#ifndef DART__SHMEM_NET_MODEL_H
#define DART__SHMEM_NET_MODEL_H
/* How the simulated network behaves: the setting DART_NET. */
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  bool     is_software; /* puts and gets need progress of their target */
  bool     has_delays;  /* one of the next three is not 0 */
  double   latency_ns;
  double   jitter_ns; /* each packet takes up to so much longer */
  double   bandwidth; /* bytes a second of what a unit sends, one after the other; 0: no bound */
  uint64_t seed;      /* of jitter */
} dart__net_model_t;

/* Of a setting that cannot be read: all of it, and the word that is wrong with its length before. */
#define DART__NET_MODEL_WRONG                                                                 \
  "DART_NET='%s': '%.*s' is none of rdma, software, latency=TIME, jitter=TIME (2us, at most " \
  "1s), bandwidth=BYTES (10G a second), seed=NUMBER, or a second one of its kind"

/** Read "rdma|software,latency=2us,bandwidth=10G,jitter=1us,seed=7", each word optional, at most once, in any order.
 *  NULL: it was read; else the first word that is wrong. */
const char *dart__net_model_read(const char *text, dart__net_model_t *model_out);

#endif
