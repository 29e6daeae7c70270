// SPDX-License-Identifier: MIT
#include "core/logs/content.h"

#include <algorithm>

namespace ringside::logs {

void addFinding(std::vector<Finding>& findings, Finding finding, std::uint64_t line)
{
    const auto same = std::find_if(findings.begin(), findings.end(),
                                   [&](const Finding& earlier) { return earlier.code == finding.code; });
    if (same != findings.end())
        return void(++same->count);
    finding.line = line;
    findings.push_back(finding);
}

} // namespace ringside::logs
