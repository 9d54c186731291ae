#ifndef DASH__DART__EXT__DART_STATS_H__INCLUDED
#define DASH__DART__EXT__DART_STATS_H__INCLUDED
/** @file dart_stats.h
 *  Statistics: what this unit has done in DART, how long it waited, and which memory DART has for it.
 *
 *  They are always counted, except operations on near memory, which are loads and stores: these only with
 *  DART_STATS=near. All units' can be printed by dart_exit, without a change of the program: DART_STATS, see
 *  doc/profiling.md, which also has the list. (The idea is that of GASNet's statistics and of the performance
 *  variables of MPI's tool interface, MPI_T: a list that describes itself.)
 *
 *  Behind DART's own are those that the transport offers: with dart-shmem on simulated nodes, counts of messages
 *  (`net_messages` and others); with dart-mpi, MPI's performance variables,
 *  by the name `mpi.` and MPI's own. Which these are, and whether there are any, is the matter of that library, and
 *  may differ between units; a sum is of kind DART_STATS_EVENTS whatever it is a sum of, a time in seconds becomes
 *  DART_STATS_TIME, all else is DART_STATS_VALUE. Of a variable that is an array the sum is read. They are opened
 *  when the program first calls dart_stats_size or dart_stats_reset after dart_init, or asks for what is behind DART's
 *  own, and their sums count from there; with DART_STATS from dart_init on.
 *
 *  A statistic has an index, and a name, which stays the same from one version of DART to the next where the
 *  index may not. All functions are local, and any thread may call them at any time, also before
 *  dart_init and after dart_exit; they change and order nothing else. */

#include <stddef.h>
#include <stdint.h>

#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/** What the value of a statistic is. */
typedef enum {
  DART_STATS_EVENTS, /**< how often something has happened, since the last reset */
  DART_STATS_BYTES,  /**< bytes of such events, since the last reset */
  DART_STATS_TIME,   /**< nanoseconds in such events, of all threads together, since the last reset;
                          short ones are sampled, so it is an estimate */
  DART_STATS_LEVEL,  /**< bytes of memory now */
  DART_STATS_PEAK,   /**< the most bytes of memory since the last reset */
  DART_STATS_VALUE /**< of the transport's library: a number as it is now, of what `meaning` says */
} dart_stats_kind_t;

/** The description of a statistic. */
typedef struct {
  const char
      *name; /**< lower-case letters and underscores; the transport's as its library has it */
  const char       *meaning; /**< in some words */
  dart_stats_kind_t kind;
} dart_stats_info_t;

/** How many statistics there are. Constant from the first dart_init on; before it the transport's are missing, which
 *  come last. */
size_t dart_stats_size(void) DART_NOTHROW;

/** Describe statistic `index`, which is less than dart_stats_size(). The texts are constant.
 *  DART_ERR_INVAL: there is no such index, or `info` is NULL. */
dart_ret_t dart_stats_describe(size_t index, dart_stats_info_t *info) DART_NOTHROW;

/** The index of a statistic. DART_ERR_NOTFOUND, without a log line: this version has none of that name.
 *  DART_ERR_INVAL: `name` or `index` is NULL. */
dart_ret_t dart_stats_find(const char *name, size_t *index) DART_NOTHROW;

/** Read the first `n` statistics of this unit, to values[0] .. values[n - 1].
 *
 *  What the calling thread has done is in it; of other threads, and of the progress agent, what is known yet, which
 *  is of another moment for each value. Events, bytes and times do not go back from one read to the next, except
 *  by a reset. DART_ERR_INVAL: `n` is more than dart_stats_size(), or `values` is NULL and `n` is not 0. */
dart_ret_t dart_stats_read(uint64_t *values, size_t n) DART_NOTHROW;

/** Reset the statistics: from now on events, bytes and times count from 0, and peaks from their levels, also in what
 *  dart_exit prints. Values of the transport's library begin anew where that library lets them. dart_init does all
 *  of it, too, but does not open what the transport's library has. What other threads do meanwhile is counted before
 *  or after. */
dart_ret_t dart_stats_reset(void) DART_NOTHROW;

/** What has happened between two reads of `n` statistics, without a reset between: `after` less `before` for
 *  events, bytes and times; all else as it is in `after`. `difference` may be `before` or `after`.
 *  DART_ERR_INVAL: as for dart_stats_read, for each of the three. */
dart_ret_t dart_stats_difference(const uint64_t *before, const uint64_t *after,
                                 uint64_t *difference, size_t n) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__EXT__DART_STATS_H__INCLUDED */
