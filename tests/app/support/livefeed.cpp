// SPDX-License-Identifier: MIT
#include "tests/app/support/livefeed.h"

namespace ringside::test {

namespace {

constexpr std::chrono::milliseconds kPace{10};
constexpr std::uint32_t kPerBatch = LiveFeed::kSamplesPerSecond / LiveFeed::kRanks * kPace.count() / 1000;
constexpr int kSeconds = 20; // that the run lasts

store::RunRow runOf(const std::string& experiment)
{
    store::RunRow run;
    run.id = RunId::random();
    run.number = 1;
    run.experiment = experiment;
    run.site = "local";
    run.settings = Settings{{"model", Value(std::string("resnet50"))},
                            {"ranks", Value(std::int64_t{LiveFeed::kRanks})},
                            {"plan", Value(std::string("buckets"))}};
    run.attempt = 1;
    run.state = RunState::running;
    run.iterations = LiveFeed::kSamplesPerSecond / LiveFeed::kRanks * kSeconds;
    run.warmup = 50;
    return run;
}

Sample sampleNumber(std::uint32_t seq)
{
    Sample sample;
    sample.seq = seq;
    sample.startNs = std::int64_t{seq} * 400'000;
    sample.phases = {1'000, 1'000, 120'000, 220'000, 40'000, 15'000, 3'000};
    sample.items = 32;
    return sample;
}

} // namespace

LiveFeed::LiveFeed(QtSink& sink, const std::string& experiment)
    : m_sink(sink)
    , m_run(runOf(experiment))
{
    repeatRun();
    m_thread = std::jthread([this](const std::stop_token& stop) { feed(stop); });
}

void LiveFeed::feed(const std::stop_token& stop) const
{
    std::uint32_t seq = 0;
    auto next = std::chrono::steady_clock::now();
    while (!stop.stop_requested()) {
        for (int rank = 0; rank < kRanks; ++rank) {
            SampleBatch batch{m_run.id, 1, rank, {}};
            for (std::uint32_t i = 0; i < kPerBatch; ++i)
                batch.samples.push_back(sampleNumber(seq + i));
            m_sink.samplesArrived(batch);
        }
        seq += kPerBatch;
        std::this_thread::sleep_until(next += kPace);
    }
}

} // namespace ringside::test
