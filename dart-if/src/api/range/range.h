#ifndef DART__API_RANGE_H
#define DART__API_RANGE_H
/* Range locks: what other modules need of them. */
/** Let far units operate on the tables of this unit, from init to exit. */
void dart__range_open(void);
void dart__range_close(void);

#endif
