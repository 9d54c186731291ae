#ifndef DART__CHECK_OBJECT_H
#define DART__CHECK_OBJECT_H
/* What the program has made and has to end: groups, teams, types, operators, locks, and the like. */
#include "check.h"

typedef enum {
  DART__CHECK_GROUP,
  DART__CHECK_TEAM,
  DART__CHECK_TYPE,
  DART__CHECK_OPERATOR,
  DART__CHECK_LOCK,
  DART__CHECK_RANGE,
  DART__CHECK_FILE,
  DART__CHECK_ALLOCATOR,
  DART__CHECK_REGISTERED, /* memory */
  DART__CHECK_OBJECT_KINDS
} dart__check_kind_t;

typedef struct {
  dart__check_kind_t kind;
  uintptr_t          key; /* its handle */
  bool               is_alive;
  dart_team_t        team; /* that made it; DART_TEAM_NULL: none */
  uint64_t   serial;       /* counts objects of the kind and team, so it is the same in all units */
  dart__at_t made;
  dart__at_t ended;
  struct { /* a type: see dart_types.h */
    dart_datatype_t base;
    size_t          nbytes;       /* custom: of an element */
    size_t          per;          /* elements per instance; 0: custom */
    size_t first, extent, stride; /* of an instance, in elements; from one instance to the next */
  } type;
} dart__check_object_t;

/** Note that the program has made an object, on DART_OK; returns its entry, NULL otherwise. */
dart__check_object_t *dart__check_made(dart_ret_t ret, dart__check_kind_t kind, uintptr_t key,
                                       dart_team_t team, dart__at_t at);

/** The entry of a live object; NULL: there is none. */
dart__check_object_t *dart__check_object(dart__check_kind_t kind, uintptr_t key);

/** Whether `key` may be used, or ended, by the call: NULL handles may, for DART to judge. If not, this is
 *  reported. */
bool dart__check_may_use(dart__check_kind_t kind, uintptr_t key, dart__at_t at);

/** Note that the program has ended it, on DART_OK. */
void dart__check_ended(dart_ret_t ret, dart__check_kind_t kind, uintptr_t key, dart__at_t at);

/** The team that made it and its number, for collective calls; false: unknown. */
bool dart__check_owner(dart__check_kind_t kind, uintptr_t key, dart_team_t *team_out,
                       uint64_t *serial_out);

/** Objects of the kinds `first` to `last` that are alive were forgotten: report them. */
void dart__check_leaks(dart__check_kind_t first, dart__check_kind_t last);

/** How many of them are alive. */
uint64_t dart__check_alive(dart__check_kind_t first, dart__check_kind_t last);

/** All of them are gone, with the cycle of init and exit. */
void dart__check_forget(dart__check_kind_t first, dart__check_kind_t last);

/** The same of those that a team has made, with the team. */
void dart__check_forget_of(dart__check_kind_t kind, dart_team_t team);

#endif
