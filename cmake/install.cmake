# What `cmake --install` puts into place: the public headers, static and shared libraries,
# launchers, and what other builds find them by: CMake packages, and a .pc file for every backend.
#
#   find_package(DART COMPONENTS shmem)    share/cmake/dart/dart-config.cmake
#   find_package(DART-SHMEM), DART-MPI, DART-BASE, with HINTS <prefix>/share/cmake
#   targets: DART::<backend>, DART::base and DART::check (before the backend), static; the same with -shared at the end; or with dart- for DART::
#   dart-mpi also has the name of its MPI, as dart-mpi-mpich: cmake/install_mpi.cmake
#
# Each rule has a component, which `cmake --install ... --component NAME` installs alone:
#   runtime      shared libraries, launchers, dart-info, and the manual pages of these programs
#   development  headers, static libraries, CMake packages, .pc files
#   tools        dart-report, dart-trace, and their manual pages
#   doc          manual pages of functions, the pages of doc/

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(made ${PROJECT_BINARY_DIR}/install)
set(packages share/cmake) # fixed: where builds look that know DART of old
get_property(backends GLOBAL PROPERTY DART_BACKENDS)

# CMake installs nothing for a component that does not exist, and says nothing. Components of a project
# around DART are its own business.
if(DART_ON_ITS_OWN AND NOT CMAKE_VERSION VERSION_LESS 3.21)
  install(CODE [[
    if(CMAKE_INSTALL_COMPONENT AND NOT CMAKE_INSTALL_COMPONENT MATCHES "^(runtime|development|tools|doc)$")
      message(FATAL_ERROR "DART has no component '${CMAKE_INSTALL_COMPONENT}'; "
                          "it has: runtime, development, tools, doc")
    endif()
  ]] ALL_COMPONENTS)
endif()

install(DIRECTORY dart-if/include/dash DESTINATION include COMPONENT development FILES_MATCHING PATTERN "*.h")
write_basic_package_version_file(${made}/version.cmake COMPATIBILITY SameMajorVersion)

# dart_install_package(<library> <target>...): a library, and what find_package(<LIBRARY>) needs.
function(dart_install_package library)
  install(TARGETS ${library} ${library}-shared ${ARGN} EXPORT ${library}-targets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
  install(EXPORT ${library}-targets DESTINATION ${packages} COMPONENT development)

  string(TOUPPER ${library} package)
  set(names ${library} ${ARGN})
  list(REMOVE_ITEM names dart-interface)
  string(REPLACE "dart-" "" names "${names}")
  string(REPLACE ";" " " names "${names}")
  configure_file(cmake/library-config.cmake.in ${made}/${library}-config.cmake @ONLY)
  install(FILES ${made}/${library}-config.cmake DESTINATION ${packages} COMPONENT development)
  install(FILES ${made}/version.cmake DESTINATION ${packages} COMPONENT development
          RENAME ${library}-config-version.cmake)
endfunction()

set(needs)
dart_install_package(dart-base dart-interface dart-check)
set(needs DART-BASE)
if(TARGET dart-mpi AND DART_MPI_VENDOR)
  include(cmake/install_mpi.cmake)
endif()
if(DART_MPI_BESIDE)
  return()
endif()
foreach(backend IN LISTS backends)
  dart_install_package(dart-${backend})
endforeach()

# Layers, which launchers load by their names without a version (launch/load_layers.c).
install(TARGETS dart-check-shared EXPORT dart-base-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
install(TARGETS dart-trace-shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
install(TARGETS dart-trace ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)

configure_file(cmake/dart-config.cmake.in ${made}/dart-config.cmake @ONLY)
install(FILES ${made}/dart-config.cmake DESTINATION ${packages}/dart COMPONENT development)
install(FILES ${made}/version.cmake DESTINATION ${packages}/dart COMPONENT development
        RENAME dart-config-version.cmake)

# pkg-config. All is relative to the .pc file, so the installed tree may be moved.
set(pkgconfig ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH up ${CMAKE_INSTALL_PREFIX}/${pkgconfig} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" up ${up})
set(rpath " -Wl,-rpath,\${libdir}") # so that programs find the library in a prefix of the user's own
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(rpath "")
endif()
foreach(backend IN LISTS backends)
  get_property(libraries GLOBAL PROPERTY DART_BACKEND_${backend}_LIBRARIES)
  list(JOIN libraries " " libraries)
  configure_file(cmake/dart.pc.in ${made}/dart-${backend}.pc @ONLY)
  install(FILES ${made}/dart-${backend}.pc DESTINATION ${pkgconfig} COMPONENT development)
endforeach()

# Launchers and dart-info: one for every backend, and `dartrun` and `dart-info`, which are those of
# dart-mpi where it is installed: the one that can start a program on more than one node. It starts programs of
# the other backend by the launcher of that one.
set(programs dartrun)
foreach(backend IN LISTS backends)
  install(PROGRAMS $<TARGET_FILE:dartrun-${backend}> DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime
          RENAME dartrun-${backend})
  if(TARGET dart-info-${backend})
    install(TARGETS dart-info-${backend} DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
    list(APPEND programs dart-info)
  endif()
endforeach()
list(REMOVE_DUPLICATES programs)
set(usual shmem)
if(mpi IN_LIST backends)
  set(usual mpi)
endif()
foreach(program IN LISTS programs)
  file(CREATE_LINK ${program}-${usual} ${made}/${program} SYMBOLIC)
  install(PROGRAMS ${made}/${program} DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
endforeach()

if(DART_ON_ITS_OWN)
  install(PROGRAMS tools/dart-report DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  install(DIRECTORY tools/report DESTINATION share/dart COMPONENT tools # where dart-report looks
          FILES_MATCHING PATTERN "*.py")
  install(TARGETS dart-trace-tool DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)

  set(doc share/doc/dart) # laid out as the sources are, for the pages' links to one another
  install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE DESTINATION ${doc} COMPONENT doc)
  install(DIRECTORY doc DESTINATION ${doc} COMPONENT doc PATTERN man EXCLUDE)
  install(FILES test/README.md DESTINATION ${doc}/test COMPONENT doc)
endif()
