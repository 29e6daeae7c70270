// SPDX-License-Identifier: MIT
#include "core/sites/site.h"

#include <doctest/doctest.h>

using namespace ringside;

namespace {

Site wholeSite()
{
    Site site;
    site.name = "alder";
    site.host = "alder.example.org";
    site.user = "kim";
    site.port = 2222;
    site.sshConfig = "/home/kim/ssh \"config\"";
    site.root = "/scratch/kim/ringside";
    site.agent = "/opt/agent";
    site.worker = "/opt/worker";
    site.torch = "/opt/torch";
    site.scheduler = Scheduler::slurm;
    site.launcher = RankLauncher::srun;
    site.jobPerRun = true;
    site.hosts = {"a1", "a2"};
    site.modules = {"gcc/12", "cuda"};
    site.launchPrefix = {"apptainer", "exec", "a b.sif"};
    site.slurm.partition = "gpu";
    site.slurm.account = "p123";
    site.slurm.qos = "high";
    site.slurm.timeLimitSeconds = 7200;
    site.slurm.gpusPerNode = 4;
    site.slurm.gpuType = "h100";
    site.slurm.exclusive = true;
    site.slurm.constraint = "skylake";
    site.slurm.memory = "64G";
    site.slurm.extraLines = {"--reservation=course"};
    return site;
}

std::string refusal(const std::string& text)
{
    const auto site = siteFromToml(text, "demo.toml");
    return site ? "accepted" : site.error().text();
}

const std::string kHead = "format = 1\nname = \"demo\"\nhost = \"demo\"\n";

} // namespace

TEST_CASE("a site is the same after its file")
{
    Site small;
    small.name = "demo";
    small.host = "demo";
    CHECK(siteToToml(small) == "format = 1\nname = \"demo\"\nhost = \"demo\"\n");
    for (const Site& site : {small, wholeSite()}) {
        const auto read = siteFromToml(siteToToml(site), "file");
        REQUIRE_MESSAGE(read.has_value(), siteToToml(site));
        CHECK(*read == site);
    }
}

TEST_CASE("what is wrong in a file is named with its line, and what would be right")
{
    CHECK(refusal(kHead + "prt = 22\n") == "demo.toml, line 4: “prt” is not known here. Did you mean “port”?");
    CHECK(refusal(kHead + "port = \"22\"\n") == "demo.toml, line 4: port: expected a whole number.");
    CHECK(refusal(kHead + "scheduler = \"pbs\"\n") ==
          "demo.toml, line 4: scheduler: expected one of auto, slurm and none.");
    CHECK(refusal(kHead + "[slurm]\npartitions = \"x\"\n").starts_with("demo.toml, line 5: “partitions” is not known"));
    CHECK(refusal(kHead + "[slurm]\ntime_limit = \"soon\"\n").starts_with("demo.toml, line 5: time_limit: expected"));
    CHECK(refusal(kHead + "host = \n").starts_with("demo.toml, line 4: this is not TOML"));
    CHECK(refusal("name = \"demo\"\n") == "demo.toml: the format is not said. Write format = 1 at the top.");
    CHECK(refusal("format = 2\nname = \"demo\"\nhost = \"d\"\n").starts_with("demo.toml: format 2 is not known"));
    CHECK(refusal(std::string(100'000, ' ')).starts_with("demo.toml is no file of a site"));
}

TEST_CASE("what cannot be a site is refused")
{
    const auto because = [](auto change) {
        Site site = wholeSite();
        change(site);
        const auto checked = checkSite(site);
        return checked ? std::string("accepted") : checked.error().message;
    };
    CHECK(because([](Site&) {}) == "accepted");
    CHECK(because([](Site& site) { site.name = "local"; }) == "name: “local” is this computer.");
    for (const char* name : {"", "../x", "a b", ".x", "a/b", "ä"})
        CHECK(because([&](Site& site) { site.name = name; }).find("cannot be a site's name") != std::string::npos);
    CHECK(because([](Site& site) { site.host.clear(); }) == "host: is missing.");
    CHECK(because([](Site& site) { site.root = "a\nb"; }) == "root: has a control character.");
    CHECK(because([](Site& site) { site.port = 70'000; }) == "port: 70000 cannot be.");
    CHECK(because([](Site& site) {
              site.modules = {"gcc", ""};
          }) == "modules: has an empty word or a control character.");
    CHECK(because([](Site& site) { site.slurm.partition = "a\nb"; }).starts_with("partition: "));
}
