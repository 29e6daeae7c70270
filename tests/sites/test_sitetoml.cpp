// SPDX-License-Identifier: MIT
#include "core/sites/site.h"

#include <doctest/doctest.h>
#include <functional>
#include <tuple>

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
    site.scheduler = "slurm";
    site.launcher = "srun";
    site.jobPerRun = true;
    site.hosts = {"a1", "a2"};
    site.modules = {"gcc/12", "cuda"};
    site.installTorch = true;
    site.launchPrefix = {"apptainer", "exec", "a b.sif"};
    site.job.partition = "gpu";
    site.job.account = "p123";
    site.job.qos = "high";
    site.job.timeLimitSeconds = 7200;
    site.job.gpusPerNode = 4;
    site.job.gpuType = "h100";
    site.job.exclusive = true;
    site.job.constraint = "skylake";
    site.job.memory = "64G";
    site.job.extraLines = {"--reservation=course"};
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

TEST_CASE("settings of jobs stand below their scheduler's name, or below none where it is left open")
{
    CHECK(siteToToml(wholeSite()).find("\n[slurm]\n") != std::string::npos);
    for (const char* section : {"job", "slurm"})
        CHECK(siteFromToml(kHead + "[" + section + "]\npartition = \"gpu\"\n", "demo.toml")->job.partition == "gpu");
    Site open = wholeSite();
    open.scheduler = kAutomaticScheduler;
    CHECK(siteToToml(open).find("\n[job]\n") != std::string::npos);
    CHECK(siteFromToml(siteToToml(open), "file") == open);
    open.job.gpusPerNode = 0; // no scheduler takes a type of none
    CHECK(checkSite(open).error().message.starts_with("gpu_type: "));
}

TEST_CASE("what is wrong in a file is named with its line, and what would be right")
{
    CHECK(refusal(kHead + "prt = 22\n") ==
          "demo.toml, line 4, column 1: “prt” is not known here. Did you mean “port”?");
    CHECK(refusal(kHead + "port = \"22\"\n") ==
          "demo.toml, line 4, column 8: expected a whole number, found the text “22”. Write 22 without quotes.");
    CHECK(refusal(kHead + "scheduler = \"pbs\"\n") ==
          "demo.toml, line 4, column 13: expected one of auto, slurm and none, found “pbs”.");
    CHECK(refusal(kHead + "slurm = 1\n") == "demo.toml, line 4, column 9: expected a table, found “1”.");
    CHECK(refusal(kHead + "[slurm]\npartitions = \"x\"\n")
              .starts_with("demo.toml, line 5, column 1: “partitions” is not known"));
    CHECK(
        refusal(kHead + "[slurm]\ntime_limit = \"soon\"\n") ==
        "demo.toml, line 5, column 14: expected a time, found “soon”. Write \"2:00:00\", or \"1-00:00:00\" for a day.");
    CHECK(refusal(kHead + "host = \n").starts_with("demo.toml, line 4, column 8: this is not TOML"));
    CHECK(refusal("name = \"demo\"\n") == "demo.toml: the format is missing. Write format = 1 at the top.");
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
    CHECK(because([](Site& site) { site.root = "a\nb"; }) ==
          "root: is longer than 4096 bytes, or has a control character.");
    for (const std::string& root : {std::string("-x"), std::string("~other/x"), std::string(501, 'x')})
        CHECK(because([&](Site& site) { site.root = root; }).ends_with("cannot be a site's root."));
    CHECK(because([](Site& site) { site.port = 70'000; }) == "port: it must be from 1 to 65535.");
    CHECK(because([](Site& site) {
              site.modules = {"gcc", ""};
          }) == "modules: a word is empty, longer than 4096 bytes, or has a control character.");
    CHECK(because([](Site& site) {
              site.launchPrefix = {"env", ":"};
          }) == "launch_prefix: a word is “:” alone, where a launcher begins another program.");
    CHECK(because([](Site& site) { site.job.partition = "a\nb"; }).starts_with("partition: "));
    CHECK(because([](Site& site) { site.worker = "bin/worker"; }) == "worker: “bin/worker” is no absolute path.");
}

TEST_CASE("a site takes its host as people write it, whole or not at all")
{
    Site site;
    REQUIRE(takeHost(site, "kim@alder:2222"));
    CHECK(std::tie(site.host, site.user, site.port) == std::tuple("alder", "kim", 2222));
    CHECK(takeHost(site, "kim@al der").error().code == ErrorCode::usage);
    CHECK(site.host == "alder");
    REQUIRE(takeHost(site, "beech"));
    CHECK(std::tie(site.host, site.user, site.port) == std::tuple("beech", "", 0));
    for (const char* text : {"beech", "kim@beech", "kim@alder:2222", "2001:db8::1", "kim@[2001:db8::1]:2222"}) {
        REQUIRE(takeHost(site, text));
        CHECK(hostText(site) == text);
    }
}

TEST_CASE("no text of a site holds what a line, a file or a terminal takes for its own, and each is refused by name")
{
    using Words = std::vector<std::string>;
    const std::pair<const char*, std::function<void(Site&, const std::string&)>> fields[] = {
        {"name", [](Site& site, const std::string& text) { site.name = text; }},
        {"host", [](Site& site, const std::string& text) { site.host = text; }},
        {"user", [](Site& site, const std::string& text) { site.user = text; }},
        {"root", [](Site& site, const std::string& text) { site.root = text; }},
        {"agent", [](Site& site, const std::string& text) { site.agent = text; }},
        {"worker", [](Site& site, const std::string& text) { site.worker = "/" + text; }},
        {"torch", [](Site& site, const std::string& text) { site.torch = text; }},
        {"hosts", [](Site& site, const std::string& text) { site.hosts = {"n1", text}; }},
        {"modules", [](Site& site, const std::string& text) { site.modules = {"gcc", text}; }},
        {"launch_prefix", [](Site& site, const std::string& text) { site.launchPrefix = {"env", text}; }},
        {"partition", [](Site& site, const std::string& text) { site.job.partition = text; }},
        {"account", [](Site& site, const std::string& text) { site.job.account = text; }},
        {"qos", [](Site& site, const std::string& text) { site.job.qos = text; }},
        {"gpu_type", [](Site& site, const std::string& text) { site.job.gpuType = text; }},
        {"constraint", [](Site& site, const std::string& text) { site.job.constraint = text; }},
        {"memory", [](Site& site, const std::string& text) { site.job.memory = text; }},
        {"extra_lines", [](Site& site, const std::string& text) { site.job.extraLines = {"--x=" + text}; }}};
    const Words hostile{"a\nb",
                        "a\rb",
                        "a\tb",
                        "\x1b[2Jb",
                        "a\x7f",
                        "\xff",
                        std::string("a\0b", 3),
                        "a\xc2\x85",
                        std::string(10'000, 'x')};
    for (const auto& [field, put] : fields)
        for (const std::string& text : hostile) {
            Site site;
            site.name = "alder";
            site.host = "alder";
            put(site, text);
            CAPTURE(field);
            CAPTURE(text.substr(0, 40));
            const auto checked = checkSite(site);
            REQUIRE_FALSE(checked);
            CHECK(checked.error().code == ErrorCode::usage);
            CHECK(checked.error().message.starts_with(std::string(field) + ": "));
        }
}
