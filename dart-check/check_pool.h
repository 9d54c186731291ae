#ifndef DART__CHECK_CHECK_POOL_H
#define DART__CHECK_CHECK_POOL_H
/* Blocks of the pool, which dart_memalloc allocates. */
#include "check.h"

/** Check the guards of all blocks, and that freed blocks are unchanged. */
void dart__check_block_guards(dart__at_t at);

/** Whether the block of dart_memalloc at `offset` of this unit's pool was freed; if so, it is reported. */
bool dart__check_block_freed(uint64_t offset, dart__at_t at);

/** At the end: report the blocks that were not freed; clear the records. */
void dart__check_blocks_leaked(void);
void dart__check_blocks_forget(void);

#endif
