// SPDX-License-Identifier: MIT
// A site that went silent while it has runs: what is said and done about others.
#include "tests/cli/sitesfixture.h"
#include "tests/remote/ssh/commands.h"

#include <chrono>
#include <csignal>
#include <thread>

using namespace ringside;
using namespace ringside::test;
using namespace std::chrono_literals;

namespace {

struct TwoSitesFixture : AlderFixture
{
    /// Detached once the first run has begun. It ends only if it is cancelled.
    void leaveRunning() const
    {
        const auto far = start({"run", endless(), "--site", "alder"});
        for (int tries = 0; tries < 600 && count("far", "running") == 0; ++tries)
            std::this_thread::sleep_for(50ms);
        REQUIRE(count("far", "running") == 1);
        far->signal(SIGINT);
        REQUIRE(far->wait().code == 130);
    }
    std::string endless() const { return experiment("far", "ranks = [1]", 1, 1'000'000); }
    /// A site that cannot be reached: no server listens at port 1 of this computer.
    void silence(const std::string& name) const
    {
        write("config/ringside/sites/" + name + ".toml",
              fmt::format("format = 1\nname = \"{}\"\nhost = \"127.0.0.1\"\nport = 1\nroot = \"{}\"\n", name,
                          (folder / "there").string()));
    }
};

} // namespace

TEST_CASE_FIXTURE(TwoSitesFixture,
                  "a silent site ends no command about another, and is not forgotten while it has runs")
{
    REQUIRE_SSHD(sshd);
    leaveRunning();
    silence("alder");
    const Ended here = run({"run", experiment("near", "ranks = [1]", 1, 400), "--contact-limit", "1"});
    CAPTURE(here.err);
    CHECK(here.code == 0);
    CHECK_FALSE(here.says("Retrying for"));
    CHECK(count("near", "done") == 1);

    silence("beech");
    const Ended there = run({"run", endless(), "--site", "beech", "--json"});
    CAPTURE(there.err);
    CHECK(there.code == 69);
    CHECK(there.out.empty());

    const Ended refused = run({"site", "remove", "alder"});
    CHECK(refused.code == 75);
    CHECK(refused.says("Runs of “far” on alder have not ended."));
    CHECK(refused.says("ringside-cli cancel --experiment far"));
    describe(testProgram("testworker"));
    const Ended cancelled = run({"cancel", "far"});
    CAPTURE(cancelled.err);
    REQUIRE(cancelled.code == 0);
    for (int tries = 0; tries < 100 && run({"site", "remove", "alder"}).code == 75; ++tries)
        CHECK(run({"collect"}).code == 0);
    CHECK_FALSE(fs::exists(file("alder")));
}

TEST_CASE_FIXTURE(TwoSitesFixture, "collect says what another site has lost although one is silent")
{
    REQUIRE_SSHD(sshd);
    leaveRunning();
    silence("alder");
    const auto near = start({"run", experiment("near", "ranks = [1]", 1, 600)});
    for (int tries = 0; tries < 600 && count("near", "running") == 0; ++tries)
        std::this_thread::sleep_for(50ms);
    near->signal(SIGINT);
    REQUIRE(near->wait().code == 130);
    for (int tries = 0; tries < 600 && !hasRunnerEnded(); ++tries)
        std::this_thread::sleep_for(50ms);
    fs::remove_all(folder / "data/ringside/runs");
    const Ended collected = run({"collect", "--json"});
    CAPTURE(collected.err);
    CHECK(collected.code == 69);
    CHECK(collected.says("samples of 1 run are gone"));
    CHECK(collected.json().size() == 2);
}

TEST_CASE_FIXTURE(AlderFixture, "Ctrl+C while a site is made ready launches nothing, and says so")
{
    REQUIRE_SSHD(sshd);
    const std::string asked = (folder / "asked").string();
    const std::string slow = write("slow-worker", "#!/bin/sh\ntouch " + asked + "\nwhile :; do sleep 0.1; done\n");
    fs::permissions(slow, fs::perms::owner_all);
    describe(slow);
    const auto far = start({"run", experiment("far", "ranks = [1]", 1, 8), "--site", "alder", "--json"});
    for (int tries = 0; tries < 600 && !fs::exists(asked); ++tries)
        std::this_thread::sleep_for(50ms);
    REQUIRE(fs::exists(asked));
    far->signal(SIGINT);
    const Ended ended = far->wait();
    CAPTURE(ended.err);
    CHECK(ended.code == 3);
    CHECK(ended.says("Stopped; nothing was launched."));
    CHECK_FALSE(ended.says("Detached"));
    CHECK(ended.out.empty());
    CHECK(run({"runs", "--json"}).json().empty());
}
