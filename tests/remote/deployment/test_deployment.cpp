// SPDX-License-Identifier: MIT
// The real agent over real shells of this computer: what is brought, where it lies, what is left alone.
#include "core/base/sha256.h"
#include "core/remote/deployment/deployment.h"
#include "tests/remote/deployment/shellhost.h"
#include "tests/support/built.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <fstream>
#include <thread>

using namespace ringside;
using namespace ringside::deployment;
using test::ShellHost;

namespace {

DeploymentSettings ours(const std::string& root = ".ringside")
{
    DeploymentSettings settings;
    settings.root = root;
    settings.agents = agentsIn(test::builtPrograms());
    return settings;
}

/// Returns the files below a folder, relative, without folders.
std::vector<std::string> filesBelow(const fs::path& folder)
{
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file())
            files.push_back(entry.path().lexically_relative(folder).string());
    return files;
}

std::string messageOf(const Result<Dialled>& dialled)
{
    return dialled ? "it answered" : dialled.error().text();
}

bool says(const Result<Dialled>& dialled, const std::string& part)
{
    return messageOf(dialled).find(part) != std::string::npos;
}

} // namespace

TEST_CASE("an agent that is not there is brought, verified and run; the next dial only runs it")
{
    test::TemporaryFolder home;
    ShellHost host("/bin/sh", home.path());
    std::vector<DeploymentStep> steps;
    auto first = dial(host, ours(), [&](const DeploymentStep& step) { steps.push_back(step); });
    REQUIRE_MESSAGE(first, messageOf(first));
    CHECK(first->uploaded);
    CHECK(first->relay.peer().root == (home / ".ringside").string());
    const auto files = filesBelow(home.path());
    REQUIRE(files.size() == 1);
    const std::string hash = *sha256OfFile(ours().agents[0].path);
    CHECK(files[0] == ".ringside/bin/" RINGSIDE_VERSION "/" + ours().agents[0].system + "-" + hash.substr(0, 12) +
                          "/ringside-agent");
    CHECK(*sha256OfFile(home / files[0]) == hash);
    CHECK((fs::status(home / files[0]).permissions() & fs::perms::all) == fs::perms::owner_all);
    CHECK((fs::status(home / ".ringside").permissions() & fs::perms::all) == fs::perms::owner_all);
    CHECK(std::ranges::any_of(
        steps, [](const auto& step) { return step.doneBytes == step.totalBytes && step.doneBytes > 0; }));

    host.started.clear();
    const auto second = dial(host, ours());
    REQUIRE_MESSAGE(second, messageOf(second));
    CHECK_FALSE(second->uploaded);
    CHECK(host.started.size() == 1);
    CHECK(host.started[0] == second->command);
}

TEST_CASE("another version that is there is left alone")
{
    test::TemporaryFolder home;
    const fs::path other = home / ".ringside/bin/0.0.1/linux-x86_64-0123456789ab/ringside-agent";
    fs::create_directories(other.parent_path());
    std::ofstream(other) << "an older one";
    ShellHost host("/bin/sh", home.path());
    const auto dialled = dial(host, ours());
    CHECK_MESSAGE(dialled, messageOf(dialled));
    CHECK(readFile(other) == "an older one");
}

TEST_CASE("an agent that is there but broken is replaced")
{
    test::TemporaryFolder home;
    ShellHost host("/bin/sh", home.path());
    REQUIRE(dial(host, ours()));
    const fs::path agent = home / filesBelow(home.path()).at(0);
    fs::remove(agent);
    std::ofstream(agent) << ""; // as a machine that lost power leaves it
    const auto dialled = dial(host, ours());
    REQUIRE_MESSAGE(dialled, messageOf(dialled));
    CHECK(dialled->uploaded);
}

TEST_CASE("two workstations that deploy at once both get through, and one file is left")
{
    test::TemporaryFolder home;
    std::vector<std::string> said(4);
    std::vector<std::jthread> workstations;
    for (auto& text : said)
        workstations.emplace_back([&] {
            ShellHost host("/bin/sh", home.path());
            text = messageOf(dial(host, ours()));
        });
    workstations.clear();
    for (const auto& text : said)
        CHECK(text == "it answered");
    CHECK(filesBelow(home.path()).size() == 1);
}

TEST_CASE("an upload that is cut leaves nothing under the agent's name, and the next one gets through")
{
    test::TemporaryFolder home;
    ShellHost host("/bin/sh", home.path());
    host.meddler = [](std::uint64_t sent, std::string_view bytes) -> Result<std::string> {
        if (sent > 200'000)
            return fail(ErrorCode::io, "The line was cut.");
        return std::string(bytes);
    };
    CHECK_FALSE(dial(host, ours()));
    CHECK(filesBelow(home.path()).empty());
    host.meddler = {};
    const auto dialled = dial(host, ours());
    CHECK_MESSAGE(dialled, messageOf(dialled));
}

TEST_CASE("leftovers of killed uploads go after a day, those of today stay")
{
    test::TemporaryFolder home;
    ShellHost host("/bin/sh", home.path());
    REQUIRE(dial(host, ours()));
    const fs::path folder = (home / filesBelow(home.path()).at(0)).parent_path();
    fs::remove(folder / "ringside-agent");
    std::ofstream(folder / "ringside-agent.part-old") << "x";
    std::ofstream(folder / "ringside-agent.part-new") << "x";
    fs::last_write_time(folder / "ringside-agent.part-old", fs::file_time_type::clock::now() - std::chrono::hours(49));
    REQUIRE(dial(host, ours()));
    CHECK_FALSE(fs::exists(folder / "ringside-agent.part-old"));
    CHECK(fs::exists(folder / "ringside-agent.part-new"));
}

TEST_CASE("bytes that change on the way are found on the site, and leave nothing there")
{
    test::TemporaryFolder home;
    ShellHost host("/bin/sh", home.path());
    host.meddler = [](std::uint64_t sent, std::string_view bytes) -> Result<std::string> {
        std::string changed(bytes);
        if (sent == 0)
            changed[changed.size() / 2] ^= 1;
        return changed;
    };
    CHECK_FALSE(dial(host, ours()));
    CHECK(filesBelow(home.path()).empty());
}

TEST_CASE("an agent that the site names is used, and none is brought")
{
    test::TemporaryFolder home;
    ShellHost host("/bin/sh", home.path());
    DeploymentSettings settings = ours();
    settings.agent = (home / "no-agent").string();
    const auto missing = dial(host, settings);
    CHECK(says(missing, "Ringside brings none of its own"));
    CHECK(filesBelow(home.path()).empty());
    settings.agent = settings.agents[0].path.string();
    const auto dialled = dial(host, settings);
    CHECK_MESSAGE(dialled, messageOf(dialled));
    CHECK(filesBelow(home.path()).empty());
}

TEST_CASE("an older or newer agent is taken if both speak a common version, else the error says which side to update")
{
    test::TemporaryFolder home;
    ShellHost host("/bin/sh", home.path());
    const auto dialVersion = [&](const char* versions) {
        DeploymentSettings settings = ours();
        settings.agent = (home / ("versionedagent-" + std::string(versions))).string();
        fs::copy_file(test::testProgram("versionedagent"), settings.agent);
        return dial(host, settings);
    };
    const auto overlapping = dialVersion("1-7");
    CHECK_MESSAGE(overlapping, messageOf(overlapping));
    const auto newer = dialVersion("8-9");
    CHECK(newer.error().code == ErrorCode::newerVersion);
    CHECK(says(newer, "Update Ringside on this side"));
    CHECK(says(dialVersion("0-0"), "Update Ringside on the other side"));
}

TEST_CASE("a file is placed once")
{
    test::TemporaryFolder home;
    ShellHost host("/bin/sh", home.path());
    std::ofstream(home / "local") << "content";
    const auto first = place(host, home / "local", ".ringside/workers/source-x.tar.gz", "the source");
    REQUIRE_MESSAGE(first, (first ? "" : first.error().text()));
    CHECK(*first);
    CHECK(readFile(home / ".ringside/workers/source-x.tar.gz") == "content");
    CHECK(place(host, home / "local", ".ringside/workers/source-x.tar.gz", "the source") == false);
    CHECK_FALSE(place(host, home / "nothing", ".ringside/x", "nothing"));
    const auto hash = placeSource(host, home / "local", ".ringside");
    CHECK(hash == sha256Of("content"));
    CHECK(readFile(home / (".ringside/workers/source-" + hash->substr(0, 12) + ".tar.gz")) == "content");
}

TEST_CASE("a machine of another architecture gets its own agent, or a list of those there are")
{
    test::TemporaryFolder home;
    ShellHost host("/bin/sh", home.path());
    DeploymentSettings settings = ours();
    const fs::path arm = home / "ringside-agent-linux-aarch64";
    std::ofstream(arm) << std::string("\x7f"
                                      "ELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00",
                                      20);
    settings.agents = agentsIn(home.path());
    REQUIRE(settings.agents.size() == 1);
    const auto none = dial(host, settings);
    CHECK(says(none,
               "testhost is a " + ours().agents[0].system + " machine; this Ringside has agents for: linux-aarch64"));
    settings.agents.push_back(ours().agents[0]);
    const auto own = dial(host, settings);
    CHECK_MESSAGE(own, messageOf(own));
}
