# SPDX-License-Identifier: MIT
# The CUDA plug-in is compiled with ringside::cuda_headers (of CUDA and NCCL), and linked with ringside::cuda (the same
# and the runtime: the static one where it is, as in a toolkit, else the shared one of a wheel). Each is a target only if found. No nvcc is needed, since the plug-in has no kernels of its own; libnccl and the driver are loaded at run time.
#
# A header of NCCL and one of CUDA that compile together, from these folders in this order:
#   1. RINGSIDE_CUDA (cache or environment)
#   2. the wheels beside libtorch, whose NCCL the program will have loaded
#   3. CUDA_HOME, CUDA_PATH, NCCL_HOME, the folder of nvcc, /usr/local/cuda, the compiler's own folders
include(CheckCXXSourceCompiles)

function(ringside_cuda_folders result)
  find_program(RINGSIDE_NVCC nvcc)
  mark_as_advanced(RINGSIDE_NVCC)
  set(toolkit "")
  if(RINGSIDE_NVCC)
    get_filename_component(toolkit ${RINGSIDE_NVCC}/../.. REALPATH)
  endif()
  set(wheels ${RINGSIDE_TORCH_FOLDER}/../nvidia)
  set(${result} ${RINGSIDE_CUDA} $ENV{RINGSIDE_CUDA} ${wheels}/cu13 ${wheels}/cuda_runtime ${wheels}/nccl $ENV{CUDA_HOME}
    $ENV{CUDA_PATH} $ENV{NCCL_HOME} ${toolkit} /usr/local/cuda PARENT_SCOPE)
endfunction()

# ringside_try_cuda(RESULT RUNTIME NCCL): whether these two folders of headers compile together.
function(ringside_try_cuda result runtime nccl)
  set(CMAKE_REQUIRED_INCLUDES ${nccl} ${runtime})
  set(CMAKE_REQUIRED_QUIET ON)
  string(MAKE_C_IDENTIFIER "RINGSIDE_COMPILES_${runtime}_${nccl}" variable)
  check_cxx_source_compiles("#include <nccl.h>\n#if NCCL_VERSION_CODE < 21400\n#error no non-blocking calls\n#endif\nint main() {}"
    ${variable})
  set(${result} ${${variable}} PARENT_SCOPE)
endfunction()

# Where headers that compile are: RUNTIME and NCCL, or empty.
function(ringside_find_cuda runtime_result nccl_result)
  ringside_cuda_folders(folders)
  set(runtimes "")
  set(nccls "")
  foreach(folder IN LISTS folders ITEMS /usr)
    if(EXISTS ${folder}/include/cuda_runtime_api.h)
      list(APPEND runtimes ${folder}/include)
    endif()
    if(EXISTS ${folder}/include/nccl.h)
      list(APPEND nccls ${folder}/include)
    endif()
  endforeach()
  foreach(nccl IN LISTS nccls)
    foreach(runtime ${nccl} ${runtimes})
      ringside_try_cuda(good ${runtime} ${nccl})
      if(good)
        set(${runtime_result} ${runtime} PARENT_SCOPE)
        set(${nccl_result} ${nccl} PARENT_SCOPE)
        return()
      endif()
    endforeach()
  endforeach()
  set(${runtime_result} "" PARENT_SCOPE)
endfunction()

function(ringside_import_cuda_headers runtime nccl)
  add_library(ringside_cuda_headers INTERFACE)
  target_include_directories(ringside_cuda_headers SYSTEM INTERFACE ${nccl} ${runtime})
  add_library(ringside::cuda_headers ALIAS ringside_cuda_headers)
endfunction()

# ringside_find_cudart(RESULT FOLDER): a wheel has no libcudart.so, by which find_library would find it.
function(ringside_find_cudart result folder)
  find_library(RINGSIDE_CUDART cudart_static HINTS ${folder} PATH_SUFFIXES lib64 lib lib/x86_64-linux-gnu NO_DEFAULT_PATH)
  mark_as_advanced(RINGSIDE_CUDART)
  set(found ${RINGSIDE_CUDART})
  if(NOT found)
    file(GLOB shared ${folder}/lib64/libcudart.so.* ${folder}/lib/libcudart.so.* ${folder}/lib/x86_64-linux-gnu/libcudart.so.*)
    list(SORT shared COMPARE NATURAL ORDER DESCENDING)
    list(POP_FRONT shared found)
  endif()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

function(ringside_import_cuda library)
  add_library(ringside_cuda INTERFACE)
  target_link_libraries(ringside_cuda INTERFACE ringside_cuda_headers ${library} Threads::Threads ${CMAKE_DL_LIBS} rt)
  # libtorch_cpu brings a libcudart.so of its own into the process, whose functions have the same names as those of the
  # static one. A shared one needs no care: the names in it have versions.
  target_link_options(ringside_cuda INTERFACE -Wl,--exclude-libs,ALL)
  add_library(ringside::cuda ALIAS ringside_cuda)
endfunction()

# ringside::cuda_graphs, if libtorch's header for them compiles with these headers of CUDA: they may be of another version.
function(ringside_import_graphs runtime)
  set(CMAKE_REQUIRED_INCLUDES ${RINGSIDE_TORCH_FOLDER}/include ${runtime})
  set(CMAKE_REQUIRED_QUIET ON)
  string(MAKE_C_IDENTIFIER "RINGSIDE_GRAPHS_${RINGSIDE_TORCH_FOLDER}_${runtime}" variable)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  check_cxx_source_compiles("#include <ATen/cuda/CUDAGraph.h>" ${variable})
  if(NOT ${variable})
    message(STATUS "worker: without CUDA graphs (libtorch's header for them does not compile with ${runtime})")
    return()
  endif()
  add_library(ringside_cuda_graphs INTERFACE)
  target_include_directories(ringside_cuda_graphs SYSTEM INTERFACE ${runtime})
  target_link_libraries(ringside_cuda_graphs INTERFACE ringside::torch)
  add_library(ringside::cuda_graphs ALIAS ringside_cuda_graphs)
endfunction()

set(runtime "")
if(NOT RINGSIDE_WORKER_MINIMAL)
  ringside_find_cuda(runtime nccl)
endif()
if(runtime)
  get_filename_component(folder ${runtime}/.. ABSOLUTE)
  ringside_find_cudart(cudart ${folder})
  ringside_import_cuda_headers(${runtime} ${nccl})
  ringside_import_graphs(${runtime})
endif()
if(runtime AND cudart)
  ringside_import_cuda(${cudart})
  get_filename_component(RINGSIDE_NCCL_FOLDER ${nccl}/../lib ABSOLUTE) # where libnccl may be, if nothing loaded one before
  message(STATUS "worker: with cuda (${cudart}; NCCL: ${nccl})")
elseif(runtime)
  message(STATUS "worker: without cuda (beside ${runtime} is neither libcudart_static.a nor libcudart.so)")
else()
  message(STATUS "worker: without cuda (needs the headers of CUDA and of NCCL 2.14 or later)")
endif()
