// SPDX-License-Identifier: MIT
#include "core/protocol/facts.h"

#include "core/base/parsenumber.h"
#include "core/protocol/either.h"
#include "core/protocol/jsonfields.h"

namespace ringside {

namespace {

constexpr std::size_t kMaxRanks = 100'000;
constexpr std::size_t kMaxLayers = 10'000;

} // namespace

void membersOf(auto& json, Either<RankFacts> auto& facts)
{
    json.integer("rank", facts.rank, 0, static_cast<int>(kMaxRanks));
    json.text("host", facts.host);
    json.text("device", facts.device);
    json.text("cores", facts.cores);
    json.integer("threads", facts.threads, 0, 1'000'000);
    if (json.has("place", !facts.place.empty()))
        json.text("place", facts.place);
    if (json.has("links", !facts.links.empty()))
        json.text("links", facts.links);
}

void membersOf(auto& json, Either<LayerFacts> auto& facts)
{
    json.text("name", facts.name);
    json.integer("gradient_bytes", facts.gradientBytes, 0, UINT64_MAX);
}

void membersOf(auto& json, Either<Facts> auto& facts)
{
    json.format(kFactsFormat);
    json.textMap("versions", facts.versions);
    json.textMap("machine", facts.machine);
    json.textMap("environment", facts.environment);
    json.textMap("data", facts.data);
    json.textMap("model", facts.model);
    json.text("transport", facts.transport);
    if (json.has("system", !facts.system.empty()))
        json.text("system", facts.system);
    json.integer("seed", facts.seed, 0, UINT64_MAX);
    json.list("ranks", facts.ranks, kMaxRanks);
    if (json.has("calibration", facts.calibration.has_value()))
        json.part("calibration", filled(facts.calibration), calibrationFromJson);
    if (json.has("layers", !facts.layers.empty()))
        json.list("layers", facts.layers, kMaxLayers);
}

std::optional<double> flopsPerImage(const Facts& facts)
{
    const auto found = facts.model.find(kFlopsPerImage);
    if (found == facts.model.end())
        return std::nullopt;
    const auto flops = parseNumber<std::int64_t>(found->second);
    return flops > 0 ? std::optional(static_cast<double>(*flops)) : std::nullopt;
}

std::string factsToJson(const Facts& facts)
{
    return dumpJson(JsonMembers::of(facts));
}

Result<Facts> factsFromJson(std::string_view text)
{
    TRY_ASSIGN(const nlohmann::json json, parseJsonObject(text, kMaxFactsBytes, "facts.json"));
    return fromMembers<Facts>(json, "facts.json");
}

} // namespace ringside
