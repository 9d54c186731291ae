/* See handlers.h. */
#include "far/handlers.h"

#include "base/assert.h"

dart__handlers_t dart__handlers;

void dart__handlers_clear(void)
{
  for (int i = 0; i < DART__OBJECTS; i++)
    dart__handlers.object[i] = NULL;
  dart__handlers.nanswers = 0;
  atomic_store_explicit(&dart__handlers.is_answer_due, false, memory_order_relaxed);
}

void dart__handle_object(dart__object_t kind, dart__object_handler_t *handler)
{
  dart__handlers.object[kind] = handler;
}

void dart__handle_answer(dart__answer_handler_t *handler)
{
  dart__assert(dart__handlers.nanswers < DART__ANSWERS_MOST);
  dart__handlers.answer[dart__handlers.nanswers++] = handler;
}
