/* Types and operators, transfers of every kind, handles, atomics. */
#include <string.h>

#include <dash/dart/ext/dart_atomics.h>
#include <dash/dart/ext/dart_context.h>
#include <dash/dart/ext/dart_order.h>
#include <dash/dart/ext/dart_value.h>

#include "parts.h"

enum { NELEM = 600 }; /* of a portion: for the previous unit, and for another one */

typedef struct {
  dart_datatype_t strided, indexed, custom, element;
} types_t;

static types_t make_types(void)
{
  const size_t lengths[] = { 1, 3, 2 }, offsets[] = { 0, 2, 7 };
  types_t      t;

  OWN(NOMEM, dart_type_create_strided(DART_TYPE_LONG, 3, 1, &t.strided));
  OWN(NOMEM, dart_type_create_indexed(DART_TYPE_LONG, 3, lengths, offsets, &t.indexed));
  OWN(NOMEM, dart_type_create_custom(24, &t.element));
  OWN(NOMEM, dart_type_create_strided(t.element, 2, 1, &t.custom));
  return t;
}

static void destroy_types(types_t *t)
{
  FINE(dart_type_destroy(&t->strided));
  FINE(dart_type_destroy(&t->indexed));
  FINE(dart_type_destroy(&t->custom));
  FINE(dart_type_destroy(&t->element));
}

static void take_later(const void *in, void *inout, size_t count, void *user)
{
  (void)in, (void)inout, (void)count, (void)user; /* a op b is b */
}

void use_types(void)
{
  types_t          t = make_types();
  dart_operation_t op;

  OWN(NOMEM, dart_op_create(take_later, NULL, false, DART_TYPE_LONG, false, &op));
  FINE(dart_op_destroy(&op));
  destroy_types(&t);
}

static dart_gptr_t allocate(dart_team_t all)
{
  dart_gptr_t gptr;
  void       *own;

  ALL(NOMEM, dart_team_memalloc_aligned(all, NELEM, DART_TYPE_LONG, &gptr));
  FINE(dart_gptr_getaddr(of_unit(gptr, me), &own));
  memset(own, 0, NELEM * sizeof(long));
  ALL(NEVER, dart_barrier(all));
  return gptr;
}

static void fill(long *values, size_t count, long first)
{
  for (size_t i = 0; i < count; i++)
    values[i] = first + (long)i;
}

static void expect_values(const long *got, size_t count, long first)
{
  for (size_t i = 0; i < count; i++)
    if (got[i] != first + (long)i) {
      EXPECT(!"data as they were put");
      return;
    }
}

/* To every unit and back, by every path that a contiguous transfer of this size may take. */
static void try_contiguous(dart_gptr_t gptr, size_t count)
{
  long sent[NELEM], got[NELEM];

  for (int u = 0; u < n; u++) {
    dart_gptr_t at = of_unit(gptr, u);

    if (u != next_unit() && n > 1)
      continue;
    fill(sent, count, 100 * me + (long)count);
    OWN(NEVER, dart_put_blocking(at, sent, count, DART_TYPE_LONG, DART_TYPE_LONG));
    memset(got, 0, sizeof got);
    OWN(NEVER, dart_get_blocking(got, at, count, DART_TYPE_LONG, DART_TYPE_LONG));
    expect_values(got, count, 100 * me + (long)count);
    fill(sent, count, 300 * me);
    OWN(NEVER, dart_put(at, sent, count, DART_TYPE_LONG, DART_TYPE_LONG));
    FINE(dart_flush_local(at));
    FINE(dart_flush(at));
    OWN(NEVER, dart_get(got, at, count, DART_TYPE_LONG, DART_TYPE_LONG));
    FINE(dart_flush_local_all(at));
    expect_values(got, count, 300 * me);
    FINE(dart_flush_all(at));
  }
}

/* More values than there are copies of them inside, and an order between small data and large. */
static void try_values(dart_gptr_t gptr)
{
  dart_gptr_t at = of_unit(gptr, next_unit());
  long        sent[NELEM], got = -1;

  for (long k = 0; k < 100; k++)
    OWN(NEVER, dart_put_value(at, k));
  FINE(dart_order(at));
  fill(sent, NELEM, 400 * me);
  OWN(NEVER, dart_put(at, sent, NELEM, DART_TYPE_LONG, DART_TYPE_LONG));
  FINE(dart_order(at));
  OWN(NEVER, dart_put_value(at, 7L));
  FINE(dart_flush(at));
  OWN(NEVER, dart_get_blocking(&got, at, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  EXPECT(got == 7);
}

/* 18 elements, in different layouts on both sides. */
static void try_layout(dart_gptr_t at, dart_datatype_t here, dart_datatype_t there)
{
  long sent[64], got[64];

  fill(sent, 64, 7 * me);
  OWN(NEVER, dart_put_blocking(at, sent, 18, here, there));
  memset(got, 0, sizeof got);
  OWN(NEVER, dart_get_blocking(got, at, 18, there, here));
  for (int i = 0; i < 3; i++) /* the first of each of some instances, in all layouts */
    EXPECT(got[i * 9] == sent[i * 9] || here == DART_TYPE_LONG);
  OWN(NEVER, dart_put(at, sent, 18, here, there));
  FINE(dart_flush(at));
  memset(got, 0, sizeof got);
  OWN(NEVER, dart_get(got, at, 18, there, DART_TYPE_LONG));
  FINE(dart_flush(at));
  EXPECT(got[0] == sent[0]);
}

/* Puts and atomics in a completion context, and one outside of it. */
static void try_context(dart_team_t all, dart_gptr_t at)
{
  dart_context_t   context;
  dart_team_unit_t unit = DART_TEAM_UNIT_ID(next_unit());
  long             sent[30], got[30], one = 1;
  int32_t          done = 0;

  fill(sent, 30, 3 * me);
  OWN(NOMEM, dart_context_create(all, &context));
  FINE(dart_context_enter(context));
  OWN(NEVER, dart_put(at, sent, 30, DART_TYPE_LONG, DART_TYPE_LONG));
  FINE(dart_context_flush_unit(context, unit));
  OWN(NEVER, dart_get(got, at, 30, DART_TYPE_LONG, DART_TYPE_LONG));
  FINE(dart_context_flush_local_unit(context, unit));
  expect_values(got, 30, 3 * me);
  FINE(dart_context_flush(context));
  OWN(NEVER, dart_accumulate(at, &one, 1, DART_TYPE_LONG, DART_OP_SUM));
  FINE(dart_context_flush_local(context));
  while (!done)
    FINE(dart_context_test(context, &done));
  FINE(dart_context_leave(context));
  FINE(dart_context_destroy(&context));
  OWN(NEVER, dart_get_blocking(got, at, 1, DART_TYPE_LONG, DART_TYPE_LONG));
  EXPECT(got[0] == sent[0] + 1);
}

void use_transfers(dart_team_t all)
{
  dart_gptr_t gptr = allocate(all), at = of_unit(gptr, next_unit());
  types_t     t = make_types();
  long        sent[48], got[48];

  try_contiguous(gptr, 1);
  try_contiguous(gptr, 20);
  try_contiguous(gptr, NELEM);
  try_values(gptr);
  try_layout(at, DART_TYPE_LONG, t.strided);
  try_layout(at, t.strided, DART_TYPE_LONG);
  try_layout(at, t.indexed, t.strided);
  fill(sent, 48, 5);
  OWN(NEVER, dart_put_blocking(at, sent, 8, t.custom, t.element));
  memset(got, 0, sizeof got);
  OWN(NEVER, dart_get_blocking(got, at, 8, t.element, t.custom));
  EXPECT(memcmp(got, sent, 24) == 0 && memcmp(got + 42, sent + 42, 24) == 0);
  destroy_types(&t);
  try_context(all, at);
  ALL(NEVER, dart_barrier(all));
  ALL(NEVER, dart_team_memfree(gptr));
}

static void wait_for(dart_handle_t *handle)
{
  int32_t done = 0;

  while (!done)
    FINE(dart_test(handle, &done));
}

void use_handles(dart_team_t all)
{
  dart_gptr_t     gptr = allocate(all), at = of_unit(gptr, next_unit());
  dart_datatype_t strided;
  dart_handle_t   h[3];
  long            sent[30], got[30];
  int32_t         done = 0;

  fill(sent, 30, 11 * me);
  OWN(NOMEM, dart_type_create_strided(DART_TYPE_LONG, 2, 1, &strided));
  OWN(NOMEM, dart_put_handle(at, sent, 30, DART_TYPE_LONG, DART_TYPE_LONG, &h[0]));
  FINE(dart_wait(&h[0]));
  OWN(NOMEM, dart_get_handle(got, at, 30, DART_TYPE_LONG, DART_TYPE_LONG, &h[0]));
  FINE(dart_wait_local(&h[0]));
  expect_values(got, 30, 11 * me);
  OWN(NOMEM, dart_put_handle(at, sent, 15, strided, DART_TYPE_LONG, &h[0]));
  wait_for(&h[0]);
  OWN(NOMEM, dart_get_handle(got, at, 15, DART_TYPE_LONG, strided, &h[0]));
  while (!done)
    FINE(dart_test_local(&h[0], &done));
  EXPECT(got[28] == sent[28]);
  for (int i = 0; i < 3; i++)
    OWN(NOMEM, dart_put_handle(at, &sent[i], 1, DART_TYPE_LONG, DART_TYPE_LONG, &h[i]));
  FINE(dart_waitall_local(h, 3));
  for (int i = 0; i < 3; i++)
    OWN(NOMEM, dart_put_handle(at, &sent[i], 1, DART_TYPE_LONG, DART_TYPE_LONG, &h[i]));
  FINE(dart_waitall(h, 3));
  OWN(NOMEM, dart_get_handle(&got[0], at, 1, DART_TYPE_LONG, DART_TYPE_LONG, &h[0]));
  OWN(NOMEM, dart_get_handle(&got[1], at, 1, DART_TYPE_LONG, DART_TYPE_LONG, &h[1]));
  for (done = 0; !done;)
    FINE(dart_testall_local(h, 2, &done));
  OWN(NOMEM, dart_get_handle(&got[0], at, 1, DART_TYPE_LONG, DART_TYPE_LONG, &h[0]));
  for (done = 0; !done;)
    FINE(dart_testall(h, 1, &done));
  EXPECT(got[0] == sent[2]);
  OWN(NOMEM, dart_put_handle(at, sent, 30, DART_TYPE_LONG, DART_TYPE_LONG, &h[0]));
  FINE(dart_handle_free(&h[0]));
  FINE(dart_flush(at));
  FINE(dart_type_destroy(&strided));
  ALL(NEVER, dart_barrier(all));
  ALL(NEVER, dart_team_memfree(gptr));
}

void use_atomics(dart_team_t all)
{
  dart_gptr_t gptr = allocate(all);
  long        one = 1, many[300], found[100], old = -1, sum = 0;
  void       *own;

  dart_datatype_t strided = DART_TYPE_UNDEFINED;
  dart_handle_t   h       = DART_HANDLE_NULL;

  for (int i = 0; i < 300; i++)
    many[i] = 1;
  for (int u = 0; u < n; u++) {
    OWN(NEVER, dart_accumulate(of_unit(gptr, u), &one, 1, DART_TYPE_LONG, DART_OP_SUM));
    OWN(NEVER,
        dart_accumulate_blocking_local(of_unit(gptr, u), many, 300, DART_TYPE_LONG, DART_OP_SUM));
    OWN(NEVER, dart_fetch_and_op(of_unit(gptr, u), &one, &old, DART_TYPE_LONG, DART_OP_SUM));
    FINE(dart_flush(of_unit(gptr, u)));
    EXPECT(old >= 2);
    OWN(NEVER, dart_compare_and_swap(of_unit(gptr, u), &one, &sum, &old, DART_TYPE_LONG));
    FINE(dart_flush_all(gptr));
    EXPECT(old != 0);
  }
  OWN(NOMEM, dart_type_create_strided(DART_TYPE_LONG, 2, 1, &strided));
  for (int u = 0; u < n; u++) {
    OWN(NOMEM, dart_accumulate_handle(of_unit(gptr, u), many, 100, DART_TYPE_LONG, strided,
                                      DART_OP_MAX, &h));
    FINE(dart_wait(&h));
    OWN(NOMEM, dart_fetch_and_op_handle(of_unit(gptr, u), NULL, found, 100, DART_TYPE_UNDEFINED,
                                        DART_TYPE_LONG, strided, DART_OP_NO_OP, &h));
    FINE(dart_handle_free(&h));
    OWN(NEVER,
        dart_accumulate_typed(of_unit(gptr, u), many, 100, DART_TYPE_LONG, strided, DART_OP_MAX));
    OWN(NEVER, dart_fetch_and_op_typed(of_unit(gptr, u), many, found, 100, DART_TYPE_LONG,
                                       DART_TYPE_LONG, strided, DART_OP_MAX));
    FINE(dart_flush(of_unit(gptr, u)));
    EXPECT(found[99] >= 1);
  }
  FINE(dart_type_destroy(&strided));
  ALL(NEVER, dart_barrier(all));
  FINE(dart_gptr_getaddr(of_unit(gptr, me), &own));
  EXPECT(((long *)own)[0] == 3L * n && ((long *)own)[299] == n);
  ALL(NEVER, dart_barrier(all));
  ALL(NEVER, dart_team_memfree(gptr));
}
