/* What calls do on their way: see progress.h. */
#include "api/progress/progress.h"

#include "port.h"

#define STREAM_UPDATE_NS 1000 /* of one on average, at most: slower ones gain nothing by waiting */

dart__deferred_t dart__deferred;
uint32_t         dart__stream;

static int64_t stream_seen; /* ns; when it was half as long as DART__STREAM_LEAST */

void dart__progress_now(void)
{
  if (dart__stream > 0) {
    dart__stream = 0;
    dart__deferred_apply_all(&dart__deferred);
    dart__world.progress_is_due = dart__world.many_nodes;
  }
  if (dart__world.many_nodes)
    dart__far->poke();
}

/* Half of a stream's least is there, or all of it. */
void dart__progress_stream(void)
{
  int64_t now = dart__now_ns();

  if (dart__stream == DART__STREAM_LEAST &&
      now - stream_seen > DART__STREAM_LEAST / 2 * STREAM_UPDATE_NS)
    dart__stream = DART__STREAM_LEAST / 2;
  stream_seen = now;
}

void dart__progress_look(dart_gptr_t gptr, const void *found, size_t nbytes)
{
  static _Thread_local struct {
    dart_gptr_t gptr;
    uint64_t    value;
  } last;
  uint64_t value = 0;

  memcpy(&value, found, nbytes);
  if (value == last.value && DART_GPTR_EQUAL(gptr, last.gptr))
    dart__far->push();
  last.gptr  = gptr;
  last.value = value;
}

void dart__progress_open(void)
{
  dart__world.progress_is_due = dart__world.many_nodes;
}
