#ifndef DART__FILE_COLLECTIVE_CALL_H
#define DART__FILE_COLLECTIVE_CALL_H
/* A collective read or write, and how it is divided among nodes. */
#include "file/file.h"

/* A collective call of this unit. */
typedef struct {
  const char           *function;
  dart_file_t           file;
  dart__team_t         *team;
  const dart__access_t *access;
  bool                  is_read;
  bool                  between; /* nodes exchange data, too */
  uint64_t              rounds;  /* of all nodes */
  size_t done; /* data bytes, from the first on, that are written, or that the file has */
  int    error;
} dart__file_call_t;

/** Tell all units what this one accesses; `ret` is the result of checking its arguments. The result is the worst of all
 *  units'. Collective. */
dart_ret_t dart__file_share_plans(dart__file_call_t *c, dart_ret_t ret);

/** Lay out the domains of all nodes, `rounds` and `between`: the same on all units. False: two phases do not pay. */
bool dart__file_divide(dart__file_call_t *c);

/** Set each domain's `at` to the first data byte of the access in it. */
void dart__file_enter_domains(dart__file_call_t *c);

/** Where a node's windows start in a round, those of the next one are behind; the end of its domain, if that is before. */
uint64_t dart__file_area(const dart__file_call_t *c, int32_t node, uint64_t round);

/** The file has no data byte from `at` on: no more than those before are done. */
static inline void dart__file_lacks(dart__file_call_t *c, size_t at)
{
  c->done = at < c->done ? at : c->done;
}

#endif
