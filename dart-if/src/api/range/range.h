#ifndef DART__API_RANGE_H
#define DART__API_RANGE_H
/* Range locks: what other modules need of them. */
/** Let far units operate on the tables of this unit, from init to exit. */
void dart__range_open(void);
void dart__range_close(void);

/** Nothing that far requests have left to be told by this unit is told any more, once no request is under way and what
 *  this sends is flushed. */
void dart__range_settle(void);

/** Release all ranges that this unit holds, of all objects; none of its threads uses DART any more. */
void dart__range_release_all(void);

#endif
