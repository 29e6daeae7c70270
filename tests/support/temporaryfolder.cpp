// SPDX-License-Identifier: MIT
#include "tests/support/temporaryfolder.h"

#include "core/base/ids.h"

namespace ringside::test {

TemporaryFolder::TemporaryFolder()
    : m_path(fs::temp_directory_path() / ("ringside-test-" + randomUuid().substr(0, 13)))
{
    fs::create_directories(m_path);
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored; // a test that removed its own folder is fine
    fs::remove_all(m_path, ignored);
}

} // namespace ringside::test
