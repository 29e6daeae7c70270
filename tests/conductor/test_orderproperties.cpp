// SPDX-License-Identifier: MIT
// Orders in any sequence, with restarts, lost contact, dead runners and clean-ups between them, over the state machine
// and the store. The site is a model of relay and runner: it records which orders it got and what it did.
//   RINGSIDE_ORDER_SEED       the only sequence to play
//   RINGSIDE_ORDER_SEQUENCES  how many (10,000 if not said)
#include "core/base/environment.h"
#include "tests/conductor/modelapp.h"

#include <cstdlib>
#include <unistd.h>

using namespace ringside;
using namespace ringside::campaign;
using namespace ringside::test;

namespace {

/// One experiment from its launch to its end.
class Sequence
{
public:
    Sequence(store::Database& db, store::Ingest& ingest, std::uint64_t seed)
        : m_db(db)
        , m_random(seed)
        , m_name(fmt::format("sequence-{}", seed))
        , m_app(db, ingest, m_site, m_random)
    {
        store::ExperimentEdit edit{m_name, "", "local", 1, "format = 1\n", {{"key", {}, {}}}};
        must(store::saveExperiment(db, edit));
        CampaignPlan plan;
        const int repeats = 1 + static_cast<int>(m_random() % 4);
        for (int repeat = 1; repeat <= repeats; ++repeat)
            plan.runs.push_back(ModelApp::spec(m_runs.emplace_back(idOf<RunId>(m_random)), repeat));
        m_app.add(m_name, std::move(plan));
    }

    void play()
    {
        for (int turn = 0; turn < 14; ++turn) {
            disturb();
            m_app.tick(1 + static_cast<int>(m_random() % 4));
            m_site.step(m_random);
            requireReasons();
        }
        finish();
        requireTruth();
        must(store::deleteExperiment(m_db, m_name));
    }

private:
    void disturb()
    {
        switch (m_random() % 16) {
        case 0:
            return m_app.order(Asked{{Control::Kind::hold}});
        case 1:
            return m_app.order(Asked{{Control::Kind::proceed}});
        case 2:
            return m_app.order(Asked{{Control::Kind::cancelRun, m_runs[m_random() % m_runs.size()]}, 1});
        case 3:
            return m_app.order(Asked{{Control::Kind::cancelWaiting}, 1});
        case 4:
            return m_random() % 2 ? m_app.order(Asked{{Control::Kind::cancel}, 1}) : m_app.launch(m_name, true);
        case 5:
        case 6:
            return m_app.launch(m_name, m_random() % 2 == 0);
        case 7:
            return clean();
        case 8:
            return m_app.load(); // another program with the same store
        case 9:
            return m_app.disconnect();
        case 10:
            return m_site.killRunner();
        default:
            if (!m_app.connected)
                m_app.connect();
        }
    }

    /// As “site clean”: what campaigns have left that have ended, and of which all is stored.
    void clean()
    {
        std::set<RunId> inUse;
        std::set<CampaignId> open;
        for (const store::CampaignRow& row : must(store::campaigns(m_db, true))) {
            open.insert(row.id);
            for (const RunSpec& run : must(planFromJson(row.planJson)).runs)
                inUse.insert(run.id);
        }
        std::erase_if(m_site.folders, [&](const auto& each) { return !inUse.contains(each.first); });
        std::erase_if(m_site.campaigns, [&](const auto& each) { return !open.contains(each.first); });
    }

    /// Whatever does not run says why.
    void requireReasons()
    {
        for (const store::RunRow& row : runsOf(m_db, m_name))
            if (row.state == RunState::queued || row.state == RunState::requeued ||
                (row.state == RunState::unknown && row.attempt == 0))
                REQUIRE_MESSAGE(!row.reason.value_or(Reason()).empty(), nameOf(row.state));
    }

    /// With contact, and nothing held, all of it comes to its end.
    void finish()
    {
        for (int turn = 0; turn < 200 && !m_app.isIdle(); ++turn) {
            if (!m_app.connected)
                m_app.connect();
            if (turn == 5)
                m_app.order(Asked{{Control::Kind::proceed}});
            m_app.tick(100);
            m_site.step(m_random);
        }
        REQUIRE_MESSAGE(m_app.isIdle(), "a campaign is stuck");
        for (const auto& [id, campaign] : m_site.campaigns)
            REQUIRE_MESSAGE(!campaign.runs, "a runner is stuck");
    }

    void requireTruth()
    {
        for (const store::RunRow& row : runsOf(m_db, m_name)) {
            REQUIRE(isFinal(row.state));
            const std::vector<int>& done = m_site.done[row.id];
            REQUIRE(done.size() <= 1);
            REQUIRE((row.state == RunState::done) == !done.empty());
            if (!done.empty())
                REQUIRE(row.attempt == done.front());
        }
        for (const auto& [attempt, stamp] : m_site.samples) {
            const auto stored = must(store::samples(m_db, attempt.first, attempt.second));
            REQUIRE_MESSAGE(stored.size() == 1, "samples are lost");
            REQUIRE(stored.front().sample.startNs == stamp);
        }
    }

    store::Database& m_db;
    Random m_random;
    std::string m_name;
    std::vector<RunId> m_runs;
    ModelSite m_site;
    ModelApp m_app;
};

std::uint64_t numberFrom(const char* variable, std::uint64_t otherwise)
{
    const char* value = environment(variable);
    return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

/// In memory where there is some: thousands of commits that are flushed to a disk take minutes.
fs::path quickFolder(const TemporaryFolder& folder)
{
    const fs::path memory = fs::path("/dev/shm") / folder.path().filename();
    std::error_code problem;
    return fs::create_directory(memory, problem) ? memory : folder.path();
}

} // namespace

TEST_CASE("whatever is asked for in whatever order: no run is stuck, lost or begun twice, and what waits says for what")
{
    const TemporaryFolder folder;
    const fs::path place = quickFolder(folder);
    {
        store::Database db = must(store::Database::openForWriting(place / "lab.db"));
        store::Ingest ingest = must(store::Ingest::create(db));
        const std::uint64_t first = numberFrom("RINGSIDE_ORDER_SEED", 1);
        const std::uint64_t count =
            environment("RINGSIDE_ORDER_SEED") ? 1 : numberFrom("RINGSIDE_ORDER_SEQUENCES", 10'000);
        for (std::uint64_t seed = first; seed < first + count; ++seed) {
            INFO("replay with RINGSIDE_ORDER_SEED=", seed);
            Sequence(db, ingest, seed).play();
        }
    }
    fs::remove_all(place);
}
