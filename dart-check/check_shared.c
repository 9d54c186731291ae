/* See check_shared.h. */
#include "check_shared.h"

#include <stdlib.h>
#include <string.h>

dart_gptr_t dart__check_part(dart_gptr_t shared, int32_t unit, uint64_t offset)
{
  shared.unitid              = unit;
  shared.addr_or_offs.offset = offset;
  return shared;
}

dart_gptr_t dart__check_share(dart_team_t team, size_t nbytes, void **own_out)
{
  dart_gptr_t shared;

  if (pdart_team_memalloc_aligned(team, nbytes, DART_TYPE_BYTE, &shared) != DART_OK ||
      pdart_gptr_getaddr(dart__check_part(shared, dart__check.me, 0), own_out) != DART_OK)
    pdart_abort(DART_EXIT_ABORT);
  return shared;
}

void dart__check_read(void *words, dart_gptr_t shared, int32_t unit, uint64_t offset, size_t nbytes)
{
  dart_ret_t ret = DART_OK;

  if (nbytes > 0)
    ret = pdart_get_blocking(words, dart__check_part(shared, unit, offset),
                             nbytes / sizeof(uint64_t), DART_TYPE_ULONGLONG, DART_TYPE_ULONGLONG);
  if (ret == DART_ERR_UNIT_LOST)
    memset(words, 0, nbytes);
  else if (ret != DART_OK)
    abort();
}
