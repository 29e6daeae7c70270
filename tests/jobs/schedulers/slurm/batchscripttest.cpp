// SPDX-License-Identifier: MIT
#include "core/jobs/schedulers/slurm/slurm.h"

#include "core/jobs/jobreport.h"
#include "core/protocol/layout.h"
#include "tests/support/temporaryfolder.h"

#include <cstdlib>
#include <doctest/doctest.h>
#include <random>
#include <sstream>
#include <sys/stat.h>

using namespace ringside;
using namespace ringside::slurm;
using namespace ringside::jobs;

namespace {

CampaignPlan planOf(const std::string& experiment)
{
    CampaignPlan plan;
    plan.campaign = *CampaignId::parse("cccccccc-cccc-4ccc-8ccc-cccccccccccc");
    plan.experiment = experiment;
    return plan;
}

std::vector<std::string> linesOf(const std::string& text)
{
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

/// The agent's stand-in writes down its arguments and two variables, each ended by a bar.
fs::path makeAgent(const fs::path& folder)
{
    const fs::path agent = folder / "agent";
    REQUIRE(writeFileAtomically(agent,
                                "#!/bin/sh\nfor word in \"$@\" \"$FIRST\" \"$SECOND\"; do printf '%s|' \"$word\"; "
                                "done > \"$0.log\"\n"));
    ::chmod(agent.c_str(), 0700);
    return agent;
}

std::string nastyText(std::mt19937& random)
{
    const std::string alphabet = "ab'\"$`!*?[]{}()<>|&;#~=%^ -äß";
    std::string text;
    for (std::size_t length = 1 + random() % 20; text.size() < length;)
        text += alphabet[random() % alphabet.size()];
    return text;
}

} // namespace

TEST_CASE("the script says everything that was chosen, and nothing else")
{
    JobSettings settings;
    settings.partition = "gpu";
    settings.account = "lab";
    settings.qos = "normal";
    settings.timeLimitSeconds = 90'061;
    settings.nodes = 3;
    settings.ranksPerNode = 2;
    settings.coresPerRank = 8;
    settings.gpusPerNode = 2;
    settings.gpuType = "h200";
    settings.exclusive = true;
    settings.constraint = "rack1|rack2";
    settings.memory = "16G";
    settings.extraLines = {"--reservation=course"};
    const auto script = kSlurm.script(planOf("first light"), {"/home/me/100% ours", "/home/me/bin/ringside-agent"},
                                      settings, {{"openmpi/4.1"}, {"/opt/it's/setup.sh"}, {{"OMP_NUM_THREADS", "8"}}});
    REQUIRE(script);
    CHECK(*script == R"(#!/bin/bash -l
#SBATCH --job-name=first-light
#SBATCH --comment=ringside:cccccccc-cccc-4ccc-8ccc-cccccccccccc
#SBATCH --output="/home/me/100%% ours/campaigns/cccccccc-cccc-4ccc-8ccc-cccccccccccc/runner.log"
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@30
#SBATCH --partition=gpu
#SBATCH --account=lab
#SBATCH --qos=normal
#SBATCH --constraint=rack1|rack2
#SBATCH --gres=gpu:h200:2
#SBATCH --time=1-01:02:00
#SBATCH --nodes=3
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=8
#SBATCH --mem=16G
#SBATCH --exclusive
#SBATCH --reservation=course
umask 077
. '/opt/it'\''s/setup.sh' || exit 69
module load openmpi/4.1 || exit 69
export OMP_NUM_THREADS=8
exec /home/me/bin/ringside-agent run '/home/me/100% ours/campaigns/cccccccc-cccc-4ccc-8ccc-cccccccccccc'
)");
}

TEST_CASE("without choices the cluster's defaults hold")
{
    const auto script = kSlurm.script(planOf(""), {"/r", "/a"}, {}, {});
    REQUIRE(script);
    CHECK(script->starts_with("#!/bin/sh\n#SBATCH --job-name=ringside\n"));
    for (const char* option : {"--partition", "--account", "--qos", "--gres", "--mem", "--constraint", "--exclusive"})
        CHECK(script->find(option) == std::string::npos);
}

TEST_CASE("whatever people call things, the shell passes it on as it is and runs nothing else")
{
    std::mt19937 random(11);
    for (int round = 0; round < 30; ++round) {
        const test::TemporaryFolder folder;
        const fs::path root = folder / nastyText(random);
        const fs::path agent = makeAgent(folder.path());
        const std::map<std::string, std::string> variables{{"FIRST", nastyText(random)}, {"SECOND", nastyText(random)}};
        CAPTURE(root);
        const auto plan = planOf(nastyText(random) + "\nrm -rf /");
        const auto script = kSlurm.script(plan, {root, agent}, {}, {{}, {}, variables});
        REQUIRE(script);
        REQUIRE(writeFileAtomically(folder / "script", *script));
        REQUIRE(std::system(("sh " + (folder / "script").string()).c_str()) == 0);
        CHECK(readFile(agent.string() + ".log") == "run|" + layout::campaignFolder(root, plan.campaign).string() + "|" +
                                                       variables.at("FIRST") + "|" + variables.at("SECOND") + "|");
        for (const auto& line : linesOf(*script))
            CHECK((line.starts_with("#") || line.starts_with("umask ") || line.starts_with("export ") ||
                   line.starts_with("exec ")));
    }
}

TEST_CASE("what cannot be said to Slurm or to a shell is refused with the field's name")
{
    const auto refusal = [](const JobSettings& settings, const Surroundings& surroundings,
                            const fs::path& root = "/r") {
        const auto script = kSlurm.script(planOf("x"), {root, "/a"}, settings, surroundings);
        REQUIRE_FALSE(script);
        CHECK(script.error().code == ErrorCode::usage);
        return script.error().message.substr(0, script.error().message.find(':'));
    };
    JobSettings settings;
    settings.qos = "a b";
    CHECK(refusal(settings, {}) == "qos");
    CHECK(refusal({}, {{"-x"}, {}, {}}) == "modules");
    CHECK(refusal({}, {{"a\nb"}, {}, {}}) == "modules");
    CHECK(refusal({}, {{}, {"setup.sh"}, {}}) == "sourced_files");
    CHECK(refusal({}, {{}, {}, {{"A B", "x"}}}) == "variables");
    CHECK(refusal({}, {{}, {}, {{"A", "x\ny"}}}) == "variables");
    CHECK(refusal({}, {}, "relative") == "root");
    CHECK(refusal({}, {}, "/a\nb") == "root");
    CHECK(refusal({}, {}, "/a\\b") == "root");
}

TEST_CASE("a job is known by its comment")
{
    const auto id = CampaignId::random();
    CHECK(campaignOf(tagOf(id)) == id);
    for (const char* other : {"", "ringside:", "ringside:../../x", "mine"})
        CHECK_FALSE(campaignOf(other));
}
