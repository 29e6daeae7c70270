// SPDX-License-Identifier: MIT
// Errors as values. Every function at a boundary (files, database, processes, wire, MPI) returns Result<T>.
#pragma once

#include <fmt/format.h>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace ringside {

/// Chosen by what the caller will do about it, not by where it arose.
enum class ErrorCode
{
    usage,        ///< the request itself is wrong: a setting, an option, an experiment file
    notFound,     ///< a named thing does not exist
    exists,       ///< a name is taken
    io,           ///< a file or pipe failed; trying again may help
    noSpace,      ///< the disk is full; nothing is lost, free space and try again
    permission,   ///< a folder or file may not be used
    damaged,      ///< bytes are not what they should be
    newerVersion, ///< written by a later version; left untouched
    busy,         ///< another process or user holds it; the message says who
    timeout,      ///< an answer did not come within its limit
    unavailable,  ///< a site, a program, a library or a display is not there
    cancelled,    ///< stopped on request
    internal,     ///< a defect of Ringside
    needsUser,    ///< goes on only with a person's answer: a password, a code, consent
};

/// States what happened and where (message), and what to do about it (hint; may be empty).
struct Error
{
    ErrorCode code = ErrorCode::internal;
    std::string message;
    std::string hint;

    /// "message hint", as one line for a terminal.
    std::string text() const { return hint.empty() ? message : message + " " + hint; }
};

template <class T> using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message, std::string hint = {})
{
    return tl::unexpected<Error>(Error{code, std::move(message), std::move(hint)});
}

} // namespace ringside

#define RINGSIDE_JOIN2(a, b) a##b
#define RINGSIDE_JOIN(a, b) RINGSIDE_JOIN2(a, b)

/// Returns the error of a Result<void> expression, or of another tl::expected, to the caller.
#define TRY(expression)                                                                                                \
    do {                                                                                                               \
        if (auto tryResult_ = (expression); !tryResult_)                                                               \
            return tl::unexpected(std::move(tryResult_).error());                                                      \
    } while (false)

/// TRY_ASSIGN(auto x, expression): binds the value or returns the error to the caller.
#define TRY_ASSIGN(declaration, expression)                                                                            \
    auto RINGSIDE_JOIN(tryAssign_, __LINE__) = (expression);                                                           \
    if (!RINGSIDE_JOIN(tryAssign_, __LINE__))                                                                          \
        return tl::unexpected(std::move(RINGSIDE_JOIN(tryAssign_, __LINE__)).error());                                 \
    declaration = std::move(*RINGSIDE_JOIN(tryAssign_, __LINE__))
