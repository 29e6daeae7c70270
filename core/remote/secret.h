// SPDX-License-Identifier: MIT
// A password, passphrase or code: moved, never copied, never formatted, and wiped from memory when it goes.
#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace ringside {

class Secret
{
public:
    Secret() = default;
    /// Copies; the caller wipes its own bytes.
    explicit Secret(std::string_view text)
        : m_bytes(text.size() + 1, '\0') // at its full length: growing would leave a copy behind
    {
        std::copy(text.begin(), text.end(), m_bytes.begin());
    }
    Secret(Secret&& other) noexcept = default; // a vector hands its memory over and retains nothing
    Secret& operator=(Secret&& other) noexcept
    {
        std::swap(m_bytes, other.m_bytes);
        return *this;
    }
    ~Secret()
    {
        if (!m_bytes.empty())
            ::explicit_bzero(m_bytes.data(), m_bytes.size());
    }

    const char* c_str() const { return m_bytes.empty() ? "" : m_bytes.data(); }
    std::size_t size() const { return m_bytes.empty() ? 0 : m_bytes.size() - 1; }

private:
    std::vector<char> m_bytes; ///< with its NUL
};

} // namespace ringside
