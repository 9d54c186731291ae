# How the tree's libraries and programs are put together.

# Names of the backends that are built, in the order they were added.
set_property(GLOBAL PROPERTY DART_BACKENDS "")

# dart_add_backend(<name> [MANY_NODES] [LIBRARIES <lib>...] [LAUNCHER_LIBRARIES <lib>...])
#
# The static library dart-<name>: the core's objects and this folder's *.c, which fill the seam of
# dart-if/src/port.h with the help of LIBRARIES. Beside it the launcher `dartrun`, from dartrun/*.c.
# MANY_NODES: the launcher takes `--nodes <k>`, so tests run on more than one node too.
function(dart_add_backend name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "MANY_NODES" "" "LIBRARIES;LAUNCHER_LIBRARIES")
  set(target dart-${name})

  file(GLOB sources CONFIGURE_DEPENDS *.c)
  add_library(${target} STATIC ${sources} $<TARGET_OBJECTS:dart-core>)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/dart-if/src)
  target_link_libraries(${target} PUBLIC dart-interface Threads::Threads rt PRIVATE ${arg_LIBRARIES})

  file(GLOB sources CONFIGURE_DEPENDS dartrun/*.c)
  add_executable(dartrun-${name} ${sources})
  set_target_properties(dartrun-${name} PROPERTIES OUTPUT_NAME dartrun)
  target_include_directories(dartrun-${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(dartrun-${name} PRIVATE dart-launch ${arg_LAUNCHER_LIBRARIES})

  set_property(GLOBAL APPEND PROPERTY DART_BACKENDS ${name})
  set_property(GLOBAL PROPERTY DART_BACKEND_${name}_MANY_NODES ${arg_MANY_NODES})
endfunction()

# dart_add_program(<name> SOURCES <file>... [LIBRARIES <lib>...])
#
# A DART program for every backend: <name>-shmem, <name>-mpi. Which one it is, it may print
# (DART_BACKEND_NAME); nothing else differs between the two but the library they are linked with.
function(dart_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")

  get_property(backends GLOBAL PROPERTY DART_BACKENDS)
  foreach(backend IN LISTS backends)
    add_executable(${name}-${backend} ${arg_SOURCES})
    target_compile_definitions(${name}-${backend} PRIVATE DART_BACKEND_NAME="${backend}")
    target_link_libraries(${name}-${backend} PRIVATE dart-${backend} ${arg_LIBRARIES})
  endforeach()
endfunction()
