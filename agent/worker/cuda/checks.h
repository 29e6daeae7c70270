// SPDX-License-Identifier: MIT
// Every call of CUDA's runtime goes through `check`.
#pragma once

#include "core/base/error.h"

#include <cuda_runtime_api.h>

namespace ringside::cuda {

inline Result<void> check(cudaError_t code, const char* call)
{
    if (code == cudaSuccess)
        return {};
    return fail(ErrorCode::internal,
                fmt::format("{} failed: {} ({}).", call, cudaGetErrorString(code), cudaGetErrorName(code)));
}

} // namespace ringside::cuda
