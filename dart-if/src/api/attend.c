/* What calls do on their way: see attend.h. */
#include "api/attend.h"

#include "port.h"

dart__deferred_t dart__deferred;

void dart__attend_now(void)
{
  if (!dart__deferred_is_empty(&dart__deferred)) {
    dart__deferred_apply_all(&dart__deferred);
    dart__world.attention = dart__world.many_nodes;
  }
  if (dart__world.many_nodes)
    dart__port_poke();
}

void dart__attend_open(void)
{
  dart__world.attention = dart__world.many_nodes;
}
