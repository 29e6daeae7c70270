// SPDX-License-Identifier: MIT
// A program at a terminal of its own, where a person types.
#pragma once

#include "tests/cli/clifixture.h"

namespace ringside::test {

/// Killed with this object if it still runs.
class TypedAt
{
public:
    /// The terminal has so many columns; 0: it does not say how many.
    TypedAt(Arguments command, const std::map<std::string, std::string>& environment, unsigned short columns = 0);
    ~TypedAt();
    TypedAt(const TypedAt&) = delete;
    TypedAt& operator=(const TypedAt&) = delete;

    void type(const std::string& line) const;
    /// Reads until `text` was shown so many times, or the program ended.
    bool shows(const std::string& text, std::size_t times);
    /// The exit status; -1 if it does not end.
    int end();
    const std::string& shown() const { return m_shown; }

private:
    /// False once the program has closed the terminal.
    bool read();

    pid_t m_pid = -1;
    int m_terminal = -1;
    std::string m_shown;
};

} // namespace ringside::test
