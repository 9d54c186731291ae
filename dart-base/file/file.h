#ifndef DART__FILE_FILE_H
#define DART__FILE_FILE_H
/* What the files of this folder share: an open file, and checks of arguments. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <dash/dart/ext/dart_file.h>
#include <dash/dart/ext/dart_range.h>
#include <dash/dart/if/dart_globmem.h>

#include "file/file_access.h"
#include "model/team.h"

#define DART__FILE_STAGE ((size_t)1 << 20) /* bytes copied together at a time */

struct dart__file_worker; /* file_request.c */
struct dart__file_window; /* file_window.c */
struct dart__file_boxes;  /* between.c */

/* What a unit accesses in a collective call, as all units know it. At the opening, `first` and `end` are what it calls
 * the file, and `name` is the kernel that calls it so. */
typedef struct {
  uint64_t ret; /* of its arguments */
  uint64_t first, end;
  uint64_t nbytes;
  uint64_t nruns;
  uint64_t joins; /* its pieces ascend */
  uint64_t block; /* bytes that the file system likes best, as it says */
  uint64_t name;  /* of the open file, see dart_file_struct */
} dart__file_plan_t;

/* What a node reads or writes in a collective call, and what this unit has in it. */
typedef struct {
  uint64_t start, end;
  size_t   at; /* the first data byte of the access that was not exchanged */
} dart__file_domain_t;

struct dart_file_struct {
  uint32_t    cycle; /* of init and exit that it belongs to */
  dart_team_t teamid;
  int         fd;
  int         lost; /* an errno: of what this unit has written something was lost, and no call has said so; or 0 */
  unsigned    flags;   /* DART_FILE_... */
  uint64_t    limit;   /* dart__raw_limit */
  uint64_t    block;   /* see dart__file_plan_t */
  uint64_t    device;  /* what the node calls the file: st_dev ... */
  uint64_t    number;  /* ... and st_ino */
  dart_gptr_t pointer; /* the shared pointer, in the pool of the team's first unit */
  uint64_t own_word; /* offset of this unit's word for that in its pool; the first unit's is used */
  uint64_t name; /* the first unit's `own_word`: of the team's open files this one alone has it */
  bool     is_atomic;
  dart_range_t range; /* NULL: never in atomic mode. It has room for one access of each unit: ... */
  pthread_mutex_t turn;  /* ... of the thread that has this */
  size_t          spans; /* ranges that an access locks at most, in atomic mode */

  dart__type_t view;
  uint64_t     displacement;
  bool         has_view;
  bool         views_are_apart; /* no two units' views overlap */

  _Atomic bool              tells_cached; /* dart__raw_read_cached, as far as is known */
  _Atomic(char *)           stage;        /* DART__FILE_STAGE; NULL: none, or some thread uses it */
  dart__file_plan_t        *plans;        /* [nunits], for collective calls */
  dart__file_domain_t      *domains;      /* [nodes of the team] */
  struct dart__file_window *window;       /* opened by the first collective that needs it */
  struct dart__file_boxes  *boxes;        /* opened as `window`; NULL: the team is on one node */
  struct dart__file_worker *worker;       /* NULL: no request was made */
  _Atomic uint32_t          npending;     /* requests that were begun and not completed */
};

/** The team of an open file, or NULL after a log line. */
dart__team_t *dart__file_check(const char *function, dart_file_t file);

/** Note what the system has refused, and log it; DART_ERR_OTHER. */
dart_ret_t dart__file_refused(const char *function, int error);

/** What dart_file_error gives. */
void dart__file_set_error(int error);

/** The end of a collective call whose `worst` result of all units is known: notes the error, and logs that the call has
 *  failed elsewhere. Returns `worst`. */
dart_ret_t dart__file_failed(const char *function, const dart__team_t *team, dart_ret_t mine,
                             dart_ret_t worst, int error);

/** Agree on the worst of all units' results and errors, which are noted. A unit with another result logs that
 *  the call has failed elsewhere. */
dart_ret_t dart__file_agree(const char *function, dart__team_t *team, dart_ret_t mine, int error);

/** Begin a collective call: agree on the worst of all units' results, and that they give the same file and the same
 *  `value`; else DART_ERR_INVAL, after a log line. All units have come when it returns. */
dart_ret_t dart__file_agree_on(const char *function, dart__team_t *team, dart_file_t file,
                               dart_ret_t mine, uint64_t value);

/** dart__file_agree_on without a value, of a call that each unit has made already, for it changes nothing that others see:
 *  `*error`, what the system has refused or 0, becomes the worst of all units'. */
dart_ret_t dart__file_agree_done(const char *function, dart__team_t *team, dart_file_t file,
                                 dart_ret_t mine, int *error);

/** Check the arguments of a transfer of `nelem` elements from byte `offset` of the view on: the access, or an
 *  error after a log line. `needs` is DART_FILE_READ or DART_FILE_WRITE. */
dart_ret_t dart__file_access(const char *function, dart_file_t file, uint64_t offset,
                             const void *buffer, size_t nelem, dart_datatype_t mem_type,
                             dart_datatype_t file_type, unsigned needs, dart__access_t *access_out);

/** dart__file_access of elements that lie one behind the other in the file. */
dart_ret_t dart__file_access_packed(const char *function, dart_file_t file, uint64_t offset,
                                    const void *buffer, size_t nelem, dart_datatype_t mem_type,
                                    unsigned needs, dart__access_t *access_out);

/** A buffer of DART__FILE_STAGE bytes; NULL: no memory. */
char *dart__file_take_stage(dart_file_t file);
void  dart__file_return_stage(dart_file_t file, char *stage);

/* ---- of other files of this folder ------------------------------------------------------------------ */

/** file_collective.c, for calls that find out for themselves where they are: read or write all units' accesses. `ret` is the
 *  result of checking this unit's arguments: if it is an error on some unit, all return one, nothing is done, and the
 *  access of that unit is not looked at. Collective. */
dart_ret_t dart__file_all(const char *function, dart_file_t file, bool is_read,
                          const dart__access_t *access, dart_ret_t ret, size_t *count);

/** file_request.c: DART_ERR_INVAL, after a log line: requests were begun and not completed. */
dart_ret_t dart__file_check_pending(const char *function, dart_file_t file);

/** End what serves the file's requests, of which none is pending. */
void dart__file_end_requests(dart_file_t file);

#endif
