// SPDX-License-Identifier: MIT
// Why a rank cannot go on, and the exit code by which it says so (core/protocol/states.h).
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

/// An error of one part as the failure of the whole rank. What is wrong with a setting is always a settings error,
/// wherever it was noticed.
inline tl::unexpected<Failure> failAs(int exitCode, Error error)
{
    return tl::unexpected(Failure{error.code == ErrorCode::usage ? exitcode::kSettings : exitCode, std::move(error)});
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
