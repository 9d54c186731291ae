#ifndef DART__CHECK_CHECK_POOL_H
#define DART__CHECK_CHECK_POOL_H
/* Blocks of the pool, which dart_memalloc allocates. */
#include "check.h"

/** Look at the guards of all blocks, and whether freed blocks are untouched. */
void dart__check_block_guards(dart__at_t at);

/** Whether the block of dart_memalloc at `offset` of this unit's pool is one that was freed: reports it. */
bool dart__check_block_freed(uint64_t offset, dart__at_t at);

/** At the end: report blocks that are not freed; empty the book. */
void dart__check_blocks_leaked(void);
void dart__check_blocks_forget(void);

#endif
