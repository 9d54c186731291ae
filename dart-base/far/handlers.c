/* See handlers.h. */
#include "far/handlers.h"

dart__handlers_t dart__handlers;

void dart__handlers_clear(void)
{
  for (int i = 0; i < DART__OBJECTS; i++)
    dart__handlers.object[i] = NULL;
  atomic_store_explicit(&dart__handlers.is_answer_due, false, memory_order_relaxed);
}

void dart__handle_object(dart__object_t kind, dart__object_handler_t *handler)
{
  dart__handlers.object[kind] = handler;
}
