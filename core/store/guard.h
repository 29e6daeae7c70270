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

/// What SQLite said, as an Error chosen by what can be done about it.
Error databaseError(const fs::path& path, const SQLite::Exception& exception);

/// Runs `work` and gives out its value, or its exception as an Error. `work` returns T or Result<T>.
template <class Work> auto guarded(const fs::path& path, Work&& work)
{
    using Value = std::invoke_result_t<Work>;
    if constexpr (requires { std::declval<Value&>().error(); }) {
        try {
            return work();
        } catch (const SQLite::Exception& exception) {
            return Value(tl::unexpected(databaseError(path, exception)));
        }
    } else {
        try {
            if constexpr (std::is_void_v<Value>) {
                work();
                return Result<void>();
            } else {
                return Result<Value>(work());
            }
        } catch (const SQLite::Exception& exception) {
            return Result<Value>(tl::unexpected(databaseError(path, exception)));
        }
    }
}

} // namespace ringside::store
