# SPDX-License-Identifier: MIT
# Settings that every target shares: language, warnings, sanitizers, compiler cache, where programs go.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# Kernels are libtorch's, and the data path asks for more itself: elsewhere -O3 only lengthens the build.
string(REPLACE -O3 -O2 CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

# Found here, in the root's scope, since every folder links them.
find_package(Threads REQUIRED)
include(${CMAKE_CURRENT_LIST_DIR}/libraries.cmake)

find_program(CCACHE ccache)
if(CCACHE)
  # Precompiled headers and a cache agree only with the first two; the third: one entry for every language of a terminal.
  # One base folder, also where the worker is built alone.
  get_filename_component(base ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,locale CCACHE_NOHASHDIR=1
      CCACHE_BASEDIR=${base} ${CCACHE})
  unset(base)
endif()

add_library(ringside_settings INTERFACE)
add_library(ringside::settings ALIAS ringside_settings)
target_include_directories(ringside_settings INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(ringside_settings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # They see overlaps inside std::string (GCC bug 105651).
  target_compile_options(ringside_settings INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread
    -Wno-array-bounds)
endif()
target_compile_definitions(ringside_settings INTERFACE RINGSIDE_VERSION="${PROJECT_VERSION}")
if(CCACHE AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(ringside_settings INTERFACE -fpch-preprocess)
endif()
if(RINGSIDE_WERROR)
  target_compile_options(ringside_settings INTERFACE -Werror)
endif()
if(RINGSIDE_SANITIZE)
  add_compile_options(-fsanitize=${RINGSIDE_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${RINGSIDE_SANITIZE} -Wl,--export-dynamic-symbol=dlclose) # agent/worker/keeploaded.h
  if(RINGSIDE_SANITIZE STREQUAL address)
    add_compile_options(-fsanitize=undefined -fno-sanitize-recover=undefined)
    add_link_options(-fsanitize=undefined)
  endif()
endif()
if(RINGSIDE_BUILD_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
endif()

# ringside_folder precompiles with this: most files of core and agent include the same headers (core/base). A part of the
# program with other headers or flags sets its own.
set(RINGSIDE_PCH ringside_pch)

# ringside_folder(NAME SOURCES … LINKS …): the one CMake target of a folder, as ringside::NAME.
function(ringside_folder name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  if(ARG_SOURCES)
    add_library(ringside_${name} STATIC ${ARG_SOURCES})
    target_link_libraries(ringside_${name} PUBLIC ringside::settings ${ARG_LINKS})
    if(RINGSIDE_PCH)
      target_precompile_headers(ringside_${name} REUSE_FROM ${RINGSIDE_PCH})
    endif()
  else()
    add_library(ringside_${name} INTERFACE)
    target_link_libraries(ringside_${name} INTERFACE ringside::settings ${ARG_LINKS})
  endif()
  add_library(ringside::${name} ALIAS ringside_${name})
endfunction()
