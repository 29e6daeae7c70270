// SPDX-License-Identifier: MIT
// Systems from the command line: installed by pip from a folder of packages that the test makes, on this computer and
// behind a real sshd; tried by the real runner; removed.
#include "core/base/child.h"
#include "tests/cli/clifixture.h"
#include "tests/remote/ssh/commands.h"
#include "tests/remote/ssh/sshd.h"
#include "tests/support/smalldisk.h"
#include "tests/support/tinypackage.h"

#include <algorithm>
#include <csignal>
#include <thread>

using namespace ringside;
using namespace ringside::test;

namespace {

struct EnginesFixture : CliFixture
{
    EnginesFixture()
    {
        environment["XDG_CONFIG_HOME"] = (folder / "config").string();
        environment["PATH"] = "/usr/bin:/bin"; // each Python in PATH is asked for its version
        describe(kTinyTable);
        REQUIRE(makeTinyPackage(folder / "wheels", TinyPackage::wheel));
    }

    void describe(const std::string& table) const
    {
        fs::create_directories(folder / "config/ringside/adapters");
        write("config/ringside/adapters/tiny.toml", table);
    }

    fs::path root() const { return folder / "data/ringside"; }
    fs::path engine() const { return root() / "engines/tiny"; }

    /// As an installation leaves it that was interrupted once the environment was there, which takes 5 s to make.
    void beginAt(const fs::path& engine) const
    {
        static const TemporaryFolder made;
        const fs::path shared = made / "tiny";
        if (!fs::exists(shared)) {
            const auto child =
                startChild({.arguments = {"/usr/bin/python3", "-m", "venv", shared.string()}, .errors = 2});
            REQUIRE((child && awaitChild(*child) == 0));
            const std::string about = readFile(shared / "pyvenv.cfg").value_or("");
            const std::size_t at = about.find("version = ") + 10;
            REQUIRE(writeFileAtomically(shared / "venv-made", about.substr(at, about.find('\n', at) - at)));
        }
        fs::create_directories(engine.parent_path());
        fs::copy(shared, engine, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    }

    Arguments installing(const Arguments& more = {}) const
    {
        Arguments arguments{"engine", "install", "tiny", "--yes", "--wheels", (folder / "wheels").string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }

    /// The file of an experiment that does.
    std::string trainsTiny(const std::string& name, int iterations) const
    {
        return write(name + ".toml", "format = 1\nname = \"" + name +
                                         "\"\n[factors]\nranks = [1]\n[fixed]\nengine = \"tiny\"\n"
                                         "model = \"lenet\"\nbatch_per_rank = 8\n[runs]\nrepeats = 1\niterations = " +
                                         std::to_string(iterations) + "\nwarmup = 1\n");
    }

    Json listed(const std::string& name, const Arguments& more = {}) const
    {
        Arguments arguments{"engine", "list", "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        for (const Json& each : run(arguments).json())
            if (each["name"] == name)
                return each;
        return {};
    }

    /// From now on the package is compiled, which takes until letItBuild().
    void makeSlow() const
    {
        fs::remove_all(folder / "wheels");
        write("hold", "");
        REQUIRE(makeTinyPackage(folder / "wheels", TinyPackage::source, folder / "hold"));
    }
    void letItBuild() const { fs::remove(folder / "hold"); }

    /// The process on the site that carries out the installation; 0 if there is none.
    pid_t installer() const
    {
        for (const auto& entry : fs::directory_iterator("/proc")) {
            const std::string words = readFile(entry.path() / "cmdline").value_or("");
            if (words.find("long-request") != words.npos && words.find(folder.path().string()) != words.npos)
                return std::atoi(entry.path().filename().c_str());
        }
        return 0;
    }
};

/// Returns a step in the output of `engine check --json`.
Json stepOf(const Json& steps, const std::string& title)
{
    for (const Json& each : steps)
        if (each["step"] == title)
            return each;
    return {};
}

bool isWhole(const fs::path& engine)
{
    return fs::exists(engine / "engine.json");
}

} // namespace

TEST_CASE_FIXTURE(EnginesFixture, "systems are listed with what can be had of them")
{
    describe("format = 1\nname = \"tiny\"\ntitle = \"Tiny\"\nsettings = [\"colour\"]\n[launch]\ncommand = [\"x\"]\n");
    const Json wrong = listed("tiny");
    CHECK(wrong["state"] == "missing");
    CHECK(wrong["reason"].get<std::string>().find("tiny.toml, line 4") != std::string::npos);
    const Ended checked = run({"engine", "check", "tiny"});
    CHECK(checked.code == 2);
    CHECK(checked.says("The table of “tiny” cannot be read: "));
    CHECK(checked.says("tiny.toml, line 4"));
    CHECK(listed("megatron")["reason"] == "Its logs are read; it is not started.");
    const Json pytorch = listed("pytorch");
    CHECK(pytorch["state"] == "installable");
    CHECK(pytorch["version"] == nullptr);
    CHECK(pytorch["licence"] == "BSD-3-Clause");
    CHECK(pytorch["bytes"] > 100'000'000);
    const Json cntk = listed("cntk");
    Json bits;
    for (const Json& option : cntk.at("options"))
        if (option["name"] == "cntk.quantization_bits")
            bits = option;
    CHECK(bits["type"] == "word");
    CHECK(bits["default"] == "32");
    CHECK(bits["levels"] == Json::array({"32", "1"}));
    CHECK(bits["source"] == "cntk.data_parallel_distributed_learner");
    const Ended unknown = run({"engine", "check", "pytorhc"});
    CHECK(unknown.code == 2);
    CHECK(unknown.says("Did you mean “pytorch”?"));
    CHECK(run({"engine", "install", "megatron", "--yes"}).says("Its logs are read; it is not started."));
}

TEST_CASE_FIXTURE(EnginesFixture, "without a folder for temporary files a command says so")
{
    environment["TMPDIR"] = (folder / "gone").string();
    for (const char* command : {"list", "check", "remove"}) {
        const Ended ended =
            run(command == std::string("list") ? Arguments{"engine", command} : Arguments{"engine", command, "tiny"});
        CHECK(ended.code == 73);
        CHECK(ended.says("There is no folder for temporary files: TMPDIR names none. Set TMPDIR"));
    }
}

TEST_CASE_FIXTURE(EnginesFixture, "a system is installed once that is agreed to, checked, and removed")
{
    const Ended asked = run({"engine", "install", "tiny", "--wheels", (folder / "wheels").string()});
    CHECK(asked.code == 2);
    CHECK(asked.says("40.0 MB on disk, about 20 s, licence MIT, from this test"));
    CHECK(run({"engine", "install", "--module", "Python/3.11", "tiny"}).says("Nothing was installed."));
    CHECK(!fs::exists(engine()));

    const Ended installed = run(installing({"--json"}));
    CAPTURE(installed.err);
    REQUIRE(installed.code == 0);
    CHECK(installed.json()["version"] == "1.4.0");
    CHECK(installed.says("Installing tinysystem==1.4.0"));
    CHECK(listed("tiny")["state"] == "ready");
    const Ended there = run({"engine", "install", "tiny"});
    CHECK(there.code == 2);
    CHECK(
        there.says(" 1.4.0 is installed already: " + (engine() / "bin/python").string() + ". Nothing was installed."));
    CHECK(there.says("--yes would leave it as it is."));
    CHECK(run({"engine", "install", "tiny", "--python", "python3"}).says("--yes installs it anew."));
    for (const char* elsewhere : {".local", ".config", ".cache/pip"})
        CHECK(!fs::exists(folder / "home" / elsewhere));
    for (const char* left : {"tmp", "cache", "progress"})
        CHECK(!fs::exists(engine() / left));

    const Ended checked = run({"engine", "check", "tiny", "--json"});
    CAPTURE(checked.err);
    CAPTURE(checked.out);
    CHECK(checked.code == 0);
    const Json steps = checked.json();
    CHECK(stepOf(steps, "Interpreter")["text"] == (engine() / "bin/python").string());
    CHECK(stepOf(steps, "Version")["text"] == "tinysystem 1.4.0, in the range of its table (>=1, <2)");
    CHECK(stepOf(steps, "One rank")["text"].get<std::string>().starts_with("10 records, first loss 1.0000, "));
    CHECK(stepOf(steps, "Two ranks")["text"].get<std::string>().starts_with(
        "both trained: 20 records of 2 ranks, losses equal (first 3.0000), "));
    CHECK((!fs::exists(root() / "runs") || fs::is_empty(root() / "runs")));
    CHECK((!fs::exists(root() / "campaigns") || fs::is_empty(root() / "campaigns")));
    CHECK(run({"runs"}).says("There is no database")); // the check had one of its own

    const Ended removed = run({"engine", "remove", "tiny"});
    CAPTURE(removed.err);
    CHECK(removed.code == 0);
    CHECK(!fs::exists(engine()));
    CHECK(run({"engine", "remove", "tiny"}).code == 2);
    CHECK(run({"engine", "check", "tiny"}).code == 3);
}

TEST_CASE_FIXTURE(EnginesFixture, "an interpreter that has the system is taken as it is")
{
    const fs::path bin = folder / "python3";
    fs::permissions(write("python3", "#!/bin/sh\nPYTHONPATH=" + (folder / "site").string() + " exec python3 \"$@\"\n"),
                    fs::perms::owner_all);
    fs::create_directories(folder / "site/tinysystem");
    write("site/tinysystem/__init__.py", "__version__ = '1.9'\n");
    const Arguments install{"engine", "install", "tiny", "--yes", "--json", "--python", bin.string()};
    const Ended taken = run(install);
    CAPTURE(taken.err);
    REQUIRE(taken.code == 0);
    CHECK(taken.json()["python"] == bin.string());
    CHECK(taken.json()["version"] == "1.9");
    CHECK(!fs::exists(engine() / "bin"));

    write("site/tinysystem/__init__.py",
          "__version__ = '2.1.0'\n"); // of another length: by that and the second Python knows it anew
    const Ended other = run(install);
    CHECK(other.code == 69);
    CHECK(other.says("tiny 2.1.0 is installed; its table is for >=1, <2."));
    CHECK(run({"engine", "check", "tiny"}).out.find("out of the range of its table") != std::string::npos);

    fs::remove(bin);
    CHECK(listed("tiny")["state"] == "installable");
    CHECK(listed("tiny")["reason"] == "Its interpreter " + bin.string() + " is gone: install it again.");
    CHECK(run({"engine", "check", "tiny"}).out.find(bin.string() + " is gone") != std::string::npos);
    const Ended ended = run({"run", trainsTiny("gone", 10)});
    CHECK(ended.code == 2); // before anything is started
    CHECK(ended.says("ran with “" + bin.string() + "”, which is gone"));
    beginAt(engine()); // anew, in place of one that is not there
    CHECK(run(installing()).code == 0);
    CHECK(listed("tiny")["state"] == "ready");
}

TEST_CASE_FIXTURE(EnginesFixture, "variables, and a pip.conf, by which pip puts packages elsewhere do not count")
{
    beginAt(engine());
    fs::create_directories(folder / "config/pip");
    const std::string place = (folder / "elsewhere").string();
    write("config/pip/pip.conf", "[install]\ntarget = " + place + "\n[global]\nroot = " + place + "\n");
    for (const char* name : {"PIP_TARGET", "PIP_PREFIX", "PIP_ROOT"})
        environment[name] = (folder / "elsewhere").string();
    environment["PIP_USER"] = "1";
    const Ended installed = run(installing());
    CAPTURE(installed.err);
    CHECK(installed.code == 0);
    CHECK_FALSE(fs::exists(folder / "elsewhere"));
}

TEST_CASE_FIXTURE(EnginesFixture, "a module within a package has the package's version")
{
    std::string table = kTinyTable;
    const std::string module = "module = \"tinysystem\"";
    REQUIRE(table.find(module) != std::string::npos);
    describe(table.replace(table.find(module), module.size(), "module = \"tinysystem.torch\""));
    const std::string bin =
        write("python3", "#!/bin/sh\nPYTHONPATH=" + (folder / "site").string() + " exec python3 \"$@\"\n");
    fs::permissions(bin, fs::perms::owner_all);
    fs::create_directories(folder / "site/tinysystem");
    write("site/tinysystem/__init__.py", "__version__ = '1.9'\n");
    write("site/tinysystem/torch.py", "");
    const Arguments install{"engine", "install", "tiny", "--yes", "--python", bin};
    const Ended taken = run(install);
    CAPTURE(taken.err);
    CHECK(taken.code == 0);
    CHECK(listed("tiny")["version"] == "1.9");
    CHECK_FALSE(fs::exists(engine() / "bin"));
}

TEST_CASE_FIXTURE(EnginesFixture, "a library that the packages know by another name is found by it")
{
    describe(std::string(kTinyTable) +
             "libraries = { \"libtinymath.so.7\" = \"libz.so.1\", \"libnothere.so.2\" = \"libnothere.so.1\" }\n");
    const std::string bin =
        write("python3", "#!/bin/sh\nPYTHONPATH=" + (folder / "site").string() + " exec python3 \"$@\"\n");
    fs::permissions(bin, fs::perms::owner_all);
    fs::create_directories(folder / "site/tinysystem");
    write("site/tinysystem/__init__.py", "import ctypes\nctypes.CDLL('libtinymath.so.7')\n__version__ = '1.9'\n");
    const Ended taken = run({"engine", "install", "tiny", "--yes", "--python", bin});
    CAPTURE(taken.err);
    CHECK(taken.code == 0);
    CHECK(fs::exists(engine() / "libraries/libtinymath.so.7"));
    CHECK_FALSE(fs::exists(fs::symlink_status(engine() / "libraries/libnothere.so.2")));
    const Json kept = Json::parse(readFile(engine() / "engine.json").value());
    CHECK(kept["environment"]["LD_LIBRARY_PATH"].get<std::string>().find((engine() / "libraries").string()) == 0);
}

TEST_CASE_FIXTURE(EnginesFixture,
                  "an installation whose agent is killed goes on from there, and one that is under way is joined")
{
    makeSlow();
    const auto first = start(installing());
    REQUIRE(first->waitToSay("Installing tinysystem"));
    const auto second = start(installing());
    REQUIRE(second->waitToSay(" %  ")); // progress of the one that installs
    CHECK(run({"engine", "remove", "tiny"}).says("It is being installed."));
    for (int tries = 0; tries < 2; ++tries) // both: the one that waits would go on
        if (const pid_t agent = installer(); agent > 0)
            ::kill(agent, SIGKILL), std::this_thread::sleep_for(std::chrono::milliseconds(200));
    CHECK(first->wait().code == 69);
    CHECK(second->wait().code == 69);
    CHECK_FALSE(isWhole(engine()));
    CHECK(listed("tiny")["state"] == "installable");
    letItBuild();
    const Ended again = run(installing());
    CAPTURE(again.err);
    CHECK(again.code == 0);
    CHECK(isWhole(engine()));
    CHECK_FALSE(again.says("Making an environment"));
}

TEST_CASE_FIXTURE(EnginesFixture, "Ctrl+C cancels an installation, and nothing of it runs on")
{
    beginAt(engine());
    makeSlow();
    const auto install = start(installing());
    REQUIRE(install->waitToSay("Installing tinysystem"));
    install->signal(SIGINT);
    const Ended ended = install->wait();
    CAPTURE(ended.err);
    CHECK(ended.code == 3);
    CHECK(ended.says("What was downloaded is kept"));
    for (int tries = 0; installer() > 0 && tries < 100; ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    CHECK(installer() == 0);
    CHECK_FALSE(isWhole(engine()));
    const Ended removed = run({"engine", "remove", "tiny"});
    CAPTURE(removed.err);
    CHECK(removed.code == 0);
    CHECK(!fs::exists(engine()));
}

TEST_CASE_FIXTURE(EnginesFixture, "what cannot be installed says why")
{
    SUBCASE("a folder that is not there")
    {
        const Ended ended = run({"engine", "install", "tiny", "--yes", "--wheels", "/nowhere"});
        CHECK(ended.says("There is no folder /nowhere here."));
    }
    SUBCASE("an interpreter that does not start")
    {
        const std::string bin = write("python3", "#!/bin/sh\necho libpython is not here >&2\nexit 127\n");
        fs::permissions(bin, fs::perms::owner_all);
        const Ended ended = run({"engine", "install", "tiny", "--yes", "--python", bin});
        CHECK(ended.code == 69);
        CHECK(ended.says("libpython is not here")); // why it was not taken as it is
        CHECK(ended.says("is no Python"));
    }
    SUBCASE("a package that is not in the folder")
    {
        beginAt(engine());
        fs::remove_all(folder / "wheels");
        fs::create_directories(folder / "wheels");
        const Ended ended = run(installing());
        CHECK(ended.code == 69);
        CHECK(ended.says(" lacks tinysystem==1.4.0 for Python 3"));
        CHECK(ended.says("pip download -d "));
    }
    SUBCASE("no interpreter of its range")
    {
        describe(std::string(kTinyTable) + "python = \">=2.1, <2.2\"\n");
        const Ended ended = run(installing());
        CHECK(ended.code == 69);
        CHECK(ended.says("A Python >=2.1, <2.2 is needed; found: 3."));
        CHECK(run({"engine", "install", "tiny"}).says("it needs a Python >=2.1, <2.2 there")); // before it is agreed to
    }
    SUBCASE("no network")
    {
        beginAt(engine());
        environment["https_proxy"] = environment["http_proxy"] = "http://127.0.0.1:1"; // no proxy listens there
        environment["PIP_INDEX_URL"] = "https://index.example/simple";
        const Ended ended = run({"engine", "install", "tiny", "--yes"});
        CAPTURE(ended.err);
        CHECK(ended.code == 69);
        CHECK(ended.says("the package index cannot be reached"));
        CHECK(ended.says("--wheels FOLDER"));
    }
}

TEST_CASE_FIXTURE(EnginesFixture, "a full disk is reported before the installation, and during it if it fills up then")
{
    fs::create_directories(root() / "engines");
    SmallDisk disk(root() / "engines", 8'192);
    if (!disk.problem().empty()) {
        MESSAGE("skipped: ", disk.problem());
        return;
    }
    const Ended before = run(installing());
    CAPTURE(before.err);
    CHECK(before.code == 73);
    CHECK(before.says("tiny needs 40.0 MB"));
    std::string table = kTinyTable;
    table.replace(table.find("megabytes = 40"), 14, "megabytes = 2 ");
    describe(table);
    const Ended during = run(installing());
    CAPTURE(during.err);
    CHECK(during.code == 73);
    CHECK(during.says("the disk is full"));
    CHECK_FALSE(isWhole(engine()));
    disk.grow();
    const Ended after = run(installing());
    CAPTURE(after.err);
    CHECK(after.code == 0);
}

TEST_CASE_FIXTURE(EnginesFixture, "a system that runs need is not removed")
{
    beginAt(engine());
    REQUIRE(run(installing()).code == 0);
    const auto running = start({"run", trainsTiny("long", 100'000)});
    for (int tries = 0; count("long", "running") == 0 && tries < 300; ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    REQUIRE(count("long", "running") == 1);
    const Ended refused = run({"engine", "remove", "tiny"});
    CAPTURE(refused.err);
    CHECK(refused.code == 75);
    CHECK(refused.says("of “long”, which is not over, needs it."));
    CHECK(isWhole(engine()));
}

TEST_CASE_FIXTURE(EnginesFixture, "Ctrl+C stops a check, and nothing of it stays")
{
    environment["TMPDIR"] = (folder / "tmp").string();
    for (const char* name : {"tmp", "site/tinysystem"})
        fs::create_directories(folder / name);
    const std::string begun = (folder / "begun").string();
    write("site/tinysystem/__init__.py", "__version__ = '1.9'\n");
    write("site/tinysystem/__main__.py", "import time\nopen('" + begun + "', 'w')\ntime.sleep(600)\n");
    const std::string bin =
        write("python3", "#!/bin/sh\nPYTHONPATH=" + (folder / "site").string() + " exec python3 \"$@\"\n");
    fs::permissions(bin, fs::perms::owner_all);
    REQUIRE(run({"engine", "install", "tiny", "--yes", "--python", bin}).code == 0);
    const auto check = start({"engine", "check", "tiny", "--json"});
    for (int tries = 0; tries < 300 && !fs::exists(begun); ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    REQUIRE(fs::exists(begun));
    check->signal(SIGINT);
    const Ended ended = check->wait();
    CAPTURE(ended.err);
    CHECK(ended.code == 3);
    CHECK(ended.says("The check of tiny was stopped."));
    CHECK(stepOf(ended.json(), "Version")["ok"] == true);
    for (const char* name : {"runs", "campaigns"})
        CHECK((!fs::exists(root() / name) || fs::is_empty(root() / name)));
    for (const auto& entry : fs::directory_iterator(folder / "tmp")) // Qt has a folder of its own there
        CHECK_FALSE(entry.path().filename().string().starts_with("ringside-"));
}

TEST_CASE_FIXTURE(EnginesFixture, "a system is installed, checked and removed behind SSH")
{
    Sshd sshd;
    REQUIRE_SSHD(sshd);
    sshd.trust();
    fs::create_directories(folder / "config/ringside/sites");
    write("config/ringside/sites/alder.toml",
          "format = 1\nname = \"alder\"\nhost = \"alder\"\nssh_config = \"" + sshd.clientConfig().string() +
              "\"\nroot = \"" + (folder / "there").string() + "\"\nscheduler = \"none\"\nworker = \"" +
              testProgram("testworker") + "\"\n");
    beginAt(folder / "there/engines/tiny");
    const Arguments there{"--site", "alder"};
    CHECK(listed("tiny", there)["state"] == "installable");
    const Ended installed = run(installing(there));
    CAPTURE(installed.err);
    REQUIRE(installed.code == 0);
    CHECK(isWhole(folder / "there/engines/tiny"));
    CHECK(listed("tiny", there)["version"] == "1.4.0");
    CHECK(listed("tiny")["version"] == nullptr);
    const Ended checked = run({"engine", "check", "tiny", "--site", "alder"});
    CAPTURE(checked.err);
    CAPTURE(checked.out);
    CHECK(checked.code == 0);
    CHECK(checked.out.find("losses equal") != std::string::npos);
    const Ended listed = run({"site", "clean", "alder", "--json"});
    CHECK(std::ranges::any_of(listed.json(), [](const Json& item) { return item["about"] == "tiny 1.4.0"; }));
    CHECK(run({"engine", "remove", "tiny", "--site", "alder"}).code == 0);
    CHECK_FALSE(fs::exists(folder / "there/engines/tiny"));
}
