// SPDX-License-Identifier: MIT
// Sites from the command line, up to a whole campaign behind a real sshd.
#include "tests/cli/sitesfixture.h"
#include "tests/remote/ssh/commands.h"
#include "tests/remote/ssh/ownhome.h"
#include "tests/remote/ssh/sshd.h"
#include "tests/support/built.h"

#include <algorithm>
#include <fstream>

using namespace ringside;
using namespace ringside::test;

namespace {

std::string stateOf(const Json& report, const std::string& step)
{
    for (const Json& each : report["steps"])
        if (each["step"] == step)
            return each["state"];
    return "missing";
}

/// The first that “site clean” lists whose path begins so.
Json itemAt(const Json& listed, const std::string& path)
{
    for (const Json& each : listed)
        if (each["path"].get<std::string>().starts_with(path))
            return each;
    FAIL("nothing lies at " << path);
    return {};
}

/// A worker that runs below the site's root, and the torch there that it was built with: neither may go.
Program runningWorker(const AlderFixture& site)
{
    const fs::path there = site.folder / "there", worker = there / "workers/abc/ringside-worker";
    fs::create_directories(worker.parent_path());
    fs::create_directories(there / "torch/2.11.0/torch");
    site.write("there/workers/abc/worker.json", "{\"from\": {\"torch\": \"2.11.0\", \"torch_folder\": \"" +
                                                    (there / "torch/2.11.0/torch").string() + "\"}}");
    fs::copy_file("/bin/sleep", worker);
    return Program({worker.string(), "600"}, site.environment, site.folder / "output");
}

void checkListed(const AlderFixture& site)
{
    const Ended ended = site.run({"site", "clean", "alder", "--json"});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const Json listed = ended.json();
    CHECK(listed.size() >= 6); // the agent, the worker, its torch, a campaign, two runs
    const Json worker = itemAt(listed, "workers/abc"), run = itemAt(listed, "runs/");
    CHECK(worker["in_use"] == true);
    CHECK(worker["about"] == "torch 2.11.0");
    CHECK(worker["reason_code"] == "program_runs");
    CHECK(worker["reason"] == "It runs on this machine.");
    CHECK(itemAt(listed, "torch/2.11.0")["reason_code"] == "built_with");
    CHECK(run["in_use"] == false);
    CHECK(run["about"] == "far");
    CHECK(run["reason_code"].is_null());
    CHECK(run["reason"].is_null());
    const std::string text = site.run({"site", "clean", "alder"}).out;
    CAPTURE(text);
    CHECK(text.find("  workers/abc  It runs on this machine.\n") != std::string::npos);
    CHECK(text.find("  " + run["path"].get<std::string>() + "  far\n") != std::string::npos);
}

/// The site refuses the torch; the worker was in use before it was asked.
void checkKept(const AlderFixture& site)
{
    const Ended ended = site.run({"site", "clean", "alder", "--yes", "--json"});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const char* kept = R"([
        {"path": "torch/2.11.0", "reason": "Worker abc was built with it. Delete that first.", "reason_code": "built_with"},
        {"path": "workers/abc", "reason": "It runs on this machine.", "reason_code": "program_runs"}
    ])";
    CHECK(ended.json()["kept"] == Json::parse(kept));
    CHECK(ended.json()["freed_bytes"] > 0);
    const std::string text = site.run({"site", "clean", "alder", "--yes"}).out;
    CAPTURE(text);
    CHECK(text.find("kept: torch/2.11.0  Worker abc was built with it. Delete that first.\n") != std::string::npos);
    CHECK(text.find("kept: workers/abc  It runs on this machine.\n") != std::string::npos);
}

} // namespace

TEST_CASE_FIXTURE(SitesFixture, "sites are added, listed and forgotten")
{
    CHECK(run({"site", "list", "--json"}).json().empty());
    CHECK(run({"site", "add", "alder", "kim@alder.example.org:2222", "--partition", "gpu"}).code == 0);
    const Json listed = run({"site", "list", "--json"}).json();
    REQUIRE(listed.size() == 1);
    CHECK(listed[0]["name"] == "alder");
    CHECK(listed[0]["host"] == "alder.example.org");
    CHECK(run({"site", "add", "alder", "other"}).says("There is a site “alder” already."));
    const Ended wrong = run({"site", "add", "../x", "host"});
    CHECK(wrong.code == 2);
    CHECK(wrong.says("cannot be a site's name"));
    for (const char* name : {"--help", "-x", "..", ".", ".hidden", "a/b", "a b", "local"}) {
        CAPTURE(name);
        CHECK(run({"site", "add", "--", name, "host"}).code == 2);
        CHECK(run({"site", "test", "--", name}).code == 2);
        CHECK(run({"site", "remove", "--", name}).code == 2);
    }
    CHECK(run({"site", "add", "beech", "-oProxyCommand=touch"}).code == 2);
    CHECK(run({"site", "remove", "aldr"}).says("Did you mean “alder”?"));
    CHECK(run({"site", "remove", "alder"}).code == 0);
    CHECK(!fs::exists(file("alder")));
}

TEST_CASE_FIXTURE(SitesFixture, "a site whose file has a mistake is not replaced, and can be forgotten")
{
    REQUIRE(run({"site", "add", "alder", "kim@alder.example.org"}).code == 0);
    std::ofstream(file("alder"), std::ios::app) << "prt = 2222\n";
    const std::string mistaken = readFile(file("alder")).value_or("");
    const Ended added = run({"site", "add", "alder", "other"});
    CHECK(added.code == 2);
    CHECK(added.says("There is a site “alder” already."));
    CHECK(readFile(file("alder")) == mistaken);
    CHECK(run({"site", "remove", "../alder"}).code == 2);
    CHECK(fs::exists(file("alder")));
    CHECK(run({"site", "remove", "alder"}).code == 0);
    CHECK(!fs::exists(file("alder")));
}

TEST_CASE_FIXTURE(SitesFixture, "a site without a description is refused before anything is stored")
{
    const Ended ended = run({"run", experiment("far", "ranks = [1]", 1, 8), "--site", "alder"});
    CHECK(ended.code == 2);
    CHECK(ended.says("There is no site “alder”."));
    CHECK(count("far", "queued") == 0);
}

TEST_CASE_FIXTURE(SitesFixture, "an experiment for a site without a description does not pass its check")
{
    CHECK(run({"site", "add", "beech"}).code == 0);
    const std::string file = write("far.toml", "format = 1\nname = \"far\"\nsite = \"beeck\"\n[fixed]\n"
                                               "model = \"lenet\"\nbatch_per_rank = 8\n[factors]\nranks = [1]\n");
    const Ended checked = run({"check", file});
    CAPTURE(checked.err);
    CHECK(checked.code == 2);
    CHECK(checked.says("line 3"));
    CHECK(checked.says("There is no site “beeck”. Did you mean “beech”?"));
}

TEST_CASE_FIXTURE(SitesFixture, "this computer is no site to be tested")
{
    const Ended ended = run({"site", "test", "local"});
    CHECK(ended.code == 2);
    CHECK(ended.says("This computer needs no preparation."));
}

TEST_CASE_FIXTURE(SitesFixture, "a test names the step that fails, and does not try those behind it")
{
    // No server listens at port 1 of this computer.
    CHECK(run({"site", "add", "alder", "kim@127.0.0.1:1"}).code == 0);
    const Ended ended = run({"site", "test", "alder", "--json"});
    CHECK(ended.code == 69);
    const Json report = ended.json();
    CHECK(report["ok"] == false);
    CHECK(stateOf(report, "reach") == "failed");
    CHECK(stateOf(report, "worker") == "not_tried");
    CHECK(report["steps"].size() == 8);
    CHECK(report["error"]["message"] == report["steps"][0]["text"]);
    CHECK(report["found"].empty());
}

TEST_CASE_FIXTURE(SitesFixture, "a site that is not described is reported in JSON, too")
{
    CHECK(run({"site", "add", "alder"}).code == 0);
    const Ended ended = run({"site", "test", "aldr", "--json"});
    CHECK(ended.code == 2);
    CHECK(ended.json()["ok"] == false);
    CHECK(ended.json()["error"]["message"] == "There is no site “aldr”.");
    CHECK(ended.json()["error"]["hint"].get<std::string>().starts_with("Did you mean “alder”?"));
    const Json report = ended.json();
    for (const Json& step : report["steps"])
        CHECK(step["state"] == "not_tried");
}

TEST_CASE_FIXTURE(AlderFixture, "a missing torch is offered, and installed once that was accepted")
{
    REQUIRE_SSHD(sshd);
    if (!hasBash()) {
        MESSAGE("skipped: this user's login shell is not bash, which reads the PATH of this test");
        return;
    }
    const fs::path tools = folder / "tools";
    const auto tool = [&](const std::string& name, const std::string& script) {
        fs::permissions(write("tools/" + name, "#!/bin/sh\n" + script + "\n"), fs::perms::owner_all);
    };
    fs::create_directories(tools);
    tool("python3", R"(case "$2 $3" in
"pip --version") echo pip 23 ;;
"pip install") while [ "$1" != --target ]; do shift; done
    mkdir -p "$2/torch/lib" "$2/torch/include/ATen" "$2/torch/include/torch/headeronly"
    touch "$2/torch/lib/libtorch_cpu.so" "$2/torch/include/ATen/ATen.h"
    printf '#define TORCH_VERSION_%s\n' 'MAJOR 2' 'MINOR 11' 'PATCH 0' >"$2/torch/include/torch/headeronly/version.h" ;;
esac)");
    tool("g++", R"(case $1 in -dump*) echo 12.2.0; exit ;; -print*) exit ;; esac
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\nexit 0\n' >"$2"; chmod 755 "$2")");
    tool("cmake", R"(case $1 in --version) echo "cmake version 3.25.1" ;;
--build) mkdir -p build/bin; printf '#!/bin/sh\necho "{\"format\": 1}"\n' >build/bin/ringside-worker
    chmod 755 build/bin/ringside-worker ;; esac)");
    describe("");
    std::ofstream(sshd.file("home/.bashrc")) << "PATH=" << tools.string() << ":$PATH\n";

    const Ended offered = run({"site", "test", "alder", "--json"});
    CAPTURE(offered.out);
    REQUIRE(offered.code == 69);
    CHECK(stateOf(offered.json(), "worker") == "failed");
    CHECK(offered.json()["steps"].back()["can_install_torch"] == true);
    CHECK(run({"site", "test", "alder"}).says("ringside-cli site test alder --install-torch"));
    CHECK_FALSE(fs::exists(folder / "there/torch"));

    const Ended accepted = run({"site", "test", "alder", "--install-torch", "--json"});
    CAPTURE(accepted.out);
    REQUIRE(accepted.code == 0);
    CHECK(fs::exists(folder / "there/torch/2.11.0/torch/lib/libtorch_cpu.so"));
    CHECK(readFile(file("alder"))->find("install_torch = true") != std::string::npos);
    const Json found = accepted.json()["found"];
    CHECK(std::any_of(found.begin(), found.end(), [](const Json& fact) {
        return fact["fact"] == "Installed" && fact["text"].get<std::string>().find("1 torch") != std::string::npos;
    }));
    CHECK(run({"run", experiment("near", "ranks = [1]", 1, 8), "--install-torch"}).says("for sites elsewhere"));
}

TEST_CASE_FIXTURE(AlderFixture, "test, run, list and clean a site behind SSH")
{
    REQUIRE_SSHD(sshd);
    const Ended tested = run({"site", "test", "alder", "--json"});
    CAPTURE(tested.err);
    REQUIRE(tested.code == 0);
    CHECK(tested.json()["ok"] == true);
    CHECK(stateOf(tested.json(), "worker") == "ok");

    const Ended ended = run({"run", experiment("far", "ranks = [1]", 2, 8), "--site", "alder", "--json"});
    CAPTURE(ended.err);
    REQUIRE(ended.code == 0);
    const Json runs = ended.json();
    REQUIRE(runs.size() == 2);
    for (const Json& each : runs) {
        CHECK(each["state"] == "done");
        CHECK(each["site"] == "alder");
        CHECK(each["samples"] == 8);
    }

    const Ended byHand = run({"script", experiment("hand", "ranks = [1]", 2, 8), "--site", "alder"});
    CHECK(byHand.code == 2);
    CHECK(byHand.says("alder has no scheduler"));
    CHECK(count("hand", "queued") == 0);

    const Program worker = runningWorker(*this);
    checkListed(*this);
    checkKept(*this);
    CHECK(fs::exists(folder / "there/torch/2.11.0"));
    CHECK(fs::exists(folder / "there/workers/abc"));
    const fs::path held = folder / "there/runs"; // removed, too, once it is empty and no agent runs
    CHECK((!fs::exists(held) || fs::is_empty(held)));
    CHECK(!fs::exists(folder / "there/bin"));          // the relays of the commands before have ended by then
    CHECK(run({"runs", "--json"}).json().size() == 2); // the store keeps what it has
}

TEST_CASE_FIXTURE(AlderFixture, "no way in is a site that is not available, whatever refused it")
{
    REQUIRE_SSHD(sshd);
    fs::rename(sshd.file("authorized_keys"), sshd.file("authorized_keys.away"));
    const Ended refused = run({"site", "test", "alder"});
    CAPTURE(refused.err);
    CHECK(refused.code == 69);
    CHECK(refused.says("Tried: "));
    CHECK(run({"site", "clean", "alder"}).code == 69);
    fs::rename(sshd.file("authorized_keys.away"), sshd.file("authorized_keys"));

    sshd.changeHostKeys({"ed25519"});
    const Ended changed = run({"run", experiment("far", "ranks = [1]", 1, 8), "--site", "alder"});
    CAPTURE(changed.err);
    CHECK(changed.code == 69);
    CHECK(changed.says("shows another host key than the one on record"));
}

TEST_CASE_FIXTURE(AlderFixture, "runs that failed elsewhere are done again there")
{
    REQUIRE_SSHD(sshd);
    const std::string failing =
        write("failing-worker", "#!/bin/sh\n[ \"$1\" != features ] || exec " + testProgram("testworker") +
                                    " features\necho 'rank 0: There are no pictures.' >&2\nexit 13\n");
    fs::permissions(failing, fs::perms::owner_all);
    describe(failing);
    const std::string file = experiment("far", "ranks = [1]", 1, 8);
    const Ended ended = run({"run", file, "--site", "alder"});
    CAPTURE(ended.err);
    CHECK(ended.code == 3);
    CHECK(ended.says("ringside-cli run --site alder --retry-failed " + file));
    const Json attempts = run({"show", "1"}).json()["attempts"];
    REQUIRE(attempts.size() == 1);
    REQUIRE_FALSE(attempts[0]["logs"].empty());
    for (const std::string log : attempts[0]["logs"])
        CHECK(fs::exists(log));
    CHECK(attempts[0]["logs"].back().get<std::string>().starts_with((folder / "there/runs").string()));
}

TEST_CASE_FIXTURE(SitesFixture, "an alias of the account's own configuration is a site, from any folder")
{
    OwnHome home;
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    REQUIRE_SSHD(home);
    home.write(".ssh/config", readFile(sshd.clientConfig()).value_or(""));
    sshd.trust();
    home.enterForeignFolder();
    REQUIRE(run({"site", "add", "alder", "--root", (folder / "there").string()}).code == 0);
    std::ofstream(file("alder"), std::ios::app) << "worker = \"" << testProgram("testworker") << "\"\n";
    const Ended tested = run({"site", "test", "alder", "--json"});
    fs::current_path("/");
    CAPTURE(tested.err);
    CAPTURE(tested.out);
    CHECK(tested.code == 0);
    CHECK(stateOf(tested.json(), "sign_in") == "ok");
    CHECK(stateOf(tested.json(), "worker") == "ok");
    CHECK_FALSE(fs::exists(home.folder() / "executed"));
}

TEST_CASE_FIXTURE(SitesFixture, "examples can be typed as they stand")
{
    for (const char* command : {"add", "remove", "test", "clean"}) {
        const Ended help = run({"site", command, "--help"});
        CAPTURE(help.out);
        CHECK(help.out.find(std::string("  ringside-cli site ") + command + " alder") != std::string::npos);
    }
    CHECK(run({"runs", "--help"}).out.find("  ringside-cli runs --experiment") != std::string::npos);
}

TEST_CASE_FIXTURE(AlderFixture, "without a terminal an unknown host key is named, with what to do about it")
{
    REQUIRE_SSHD(sshd);
    fs::remove(sshd.knownHosts());
    const Ended ended = run({"site", "test", "alder"});
    CAPTURE(ended.err);
    CHECK(ended.code == 69);
    CHECK(ended.says("is not known yet"));
    CHECK(ended.says("ssh-ed25519 key SHA256:"));
    CHECK(ended.says("Connect once in a terminal"));
    CHECK(ended.says("ssh-keyscan"));
    CHECK_FALSE(ended.says("ssh agent"));

    sshd.clientConfig("UserKnownHostsFile none");
    const Ended nowhere = run({"site", "test", "alder"});
    CAPTURE(nowhere.err);
    CHECK(nowhere.code == 69);
    CHECK(nowhere.says("names no file that would remember the key (UserKnownHostsFile none)"));
}
