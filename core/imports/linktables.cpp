// SPDX-License-Identifier: MIT
#include "core/imports/linktables.h"

#include "core/base/sequences.h"
#include "core/base/words.h"
#include "core/model/costfit.h"
#include "core/protocol/facts.h"
#include "core/spec/experiment.h"
#include "core/spec/systems.h"
#include "core/stats/quantile.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ringside::imports {

namespace {

using logs::LinkTable;
using logs::TableMemory;
using logs::TableOf;

LinkOperation operationOf(TableOf operation)
{
    return operation == TableOf::pingPong ? LinkOperation::pingPong
           : operation == TableOf::stream ? LinkOperation::stream
                                          : LinkOperation::allReduce;
}

LinkLevel levelOf(std::int64_t ranks, std::int64_t nodes)
{
    return nodes == 1 ? LinkLevel::node : nodes == ranks ? LinkLevel::nodes : LinkLevel::all;
}

bool isOfTwo(const LinkTable& table)
{
    return table.operation != TableOf::allReduce;
}

std::optional<std::int64_t> ranksOf(const LinkTable& table, const Answers& answers)
{
    return isOfTwo(table) ? std::optional<std::int64_t>(2) : table.ranks ? table.ranks : answers.logs.ranks;
}

std::int64_t mostRanks(const ReadLog& log, const Answers& answers)
{
    std::int64_t most = 0;
    for (const FileTable& each : log.tables)
        most = std::max(most, ranksOf(each.table, answers).value_or(0));
    return most;
}

/// A user's word on what the table does not tell; it may be meant for another table, so it is no contradiction of what
/// an operation implies. `most`: ranks of any table of the log.
void fillIn(LinkPreview& preview, const FileTable& each, std::int64_t most, const Answers& answers)
{
    const LinkTable& table = each.table;
    preview.ranks = ranksOf(table, answers);
    const std::int64_t all = isOfTwo(table) ? std::max(most, answers.logs.ranks.value_or(0)) : most;
    const bool isOfAll = preview.ranks.value_or(all) >= all;
    preview.isUnplaced = !table.times.empty() && !table.nodes && answers.logs.nodes.value_or(1) != 1 && !isOfAll;
    if (!preview.isUnplaced)
        preview.nodes = table.nodes ? table.nodes : answers.logs.nodes;
    const auto add = [&](logs::FindingCode code, std::uint64_t line, std::int64_t printed, std::int64_t against) {
        preview.findings.push_back(
            {code, line, static_cast<double>(printed), static_cast<double>(against), 1, each.file});
    };
    const auto addUnused = [&](const auto& told, const auto& said) {
        if (told && said && *told != *said)
            add(logs::FindingCode::answerUnused, 0, *said, *told);
    };
    if (preview.isUnplaced)
        add(logs::FindingCode::placeUntold, table.firstLine, *preview.ranks, 0);
    if (!isOfTwo(table))
        addUnused(table.ranks, answers.logs.ranks);
    addUnused(table.nodes, answers.logs.nodes);
}

Settings settingsOf(const LinkPreview& preview, const LinkTable& table, const Answers& answers)
{
    Settings settings = {{"engine", std::string(kCalibrationEngine)},
                         {"model", std::string(spec::kModelNotTold)},
                         {"site", std::string(spec::kImportedSite)},
                         {"plan", std::string(spec::kOwnPlan)}};
    for (const std::string key : {"site", "interface", "backend"})
        if (const auto said = answers.settings.find(key); said != answers.settings.end())
            settings[key] = said->second;
    if (!table.backend.empty())
        settings["backend"] = table.backend;
    if (table.memory == TableMemory::gpu)
        settings["device"] = std::string("cuda");
    else if (const auto said = answers.settings.find("device");
             table.memory == TableMemory::untold && said != answers.settings.end())
        settings["device"] = said->second;
    if (preview.ranks)
        settings["ranks"] = *preview.ranks;
    if (preview.nodes)
        settings["nodes"] = *preview.nodes;
    return settings;
}

struct Measured
{
    std::vector<double> seconds;
    std::uint64_t line = 0; ///< of the first
};

bool isFinite(const CostSegment& segment)
{
    return std::isfinite(segment.latency) && std::isfinite(segment.perByte);
}

/// nullopt: no cost fits its times.
std::optional<LinkCost> costOf(LinkPreview& preview, const LinkTable& table)
{
    LinkCost cost{levelOf(*preview.ranks, *preview.nodes),
                  operationOf(table.operation),
                  static_cast<int>(*preview.ranks),
                  {},
                  {}};
    std::map<std::uint64_t, Measured> bySize;
    for (const logs::LinkTime& time : table.times) {
        Measured& size = bySize[time.message.bytes];
        size.line = size.seconds.empty() ? time.line : size.line;
        size.seconds.push_back(time.message.seconds);
    }
    for (auto& [bytes, measured] : bySize) {
        cost.times.push_back({bytes, stats::median(std::move(measured.seconds))});
        preview.lines.push_back(measured.line);
    }
    cost.segments = model::fitCost(cost.times);
    if (!std::ranges::all_of(cost.segments, isFinite))
        return std::nullopt;
    cost.inGpuMemory = meansOf(preview.settings).withGpu();
    cost.areMeans = !isOfTwo(table) && !table.isOfSlowest;
    return cost;
}

LinkPreview previewOf(const FileTable& each, std::size_t number, std::int64_t most, const Answers& answers)
{
    const LinkTable& table = each.table;
    LinkPreview preview{.table = number};
    fillIn(preview, each, most, answers);
    preview.settings = settingsOf(preview, table, answers);
    const auto require = [&](const char* key, bool isThere) {
        if (!isThere && !preview.isUnplaced && !table.times.empty())
            preview.missing.emplace_back(key);
    };
    require("ranks", preview.ranks.has_value());
    require("nodes", preview.nodes.has_value());
    require("device", table.memory != TableMemory::untold || preview.settings.contains("device"));
    if (!preview.missing.empty() || preview.isUnplaced || table.times.empty())
        return preview;
    if (*preview.nodes > *preview.ranks || *preview.ranks < 2 || *preview.ranks > kMostLinkRanks) {
        preview.findings.push_back({logs::FindingCode::noSuchLink, table.firstLine, static_cast<double>(*preview.ranks),
                                    static_cast<double>(*preview.nodes), 1, each.file});
        return preview;
    }
    const auto cost = costOf(preview, table);
    if (!cost) {
        preview.findings.push_back({logs::FindingCode::noCostFits, table.firstLine, 0, 0, 1, each.file});
        return preview;
    }
    Calibration& calibration = preview.calibration.emplace();
    calibration.ranks = static_cast<int>(*preview.ranks);
    calibration.nodes = static_cast<int>(*preview.nodes);
    calibration.means = meansOf(preview.settings);
    calibration.links = {*cost};
    return preview;
}

} // namespace

std::vector<LinkPreview> linkPreviewsOf(const ReadLog& log, const Answers& answers)
{
    std::vector<LinkPreview> previews;
    const std::int64_t most = mostRanks(log, answers);
    for (std::size_t table = 0; table < log.tables.size(); ++table)
        previews.push_back(previewOf(log.tables[table], table, most, answers));
    return previews;
}

std::string operationText(TableOf operation)
{
    switch (operation) {
    case TableOf::pingPong:
        return Words::tr("ping-pong");
    case TableOf::stream:
        return Words::tr("one-way stream");
    case TableOf::allReduce:
        return Words::tr("all-reduce");
    case TableOf::untold:
    case TableOf::other:
        break;
    }
    return Words::tr("another operation");
}

std::string timesText(const LinkTable& table)
{
    const std::string whose = isOfTwo(table)      ? Words::tr("of a message")
                              : table.isOfSlowest ? Words::tr("of the slowest rank")
                                                  : Words::tr("means over ranks");
    return table.places > 1 ? Words::tr("{}, in place", whose) : whose;
}

std::string factsOf(const LinkPreview& link, const std::string& title)
{
    Facts facts;
    facts.system = title;
    facts.calibration = link.calibration;
    return factsToJson(facts);
}

} // namespace ringside::imports
