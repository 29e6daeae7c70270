// SPDX-License-Identifier: MIT
#include "agent/worker/train/trainreport.h"

#include "agent/rank/cores.h"
#include "agent/rank/machinefacts.h"
#include "agent/worker/device/eventcost.h"
#include "agent/worker/timing/stampcost.h"
#include "agent/worker/train/features.h"
#include "core/base/networklinks.h"
#include "core/base/retrywhilediskfull.h"
#include "core/base/say.h"
#include "core/base/text.h"
#include "core/protocol/facts.h"
#include "core/protocol/layout.h"
#include "core/protocol/levels.h"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace ringside {

namespace {

constexpr std::size_t kRankFactBytes = 1280; // ranks exchange their facts in pieces of one size
constexpr std::size_t kLongestFact = 200;

/// Facts that others know only from the rank itself, a line each, as text of a fixed length.
std::string describeRank(const Rank& rank)
{
    std::string text;
    for (const std::string& line : {machineFacts()["host"], rank.device(), affinityList(),
                                    std::to_string(rank.cores().size()), placeOf(rank.cores()), networkLinks()})
        text += line.substr(0, kLongestFact) + "\n";
    text.resize(kRankFactBytes, '\0');
    return text;
}

RankFacts rankFacts(int rank, const std::string& text)
{
    std::istringstream lines(text);
    const auto line = [&lines] {
        std::string content;
        std::getline(lines, content);
        return content;
    };
    RankFacts facts{rank, line(), line(), line()};
    facts.threads = std::atoi(line().c_str());
    facts.place = line();
    facts.links = line();
    return facts;
}

/// Facts of all processes, servers behind the ranks that train.
Result<std::vector<RankFacts>> gatherRanks(Rank& rank)
{
    TRY_ASSIGN(const auto all, allGather(rank.world(), describeRank(rank)));
    std::vector<RankFacts> ranks;
    for (std::size_t at = 0; at < all.size(); at += kRankFactBytes)
        ranks.push_back(rankFacts(static_cast<int>(ranks.size()), all.substr(at, kRankFactBytes)));
    return ranks;
}

std::map<std::string, std::string> factsOf(const TrainSettings& settings, Model& model)
{
    std::map<std::string, std::string> facts = {{"name", std::string(settings.model->name)},
                                                {"parameters", std::to_string(model.parameterCount())},
                                                {"tensors", std::to_string(model.parameters().size())},
                                                {"gradient_bytes", std::to_string(model.gradientBytes())},
                                                {"compute", std::string(kComputes[settings.pacedLayer.has_value()])}};
    if (!settings.pacedLayer) {
        const Work work = model.workPerItem(settings.itemSize());
        facts[kForwardFlopsPerImage] = std::to_string(work.forward);
        facts[kFlopsPerImage] = std::to_string(work.total());
    }
    return facts;
}

std::string ranksText(int ranks)
{
    return ranks == 1 ? "1 rank" : fmt::format("each of {} ranks", ranks);
}

std::string coresText(std::size_t cores)
{
    return cores == 1 ? "1 core" : fmt::format("{} cores", cores);
}

std::string describeRun(const TrainSettings& settings, const Model& model, Rank& rank)
{
    return fmt::format("run {}: {}, {} parameters, batch {} on {}, {}, {}, {}, plan {}, {} per rank{}",
                       settings.run.number, settings.model->name, model.parameterCount(), settings.batch,
                       ranksText(rank.communicator().worldSize()), itemsText(settings), nameOf(settings.precision),
                       kLayouts[settings.channelsLast], settings.run.plan.name, coresText(rank.cores().size()),
                       isOnGpu(settings) ? ", on " + rank.device() : std::string());
}

std::string costOfMeasuring(const TrainSettings& settings, Rank& rank)
{
    const auto iterations = std::max<std::uint32_t>(rank.clock().seq(), 1);
    const auto stamps = static_cast<double>(rank.clock().stamps()) / iterations;
    const auto nsPerEvent = isOnGpu(settings) ? std::optional(measureNsPerEvent(settings.device)) : std::nullopt;
    return describeMeasuring(stamps, measureStampCost().nsPerStamp, nsPerEvent);
}

/// While anything was on its way: units that go to servers, or that a GPU has queued, do so beside each other.
std::int64_t coveredNs(std::vector<BucketTiming> timings)
{
    std::ranges::sort(timings, {}, &BucketTiming::startNs);
    std::int64_t covered = 0, untilNs = 0;
    for (const auto& timing : timings) {
        const std::int64_t endNs = timing.startNs + timing.lengthNs;
        covered += std::max<std::int64_t>(0, endNs - std::max(timing.startNs, untilNs));
        untilNs = std::max(untilNs, endNs);
    }
    return covered;
}

} // namespace

Sample sampleOf(const PhaseClock::Iteration& iteration, const Batch& batch, const std::vector<BucketTiming>& timings,
                float loss)
{
    Sample sample;
    sample.seq = iteration.seq;
    sample.startNs = iteration.startNs;
    sample.phases = iteration.phases;
    sample.readNs = batch.readNs;
    sample.decodeNs = batch.decodeNs;
    sample.h2dTotalNs = iteration.phases[static_cast<std::size_t>(Phase::h2d)];
    sample.commTotalNs = coveredNs(timings);
    for (const auto& timing : timings)
        sample.bytesSent += timing.bytes;
    sample.items = static_cast<std::uint32_t>(batch.n);
    sample.badItems = batch.badItems;
    sample.loss = loss;
    return sample;
}

BucketTimings bucketTimingsOf(const PhaseClock::Iteration& iteration, const std::vector<BucketTiming>& timings)
{
    BucketTimings relative{iteration.seq, timings};
    for (auto& timing : relative.buckets)
        timing.startNs -= iteration.startNs;
    return relative;
}

Result<Facts> gatherFacts(Rank& rank, std::uint64_t seed)
{
    Facts facts;
    TRY_ASSIGN(facts.ranks, gatherRanks(rank));
    facts.versions = versionFacts();
    facts.versions.merge(engineVersions());
    facts.machine = machineFacts();
    facts.environment = environmentFacts();
    facts.transport = rank.communicator().transport();
    facts.seed = seed;
    return facts;
}

Result<void> writeFacts(const TrainSettings& settings, const Facts& facts)
{
    return retryWhileDiskFull(kDiskFullPatience, [&] {
        return writeFileAtomically(layout::factsFile(settings.attempt), factsToJson(facts));
    });
}

Result<void> reportStart(const TrainSettings& settings, Model& model, const BatchSource& data, Rank& rank,
                         const std::map<std::string, std::string>& planFacts, Facts facts)
{
    facts.data = data.facts();
    facts.model = factsOf(settings, model);
    facts.model.insert(planFacts.begin(), planFacts.end());
    for (const Layer& layer : model.layers())
        facts.layers.push_back({layer.name, static_cast<std::uint64_t>(model.gradientBytes(layer))});
    TRY(writeFacts(settings, facts));
    sayLine(describeRun(settings, model, rank));
    for (const auto& [name, fact] : planFacts)
        say("{}: {}", name, fact);
    return {};
}

Result<void> reportServer(Rank& rank)
{
    TRY(gatherRanks(rank));
    return {};
}

void reportEnd(const TrainSettings& settings, Rank& rank, const Outcome<int>& outcome, std::uint32_t votedAfter,
               std::int64_t elapsedNs)
{
    if (outcome && rank.isFirst())
        say("{} of {} iterations in {:.6f} s\n{}", rank.clock().seq(), settings.run.iterations,
            static_cast<double>(elapsedNs) / 1e9, costOfMeasuring(settings, rank));
    if (outcome && *outcome == exitcode::kNotANumber) // the last line of each log: the reason of the attempt
        sayError("The loss is not a number after iteration {}. Lower learning_rate.", votedAfter);
}

} // namespace ringside
