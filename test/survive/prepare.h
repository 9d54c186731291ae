#ifndef DART_TEST_SURVIVE_PREPARE_H
#define DART_TEST_SURVIVE_PREPARE_H
/* What all units have before one dies, for calls of several subjects. */
#include "calls.h"

#define LARGE (64 * 1024) /* elements: blocks go directly between buffers */

extern long       *in, *out; /* n * LARGE elements */
extern dart_gptr_t memory;   /* 16 elements on each unit, or LARGE */
extern dart_gptr_t registered;

void buffers(void);
void segment(void);
void large_segment(void);
void registered_memory(void);

static inline dart_gptr_t at_unit(dart_gptr_t gptr, int unit)
{
  gptr.unitid = unit;
  return gptr;
}

/* Of the node after the victim's, where there are several: it holds what the victim waits for. */
int holder(void);

void await_victim(void);

#endif
