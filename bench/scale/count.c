/* Allocated memory by the place in the source that has allocated it.
 *
 * The linker sends every call of malloc, of tables and of the pool here (--wrap). Live blocks are in a hash table by
 * their address. The table is mapped, so that it does not count itself. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <dash/dart/if/dart_types.h>

#include "base/sparse.h"
#include "model/team.h"
#include "topology/domain_image.h"

#include "scale.h"

#define PAGE    4096
#define IN_POOL (UINT64_C(1) << 63) /* offsets in the pool are no addresses */

typedef struct {
  uint64_t  key; /* address, or offset | IN_POOL; 0: the slot is free */
  uintptr_t site;
  size_t    nbytes;
} block_t;

static struct {
  bool     is_on;
  block_t *slot;
  size_t   nslots; /* a power of two */
  size_t   nblocks;
  size_t   now;
  size_t   peak;
} blocks;

static place_t places[SITES_MOST]; /* all that there have been; of these `resident` is not kept */

/* ---- blocks ------------------------------------------------------------------------------------- */

static block_t *new_slots(size_t count)
{
  void *slots = mmap(NULL, count * sizeof(block_t), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (slots != MAP_FAILED)
    return slots;
  fputs("scale: no memory to count memory in\n", stderr);
  abort();
}

static size_t home_of(uint64_t key)
{
  return (size_t)((key >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (blocks.nslots - 1);
}

/* The slot of a key, or the free one where it belongs. */
static block_t *slot_of(uint64_t key)
{
  size_t i = home_of(key);

  while (blocks.slot[i].key != 0 && blocks.slot[i].key != key)
    i = (i + 1) & (blocks.nslots - 1);
  return &blocks.slot[i];
}

static void grow(void)
{
  block_t *old   = blocks.slot;
  size_t   count = blocks.nslots;

  blocks.nslots = count == 0 ? 1 << 16 : 2 * count;
  blocks.slot   = new_slots(blocks.nslots);
  for (size_t i = 0; i < count; i++)
    if (old[i].key != 0)
      *slot_of(old[i].key) = old[i];
  if (old != NULL)
    munmap(old, count * sizeof *old);
}

static place_t *place_of(place_t *of, const block_t *block)
{
  bool is_pool = (block->key & IN_POOL) != 0;

  for (size_t i = 0; i < SITES_MOST; i++)
    if (of[i].site == 0 || (of[i].site == block->site && of[i].is_pool == is_pool)) {
      of[i].site    = block->site;
      of[i].is_pool = is_pool;
      return &of[i];
    }
  fprintf(stderr, "scale: memory is allocated at more than %d places\n", SITES_MOST);
  abort();
}

static void add(uint64_t key, size_t nbytes, const void *site)
{
  block_t  block = { key, (uintptr_t)site, nbytes };
  place_t *place;

  if (!blocks.is_on)
    return;
  if (2 * blocks.nblocks >= blocks.nslots)
    grow();
  *slot_of(key) = block;
  blocks.nblocks++;
  place = place_of(places, &block);
  place->asked += nbytes;
  if (place->asked > place->most)
    place->most = place->asked;
  if (key & IN_POOL)
    return;
  blocks.now += nbytes;
  if (blocks.now > blocks.peak)
    blocks.peak = blocks.now;
}

/* Blocks behind the one that goes move up, if a search for them would end at its slot. */
static void take_out(uint64_t key)
{
  block_t *slot;
  size_t   hole, mask = blocks.nslots - 1;

  if (!blocks.is_on || (slot = slot_of(key))->key == 0)
    return;
  blocks.now -= key & IN_POOL ? 0 : slot->nbytes;
  place_of(places, slot)->asked -= slot->nbytes;
  hole = (size_t)(slot - blocks.slot);
  for (size_t i = (hole + 1) & mask; blocks.slot[i].key != 0; i = (i + 1) & mask)
    if (((i - home_of(blocks.slot[i].key)) & mask) >= ((i - hole) & mask)) {
      blocks.slot[hole] = blocks.slot[i];
      hole              = i;
    }
  blocks.slot[hole].key = 0;
  blocks.nblocks--;
}

/* ---- reading ------------------------------------------------------------------------------------ */

/* Bytes of a block on pages that exist. Of a small block they are taken to be all. */
static size_t resident_bytes(const block_t *block)
{
  uintptr_t             first = block->key & ~(uintptr_t)(PAGE - 1);
  size_t                pages = (block->key + block->nbytes - first + PAGE - 1) / PAGE, n = 0;
  static unsigned char *exists;
  static size_t         room;

  if (block->key & IN_POOL || block->nbytes < 2 * PAGE)
    return block->nbytes;
  if (room < pages) {
    exists = (unsigned char *)new_slots(pages);
    room   = pages;
  }
  if (mincore((void *)first, pages * PAGE, exists) != 0)
    return block->nbytes;
  for (size_t i = 0; i < pages; i++)
    n += exists[i] & 1;
  return n * PAGE < block->nbytes ? n * PAGE : block->nbytes;
}

void count_read(place_t places_out[SITES_MOST])
{
  memcpy(places_out, places, sizeof places);
  for (size_t i = 0; i < blocks.nslots; i++)
    if (blocks.slot[i].key != 0)
      place_of(places_out, &blocks.slot[i])->resident += resident_bytes(&blocks.slot[i]);
  for (size_t i = 0; i < SITES_MOST; i++)
    places[i].most = places[i].asked;
}

size_t count_peak(void)
{
  size_t peak = blocks.peak;

  blocks.peak = blocks.now;
  return peak;
}

void count_start(void)
{
  grow();
  blocks.is_on = true;
}

/* ---- what the linker puts in the place of the real functions ------------------------------------ */

void *__real_malloc(size_t nbytes);
void *__real_calloc(size_t count, size_t nbytes);
void *__real_realloc(void *block, size_t nbytes);
void  __real_free(void *block);

void *__wrap_malloc(size_t nbytes);
void *__wrap_malloc(size_t nbytes)
{
  void *block = __real_malloc(nbytes);

  if (block != NULL)
    add((uintptr_t)block, nbytes, __builtin_return_address(0));
  return block;
}

void *__wrap_calloc(size_t count, size_t nbytes);
void *__wrap_calloc(size_t count, size_t nbytes)
{
  void *block = __real_calloc(count, nbytes);

  if (block != NULL)
    add((uintptr_t)block, count * nbytes, __builtin_return_address(0));
  return block;
}

void *__wrap_realloc(void *block, size_t nbytes);
void *__wrap_realloc(void *block, size_t nbytes)
{
  uint64_t before = (uintptr_t)block;
  void    *after  = __real_realloc(block, nbytes);

  if (after != NULL) {
    if (before != 0)
      take_out(before);
    add((uintptr_t)after, nbytes, __builtin_return_address(0));
  }
  return after;
}

void __wrap_free(void *block);
void __wrap_free(void *block)
{
  if (block != NULL)
    take_out((uintptr_t)block);
  __real_free(block);
}

void *__real_dart__memory_new_table(size_t nbytes);
void  __real_dart__memory_delete_table(void *table, size_t nbytes);

void *__wrap_dart__memory_new_table(size_t nbytes);
void *__wrap_dart__memory_new_table(size_t nbytes)
{
  void *table = __real_dart__memory_new_table(nbytes);

  if (table != NULL)
    add((uintptr_t)table, nbytes, __builtin_return_address(0));
  return table;
}

void __wrap_dart__memory_delete_table(void *table, size_t nbytes);
void __wrap_dart__memory_delete_table(void *table, size_t nbytes)
{
  if (table != NULL)
    take_out((uintptr_t)table);
  __real_dart__memory_delete_table(table, nbytes);
}

void *__real_dart__sparse_new(size_t count, size_t size);
void  __real_dart__sparse_delete(void *table);

/* What it calls does not count the block with its head. */
void *__wrap_dart__sparse_new(size_t count, size_t size);
void *__wrap_dart__sparse_new(size_t count, size_t size)
{
  bool  is_on = blocks.is_on;
  char *table;

  blocks.is_on = false;
  table        = __real_dart__sparse_new(count, size);
  blocks.is_on = is_on;
  if (table != NULL)
    add((uintptr_t)table, count * size, __builtin_return_address(0));
  return table;
}

void __wrap_dart__sparse_delete(void *table);
void __wrap_dart__sparse_delete(void *table)
{
  if (table != NULL)
    take_out((uintptr_t)table);
  __real_dart__sparse_delete(table);
}

dart_ret_t __real_dart__pool_alloc(size_t nbytes, uint64_t *offset_out);
bool       __real_dart__pool_free(uint64_t offset);

dart_ret_t __wrap_dart__pool_alloc(size_t nbytes, uint64_t *offset_out);
dart_ret_t __wrap_dart__pool_alloc(size_t nbytes, uint64_t *offset_out)
{
  dart_ret_t ret = __real_dart__pool_alloc(nbytes, offset_out);

  if (ret == DART_OK)
    add(*offset_out | IN_POOL, nbytes, __builtin_return_address(0));
  return ret;
}

dart_ret_t __real_dart__pool_alloc_for_node(dart__team_t *team, size_t nbytes,
                                            uint64_t *offset_out);
dart_ret_t __wrap_dart__pool_alloc_for_node(dart__team_t *team, size_t nbytes,
                                            uint64_t *offset_out);
dart_ret_t __wrap_dart__pool_alloc_for_node(dart__team_t *team, size_t nbytes, uint64_t *offset_out)
{
  dart_ret_t ret = __real_dart__pool_alloc_for_node(team, nbytes, offset_out);

  if (ret == DART_OK && dart__team_is_leader(team))
    add(*offset_out | IN_POOL, nbytes, __builtin_return_address(0));
  return ret;
}

bool __wrap_dart__pool_free(uint64_t offset);
bool __wrap_dart__pool_free(uint64_t offset)
{
  take_out(offset | IN_POOL);
  return __real_dart__pool_free(offset);
}

dart_domain_locality_t *__real_dart__domain_image_make(const dart_domain_locality_t *root,
                                                       int place, dart__domain_image_t *image_out);
dart_domain_locality_t *__wrap_dart__domain_image_make(const dart_domain_locality_t *root,
                                                       int place, dart__domain_image_t *image_out);
dart_domain_locality_t *__wrap_dart__domain_image_make(const dart_domain_locality_t *root,
                                                       int place, dart__domain_image_t *image_out)
{
  dart_domain_locality_t *image = __real_dart__domain_image_make(root, place, image_out);

  if (image != NULL)
    add((uintptr_t)image | IN_POOL, image_out->nbytes, __builtin_return_address(0));
  return image;
}
