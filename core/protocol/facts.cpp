// SPDX-License-Identifier: MIT
#include "core/protocol/facts.h"

#include "core/protocol/jsonfields.h"

#include <charconv>

namespace ringside {

namespace {

constexpr std::size_t kMaxFactsBytes = 16u << 20;
constexpr std::size_t kMaxRanks = 100'000;
constexpr std::size_t kMaxLayers = 10'000;

nlohmann::json toJson(const RankFacts& facts)
{
    nlohmann::json json = {{"rank", facts.rank},
                           {"host", facts.host},
                           {"device", facts.device},
                           {"cores", facts.cores},
                           {"threads", facts.threads}};
    if (!facts.place.empty())
        json["place"] = facts.place;
    if (!facts.links.empty())
        json["links"] = facts.links;
    return json;
}

RankFacts readRank(JsonFields& fields)
{
    RankFacts facts;
    fields.integer("rank", facts.rank, 0, static_cast<int>(kMaxRanks));
    fields.text("host", facts.host);
    fields.text("device", facts.device);
    fields.text("cores", facts.cores);
    fields.integer("threads", facts.threads, 0, 1'000'000);
    if (fields.has("place"))
        fields.text("place", facts.place);
    if (fields.has("links"))
        fields.text("links", facts.links);
    return facts;
}

LayerFacts readLayer(JsonFields& fields)
{
    LayerFacts facts;
    fields.text("name", facts.name);
    fields.integer<std::uint64_t>("gradient_bytes", facts.gradientBytes, 0, UINT64_MAX);
    return facts;
}

} // namespace

std::optional<double> flopsPerImage(const Facts& facts)
{
    const auto found = facts.model.find(kFlopsPerImage);
    if (found == facts.model.end())
        return std::nullopt;
    const std::string& text = found->second;
    std::int64_t flops = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), flops);
    const bool isWhole = code == std::errc() && end == text.data() + text.size();
    return isWhole && flops > 0 ? std::optional(static_cast<double>(flops)) : std::nullopt;
}

std::string factsToJson(const Facts& facts)
{
    nlohmann::json json = {
        {"format", kFactsFormat},           {"versions", facts.versions}, {"machine", facts.machine},
        {"environment", facts.environment}, {"data", facts.data},         {"model", facts.model},
        {"transport", facts.transport},     {"seed", facts.seed},         {"ranks", nlohmann::json::array()}};
    for (const RankFacts& rank : facts.ranks)
        json["ranks"].push_back(toJson(rank));
    if (facts.calibration)
        json["calibration"] = toJson(*facts.calibration);
    for (const LayerFacts& layer : facts.layers)
        json["layers"].push_back({{"name", layer.name}, {"gradient_bytes", layer.gradientBytes}});
    return dumpJson(json);
}

Result<Facts> factsFromJson(std::string_view text)
{
    TRY_ASSIGN(const nlohmann::json json, parseJsonObject(text, kMaxFactsBytes, "facts.json"));
    Facts facts;
    JsonFields fields(json, "facts.json");
    fields.format(kFactsFormat);
    fields.textMap("versions", facts.versions);
    fields.textMap("machine", facts.machine);
    fields.textMap("environment", facts.environment);
    fields.textMap("data", facts.data);
    fields.textMap("model", facts.model);
    fields.text("transport", facts.transport);
    fields.integer<std::uint64_t>("seed", facts.seed, 0, UINT64_MAX);
    fields.each("ranks", kMaxRanks, [&](JsonFields& entry) { facts.ranks.push_back(readRank(entry)); });
    if (fields.has("calibration"))
        fields.part("calibration", facts.calibration.emplace(), calibrationFromJson);
    if (fields.has("layers"))
        fields.each("layers", kMaxLayers, [&](JsonFields& entry) { facts.layers.push_back(readLayer(entry)); });
    TRY(fields.result());
    return facts;
}

} // namespace ringside
