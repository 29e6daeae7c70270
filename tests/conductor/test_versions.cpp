// SPDX-License-Identifier: MIT
// Other versions' agents and files on a site: each dial runs its own agent, a campaign that another one carries out is
// followed and collected, and what only a later version reads is left for it.
#include "core/protocol/layout.h"
#include "core/protocol/spool.h"
#include "tests/conductor/remotesession.h"
#include "tests/conductor/spoolcompare.h"
#include "tests/remote/ssh/commands.h"
#include "tests/support/built.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

using namespace ringside;
using namespace ringside::test;

namespace {

/// An agent of another version, in its place on the site: RINGSIDE_OLDER_AGENT where one was built from older source,
/// else this one as a file with another hash.
fs::path placeOlderAgent(const fs::path& root)
{
    const fs::path place = layout::agentFile(root, "0.0.9", "linux-x86_64", "0123456789ab");
    fs::create_directories(place.parent_path());
    const char* older = std::getenv("RINGSIDE_OLDER_AGENT");
    fs::copy_file(older ? std::string(older) : builtProgram("ringside-agent"), place);
    std::ofstream(place, std::ios::app) << "of another version";
    return place;
}

std::vector<fs::path> agentsBelow(const fs::path& root)
{
    std::vector<fs::path> agents;
    for (const auto& entry : fs::recursive_directory_iterator(root / "bin"))
        if (entry.path().filename() == "ringside-agent")
            agents.push_back(entry.path());
    return agents;
}

struct VersionSession : Session
{
    /// The site as a user describes it who wants this agent; empty: Ringside's own.
    void describe(const fs::path& wanted)
    {
        const SiteBook book(folder / "sites");
        Site site = must(book.find(kSite));
        site.agent = wanted.string();
        must(book.save(site));
    }

    /// The campaign comes to its end without being watched.
    void leaveUntilOver()
    {
        conductor.reset();
        const auto untilNs = monotonicNs() + 60'000'000'000;
        while (!processes("ringside-agent\trun").empty() && monotonicNs() < untilNs)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        REQUIRE(processes("ringside-agent\trun").empty());
    }

    /// A new program on the same store, which knows nothing of the old one.
    void reopen()
    {
        conductor.reset();
        sink.rows.clear();
        sink.sites.clear();
        sink.problems.clear();
        start();
    }

    fs::path attemptOf(std::size_t run) { return layout::attemptFolder(thereRoot, runs().at(run).id, 1); }
};

/// Puts the file of a later version in the place of a file: its format is not known here.
class OfLaterVersion
{
public:
    OfLaterVersion(fs::path path, std::string_view format, std::string_view later)
        : m_path(std::move(path))
        , m_content(must(readFile(m_path)))
    {
        std::string changed = m_content;
        const auto at = changed.find(format);
        REQUIRE(at != std::string::npos);
        write(changed.replace(at, format.size(), later));
    }
    void putBack() const { write(m_content); }
    const fs::path& path() const { return m_path; }

private:
    void write(const std::string& content) const { std::ofstream(m_path, std::ios::binary) << content; }
    fs::path m_path;
    std::string m_content;
};

constexpr std::string_view kSpoolFormat1("OOL\n\1\0\0\0", 8);
constexpr std::string_view kSpoolFormat9("OOL\n\x09\0\0\0", 8);

} // namespace

TEST_CASE_FIXTURE(VersionSession, "a campaign that an older agent carries out is followed and collected by this one")
{
    REQUIRE_SSHD(sshd);
    const fs::path older = placeOlderAgent(thereRoot);
    describe(older);
    start();
    must(launch(experiment("[1, 2]", 2, 60)));
    REQUIRE(sink.waitUntil([&] { return sink.samples.size() > 20; }));
    must(conductor->control({{Control::Kind::hold}, "kill"})); // however long the rest takes, it is not over
    conductor.reset();
    REQUIRE_FALSE(processes(older.string() + "\trun").empty());
    CHECK(agentsBelow(thereRoot) == std::vector{older});

    describe({});
    reopen();
    REQUIRE(sink.waitUntil([&] { return hasContact(SiteStatus::Contact::connected); }));
    CHECK_FALSE(processes(older.string() + "\trun").empty()); // the job is still the older one's
    CHECK(agentsBelow(thereRoot).size() == 2);
    must(conductor->control({{Control::Kind::proceed}, "kill"}));
    REQUIRE(waitForEnd(4));
    must(conductor->collect());
    CHECK(requireStoreEqualsSpools(options().store, thereRoot) == 2 * 60 + 2 * 2 * 60);
    for (const store::RunRow& run : runs()) {
        CHECK(run.state == RunState::done);
        CHECK(run.attempt == 1);
    }
    CHECK(sink.problems.empty());
}

TEST_CASE_FIXTURE(VersionSession, "a campaign whose older runner died is carried on by this one's")
{
    REQUIRE_SSHD(sshd);
    const fs::path older = placeOlderAgent(thereRoot);
    describe(older);
    start();
    const spec::Experiment what = experiment("[1]", 3, 60);
    must(launch(what));
    REQUIRE(sink.waitUntil([&] { return sink.samples.size() > 80; })); // in the second run
    conductor.reset();
    for (const int pid : processes(older.string()))
        ::kill(pid, SIGKILL);

    describe({});
    reopen();
    must(launch(what)); // "run" again does what is missing
    REQUIRE(sink.waitUntil([&] {
        return std::ranges::all_of(runs(), [](const store::RunRow& run) { return run.state == RunState::done; });
    }));
    must(conductor->collect());
    requireStoreEqualsSpools(options().store, thereRoot);
}

TEST_CASE_FIXTURE(VersionSession,
                  "files that only a later version reads are named, left alone, and read by that version")
{
    REQUIRE_SSHD(sshd);
    start();
    must(launch(experiment("[1]", 3, 20)));
    REQUIRE(sink.waitUntil([&] { return !sink.samples.empty(); }));
    leaveUntilOver();
    const OfLaterVersion spool(layout::spoolFile(attemptOf(2), 0), kSpoolFormat1, kSpoolFormat9);
    const OfLaterVersion facts(layout::factsFile(attemptOf(1)), "\"format\":1", "\"format\":9");
    const std::string before = must(readFile(spool.path()));

    reopen();
    must(conductor->collect());
    REQUIRE(sink.problems.size() == 2);
    for (const OfLaterVersion* file : {&spool, &facts}) {
        const auto told = std::ranges::find_if(sink.problems, [&](const Error& problem) {
            return problem.message.find(file->path().string()) != std::string::npos;
        });
        REQUIRE(told != sink.problems.end());
        CHECK(told->code == ErrorCode::newerVersion);
        CHECK(told->message.find("9 is newer than 1") != std::string::npos);
        CHECK(told->hint.find("or a later one") != std::string::npos);
    }
    CHECK(runs()[1].samples == 20);
    CHECK(runs()[2].samples == 0);
    CHECK(must(readFile(spool.path())) == before);

    std::vector<wire::Item> items;
    for (const wire::InstalledItem& item : must(conductor->listInstalled(kSite)))
        items.push_back(item.item);
    must(conductor->removeInstalled(kSite, items));
    REQUIRE(fs::exists(spool.path())); // what is not stored is not removed

    spool.putBack(); // the version that can read them
    facts.putBack();
    reopen();
    must(conductor->collect());
    CHECK(sink.problems.empty());
    CHECK(runs()[2].samples == 20);
}
