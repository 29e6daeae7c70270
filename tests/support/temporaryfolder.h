// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/files.h"

namespace ringside::test {

/// A folder of its own for one test case, removed with it.
class TemporaryFolder
{
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const fs::path& path() const { return m_path; }
    fs::path operator/(const fs::path& name) const { return m_path / name; }

private:
    fs::path m_path;
};

} // namespace ringside::test
