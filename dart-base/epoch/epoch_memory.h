#ifndef DART__EPOCH_EPOCH_MEMORY_H
#define DART__EPOCH_EPOCH_MEMORY_H

/** Register dart__segment_state, before the first memory of a cycle is allocated. */
void dart__epoch_memory_open(void);

#endif
