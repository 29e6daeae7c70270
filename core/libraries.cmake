# SPDX-License-Identifier: MIT
# The header-only libraries of core/base and core/protocol: the copies that a source bundle brings (agent/worker/bundle),
# else the system's.
set(bundled ${CMAKE_CURRENT_LIST_DIR}/../libraries/include)
if(EXISTS ${bundled}/fmt/format.h)
  get_filename_component(bundled ${bundled} ABSOLUTE)
  foreach(library fmt::fmt-header-only nlohmann_json::nlohmann_json)
    add_library(${library} INTERFACE IMPORTED GLOBAL)
    set_target_properties(${library} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${bundled})
  endforeach()
  set_target_properties(fmt::fmt-header-only PROPERTIES INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY=1)
  # "#define FMT_VERSION 90100", as fmt's own package says it.
  file(STRINGS ${bundled}/fmt/core.h fmt_VERSION REGEX "define FMT_VERSION")
  string(REGEX REPLACE ".* ([0-9]+)([0-9][0-9])([0-9][0-9])$" "\\1.\\2.\\3" fmt_VERSION "${fmt_VERSION}")
else()
  find_package(fmt REQUIRED)
  find_package(nlohmann_json REQUIRED)
endif()
unset(bundled)
