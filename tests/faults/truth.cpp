// SPDX-License-Identifier: MIT
#include "tests/faults/truth.h"

#include "tests/conductor/conductorfixture.h"

#include <algorithm>

namespace ringside::test {

using std::chrono::milliseconds;

namespace {

using AttemptKey = std::pair<RunId, int>;
struct End
{
    RunState state;
    Cause cause;
    bool operator==(const End&) const = default;
};

std::string words(const AttemptKey& attempt, const End& end)
{
    return fmt::format("{} attempt {}: {} {}\n", attempt.first.str(), attempt.second, nameOf(end.state),
                       nameOf(end.cause));
}

/// Returns the ends that the runners wrote, of all campaigns.
std::map<AttemptKey, End> journalled(const App& app)
{
    std::map<AttemptKey, End> ends;
    for (const auto& campaign : fs::directory_iterator(app.root() / "campaigns")) {
        const auto bytes = readFile(layout::journalFile(campaign));
        JournalReader reader;
        if (bytes)
            must(reader.feed(*bytes, [&](const JournalEvent& event) {
                if (event.kind != JournalKind::attemptEnded || event.attempt == 0)
                    return;
                const bool isFirst =
                    ends.emplace(AttemptKey(*event.run, event.attempt), End{event.state, event.cause}).second;
                CHECK_MESSAGE(isFirst, "an attempt ended twice");
            }));
    }
    return ends;
}

std::map<AttemptKey, End> stored(const App& app)
{
    const auto db = must(store::Database::openForReading(app.store()));
    std::map<AttemptKey, End> ends;
    for (const store::RunRow& run : must(store::runs(db)))
        for (const store::AttemptRow& attempt : must(store::attempts(db, run.id)))
            ends.emplace(AttemptKey(run.id, attempt.attempt), End{attempt.state, attempt.cause});
    return ends;
}

std::string text(const std::map<AttemptKey, End>& ends)
{
    std::string all;
    for (const auto& [attempt, end] : ends)
        all += words(attempt, end);
    return all;
}

} // namespace

std::vector<store::RunRow> storedRuns(const App& app)
{
    const auto db = store::Database::openForReading(app.store());
    return db ? store::runs(*db).value_or(std::vector<store::RunRow>{}) : std::vector<store::RunRow>{};
}

bool allDone(const App& app)
{
    const auto runs = storedRuns(app);
    return runs.size() == App::kRuns &&
           std::ranges::all_of(runs, [](const store::RunRow& run) { return run.state == RunState::done; });
}

void DoneRuns::look(const App& app)
{
    for (const store::RunRow& run : storedRuns(app)) {
        const auto known = m_attempts.find(run.id);
        if (known != m_attempts.end())
            CHECK(run.attempt == known->second);
        if (run.state == RunState::done)
            m_attempts.emplace(run.id, run.attempt);
    }
}

void requireTrueStates(const App& app)
{
    const auto known = stored(app);
    auto ends = journalled(app);
    for (const auto& attempt : known) // a runner that died without a successor wrote no end
        if (attempt.second == End{RunState::failed, Cause::runnerLost})
            ends.insert(attempt);
    const std::string inStore = text(known), inJournals = text(ends);
    CHECK_MESSAGE(inStore == inJournals, "store:\n" << inStore << "journals:\n" << inJournals);
    const auto db = must(store::Database::openForReading(app.store()));
    for (const store::RunRow& run : storedRuns(app)) {
        CHECK(!fs::exists(layout::attemptFolder(app.root(), run.id, run.attempt + 1)));
        const auto samples = must(store::samples(db, run.id, run.attempt));
        const auto ranks = static_cast<std::size_t>(integerOf(run.settings, "ranks").value_or(0));
        CHECK(samples.size() == ranks * App::kIterations);
    }
}

void requireNothingLeft(const DemoCluster& cluster)
{
    std::string left;
    const bool isClear = eventually(milliseconds(60'000), [&] {
        left.clear();
        for (const char* host : {"login", "n1", "n2", "n3"})
            left += cluster.on(host, {"pgrep", "-u", "ringside-demo", "-a"});
        return left.empty();
    });
    CHECK_MESSAGE(isClear, left);
    CHECK(eventually(milliseconds(60'000), [&] {
        return std::ranges::all_of(cluster.jobs(), [](const auto& job) { return isOver(job.state); });
    }));
}

} // namespace ringside::test
