// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace ringside::test {

/// PATH of this process, and of those that it starts, while this lives.
class SearchPath
{
public:
    /// `folders` have colons between them.
    explicit SearchPath(const std::string& folders);
    ~SearchPath();
    SearchPath(const SearchPath&) = delete;
    SearchPath& operator=(const SearchPath&) = delete;

private:
    std::string m_before;
};

} // namespace ringside::test
