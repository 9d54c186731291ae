/* See turns.h. */
#include "far/turns.h"

_Thread_local uint32_t dart__turns = DART__TURNS_LEAST;
