# How the tree's libraries and programs are put together.

# Names of the backends that are built, in the order they were added.
set_property(GLOBAL PROPERTY DART_BACKENDS "")

# dart_inject_into(<target>): the calls of its sources can be made to fail, see test/inject/inject.h.
function(dart_inject_into target)
  target_compile_options(${target} PRIVATE -include ${PROJECT_SOURCE_DIR}/test/inject/inject.h)
endfunction()

# dart_add_shared(<library> <source>...): <library>-shared, the shared brother of a static library.
# It is made to be installed, and only then built without being asked for.
function(dart_add_shared library)
  add_library(${library}-shared SHARED ${ARGN})
  set_target_properties(${library}-shared PROPERTIES
    OUTPUT_NAME ${library}
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}
    INSTALL_RPATH_USE_LINK_PATH ON)
  if(NOT DART_SANITIZE) # sanitizers leave their own functions to the program
    target_link_options(${library}-shared PRIVATE LINKER:--no-undefined)
  endif()
  if(NOT DART_INSTALL)
    set_target_properties(${library}-shared PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# dart_add_objects(<target> <source>...): objects of a backend, with the core's headers and its folder's.
function(dart_add_objects target)
  add_library(${target} OBJECT ${ARGN})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  set_target_properties(${target} PROPERTIES C_VISIBILITY_PRESET hidden)
  target_link_libraries(${target} PRIVATE dart-internal)
  if(DART_INJECT)
    dart_inject_into(${target})
  endif()
endfunction()

# dart_add_backend(<name> [MANY_NODES] [FOLDERS <folder>...] [USES <target>...] [LIBRARIES <file>...]
#                  [LAUNCHER_LIBRARIES <target>...])
#
# The static library dart-<name>, and dart-<name>-shared from the same objects, also as DART::<name> and
# DART::<name>-shared: those of dart-base, and the *.c of this folder and of FOLDERS, which fill the seam,
# dart-base/net.h, compiled with USES. Programs that link them link LIBRARIES: files, since a target of ours means
# nothing in another project. Beside them the launcher `dartrun`, from dartrun/*.c.
# MANY_NODES: its jobs are of several nodes, so ./check without --all runs a test on one node only if it has no other shape.
function(dart_add_backend name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "MANY_NODES" ""
                        "USES;LIBRARIES;LAUNCHER_LIBRARIES;FOLDERS")
  set(libraries ${arg_LIBRARIES} ${DART_HWLOC_LIBRARIES} -pthread -lrt)

  file(GLOB sources CONFIGURE_DEPENDS *.c)
  foreach(folder IN LISTS arg_FOLDERS)
    file(GLOB more CONFIGURE_DEPENDS ${folder}/*.c)
    list(APPEND sources ${more})
  endforeach()
  dart_add_objects(dart-${name}-objects ${sources})
  target_link_libraries(dart-${name}-objects PRIVATE ${arg_USES})
  set(parts dart-core dart-${name}-objects)
  list(TRANSFORM parts REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)

  add_library(dart-${name} STATIC ${objects})
  target_link_libraries(dart-${name} PUBLIC dart-base PRIVATE ${libraries})

  dart_add_shared(dart-${name} ${objects})
  target_link_libraries(dart-${name}-shared PUBLIC dart-interface PRIVATE ${libraries})
  set(map ${PROJECT_SOURCE_DIR}/dart-base/dart.map) # what is exported, with versions
  target_link_options(dart-${name}-shared PRIVATE LINKER:--version-script=${map})
  set_target_properties(dart-${name}-shared PROPERTIES LINK_DEPENDS ${map})

  add_library(DART::${name} ALIAS dart-${name})
  add_library(DART::${name}-shared ALIAS dart-${name}-shared)

  file(GLOB sources CONFIGURE_DEPENDS dartrun/*.c)
  add_executable(dartrun-${name} ${sources})
  set_target_properties(dartrun-${name} PROPERTIES OUTPUT_NAME dartrun)
  target_include_directories(dartrun-${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(dartrun-${name} PRIVATE dart-launch ${arg_LAUNCHER_LIBRARIES})

  set_property(GLOBAL APPEND PROPERTY DART_BACKENDS ${name})
  set_property(GLOBAL PROPERTY DART_BACKEND_${name}_LIBRARIES ${libraries})
  set_property(GLOBAL PROPERTY DART_BACKEND_${name}_PARTS ${parts}) # the targets of its objects
  set_property(GLOBAL PROPERTY DART_BACKEND_${name}_MANY_NODES ${arg_MANY_NODES})
endfunction()

# dart_add_program_objects(<target> SOURCES <file>... [LIBRARIES <lib>...]): the objects of a program, for all backends,
# compiled with the options of an executable: -fPIC is for libraries.
function(dart_add_program_objects target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_library(${target} OBJECT ${arg_SOURCES})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIE)
  target_link_libraries(${target} PRIVATE dart-interface ${arg_LIBRARIES})
endfunction()

# dart_link_program(<name> <objects> [SHARED] [PER_BACKEND <file>...] [LIBRARIES <lib>...])
#
# The executables <name>-shmem and <name>-mpi, from the objects of one target. LIBRARIES stand before the backend's.
# PER_BACKEND: sources that are compiled for each backend, with its name as DART_BACKEND_NAME. SHARED: the executables
# are linked with the shared library of the backend.
function(dart_link_program name objects)
  cmake_parse_arguments(PARSE_ARGV 2 arg "SHARED" "" "PER_BACKEND;LIBRARIES")
  set(kind $<$<BOOL:${arg_SHARED}>:-shared>)
  get_property(backends GLOBAL PROPERTY DART_BACKENDS)
  foreach(backend IN LISTS backends)
    add_executable(${name}-${backend} $<TARGET_OBJECTS:${objects}> ${arg_PER_BACKEND})
    target_compile_definitions(${name}-${backend} PRIVATE DART_BACKEND_NAME="${backend}")
    target_link_libraries(${name}-${backend} PRIVATE ${arg_LIBRARIES} dart-${backend}${kind})
    if(DART_ONE_NODE_ALONE AND NOT name MATCHES "^(dart-test|dart-survive|messages)$")
      set_target_properties(${name}-${backend} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
  endforeach()
endfunction()

# dart_add_program(<name> SOURCES <file>... [PER_BACKEND <file>...] [LIBRARIES <lib>...])
#
# A DART program for every backend: <name>-shmem, <name>-mpi. It is compiled once, as <name>-objects.
function(dart_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;PER_BACKEND;LIBRARIES")
  dart_add_program_objects(${name}-objects SOURCES ${arg_SOURCES} LIBRARIES ${arg_LIBRARIES})
  dart_link_program(${name} ${name}-objects PER_BACKEND ${arg_PER_BACKEND} LIBRARIES ${arg_LIBRARIES})
endfunction()
