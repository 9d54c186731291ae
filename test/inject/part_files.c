/* Files of HDF5, where DART was built with it. */
#include "parts.h"

#ifdef DART_ENABLE_HDF5
#include <hdf5.h>

#include <dash/dart/if/dart_io.h>

void use_files(dart_team_t all)
{
  hid_t plist = H5Pcreate(H5P_FILE_ACCESS);

  FINE(dart__io__hdf5__prep_mpio(plist, all));
  H5Pclose(plist);
  board_wait("nobody uses the communicator any more");
}
#else
void use_files(dart_team_t all)
{
  (void)all;
}
#endif
