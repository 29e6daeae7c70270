// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/error.h"

#include <functional>
#include <type_traits>
#include <utility>

namespace ringside {

/// Called once with what a request came to, on a thread of the conductor or, where it is refused at once, on the
/// caller's. Must return at once. May be empty. Requests that are open when the conductor ends are not completed.
template <class T = void> using Completion = std::function<void(Result<T>)>;

/// At most once: `done` is empty afterwards.
template <class T> void complete(Completion<T>& done, std::type_identity_t<Result<T>> value)
{
    if (const Completion<T> once = std::exchange(done, {}))
        once(std::move(value));
}

} // namespace ringside
