/* Entry points on global pointers. All are local. */
#include <dash/dart/if/dart_globmem.h>

#include "base/log.h"
#include "base/profile.h"
#include "model/address.h"

DART__PROFILED(dart_gptr_getaddr, dart_gptr_setaddr, dart_gptr_getflags, dart_gptr_setflags);

dart_ret_t dart_gptr_getaddr(const dart_gptr_t gptr, void **addr)
{
  dart__team_t    *team;
  dart__segment_t *segment = dart__locate_segment(gptr, &team);

  if (addr == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: addr is NULL", __func__);
  *addr = NULL;
  if (segment == NULL || (uint32_t)gptr.unitid >= (uint32_t)team->nunits)
    return dart__locate_error(__func__, gptr, 0);
  if (gptr.unitid == team->me)
    *addr = dart__own_start(team, segment) + gptr.addr_or_offs.offset;
  return DART_OK;
}

dart_ret_t dart_gptr_setaddr(dart_gptr_t *gptr, void *addr)
{
  dart__team_t    *team;
  dart__segment_t *segment;

  if (gptr == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: gptr is NULL", __func__);
  segment = dart__locate_segment(*gptr, &team);
  if (segment == NULL)
    return dart__locate_error(__func__, *gptr, 0);
  gptr->addr_or_offs.offset =
      (uint64_t)((uintptr_t)addr - (uintptr_t)dart__own_start(team, segment));
  return DART_OK;
}

dart_ret_t dart_gptr_getflags(dart_gptr_t gptr, uint16_t *flags)
{
  dart__team_t    *team;
  dart__segment_t *segment = dart__locate_segment(gptr, &team);

  if (flags == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: flags is NULL", __func__);
  *flags = 0;
  if (segment == NULL)
    return dart__locate_error(__func__, gptr, 0);
  *flags = segment->flags;
  return DART_OK;
}

dart_ret_t dart_gptr_setflags(dart_gptr_t *gptr, uint16_t flags)
{
  dart__team_t    *team;
  dart__segment_t *segment;

  if (gptr == NULL)
    return dart__fail(DART_ERR_INVAL, "%s: gptr is NULL", __func__);
  segment = dart__locate_segment(*gptr, &team);
  if (segment == NULL)
    return dart__locate_error(__func__, *gptr, 0);
  segment->flags = flags;
  gptr->flags    = flags & 0xff;
  return DART_OK;
}
