# Finds the MPI of dart-mpi: the one MPI_C_COMPILER names, else MPICH, else what `mpicc` is. The
# matching mpiexec is what this backend's launcher starts.

if(NOT MPI_C_COMPILER)
  find_program(MPI_C_COMPILER NAMES mpicc.mpich mpicc)
endif()
if(MPI_C_COMPILER AND NOT MPIEXEC_EXECUTABLE)
  get_filename_component(dir "${MPI_C_COMPILER}" DIRECTORY)
  get_filename_component(mpiexec "${MPI_C_COMPILER}" NAME)
  string(REPLACE mpicc mpiexec mpiexec "${mpiexec}")
  find_program(MPIEXEC_EXECUTABLE NAMES ${mpiexec} HINTS ${dir})
endif()

if(MPI_C_COMPILER)
  find_package(MPI 3.0 COMPONENTS C)
endif()
if(NOT MPI_C_FOUND AND DART_BACKEND_MPI STREQUAL "ON")
  message(FATAL_ERROR "DART_BACKEND_MPI is ON, but there is no MPI 3 for C here. "
                      "Debian: apt install mpich libmpich-dev")
elseif(NOT MPI_C_FOUND)
  message(STATUS "No MPI found: dart-mpi is left out (Debian: apt install mpich libmpich-dev)")
endif()

# Which MPI it is: mpich, with its relatives, openmpi, or empty. dart-mpi/mpi/vendor.h has the same names.
set(DART_MPI_VENDOR "")
if(MPI_C_FOUND)
  include(CheckSymbolExists)
  set(CMAKE_REQUIRED_INCLUDES ${MPI_C_INCLUDE_DIRS})
  check_symbol_exists(OPEN_MPI mpi.h DART_MPI_IS_OPENMPI)
  check_symbol_exists(MPICH_VERSION mpi.h DART_MPI_IS_MPICH)
  unset(CMAKE_REQUIRED_INCLUDES)
  if(DART_MPI_IS_OPENMPI)
    set(DART_MPI_VENDOR openmpi)
  elseif(DART_MPI_IS_MPICH)
    set(DART_MPI_VENDOR mpich)
  endif()
endif()

# A DART of another MPI may be installed beside this one: cmake/install_mpi.cmake.
option(DART_MPI_BESIDE "Install dart-mpi alone, as dart-mpi-<mpich or openmpi>, beside another DART" OFF)
if(DART_MPI_BESIDE AND NOT DART_MPI_VENDOR)
  message(FATAL_ERROR "DART_MPI_BESIDE is ON, but there is no MPICH and no Open MPI here")
endif()
