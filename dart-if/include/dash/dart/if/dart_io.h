#ifndef DASH__DART__IF__DART_IO_H__INCLUDED
#define DASH__DART__IF__DART_IO_H__INCLUDED
/** @file dart_io.h
 *  Parallel files. Only in builds with parallel HDF5 (DART_ENABLE_HDF5); include <hdf5.h> first, it
 *  declares hid_t. */

#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif
DART_INTERFACE_ON

/** Let files opened with the file access property list `plist_id` be shared by the units of
 *  `teamid`: HDF5 then sees exactly those, in team order (with MPI: H5Pset_fapl_mpio).
 *
 *  Local; opening the file is what is collective over the team.
 *  DART_ERR_INVAL: no such team. DART_ERR_OTHER: HDF5 refused. */
dart_ret_t dart__io__hdf5__prep_mpio(hid_t plist_id, dart_team_t teamid) DART_NOTHROW;

DART_INTERFACE_OFF
#ifdef __cplusplus
}
#endif

#endif /* DASH__DART__IF__DART_IO_H__INCLUDED */
