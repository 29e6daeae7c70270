// SPDX-License-Identifier: MIT
// A site that does not answer: what is tried again, what is said, and when the command ends.
#include "core/conductor/sitelink.h"
#include "tests/cli/clifixture.h"
#include "tests/support/built.h"
#include "tests/support/runningtime.h"

#include <chrono>
#include <csignal>
#include <thread>

using namespace ringside;
using namespace ringside::test;
using namespace std::chrono_literals;

namespace {

/// The command line beside an agent of its own: a shell script that may become the real one.
struct ContactFixture : CliFixture
{
    explicit ContactFixture(const std::string& script)
    {
        fs::create_directories(folder / "bin");
        program = (folder / "bin/ringside-cli").string();
        fs::copy_file(builtProgram("ringside-cli"), program);
        const std::string agent =
            write("bin/ringside-agent", "#!/bin/sh\nhere=" + folder.path().string() + "\n" + script + "exec " +
                                            builtProgram("ringside-agent") + " \"$@\"\n");
        fs::permissions(agent, fs::perms::owner_all);
    }
};

} // namespace

TEST_CASE("a relay that ends before anything was submitted is started again")
{
    const ContactFixture cli("if mkdir $here/once 2>/dev/null; then echo 'not yet' >&2; exit 1; fi\n");
    const Ended ended = cli.run({"run", cli.experiment("again", "ranks = [1]", 1, 8)});
    CAPTURE(ended.err);
    CHECK(ended.code == 0);
    CHECK(ended.says("this computer"));
    CHECK(ended.says("Retrying for 120 s."));
    CHECK_FALSE(ended.says("Jobs continue"));
    CHECK(cli.count("again", "done") == 1);
}

TEST_CASE("a site that stays silent ends the command, and what is not submitted is kept")
{
    const ContactFixture cli("[ -e $here/open ] || exit 1\n");
    const Ended ended = cli.run({"run", cli.experiment("kept", "ranks = [1]", 1, 8), "--contact-limit", "1", "--json"});
    CAPTURE(ended.err);
    CHECK(ended.code == 69);
    CHECK(ended.says("has not answered for 1 s"));
    CHECK(ended.says("Nothing seems to have been submitted"));
    CHECK_FALSE(ended.says("continue there"));
    REQUIRE(ended.json().size() == 1);
    CHECK(ended.json()[0]["experiment"] == "kept");

    cli.write("open", "");
    CHECK(cli.run({"collect"}).code == 0);
    for (int tries = 0; tries < 100 && cli.count("kept", "done") == 0; ++tries)
        cli.run({"collect"});
    CHECK(cli.count("kept", "done") == 1);
}

TEST_CASE("an order is kept although a site is away, which is said last")
{
    const ContactFixture cli("[ -e $here/open ] || exit 1\n");
    for (const char* name : {"first", "held", "ended"}) // the first is to be submitted, the others wait for it
        REQUIRE(cli.run({"run", cli.experiment(name, "ranks = [1]", 1, 8), "--contact-limit", "1"}).code == 69);
    const Ended held = cli.run({"hold", "held"});
    CAPTURE(held.err);
    CHECK(held.code == 69);
    CHECK(held.says("held: 0 of 1 runs done, 1 held"));
    CHECK(held.says("The order is written down: a site that does not have it yet receives it at the next contact"));
    const Ended cancelled = cli.run({"cancel", "--experiment", "ended"});
    CAPTURE(cancelled.err);
    CHECK(cancelled.code == 69);
    CHECK(cli.count("ended", "cancelled") == 1);

    cli.write("open", "");
    for (int tries = 0; tries < 100 && cli.count("first", "done") == 0; ++tries)
        cli.run({"collect"});
    CHECK(cli.count("first", "done") == 1);
    CHECK(cli.count("held", "done") == 0);
    CHECK(cli.run({"continue", "held"}).code == 0);
    for (int tries = 0; tries < 100 && cli.count("held", "done") == 0; ++tries)
        cli.run({"collect"});
    CHECK(cli.count("held", "done") == 1);
}

TEST_CASE("contact lost after the submission: the runs go on, and that is what is said")
{
    const ContactFixture cli("[ -e $here/shut ] && exit 1\n[ \"$1\" = relay ] && echo $$ > $here/relay\n");
    const auto program = cli.start({"run", cli.experiment("cut", "ranks = [1]", 1, 600), "--contact-limit", "1"});
    for (int tries = 0; tries < 300 && cli.count("cut", "running") == 0; ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cli.write("shut", "");
    ::kill(std::stoi(readFile(cli.folder / "relay").value_or("0")), SIGKILL);
    const Ended ended = program->wait();
    CAPTURE(ended.err);
    CHECK(ended.code == 69);
    CHECK(ended.says("Jobs continue there; samples will be fetched."));
    CHECK(ended.says("The runs that were submitted continue there."));
}

TEST_CASE("a command that is suspended with its relay, as by Ctrl+Z, has the same contact when it goes on")
{
    const ContactFixture cli("[ \"$1\" = relay ] && echo $$ >> $here/relays\n");
    const auto program = cli.start({"run", cli.experiment("paused", "ranks = [1]", 1, 600)});
    REQUIRE(eventually(60s, [&] { return cli.count("paused", "running") > 0; }));
    const auto relays = [&] { return readFile(cli.folder / "relays").value_or(""); };
    const std::string relay = relays();
    const auto signalBoth = [&](int number) {
        program->signal(number);
        ::kill(std::stoi(relay), number);
    };
    signalBoth(SIGSTOP);
    std::this_thread::sleep_for(std::chrono::nanoseconds(kSilenceLimitNs) + 2s);
    signalBoth(SIGCONT);
    const Ended ended = program->wait();
    CAPTURE(ended.err);
    CHECK(ended.code == 0);
    CHECK_FALSE(ended.says("No answer"));
    CHECK(relays() == relay); // no other was started
    CHECK(cli.count("paused", "done") == 1);
}

TEST_CASE("without an agent nothing is tried")
{
    CliFixture cli;
    fs::create_directories(cli.folder / "bin");
    cli.program = (cli.folder / "bin/ringside-cli").string();
    fs::copy_file(builtProgram("ringside-cli"), cli.program);
    const Ended ended = cli.run({"run", cli.experiment("none", "ranks = [1]", 1, 8)});
    CHECK(ended.code == 69);
    CHECK(ended.says("bin/ringside-agent is not there"));
}
