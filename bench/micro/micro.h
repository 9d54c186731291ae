#ifndef BENCH_MICRO_H
#define BENCH_MICRO_H
/* What the files of this program share: a case, its sides, and what a side finds when it runs.
 *
 * A case is one operation. It has up to four sides, which do the same in different ways: DART; the
 * floor, that is C without a runtime on memory the processes share; and plain MPI, on a static and on
 * a dynamic window. All are measured in turns by the same processes (micro_measure.c). */
#include "../common/bench.h"
#include "../common/shared.h"

#include <pthread.h>

enum {
  LINE          = 64,   /* bytes nobody else writes to */
  BATCH         = 64,   /* operations before one flush */
  LOOKAHEAD     = 1024, /* the same for operations on random words */
  STRIDE        = 4,    /* elements from one to the next */
  SIDES         = 4,    /* of a halo; and where messages start, behind the counters: */
  HALO_START    = LINE,
  NBLOCKS       = 64, /* of an indexed type, and ... */
  INDEXED_WORDS = 127 /* ... the words in them */
};

/* What units use together on the floor. One writer a line, but for what is there to be fought over. */
typedef struct {
  _Alignas(LINE) _Atomic uint64_t ping;
  _Alignas(LINE) _Atomic uint64_t pong;
  bench_barrier_t barrier;
  _Alignas(LINE) pthread_mutex_t mutex; /* shared between processes */
} meeting_t;

typedef enum { NEAR, FAR, TOGETHER } place_t; /* of the partner; TOGETHER: of all units */

/* What a loop works on. Pointers lie in memory, and are read again for each operation. */
typedef struct {
  bench_job_t    job;
  dart_unit_t    partner[2];  /* [NEAR or FAR] unit 0's, and for all; -1: there is none */
  size_t         area;        /* bytes of each buffer below */
  double         compute;     /* seconds a target computes */
  bool           floor, mpi;  /* whether these sides are measured */
  char          *send, *recv; /* private */
  dart_gptr_t    segment;     /* `area` bytes of every unit */
  bench_shared_t shared;      /* the same without DART */
  bench_shared_t common;      /* a block each; in that of unit 0: */
  meeting_t     *meeting;     /* NULL: this unit's host is not that of unit 0 */

  /* The case at hand. */
  place_t     place;
  size_t      size;   /* bytes of one operation */
  size_t      nwords; /* the same in elements of type LONG; 0: less than one */
  dart_unit_t target; /* the partner; for TOGETHER the near one */
  dart_gptr_t at;     /* start of the target's part of the segment */
  char       *there;  /* start of the target's block without DART */
} micro_t;

/* Who executes a loop. The others wait in a barrier: of DART, or of MPI if it is an MPI side. */
typedef enum { BY_ONE /* unit 0 */, BY_PAIR /* and its partner */, BY_ALL } by_t;

/* Either does the operation `n` times and is timed from outside, or (`sample`) once in a
 * repetition finds out by itself how many seconds one takes; unit 0's answer counts. */
typedef struct {
  void (*loop)(micro_t *m, size_t n);
  double (*sample)(micro_t *m);
  by_t by;
} side_t;

typedef enum { WINDOW_STATIC, WINDOW_DYNAMIC, NWINDOWS } window_t;

/* Which sizes a case has, and how much of a buffer one takes: none; a word of 8 bytes; 64 bytes;
 * those of the command line, which are words but for SIZE_ANY, times 1, STRIDE (for indexed types at least one whole instance), BATCH, messages of
 * two steps of a halo, the number of units, or twice that. */
typedef enum {
  SIZE_NONE,
  SIZE_WORD,
  SIZE_LINE,
  SIZE_ANY,
  SIZE_BYTES,
  SIZE_STRIDED,
  SIZE_INDEXED,
  SIZE_BATCH,
  SIZE_HALO,
  SIZE_PER_UNIT,
  SIZE_SENT_AND_RECEIVED
} sizes_t;

enum { IN_NEAR = 1 << NEAR, IN_FAR = 1 << FAR, IN_TEAM = 1 << TOGETHER };

typedef struct {
  const char *name;
  unsigned    places; /* IN_...: far cases are named far_NAME */
  sizes_t     sizes;
  side_t      dart, floor;
  size_t      weight;        /* operations in one turn of the loops; 0 means 1 */
  bool        needs_threads; /* --threads */
  bool        by_units;      /* all units' operations count: a contended lock */
  const char *about;
  void (*prepare)(micro_t *m); /* NULL: nothing; so for the rest */
  void (*clean)(micro_t *m);
} case_t;

/* The cases, by file. Each ends with one that has no name. */
extern const case_t onesided_cases[], strided_cases[], atomic_cases[], inline_cases[],
    static_cases[], collective_cases[], lock_cases[], memory_cases[], busy_cases[], halo_cases[],
    wait_cases[], wake_cases[], thread_cases[];

/* Between two operations of a loop: whatever is in memory may have changed, and is needed. So the
 * compiler neither hoists an operation out of its loop nor drops it. */
static inline void micro_again(void)
{
  __asm__ volatile("" ::: "memory");
}

/** The number after `number` in a row without visible order (Marsaglia's xorshift; not from 0). */
static inline uint64_t micro_random(uint64_t number)
{
  number ^= number << 13;
  number ^= number >> 7;
  return number ^ number << 17;
}

/** Zero the first bytes of every buffer of this unit, and wait until all have done so. Collective. */
void micro_clear(micro_t *m, size_t nbytes);

/* Plain MPI (mpi_common.c), which a program without MPI does not have (no_mpi_micro.c). */

/** Make windows and buffers as large as DART's. Collective over all units. */
void mpi_start(micro_t *m);
void mpi_stop(void);

/** The side of a case on one kind of window; NULL: none. What needs no window is WINDOW_STATIC. */
const side_t *mpi_side(const case_t *c, window_t window);

/** Which window the loops use from now on. */
void mpi_choose(window_t window);

/** Wait for all units inside MPI, which serves their operations meanwhile. */
void mpi_meet(void);

/* The floor (floor.c) */

/** Make the memory, if all units have room for it. Collective over all units. */
void floor_start(micro_t *m);
void floor_stop(micro_t *m);

/** One copy that no compiler can see through, as of a program that passes pointer and size on. */
void floor_copy(void *to, const void *from, size_t nbytes);

/** A flag to the partner and one back, `n` times. */
void floor_round_trip(micro_t *m, size_t n);

/** C11 atomics on the word: a fetch-and-add, and compare-and-swaps as of SWAP_WORD_LOOP. */
void floor_sum_long(micro_t *m, size_t n);
void floor_swap(micro_t *m, size_t n);

/* Loops of an atomic with a result, of a long: `call` adds `value`, or replaces `expected` by it, and stores what
 * was there at `before`. Swaps succeed, but for the first: each expects what the last one left. */
#define FETCH_WORD_LOOP(name, call)      \
  static void name(micro_t *m, size_t n) \
  {                                      \
    long *before = (long *)m->recv;      \
                                         \
    for (size_t i = 0; i < n; i++) {     \
      long value = 1;                    \
                                         \
      call;                              \
      micro_again();                     \
    }                                    \
  }
#define SWAP_WORD_LOOP(name, call)                   \
  static void name(micro_t *m, size_t n)             \
  {                                                  \
    long *before = (long *)m->recv;                  \
                                                     \
    for (size_t i = 0; i < n; i++) {                 \
      long expected = *before, value = expected + 1; \
                                                     \
      call;                                          \
      *before += *before == expected;                \
      micro_again();                                 \
    }                                                \
  }

/* The indexed type: block `i` starts so many words after the beginning, and has so many (strided.c).
 * As many whole instances are moved as the size at hand has room for. */
size_t indexed_offset(size_t block);
size_t indexed_blocklen(size_t block);
size_t indexed_words(const micro_t *m);

/** Seconds of one of unit 0's operations, each done by `operation` with n = 1, while its partner
 *  computes (busy.c). Both call it at the same time. */
double busy_sample(micro_t *m, void (*operation)(micro_t *m, size_t n));

/* Of a halo exchange (micro_halo.c): where a side's message of a step lies in a buffer, and who the
 * neighbours of this unit are. */
size_t      halo_offset(const micro_t *m, uint64_t number, size_t side);
dart_unit_t halo_neighbour(const micro_t *m);

/* Measuring (micro_measure.c) */

typedef struct {
  size_t repetitions;
  double time;  /* seconds of one */
  double limit; /* seconds after which a line gets no more of them; 0: there is no limit */
} effort_t;

/* Nanoseconds of one operation; 0: there is no such side. */
typedef struct {
  double dart, floor, mpi[NWINDOWS];
  size_t repetitions; /* that they are the median of */
} figures_t;

/** All sides of a case as `m` has set it up. Collective; all units get the same figures. */
figures_t measure(micro_t *m, const case_t *c, effort_t effort);

/* Output, by unit 0 (micro_report.c) */

typedef enum { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON, FORMAT_WIDE } format_t;

void report_start(const micro_t *m, format_t format, effort_t effort);
void report_case(const micro_t *m, format_t format, const case_t *c, const figures_t *figures);

/** `nrun` cases were run, and `nleft` left out that this job has, too; `nshort` of `nlines` lines have met the limit. */
void report_end(const micro_t *m, format_t format, size_t nrun, size_t nleft, size_t nshort,
                size_t nlines);

#endif
