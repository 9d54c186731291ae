/* Memory of teams, of one unit, of allocators and of the user; and pointers to it. */
#include <stdlib.h>
#include <string.h>

#include <dash/dart/ext/dart_adopt.h>
#include <dash/dart/ext/dart_memalign.h>
#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_resolved.h>

#include "parts.h"

/* Every unit writes to the next one's portion, at its end, and finds what was written to its own. */
static void try_memory(dart_team_t all, dart_gptr_t gptr, size_t nelem)
{
  long  value = 1000 + me, *own;
  void *address;

  gptr = of_unit(gptr, next_unit());
  FINE(dart_gptr_incaddr(&gptr, (int64_t)((nelem - 1) * sizeof(long))));
  OWN(OTHER, dart_put_blocking(gptr, &value, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  ALL(NEVER, dart_barrier(all));
  FINE(dart_gptr_getaddr(of_unit(gptr, me), &address));
  own = address;
  EXPECT(*own == 1000 + (me + n - 1) % n);
  ALL(NEVER, dart_barrier(all));
}

void use_memory(dart_team_t all)
{
  const size_t     sizes[] = { 1, 1000, 400000, 1200000 }; /* the last one has a chunk of its own */
  dart_gptr_t      gptr[4], own, block;
  dart_allocator_t allocator;

  for (int i = 0; i < 4; i++) {
    ALL(NOMEM, dart_team_memalloc_aligned(all, sizes[i], DART_TYPE_LONG, &gptr[i]));
    try_memory(all, gptr[i], sizes[i]);
  }
  for (int i = 0; i < 4; i++)
    ALL(NEVER, dart_team_memfree(gptr[i]));
  ALL(NOMEM, dart_team_memalloc_aligned(all, (size_t)me * 10 + 1, DART_TYPE_LONG, &gptr[0]));
  try_memory(all, gptr[0], 1);
  ALL(NEVER, dart_team_memfree(gptr[0]));
  for (int i = 0; i < 2; i++) { /* in a chunk with others, and in one of its own */
    ALL(NOMEM, dart_team_memalign(all, (size_t)512 << 13 * i, sizes[i], DART_TYPE_LONG, &gptr[i]));
    try_memory(all, gptr[i], sizes[i]);
  }
  for (int i = 0; i < 2; i++)
    ALL(NEVER, dart_team_memfree(gptr[i]));

  OWN(OTHER, dart_memalloc(100, DART_TYPE_LONG, &own));
  OWN(OTHER, dart_memalloc(500000, DART_TYPE_LONG, &block));
  FINE(dart_memfree(own));
  FINE(dart_memfree(block));

  ALL(NOMEM, dart_allocator_new(1 << 16, all, &allocator));
  OWN(NOMEM, dart_allocator_alloc(100, DART_TYPE_LONG, &own, allocator));
  OWN(NOMEM, dart_allocator_alloc(100, DART_TYPE_LONG, &block, allocator));
  FINE(dart_allocator_free(&own, allocator));
  FINE(dart_allocator_free(&block, allocator));
  ALL(NEVER, dart_allocator_destroy(&allocator));
}

/* Gets and atomics on memory that the next unit has registered. */
static void try_registered(dart_gptr_t gptr, size_t nelem)
{
  long sum = 1, old = -1, none = 0, got[4];

  OWN(OTHER, dart_get_blocking(got, of_unit(gptr, next_unit()), 4, DART_TYPE_LONG, DART_TYPE_LONG));
  EXPECT(got[3] == 3);
  gptr = of_unit(gptr, next_unit());
  FINE(dart_gptr_incaddr(&gptr, (int64_t)((nelem - 2) * sizeof(long))));
  OWN(NOMEM | OTHER, dart_accumulate(gptr, &sum, 1, DART_TYPE_LONG, DART_OP_SUM));
  FINE(dart_flush(gptr));
  OWN(NOMEM | OTHER, dart_fetch_and_op(gptr, &sum, &old, DART_TYPE_LONG, DART_OP_SUM));
  FINE(dart_flush(gptr));
  EXPECT(old == (long)nelem - 1);
  OWN(NOMEM | OTHER, dart_compare_and_swap(gptr, &none, &old, &got[0], DART_TYPE_LONG));
  FINE(dart_flush(gptr));
  EXPECT(got[0] == (long)nelem);
}

void use_registered_memory(dart_team_t all)
{
  enum { NELEM = 1000 };
  long       *memory = malloc(NELEM * sizeof *memory);
  dart_gptr_t gptr, other;

  for (long i = 0; i < NELEM; i++)
    memory[i] = i;
  ALL(NOMEM | INVAL, dart_team_memregister(all, NELEM, DART_TYPE_LONG, memory, &gptr));
  ALL(NOMEM | INVAL, dart_team_memregister_aligned(all, 10, DART_TYPE_LONG, memory, &other));
  try_memory(all, gptr, NELEM);
  try_registered(gptr, NELEM);
  ALL(NEVER, dart_barrier(all));
  FINE(dart_team_memderegister(other));
  FINE(dart_team_memderegister(gptr));
  ALL(NEVER, dart_barrier(all));
  free(memory);
}

void use_adopted_memory(dart_team_t all)
{
  enum { NELEM = 1000 };
  static struct {
    _Alignas(4096) long word[NELEM];
  } own;
  dart_gptr_t gptr;

  for (long i = 0; i < NELEM; i++)
    own.word[i] = i;
  ALL(NOMEM | OTHER | INVAL, dart_team_adopt(all, own.word, sizeof own.word, &gptr));
  try_memory(all, gptr, NELEM);
  EXPECT(own.word[NELEM - 1] == 1000 + (me + n - 1) % n && own.word[NELEM - 2] == NELEM - 2);
  ALL(NEVER, dart_team_memfree(gptr));
  EXPECT(own.word[NELEM - 1] == 1000 + (me + n - 1) % n && own.word[0] == 0);
}

void use_pointers(dart_team_t all)
{
  dart_gptr_t      gptr, own;
  dart_team_unit_t near[8];
  size_t           nnear;
  dart_resolved_t  range;
  uint16_t         flags;
  void            *address;

  ALL(NOMEM, dart_team_memalloc_aligned(all, 100, DART_TYPE_LONG, &gptr));
  own = gptr;
  FINE(dart_gptr_setunit(&own, DART_TEAM_UNIT_ID(me)));
  FINE(dart_gptr_getaddr(own, &address));
  FINE(dart_gptr_setaddr(&own, (char *)address + 80));
  EXPECT(own.addr_or_offs.offset == 80);
  FINE(dart_gptr_setflags(&own, 5));
  FINE(dart_gptr_getflags(own, &flags));
  EXPECT(flags == 5);
  EXPECT(dart_near_ptr(own) == (char *)address + 80);
  FINE(dart_team_near_units(all, 8, near, &nnear));
  EXPECT(nnear >= 1 && nnear <= (size_t)n);
  FINE(dart_resolve(own, 8, &range));
  FINE(dart_resolved_put(&range, 0, &range.nbytes, DART_TYPE_ULONG));
  FINE(dart_resolved_check("test", 8, 0, DART_TYPE_ULONG));
  ALL(NEVER, dart_team_memfree(gptr));
}
