#ifndef DART__BASE_CONFIG_H
#define DART__BASE_CONFIG_H
/* Settings from the environment. The struct, the defaults and the parser are generated from one table:
 * a new setting is one line here.
 *
 *   SIZE(field, "NAME", default, least, most, "meaning")  bytes; suffixes K, M, G (powers of 1024)
 *   INT(field, "NAME", default, least, most, "meaning")
 *   CHOICE(field, "NAME", default index, "a|b|c", "meaning")
 *
 *   OUTPUT(field, "NAME", "a|b|c", "meaning")  a form, by default a, which is no output; after the others ':' and the
 *                                            name of a file may follow; before them "near,", or it is "near" alone
 *
 *   TEXT(field, "NAME", "default", "meaning")  at most DART__TEXT bytes; the code that uses it checks it
 *
 * DART_LOG_LEVEL is not in the table: an unknown level there means the default. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <dash/dart/if/dart_types.h>

#define DART__KI ((size_t)1 << 10)
#define DART__MI ((size_t)1 << 20)
#define DART__GI ((size_t)1 << 30)

#define DART__CONFIG_TABLE(SIZE, INT, CHOICE, OUTPUT, TEXT)                                        \
  SIZE(heap_chunk, "DART_HEAP_CHUNK", 64 * DART__MI, 64 * DART__KI, 1024 * DART__GI,               \
       "address space of a unit's portion of a chunk; larger allocations get their own chunk")     \
  SIZE(pool, "DART_POOL", 1 * DART__GI, 1 * DART__MI, 1024 * DART__GI,                             \
       "address space of a unit's pool for dart_memalloc; pages are reserved as it grows")         \
  CHOICE(huge_pages, "DART_HUGE_PAGES", DART__HUGE_PAGES_AUTO, "auto|none",                        \
         "put memory of at least 2 MiB in huge pages, if the system grants them")                  \
  CHOICE(progress, "DART_PROGRESS", DART__PROGRESS_AUTO, "auto|none|thread",                       \
         "who serves other nodes while the program computes; auto: a thread if the MPI allows")    \
  INT(aggregate, "DART_AGGREGATE", -1, -1, 3800,                                                   \
      "far puts and gets of up to so many bytes are aggregated until a flush; -1: if that "        \
      "thread runs 1024, or 3800 where windows are dynamic, else 0")                               \
  CHOICE(window, "DART_MPI_WINDOW", DART__WINDOW_AUTO, "auto|dynamic|static",                      \
         "one window a team, or one a chunk; auto: static where the transport reaches memory")     \
  TEXT(net, "DART_NET", "rdma",                                                                    \
       "the network between nodes of dart-shmem: rdma|software,latency=2us,bandwidth=10G,"         \
       "jitter=1us,seed=7")                                                                        \
  OUTPUT(stats, "DART_STATS", "none|summary|csv|json",                                             \
         "print what was counted at dart_exit: FORM, to stderr, or FORM:FILE; %u: the unit; "      \
         "near, or near,FORM: count operations on near memory, too, which makes them slower")      \
  INT(hang, "DART_HANG", 0, 0, 1000000,                                                            \
      "seconds a wait may last before it is printed what all units wait for; 0: no limit")         \
  CHOICE(survive, "DART_SURVIVE", 0, "0|1",                                                        \
         "1: the job goes on without units that die; calls that need one of them return an error") \
  CHOICE(backtrace, "DART_BACKTRACE", 1, "0|1|2",                                                  \
         "1: a unit that crashes prints where, unless the program handles the signal itself; 2: "  \
         "errors say by which calls the program came there, too")

/* What a launcher hands to its units: no settings of users. */
#define DART__HANDED_TABLE(INT) \
  INT(nodes, "DART_NODES", 1, 1, 1000000, "how many nodes dartrun --nodes makes of the machine")

/* Constants. Checked builds read them from the environment, so that tests reach corners with few data and units. */
#define DART__CORNER_TABLE(SIZE, INT)                                                         \
  SIZE(slot, "DART_TEST_SLOT", 32 * DART__KI, 256, 16 * DART__MI,                             \
       "bytes a unit contributes to one step of a collective inside the node")                \
  INT(spin, "DART_TEST_SPIN", -1, -1, 1000000,                                                \
      "polls before a waiting unit sleeps; -1: by the number of units per core")              \
  INT(relayed, "DART_TEST_RELAYED", 32, 1, 1000000,                                           \
      "units on other nodes from which on updates travel by relays")                          \
  INT(fan, "DART_TEST_FAN", 0, 0, 1000,                                                       \
      "units in a group of a node's barrier, 2 or more; 0 and 1: by the machine")             \
  INT(counted, "DART_TEST_COUNTED", 4096, 0, 1000000,                                         \
      "units of the largest team whose fences count control messages")                        \
  INT(scattered, "DART_TEST_SCATTERED", 8192, 1, 1000000,                                     \
      "units of the smallest team whose tables of near portions leave out far units")         \
  INT(nap, "DART_TEST_NAP", 0, 0, 1000000,                                                    \
      "microseconds a waiting unit sleeps between two polls of other nodes; 0: DART__NAP_US") \
  INT(agent_nap, "DART_TEST_AGENT_NAP", 1000, 40, 1000000,                                    \
      "microseconds the agent sleeps between two polls while there is no traffic")            \
  INT(types, "DART_TEST_TYPES", 16, 0, 16,                                                    \
      "descriptions of strided and indexed types that a unit keeps for each peer")

enum { DART__HUGE_PAGES_AUTO, DART__HUGE_PAGES_NONE };
enum { DART__WINDOW_AUTO, DART__WINDOW_DYNAMIC, DART__WINDOW_STATIC };
enum { DART__STATS_NONE, DART__STATS_SUMMARY, DART__STATS_CSV, DART__STATS_JSON };
enum { DART__PROGRESS_AUTO, DART__PROGRESS_NONE, DART__PROGRESS_THREAD };

#define DART__OUTPUT_FILE 1024 /* bytes of a file's name, with its end */

typedef struct {
  int  form;
  bool near;                    /* operations on near memory are counted, too */
  char file[DART__OUTPUT_FILE]; /* "": stderr */
} dart__output_t;

#define DART__TEXT 255 /* bytes of a text, without its end */

typedef struct {
#define DART__FIELD_SIZE(field, name, value, least, most, meaning) size_t field;
#define DART__FIELD_INT(field, name, value, least, most, meaning)  long field;
#define DART__FIELD_CHOICE(field, name, value, choices, meaning)   int field;
#define DART__FIELD_OUTPUT(field, name, choices, meaning)          dart__output_t field;
#define DART__FIELD_TEXT(field, name, value, meaning)              char field[DART__TEXT + 1];
  DART__CONFIG_TABLE(DART__FIELD_SIZE, DART__FIELD_INT, DART__FIELD_CHOICE, DART__FIELD_OUTPUT,
                     DART__FIELD_TEXT)
  DART__HANDED_TABLE(DART__FIELD_INT)
  DART__CORNER_TABLE(DART__FIELD_SIZE, DART__FIELD_INT)
#undef DART__FIELD_SIZE
#undef DART__FIELD_INT
#undef DART__FIELD_CHOICE
#undef DART__FIELD_OUTPUT
#undef DART__FIELD_TEXT
} dart__settings_t;

/* Written by dart__settings_read, read-only afterwards. */
extern dart__settings_t dart__settings;

/** Read the environment. DART_ERR_INVAL: a value that does not parse or is out of range, named in
 *  one log line; the settings are then the defaults. */
dart_ret_t dart__settings_read(void);

/** A hash, from 0 to INT32_MAX, of the settings that have to be the same on all units, and a log line of their values
 *  in case they are not. */
int32_t dart__settings_common(void);
void    dart__settings_differ(void);

#endif
