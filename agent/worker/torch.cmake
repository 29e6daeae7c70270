# SPDX-License-Identifier: MIT
# libtorch as IMPORTED targets: ringside::torch (c10 and torch_cpu, with their headers).
#
# Not find_package(Torch): on a machine without CUDA the package of a CUDA build stops with an error, and with CUDA it
# demands the very nvcc it was built with. Where libtorch is, in this order:
#   1. RINGSIDE_TORCH (cache or environment): the folder that holds `torch/`, or `torch` itself
#   2. $XDG_DATA_HOME/ringside/libtorch-2.11.0-full or -cpu (made by installers/dependencies.sh)
#   3. the torch that python3 imports

# A set-but-empty XDG_DATA_HOME counts as unset.
function(ringside_torch_candidates result)
  set(data $ENV{XDG_DATA_HOME})
  if(NOT data)
    set(data $ENV{HOME}/.local/share)
  endif()
  set(${result} ${RINGSIDE_TORCH} $ENV{RINGSIDE_TORCH} ${data}/ringside/libtorch-2.11.0-full
    ${data}/ringside/libtorch-2.11.0-cpu PARENT_SCOPE)
endfunction()

function(ringside_torch_of_python result)
  find_program(RINGSIDE_PYTHON python3)
  mark_as_advanced(RINGSIDE_PYTHON)
  set(found "")
  if(RINGSIDE_PYTHON)
    execute_process(COMMAND ${RINGSIDE_PYTHON} -c "import torch; print(torch.__path__[0])"
      OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET TIMEOUT 60)
  endif()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# The folder with include/ and lib/, or empty.
function(ringside_find_torch result)
  set(${result} "" PARENT_SCOPE)
  ringside_torch_candidates(candidates)
  ringside_first_torch(found ${candidates})
  if(NOT found)
    ringside_torch_of_python(python)
    ringside_first_torch(found ${python})
  endif()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

function(ringside_first_torch result)
  set(${result} "" PARENT_SCOPE)
  foreach(candidate IN LISTS ARGN)
    foreach(folder ${candidate}/torch ${candidate})
      if(EXISTS ${folder}/lib/libtorch_cpu.so AND EXISTS ${folder}/include/ATen/ATen.h)
        set(${result} ${folder} PARENT_SCOPE)
        return()
      endif()
    endforeach()
  endforeach()
endfunction()

function(ringside_import_torch folder)
  foreach(name c10 torch_cpu)
    add_library(ringside_${name} SHARED IMPORTED GLOBAL)
    set_target_properties(ringside_${name} PROPERTIES IMPORTED_LOCATION ${folder}/lib/lib${name}.so)
  endforeach()
  add_library(ringside_torch INTERFACE)
  add_library(ringside::torch ALIAS ringside_torch)
  target_include_directories(ringside_torch SYSTEM INTERFACE ${folder}/include ${folder}/include/torch/csrc/api/include)
  target_link_libraries(ringside_torch INTERFACE ringside_torch_cpu ringside_c10)
  target_compile_definitions(ringside_torch INTERFACE FMT_HEADER_ONLY=1) # its headers bring an fmt of their own, without a library
  # libtorch_cpu needs libcupti and libcudart at run time and finds them by its own RPATH; the linker need not chase them.
  target_link_options(ringside_torch INTERFACE -Wl,--allow-shlib-undefined)
endfunction()

ringside_find_torch(RINGSIDE_TORCH_FOLDER)
if(NOT RINGSIDE_TORCH_FOLDER)
  ringside_torch_candidates(looked)
  string(REPLACE ";" "\n  " looked "${looked}")
  message(FATAL_ERROR "ringside-worker needs libtorch and found none. It looked in\n  ${looked}\n"
    "and asked python3. Run installers/dependencies.sh, or set RINGSIDE_TORCH to the folder that holds torch/, "
    "or leave the worker out with -DRINGSIDE_BUILD_WORKER=OFF.")
endif()
message(STATUS "libtorch: ${RINGSIDE_TORCH_FOLDER}")
ringside_import_torch(${RINGSIDE_TORCH_FOLDER})
