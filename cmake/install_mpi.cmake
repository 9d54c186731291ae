# dart-mpi by the name of its MPI, which two of them have beside each other in one installation, as Debian's HDF5 has:
#
#   libdart-mpi             the library of the build that is installed with all of DART
#   libdart-mpi-mpich       the same, if its MPI is MPICH: links to it
#   libdart-mpi-openmpi     of a build with MPI_C_COMPILER=mpicc.openmpi and DART_MPI_BESIDE=ON, which installs no more than
#                           this library, its launcher and what builds find it by
#
# Each name has a .pc file, a CMake package (DART-MPI-OPENMPI, with the target DART::mpi-openmpi), and a launcher,
# dartrun-mpi-openmpi. Every dartrun starts a program by the launcher of its library.

set(named mpi-${DART_MPI_VENDOR})
set(library_folder ${CMAKE_INSTALL_LIBDIR})

# dart_install_link(<name> <old name> <folder> <component>): a name for what is installed in the same folder.
function(dart_install_link name old folder component)
  file(CREATE_LINK ${old} ${made}/${name} SYMBOLIC)
  install(FILES ${made}/${name} DESTINATION ${folder} COMPONENT ${component})
endfunction()

set(launchers dartrun)
if(TARGET dart-info-mpi)
  list(APPEND launchers dart-info)
endif()
if(DART_MPI_BESIDE)
  install(TARGETS dart-mpi dart-mpi-shared EXPORT dart-${named}-targets
          ARCHIVE DESTINATION ${library_folder} COMPONENT development
          LIBRARY DESTINATION ${library_folder} COMPONENT runtime NAMELINK_COMPONENT development)
  install(EXPORT dart-${named}-targets DESTINATION ${packages} COMPONENT development)
  set(library dart-${named})
  set(names ${named})
  string(TOUPPER ${library} package)
  configure_file(cmake/library-config.cmake.in ${made}/${library}-config.cmake @ONLY)
  foreach(launcher IN LISTS launchers)
    install(PROGRAMS $<TARGET_FILE:${launcher}-mpi> DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime
            RENAME ${launcher}-${named})
  endforeach()
else()
  dart_install_link(libdart-${named}.a libdart-mpi.a ${library_folder} development)
  dart_install_link(libdart-${named}.so libdart-mpi.so ${library_folder} development)
  configure_file(cmake/named-config.cmake.in ${made}/dart-${named}-config.cmake @ONLY)
  foreach(launcher IN LISTS launchers)
    dart_install_link(${launcher}-${named} ${launcher}-mpi ${CMAKE_INSTALL_BINDIR} runtime)
  endforeach()
endif()
install(FILES ${made}/dart-${named}-config.cmake DESTINATION ${packages} COMPONENT development)
install(FILES ${made}/version.cmake DESTINATION ${packages} COMPONENT development
        RENAME dart-${named}-config-version.cmake)

# The .pc file, with the variables of those in cmake/install.cmake.
set(pkgconfig ${library_folder}/pkgconfig)
file(RELATIVE_PATH up ${CMAKE_INSTALL_PREFIX}/${pkgconfig} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" up ${up})
set(rpath " -Wl,-rpath,\${libdir}")
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(rpath "")
endif()
set(backend ${named})
get_property(libraries GLOBAL PROPERTY DART_BACKEND_mpi_LIBRARIES)
list(JOIN libraries " " libraries)
configure_file(cmake/dart.pc.in ${made}/dart-${named}.pc @ONLY)
install(FILES ${made}/dart-${named}.pc DESTINATION ${pkgconfig} COMPONENT development)
