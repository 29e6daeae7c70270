// SPDX-License-Identifier: MIT
// Inside core/store: SQLiteCpp's exceptions end here and go on as Result.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/words.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <type_traits>
#include <utility>

namespace ringside::store {

/// Returns SQLite's message as an Error chosen by what can be done about it.
Error databaseError(const fs::path& path, const SQLite::Exception& exception);

template <class T> struct AsResult
{
    using Type = Result<T>;
};
template <class T> struct AsResult<Result<T>>
{
    using Type = Result<T>;
};

/// Runs `work` and returns its value, or its exception as an Error. `work` returns T or Result<T>.
template <class Work> auto guarded(const fs::path& path, Work&& work) -> AsResult<std::invoke_result_t<Work>>::Type
{
    try {
        if constexpr (!std::is_void_v<std::invoke_result_t<Work>>)
            return work();
        else
            work();
    } catch (const SQLite::Exception& exception) {
        return tl::unexpected(databaseError(path, exception));
    }
    if constexpr (std::is_void_v<std::invoke_result_t<Work>>)
        return {};
}

} // namespace ringside::store
