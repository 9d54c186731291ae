# What `cmake --install` puts into place: the public headers, static and shared libraries,
# launchers, and what other builds find them by: CMake packages, and a .pc file for every backend.
#
#   find_package(DART COMPONENTS shmem)    share/cmake/dart/dart-config.cmake
#   find_package(DART-SHMEM), DART-MPI, DART-BASE, with HINTS <prefix>/share/cmake
#   targets: DART::<backend> and DART::base, static; the same with -shared at the end; or with dart- for DART::

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(made ${PROJECT_BINARY_DIR}/install)
set(packages share/cmake) # fixed: where builds look that know DART of old
get_property(backends GLOBAL PROPERTY DART_BACKENDS)

install(DIRECTORY dart-if/include/dash DESTINATION include FILES_MATCHING PATTERN "*.h")
write_basic_package_version_file(${made}/version.cmake COMPATIBILITY SameMajorVersion)

# dart_install_package(<library> <target>...): a library, and what find_package(<LIBRARY>) needs.
function(dart_install_package library)
  install(TARGETS ${library} ${library}-shared ${ARGN} EXPORT ${library}-targets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT ${library}-targets DESTINATION ${packages})

  string(TOUPPER ${library} package)
  string(REPLACE "dart-" "" alias ${library})
  configure_file(cmake/library-config.cmake.in ${made}/${library}-config.cmake @ONLY)
  install(FILES ${made}/${library}-config.cmake DESTINATION ${packages})
  install(FILES ${made}/version.cmake DESTINATION ${packages}
          RENAME ${library}-config-version.cmake)
endfunction()

set(needs)
dart_install_package(dart-base dart-interface dart-check dart-check-shared)
set(needs DART-BASE)
foreach(backend IN LISTS backends)
  dart_install_package(dart-${backend})
endforeach()

# The layer of reports (trace/), for launchers to load, and to link with static programs before the backend.
install(TARGETS dart-trace dart-trace-shared
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

configure_file(cmake/dart-config.cmake.in ${made}/dart-config.cmake @ONLY)
install(FILES ${made}/dart-config.cmake DESTINATION ${packages}/dart)
install(FILES ${made}/version.cmake DESTINATION ${packages}/dart RENAME dart-config-version.cmake)

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
  install(FILES ${made}/dart-${backend}.pc DESTINATION ${pkgconfig})
endforeach()

# Launchers and dart-info: one for every backend, and `dartrun` and `dart-info`, which are those of
# dart-mpi where it is installed: the one that can start a program on more than one node. It starts programs of
# the other backend by the launcher of that one.
set(programs dartrun)
foreach(backend IN LISTS backends)
  install(PROGRAMS $<TARGET_FILE:dartrun-${backend}> DESTINATION ${CMAKE_INSTALL_BINDIR}
          RENAME dartrun-${backend})
  if(TARGET dart-info-${backend})
    install(TARGETS dart-info-${backend} DESTINATION ${CMAKE_INSTALL_BINDIR})
    list(APPEND programs dart-info)
  endif()
endforeach()
if(DART_ON_ITS_OWN)
  install(PROGRAMS tools/dart-report DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY tools/report DESTINATION share/dart FILES_MATCHING PATTERN "*.py") # where dart-report looks
  install(TARGETS dart-trace-tool DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
list(REMOVE_DUPLICATES programs)
set(usual shmem)
if(mpi IN_LIST backends)
  set(usual mpi)
endif()
foreach(program IN LISTS programs)
  file(CREATE_LINK ${program}-${usual} ${made}/${program} SYMBOLIC)
  install(PROGRAMS ${made}/${program} DESTINATION ${CMAKE_INSTALL_BINDIR})
endforeach()
