#ifndef REFUSAL_H
#define REFUSAL_H
/* Calls with bad arguments: the call is refused with the contract's error and one line that names the function and the
 * wrong value, nothing is written anywhere, and the runtime works on.
 *
 * A row of a table is a call, and what its line has to say. Results that have a null value get it; which of them a call
 * is given can be seen in its text ("&out.team"), so every row checks all of them: null if given, untouched if not.
 * Collective functions get the same wrong argument from all units, so that none of them waits for another.
 *
 * cli_symbols.sh compares the functions that have a row in a suite_errors_*.c with those of the libraries. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <dash/dart/if/dart_locality.h>

#include "dart_test.h"

enum { NBYTES = 1024, COUNT = NBYTES / 8, UNKNOWN_TEAM = 12345, UNKNOWN_SEGMENT = 77 };

#define TOO_MANY (SIZE_MAX / 8 + 2) /* int64_t: 8 bytes, if the product wraps */

/* Local memory of the calls: what they read, and what they must not write. */
typedef struct {
  _Alignas(16) int64_t sent[COUNT + 1];
  _Alignas(16) int64_t got[COUNT + 1];
} refusal_local_t;

extern refusal_local_t local;

/* Results. */
typedef struct {
  dart_gptr_t             gptr;
  dart_team_t             team;
  dart_group_t            group;
  dart_datatype_t         type;
  dart_operation_t        op;
  dart_handle_t           handle;
  dart_lock_t             lock;
  dart_allocator_t        allocator;
  dart_global_unit_t      global;
  dart_team_unit_t        unit;
  void                   *addr;
  uint16_t                flags;
  int32_t                 answer;
  size_t                  size;
  int                     count;
  dart_domain_locality_t *domain, **domains;
  dart_unit_locality_t   *locality;
  char                  **tags;
} refusal_out_t;

extern refusal_out_t out;

extern const dart_gptr_t null_gptr;

#define ROW(function, arguments, code, says) \
  (refusal_begin(),                          \
   refusal_end(TEST__HERE(#function #arguments), function arguments, code, #function, says))

#define REFUSED(function, arguments, says) ROW(function, arguments, DART_ERR_INVAL, says)

/* A row, by hand. */
void refusal_begin(void);
void refusal_end(test_place_t at, dart_ret_t got, dart_ret_t expected, const char *function,
                 const char *says);

/* What a line says, where it depends on the number of units. Valid until the next call. */
const char *saying(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A segment no byte of which may change, between two tests of that. Collective over its team. */
dart_gptr_t untouched_segment(dart_team_t team);
void        expect_untouched(dart_gptr_t segment);

/* What most rows use beside the wrong argument. */
static const dart_team_unit_t   unit_0   = { 0 };
static const dart_global_unit_t global_0 = { 0 };

enum { NO_TEAMS = 4, NO_TYPES = 6 };

typedef struct {
  dart_team_t id;
  const char *says;
} no_team_t;

extern const no_team_t no_teams[NO_TEAMS];

/* Types that are none, and one that was: a destroyed one is the last of the table, once it is filled. */
typedef struct {
  dart_datatype_t id;
  char            says[32];
} no_type_t;

extern no_type_t no_types[NO_TYPES];

void fill_no_types(void);

/* A function for operators of int64_t. */
void first_of_two(const void *invec, void *inoutvec, size_t len, void *user_data);

#endif
