# Tests as CTest sees them: one for every program, backend and shape. A shape is a number of units, or units x nodes;
# five units on two nodes are 5x2.
#
# All tests (DART_TEST_ALL): suites run one by one on DART_TEST_SHAPES, and one after the other in a single job on
# DART_SUITES_UNITS of one node and on others, which saves starting many units over and over; examples and benchmarks,
# which test less, run on DART_PROGRAM_SHAPES. Without sanitizers that makes 1, 2, 3, 4, 5 and 8 units on 1, 2 and 3
# nodes; the widest shapes, DART_WIDE_SHAPES, leave out suites in which the number of units changes little but the
# time. What only far memory has is tested on DART_FAR_SHAPES, with more nodes and under all settings that decide how
# it is reached; both builds together have every shape once.
#
# Without the others suites run in single jobs alone: those on dart-shmem and its simulated nodes have all of them,
# those on MPI what is MPI's own.

if(DART_SANITIZE)
  set(DART_TEST_SHAPES 1 3 3x2)
  set(DART_SUITES_UNITS 5)
  set(DART_WIDE_SHAPES 5x2)
  set(DART_FAR_SHAPES 4x3)
  set(DART_PROGRAM_SHAPES 2 3x2)
  set(DART_TEST_TIMEOUT 480)
else()
  set(DART_TEST_SHAPES 1 2 3 3x2)
  set(DART_SUITES_UNITS 4)
  set(DART_WIDE_SHAPES 8 5x2 8x2 5x3) # MPI's waits spin, so here a suite takes ten times as long
  set(DART_FAR_SHAPES 2x2 4x4)
  set(DART_PROGRAM_SHAPES 2 3 2x2 3x2)
  set(DART_TEST_TIMEOUT 240)
endif()
if(NOT DART_TEST_ALL)
  set(DART_PROGRAM_SHAPES 3 2x2)
endif()

# dart_test_common(<test> [UNITS <n>] [TIMEOUT <seconds>] [SUITE_TIMEOUT <seconds>]
#                  [LABELS <label>...]): what every test has.
function(dart_test_common test)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "UNITS;TIMEOUT;SUITE_TIMEOUT" "LABELS")
  if(NOT arg_UNITS)
    set(arg_UNITS 1)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT ${DART_TEST_TIMEOUT})
  endif()
  if(NOT arg_SUITE_TIMEOUT)
    set(arg_SUITE_TIMEOUT ${DART_TEST_TIMEOUT})
  endif()
  string(REPLACE "," ";" sanitizers "${DART_SANITIZE}")

  # A suite's own alarm, which says where a unit hangs, goes off before CTest loses patience.
  # AddressSanitizer keeps little of what was freed: tests measure how much is in use. ThreadSanitizer remembers more of
  # what threads did than by default, or it could not show both sides of a race.
  math(EXPR alarm "${arg_SUITE_TIMEOUT} - 20")
  set(environment
    DART_TEST_TIMEOUT=${alarm}
    ASAN_OPTIONS=quarantine_size_mb=4
    LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/test/lsan.supp:print_suppressions=0
    HWLOC_PLUGINS_PATH=none) # MPI unloads them when it has bound the unit, and then nobody knows whose leaks these are
  if(DART_SANITIZE MATCHES "thread")
    list(APPEND environment TSAN_OPTIONS=history_size=6)
  endif()
  if(DART_TEST_ALL)
    list(APPEND environment DART_TEST_ALL=1)
  endif()

  set_tests_properties(${test} PROPERTIES
    TIMEOUT ${arg_TIMEOUT}
    PROCESSORS ${arg_UNITS}
    SKIP_RETURN_CODE 77
    LABELS "${arg_LABELS};${sanitizers}"
    ENVIRONMENT "${environment}")
endfunction()

# dart_add_thread_test(<program> <kind>_<name>.c LIBRARIES <library>... [OBJECTS <target>] [LABELS <label>...])
#
# A test with cmocka of parts of the library between threads, without a job: <kind>.<name>, with a suffix of the program.
function(dart_add_thread_test program source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "OBJECTS" "LIBRARIES;LABELS")
  string(REGEX MATCH "^[a-z]+" kind ${program})
  string(REGEX REPLACE "^[a-z]+_(.*)" "${DART_TEST_PREFIX}${kind}.\\1" test ${program})
  add_executable(${program} ${source})
  if(arg_OBJECTS)
    target_sources(${program} PRIVATE $<TARGET_OBJECTS:${arg_OBJECTS}>)
  endif()
  target_link_libraries(${program} PRIVATE ${arg_LIBRARIES} ${CMOCKA_LIBRARY})
  add_test(NAME ${test} COMMAND ${program})
  dart_has_threads(threads ${source})
  math(EXPR units "1 + ${threads}")
  dart_test_common(${test} UNITS ${units} LABELS ${kind} ${arg_LABELS})
endfunction()

# dart_has_threads(<variable> <source>): 1 if this test starts threads, else 0: then ThreadSanitizer has nothing to find.
function(dart_has_threads variable source)
  file(STRINGS ${source} lines REGEX "pthread_create|test_threads\\(" LIMIT_COUNT 1)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  list(LENGTH lines is_one)
  set(${variable} ${is_one} PARENT_SCOPE)
endfunction()

# dart_add_thread_tests(<kind> <source>... [SOURCES <file>...]): each of the tests that start threads under
# ThreadSanitizer, as <kind>.<name>.tsan; and without it the others, and, for all tests and where there is none, these, but
# not with other sanitizers in ./check without --all.
# SOURCES are part of all.
function(dart_add_thread_tests kind)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
  set(objects ${kind}-test-objects)
  add_library(${objects} OBJECT EXCLUDE_FROM_ALL ${arg_SOURCES})
  target_link_libraries(${objects} PRIVATE dart-core-archive)
  if(TARGET dart-core-tsan)
    add_library(${objects}.tsan OBJECT EXCLUDE_FROM_ALL ${arg_SOURCES})
    target_link_libraries(${objects}.tsan PRIVATE dart-core-tsan)
  endif()
  foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
    get_filename_component(name ${source} NAME_WE)
    dart_has_threads(threads ${source})
    if(TARGET dart-core-tsan AND threads)
      dart_add_thread_test(${name}.tsan ${source} LIBRARIES dart-core-tsan OBJECTS ${objects}.tsan LABELS thread)
      if(NOT DART_TEST_ALL)
        continue()
      endif()
    endif()
    if(threads AND DART_SUITES_ALONE) # ThreadSanitizer has it, in the build with assertions
      continue()
    endif()
    dart_add_thread_test(${name} ${source} LIBRARIES dart-core-archive OBJECTS ${objects})
  endforeach()
endfunction()

# dart_add_checked_program(<name> [LIBRARIES <library>...] [CHECKS <value>])
#
# A program of dart_add_program linked with the debug mode: checked-<name>-<backend>, and a test of it, check.<name>,
# in which a unit that has something to report ends with another code than 0. CHECKS: of DART_CHECK; all, if it is not
# given.
function(dart_add_checked_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CHECKS" "LIBRARIES")
  if(NOT arg_CHECKS)
    set(arg_CHECKS 1)
  endif()
  target_compile_options(${name}-objects PRIVATE -g)
  dart_link_program(checked-${name} ${name}-objects LIBRARIES ${arg_LIBRARIES} dart-check)
  dart_add_test(check.${name} PROGRAM checked-${name} SHAPES 3 2x2 SETTINGS DART_CHECK=${arg_CHECKS}
                DART_LOG_LEVEL=WARN)
endfunction()

# dart_add_test(<name> PROGRAM <program> [ARGS <arg>...] [SHAPES <shape>...] [TIMEOUT <seconds>]
#               [SETTINGS <name=value>...] [BACKEND <backend>] [ALL] [SLOW])
#
# Runs a program of dart_add_program() by the launcher of every backend, in every shape: <backend>.<name>.u<units>, and
# .n<nodes> where there is more than one. Nodes of dart-shmem are simulated: examples run there, with DART_TEST_ALL all
# programs, and suites where test/nodes says so. SETTINGS are of the environment; delays with jitter have a seed, new each
# time: harness/seeded.sh. BACKEND: that one alone, if it is built, in all shapes. ALL: only with DART_TEST_ALL. What is
# SLOW has that label, and runs only if it is asked for: ctest -C slow.
function(dart_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ALL;SLOW" "PROGRAM;TIMEOUT;BACKEND" "ARGS;SHAPES;SETTINGS")
  if(arg_ALL AND NOT DART_TEST_ALL)
    return()
  endif()
  if(NOT arg_SHAPES)
    set(arg_SHAPES ${DART_TEST_SHAPES})
  endif()
  if(arg_SLOW)
    set(slow slow)
    set(suite_timeout SUITE_TIMEOUT ${arg_TIMEOUT})
    set(when CONFIGURATIONS slow)
  endif()

  get_property(backends GLOBAL PROPERTY DART_BACKENDS)
  if(arg_BACKEND)
    list(FILTER backends INCLUDE REGEX "^${arg_BACKEND}$")
  endif()
  foreach(backend IN LISTS backends)
    get_property(many_nodes GLOBAL PROPERTY DART_BACKEND_${backend}_MANY_NODES)
    foreach(shape IN LISTS arg_SHAPES)
      string(REPLACE "x" ";" shape ${shape})
      list(GET shape 0 units)
      list(LENGTH shape length)

      set(test ${DART_TEST_PREFIX}${backend}.${name}.u${units})
      set(launch dartrun-${backend} -n ${units})
      if(NOT DART_TEST_ALL AND many_nodes AND length EQUAL 1 AND arg_SHAPES MATCHES "x")
        continue() # that of several nodes is enough
      endif()
      if(length EQUAL 2)
        if(NOT many_nodes AND NOT arg_BACKEND AND
           (arg_PROGRAM STREQUAL "dart-test" OR NOT (DART_TEST_ALL OR name MATCHES "^(example|garray)")))
          continue()
        endif()
        list(GET shape 1 nodes)
        string(APPEND test .n${nodes})
        set(launch dartrun-${backend} --nodes ${nodes} -n ${units})
      endif()
      if("${arg_SETTINGS}" MATCHES "jitter=") # of a new seed each time
        list(POP_FRONT launch)
        list(PREPEND launch bash ${PROJECT_SOURCE_DIR}/test/harness/seeded.sh $<TARGET_FILE:dartrun-${backend}>)
      endif()

      add_test(NAME ${test} ${when}
               COMMAND ${launch} $<TARGET_FILE:${arg_PROGRAM}-${backend}> ${arg_ARGS})
      dart_test_common(${test} UNITS ${units} TIMEOUT ${arg_TIMEOUT} ${suite_timeout}
                       LABELS ${backend} ${name} ${slow})
      set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT ${arg_SETTINGS})
    endforeach()
  endforeach()
endfunction()
