// SPDX-License-Identifier: MIT
#include "agent/worker/calibrate/measuresite.h"

#include "agent/worker/calibrate/coldfile.h"
#include "agent/worker/calibrate/gpurates.h"
#include "agent/worker/calibrate/links.h"
#include "agent/worker/collectives/repeat.h"
#include "core/base/text.h"
#include "core/model/costfit.h"

#include <c10/core/ScalarType.h>

namespace ringside {

namespace {

constexpr std::chrono::seconds kLongestRead{10};

class Bench
{
public:
    Bench(Communicator& communicator, LinkGroups groups, const CalibrationPlace& place)
        : m_all(communicator)
        , m_groups(std::move(groups))
        , m_place(place)
    {
        m_found.ranks = communicator.worldSize();
        m_found.nodes = m_groups.nodeCount;
        m_found.coresPerRank = place.coresPerRank;
        m_found.means = place.means;
    }

    Result<std::string> gemm()
    {
        TRY_ASSIGN(m_found.gemmFlops, overRanks(m_all, gemmRate(m_place.longest)));
        return fmt::format("matrix products: {:.1f} GFLOP/s a rank", m_found.gemmFlops.median / 1e9);
    }

    Result<std::string> memory()
    {
        TRY_ASSIGN(m_found.memoryBytes, overRanks(m_all, memoryRate(m_place.longest)));
        return fmt::format("memory: {} a second and rank", humanBytes(bytes(m_found.memoryBytes)));
    }

    /// Rank 0 comes first: where all nodes see one folder, the file it makes serves them all, and they then read at
    /// once.
    Result<std::string> disk()
    {
        if (m_place.folder.empty())
            return std::string("disk: no folder to read in");
        Result<ColdRead> read;
        if (m_all.rank() == 0)
            read = readOnce();
        TRY(m_all.barrier());
        if (m_groups.leads && m_all.rank() != 0)
            read = readOnce();
        TRY_ASSIGN(m_found.diskBytes, overRanks(m_all, read ? read->bytesPerSecond() : 0));
        m_found.diskHow = read ? howRead(*read) : read.error().text();
        return fmt::format("disk: {} a second and node, {}", humanBytes(bytes(m_found.diskBytes)), m_found.diskHow);
    }

    Result<std::string> pictures()
    {
        TRY_ASSIGN(m_found.pictures, overRanks(m_all, pictureRate(m_place.longest)));
        return fmt::format("JPEG: {:.0f} pictures a second and core", m_found.pictures.median);
    }

    Result<std::string> gpuGemm()
    {
        GpuRates& gpu = gpuFound();
        TRY_ASSIGN(gpu.fp32Flops, overRanks(m_all, deviceGemmRate(m_place.device, at::kFloat, false, m_place.longest)));
        TRY_ASSIGN(gpu.tf32Flops, overRanks(m_all, deviceGemmRate(m_place.device, at::kFloat, true, m_place.longest)));
        TRY_ASSIGN(gpu.bf16Flops,
                   overRanks(m_all, deviceGemmRate(m_place.device, at::kBFloat16, false, m_place.longest)));
        const auto teraflops = [](const RankRate& rate) { return rate.median / 1e12; };
        return fmt::format("GPU, matrix products: {:.1f} TFLOP/s a rank, {:.1f} with TF32, {:.1f} with bf16",
                           teraflops(gpu.fp32Flops), teraflops(gpu.tf32Flops), teraflops(gpu.bf16Flops));
    }

    Result<std::string> gpuMemory()
    {
        GpuRates& gpu = gpuFound();
        TRY_ASSIGN(gpu.memoryBytes, overRanks(m_all, deviceMemoryRate(m_place.device, m_place.longest)));
        TRY_ASSIGN(gpu.toDeviceBytes, overRanks(m_all, toDeviceRate(m_place.device, m_place.longest)));
        TRY_ASSIGN(gpu.toHostBytes, overRanks(m_all, toHostRate(m_place.device, m_place.longest)));
        return fmt::format("GPU, memory: {} a second and rank; {} to it, {} from it",
                           humanBytes(bytes(gpu.memoryBytes)), humanBytes(bytes(gpu.toDeviceBytes)),
                           humanBytes(bytes(gpu.toHostBytes)));
    }

    Result<std::string> link(LinkLevel level, LinkOperation operation)
    {
        Communicator& group = groupOf(level);
        const bool takesPart = level != LinkLevel::nodes || m_groups.leads;
        if (!exists(level) || !takesPart || group.worldSize() < 2) {
            TRY(m_all.barrier());
            return fmt::format("{}, {}: there is no such link", nameOf(level), nameOf(operation));
        }
        TRY_ASSIGN(const LinkCost cost, measureLink(group, level, operation, m_place.device, m_place.longest));
        TRY(m_all.barrier());
        m_found.links.push_back(cost);
        return fmt::format("{}, {}: {:.0f} µs for {}, {:.1f} ms for {}, {} pieces within {:.0f} %", nameOf(level),
                           nameOf(operation), cost.times.front().seconds * 1e6, humanBytes(cost.times.front().bytes),
                           cost.times.back().seconds * 1e3, humanBytes(cost.times.back().bytes), cost.segments.size(),
                           model::worstError(cost.segments, cost.times) * 100);
    }

    const Calibration& found() const { return m_found; }

private:
    GpuRates& gpuFound() { return m_found.gpu ? *m_found.gpu : m_found.gpu.emplace(); }

    static std::uint64_t bytes(const RankRate& rate) { return static_cast<std::uint64_t>(rate.median); }

    Result<ColdRead> readOnce() const
    {
        TRY_ASSIGN(const fs::path file, provideColdFile(m_place.folder));
        return readCold(file, kLongestRead);
    }

    static std::string howRead(const ColdRead& read)
    {
        return fmt::format("{} after dropping them from the page cache, {:.0f} % of them from storage",
                           humanBytes(read.bytes), read.fromStorage * 100);
    }

    /// All ranks apart from the nodes they are on; where every node has one, that is the same as `nodes`.
    bool exists(LinkLevel level) const
    {
        switch (level) {
        case LinkLevel::node:
            return m_groups.mostOnNode > 1;
        case LinkLevel::nodes:
            return m_groups.nodeCount > 1;
        case LinkLevel::all:
            break;
        }
        return m_groups.nodeCount > 1 && m_groups.mostOnNode > 1;
    }

    Communicator& groupOf(LinkLevel level)
    {
        if (level == LinkLevel::all)
            return m_all;
        return level == LinkLevel::node ? *m_groups.node : *m_groups.nodes;
    }

    Communicator& m_all;
    LinkGroups m_groups;
    const CalibrationPlace& m_place;
    Calibration m_found;
};

struct Step
{
    Phase phase;
    std::function<Result<std::string>(Bench&)> run;
};

Step linkStep(LinkLevel level, LinkOperation operation)
{
    return {Phase::commExposed, [=](Bench& bench) { return bench.link(level, operation); }};
}

/// Each step is shown as the phase of what it measures. Returns as many as CalibrationMeans::steps.
std::vector<Step> allSteps(bool withGpu)
{
    std::vector<Step> steps = {{Phase::forward, &Bench::gemm},
                               {Phase::h2d, &Bench::memory},
                               {Phase::inputWait, &Bench::disk},
                               {Phase::inputWait, &Bench::pictures},
                               linkStep(LinkLevel::node, LinkOperation::pingPong),
                               linkStep(LinkLevel::node, LinkOperation::allReduce),
                               linkStep(LinkLevel::nodes, LinkOperation::pingPong),
                               linkStep(LinkLevel::nodes, LinkOperation::allReduce),
                               linkStep(LinkLevel::all, LinkOperation::allReduce)};
    if (withGpu)
        steps.insert(steps.end(), {{Phase::forward, &Bench::gpuGemm}, {Phase::h2d, &Bench::gpuMemory}});
    return steps;
}

} // namespace

Result<Calibration> measureSite(Communicator& communicator, const CalibrationPlace& place,
                                const CalibrationProgress& progress)
{
    TRY_ASSIGN(LinkGroups groups, makeLinkGroups(communicator, place.hosts));
    Bench bench(communicator, std::move(groups), place);
    for (const Step& step : allSteps(place.means.withGpu())) {
        TRY(communicator.barrier());
        progress.begin(step.phase);
        TRY_ASSIGN(const std::string line, step.run(bench));
        progress.end(line);
    }
    return bench.found();
}

} // namespace ringside
