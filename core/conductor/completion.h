// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/error.h"

#include <functional>
#include <memory>
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

/// Completes `done` once all requests of a command are complete, with the first error among them; `further` gets each
/// other one. One thread.
class CompletionOfAll
{
public:
    CompletionOfAll(Completion<> done, std::function<void(const Error&)> further)
        : m_open(std::make_shared<Open>(Open{std::move(done), std::move(further)}))
    {
    }

    /// One more to wait for.
    Completion<> part()
    {
        ++m_open->parts;
        return [open = m_open](const Result<void>& result) { close(*open, result); };
    }
    /// No further part follows. Call it once.
    void finish() { close(*m_open, {}); }

private:
    struct Open
    {
        Completion<> done;
        std::function<void(const Error&)> further;
        int parts = 1; ///< finish() is one
        Result<void> result = {};
    };
    static void close(Open& open, const Result<void>& result)
    {
        if (open.result)
            open.result = result;
        else if (!result)
            open.further(result.error());
        if (--open.parts == 0)
            complete(open.done, std::move(open.result));
    }

    std::shared_ptr<Open> m_open;
};

} // namespace ringside
