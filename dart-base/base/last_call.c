/* See last_call.h. */
#include "base/last_call.h"

_Thread_local const char         *dart__call = "";
_Thread_local dart__call_shared_t dart__call_shared;
