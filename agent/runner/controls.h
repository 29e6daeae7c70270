// SPDX-License-Identifier: MIT
// The control folder: what people asked of a campaign that runs by itself. Files made by the relay, looked at here.
#pragma once

#include "core/base/files.h"
#include "core/base/ids.h"

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

private:
    fs::path m_campaign;
};

} // namespace ringside::runner
