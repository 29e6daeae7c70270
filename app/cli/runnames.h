// SPDX-License-Identifier: GPL-3.0-or-later
// Runs in words that distinguish them from the others of their experiments.
#pragma once

#include "core/store/rows.h"

#include <map>
#include <string>
#include <vector>

namespace ringside::cli {

class RunNames
{
public:
    RunNames() = default;
    /// `runs`: those that are listed together, of one experiment or several.
    explicit RunNames(const std::vector<store::RunRow>& runs);

    /// "AlexNet · none · 1 CPU rank · cold · decode threads 2": model, plan, ranks, and what else differs.
    std::string configuration(const store::RunRow& run) const;
    /// "run 12 · AlexNet · buckets · 2 CPU ranks · repeat 3".
    std::string describe(const store::RunRow& run) const;

private:
    std::map<std::string, std::vector<std::string>>
        m_distinguishing; ///< by experiment: settings that distinguish its runs
};

} // namespace ringside::cli
