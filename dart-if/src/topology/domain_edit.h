#ifndef DART__MODEL_DOMAIN_EDIT_H
#define DART__MODEL_DOMAIN_EDIT_H
/* The steps that trees of domains are reshaped in, in place: domains that stay, stay where they are
 * in memory, for users hold pointers to them.
 *
 * Each change first gets all the memory it needs, which may fail, and then is made, which cannot.
 * Between the two nothing has changed. What they are put together to is in domain_prune.c (select,
 * exclude, split), domain_group.c, and domain_move.c (add, move, assign). */
#include <stdbool.h>

#include "topology/domain.h"

/** Whether `inner` is `domain` or below it. */
bool dart__domain_lies_in(const dart_domain_locality_t *inner,
                          const dart_domain_locality_t *domain);

/* ---- getting memory ---------------------------------------------------------------------- */

/** Get room for one more child of `domain`, and for `nunits` more units there and above. false: no
 *  memory; what was got is kept, or given back by the next. */
bool dart__domain_make_room(dart_domain_locality_t *domain, int nunits);

/** Where there was nothing before dart__domain_make_room, nothing remains. */
void dart__domain_give_room_back(dart_domain_locality_t *domain);

/* ---- changing ---------------------------------------------------------------------------- */

/** Take `domain` out of its parent, whose array of children stays, even if it is empty now. */
void dart__domain_take_out(dart_domain_locality_t *domain);

/** Make `child` child number `position` of `parent`, where there is room. */
void dart__domain_put_in(dart_domain_locality_t *parent, dart_domain_locality_t *child,
                         int position);

/** Let children stand where their indices say; an array without any is none. */
void dart__domain_close_ranks(dart_domain_locality_t *domain);

/** After a change in the units of `domain`: collect those of all above it. */
void dart__domain_collect_above(dart_domain_locality_t *domain);

/* ---- tags and levels --------------------------------------------------------------------- */

/** A number that no child has, and none that was here and moved into a group had. */
int dart__domain_fresh_number(const dart_domain_locality_t *domain);

/** The number in the tag of a new child: its position, if no other child has it. */
int dart__domain_number_at(const dart_domain_locality_t *domain, int position);

/** Whether all tags below `domain` are short enough if its own is `tag`. */
bool dart__domain_fits(const dart_domain_locality_t *domain, const char *tag);

/** Give `domain` a new tag and level, and those below it what follows from that. They fit. */
void dart__domain_retag(dart_domain_locality_t *domain, const char *tag, int level);

/* ---- complaints: one log line ------------------------------------------------------------ */

/** DART_ERR_NOMEM. */
dart_ret_t dart__domain_no_memory(const char *function);

/** DART_ERR_INVAL: no room for tags below `domain`. */
dart_ret_t dart__domain_tag_too_long(const char *function, const dart_domain_locality_t *domain);

#endif
