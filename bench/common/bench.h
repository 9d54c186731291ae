#ifndef BENCH_COMMON_BENCH_H
#define BENCH_COMMON_BENCH_H
/* What every benchmark program does alike: join the job, read its command line so that all units
 * decide the same and one of them speaks, take time, end with the line that tables are made of. */
#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dash/dart/if/dart.h>

/* Exit codes; every unit of a program ends with the same one. */
enum { BENCH_VERIFIED = 0, BENCH_FAILED = 1, BENCH_BAD_INPUT = 2 };

typedef struct {
  dart_unit_t me; /* global id of this unit */
  size_t      nunits;
  uint64_t    nnodes; /* what the launcher says in DART_NODES; 1 without it */
} bench_job_t;

/** Join the job: calls dart_init. Ends the program where that fails (BENCH_FAILED) or where
 *  DART_NODES is not a number (BENCH_BAD_INPUT). */
bench_job_t bench_start(int *argc, char ***argv);

/** The same for a program whose threads use DART; ends it where they may not. */
bench_job_t bench_start_threads(int *argc, char ***argv);

/** Read the command line into `options`, the input of `argp`. Adds --help, takes no arguments that
 *  are not options. All units see the same words and so decide alike; unit 0 prints.
 *
 *  True: go on. False: end the program with `*exit_code_out`; what there was to say is said. */
bool bench_parse(const bench_job_t *job, const struct argp *argp, int argc, char **argv,
                 void *options, int *exit_code_out);

/** Whether `name` has one of the patterns in a list with commas. NULL: all names do. */
bool bench_selects(const char *patterns, const char *name);

/** For the parser of an `argp`: the value of `option` as a whole number from `least` to `most`.
 *  EINVAL: it is not one, and unit 0 said so; `*value_out` is unchanged. */
error_t bench_number(const struct argp_state *state, const char *option, const char *text,
                     uint64_t least, uint64_t most, uint64_t *value_out);

/** For the parser of an `argp`: unit 0 says that `text` will not do for `option`, and what would.
 *  Always EINVAL. */
error_t bench_bad_value(const struct argp_state *state, const char *option, const char *text,
                        const char *wanted);

/** Unit 0 prints one line on stderr, which the name of the program opens. */
void bench_complain(const bench_job_t *job, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** The backend this program is linked with: "shmem", "mpi". */
const char *bench_backend(void);

/** Seconds of a clock that only goes forward. */
double bench_seconds(void);

/** The same once all units are here; collective. */
double bench_begin(void);

/** Seconds since bench_begin, of the slowest unit; collective. */
double bench_took(double begin);

/** The largest of the units' values, on all of them. Collective over all units. */
double bench_max(double value);

/** Sort, the smallest first. */
void bench_sort(double *values, size_t n);

/** `count` zeroed elements of `size` bytes, to be freed with free. Without memory the job ends. */
void *bench_alloc(size_t count, size_t size);

/** Unit 0 prints the line that ends every benchmark:
 *  RESULT benchmark=NAME backend=NAME units=N nodes=N figure="TEXT" verified=yes|no */
void bench_result(const bench_job_t *job, const char *benchmark, const char *figure, bool verified);

/** A call that cannot fail in a correct run. Where it does, the job ends: the other units may
 *  already wait for this one. */
#define BENCH_OK(call)                                   \
  do {                                                   \
    dart_ret_t bench_ret_ = (call);                      \
    if (bench_ret_ != DART_OK)                           \
      bench_fail(__FILE__, __LINE__, #call, bench_ret_); \
  } while (0)

void bench_fail(const char *file, int line, const char *call, dart_ret_t ret)
    __attribute__((noreturn));

#endif
