// SPDX-License-Identifier: MIT
#include "core/protocol/calibration.h"

#include "core/protocol/jsonfields.h"
#include "core/protocol/names.h"

#include <climits>

namespace ringside {

namespace {

constexpr int kMaxRanks = 1'000'000;
constexpr std::size_t kMaxLinks = 100, kMaxTimes = 1'000;
constexpr std::uint64_t kMaxBytes = 1ull << 53; // which a double holds, as figures do
constexpr double kMaxSeconds = 1e6, kMaxRate = 1e18;

/// Where messages lay.
enum class Memory
{
    host,
    gpu
};
constexpr auto namesOf(Memory)
{
    return std::to_array<std::string_view>({"host", "gpu"});
}

nlohmann::json toJson(const RankRate& rate)
{
    return {{"median", rate.median}, {"lowest", rate.lowest}};
}

nlohmann::json segmentsToJson(const std::vector<CostSegment>& segments)
{
    nlohmann::json json = nlohmann::json::array();
    for (const CostSegment& segment : segments)
        json.push_back(
            {{"up_to_bytes", segment.upTo}, {"latency_s", segment.latency}, {"s_per_byte", segment.perByte}});
    return json;
}

void readSegments(JsonFields& fields, std::vector<CostSegment>& segments)
{
    fields.each("segments", kMaxTimes, [&](JsonFields& entry) {
        CostSegment& segment = segments.emplace_back();
        entry.integer<std::uint64_t>("up_to_bytes", segment.upTo, 0, UINT64_MAX);
        entry.number("latency_s", segment.latency, 0, kMaxSeconds);
        entry.number("s_per_byte", segment.perByte, 0, kMaxSeconds);
    });
}

nlohmann::json toJson(const LinkCost& link)
{
    nlohmann::json json = {{"level", nameOf(link.level)},
                           {"operation", nameOf(link.operation)},
                           {"ranks", link.ranks},
                           {"times", nlohmann::json::array()},
                           {"segments", segmentsToJson(link.segments)}};
    for (const MessageTime& time : link.times)
        json["times"].push_back({{"bytes", time.bytes}, {"seconds", time.seconds}});
    if (link.inGpuMemory)
        json["memory"] = nameOf(Memory::gpu);
    return json;
}

void readMeans(JsonFields& fields, CalibrationMeans& means)
{
    if (fields.has("device"))
        fields.text("device", means.device);
    if (fields.has("backend"))
        fields.text("backend", means.backend);
    if (fields.has("interface"))
        fields.text("interface", means.interface);
}

Result<RankRate> rateFromJson(const nlohmann::json& json)
{
    RankRate rate;
    JsonFields fields(json, "calibration: rate");
    fields.number("median", rate.median, 0, kMaxRate);
    fields.number("lowest", rate.lowest, 0, kMaxRate);
    TRY(fields.result());
    return rate;
}

nlohmann::json toJson(const GpuRates& gpu)
{
    return {{"fp32_flops", toJson(gpu.fp32Flops)},          {"tf32_flops", toJson(gpu.tf32Flops)},
            {"bf16_flops", toJson(gpu.bf16Flops)},          {"memory_bytes", toJson(gpu.memoryBytes)},
            {"to_device_bytes", toJson(gpu.toDeviceBytes)}, {"to_host_bytes", toJson(gpu.toHostBytes)}};
}

Result<GpuRates> gpuRatesFromJson(const nlohmann::json& json)
{
    GpuRates gpu;
    JsonFields fields(json, "calibration: gpu");
    fields.part("fp32_flops", gpu.fp32Flops, rateFromJson);
    fields.part("tf32_flops", gpu.tf32Flops, rateFromJson);
    fields.part("bf16_flops", gpu.bf16Flops, rateFromJson);
    fields.part("memory_bytes", gpu.memoryBytes, rateFromJson);
    fields.part("to_device_bytes", gpu.toDeviceBytes, rateFromJson);
    fields.part("to_host_bytes", gpu.toHostBytes, rateFromJson);
    TRY(fields.result());
    return gpu;
}

LinkCost readLink(JsonFields& fields)
{
    LinkCost link;
    Memory memory = Memory::host;
    fields.named("level", link.level);
    fields.named("operation", link.operation);
    fields.integer("ranks", link.ranks, 1, kMaxRanks);
    fields.each("times", kMaxTimes, [&](JsonFields& entry) {
        MessageTime& time = link.times.emplace_back();
        entry.integer<std::uint64_t>("bytes", time.bytes, 1, kMaxBytes);
        entry.number("seconds", time.seconds, 0, kMaxSeconds);
    });
    readSegments(fields, link.segments);
    if (fields.has("memory"))
        fields.named("memory", memory);
    link.inGpuMemory = memory == Memory::gpu;
    return link;
}

} // namespace

CalibrationMeans meansOf(const Settings& settings)
{
    CalibrationMeans means;
    means.device = textOf(settings, "device").value_or(means.device);
    means.backend = textOf(settings, "backend").value_or(means.backend);
    means.interface = textOf(settings, "interface").value_or(means.interface);
    return means;
}

Settings unusualOf(const CalibrationMeans& means)
{
    const CalibrationMeans usual;
    Settings settings;
    if (means.device != usual.device)
        settings["device"] = means.device;
    if (means.backend != usual.backend)
        settings["backend"] = means.backend;
    if (means.interface != usual.interface)
        settings["interface"] = means.interface;
    return settings;
}

const LinkCost* Calibration::link(LinkLevel level, LinkOperation operation) const
{
    for (const LinkCost& each : links)
        if (each.level == level && each.operation == operation)
            return &each;
    return nullptr;
}

nlohmann::json toJson(const Calibration& calibration)
{
    nlohmann::json json = {{"format", kCalibrationFormat},
                           {"ranks", calibration.ranks},
                           {"nodes", calibration.nodes},
                           {"cores_per_rank", calibration.coresPerRank},
                           {"gemm_flops", toJson(calibration.gemmFlops)},
                           {"memory_bytes", toJson(calibration.memoryBytes)},
                           {"disk_bytes", toJson(calibration.diskBytes)},
                           {"disk_how", calibration.diskHow},
                           {"pictures", toJson(calibration.pictures)},
                           {"links", nlohmann::json::array()}};
    for (const LinkCost& link : calibration.links)
        json["links"].push_back(toJson(link));
    json.update(toJson(unusualOf(calibration.means)));
    if (calibration.gpu)
        json["gpu"] = toJson(*calibration.gpu);
    return json;
}

Result<Calibration> calibrationFromJson(const nlohmann::json& json)
{
    Calibration calibration;
    JsonFields fields(json, "calibration");
    fields.format(kCalibrationFormat);
    fields.integer("ranks", calibration.ranks, 1, kMaxRanks);
    fields.integer("nodes", calibration.nodes, 1, kMaxRanks);
    fields.integer("cores_per_rank", calibration.coresPerRank, 1, kMaxRanks);
    fields.part("gemm_flops", calibration.gemmFlops, rateFromJson);
    fields.part("memory_bytes", calibration.memoryBytes, rateFromJson);
    fields.part("disk_bytes", calibration.diskBytes, rateFromJson);
    fields.text("disk_how", calibration.diskHow);
    fields.part("pictures", calibration.pictures, rateFromJson);
    fields.each("links", kMaxLinks, [&](JsonFields& entry) { calibration.links.push_back(readLink(entry)); });
    readMeans(fields, calibration.means);
    if (fields.has("gpu"))
        fields.part("gpu", calibration.gpu.emplace(), gpuRatesFromJson);
    TRY(fields.result());
    return calibration;
}

nlohmann::json toJson(const CalibratedCost& cost)
{
    return {{"run", cost.run},
            {"ended_ns", cost.endedNs},
            {"transport", cost.transport},
            {"segments", segmentsToJson(cost.segments)}};
}

Result<CalibratedCost> calibratedCostFromJson(const nlohmann::json& json)
{
    CalibratedCost cost;
    JsonFields fields(json, "calibration: cost");
    fields.integer("run", cost.run, 1, INT_MAX);
    fields.integer<std::int64_t>("ended_ns", cost.endedNs, 0, INT64_MAX);
    fields.text("transport", cost.transport);
    readSegments(fields, cost.segments);
    if (cost.segments.empty())
        fields.refuse("segments", Words::tr("expected one at least"));
    TRY(fields.result());
    return cost;
}

} // namespace ringside
