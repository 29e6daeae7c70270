// SPDX-License-Identifier: MIT
// Frames to durable rows: what a relay sends, through frame reader, spool reader and ingest into a SQLite file.
#include "core/store/ingest.h"
#include "core/base/clock.h"
#include "core/conductor/campaignfiles.h"
#include "core/protocol/layout.h"
#include "core/store/edits.h"
#include "core/store/queries.h"
#include "core/wire/frames.h"
#include "tests/support/addcampaign.h"
#include "tests/support/temporaryfolder.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

using namespace ringside;

namespace {

constexpr int kRanks = 8;
constexpr std::uint32_t kIterations = 50'000; // per rank: 400,000 samples
constexpr int kTries = 5;
constexpr std::size_t kIterationsPerBlock = 200; // of one rank within a flush interval, at 1,000 iterations a second

template <class T> T must(Result<T> result)
{
    if (!result) {
        fmt::print(stderr, "{}\n", result.error().text());
        std::exit(1);
    }
    return std::move(*result);
}

void must(Result<void> result)
{
    if (!result) {
        fmt::print(stderr, "{}\n", result.error().text());
        std::exit(1);
    }
}

Sample sampleNumber(std::uint32_t seq, int rank)
{
    Sample sample;
    sample.seq = seq;
    sample.startNs = std::int64_t{seq} * 1'000'000 + rank;
    for (std::size_t phase = 0; phase < kPhaseCount; ++phase)
        sample.phases[phase] = 120'000 + 37 * ((seq * 31 + phase) % 1'009);
    sample.commTotalNs = 90'000 + seq % 977;
    sample.bytesSent = 102'228'128;
    sample.items = 32;
    sample.loss = 6.9F;
    return sample;
}

/// The spools of all ranks as the frames that a relay would send, one per block.
std::vector<std::string> makeFrames(const CampaignPlan& plan)
{
    std::vector<std::string> frames;
    wire::FrameWriter writer;
    std::vector<std::uint64_t> offsets(kRanks, 0);
    std::vector<FileId> files;
    for (int rank = 0; rank < kRanks; ++rank)
        files.push_back(FileId::random());
    const auto send = [&](int rank, std::string bytes) {
        wire::FileChunk chunk{plan.campaign,
                              plan.runs[0].id,
                              1,
                              wire::FileKind::spool,
                              rank,
                              fmt::format("rank-{}.spool", rank),
                              files[std::size_t(rank)].str(),
                              offsets[std::size_t(rank)],
                              std::move(bytes),
                              true};
        offsets[std::size_t(rank)] += chunk.bytes.size();
        frames.push_back(must(writer.write(chunk)));
    };
    for (int rank = 0; rank < kRanks; ++rank)
        send(rank, SpoolEncoder::encodeHeader({files[std::size_t(rank)], plan.runs[0].id, 1, std::uint32_t(rank),
                                               kRanks, "host", kIterations, 5}));
    for (std::uint32_t first = 0; first < kIterations; first += kIterationsPerBlock)
        for (int rank = 0; rank < kRanks; ++rank) {
            SpoolEncoder block;
            for (std::uint32_t seq = first; seq < first + kIterationsPerBlock; ++seq)
                block.add(sampleNumber(seq, rank));
            send(rank, block.takeBlock());
        }
    return frames;
}

CampaignPlan makePlan(store::Database& db)
{
    const Settings settings{{"model", Value(std::string("lenet"))}, {"ranks", Value(std::int64_t{kRanks})}};
    must(store::saveExperiment(db, {"bench", "", "local", 1, "format = 1\n", {{"key", settings, {}}}}));
    CampaignPlan plan;
    plan.campaign = CampaignId::random();
    plan.store = db.id();
    plan.experiment = "bench";
    plan.site = "local";
    plan.worker = "/bin/true";
    plan.dataFolder = "/tmp";
    plan.runs = {{RunId::random(), 0, RunKind::run, "key", 1, settings, {}, int(kIterations), 5, 1}};
    must(test::addCampaign(db, plan));
    return plan;
}

struct Try
{
    double samplesPerSecond = 0;
    std::int64_t lost = 0;
};

Try ingestOnce()
{
    const test::TemporaryFolder folder;
    store::Database db = must(store::Database::openForWriting(folder / "bench.db"));
    const CampaignPlan plan = makePlan(db);
    const std::vector<std::string> frames = makeFrames(plan);
    store::Ingest ingest = must(store::Ingest::create(db));
    CampaignFiles files(plan.campaign);
    wire::FrameReader reader;
    std::vector<store::Arrival> arrivals;
    std::int64_t stored = 0;
    const std::int64_t began = monotonicNs();
    for (std::size_t i = 0; i < frames.size(); ++i) {
        must(reader.feed(frames[i], [&](wire::Message&& message) {
            ChunkContent content = files.read(std::get<wire::FileChunk>(message));
            std::move(content.arrivals.begin(), content.arrivals.end(), std::back_inserter(arrivals));
        }));
        if ((i + 1) % kRanks == 0) { // a drain per flush interval of all ranks
            stored += must(ingest.drain(arrivals));
            arrivals.clear();
        }
    }
    stored += must(ingest.drain(arrivals));
    const double seconds = static_cast<double>(monotonicNs() - began) / 1e9;
    return {static_cast<double>(stored) / seconds, std::int64_t{kIterations} * kRanks - stored};
}

} // namespace

int main()
{
    std::vector<double> rates;
    std::int64_t lost = 0;
    for (int i = 0; i < kTries; ++i) {
        const Try result = ingestOnce();
        rates.push_back(result.samplesPerSecond);
        lost += result.lost;
    }
    std::sort(rates.begin(), rates.end());
    fmt::print("ingest.frames_to_rows {:.0f} samples/s 400000  # {:.0f} to {:.0f}, {} tries of {} samples, {} lost\n",
               rates[kTries / 2], rates.front(), rates.back(), kTries, kIterations * kRanks, lost);
    return lost == 0 ? 0 : 1;
}
