// SPDX-License-Identifier: MIT
#include "core/jobs/script.h"
#include "core/protocol/layout.h"
#include "tests/support/temporaryfolder.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <sys/stat.h>

using namespace ringside;

namespace {

CampaignPlan planOf(std::vector<int> ranks)
{
    CampaignPlan plan;
    plan.campaign = CampaignId::random();
    plan.experiment = "it's a test\nrm -rf /";
    plan.worker = "/opt/ringside worker";
    for (const int count : ranks) {
        RunSpec run;
        run.id = RunId::random();
        run.settings["ranks"] = std::int64_t{count};
        plan.runs.push_back(run);
    }
    return plan;
}

bool contains(const std::vector<std::string>& words, const std::string& word)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

} // namespace

TEST_CASE("one rank is started directly, several below mpirun, with the same worker")
{
    const auto plan = planOf({1, 4});
    const jobs::SitePaths paths{"/root of it", "/bin/ringside-agent"};
    const jobs::AttemptPlace place{3, "/tmp/x", "/dev/shm/x"};
    const auto one = jobs::attemptCommand(plan, plan.runs[0], paths, place);
    const auto four = jobs::attemptCommand(plan, plan.runs[1], paths, place);
    CHECK(one.arguments.front() == "/bin/ringside-agent");
    CHECK(four.arguments.front() == "mpirun");
    for (const char* word : {"--oversubscribe", "none", "ob1", "self,vader,tcp", "/dev/shm/x", "4"})
        CHECK(contains(four.arguments, word));
    CHECK(four.environment.at("OMPI_ALLOW_RUN_AS_ROOT") == "1");
    CHECK(four.environment.at("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM") == "1");
    CHECK(four.environment.at("TMPDIR") == "/tmp/x");
    CHECK(four.environment.at("RINGSIDE_ATTEMPT") == layout::attemptFolder("/root of it", plan.runs[1].id, 3));
    for (const auto& command : {one, four}) {
        CHECK(contains(command.arguments, "/opt/ringside worker"));
        CHECK(contains(command.arguments, "train"));
    }
}

TEST_CASE("the script is valid sh, and running it starts every rank with its words intact")
{
    test::TemporaryFolder folder;
    const fs::path agent = folder / "the agent"; // stands in for ringside-agent: writes down how it was called
    REQUIRE(writeFileAtomically(
        agent, "#!/bin/sh\nfor word; do printf '%s|' \"$word\"; done >> \"$0.log\"\necho \"$TMPDIR\" >> \"$0.log\"\n"));
    ::chmod(agent.c_str(), 0700);
    const auto plan = planOf({1, 1});
    const std::string script = jobs::localScript(plan, {folder.path(), agent});
    CHECK(script.find("\n# it's a test rm -rf /: 2 runs") != std::string::npos);
    REQUIRE(writeFileAtomically(folder / "script", script));
    REQUIRE(std::system(("sh " + (folder / "script").string()).c_str()) == 0);
    const auto log = readFile(agent.string() + ".log");
    REQUIRE(log);
    for (const auto& run : plan.runs) {
        jobs::AttemptPlace place;
        place.temporaryFolder = "/tmp/ringside-" + run.id.str().substr(0, 8) + "-1";
        std::string expected;
        const auto command = jobs::attemptCommand(plan, run, {folder.path(), agent}, place);
        for (std::size_t i = 1; i < command.arguments.size(); ++i)
            expected += command.arguments[i] + "|";
        CHECK(log->find(expected + place.temporaryFolder.string()) != std::string::npos);
        CHECK_FALSE(fs::exists(place.temporaryFolder));
        CHECK(fs::exists(layout::attemptFolder(folder.path(), run.id, 1)));
    }
}
