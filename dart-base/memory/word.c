/* See word.h. */
#include "memory/word.h"

#include "base/assert.h"
#include "far/far_ops.h"
#include "far/progress.h"
#include "memory/pool.h"
#include "model/address.h"
#include "model/argument_check.h"
#include "model/lost.h"
#include "model/world.h"
#include "wait/atomic.h"

/* The address of a word, and whether it is far. Updates that this unit has deferred come first. */
static bool is_remote(const char *function, dart_gptr_t word, dart_datatype_t type,
                      dart__address_t *at_out)
{
  dart_ret_t ret = dart__locate(function, word, dart__type_basic_size(type), at_out);

  dart__assert(ret == DART_OK);
  (void)ret;
  dart__progress();
  return at_out->near == NULL;
}

static dart_ret_t complete(dart_gptr_t word)
{
  if (!dart__world.many_nodes)
    return DART_OK;
  dart__far_settle(dart__teams[DART_TEAM_ALL], word.unitid);
  return dart__pool_is_near(word.unitid) ? DART_OK : dart__lost_result(word.unitid, DART_OK);
}

dart_ret_t dart__word_fetch(dart_gptr_t word, const void *value, void *result, dart_datatype_t type,
                            dart_operation_t op)
{
  dart__address_t at;
  dart__rma_t     rma;

  if (is_remote(__func__, word, type, &at)) {
    rma = dart__rma_fetch(&at, value, result, 1, type, op);
    dart__far_start(&rma, NULL);
  } else {
    dart__atomic_fetch(at.near, value, result, type, op);
  }
  return complete(word);
}

dart_ret_t dart__word_swap(dart_gptr_t word, const void *value, const void *compare, void *result,
                           dart_datatype_t type)
{
  dart__address_t at;
  dart__rma_t     rma;

  if (is_remote(__func__, word, type, &at)) {
    rma = dart__rma_swap(&at, value, compare, result, type);
    dart__far_start(&rma, NULL);
  } else {
    dart__atomic_swap(at.near, value, compare, result, type);
  }
  return complete(word);
}
