# The manual: pages of section 3 are made from the headers, those of sections 1 and 7 are written in doc/man. They lie in
# man/ of the build folder, where `man -M` finds them, too.

find_program(DART_AWK awk)
if(NOT DART_AWK)
  message(STATUS "No awk found: the manual pages are left out")
  return()
endif()

string(TIMESTAMP day "%d" UTC) # of SOURCE_DATE_EPOCH, if that is set
string(REGEX REPLACE "^0" "" day "${day}")
string(TIMESTAMP date "%B ${day}, %Y" UTC)
set(man ${PROJECT_BINARY_DIR}/man)
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/dart-if/include/dash/dart/if/dart*.h)
file(GLOB more CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/dart-if/include/dash/dart/ext/dart*.h)
file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/doc/man/examples/*.c)
set(source ${PROJECT_SOURCE_DIR}/doc/man)
add_custom_command(
  OUTPUT ${man}/made
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${man}/man3
  COMMAND ${CMAKE_COMMAND} -E make_directory ${man}/man3
  COMMAND ${DART_AWK} -v out=${man}/man3 -v list=${man}/list -v date=${date} -v folder=${source}
          -f ${source}/pages.awk ${source}/subjects ${headers} ${more}
  COMMAND ${CMAKE_COMMAND} -E touch ${man}/made
  DEPENDS ${source}/pages.awk ${source}/subjects ${headers} ${more} ${examples}
  COMMENT "Making the manual pages"
  VERBATIM)
add_custom_target(man ALL DEPENDS ${man}/made)

# The same as HTML, in html/ of the build folder: only if it is asked for, by the target html.
file(GLOB html CONFIGURE_DEPENDS ${source}/html.* ${source}/html/*)
add_custom_command(
  OUTPUT ${PROJECT_BINARY_DIR}/html/index.html
  COMMAND sh ${source}/html.sh ${man} ${man}/list ${PROJECT_BINARY_DIR}/html "DART ${PROJECT_VERSION}"
  DEPENDS ${man}/made ${html}
  COMMENT "Making the manual as HTML"
  VERBATIM)
add_custom_target(html DEPENDS ${PROJECT_BINARY_DIR}/html/index.html)

set(DATE ${date})
foreach(page dartrun.1 dart-info.1 dart-report.1 dart-trace.1 dart.7)
  string(REGEX MATCH "[17]$" chapter ${page})
  configure_file(doc/man/${page} ${man}/man${chapter}/${page} @ONLY)
endforeach()
if(DART_INSTALL)
  include(GNUInstallDirs)
  install(FILES ${man}/man1/dartrun.1 ${man}/man1/dart-info.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
          COMPONENT runtime)
  install(FILES ${man}/man1/dart-report.1 ${man}/man1/dart-trace.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
          COMPONENT tools)
  install(DIRECTORY ${man}/man3 ${man}/man7 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT doc)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/html DESTINATION share/doc/dart COMPONENT doc OPTIONAL) # if it was made
endif()
