// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/json.h"

#include "app/cli/output.h"
#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/jobs/reasons/reasonsentence.h"
#include "core/report/flagsentences.h"
#include "core/report/items.h"
#include "core/spec/systems.h"

#include <algorithm>

namespace ringside::cli {

namespace {

template <class T> Json orNull(const std::optional<T>& value)
{
    return value ? Json(*value) : Json(nullptr);
}

Json timeOrNull(std::int64_t wallNanoseconds)
{
    return wallNanoseconds ? Json(isoTime(wallNanoseconds)) : Json(nullptr);
}

Json factorsOf(const store::RunRow& run)
{
    Json factors = Json::object();
    for (const auto& [key, value] : *run.settings)
        factors[key] = std::visit([](const auto& v) { return Json(v); }, value);
    factors["site"] = run.site;
    return factors;
}

Json toJson(const store::RankSummary& rank, const store::RunRow& run)
{
    const auto perIteration = [&](std::int64_t sumNs) {
        return rank.iterations ? static_cast<double>(sumNs) / rank.iterations / 1e6 : 0.0;
    };
    std::array<double, kPhaseCount> ms{};
    std::ranges::transform(rank.phaseSums, ms.begin(), perIteration);
    keepTold(ms, rank.told);
    Json phases = Json::object();
    for (const PhasePart part : partsOf(rank.told))
        phases[std::string(nameOf(part))] =
            hasPart(rank.told, part) ? Json(ms[static_cast<std::size_t>(part.phase)]) : Json(nullptr);
    const auto beside = [&](std::int64_t sumNs) {
        return spec::isOwnWorker(run.settings) ? Json(perIteration(sumNs)) : Json(nullptr);
    };
    const Json background = {
        {"comm_total", beside(rank.commTotalSum)}, {"read", beside(rank.readSum)}, {"decode", beside(rank.decodeSum)}};
    Json json = {{"rank", rank.rank},
                 {"iterations", rank.iterations},
                 {"items", rank.items},
                 {"seconds", static_cast<double>(rank.lengthNs) / 1e9},
                 {"phases_ms", phases},
                 {"background_ms", background},
                 {"payload_bytes", rank.bytesSent},
                 {"bad_items", rank.badItems},
                 {"last_loss", rank.lastLoss}};
    if (rank.isInParts()) {
        json["records"] = rank.records;
        json["of_ranks"] = rank.ofRanks;
    }
    return json;
}

} // namespace

Json toJson(const store::RunRow& run)
{
    const Reason reason = run.reason.value_or(Reason());
    return {{"id", run.id.str()},
            {"number", run.number},
            {"experiment", run.experiment},
            {"site", run.site},
            {"factors", factorsOf(run)},
            {"repeat", run.repeat},
            {"attempt", run.attempt},
            {"kind", nameOf(run.kind)},
            {"state", nameOf(run.state)},
            {"since", timeOrNull(run.since)},
            {"reason", textOrNull(jobs::sentenceOf(reason))},
            {"reason_code", textOrNull(reason.code)},
            {"flags", run.flags},
            {"samples", run.samples},
            {"items", report::itemWords(report::itemsOf(run.settings)).items},
            {"images_per_second", orNull(run.itemsPerSecond)}};
}

Json toJson(const store::AttemptRow& attempt, const store::RunRow& run)
{
    const Json ranks = mapped<Json>(attempt.ranks, [&](const store::RankSummary& rank) { return toJson(rank, run); });
    return {{"attempt", attempt.attempt},
            {"state", nameOf(attempt.state)},
            {"cause", nameOf(attempt.cause)},
            {"reason", textOrNull(jobs::sentenceOf(attempt.reason))},
            {"reason_code", textOrNull(attempt.reason.code)},
            {"lost_rank", orNull(attempt.lostRank)},
            {"started", timeOrNull(attempt.startedAt)},
            {"ended", timeOrNull(attempt.endedAt)},
            {"ranks", ranks}};
}

Json toJson(const store::FlagReason& reason)
{
    return {{"flag", reason.flag},
            {"code", reason.code},
            {"rank", orNull(reason.rank)},
            {"host", textOrNull(reason.host)},
            {"after", orNull(reason.after)},
            {"value", orNull(reason.value)},
            {"usual", orNull(reason.usual)},
            {"limit", orNull(reason.limit)},
            {"text", report::sentenceOf(reason)}};
}

Json toJson(const store::ExperimentRow& experiment)
{
    const store::RunCounts& runs = experiment.runs;
    return {{"experiment", experiment.name},
            {"site", experiment.site},
            {"archived", experiment.archived},
            {"runs",
             {{"total", runs.total},
              {"queued", runs.queued},
              {"held", runs.held},
              {"running", runs.running},
              {"done", runs.done},
              {"failed", runs.failed},
              {"cancelled", runs.cancelled},
              {"unknown", runs.unknown}}}};
}

Json partsOf(const AggregationPlan& plan)
{
    nlohmann::json all = ringside::toJson(plan);
    all.erase("name");
    if (plan.grouping != Grouping::buckets) {
        all.erase("first_bucket_bytes");
        all.erase("bucket_cap_bytes");
    }
    all["compression"] = nameOf(plan.compression);
    Json parts;
    for (const char* part : {"collective", "grouping", "schedule", "compression"})
        parts[part] = all[part];
    for (const auto& [name, number] : all.items())
        parts[name] = name == "asynchronous" ? nlohmann::json(plan.asynchronous) : number;
    if (plan.serverPerNode)
        parts["servers"] = "per_node"; // as in files
    return parts;
}

Json toJson(const spec::Check& check)
{
    return {{"severity", spec::nameOf(check.severity)},
            {"field", check.field},
            {"value", check.value},
            {"line", check.line > 0 ? Json(check.line) : Json(nullptr)},
            {"column", check.column > 0 ? Json(check.column) : Json(nullptr)},
            {"text", spec::toText(check)}};
}

Json toJson(const Error& error)
{
    return {{"message", error.message}, {"hint", textOrNull(error.hint)}};
}

} // namespace ringside::cli
