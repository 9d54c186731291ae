#ifndef DART__TOPOLOGY_DOMAIN_EDIT_H
#define DART__TOPOLOGY_DOMAIN_EDIT_H
/* The elementary changes by which trees of domains are reshaped, in place: domains that remain keep their
 * addresses, for users hold pointers to them.
 *
 * An operation first allocates all the memory it needs, which may fail and changes nothing, and then makes
 * its changes, which cannot fail. The operations are in domain_prune.c (select, exclude, split),
 * domain_group.c, and domain_move.c (add, move, assign). */
#include <stdbool.h>

#include "topology/domain.h"

/** Whether `inner` is `domain` or below it. */
bool dart__domain_lies_in(const dart_domain_locality_t *inner,
                          const dart_domain_locality_t *domain);

/* ---- getting memory ---------------------------------------------------------------------- */

/** Allocate room for one more child of `domain`, and for `nunits` more units there and above. false: no
 *  memory; what was allocated stays, or is freed by dart__domain_give_room_back. */
bool dart__domain_make_room(dart_domain_locality_t *domain, int nunits);

/** Free arrays that are empty: those that dart__domain_make_room has allocated. */
void dart__domain_give_room_back(dart_domain_locality_t *domain);

/* ---- changing ---------------------------------------------------------------------------- */

/** Take `domain` out of its parent, whose array of children stays, even if it is empty now. */
void dart__domain_take_out(dart_domain_locality_t *domain);

/** Make `child` child number `position` of `parent`, where there is room. */
void dart__domain_put_in(dart_domain_locality_t *parent, dart_domain_locality_t *child,
                         int position);

/** Set the children's relative indices, and free the array of children if it is empty. */
void dart__domain_close_ranks(dart_domain_locality_t *domain);

/** After a change of the units of `domain`: collect the units of all domains above it. */
void dart__domain_collect_above(dart_domain_locality_t *domain);

/* ---- tags and levels --------------------------------------------------------------------- */

/** A number higher than that of any child. Children that were moved into a group had lower ones, too, for the
 *  group got a number that was higher. */
int dart__domain_fresh_number(const dart_domain_locality_t *domain);

/** The number in the tag of a new child: its position if no other child has that number, else a fresh one. */
int dart__domain_number_at(const dart_domain_locality_t *domain, int position);

/** Whether all tags below `domain` are short enough if its own is `tag`. */
bool dart__domain_fits(const dart_domain_locality_t *domain, const char *tag);

/** Set the tag and level of `domain`, and of all domains below it accordingly. The tags fit. */
void dart__domain_retag(dart_domain_locality_t *domain, const char *tag, int level);

/* ---- errors: one log line ---------------------------------------------------------------- */

/** DART_ERR_NOMEM. */
dart_ret_t dart__domain_no_memory(const char *function);

/** DART_ERR_INVAL: no room for tags below `domain`. */
dart_ret_t dart__domain_tag_too_long(const char *function, const dart_domain_locality_t *domain);

#endif
