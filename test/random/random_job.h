#ifndef RANDOM_RANDOM_JOB_H
#define RANDOM_RANDOM_JOB_H
/* A job: the tester under a launcher, in a shape, with settings; started, watched and ended. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "draw.h"

enum { JOB_SETTINGS_MAX = 24, JOB_TEXT_MAX = 8192 };

typedef struct job {
  char        backend[16];                    /* shmem, mpi */
  const char *build;                          /* the folder with launchers and programs */
  const char *program;                        /* NULL: the tester of the backend */
  int         units, nodes, threads;          /* 0 before job_draw: units, nodes are drawn */
  char        settings[JOB_SETTINGS_MAX][64]; /* NAME=VALUE */
  int         nsettings;
  unsigned    round_seconds; /* that a round may take */
  bool        kills;         /* units, in each schedule */
  uint64_t    seed;          /* of the first schedule */
  uint64_t    schedules;     /* how many; 0: until the time limit */
  double      seconds;       /* for all of them */
  char        list[256];     /* a file instead of seeds; "": seeds */
  unsigned    times;         /* that a list is executed at most */
} job_t;

/* Failed: the tester has found a difference, or a call has returned an error. Hung: a round did not end. Crashed: all
 * else, signals and assertions. */
typedef enum { JOB_PASSED, JOB_FAILED, JOB_CRASHED, JOB_HUNG, JOB_NOT_STARTED } job_end_t;

typedef struct {
  job_end_t end;
  int       code;
  uint64_t  seed;                 /* of the schedule that failed, as far as is known */
  char      output[JOB_TEXT_MAX]; /* the end of what it printed */
} job_result_t;

/** Draw the backend's shape, as far as it is not given, and settings. `forced`, NAME=VALUE, are taken as they are. */
void job_draw(job_t *job, draw_t *draw, const char *const *forced, int nforced);

/** Add or change a setting. False: there is no room. */
bool job_set(job_t *job, const char *setting);

/** The command line that does the same. */
void job_text(const job_t *job, char text[JOB_TEXT_MAX]);

/** Run it to its end. */
void job_run(const job_t *job, job_result_t *result_out);

/** A line of a file of seeds: "mpi units=3 nodes=2 threads=1 seed=17 NAME=VALUE"; with "kill=N", N schedules in which
 *  units are killed. False: it is none. */
bool job_parse(const char *line, job_t *job);

#endif
