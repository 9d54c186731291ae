/* See last_call.h. */
#include "base/last_call.h"

_Thread_local const char *dart__call = "";
