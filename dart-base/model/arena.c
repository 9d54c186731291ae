/* The range allocator. Every byte of the range belongs to one block; blocks are linked in address
 * order, free ones also in the list of their size class, and those in use in a hash table by their
 * offset. A table that cannot grow for lack of memory only gets slower, so the one thing an allocation needs
 * memory for is the block record of the remainder; dart__arena_prepare allocates it in advance.
 *
 * Class of a size, in granules: sizes below 16 have a class each, above that every power of two
 * is cut into 16. */
#include "model/arena.h"

#include <stdlib.h>

#define SUB_BITS    4
#define NUM_CLASSES ((64 - SUB_BITS + 1) << SUB_BITS)

#define FEW_BITS 5 /* initial table_bits */

typedef struct block {
  uint64_t      offset; /* bytes */
  uint64_t      nbytes;
  bool          is_free;
  bool          mark;           /* the caller's */
  struct block *before, *after; /* address order */
  struct block *prev, *next; /* free blocks of the same class; in use, `next` in the table's list */
} block_t;

struct dart__arena {
  size_t    granule;
  block_t  *first;
  block_t  *spare; /* record for the remainder of the next split; NULL: none */
  size_t    used_count;
  unsigned  table_bits;
  block_t **table; /* blocks in use, by hash of their offset; `few`, or allocated */
  block_t  *few[1 << FEW_BITS];
  uint64_t  class_map[(NUM_CLASSES + 63) / 64]; /* bit c: class c has free blocks */
  block_t  *class_head[NUM_CLASSES];
};

static unsigned class_of(const dart__arena_t *arena, uint64_t nbytes)
{
  uint64_t granules = nbytes / arena->granule;
  unsigned top;

  if (granules < 1u << SUB_BITS)
    return (unsigned)granules;
  top = 63 - (unsigned)__builtin_clzll(granules);
  return ((top - SUB_BITS + 1) << SUB_BITS) +
         (unsigned)((granules >> (top - SUB_BITS)) & ((1u << SUB_BITS) - 1));
}

static void link_free(dart__arena_t *arena, block_t *block)
{
  unsigned c = class_of(arena, block->nbytes);

  block->is_free = true;
  block->prev    = NULL;
  block->next    = arena->class_head[c];
  if (block->next != NULL)
    block->next->prev = block;
  arena->class_head[c] = block;
  arena->class_map[c / 64] |= UINT64_C(1) << c % 64;
}

static void unlink_free(dart__arena_t *arena, block_t *block)
{
  unsigned c = class_of(arena, block->nbytes);

  block->is_free = false;
  if (block->prev != NULL)
    block->prev->next = block->next;
  else
    arena->class_head[c] = block->next;
  if (block->next != NULL)
    block->next->prev = block->prev;
  if (arena->class_head[c] == NULL)
    arena->class_map[c / 64] &= ~(UINT64_C(1) << c % 64);
}

/* A free block of at least `nbytes`: first from the request's own class, whose blocks may be
 * shorter, then any block of the next class that has one. */
static block_t *find_free(const dart__arena_t *arena, uint64_t nbytes)
{
  unsigned c = class_of(arena, nbytes);
  block_t *block;

  for (block = arena->class_head[c]; block != NULL; block = block->next)
    if (block->nbytes >= nbytes)
      return block;

  c++;
  for (unsigned word = c / 64; word < sizeof arena->class_map / sizeof *arena->class_map; word++) {
    uint64_t map = arena->class_map[word];

    if (word == c / 64)
      map &= ~UINT64_C(0) << c % 64;
    if (map != 0)
      return arena->class_head[word * 64 + (unsigned)__builtin_ctzll(map)];
  }
  return NULL;
}

/* ---- blocks in use ----------------------------------------------------------------------- */

/* The list of an offset. Fibonacci hashing: Knuth, The Art of Computer Programming 3, 6.4. */
static block_t **list_of(const dart__arena_t *arena, uint64_t offset)
{
  uint64_t hash = offset / arena->granule * UINT64_C(0x9e3779b97f4a7c15);

  return &arena->table[hash >> (64 - arena->table_bits)];
}

static void link_used(dart__arena_t *arena, block_t *block)
{
  block_t **list = list_of(arena, block->offset);

  block->next = *list;
  *list       = block;
}

/* The link that points to the block; `*link` is NULL if no block in use starts at the offset. */
static block_t **find_used(const dart__arena_t *arena, uint64_t offset)
{
  block_t **link = list_of(arena, offset);

  while (*link != NULL && (*link)->offset != offset)
    link = &(*link)->next;
  return link;
}

static void grow_table(dart__arena_t *arena)
{
  unsigned  bits  = arena->table_bits + 2;
  block_t **table = calloc((size_t)1 << bits, sizeof(block_t *));

  if (table == NULL)
    return;
  if (arena->table != arena->few)
    free(arena->table);
  arena->table      = table;
  arena->table_bits = bits;
  for (block_t *block = arena->first; block != NULL; block = block->after)
    if (!block->is_free)
      link_used(arena, block);
}

/* ---- life -------------------------------------------------------------------------------- */

dart__arena_t *dart__arena_new(uint64_t nbytes, size_t granule)
{
  dart__arena_t *arena = calloc(1, sizeof *arena);
  block_t       *all   = calloc(1, sizeof *all);

  if (arena == NULL || all == NULL) {
    free(arena);
    free(all);
    return NULL;
  }
  arena->granule    = granule;
  arena->first      = all;
  arena->table      = arena->few;
  arena->table_bits = FEW_BITS;
  all->nbytes       = nbytes - nbytes % granule;
  link_free(arena, all);
  return arena;
}

void dart__arena_delete(dart__arena_t *arena)
{
  if (arena == NULL)
    return;
  for (block_t *block = arena->first, *after; block != NULL; block = after) {
    after = block->after;
    free(block);
  }
  free(arena->spare);
  if (arena->table != arena->few)
    free(arena->table);
  free(arena);
}

bool dart__arena_prepare(dart__arena_t *arena)
{
  if (arena->spare == NULL)
    arena->spare = calloc(1, sizeof *arena->spare);
  return arena->spare != NULL;
}

/* ---- allocation -------------------------------------------------------------------------- */

/* Shorten `block` to `nbytes`; the remainder becomes a free block. False: no memory. */
static bool split(dart__arena_t *arena, block_t *block, uint64_t nbytes)
{
  block_t *rest;

  if (block->nbytes == nbytes)
    return true;
  if (!dart__arena_prepare(arena))
    return false;
  rest          = arena->spare;
  arena->spare  = NULL;
  rest->offset  = block->offset + nbytes;
  rest->nbytes  = block->nbytes - nbytes;
  rest->before  = block;
  rest->after   = block->after;
  block->nbytes = nbytes;
  block->after  = rest;
  if (rest->after != NULL)
    rest->after->before = rest;
  link_free(arena, rest);
  return true;
}

/* Merge the free block after `block` into it. */
static void absorb_after(dart__arena_t *arena, block_t *block)
{
  block_t *gone = block->after;

  unlink_free(arena, gone);
  block->nbytes += gone->nbytes;
  block->after = gone->after;
  if (block->after != NULL)
    block->after->before = block;
  if (arena->spare == NULL)
    arena->spare = gone;
  else
    free(gone);
}

static void free_block(dart__arena_t *arena, block_t *block)
{
  if (block->after != NULL && block->after->is_free)
    absorb_after(arena, block);
  if (block->before != NULL && block->before->is_free) {
    block_t *before = block->before;

    unlink_free(arena, before);
    link_free(arena, block); /* absorb_after unlinks it */
    absorb_after(arena, before);
    block = before;
  }
  link_free(arena, block);
}

/* The free block that a request is cut from, which becomes whole granules. NULL: none is long enough. */
static block_t *find_block(const dart__arena_t *arena, uint64_t *nbytes)
{
  if (*nbytes == 0)
    *nbytes = 1;
  if (*nbytes > UINT64_MAX - arena->granule)
    return NULL;
  *nbytes = (*nbytes + arena->granule - 1) / arena->granule * arena->granule;
  return find_free(arena, *nbytes);
}

bool dart__arena_look(const dart__arena_t *arena, uint64_t nbytes, uint64_t *offset_out)
{
  const block_t *block = find_block(arena, &nbytes);

  if (block != NULL)
    *offset_out = block->offset;
  return block != NULL;
}

bool dart__arena_alloc(dart__arena_t *arena, uint64_t nbytes, uint64_t *offset_out)
{
  block_t *block = find_block(arena, &nbytes);

  if (block == NULL)
    return false;
  unlink_free(arena, block);
  if (!split(arena, block, nbytes)) {
    link_free(arena, block);
    return false;
  }
  block->mark = false;
  link_used(arena, block);
  if (++arena->used_count >> arena->table_bits > 1)
    grow_table(arena);
  *offset_out = block->offset;
  return true;
}

bool dart__arena_free(dart__arena_t *arena, uint64_t offset)
{
  block_t **link  = find_used(arena, offset);
  block_t  *block = *link;

  if (block == NULL)
    return false;
  *link = block->next;
  arena->used_count--;
  free_block(arena, block);
  return true;
}

bool *dart__arena_mark(const dart__arena_t *arena, uint64_t offset)
{
  block_t *block = *find_used(arena, offset);

  return block != NULL ? &block->mark : NULL;
}

bool dart__arena_is_empty(const dart__arena_t *arena)
{
  return arena->used_count == 0;
}
