// SPDX-License-Identifier: MIT
// The control folder: what people asked of a campaign that runs by itself. Files made by the relay, looked at here;
// and whether there is a campaign that anything could be asked of.
#pragma once

#include "core/base/files.h"
#include "core/base/ids.h"

#include <chrono>

namespace ringside::runner {

class Controls
{
public:
    explicit Controls(fs::path campaign)
        : m_campaign(std::move(campaign))
    {
    }

    bool hold() const;                   ///< begin nothing new
    bool cancelAll() const;              ///< end everything
    bool cancel(const RunId& run) const; ///< end or never begin this run
    /// True if the campaign's plan, or its whole folder, was removed: if two looks, `pause` apart, do not find it. A
    /// network file system may lose sight of it for a moment. Blocking for the pause where the first look finds none.
    bool isGone(std::chrono::milliseconds pause) const;

private:
    fs::path m_campaign;
};

} // namespace ringside::runner
