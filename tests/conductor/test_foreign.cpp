// SPDX-License-Identifier: MIT
// A site of another architecture: a real sshd on a machine that says it is an aarch64, and runs such programs by qemu.
#include "core/protocol/layout.h"
#include "core/remote/deployment/deployment.h"
#include "tests/conductor/remotesession.h"
#include "tests/conductor/spoolcompare.h"
#include "tests/remote/ssh/commands.h"
#include "tests/support/built.h"

#include <cstdlib>

using namespace ringside;
using namespace ringside::test;
using deployment::AgentFile;

namespace {

const fs::path kAgents = builtPrograms() / "../tests/agents";

/// Agents for this computer and for aarch64, side by side as an installation has them. Made once.
const fs::path& agents()
{
    static const fs::path folder = [] {
        fs::create_directories(kAgents);
        const auto copy = fs::copy_options::overwrite_existing;
        fs::copy_file(builtProgram("ringside-agent"), kAgents / "ringside-agent", copy);
        shell(sourceFolder().string() + "/installers/agent-for.sh aarch64 --to '" + kAgents.string() + "' >&2");
        return fs::canonical(kAgents);
    }();
    return folder;
}

SshdOptions foreign()
{
    SshdOptions options;
    options.isForeign = true;
    return options;
}

struct ForeignSession : Session
{
    ForeignSession()
        : Session(true, foreign())
    {
    }
};

/// For aarch64 first: on this computer the wrong guess.
deployment::DeploymentSettings foreignFirst(const fs::path& root)
{
    deployment::DeploymentSettings settings;
    settings.root = root.string();
    settings.agents = deployment::agentsIn(agents());
    std::ranges::reverse(settings.agents);
    REQUIRE(settings.agents.size() == 2);
    REQUIRE(settings.agents.front().system == "linux-aarch64");
    return settings;
}

/// Dials as `user`, and returns the architecture of the agent that answered and whether it had to be brought.
std::pair<std::string, bool> dialled(Sshd& sshd, const std::string& user, const fs::path& root)
{
    sshd.trust();
    SshAddress address = sshd.address();
    address.target.user = user;
    SshHost host(address);
    REQUIRE(textOf(host.connect(nullptr)) == "");
    const auto dial = deployment::dial(host, foreignFirst(root));
    REQUIRE_MESSAGE(dial, (dial ? "" : dial.error().text()));
    return {dial->relay.peer().arch, dial->uploaded};
}

/// The names of the folders below bin/VERSION, which show the system of each agent.
std::vector<std::string> systemsIn(const fs::path& root)
{
    std::vector<std::string> systems;
    for (const auto& entry : fs::directory_iterator(root / "bin" / RINGSIDE_VERSION))
        if (fs::exists(entry.path() / "ringside-agent"))
            systems.push_back(entry.path().filename().string());
    std::ranges::sort(systems);
    return systems;
}

} // namespace

TEST_CASE_FIXTURE(ForeignSession, "a site of another architecture gets its own agent, and a campaign runs there")
{
    REQUIRE_SSHD(sshd);
    agent = agents() / "ringside-agent";
    start();
    must(launch(experiment("[1, 2]", 1, 8)));
    REQUIRE(waitForEnd(2));
    must(conductor->collect());
    CHECK(requireStoreEqualsSpools(options().store, thereRoot) == 8 + 2 * 8);
    for (const store::RunRow& run : runs())
        CHECK(run.state == RunState::done);
    const auto systems = systemsIn(thereRoot);
    REQUIRE(systems.size() == 1);
    CHECK(systems.front().starts_with("linux-aarch64-"));
}

TEST_CASE_FIXTURE(ForeignSession, "without an agent for the site the error says which there are, and how to make one")
{
    REQUIRE_SSHD(sshd);
    start();
    const auto launched = launch(experiment("[1]", 1, 8));
    REQUIRE(!launched);
    CHECK(launched.error().code == ErrorCode::unavailable);
    CHECK(launched.error().text().find("is a linux-aarch64 machine") != std::string::npos);
    CHECK(launched.error().text().find("installers/agent-for.sh aarch64") != std::string::npos);
    CHECK(runs().empty());
}

TEST_CASE("two architectures share one home: each runs its own agent, whatever the login shell makes of the other's")
{
    SshdOptions options;
    for (const char* shell : {"bash", "dash", "tcsh", "zsh", "fish"})
        if (fs::exists(std::string("/bin/") + shell))
            options.shells.push_back(shell);
    Sshd own(options);
    REQUIRE_SSHD(own);
    Sshd other(foreign());
    REQUIRE_SSHD(other);
    for (const std::string& shell : options.shells) {
        CAPTURE(shell);
        const TemporaryFolder shared;
        fs::permissions(shared.path(), fs::perms::all);
        const fs::path root = shared / "ringside";
        using Answer = std::pair<std::string, bool>;
        CHECK(dialled(other, ownUser(), root) == Answer{"aarch64", true});
        fs::permissions(root, fs::perms::all); // of one person in earnest
        for (const auto& entry : fs::recursive_directory_iterator(root))
            fs::permissions(entry.path(), fs::perms::all);
        CHECK(dialled(own, shell + "-user", root) == Answer{"x86_64", true});
        CHECK(dialled(own, shell + "-user", root) == Answer{"x86_64", false});
        CHECK(dialled(other, ownUser(), root) == Answer{"aarch64", false});
        CHECK(systemsIn(root).size() == 2);
    }
}
