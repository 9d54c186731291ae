# Finds the HDF5 of dart__io__hdf5__prep_mpio: a parallel one, made with the MPI of dart-mpi.
# Debian has one for each MPI, by pkg-config name; elsewhere it may be plain `hdf5`.

find_package(PkgConfig REQUIRED)
if(MPI_C_LIBRARIES MATCHES "mpich")
  set(names hdf5-mpich)
elseif(MPI_C_LIBRARIES MATCHES "openmpi")
  set(names hdf5-openmpi)
endif()
pkg_search_module(DART_HDF5 IMPORTED_TARGET ${names} hdf5)

if(DART_HDF5_FOUND)
  include(CheckSymbolExists)
  set(CMAKE_REQUIRED_LIBRARIES PkgConfig::DART_HDF5 MPI::MPI_C)
  check_symbol_exists(H5Pset_fapl_mpio "hdf5.h" DART_HDF5_IS_PARALLEL)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()
if(NOT DART_HDF5_FOUND OR NOT DART_HDF5_IS_PARALLEL)
  message(FATAL_ERROR "DART_ENABLE_HDF5 is ON, but there is no HDF5 for this MPI here. "
                      "Debian: apt install libhdf5-mpich-dev pkg-config")
endif()
