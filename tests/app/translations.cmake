# SPDX-License-Identifier: MIT
# Fails if a text with a number was added to the window without its English plural forms.
# cmake -DLUPDATE=… -DSOURCE=… -DWORK=… -P translations.cmake
set(copy ${WORK}/ringside_en.ts)
configure_file(${SOURCE}/translations/ringside_en.ts ${copy} COPYONLY)
include(${SOURCE}/translations/lupdate.cmake)
ringside_lupdate_options(options en)
execute_process(COMMAND ${LUPDATE} ${options} -ts ${copy} WORKING_DIRECTORY ${SOURCE} RESULT_VARIABLE status
    OUTPUT_QUIET ERROR_VARIABLE warnings)
if(warnings MATCHES "lacks Q_OBJECT")
  message(FATAL_ERROR "A text without its context, which is never found again:\n${warnings}")
endif()
if(NOT status EQUAL 0)
  message(FATAL_ERROR "lupdate failed: ${status}")
endif()
file(READ ${copy} text)
string(REGEX MATCHALL "<source>[^<]*</source>[^/]*(<comment>[^<]*</comment>[^/]*)?<translation type=\"unfinished\">" missing "${text}")
if(missing)
  message(FATAL_ERROR "Without plural forms (build update_translations):\n${missing}")
endif()
