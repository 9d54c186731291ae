/* What functions compiled into the program read, and whether they were compiled for this library.
 *
 * Every file of the program that has such functions reports its version before main, so a program that
 * would read tables of another layout is refused by dart_init, before there is anything to read. A library
 * that is loaded later, while DART runs, cannot be refused so: the job ends with the same message. */
#include "job/job.h"

#include <stdint.h>
#include <stdlib.h>

#include <dash/dart/ext/dart_inline_tables.h>

#include "base/log.h"
#include "base/profile.h"
#include "far/progress.h"
#include "model/team.h"
#include "model/world.h"
#include "net.h"
#include "rma/watch.h"

DART__PROFILED(dart_inline_require);

const dart_inline_tables_t dart_inline_tables = {
  .version       = DART_INLINE_VERSION,
  .map_bytes     = sizeof(dart_inline_map_t),
  .maps          = dart__team_direct,
  .put_maps      = &dart__put_maps,
  .blocking_maps = &dart__progress_maps,
  .nwatched      = (const volatile uint32_t *)(const void *)dart__watch_page,
};

/* Of the first code that was compiled for another library; 0: there is none. */
static uint32_t other_version, other_map_bytes;

bool dart__inline_fits(const char *function)
{
  if (other_version == 0)
    return true;
  return dart__fail(
      false,
      "%s: the program was compiled with version %u of dart_inline.h (maps of %u bytes), this "
      "library with version %u (%zu bytes); compile the program anew",
      function, other_version, other_map_bytes, DART_INLINE_VERSION, sizeof(dart_inline_map_t));
}

/* Code of version 3 knows no lists: it leaves such maps to the library. */
static bool is_known(uint32_t version)
{
  return version == DART_INLINE_VERSION || version == 3;
}

void dart_inline_require(uint32_t version, uint32_t map_bytes)
{
  if (is_known(version) && map_bytes == sizeof(dart_inline_map_t))
    return;
  if (other_version == 0) {
    other_version   = version > 0 ? version : UINT32_MAX;
    other_map_bytes = map_bytes;
  }
  if (dart__world.initialized && !dart__inline_fits("dart_inline_require"))
    dart__net_abort(EXIT_FAILURE, false);
}
