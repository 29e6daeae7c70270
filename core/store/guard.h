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

/// Fails if the file that the connection writes no longer lies at its path, be it moved, replaced or deleted: what is
/// written then is lost with the end of the program.
Result<void> requireInPlace(SQLite::Database& db, const fs::path& path);

/// Commits what `work` (-> Result<T>) changes, unless it fails or the file has gone from its place.
template <class Work>
auto inTransaction(SQLite::Database& db, const fs::path& path, const Work& work) -> std::invoke_result_t<const Work&>
{
    return guarded(path, [&]() -> std::invoke_result_t<const Work&> {
        SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
        TRY(requireInPlace(db, path));
        auto done = work();
        if (done)
            transaction.commit();
        return done;
    });
}

} // namespace ringside::store
