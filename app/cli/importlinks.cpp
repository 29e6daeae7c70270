// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/importlinks.h"

#include "app/cli/linktext.h"
#include "core/base/text.h"
#include "core/imports/findings.h"
#include "core/model/costfit.h"

namespace ringside::cli {

namespace {

using imports::LinkPreview;
using imports::LogPreview;

Json orNull(const std::optional<std::int64_t>& number)
{
    return number ? Json(*number) : Json(nullptr);
}

std::string countText(const std::optional<std::int64_t>& number)
{
    return number ? std::to_string(*number) : "–";
}

std::string sizesText(const LinkCost& link)
{
    return fmt::format("{}, {} to {}", link.times.size(), humanBytes(link.times.front().bytes),
                       humanBytes(link.times.back().bytes));
}

std::vector<std::string> rowOf(const LogPreview& log, const LinkPreview& link)
{
    const logs::LinkTable& table = log.log.tables[link.table].table;
    const LinkCost* cost = link.calibration ? &link.calibration->links.front() : nullptr;
    return {nameOf(log),
            log.log.format->title,
            fmt::format("{}–{}", table.firstLine, table.lastLine),
            imports::operationText(table.operation),
            imports::timesText(table),
            countText(link.ranks),
            countText(link.nodes),
            fmt::format("{} of {}", table.rows - table.refused, table.rows),
            cost ? sizesText(*cost) : "–",
            cost ? latencyText(*cost) : "–",
            cost ? perSecond(model::asymptoticBandwidth(cost->segments)) : "–",
            cost ? fitText(*cost) : "–"};
}

} // namespace

Json linkJson(const LogPreview& log, const LinkPreview& link)
{
    const logs::LinkTable& table = log.log.tables[link.table].table;
    Json settings = Json::object();
    for (const auto& [key, value] : link.settings)
        settings[key] = toJson(value);
    return {{"file", log.log.files[log.log.tables[link.table].file].file.path.string()},
            {"operation", nameOf(table.operation)},
            {"memory", nameOf(table.memory)},
            {"times", imports::timesText(table)},
            {"ranks", orNull(link.ranks)},
            {"nodes", orNull(link.nodes)},
            {"rows", table.rows},
            {"refused", table.refused},
            {"first_line", table.firstLine},
            {"last_line", table.lastLine},
            {"calibration", link.calibration ? Json::parse(ringside::toJson(*link.calibration).dump()) : Json(nullptr)},
            {"missing", link.missing},
            {"settings", std::move(settings)}};
}

void printLinks(const imports::Previews& previews)
{
    std::vector<std::vector<std::string>> rows;
    for (const LogPreview& log : previews.logs)
        for (const LinkPreview& link : log.links)
            rows.push_back(rowOf(log, link));
    if (!rows.empty())
        printTable({{"Log"},
                    {"Format"},
                    {"Lines"},
                    {"Operation"},
                    {"Times"},
                    {"Ranks", true},
                    {"Nodes", true},
                    {"Rows used", true},
                    {"Sizes"},
                    {"Latency", true},
                    {"Bandwidth", true},
                    {"Fit, off by at most"}},
                   rows);
}

} // namespace ringside::cli
