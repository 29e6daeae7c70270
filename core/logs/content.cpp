// SPDX-License-Identifier: MIT
#include "core/logs/content.h"

#include <algorithm>

namespace ringside::logs {

void noteSettings(LogSettings& settings, const LineValues& values)
{
    const auto take = [&](std::optional<std::int64_t>& setting, Quantity quantity) {
        if (const auto told = values.whole(quantity); told && *told > 0)
            setting = told;
    };
    take(settings.batchPerRank, Quantity::batchPerRank);
    take(settings.batchGlobal, Quantity::batchGlobal);
    take(settings.itemsPerEpoch, Quantity::itemsPerEpoch);
    take(settings.ranks, Quantity::ranks);
    take(settings.nodes, Quantity::nodes);
    take(settings.model, Quantity::model);
    take(settings.plannedIterations, Quantity::plannedIterations);
    take(settings.earlierIterations, Quantity::earlierIterations);
}

void noteSettings(LogSettings& settings, const LogSettings& stated)
{
    for (const auto number :
         {&LogSettings::batchPerRank, &LogSettings::batchGlobal, &LogSettings::itemsPerEpoch, &LogSettings::ranks,
          &LogSettings::nodes, &LogSettings::model, &LogSettings::plannedIterations, &LogSettings::earlierIterations})
        if (stated.*number)
            settings.*number = stated.*number;
}

void refuseAll(LogRun& run)
{
    for (LogLane& lane : run.lanes)
        for (auto* records : {&lane.records, &lane.epochs})
            for (LogRecord& record : *records)
                record.isRefused = true;
}

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
