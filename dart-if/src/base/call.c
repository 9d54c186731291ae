/* See call.h. */
#include "base/call.h"

_Thread_local const char *dart__call = "";
