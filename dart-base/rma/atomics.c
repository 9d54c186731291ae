/* Entry points of the atomics. All atomics on a word take one path, whatever their origin: a CPU atomic on
 * the target's node. The origin executes it itself if the word is near; if it is far, it sends a request
 * to the target's node. */
#include <dash/dart/if/dart_communication.h>

#include <string.h>

#include "base/profile.h"
#include "data/name.h"
#include "data/op.h"
#include "far/engine.h"
#include "far/far_ops.h"
#include "far/run.h"
#include "rma/context.h"
#include "rma/count.h"
#include "rma/gate.h"
#include "rma/remote.h"
#include "rma/transfer.h"
#include "rma/watch.h"
#include "wait/atomic.h"

DART__PROFILED(dart_accumulate, dart_accumulate_blocking_local, dart_fetch_and_op);
DART__PROFILED(dart_compare_and_swap);

/* Check type, operator, alignment and pointer; resolve. */
static dart_ret_t check_atomic(const char *function, dart_gptr_t gptr, size_t nelem,
                               dart_datatype_t dtype, dart_operation_t op,
                               dart__address_t *address_out)
{
  size_t     size, nbytes;
  dart_ret_t ret;

  if (__builtin_expect(!dart__op_is_atomic(op, dtype), 0))
    return dart__fail(DART_ERR_INVAL, "%s: no atomic operation %s on type %s", function,
                      dart__op_text(op).text, dart__type_text(dtype).text);
  size = dart__type_basic[dtype].elem_size;
  if (!dart__check_nbytes(function, nelem, size, &nbytes))
    return DART_ERR_INVAL;
  ret = dart__locate(function, gptr, nbytes, address_out);
  if (ret != DART_OK)
    return ret;
  if (__builtin_expect(!dart__is_aligned(address_out, size), 0))
    return dart__fail(DART_ERR_INVAL, "%s: offset %lld is not aligned to an element of %zu bytes",
                      function, (long long)address_out->offset, size);
  return DART_OK;
}

/* The end of an atomic, near or far, that returns `ret`: wake the unit that sleeps for the changed word. */
static inline dart_ret_t told(dart_ret_t ret, dart_gptr_t gptr, size_t nbytes)
{
  if (dart__is_watched())
    dart__watch_wrote(gptr, nbytes);
  return ret;
}

/* For inlined functions that get a global pointer by its address: left to itself, the compiler may make it a value again,
 * which it stores as two words and loads as a whole. */
#define INLINED static inline __attribute__((always_inline))

/* ---- accumulate: without a result, so it may be deferred ------------------------------------- */

#define NO_ELEMENT UINT64_MAX

/* The element that was updated last in the hot line, and how: a program that counts in one word needs no look-up, which
 * would wait for the instruction before. Loads, and one instruction on the word, or a loop around one. */
static struct {
  uint64_t         head, offset; /* the two words of its pointer */
  dart_datatype_t  type;
  dart_operation_t op;
  uint64_t         withdrawn;      /* dart__team_withdrawn; NO_ELEMENT: there is none */
  uintptr_t        line;           /* as dart__deferred.hot */
  bool             is_instruction; /* `op` is one on an integer of 8 bytes */
  char            *near;
} counted = { .withdrawn = NO_ELEMENT };

static uint64_t head_of(const dart_gptr_t *gptr)
{
  uint64_t head;

  memcpy(&head, gptr, sizeof head);
  return head;
}

/* Of a map by a list each update spends from the poll budget, so it is looked up. */
static __attribute__((noinline)) void note_counted(const dart_gptr_t *gptr, char *near,
                                                   dart_datatype_t dtype, dart_operation_t op)
{
  dart_inline_ids_t        ids = dart_inline_ids(gptr);
  const dart_inline_map_t *map = dart__team_direct[ids.team];

  counted.withdrawn = NO_ELEMENT;
  if (map == NULL || ids.unit >= map[ids.segment].nunits)
    return;
  counted.head      = head_of(gptr);
  counted.offset    = ids.offset;
  counted.type      = dtype;
  counted.op        = op;
  counted.withdrawn = dart__team_withdrawn;
  counted.line      = dart__deferred.hot;
  counted.near      = near;
  counted.is_instruction =
      dart__atomic_word_size(dtype) == sizeof(uint64_t) && dart__atomic_is_instruction(op);
}

/* An update of one near element in the hot line. The next one may be of the same element. */
DART__OUT_OF_LINE apply_hot(dart_gptr_t gptr, char *near, const void *value, dart_datatype_t dtype,
                            dart_operation_t op)
{
  note_counted(&gptr, near, dtype, op);
  dart__atomic_accumulate_one(near, value, dtype, op);
  return dart__is_watched() ? dart__watch_wrote_few(gptr) : DART_OK;
}

/* Apply another one that is not deferred, for no stream is under way. */
DART__OUT_OF_LINE apply(dart_gptr_t gptr, char *near, const void *value, dart_datatype_t dtype,
                        dart_operation_t op)
{
  dart__atomic_accumulate_one(near, value, dtype, op);
  dart__progress_update();
  return dart__is_watched() ? dart__watch_wrote_few(gptr) : DART_OK;
}

/* Defer the update if it is one of a stream, and not of the hot line; else apply it. */
INLINED dart_ret_t add(const dart_gptr_t *gptr, char *near, const void *value, size_t size,
                       dart_datatype_t dtype, dart_operation_t op)
{
  if (dart__deferred_is_hot(&dart__deferred, near))
    return apply_hot(*gptr, near, value, dtype, op);
  if (dart__stream != DART__STREAM_LEAST)
    return apply(*gptr, near, value, dtype, op);
  dart__deferred_add(&dart__deferred, near, value, size, dtype, op);
  return DART_OK;
}

/* An update of one element of 8 bytes was made of a segment that has units on several nodes: the next ones may be in
 * a run. In a context each far operation is noted by itself. */
static void prepare_run(const dart__address_t *at, dart_datatype_t dtype, dart_operation_t op)
{
  if (dart__stream == DART__STREAM_LEAST && dart__context == NULL)
    dart__run_prepare(at, dtype, op);
}

/* One element, or several, of an allocated segment's far portion. */
static void accumulate_far(const dart__rma_t *rma)
{
  dart_datatype_t dtype   = rma->type->base;
  bool            is_word = rma->nelem == 1 && rma->nbytes == sizeof(uint64_t) && dart__may_defer();

  dart__run_end(); /* updates of a word are applied in the order of their calls */
  dart__count_operation(DART__COUNT_ATOMIC_FAR, rma->nbytes);
  dart__engine_poke();
  if (is_word && dart__context == NULL)
    dart__far_update(rma);
  else
    dart__context_note(&rma->at, dart__far_start(rma, NULL));
  if (is_word) {
    if (dart__stream < DART__STREAM_LEAST)
      dart__progress_update();
    prepare_run(&rma->at, dtype, rma->op);
  }
}

/* The segment has had epochs: whether the accumulate goes on, see epoch/access.h. Operands that are not copied stay where
 * they are, unless `copies`. */
static __attribute__((noinline)) dart__access_t may_go(const char *function, const dart__rma_t *rma,
                                                       bool copies)
{
  return copies && !dart__rma_is_copied(rma) ? dart__gate.now(function, &rma->at, rma->kind)
                                             : dart__gate.later(function, rma);
}

/* Rarely called, so out of the way of other code. */
static __attribute__((noinline)) dart_ret_t count_apart(const dart__address_t *at, size_t nbytes)
{
  dart__count_atomic(at, nbytes);
  return DART_OK;
}

static inline dart_ret_t accumulate(const char *function, dart_gptr_t gptr, const void *values,
                                    size_t nelem, dart_datatype_t dtype, dart_operation_t op,
                                    bool copies)
{
  dart__rma_t            rma;
  const dart__address_t *at  = &rma.at;
  dart_ret_t             ret = check_atomic(function, gptr, nelem, dtype, op, &rma.at);

  if (ret != DART_OK || nelem == 0)
    return ret;
  if (values == NULL && op != DART_OP_NO_OP)
    return dart__null_argument(function, "values");
  if (op == DART_OP_NO_OP)
    return DART_OK;
  if (at->near == NULL || __builtin_expect(dart__segment_epoch(at->segment) != NULL, 0))
    dart__rma_set(&rma, DART__ACCUMULATE, values, nelem, dtype, op);
  if (__builtin_expect(dart__segment_epoch(at->segment) != NULL, 0)) {
    dart__access_t goes = may_go(function, &rma, copies);

    if (goes == DART__ACCESS_DONE)
      return count_apart(at, rma.nbytes);
    if (goes != DART__ACCESS_PASS)
      return dart__access_result(goes);
  }
  if (at->near == NULL && at->segment->address == NULL) { /* deferred updates are near */
    accumulate_far(&rma);
    return DART_OK;
  }
  if (at->near != NULL && nelem == 1 && dart__may_defer() &&
      dart__type_basic_size(dtype) <=
          sizeof(uint64_t)) { /* without a direct map, or its budget is spent */
    if (__builtin_expect(dart__counts_near, 0))
      count_apart(at, dart__type_basic_size(dtype));
    add(&gptr, at->near, values, dart__type_basic_size(dtype), dtype, op);
    dart__progress_serve();
    if (dart__world.many_nodes && dart__type_basic_size(dtype) == sizeof(uint64_t))
      prepare_run(at, dtype, op);
    return DART_OK;
  }
  dart__count_atomic(at, nelem * dart__type_basic_size(dtype));
  dart__progress(); /* apply deferred updates: those of a word are applied in the order of their calls */
  if (at->near == NULL)
    ret = dart__remote_start(&rma, NULL);
  else
    dart__atomic_accumulate(at->near, values, nelem, dtype, op);
  return told(ret, gptr, nelem * dart__type_basic_size(dtype));
}

DART__OUT_OF_LINE accumulate_any(dart_gptr_t gptr, const void *values, size_t nelem,
                                 dart_datatype_t dtype, dart_operation_t op)
{
  return accumulate("dart_accumulate", gptr, values, nelem, dtype, op, false);
}

DART__OUT_OF_LINE accumulate_blocking_any(dart_gptr_t gptr, const void *values, size_t nelem,
                                          dart_datatype_t dtype, dart_operation_t op)
{
  return accumulate("dart_accumulate_blocking_local", gptr, values, nelem, dtype, op, true);
}

INLINED dart_ret_t accumulate_generally(const dart_gptr_t *gptr, const void *values, size_t nelem,
                                        dart_datatype_t dtype, dart_operation_t op, bool copies)
{
  return copies ? accumulate_blocking_any(*gptr, values, nelem, dtype, op)
                : accumulate_any(*gptr, values, nelem, dtype, op);
}

/* One element, by the direct map if it is near. */
INLINED dart_ret_t accumulate_near(const dart_gptr_t *gptr, const void *value,
                                   dart_datatype_t dtype, dart_operation_t op, bool copies)
{
  size_t size = dart__type_basic_size(dtype);
  char  *near;

  if (__builtin_expect(!dart__op_is_atomic(op, dtype) || op == DART_OP_NO_OP ||
                           size > sizeof(uint64_t) || !dart__may_defer(),
                       0))
    return accumulate_generally(gptr, value, 1, dtype, op, copies);
  near = dart_inline_bytes(dart__team_direct, dart_inline_ids(gptr), size);
  if (__builtin_expect(near == NULL || ((uintptr_t)near & (size - 1)) != 0, 0))
    return accumulate_generally(gptr, value, 1, dtype, op, copies);
  return add(gptr, near, value, size, dtype, op);
}

/* One element while a run is prepared for: on several nodes. Apart, since it needs more registers than the near path. */
DART__OUT_OF_LINE accumulate_beside_run(dart_gptr_t gptr, const void *value, dart_datatype_t dtype,
                                        dart_operation_t op, bool copies)
{
  if (dart__run_add(dart_inline_ids(&gptr), value, dtype, op))
    return DART_OK;
  return accumulate_near(&gptr, value, dtype, op, copies);
}

INLINED dart_ret_t accumulate_element(const dart_gptr_t *gptr, const void *values, size_t nelem,
                                      dart_datatype_t dtype, dart_operation_t op, bool copies)
{
  if (__builtin_expect(nelem != 1 || values == NULL, 0))
    return accumulate_generally(gptr, values, nelem, dtype, op, copies);
  if (dart__run.noffsets > 0)
    return accumulate_beside_run(*gptr, values, dtype, op, copies);
  return accumulate_near(gptr, values, dtype, op, copies);
}

DART__OUT_OF_LINE accumulate_one(dart_gptr_t gptr, const void *values, size_t nelem,
                                 dart_datatype_t dtype, dart_operation_t op)
{
  return accumulate_element(&gptr, values, nelem, dtype, op, false);
}

DART__OUT_OF_LINE accumulate_blocking_one(dart_gptr_t gptr, const void *values, size_t nelem,
                                          dart_datatype_t dtype, dart_operation_t op)
{
  return accumulate_element(&gptr, values, nelem, dtype, op, true);
}

/* Whether this is an update of the counted element like the last one. */
INLINED bool is_counted(const dart_gptr_t *gptr, const void *value, size_t nelem,
                        dart_datatype_t dtype, dart_operation_t op)
{
  return counted.offset == gptr->addr_or_offs.offset && counted.head == head_of(gptr) &&
         counted.type == dtype && counted.op == op && nelem == 1 && value != NULL &&
         counted.withdrawn == dart__team_withdrawn && counted.line == dart__deferred.hot;
}

DART__OUT_OF_LINE apply_counted(dart_gptr_t gptr, const void *value)
{
  dart__atomic_accumulate_one(counted.near, value, counted.type, counted.op);
  return dart__is_watched() ? dart__watch_wrote_few(gptr) : DART_OK;
}

/* In the entry points, which save no registers for it: an atomic instruction waits for all stores before it. A sum is found
 * without the table of the operators. */
INLINED dart_ret_t accumulate_counted(const dart_gptr_t *gptr, const void *value,
                                      dart_operation_t op)
{
  dart__atomic_word_64_t *word = (dart__atomic_word_64_t *)(void *)counted.near;

  if (!counted.is_instruction)
    return apply_counted(*gptr, value);
  if (op == DART_OP_SUM)
    dart__atomic_accumulate_64(word, value, DART_OP_SUM);
  else if (!dart__atomic_accumulate_64(word, value, op))
    __builtin_unreachable(); /* so that nothing else is kept in registers */
  return dart__is_watched() ? dart__watch_wrote_few(*gptr) : DART_OK;
}

dart_ret_t dart_accumulate(dart_gptr_t gptr, const void *values, size_t nelem,
                           dart_datatype_t dtype, dart_operation_t op)
{
  return is_counted(&gptr, values, nelem, dtype, op)
             ? accumulate_counted(&gptr, values, op)
             : accumulate_one(gptr, values, nelem, dtype, op);
}

dart_ret_t dart_accumulate_blocking_local(dart_gptr_t gptr, const void *values, size_t nelem,
                                          dart_datatype_t dtype, dart_operation_t op)
{
  return is_counted(&gptr, values, nelem, dtype, op)
             ? accumulate_counted(&gptr, values, op)
             : accumulate_blocking_one(gptr, values, nelem, dtype, op);
}

/* ---- atomics with a result ------------------------------------------------------------------- */

DART__OUT_OF_LINE fetch_any(dart_gptr_t gptr, const void *value, void *result,
                            dart_datatype_t dtype, dart_operation_t op)
{
  static const char      function[] = "dart_fetch_and_op";
  dart__rma_t            rma;
  const dart__address_t *at  = &rma.at;
  dart_ret_t             ret = check_atomic(function, gptr, 1, dtype, op, &rma.at);

  if (ret != DART_OK)
    return ret;
  if (result == NULL || (value == NULL && op != DART_OP_NO_OP))
    return dart__null_argument(function, result == NULL ? "result" : "value");
  ret = dart__gate_pass(function, at, op == DART_OP_NO_OP ? DART__GET : DART__ACCUMULATE);
  if (ret != DART_OK)
    return ret;
  dart__count_atomic(at, dart__type_basic_size(dtype));
  dart__progress(); /* own deferred updates come first; and the caller may be polling */
  if (at->near == NULL) {
    dart__rma_set_fetch(&rma, value, result, 1, dtype, op);
    ret = dart__remote_start(&rma, NULL);
  } else if (!dart__atomic_fetch_word(at->near, value, result, dtype, op)) {
    dart__atomic_fetch(at->near, value, result, dtype, op);
  }
  if (op != DART_OP_NO_OP)
    return told(ret, gptr, dart__type_basic_size(dtype));
  if (at->near != NULL && dart__world.many_nodes &&
      dart__type_basic_size(dtype) <= sizeof(uint64_t))
    dart__progress_polled(gptr, result, dart__type_basic_size(dtype));
  return ret;
}

DART__OUT_OF_LINE swap_any(dart_gptr_t gptr, const void *value, const void *compare, void *result,
                           dart_datatype_t dtype)
{
  static const char      function[] = "dart_compare_and_swap";
  dart__rma_t            rma;
  const dart__address_t *at = &rma.at;
  dart_ret_t             ret;

  /* the types that can be compared bitwise are those of the bitwise operators */
  if (!dart__op_is_atomic(DART_OP_BAND, dtype))
    return dart__fail(DART_ERR_INVAL, "%s: no compare-and-swap on type %s", function,
                      dart__type_text(dtype).text);
  ret = check_atomic(function, gptr, 1, dtype, DART_OP_REPLACE, &rma.at);
  if (ret != DART_OK)
    return ret;
  if (value == NULL || compare == NULL || result == NULL)
    return dart__null_argument(function, value == NULL     ? "value"
                                         : compare == NULL ? "compare"
                                                           : "result");
  ret = dart__gate_pass(function, at, DART__SWAP);
  if (ret != DART_OK)
    return ret;
  dart__count_atomic(at, dart__type_basic_size(dtype));
  dart__progress(); /* as in fetch_any */
  if (at->near == NULL) {
    dart__rma_set_swap(&rma, value, compare, result, dtype);
    ret = dart__remote_start(&rma, NULL);
  } else if (!dart__atomic_swap_word(at->near, value, compare, result, dtype)) {
    dart__atomic_swap(at->near, value, compare, result, dtype);
  }
  return told(ret, gptr, dart__type_basic_size(dtype));
}

/* The address of an element of `size` bytes that is near by the direct map and aligned. NULL: it is not, or the call has
 * to make progress; the general path is taken. */
INLINED void *near_element(const dart_gptr_t *gptr, unsigned size)
{
  char *near = dart_inline_bytes(dart__progress_maps, dart_inline_ids(gptr), size);

  return ((uintptr_t)near & (size - 1)) == 0 ? near : NULL;
}

/* The end of an atomic on such a word, by the direct map. */
INLINED dart_ret_t word_told(const dart_gptr_t *gptr)
{
  return dart__is_watched() ? dart__watch_wrote_few(*gptr) : DART_OK;
}

/* A near element of any type and size, or an operator that takes more than one instruction. */
INLINED dart_ret_t fetch_element(const dart_gptr_t *gptr, const void *value, void *result,
                                 dart_datatype_t dtype, dart_operation_t op)
{
  void *near = NULL;

  if (__builtin_expect(dart__op_is_atomic(op, dtype), 1))
    near = near_element(gptr, (unsigned)dart__type_basic_size(dtype));
  if (__builtin_expect(near == NULL, 0))
    return fetch_any(*gptr, value, result, dtype, op);
  dart__atomic_fetch(near, value, result, dtype, op);
  if (op != DART_OP_NO_OP && dart__is_watched())
    dart__watch_wrote(*gptr, dart__type_basic_size(dtype));
  return DART_OK;
}

DART__OUT_OF_LINE fetch_by_loop(dart_gptr_t gptr, const void *value, void *result,
                                dart_datatype_t dtype, dart_operation_t op)
{
  return fetch_element(&gptr, value, result, dtype, op);
}

/* The entry points below have the rest twice, for each of the two sizes: so the size is a constant, and needs neither a
 * register nor a second look. */
INLINED dart_ret_t fetch_word(const dart_gptr_t *gptr, const void *value, void *result,
                              dart_datatype_t dtype, dart_operation_t op, unsigned size)
{
  void *near = near_element(gptr, size);

  if (__builtin_expect(near == NULL, 0))
    return fetch_any(*gptr, value, result, dtype, op);
  if (!(size == 8 ? dart_inline_fetch_64(near, value, result, op)
                  : dart_inline_fetch_32(near, value, result, op)))
    return fetch_by_loop(*gptr, value, result, dtype, op);
  return op == DART_OP_NO_OP ? DART_OK : word_told(gptr);
}

INLINED dart_ret_t swap_word(const dart_gptr_t *gptr, const void *value, const void *compare,
                             void *result, dart_datatype_t dtype, unsigned size)
{
  void *near = near_element(gptr, size);

  if (__builtin_expect(near == NULL, 0))
    return swap_any(*gptr, value, compare, result, dtype);
  if (size == 8)
    dart_inline_swap_64(near, value, compare, result);
  else
    dart_inline_swap_32(near, value, compare, result);
  return word_told(gptr);
}

/* Integers of 4 bytes, apart from the others, which are more frequent. */
DART__OUT_OF_LINE fetch_32(dart_gptr_t gptr, const void *value, void *result, dart_datatype_t dtype,
                           dart_operation_t op)
{
  return fetch_word(&gptr, value, result, dtype, op, 4);
}

DART__OUT_OF_LINE swap_32(dart_gptr_t gptr, const void *value, const void *compare, void *result,
                          dart_datatype_t dtype)
{
  return swap_word(&gptr, value, compare, result, dtype, 4);
}

dart_ret_t dart_fetch_and_op(dart_gptr_t gptr, const void *value, void *result,
                             dart_datatype_t dtype, dart_operation_t op)
{
  if (__builtin_expect(result == NULL || (value == NULL && op != DART_OP_NO_OP), 0))
    return fetch_any(gptr, value, result, dtype, op);
  switch (dart__atomic_word_size(dtype)) {
  case 8: return fetch_word(&gptr, value, result, dtype, op, 8);
  case 4: return fetch_32(gptr, value, result, dtype, op);
  default: return fetch_by_loop(gptr, value, result, dtype, op);
  }
}

dart_ret_t dart_compare_and_swap(dart_gptr_t gptr, const void *value, const void *compare,
                                 void *result, dart_datatype_t dtype)
{
  if (__builtin_expect(result == NULL || value == NULL || compare == NULL, 0))
    return swap_any(gptr, value, compare, result, dtype);
  switch (dart__atomic_word_size(dtype)) {
  case 8: return swap_word(&gptr, value, compare, result, dtype, 8);
  case 4: return swap_32(gptr, value, compare, result, dtype);
  default: return swap_any(gptr, value, compare, result, dtype);
  }
}
