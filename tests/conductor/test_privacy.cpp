// SPDX-License-Identifier: MIT
// Secrets, files and ports cannot be seen or reached by other users; and a relay ends with its channel.
#include "tests/conductor/remotesession.h"
#include "tests/conductor/spoolcompare.h"
#include "tests/remote/ssh/commands.h"
#include "tests/support/built.h"

#include <csignal>
#include <fstream>
#include <set>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace ringside;
using namespace ringside::test;

namespace {

const std::string kPassword = "correct-horse-battery";
const std::string kCode = "493817264";

SshdOptions twoFactors()
{
    SshdOptions options;
    options.config = "PubkeyAuthentication no\nKbdInteractiveAuthentication yes\n";
    options.pamLine = "auth required " + testProgram("pam_asktwice.so") + " password=" + kPassword + " code=" + kCode;
    return options;
}

SshdOptions careless()
{
    SshdOptions options;
    options.shells = {"bash"};
    return options;
}

struct TwoFactorSession : Session
{
    TwoFactorSession()
        : Session(true, twoFactors())
    {
    }
};

/// Files are made as everybody's on both sides, unless Ringside sees to it.
struct CarelessSession : Session
{
    CarelessSession()
        : Session(true, careless())
    {
        if (!sshd.problem().empty())
            return;
        std::ofstream(sshd.file("home/.bashrc")) << "umask 000\n";
        fs::copy_file(testProgram("testworker"), sshd.file("home/testworker"));
        const SiteBook book(folder / "sites");
        Site site = must(book.find(kSite));
        site.user = "bash-user";
        site.root = sshd.file("home/there").string();
        site.worker = sshd.file("home/testworker").string();
        must(book.save(site));
    }
    ~CarelessSession() { ::umask(m_umask); }

private:
    mode_t m_umask = ::umask(0);
};

std::vector<fs::path> filesWith(const fs::path& folder, const std::string& text)
{
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file() && readFile(entry.path(), 256u << 20).value_or("").find(text) != std::string::npos)
            found.push_back(entry.path());
    return found;
}

/// Processes whose file of /proc (cmdline, environ) holds the text; not this one, which knows it.
std::vector<std::string> processesThatSay(const char* file, const std::string& text)
{
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator("/proc"))
        if (readFile(entry.path() / file, 16u << 20).value_or("").find(text) != std::string::npos)
            found.push_back(entry.path().filename().string());
    return found;
}

/// Returns the files and folders that others may read, write or enter.
std::vector<fs::path> openToOthers(const fs::path& folder)
{
    constexpr fs::perms kOthers = fs::perms::group_all | fs::perms::others_all;
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (!entry.is_symlink() && (entry.status().permissions() & kOthers) != fs::perms::none)
            found.push_back(entry.path());
    return found;
}

std::set<std::string> socketsOf(int pid)
{
    std::set<std::string> inodes;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(fmt::format("/proc/{}/fd", pid), ignored)) {
        const std::string target = fs::read_symlink(entry.path(), ignored).string();
        if (target.starts_with("socket:["))
            inodes.insert(target.substr(8, target.size() - 9));
    }
    return inodes;
}

/// Its sockets that belong to a network, connected or not: lines of /proc/PID/net.
std::vector<std::string> networkSocketsOf(int pid)
{
    const auto sockets = socketsOf(pid);
    std::vector<std::string> found;
    for (const char* kind : {"tcp", "tcp6", "udp", "udp6", "raw", "raw6", "packet"}) {
        std::ifstream table(fmt::format("/proc/{}/net/{}", pid, kind));
        for (std::string line; std::getline(table, line);) {
            std::istringstream words(line);
            for (std::string word; words >> word;)
                if (sockets.contains(word))
                    found.push_back(std::string(kind) + " " + line);
        }
    }
    return found;
}

} // namespace

TEST_CASE_FIXTURE(TwoFactorSession,
                  "a password and a code stand on no command line, in no environment, no file and no database")
{
    REQUIRE_SSHD(sshd);
    person.answers = {{kPassword}, {kCode}};
    start();
    must(launch(experiment("[1]", 2, 40)));
    REQUIRE(sink.waitUntil([&] { return !sink.samples.empty(); }));
    REQUIRE_FALSE(processesThatSay("cmdline", thereRoot.string()).empty()); // it would be seen
    for (const std::string& secret : {kPassword, kCode}) {
        CHECK(processesThatSay("cmdline", secret).empty());
        CHECK(processesThatSay("environ", secret).empty());
    }
    REQUIRE(waitForEnd(2));
    must(conductor->collect());
    CHECK(person.answers.empty()); // they were used, once
    conductor.reset();
    REQUIRE_FALSE(filesWith(folder.path(), "lenet").empty());
    for (const std::string& secret : {kPassword, kCode}) {
        CHECK(filesWith(folder.path(), secret).empty());
        CHECK(filesWith(sshd.file("home"), secret).empty());
        CHECK(filesWith(sshd.file("client"), secret).empty());
        CHECK(sshd.log().find(secret) == std::string::npos);
    }
}

TEST_CASE_FIXTURE(CarelessSession, "files are private on both sides, whatever the umask of either")
{
    REQUIRE_SSHD(sshd);
    start();
    must(launch(experiment("[1, 2]", 1, 8)));
    REQUIRE(waitForEnd(2));
    must(conductor->collect());
    SshAddress address = sshd.address();
    address.target.user = "bash-user";
    SshHost host(address);
    REQUIRE(host.connect(nullptr));
    run(host, {"touch", sshd.file("home/untended").string()});
    REQUIRE(fs::status(sshd.file("home/untended")).permissions() == fs::perms(0666)); // as others leave them

    const fs::path there = sshd.file("home/there");
    REQUIRE(fs::exists(there / "runs"));
    for (const auto& path : openToOthers(there))
        CHECK_MESSAGE(false, path.string(), " is open to others");
    for (const auto& entry : fs::directory_iterator(folder.path()))
        if (entry.is_regular_file()) // the store and what lies beside it
            CHECK_MESSAGE((entry.status().permissions() & ~(fs::perms::owner_read | fs::perms::owner_write)) ==
                              fs::perms::none,
                          entry.path().string(), " is open to others");
    CHECK(openToOthers(folder / "sites").empty());
}

TEST_CASE_FIXTURE(TwoFactorSession,
                  "after a sign-in that was declined each request is answered, and the right one goes on")
{
    REQUIRE_SSHD(sshd);
    person.answers = {{kPassword}, {kCode}};
    start();
    must(launch(experiment("[1]", 1, 100)));
    REQUIRE(sink.waitUntil([&] { return !sink.samples.empty(); }));
    sshd.signalSessions(SIGKILL);
    REQUIRE(sink.waitUntil([&] { return hasContact(SiteStatus::Contact::needsPerson); }));
    for (const auto& typed : {std::deque<std::vector<std::string>>{}, {{"wrong"}, {"wrong"}}}) {
        person.answers = typed;
        CHECK_FALSE(conductor->collect());
    }
    person.answers = {{kPassword}, {kCode}};
    must(conductor->collect());
    REQUIRE(waitForEnd(1));
    CHECK(requireStoreEqualsSpools(options().store, thereRoot) == 100);
}

TEST_CASE_FIXTURE(Session, "the agent has no network socket, and the relay ends with its channel while the job goes on")
{
    REQUIRE_SSHD(sshd);
    start();
    must(launch(experiment("[1, 2]", 3, 100)));
    REQUIRE(sink.waitUntil([&] { return !sink.samples.empty(); }));
    REQUIRE(processes("ringside-agent\trelay").size() == 1);
    REQUIRE_FALSE(processes("ringside-agent\trun").empty());
    REQUIRE_FALSE(networkSocketsOf(::getpid()).empty()); // the line itself
    for (const int pid : processes("ringside-agent\t"))
        for (const std::string& socket : networkSocketsOf(pid))
            CHECK_MESSAGE(false, "process ", pid, " has ", socket);

    ::kill(processes("ringside-agent\trelay").front(), SIGSTOP); // it could not say good-bye
    sshd.signalSessions(SIGKILL);
    conductor.reset();
    for (const int pid : processes("ringside-agent\trelay"))
        ::kill(pid, SIGCONT);
    for (int tries = 0; tries < 600 && !processes("ringside-agent\trelay").empty(); ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(processes("ringside-agent\trelay").empty());
    CHECK_FALSE(processes("ringside-agent\trun").empty());
}
