# SPDX-License-Identifier: MIT
# ringside_test(NAME x SOURCES … LINKS … [TIMEOUT s] [LABELS …] [SLOTS n] [COST s] [THOROUGH]): one test program, registered
# as x; with THOROUGH also as x.thorough, labelled slow, which runs its suite "thorough" that x leaves out.
# SLOTS: tests/run.sh has six of them for two cores. A test that computes takes 2, unless said; one that mostly waits, for
# a server or a limit, takes 1; several ranks, or threads that use all cores, take 4.
# TIMEOUT: ends what hangs, and nothing else: a loaded machine may be ten times as slow.
# COST: about how many seconds it takes, of one that takes many: the longest begin first.
function(ringside_test)
  cmake_parse_arguments(ARG "THOROUGH" "NAME;TIMEOUT;SLOTS;COST" "SOURCES;LINKS;LABELS" ${ARGN})
  add_executable(test_${ARG_NAME} ${ARG_SOURCES})
  set_target_properties(test_${ARG_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(test_${ARG_NAME} PRIVATE ringside::settings ringside::testfolder ${ARG_LINKS})
  if(RINGSIDE_PCH)
    target_precompile_headers(test_${ARG_NAME} REUSE_FROM ${RINGSIDE_PCH})
  endif()
  add_test(NAME ${ARG_NAME} COMMAND test_${ARG_NAME} $<$<BOOL:${ARG_THOROUGH}>:--test-suite-exclude=thorough> COMMAND_EXPAND_LISTS)
  if(ARG_THOROUGH)
    add_test(NAME ${ARG_NAME}.thorough COMMAND test_${ARG_NAME} --test-suite=thorough)
    set_tests_properties(${ARG_NAME}.thorough PROPERTIES TIMEOUT 3600 LABELS slow RUN_SERIAL ON)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 1200)
  endif()
  if(NOT ARG_SLOTS)
    set(ARG_SLOTS 2)
    if("multirank" IN_LIST ARG_LABELS)
      set(ARG_SLOTS 4)
    endif()
  endif()
  set_tests_properties(${ARG_NAME} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}" PROCESSORS ${ARG_SLOTS})
  if(ARG_COST)
    set_tests_properties(${ARG_NAME} PROPERTIES COST ${ARG_COST})
  endif()
endfunction()

# finds_libraries_in(TEST FOLDER): what TEST opens by name is looked for there first, by its RPATH. A sanitizer opens
# libraries in a program's stead, and from a library the RPATH of the program does not count.
function(finds_libraries_in test folder)
  set_target_properties(test_${test} PROPERTIES BUILD_RPATH ${folder})
  if(RINGSIDE_SANITIZE)
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "LD_LIBRARY_PATH=${folder}")
  endif()
endfunction()
