// SPDX-License-Identifier: MIT
// A site that wants a password, and a person at a terminal who types it.
#include "tests/cli/typedat.h"
#include "tests/remote/ssh/commands.h"
#include "tests/remote/ssh/sshd.h"
#include "tests/support/built.h"

#include <chrono>
#include <csignal>
#include <thread>

using namespace ringside;
using namespace ringside::test;
using namespace std::chrono_literals;

TEST_CASE("a password is asked for again as soon as the line was cut")
{
    CliFixture cli;
    SshdOptions options;
    options.pamLine = "auth required " + testProgram("pam_asktwice.so") + " password=correct=horse";
    options.config = "PubkeyAuthentication no";
    Sshd sshd(options);
    REQUIRE_SSHD(sshd);
    sshd.trust();
    sshd.clientConfig();
    cli.environment["XDG_CONFIG_HOME"] = (cli.folder / "config").string();
    fs::create_directories(cli.folder / "config/ringside/sites");
    cli.write("config/ringside/sites/alder.toml",
              fmt::format("format = 1\nname = \"alder\"\nhost = \"alder\"\nssh_config = \"{}\"\nroot = \"{}\"\n"
                          "scheduler = \"none\"\nworker = \"{}\"\n",
                          sshd.file("client/.ssh/config").string(), (cli.folder / "there").string(),
                          testProgram("testworker")));
    TypedAt program({cli.program, "run", cli.experiment("far", "ranks = [1]", 1, 3'000), "--site", "alder"},
                    cli.environment);
    INFO("shown: ", program.shown());
    REQUIRE(program.shows("Password:", 1));
    program.type("correct=horse\n");
    for (int tries = 0; tries < 600 && cli.count("far", "running") == 0; ++tries)
        std::this_thread::sleep_for(50ms);
    REQUIRE(cli.count("far", "running") == 1);
    sshd.signalSessions(SIGKILL);
    REQUIRE(program.shows("Password:", 2));
    program.type("correct=horse\n");
    CHECK(program.shows("Contact is back.", 1));
    CHECK(program.end() == 0);
    CHECK(cli.count("far", "done") == 1);
}
