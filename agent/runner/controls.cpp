// SPDX-License-Identifier: MIT
#include "agent/runner/controls.h"

#include "core/protocol/layout.h"

namespace ringside::runner {

namespace {

bool isThere(const fs::path& file)
{
    std::error_code ignored; // not to be seen is not asked for
    return fs::exists(file, ignored);
}

} // namespace

bool Controls::hold() const
{
    return isThere(layout::holdFile(m_campaign));
}

bool Controls::cancelAll() const
{
    return isThere(layout::cancelFile(m_campaign));
}

bool Controls::cancel(const RunId& run) const
{
    return cancelAll() || isThere(layout::cancelFile(m_campaign, run));
}

} // namespace ringside::runner
