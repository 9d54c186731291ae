# What a user may choose, and the compiler flags that follow from it for everything in the tree.

option(DART_BACKEND_SHMEM "Build dart-shmem: one node, no MPI" ON)
set(DART_BACKEND_MPI AUTO CACHE STRING "Build dart-mpi: ON, OFF, or AUTO (if an MPI is found)")
set_property(CACHE DART_BACKEND_MPI PROPERTY STRINGS AUTO ON OFF)

# As a part of another project DART builds its libraries alone, and leaves its settings alone.
if(CMAKE_SOURCE_DIR STREQUAL PROJECT_SOURCE_DIR)
  set(DART_ON_ITS_OWN ON)
else()
  set(DART_ON_ITS_OWN OFF)
endif()
option(DART_BUILD_TESTS "Build the tests" ${DART_ON_ITS_OWN})
option(DART_BUILD_BENCH "Build the benchmarks" ${DART_ON_ITS_OWN})
option(DART_BUILD_EXAMPLES "Build the examples" ${DART_ON_ITS_OWN})
option(DART_INSTALL "Install headers, libraries, launchers and packages" ${DART_ON_ITS_OWN})

option(DART_ENABLE_LOGGING "Compile the log levels INFO, DEBUG and TRACE in" OFF)
option(DART_ENABLE_ASSERTIONS "Check the library's own invariants while it runs" OFF)
option(DART_ENABLE_HDF5 "Build dart__io__hdf5__prep_mpio into dart-mpi; needs a parallel HDF5" OFF)
option(DART_WERROR "Take compiler warnings for errors" OFF)
option(DART_INJECT "Build what makes single calls of the library fail (test/inject), and its test alone" OFF)
option(DART_TEST_ALL "All tests; OFF: those of ./check without --all" ON)
set(DART_TEST_PREFIX "" CACHE STRING "Begins the names of tests: so those of several builds stand in one summary")
option(DART_BUILD_VARIANTS "Compile the library again, in other ways, for single tests and benchmarks" ON)
set(DART_SANITIZE "" CACHE STRING "Sanitizers for everything: \"address,undefined\" or \"thread\"")

if(NOT DART_BACKEND_MPI MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "DART_BACKEND_MPI is '${DART_BACKEND_MPI}'; it may be AUTO, ON or OFF")
endif()
if(DART_ON_ITS_OWN AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON) # libraries may end up in shared ones
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_compile_definitions(_GNU_SOURCE
                        $<$<BOOL:${DART_ENABLE_LOGGING}>:DART_ENABLE_LOGGING>
                        $<$<BOOL:${DART_ENABLE_ASSERTIONS}>:DART_ENABLE_ASSERTIONS>)
add_compile_options(-Wall -Wextra -Wpedantic
                    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<BOOL:${DART_WERROR}>:-Werror>)

# x86-64 has a 16-byte compare-and-swap, but not every x86-64 ever built: compilers want to be told.
include(CheckCCompilerFlag)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  check_c_compiler_flag(-mcx16 DART_HAVE_MCX16)
  if(DART_HAVE_MCX16)
    add_compile_options(-mcx16)
  endif()
endif()

# GCC warns that ThreadSanitizer does not see fences. It then reports too much, never too little.
set(DART_TSAN_WARNINGS $<$<C_COMPILER_ID:GNU>:-Wno-tsan>)

# ThreadSanitizer sees the threads of one process, which single parts of the library have in other builds, too
# (dart-core-tsan). Here it is for whole programs: suites on simulated nodes, and jobs that lose a unit.
if(DART_SANITIZE MATCHES "thread")
  set(DART_TEST_ALL OFF)
endif()

# ./check without --all: of a build with sanitizers it runs suites and tests between threads, and builds what these need.
set(DART_SUITES_ALONE OFF)
if(DART_SANITIZE AND DART_TEST_PREFIX AND NOT DART_TEST_ALL)
  set(DART_SUITES_ALONE ON)
  set(DART_BUILD_BENCH OFF)
  set(DART_BUILD_EXAMPLES OFF)
endif()
# Of the build by clang it runs the tests of test/one_node: other programs are compiled, and not linked.
set(DART_ONE_NODE_ALONE OFF)
if(DART_TEST_PREFIX STREQUAL "clang." AND NOT DART_TEST_ALL)
  set(DART_ONE_NODE_ALONE ON)
  set(DART_NOT_LINKED -O0) # of what is compiled for its warnings alone
  set(DART_INSTALL OFF)
endif()
if(DART_SANITIZE)
  set(DART_BUILD_VARIANTS OFF)
  add_compile_options(-fsanitize=${DART_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${DART_SANITIZE})
  if(DART_SANITIZE MATCHES "thread")
    add_compile_options(${DART_TSAN_WARNINGS})
    add_compile_definitions(DART_TSAN_PROCESSES) # units are processes, see dart-base/base/sanitizer.h
  endif()
endif()
