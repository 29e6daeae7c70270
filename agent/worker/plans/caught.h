// SPDX-License-Identifier: MIT
// Exceptions of libtorch and of the standard library end where a thread that communicates does.
#pragma once

#include "core/base/error.h"

#include <exception>

namespace ringside {

/// Returns the result of `work`, a Result<void>(), or its exception as an error of the engine (failure.h).
template <class Work> Result<void> caught(const Work& work)
{
    try {
        return work();
    } catch (const std::exception& error) {
        const std::string what = error.what(); // libtorch adds where it happened, line by line
        return fail(ErrorCode::internal, "The exchange of gradients failed: " + what.substr(0, what.find('\n')));
    }
}

} // namespace ringside
