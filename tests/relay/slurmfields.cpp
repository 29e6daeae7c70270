// SPDX-License-Identifier: MIT
// Texts that people type go through a real sbatch and srun unchanged, whatever login shell the account has.
#include "core/base/environment.h"
#include "core/jobs/schedulers/slurm/slurm.h"
#include "tests/relay/democluster.h"
#include "tests/support/nastytext.h"

using namespace ringside;
using namespace ringside::test;

namespace {

constexpr std::chrono::milliseconds kJobLimit{120'000};
/// Without spaces, quotes and backslashes, which are refused: all of it is one word of an #SBATCH line.
const std::string kJobName = "$(touch${IFS}pwned)`touch${IFS}pwned`;touch${IFS}pwned|tee${IFS}pwned>pwned";

/// sbatch has its own idea of a backslash in a path: such roots are refused. env would take a path with "=" for a
/// variable.
std::string folderName(std::mt19937& random)
{
    std::string name = nastyText(random);
    std::erase_if(name, [](char c) { return c == '\\' || c == '='; });
    return name;
}

std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words)
        text += word + '\0';
    return text;
}

/// Stands before the worker: keeps all words and the variable ODD, and starts what follows the first three.
void placeRecorder(SlurmSite& site)
{
    fs::create_directories(site.root());
    REQUIRE(writeFileAtomically(site.root() / "recorder",
                                "#!/bin/sh\nprintf '%s\\0' \"$ODD\" \"$@\" >\"$RINGSIDE_ATTEMPT/words.$SLURM_PROCID\"\n"
                                "shift 3\nexec \"$@\"\n"));
    const std::string there = site.place().rootThere.string();
    site.cluster().on("login", {"chmod", "700", there + "/recorder"});
    site.cluster().on("login", {"chown", "-R", "ringside-demo:", there});
}

CampaignPlan oddPlan(SlurmSite& site, std::mt19937& random)
{
    jobs::JobSettings settings;
    settings.extraLines = {"--job-name=" + kJobName};
    CampaignPlan plan = site.plan({onNodes(2, 4, {{"data_path", "/data/" + nastyText(random, 2'000)}})}, 2);
    plan.experiment = nastyText(random);
    plan.launchPrefix = {"env",
                         "ODD=" + nastyText(random, 2'000),
                         (site.place().rootThere / "recorder").string(),
                         nastyText(random),
                         "--" + nastyText(random),
                         nastyText(random, 4'000)};
    settings.nodes = 2;
    const auto script = slurm::kSlurm.script(
        plan, {site.place().rootThere, fs::path(DemoCluster::kHome) / "bin/ringside-agent"}, settings, {});
    REQUIRE_MESSAGE(script, (script ? "" : script.error().text()));
    site.place().script = *script;
    return plan;
}

void requireWords(const SlurmSite& site, const fs::path& rootThere, const CampaignPlan& plan)
{
    const auto attempt = layout::attemptFolder(rootThere, plan.runs[0].id, 1);
    std::vector<std::string> words{plan.launchPrefix[1].substr(4)};
    words.insert(words.end(), plan.launchPrefix.begin() + 3, plan.launchPrefix.end());
    words.insert(words.end(), {plan.worker, "train", "--plan",
                               layout::planFile(layout::campaignFolder(rootThere, plan.campaign)).string(), "--run",
                               plan.runs[0].id.str(), "--attempt", attempt.string()});
    for (int rank = 0; rank < 2; ++rank)
        CHECK((readFile(layout::attemptFolder(site.root(), plan.runs[0].id, 1) / fmt::format("words.{}", rank)) ==
               joined(words))); // 8 kB are not to be shown
}

std::vector<fs::path> executedBelow(const fs::path& folder)
{
    std::vector<fs::path> found;
    std::error_code ignored;
    for (fs::recursive_directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored))
        if (entry->path().filename() == "pwned")
            found.push_back(entry->path());
    return found;
}

} // namespace

TEST_CASE("what is typed goes through sbatch and srun as it is, whatever the login shell")
{
    DemoCluster* cluster = DemoCluster::get();
    if (!cluster)
        return;
    std::mt19937 random(20261122);
    for (const std::string shell : {"/bin/bash", "/bin/dash", "/bin/tcsh", "/bin/zsh", "/bin/fish"}) {
        if (!fs::exists(shell)) {
            CHECK_MESSAGE(!environment("RINGSIDE_CI"), shell, " is not installed");
            MESSAGE("skipped ", shell, ": not installed");
            continue;
        }
        CAPTURE(shell);
        REQUIRE(cluster->control({"shell", shell}));
        SlurmSite site(*cluster, folderName(random));
        placeRecorder(site);
        site.connect();
        const CampaignPlan plan = oddPlan(site, random);
        const auto submitted = site.submit(plan);
        REQUIRE_MESSAGE(submitted, (submitted ? "" : submitted.error().text()));
        site.follow(plan);
        REQUIRE(site.pumpToEnd(kJobLimit));
        CHECK(site.story(plan) ==
              "runner_started\nattempt_started 0/1\nattempt_ended 0/1 done none\nrunner_ended done\n");
        const auto there = readFile(layout::planFile(layout::campaignFolder(site.root(), plan.campaign)));
        REQUIRE(there);
        CHECK(planFromJson(*there) == plan);
        requireWords(site, site.place().rootThere, plan);
        const std::string job = cluster->on("login", {"scontrol", "show", "job", submitted->job, "--oneliner"});
        CHECK(job.find("JobName=" + kJobName + " ") != std::string::npos);
        CHECK(executedBelow(cluster->home()).empty());
    }
    CHECK(cluster->control({"shell", "/bin/bash"}));
}
