// SPDX-License-Identifier: MIT
// Orders in any sequence over the real conductor, relay and runner, with test workers, while the program is started
// anew, its relay or its runner dies, and the site is cleaned up.
//   RINGSIDE_ORDER_SEED   the only sequence to play
//   RINGSIDE_ORDER_COUNT  how many (4 if not said)
#include "core/base/environment.h"
#include "tests/conductor/conductorfixture.h"
#include "tests/support/runningtime.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>

using namespace ringside;
using namespace ringside::test;

namespace {

using namespace std::chrono_literals;

constexpr int kRepeats = 3;
constexpr int kIterations = 15;

constexpr std::chrono::milliseconds kEnd{120'000};

class Sequence : public ConductorFixture
{
public:
    explicit Sequence(std::uint64_t seed)
        : m_random(seed)
        , m_conductor(open(m_sink))
    {
        must(m_conductor->saveExperiment(experiment("[1]", kRepeats, kIterations)));
        must(m_conductor->launch({"kill"}));
    }

    void play()
    {
        for (int turn = 0; turn < 8; ++turn) {
            disturb();
            std::this_thread::sleep_for(std::chrono::milliseconds(m_random() % 300)); // so that things go on meanwhile
            requireReasons();
        }
        finish();
        requireTruth();
    }

private:
    /// There may be nothing left of what it is about.
    void order(Control::Kind kind, const RunId& run = {})
    {
        const auto given = m_conductor->control({{kind, run}, "kill"});
        if (!given)
            REQUIRE_MESSAGE(given.error().code == ErrorCode::notFound, given.error().text());
    }

    void disturb()
    {
        switch (m_random() % 12) {
        case 0:
            return order(Control::Kind::hold);
        case 1:
            return order(Control::Kind::proceed);
        case 2:
            return order(Control::Kind::cancelRun, runs()[m_random() % kRepeats].id);
        case 3:
            return order(Control::Kind::cancelWaiting);
        case 4:
            return order(Control::Kind::cancel);
        case 5:
        case 6:
            return launch();
        case 7:
            return clean();
        case 8:
            return reopen();
        case 9:
            return end("relay");
        case 10:
            return end("run\t");
        default:
            return;
        }
    }

    void launch()
    {
        LaunchRequest request{"kill"};
        request.retryFailed = m_random() % 2 == 0;
        (void)m_conductor->launch(request); // contact may be lost just now: what is kept goes on by itself
    }

    void reopen()
    {
        m_conductor.reset();
        m_conductor = open(m_sink);
    }

    void end(const std::string& program)
    {
        for (const int pid : processes("ringside-agent\t" + program))
            ::kill(pid, SIGKILL);
    }

    /// By the conductor, as “site clean” does it.
    void clean()
    {
        const auto installed = m_conductor->listInstalled("local");
        if (!installed)
            return; // contact was lost just now
        std::vector<wire::Item> items;
        for (const wire::InstalledItem& item : *installed)
            if (!item.inUse && (item.item.kind == wire::ItemKind::run || item.item.kind == wire::ItemKind::campaign))
                items.push_back(item.item);
        (void)m_conductor->removeInstalled("local", items);
    }

    void requireReasons()
    {
        for (const store::RunRow& row : runs())
            if (row.state == RunState::queued || row.state == RunState::requeued ||
                (row.state == RunState::unknown && row.attempt == 0))
                REQUIRE_MESSAGE(!row.reason.value_or(Reason()).empty(), nameOf(row.state));
    }

    void finish()
    {
        order(Control::Kind::proceed);
        REQUIRE_MESSAGE(eventually(kEnd, [&] { return must(store::campaigns(reader(), true)).empty(); }),
                        "a campaign is stuck");
        REQUIRE_MESSAGE(eventually(kEnd, [&] { return processes("ringside-agent\trun\t").empty(); }),
                        "a runner is stuck");
        must(m_conductor->collect());
    }

    /// Every run has an end, what was done was done once, and all of it is stored.
    void requireTruth()
    {
        for (const store::RunRow& row : runs()) {
            REQUIRE(isFinal(row.state));
            int done = 0;
            for (const store::AttemptRow& attempt : must(store::attempts(reader(), row.id)))
                done += attempt.state == RunState::done ? 1 : 0;
            REQUIRE(done == (row.state == RunState::done ? 1 : 0));
            if (row.state == RunState::done)
                REQUIRE(row.samples == kIterations);
        }
    }

    std::mt19937_64 m_random;
    RecordingSink m_sink;
    std::unique_ptr<WaitingConductor> m_conductor;
};

std::uint64_t numberFrom(const char* variable, std::uint64_t otherwise)
{
    const char* value = environment(variable);
    return value ? std::strtoull(value, nullptr, 10) : otherwise;
}

} // namespace

TEST_CASE(
    "orders in any sequence over real programs: no run is stuck, lost or begun twice, and what waits says for what")
{
    const std::uint64_t first = numberFrom("RINGSIDE_ORDER_SEED", 1);
    const std::uint64_t count = environment("RINGSIDE_ORDER_SEED") ? 1 : numberFrom("RINGSIDE_ORDER_COUNT", 4);
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        INFO("replay with RINGSIDE_ORDER_SEED=", seed);
        Sequence(seed).play();
    }
}
