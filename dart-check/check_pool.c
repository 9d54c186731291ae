/* Blocks of dart_memalloc. Each block has a guard behind it. A freed block is filled with a pattern, and DART gets it
 * only after some more blocks were freed. If any unit stores to it before that, its owner finds the change. */
#include "check_pool.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "check_report.h"
#include "check_type.h"
#include "nesting.h"

enum {
  KEPT       = 64,  /* freed blocks that are kept, */
  KEPT_BYTES = 4096 /* each of at most this many bytes */
};

typedef struct {
  uint64_t       offset;
  uint64_t       nbytes;
  unsigned char *address;
  bool           is_freed;
  bool           is_kept; /* the program has freed it, and this library has not */
  dart__at_t     made, freed;
} block_t;

static void    *blocks; /* root of a tree of block_t, by offset (tsearch) */
static block_t *kept[KEPT];
static size_t   nkept;

static int compare_blocks(const void *a, const void *b)
{
  uint64_t left = ((const block_t *)a)->offset, right = ((const block_t *)b)->offset;

  return left < right ? -1 : left > right;
}

static block_t *find_block(uint64_t offset)
{
  block_t   wanted = { .offset = offset };
  block_t **node   = tfind(&wanted, &blocks, compare_blocks);

  return node == NULL ? NULL : *node;
}

/* ---- looking ------------------------------------------------------------------------------------- */

static void report_changed(const block_t *block, const char *what, size_t first, dart__at_t at)
{
  dart__check_report_t report;

  if (!dart__check_begin(&report, "memory", block->made, "%s were changed, the first at %zu", what,
                         first))
    return;
  dart__check_place(&report, "found in", at);
  if (block->is_freed)
    dart__check_place(&report, "freed by", block->freed);
  dart__check_place(&report, "made by", block->made);
  dart__check_end(&report);
}

static void check_block(block_t *block, dart__at_t at)
{
  size_t first;

  if (block->is_freed && !block->is_kept)
    return;
  first =
      dart__check_intact(block->address + block->nbytes, DART__CHECK_GUARD, DART__CHECK_PATTERN);
  if (first < DART__CHECK_GUARD) {
    report_changed(block, "bytes behind a block of dart_memalloc", first, at);
    memset(block->address + block->nbytes, DART__CHECK_PATTERN, DART__CHECK_GUARD);
  }
  if (!block->is_kept)
    return;
  first = dart__check_intact(block->address, block->nbytes, DART__CHECK_FREED);
  if (first < block->nbytes) {
    report_changed(block, "bytes of a block of dart_memalloc that was freed", first, at);
    memset(block->address, DART__CHECK_FREED, block->nbytes);
  }
}

static void visit(const void *node, VISIT visit, void *at)
{
  if (visit == postorder || visit == leaf)
    check_block(*(block_t *const *)node, *(dart__at_t *)at);
}

void dart__check_block_guards(dart__at_t at)
{
  dart__check_lock();
  twalk_r(blocks, visit, &at);
  dart__check_unlock();
}

static void report_freed(const block_t *block, dart__at_t at)
{
  dart__check_report_t report;

  if (!dart__check_begin(&report, "memory", at,
                         "%s uses a block of dart_memalloc after it was freed",
                         dart__check_calls[at.id]))
    return;
  dart__check_place(&report, "in", at);
  dart__check_place(&report, "freed by", block->freed);
  dart__check_place(&report, "made by", block->made);
  dart__check_end(&report);
}

bool dart__check_block_freed(uint64_t offset, dart__at_t at)
{
  block_t *block;
  bool     is_freed;

  dart__check_lock();
  block    = find_block(offset);
  is_freed = block != NULL && block->is_freed;
  if (is_freed)
    report_freed(block, at);
  dart__check_unlock();
  return is_freed;
}

/* ---- making and freeing -------------------------------------------------------------------------- */

static dart_gptr_t pointer_to(uint64_t offset)
{
  dart_gptr_t gptr = DART_GPTR_NULL;

  gptr.teamid              = DART_TEAM_ALL;
  gptr.unitid              = dart__check.me;
  gptr.addr_or_offs.offset = offset;
  return gptr;
}

/* Release all but the newest `left` of the freed blocks. With the lock. */
static void release_freed(size_t left, dart__at_t at)
{
  while (nkept > left) {
    block_t *block = kept[0];

    check_block(block, at);
    memmove(kept, kept + 1, --nkept * sizeof kept[0]);
    block->is_kept = false;
    pdart_memfree(pointer_to(block->offset));
  }
}

static void enter_block(dart_gptr_t gptr, uint64_t nbytes, dart__at_t at)
{
  block_t *block = find_block(gptr.addr_or_offs.offset);

  if (block == NULL) {
    block         = dart__check_room(NULL, sizeof *block);
    block->offset = gptr.addr_or_offs.offset;
    if (tsearch(block, &blocks, compare_blocks) == NULL)
      abort();
  }
  *block = (block_t){ .offset = block->offset, .nbytes = nbytes, .made = at };
  pdart_gptr_getaddr(gptr, (void **)&block->address);
  memset(block->address, DART__CHECK_FRESH, nbytes);
  memset(block->address + nbytes, DART__CHECK_PATTERN, DART__CHECK_GUARD);
}

dart_ret_t dart_memalloc(size_t nelem, dart_datatype_t dtype, dart_gptr_t *gptr)
{
  dart__at_t at   = DART__AT(dart_memalloc);
  size_t     size = dart__check_size(dtype), nbytes = nelem * size;
  dart_ret_t ret;

  if (!dart__check_for(DART__CHECK_MEMORY) || size == 0 || gptr == NULL || nelem >> 40 != 0)
    return pdart_memalloc(nelem, dtype, gptr);
  ret = pdart_memalloc(nbytes + DART__CHECK_GUARD, DART_TYPE_BYTE, gptr);
  dart__check_lock();
  if (ret != DART_OK && nkept > 0) {
    release_freed(0, at);
    ret = pdart_memalloc(nbytes + DART__CHECK_GUARD, DART_TYPE_BYTE, gptr);
  }
  if (ret == DART_OK)
    enter_block(*gptr, nbytes, at);
  dart__check_unlock();
  return ret;
}

/* The locks in a block end with it. If the length of the block is not known, all words behind its beginning count. */
static void forget_locks(dart_gptr_t gptr)
{
  const block_t *block;
  uint64_t       last = UINT64_MAX;

  if (!dart__check_for(DART__CHECK_LOCKS) || gptr.unitid != dart__check.me)
    return;
  dart__check_lock();
  block = find_block(gptr.addr_or_offs.offset);
  if (block != NULL)
    last = block->offset + block->nbytes;
  dart__check_unlock();
  dart__check_nest_freed(DART_TEAM_ALL, DART_SEGMENT_LOCAL, gptr.unitid, gptr.addr_or_offs.offset,
                         last);
}

static void report_foreign(dart_gptr_t gptr, dart__at_t at)
{
  dart__check_report_t report;

  if (!dart__check_begin(&report, "memory", at,
                         "dart_memfree uses a pointer to unit %d, segment %d of team %d, which is "
                         "not this unit's pool",
                         gptr.unitid, gptr.segid, gptr.teamid))
    return;
  dart__check_place(&report, "in", at);
  dart__check_end(&report);
}

dart_ret_t dart_memfree(dart_gptr_t gptr)
{
  dart__at_t at = DART__AT(dart_memfree);
  block_t   *block;
  dart_ret_t ret = DART_OK;

  if (gptr.segid == DART_SEGMENT_LOCAL && gptr.teamid == DART_TEAM_ALL)
    forget_locks(gptr);
  if (!dart__check_for(DART__CHECK_MEMORY) || DART_GPTR_ISNULL(gptr))
    return pdart_memfree(gptr);
  if (gptr.segid != DART_SEGMENT_LOCAL || gptr.teamid != DART_TEAM_ALL ||
      gptr.unitid != dart__check.me) {
    report_foreign(gptr, at);
    return DART_ERR_INVAL;
  }
  dart__check_lock();
  block = find_block(gptr.addr_or_offs.offset);
  if (block == NULL) {
    ret = pdart_memfree(gptr);
  } else if (block->is_freed) {
    report_freed(block, at);
    ret = DART_ERR_INVAL;
  } else {
    check_block(block, at);
    block->is_freed = true;
    block->freed    = at;
    block->is_kept  = block->nbytes <= KEPT_BYTES;
    if (!block->is_kept) {
      ret = pdart_memfree(gptr);
    } else {
      memset(block->address, DART__CHECK_FREED, block->nbytes);
      release_freed(KEPT - 1, at);
      kept[nkept++] = block;
    }
  }
  dart__check_unlock();
  return ret;
}

/* ---- the end ------------------------------------------------------------------------------------- */

static void report_block(const void *node, VISIT visit, void *unused)
{
  const block_t       *block = *(block_t *const *)node;
  dart__check_report_t report;

  (void)unused;
  if ((visit != postorder && visit != leaf) || block->is_freed)
    return;
  if (!dart__check_begin(&report, "memory", block->made,
                         "a block of dart_memalloc, %llu bytes, was never freed",
                         (unsigned long long)block->nbytes))
    return;
  dart__check_place(&report, "made by", block->made);
  dart__check_end(&report);
}

void dart__check_blocks_leaked(void)
{
  twalk_r(blocks, report_block, NULL);
}

void dart__check_blocks_forget(void)
{
  tdestroy(blocks, free);
  blocks = NULL;
  nkept  = 0;
}
