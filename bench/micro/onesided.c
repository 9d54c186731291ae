/* Contiguous put and get of any size, in every way to complete them, and flushes that find nothing to
 * do. The floor of all is memcpy between private memory and the partner's. */
#include <dash/dart/ext/dart_context.h>
#include <dash/dart/ext/dart_order.h>
#include <dash/dart/ext/dart_value.h>

#include "micro.h"

/* Words, or what is smaller than one. */
static dart_datatype_t type_of(const micro_t *m)
{
  return m->nwords > 0 ? DART_TYPE_LONG : DART_TYPE_BYTE;
}

static size_t nelem_of(const micro_t *m)
{
  return m->nwords > 0 ? m->nwords : m->size;
}

static void put_blocking(micro_t *m, size_t n)
{
  dart_datatype_t type  = type_of(m);
  size_t          nelem = nelem_of(m);

  for (size_t i = 0; i < n; i++) {
    BENCH_OK(dart_put_blocking(m->at, m->send, nelem, type, type));
    micro_again();
  }
}

static void get_blocking(micro_t *m, size_t n)
{
  dart_datatype_t type  = type_of(m);
  size_t          nelem = nelem_of(m);

  for (size_t i = 0; i < n; i++) {
    BENCH_OK(dart_get_blocking(m->recv, m->at, nelem, type, type));
    micro_again();
  }
}

static void put_handle(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    dart_handle_t handle;

    BENCH_OK(dart_put_handle(m->at, m->send, m->nwords, DART_TYPE_LONG, DART_TYPE_LONG, &handle));
    BENCH_OK(dart_wait(&handle));
    micro_again();
  }
}

static void get_handle(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    dart_handle_t handle;

    BENCH_OK(dart_get_handle(m->recv, m->at, m->nwords, DART_TYPE_LONG, DART_TYPE_LONG, &handle));
    BENCH_OK(dart_wait(&handle));
    micro_again();
  }
}

static void put_flush(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    BENCH_OK(dart_put(m->at, m->send, m->nwords, DART_TYPE_LONG, DART_TYPE_LONG));
    BENCH_OK(dart_flush(m->at));
    micro_again();
  }
}

static dart_context_t context;

static void put_context(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    BENCH_OK(dart_context_enter(context));
    BENCH_OK(dart_put(m->at, m->send, m->nwords, DART_TYPE_LONG, DART_TYPE_LONG));
    BENCH_OK(dart_context_leave(context));
    BENCH_OK(dart_context_flush(context));
    micro_again();
  }
}

static void make_context(micro_t *m)
{
  (void)m;
  BENCH_OK(dart_context_create(DART_TEAM_ALL, &context));
}

static void end_context(micro_t *m)
{
  (void)m;
  BENCH_OK(dart_context_destroy(&context));
}

static void get_flush(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    BENCH_OK(dart_get(m->recv, m->at, m->nwords, DART_TYPE_LONG, DART_TYPE_LONG));
    BENCH_OK(dart_flush(m->at));
    micro_again();
  }
}

/* Element k of a batch lies at k times its size, on both sides. */

static void put_batch(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    dart_gptr_t at = m->at;

    for (size_t k = 0; k < BATCH; k++) {
      BENCH_OK(dart_put(at, m->send + k * m->size, m->nwords, DART_TYPE_LONG, DART_TYPE_LONG));
      dart_gptr_incaddr(&at, (int64_t)m->size);
      micro_again();
    }
    BENCH_OK(dart_flush(m->at));
  }
}

static void get_batch(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    dart_gptr_t at = m->at;

    for (size_t k = 0; k < BATCH; k++) {
      BENCH_OK(dart_get(m->recv + k * m->size, at, m->nwords, DART_TYPE_LONG, DART_TYPE_LONG));
      dart_gptr_incaddr(&at, (int64_t)m->size);
      micro_again();
    }
    BENCH_OK(dart_flush(m->at));
  }
}

static void flush(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    BENCH_OK(dart_flush(m->at));
    micro_again();
  }
}

static void order(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    BENCH_OK(dart_order(m->at));
    micro_again();
  }
}

/* One of 64 numbers and their flags, then a flush; `ordered` says how the flag is kept behind. */
static void value_and_flag(micro_t *m, size_t n, dart_ret_t (*ordered)(dart_gptr_t gptr))
{
  for (size_t i = 0; i < n; i++) {
    dart_gptr_t flag = m->at;

    dart_gptr_incaddr(&flag, sizeof(long));
    for (long k = 0; k < BATCH; k++) {
      BENCH_OK(dart_put_value(m->at, k));
      BENCH_OK(ordered(m->at));
      BENCH_OK(dart_put_value(flag, k));
      micro_again();
    }
    BENCH_OK(dart_flush(m->at));
  }
}

/* Seconds of so many times 64 numbers, then a flush; each with an order behind it, or without. */
static double values(micro_t *m, size_t n, bool with_order)
{
  double start = bench_seconds();

  for (size_t i = 0; i < n; i++) {
    for (long k = 0; k < BATCH; k++) {
      BENCH_OK(dart_put_value(m->at, k));
      if (with_order)
        BENCH_OK(dart_order(m->at));
      micro_again();
    }
    BENCH_OK(dart_flush(m->at));
  }
  return bench_seconds() - start;
}

/* What the order adds. In turns, so that whatever else the machine does meets both. */
static double order_after_value(micro_t *m)
{
  enum { TURNS = 200, BATCHES = 10 };
  double more = 0;

  for (int i = 0; i < TURNS; i++)
    more += values(m, BATCHES, true) - values(m, BATCHES, false);
  return more > 0 ? more / (TURNS * BATCHES * BATCH)
                  : 1e-12; /* 0 would mean that there is no figure */
}

static void value_order(micro_t *m, size_t n)
{
  value_and_flag(m, n, dart_order);
}

static void value_flush(micro_t *m, size_t n)
{
  value_and_flag(m, n, dart_flush);
}

static void flush_all(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    BENCH_OK(dart_flush_all(m->at));
    micro_again();
  }
}

static void copy_there(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++)
    floor_copy(m->there, m->send, m->size);
}

static void copy_here(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++)
    floor_copy(m->recv, m->there, m->size);
}

static void copy_batch_there(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < BATCH; k++)
      floor_copy(m->there + k * m->size, m->send + k * m->size, m->size);
}

static void copy_batch_here(micro_t *m, size_t n)
{
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < BATCH; k++)
      floor_copy(m->recv + k * m->size, m->there + k * m->size, m->size);
}

#define BOTH (IN_NEAR | IN_FAR)

const case_t onesided_cases[] = {
  { .name   = "put_blocking",
    .places = BOTH,
    .sizes  = SIZE_ANY,
    .dart   = { .loop = put_blocking },
    .floor  = { .loop = copy_there },
    .about  = "blocking put" },
  { .name   = "get_blocking",
    .places = BOTH,
    .sizes  = SIZE_ANY,
    .dart   = { .loop = get_blocking },
    .floor  = { .loop = copy_here },
    .about  = "blocking get" },
  { .name   = "put_handle",
    .places = BOTH,
    .sizes  = SIZE_BYTES,
    .dart   = { .loop = put_handle },
    .floor  = { .loop = copy_there },
    .about  = "put with handle, wait" },
  { .name   = "get_handle",
    .places = BOTH,
    .sizes  = SIZE_BYTES,
    .dart   = { .loop = get_handle },
    .floor  = { .loop = copy_here },
    .about  = "get with handle, wait" },
  { .name   = "put_flush",
    .places = BOTH,
    .sizes  = SIZE_BYTES,
    .dart   = { .loop = put_flush },
    .floor  = { .loop = copy_there },
    .about  = "put, flush" },
  { .name    = "put_flush.context",
    .places  = BOTH,
    .sizes   = SIZE_BYTES,
    .dart    = { .loop = put_context },
    .floor   = { .loop = copy_there },
    .about   = "put in a context, flush of that",
    .prepare = make_context,
    .clean   = end_context },
  { .name   = "get_flush",
    .places = BOTH,
    .sizes  = SIZE_BYTES,
    .dart   = { .loop = get_flush },
    .floor  = { .loop = copy_here },
    .about  = "get, flush" },
  { .name   = "put_batch",
    .places = BOTH,
    .sizes  = SIZE_BATCH,
    .dart   = { .loop = put_batch },
    .floor  = { .loop = copy_batch_there },
    .weight = BATCH,
    .about  = "one of 64 puts, then a flush" },
  { .name   = "get_batch",
    .places = BOTH,
    .sizes  = SIZE_BATCH,
    .dart   = { .loop = get_batch },
    .floor  = { .loop = copy_batch_here },
    .weight = BATCH,
    .about  = "one of 64 gets, then a flush" },
  { .name   = "flush",
    .places = BOTH,
    .sizes  = SIZE_NONE,
    .dart   = { .loop = flush },
    .about  = "flush with nothing outstanding" },
  { .name   = "order",
    .places = BOTH,
    .sizes  = SIZE_NONE,
    .dart   = { .loop = order },
    .about  = "order with nothing outstanding" },
  { .name   = "order.after_value",
    .places = BOTH,
    .sizes  = SIZE_WORD,
    .dart   = { .sample = order_after_value },
    .about  = "what an order adds to each of 64 put_value, then a flush" },
  { .name   = "value_order",
    .places = BOTH,
    .sizes  = SIZE_WORD,
    .dart   = { .loop = value_order },
    .weight = BATCH,
    .about  = "one of 64: put_value, order, put_value; then a flush" },
  { .name   = "value_flush",
    .places = BOTH,
    .sizes  = SIZE_WORD,
    .dart   = { .loop = value_flush },
    .weight = BATCH,
    .about  = "the same with a flush instead of the order" },
  { .name   = "flush_all",
    .places = BOTH,
    .sizes  = SIZE_NONE,
    .dart   = { .loop = flush_all },
    .about  = "flush of all units with nothing outstanding" },
  { 0 },
};
