// SPDX-License-Identifier: MIT
// Reason why a rank cannot go on, and its exit code (core/protocol/states.h).
#pragma once

#include "core/base/error.h"
#include "core/protocol/states.h"

#include <utility>

namespace ringside {

struct Failure
{
    int exitCode = exitcode::kSettings;
    Error error;
};

template <class T> using Outcome = tl::expected<T, Failure>;

/// The exit code of an error wherever it was noticed: a setting, a full disk, the engine itself. While data are
/// prepared it stays an error of data.
inline int exitCodeOf(const Error& error, int otherwise)
{
    if (error.code == ErrorCode::usage)
        return exitcode::kSettings;
    if (otherwise == exitcode::kData)
        return otherwise;
    if (error.code == ErrorCode::noSpace)
        return exitcode::kNoSpace;
    return error.code == ErrorCode::internal ? exitcode::kEngineFailed : otherwise;
}

/// An error of one part as the failure of the whole rank.
inline tl::unexpected<Failure> failAs(int exitCode, Error error)
{
    const int code = exitCodeOf(error, exitCode);
    return tl::unexpected(Failure{code, std::move(error)});
}

} // namespace ringside

/// Like TRY and TRY_ASSIGN, in functions that return an Outcome: the error ends the rank with this exit code.
#define TRY_AS(exitCode, expression)                                                                                   \
    do {                                                                                                               \
        if (auto tryResult_ = (expression); !tryResult_)                                                               \
            return ::ringside::failAs(exitCode, std::move(tryResult_).error());                                        \
    } while (false)

#define TRY_ASSIGN_AS(exitCode, declaration, expression)                                                               \
    auto RINGSIDE_JOIN(tryAssign_, __LINE__) = (expression);                                                           \
    if (!RINGSIDE_JOIN(tryAssign_, __LINE__))                                                                          \
        return ::ringside::failAs(exitCode, std::move(RINGSIDE_JOIN(tryAssign_, __LINE__)).error());                   \
    declaration = std::move(*RINGSIDE_JOIN(tryAssign_, __LINE__))
