// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of getting a site ready, one line each on standard error as they end. The one under way is redrawn on a
// terminal; elsewhere a new line reports each change and every tenth of its progress.
#pragma once

#include "app/cli/redrawnline.h"
#include "core/sites/sitestep.h"

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

namespace ringside::cli {

class Steps
{
public:
    explicit Steps(std::string site)
        : m_site(std::move(site))
    {
    }

    const std::string& site() const { return m_site; }
    void update(const SiteStep& step);
    /// Steps that were not reached count as not tried.
    void close();
    /// {"site", "ok", "steps": [{"step", "state", "text", "hint", "can_install_torch", "ms"}]}, in the fixed order.
    nlohmann::ordered_json toJson() const;

private:
    bool isNews(const SiteStep& step);
    bool wasSaid(const SiteStep& step);

    std::string m_site;
    RedrawnLine m_line;
    std::map<SiteStep::Kind, std::string> m_said; ///< how each ended, as printed last
    std::string m_told;                           ///< of the step under way, where lines cannot be redrawn
    std::map<SiteStep::Kind, SiteStep> m_steps;
};

} // namespace ringside::cli
