// SPDX-License-Identifier: MIT
// Login shells with noisy start-up files, shells that run no commands, and names that a shell could take for its own.
#include "core/protocol/layout.h"
#include "core/remote/deployment/deployment.h"
#include "tests/remote/deployment/shellhost.h"
#include "tests/support/built.h"
#include "tests/support/nastytext.h"

#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <random>

using namespace ringside;
using namespace ringside::deployment;
using test::ShellHost;

namespace {

constexpr const char* kShells[] = {"sh", "bash", "dash", "tcsh", "zsh", "fish"};

DeploymentSettings ours(const std::string& root = ".ringside")
{
    DeploymentSettings settings;
    settings.root = root;
    settings.agents = agentsIn(test::builtPrograms());
    return settings;
}

std::string messageOf(const Result<Dialled>& dialled)
{
    return dialled ? "it answered" : dialled.error().text();
}

/// Absent shells are reported; where everything has to be there, they fail.
std::string shellOrReason(const std::string& name)
{
    std::string path = test::programPath(name);
    if (path.empty()) {
        CHECK_MESSAGE(!std::getenv("RINGSIDE_CI"), name, " is not installed");
        MESSAGE("skipped: ", name, " is not installed");
    }
    return path;
}

std::vector<std::string> namesIn(const fs::path& folder)
{
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
        names.push_back(entry.path().filename().string());
    return names;
}

} // namespace

TEST_CASE("every login shell will do, whatever its start-up files print")
{
    for (const std::string name : kShells) {
        CAPTURE(name);
        const std::string shell = shellOrReason(name);
        if (shell.empty())
            continue;
        test::TemporaryFolder home;
        ShellHost host(shell, home.path());
        host.greetWith("Welcome to the cluster. " + std::string(10'000, '*'));
        const auto dialled = dial(host, ours());
        CHECK_MESSAGE(dialled, messageOf(dialled));
    }
}

TEST_CASE("a root below the home is there, wherever a start-up file leads")
{
    for (const std::string name : kShells) {
        CAPTURE(name);
        const std::string shell = shellOrReason(name);
        if (shell.empty())
            continue;
        test::TemporaryFolder home;
        fs::create_directories(home / "elsewhere");
        ShellHost host(shell, home.path());
        host.startWith("cd elsewhere\n");
        for (const bool isNew : {true, false}) {
            const auto dialled = dial(host, ours("~/there"));
            REQUIRE_MESSAGE(dialled, messageOf(dialled));
            CHECK(dialled->uploaded == isNew);
            CHECK(dialled->relay.peer().root == (home / "there").string());
        }
        DeploymentSettings given = ours("~/there");
        given.agent = "~/own agent";
        fs::copy_file(given.agents.front().path, home / "own agent");
        const auto dialled = dial(host, given);
        CHECK_MESSAGE(dialled, messageOf(dialled));
        CHECK(fs::is_empty(home / "elsewhere"));
    }
}

TEST_CASE("a start-up file that reads or waits ends in a sentence that names it")
{
    const std::string shell = shellOrReason("bash");
    if (shell.empty())
        return;
    for (const std::string lines : {"exec cat", "cat", "cat >/dev/null", "exec sleep 1000"}) {
        CAPTURE(lines);
        test::TemporaryFolder home;
        ShellHost host(shell, home.path());
        host.startWith(lines + "\n");
        const auto dialled = dial(host, ours());
        REQUIRE_FALSE(dialled);
        CAPTURE(dialled.error().text());
        CHECK(dialled.error().hint.find("start file of the login shell") != std::string::npos);
        CHECK(dialled.error().hint.find(".bashrc") != std::string::npos);
    }
}

TEST_CASE("an account whose shell runs no commands is reported, with its output")
{
    for (const std::string name : {"nologin", "git-shell", "false"}) {
        CAPTURE(name);
        const std::string shell = shellOrReason(name);
        if (shell.empty())
            continue;
        test::TemporaryFolder home;
        ShellHost host(shell, home.path());
        const auto dialled = dial(host, ours());
        REQUIRE_FALSE(dialled);
        CHECK(dialled.error().code == ErrorCode::unavailable);
        CHECK(messageOf(dialled).find("runs no commands for this account") != std::string::npos);
        CHECK(messageOf(dialled).find("login shell") != std::string::npos);
    }
}

TEST_CASE("a restricted shell that forbids paths is named as the reason")
{
    test::TemporaryFolder home;
    const fs::path rbash = home / "rbash";
    fs::create_symlink("/bin/bash", rbash);
    ShellHost host(rbash.string(), home.path());
    const auto dialled = dial(host, ours((home / "there").string()));
    REQUIRE_FALSE(dialled);
    CHECK(messageOf(dialled).find("restricted") != std::string::npos);
    CHECK(messageOf(dialled).find('\n') == std::string::npos); // the shell's line end is not part of the quotation
    CHECK(messageOf(dialled).find("login shell") != std::string::npos);
}

TEST_CASE("a root of any characters is that folder and nothing else, in every shell")
{
    std::mt19937 random(20261121);
    for (const std::string name : kShells) {
        const std::string shell = shellOrReason(name);
        if (shell.empty())
            continue;
        for (int i = 0; i < 3; ++i) {
            test::TemporaryFolder home;
            ShellHost host(shell, home.path());
            const std::string root = test::nastyText(random);
            CAPTURE(name);
            CAPTURE(root);
            DeploymentSettings settings = ours(root);
            settings.worker = "/" + test::nastyText(random) + "\nline two";
            const auto dialled = dial(host, settings);
            REQUIRE_MESSAGE(dialled, messageOf(dialled));
            CHECK(dialled->relay.peer().root == (home / root).string());
            const auto names = namesIn(home.path());
            CHECK(std::ranges::find(names, "pwned") == names.end());
            CHECK(fs::exists(home / root / "bin"));
        }
    }
}

TEST_CASE("roots that no shell should see are refused before anything is sent")
{
    test::TemporaryFolder home;
    ShellHost host("/bin/sh", home.path());
    for (const std::string& root :
         {std::string(), std::string("-x"), std::string("~other/x"), std::string("a\nb"), std::string("a\tb"),
          std::string("\x1b[31m"), std::string("a\0b", 3), std::string("\xff"), std::string(10'000, 'x')}) {
        const auto dialled = dial(host, ours(root));
        REQUIRE_FALSE(dialled);
        CHECK(dialled.error().code == ErrorCode::usage);
    }
    CHECK(host.started.empty());
    CHECK(layout::checkedRoot("~/x/./y") == "x/y");
    CHECK(layout::checkedRoot("/scratch/kim") == "/scratch/kim");
}

TEST_CASE("what a site prints reaches messages as plain text")
{
    test::TemporaryFolder home;
    const fs::path shell = home / "shell";
    std::ofstream(shell) << "#!/bin/sh\nprintf '%2000s\\033]0;title\\007 <b>no</b>' x\nexit 1\n";
    fs::permissions(shell, fs::perms::owner_all);
    ShellHost host(shell.string(), home.path());
    const std::string said = messageOf(dial(host, ours()));
    CHECK(said.find('\x1b') == std::string::npos);
    CHECK(said.find('\a') == std::string::npos);
    CHECK(said.size() < 2'000);
}
