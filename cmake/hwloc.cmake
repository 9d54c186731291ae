# The target dart-hwloc: hwloc from pkg-config, or from wherever the compiler finds it. The files to
# link are in DART_HWLOC_LIBRARIES too, for what other projects link: they do not see our targets.

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(HWLOC QUIET IMPORTED_TARGET hwloc)
endif()

add_library(dart-hwloc INTERFACE)
if(HWLOC_FOUND)
  target_link_libraries(dart-hwloc INTERFACE PkgConfig::HWLOC)
  set(DART_HWLOC_LIBRARIES ${HWLOC_LINK_LIBRARIES})
else()
  find_path(HWLOC_INCLUDE_DIR hwloc.h)
  find_library(HWLOC_LIBRARY hwloc)
  if(NOT HWLOC_INCLUDE_DIR OR NOT HWLOC_LIBRARY)
    message(FATAL_ERROR "DART needs hwloc, which is not here (Debian: apt install libhwloc-dev)")
  endif()
  target_include_directories(dart-hwloc SYSTEM INTERFACE ${HWLOC_INCLUDE_DIR})
  target_link_libraries(dart-hwloc INTERFACE ${HWLOC_LIBRARY})
  set(DART_HWLOC_LIBRARIES ${HWLOC_LIBRARY})
endif()
