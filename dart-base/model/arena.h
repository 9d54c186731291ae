#ifndef DART__MODEL_ARENA_H
#define DART__MODEL_ARENA_H
/* An allocator for an address range: it manages offsets, and does not touch the range itself.
 *
 * Blocks are chosen by size class with immediate coalescing (after TLSF; Masmano, Ripoll, Crespo,
 * Real: TLSF, a New Dynamic Memory Allocator for Real-Time Systems, ECRTS 2004), a block of the
 * request's own class first, so a request that fits somewhere in its class is never refused.
 * Metadata lie outside the range, so blocks pack without gaps. It is deterministic: units that make the
 * same calls get the same offsets. Not thread-safe. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dart__arena dart__arena_t;

/** A range of `nbytes`, all free; blocks start and end at multiples of `granule`, a power of two.
 *  NULL: no memory. */
dart__arena_t *dart__arena_new(uint64_t nbytes, size_t granule);
void           dart__arena_delete(dart__arena_t *arena); /* NULL: nothing */

/** Allocate the metadata of one more block in advance: the next allocation fails only if no gap is long
 *  enough. False: no memory. */
bool dart__arena_prepare(dart__arena_t *arena);

/** Where dart__arena_alloc will cut the block, if it is the next call. False: no gap is long enough. */
bool dart__arena_look(const dart__arena_t *arena, uint64_t nbytes, uint64_t *offset_out);

/** Cut a block of at least `nbytes` (at least one granule). False: no gap is long enough, or
 *  no memory for metadata; nothing changed. */
bool dart__arena_alloc(dart__arena_t *arena, uint64_t nbytes, uint64_t *offset_out);

/** Free the block that starts at `offset`. False: there is none; nothing changed. */
bool dart__arena_free(dart__arena_t *arena, uint64_t offset);

/** A mark of the block that starts at `offset`, for the caller: false when it was cut. NULL: there is none. */
bool *dart__arena_mark(const dart__arena_t *arena, uint64_t offset);

bool dart__arena_is_empty(const dart__arena_t *arena);

#endif
