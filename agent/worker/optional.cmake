# SPDX-License-Identifier: MIT
# Libraries that the worker uses where they are there: ringside::mpi, ringside::jpeg, each a target only if found.
# Linking one also defines RINGSIDE_WITH_<NAME>.
include(CheckCXXSymbolExists)

function(ringside_optional name target)
  string(TOUPPER ${name} upper)
  if(TARGET ${target} AND NOT RINGSIDE_WORKER_MINIMAL)
    add_library(ringside_${name} INTERFACE)
    target_link_libraries(ringside_${name} INTERFACE ${target})
    target_compile_definitions(ringside_${name} INTERFACE RINGSIDE_WITH_${upper})
    add_library(ringside::${name} ALIAS ringside_${name})
    message(STATUS "worker: with ${name}")
  else()
    message(STATUS "worker: without ${name}")
  endif()
endfunction()

if(NOT RINGSIDE_WORKER_MINIMAL)
  find_package(MPI QUIET COMPONENTS C)
  find_package(JPEG QUIET)
endif()
ringside_optional(mpi MPI::MPI_C)
if(TARGET ringside::mpi)
  target_compile_definitions(ringside_mpi INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX) # C only
  # A compiler wrapper adds the default of C++, or, by Open MPI 5, -pthread, with which no precompiled header fits.
  set_target_properties(MPI::MPI_C PROPERTIES INTERFACE_COMPILE_OPTIONS "")
endif()
# Reading a part of a picture is libjpeg-turbo's own; other libjpegs have its name but not this.
if(TARGET JPEG::JPEG)
  set(CMAKE_REQUIRED_LIBRARIES JPEG::JPEG)
  check_cxx_symbol_exists(jpeg_crop_scanline "cstdio;jpeglib.h" RINGSIDE_JPEG_IS_TURBO)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()
if(RINGSIDE_JPEG_IS_TURBO)
  ringside_optional(jpeg JPEG::JPEG)
else()
  message(STATUS "worker: without jpeg (libjpeg-turbo 1.5 or later is needed)")
endif()
