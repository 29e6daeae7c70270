// SPDX-License-Identifier: MIT
// An installation over a system that a campaign needs which waits in the store.
#include "core/protocol/installedengine.h"
#include "tests/cli/clifixture.h"
#include "tests/store/storefixture.h"
#include "tests/support/addcampaign.h"
#include "tests/support/tinypackage.h"

using namespace ringside;
using namespace ringside::test;

namespace {

/// The system is there, and as its table wants it.
struct InstallsFixture : CliFixture
{
    InstallsFixture()
    {
        environment["XDG_CONFIG_HOME"] = (folder / "config").string();
        environment["PATH"] = "/usr/bin:/bin";
        for (const fs::path& made : {folder / "config/ringside/adapters", folder / "site/tinysystem", engine})
            fs::create_directories(made);
        write("config/ringside/adapters/tiny.toml", kTinyTable);
        write("site/tinysystem/__init__.py", "__version__ = '1.9'\n");
        fs::permissions(otherPython, fs::perms::owner_all);
        must(writeInstalledEngine(engine, {"1.4.0", "/usr/bin/python3", {}, {"tinysystem==1.4.0"}}));
        addCampaign();
    }

    void addCampaign()
    {
        plan.campaign = CampaignId::random();
        plan.runs.resize(1);
        plan.runs[0].id = RunId::random();
        plan.runs[0].repeat = 7;
        plan.engines["tiny"].command = {(engine / "bin/python").string()};
        must(test::addCampaign(waiting.db, plan));
    }

    Ended install(const Arguments& more = {}) const
    {
        Arguments arguments{"engine", "install", "tiny", "--yes", "--json", "--store", waiting.path.string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run(arguments);
    }

    fs::path engine = folder / "data/ringside/engines/tiny";
    std::string otherPython =
        write("python3", "#!/bin/sh\nPYTHONPATH=" + (folder / "site").string() + " exec python3 \"$@\"\n");
    StoreFixture waiting;
    CampaignPlan plan = waiting.plan;
};

} // namespace

TEST_CASE_FIXTURE(InstallsFixture, "a system is not installed anew while a campaign needs it that waits in the store")
{
    const std::string before = must(readFile(engine / "engine.json"));
    const Ended refused = install({"--python", otherPython});
    CAPTURE(refused.err);
    CHECK(refused.code == 75);
    CHECK(refused.says("of “first-light”, which is not over, needs it."));
    CHECK(must(readFile(engine / "engine.json")) == before);

    const Ended same = install();
    CAPTURE(same.err);
    REQUIRE(same.code == 0);
    CHECK(same.json()["version"] == "1.4.0");
    CHECK(must(readFile(engine / "engine.json")) == before);

    must(store::setStage(waiting.db, plan.campaign, campaign::Stage::ended));
    const Ended installed = install({"--python", otherPython});
    CAPTURE(installed.err);
    REQUIRE(installed.code == 0);
    CHECK(installed.json()["version"] == "1.9");
}
