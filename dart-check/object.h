#ifndef DART__CHECK_OBJECT_H
#define DART__CHECK_OBJECT_H
/* What the program creates and must destroy: groups, teams, types, operators, locks, and the like. */
#include "check.h"

/* X(id, name, what ends an object of this kind, whether the program may end it after dart_exit, too). */
#define DART__CHECK_KINDS(X)                    \
  X(GROUP, "group", "destroyed", false)         \
  X(TEAM, "team", "destroyed", false)           \
  X(TYPE, "type", "destroyed", false)           \
  X(OPERATOR, "operator", "destroyed", false)   \
  X(LOCK, "lock", "destroyed", true)            \
  X(RANGE, "range object", "destroyed", true)   \
  X(FILE, "file", "closed", true)               \
  X(ALLOCATOR, "allocator", "destroyed", false) \
  X(REGISTERED, "registered memory", "deregistered", false)

#define DART__CHECK_LASTING "locks, range objects and files" /* those that may be ended after it */

typedef enum {
#define DART__CHECK_KIND(id, name, ended, lasts) DART__CHECK_##id,
  DART__CHECK_KINDS(DART__CHECK_KIND)
#undef DART__CHECK_KIND
      DART__CHECK_OBJECT_KINDS
} dart__check_kind_t;

typedef struct {
  dart__check_kind_t kind;
  uintptr_t          key; /* its handle */
  bool               is_alive;
  dart_team_t        team;   /* that has created it; DART_TEAM_NULL: none */
  uint64_t           serial; /* counts the team's objects of this kind; the same in all units */
  dart__at_t         made;
  dart__at_t         ended;
  struct { /* for a type: see dart_types.h */
    dart_datatype_t base;
    size_t          nbytes;                /* custom: of an element */
    size_t          per;                   /* elements per instance; 0: custom type */
    size_t          first, extent, stride; /* in elements; stride: from one instance to the next */
  } type;
} dart__check_object_t;

/** If `ret` is DART_OK, record a new object, and return its entry; else return NULL. */
dart__check_object_t *dart__check_made(dart_ret_t ret, dart__check_kind_t kind, uintptr_t key,
                                       dart_team_t team, dart__at_t at);

/** The entry of an object; NULL if it does not exist. */
dart__check_object_t *dart__check_object(dart__check_kind_t kind, uintptr_t key);

/** Whether the call may use or destroy `key`; if not, this is reported. NULL handles may go on to DART. */
bool dart__check_may_use(dart__check_kind_t kind, uintptr_t key, dart__at_t at);

/** If `ret` is DART_OK, record that the program has destroyed the object. */
void dart__check_ended(dart_ret_t ret, dart__check_kind_t kind, uintptr_t key, dart__at_t at);

/** The team that has created the object, and its number, for collective calls. False: the object is unknown. */
bool dart__check_owner(dart__check_kind_t kind, uintptr_t key, dart_team_t *team_out,
                       uint64_t *serial_out);

/** Report all existing objects as leaks: of the kinds that may be ended after dart_exit, or of the others. */
void dart__check_leaks(bool lasting);

/** How many of the first exist. */
uint64_t dart__check_lasting(void);

/** Drop all of the others: their cycle of init and exit has ended. */
void dart__check_forget(void);

/** Drop those that the team has created: the team is destroyed. */
void dart__check_forget_of(dart__check_kind_t kind, dart_team_t team);

/** Forget the objects of all kinds that belong to a team. */
void dart__check_forget_of_team(dart_team_t team);

#endif
