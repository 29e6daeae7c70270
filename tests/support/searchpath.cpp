// SPDX-License-Identifier: MIT
#include "tests/support/searchpath.h"

#include "core/base/environment.h"

#include <cstdlib>

namespace ringside::test {

SearchPath::SearchPath(const std::string& folders)
    : m_before(environment("PATH"))
{
    ::setenv("PATH", folders.c_str(), 1);
}

SearchPath::~SearchPath()
{
    ::setenv("PATH", m_before.c_str(), 1);
}

} // namespace ringside::test
