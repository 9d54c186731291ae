/* Operations on objects of a far unit, made there by DART itself: a request, and its result. */
#include "far/elements.h"
#include "far/engine.h"
#include "far/far_ops.h"

void dart__far_call(const dart__address_t *at, const void *operand, size_t nbytes,
                    uint64_t *result_out)
{
  dart__am_address_t object = dart__am_address(at);

  dart__am_call(dart__engine.am, &object, operand, nbytes, result_out);
  if (result_out != NULL)
    dart__am_settle(dart__engine.am, object.peer);
}
