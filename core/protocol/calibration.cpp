// SPDX-License-Identifier: MIT
#include "core/protocol/calibration.h"

#include "core/protocol/either.h"
#include "core/protocol/jsonfields.h"

#include <climits>

namespace ringside {

namespace {

constexpr int kMaxRanks = 1'000'000;
constexpr std::size_t kMaxLinks = 100, kMaxTimes = 1'000;
constexpr std::uint64_t kMaxBytes = 1ull << 53; // which a double holds, as figures do
constexpr double kMaxSeconds = 1e6, kMaxRate = 1e18;

} // namespace

void membersOf(auto& json, Either<RankRate> auto& rate)
{
    json.number("median", rate.median, 0, kMaxRate);
    json.number("lowest", rate.lowest, 0, kMaxRate);
}

void membersOf(auto& json, Either<CostSegment> auto& segment)
{
    json.integer("up_to_bytes", segment.upTo, 0, UINT64_MAX);
    json.number("latency_s", segment.latency, 0, kMaxSeconds);
    json.number("s_per_byte", segment.perByte, 0, kMaxSeconds);
}

void membersOf(auto& json, Either<MessageTime> auto& time)
{
    json.integer("bytes", time.bytes, 1, kMaxBytes);
    json.number("seconds", time.seconds, 0, kMaxSeconds);
}

void membersOf(auto& json, Either<LinkCost> auto& link)
{
    json.named("level", link.level);
    json.named("operation", link.operation);
    json.integer("ranks", link.ranks, 1, kMaxRanks);
    json.list("times", link.times, kMaxTimes);
    json.list("segments", link.segments, kMaxTimes);
    json.word("memory", "gpu", link.inGpuMemory);
    json.word("times_are", "means", link.areMeans);
}

void membersOf(auto& json, Either<GpuRates> auto& gpu)
{
    json.object("fp32_flops", gpu.fp32Flops);
    json.object("tf32_flops", gpu.tf32Flops);
    json.object("bf16_flops", gpu.bf16Flops);
    json.object("memory_bytes", gpu.memoryBytes);
    json.object("to_device_bytes", gpu.toDeviceBytes);
    json.object("to_host_bytes", gpu.toHostBytes);
}

/// Only what is unusual, so that what was written before there was a choice stays the same.
void membersOf(auto& json, Either<CalibrationMeans> auto& means)
{
    const CalibrationMeans usual;
    if (json.has("device", means.device != usual.device))
        json.text("device", means.device);
    if (json.has("backend", means.backend != usual.backend))
        json.text("backend", means.backend);
    if (json.has("interface", means.interface != usual.interface))
        json.text("interface", means.interface);
}

void membersOf(auto& json, Either<Calibration> auto& calibration)
{
    json.format(kCalibrationFormat);
    json.integer("ranks", calibration.ranks, 1, kMaxRanks);
    json.integer("nodes", calibration.nodes, 1, kMaxRanks);
    json.integer("cores_per_rank", calibration.coresPerRank, 1, kMaxRanks);
    json.object("gemm_flops", calibration.gemmFlops);
    json.object("memory_bytes", calibration.memoryBytes);
    json.object("disk_bytes", calibration.diskBytes);
    json.text("disk_how", calibration.diskHow);
    json.object("pictures", calibration.pictures);
    json.list("links", calibration.links, kMaxLinks);
    membersOf(json, calibration.means);
    if (json.has("gpu", calibration.gpu.has_value()))
        json.object("gpu", filled(calibration.gpu));
}

void membersOf(auto& json, Either<CalibratedCost> auto& cost)
{
    json.integer("run", cost.run, 1, INT_MAX);
    json.integer("ended_ns", cost.endedNs, 0, INT64_MAX);
    json.text("transport", cost.transport);
    json.list("segments", cost.segments, kMaxTimes);
}

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
    return JsonMembers::of(calibration);
}

Result<Calibration> calibrationFromJson(const nlohmann::json& json)
{
    return fromMembers<Calibration>(json, "calibration");
}

nlohmann::json toJson(const CalibratedCost& cost)
{
    return JsonMembers::of(cost);
}

Result<CalibratedCost> calibratedCostFromJson(const nlohmann::json& json)
{
    TRY_ASSIGN(CalibratedCost cost, fromMembers<CalibratedCost>(json, "calibration: cost"));
    if (cost.segments.empty())
        return fail(ErrorCode::damaged, Words::tr("calibration: cost: segments: expected one at least."));
    return cost;
}

} // namespace ringside
