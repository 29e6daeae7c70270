// SPDX-License-Identifier: MIT
// The relay's follower sends real files, by a clock that the test sets.
#include "agent/relay/follower.h"

#include "agent/relay/startrunner.h"
#include "agent/runner/allocation.h"
#include "core/base/descriptor.h"
#include "tests/runner/campaignfixture.h"

#include <algorithm>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <set>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ringside;
using namespace ringside::test;
using std::chrono::nanoseconds;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kSavedUp = 2'000; ///< looks that a follower may have at once (follower.cpp)

/// A follower, and the end of a pipe that reads what it sends.
class Connection
{
public:
    Connection(const Campaign& campaign, std::vector<wire::Cursor> cursors)
    {
        int ends[2] = {};
        REQUIRE(::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
        m_read = Descriptor(ends[0]);
        m_write = Descriptor(ends[1]);
        ::fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
        m_output.emplace(ends[1]);
        wire::FollowRequest request;
        request.campaign = campaign.plan().campaign;
        request.cursors = std::move(cursors);
        m_follower.emplace(
            *relay::Follower::start(campaign.root(), request, [this](const CampaignId&) { return isAlive(); }));
    }

    /// The next poll that is due, and all that it sends.
    std::vector<wire::Message> poll()
    {
        m_nowNs = std::max(m_nowNs, m_follower->dueNs());
        REQUIRE(m_follower->poll(m_nowNs, *m_output));
        std::vector<wire::Message> messages;
        while (!m_output->empty()) {
            REQUIRE(m_output->flush());
            receive(messages);
        }
        receive(messages);
        return messages;
    }

    std::int64_t nowNs() const { return m_nowNs; }
    std::function<bool()> isAlive = [] { return true; };

private:
    void receive(std::vector<wire::Message>& messages)
    {
        std::string bytes(1 << 20, '\0');
        for (ssize_t n = 0; (n = ::read(m_read.get(), bytes.data(), bytes.size())) > 0;)
            REQUIRE(m_reader.feed(std::string_view(bytes).substr(0, std::size_t(n)),
                                  [&](wire::Message&& message) { messages.push_back(std::move(message)); }));
    }

    Descriptor m_read, m_write;
    std::optional<relay::Output> m_output;
    std::optional<relay::Follower> m_follower;
    wire::FrameReader m_reader;
    std::int64_t m_nowNs = 100 * kSecond;
};

JournalEvent event(JournalKind kind, const RunId& run, RunState state)
{
    JournalEvent event;
    event.kind = kind;
    event.run = run;
    event.attempt = 1;
    event.state = state;
    return event;
}

/// A campaign of one run that the test itself carries out.
class Followed
{
public:
    explicit Followed(int ranks)
        : m_campaign({makeRun(ranks, 100)})
        , m_journal(*Journal::open(layout::journalFile(m_campaign.folder())))
    {
        fs::create_directories(attempt());
        for (int rank = 0; rank < ranks; ++rank)
            m_spools.push_back(*SpoolWriter::create(
                layout::spoolFile(attempt(), rank),
                {FileId::random(), run(), 1, std::uint32_t(rank), std::uint32_t(ranks), "here", 100, 0}));
        REQUIRE(m_journal.append(event(JournalKind::attemptStarted, run(), RunState::starting)));
        m_connection.emplace(m_campaign, std::vector<wire::Cursor>());
    }

    fs::path attempt() const { return m_campaign.attempt(0); }

    void write(int rank, int samples)
    {
        for (int i = 0; i < samples; ++i)
            m_spools[std::size_t(rank)].add(Sample{});
        REQUIRE(m_spools[std::size_t(rank)].flush());
    }

    void end() { REQUIRE(m_journal.append(event(JournalKind::attemptEnded, run(), RunState::done))); }

    std::vector<wire::Message> poll() { return m_connection->poll(); }
    std::int64_t nowNs() const { return m_connection->nowNs(); }
    void setAlive(std::function<bool()> isAlive) { m_connection->isAlive = std::move(isAlive); }

private:
    RunId run() const { return m_campaign.run(0).id; }

    Campaign m_campaign;
    Journal m_journal;
    std::vector<SpoolWriter> m_spools;
    std::optional<Connection> m_connection;
};

/// Runs of one rank each, with a sample and a log; all but the last are done.
class ManyRuns
{
public:
    explicit ManyRuns(std::size_t done)
        : m_campaign(runsOf(done + 1))
    {
        std::string lines;
        for (std::size_t i = 0; i <= done; ++i) {
            fs::create_directories(m_campaign.attempt(i));
            const RunId& run = m_campaign.run(i).id;
            m_last.emplace(
                *SpoolWriter::create(spool(i), {FileId::random(), run, 1, std::uint32_t(0), 1, "here", 100, 0}));
            write();
            std::ofstream(layout::rankLog(m_campaign.attempt(i), 0)) << "said\n";
            lines += encodeJournalLine(event(JournalKind::attemptStarted, run, RunState::starting));
            if (i < done)
                lines += encodeJournalLine(event(JournalKind::attemptEnded, run, RunState::done));
        }
        REQUIRE(writeFileAtomically(layout::journalFile(m_campaign.folder()), lines));
    }

    const Campaign& campaign() const { return m_campaign; }
    fs::path spool(std::size_t index) const { return layout::spoolFile(m_campaign.attempt(index), 0); }
    /// As a chunk names it.
    std::string pathOf(const fs::path& file) const { return file.lexically_relative(m_campaign.root()).string(); }
    const RunId& last() const { return m_campaign.plan().runs.back().id; }

    /// A sample of the last run.
    void write()
    {
        m_last->add(Sample{});
        REQUIRE(m_last->flush());
    }
    void end()
    {
        std::ofstream(layout::journalFile(m_campaign.folder()), std::ios::app)
            << encodeJournalLine(event(JournalKind::attemptEnded, last(), RunState::done));
    }

private:
    static std::vector<RunSpec> runsOf(std::size_t count)
    {
        std::vector<RunSpec> runs;
        while (runs.size() < count)
            runs.push_back(makeRun(1, 100));
        return runs;
    }

    Campaign m_campaign;
    std::optional<SpoolWriter> m_last;
};

template <class Seen> void forEachChunk(const std::vector<wire::Message>& messages, Seen seen)
{
    for (const auto& message : messages)
        if (const auto* chunk = std::get_if<wire::FileChunk>(&message))
            seen(*chunk);
}

bool saysCaughtUp(const std::vector<wire::Message>& messages)
{
    return std::ranges::any_of(messages, [](const wire::Message& message) {
        const auto* state = std::get_if<wire::FollowState>(&message);
        return state && state->caughtUp;
    });
}

/// Everything that comes until the follower is through.
std::vector<wire::Message> hearAll(Connection& connection)
{
    std::vector<wire::Message> all;
    for (bool isThrough = false; !isThrough && connection.nowNs() < 1'000 * kSecond;) {
        const std::vector<wire::Message> messages = connection.poll();
        isThrough = saysCaughtUp(messages);
        all.insert(all.end(), messages.begin(), messages.end());
    }
    REQUIRE(saysCaughtUp(all));
    return all;
}

/// Opens of files in a folder, counted by the kernel.
class Opens
{
public:
    explicit Opens(const fs::path& folder)
        : m_inotify(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK))
    {
        REQUIRE(::inotify_add_watch(m_inotify.get(), folder.c_str(), IN_OPEN) >= 0);
    }

    /// Since the last call.
    std::int64_t count() const
    {
        alignas(inotify_event) char buffer[1 << 16];
        std::int64_t opens = 0;
        for (ssize_t n = 0; (n = ::read(m_inotify.get(), buffer, sizeof buffer)) > 0;)
            for (ssize_t at = 0; at < n; ++opens)
                at += ssize_t(sizeof(inotify_event) + reinterpret_cast<const inotify_event*>(buffer + at)->len);
        return opens;
    }

private:
    Descriptor m_inotify;
};

} // namespace

TEST_CASE("while ranks write more than the line takes none of them waits for those before it")
{
    constexpr int kRanks = 40;
    Followed followed(kRanks);
    std::set<int> heard;
    for (int turn = 0; turn < 40; ++turn) {
        for (int rank = 0; rank < kRanks; ++rank)
            followed.write(rank, 1'000);
        forEachChunk(followed.poll(), [&](const wire::FileChunk& chunk) {
            if (chunk.kind == wire::FileKind::spool)
                heard.insert(chunk.rank);
        });
    }
    CHECK(heard.size() == kRanks);
}

TEST_CASE("many ranks are looked at 200 times a second, steadily, and all of them in turn")
{
    constexpr int kRanks = 600;
    Followed followed(kRanks);
    for (int rank = 0; rank < kRanks; ++rank)
        REQUIRE(std::ofstream(layout::rankLog(followed.attempt(), rank)));
    const Opens opens(followed.attempt());
    const std::int64_t beganNs = followed.nowNs();
    std::set<int> heard;
    std::int64_t looks = 0, mostAtOnce = 0;
    while (followed.nowNs() < beganNs + 60 * kSecond) {
        for (int rank = 0; rank < kRanks; ++rank)
            followed.write(rank, 1);
        const bool isLater = followed.nowNs() > beganNs + 30 * kSecond;
        forEachChunk(followed.poll(), [&](const wire::FileChunk& chunk) {
            if (isLater)
                heard.insert(chunk.rank);
        });
        const std::int64_t inTurn = opens.count();
        looks += inTurn;
        if (isLater)
            mostAtOnce = std::max(mostAtOnce, inTurn);
    }
    CHECK(looks <= kSavedUp + 60 * 200 + 200);
    CHECK(looks > 60 * 100);
    CHECK(mostAtOnce <= 40);
    CHECK(heard.size() == kRanks);
}

TEST_CASE("the end of an attempt of many ranks is sent after everything else of it, whatever the looks are")
{
    constexpr int kRanks = 1'500;
    Followed followed(kRanks);
    for (int turn = 0; turn < 3; ++turn)
        followed.poll();
    for (int rank = 0; rank < kRanks; ++rank)
        followed.write(rank, 1);
    followed.end();
    const std::int64_t endedNs = followed.nowNs();
    std::set<int> heard;
    bool isOver = false;
    while (!isOver && followed.nowNs() < endedNs + 60 * kSecond)
        forEachChunk(followed.poll(), [&](const wire::FileChunk& chunk) {
            isOver = chunk.kind == wire::FileKind::journal;
            if (chunk.kind == wire::FileKind::spool && !isOver)
                heard.insert(chunk.rank);
        });
    CHECK(isOver);
    CHECK(heard.size() == kRanks);
}

TEST_CASE("the death of a runner is sent after all that it left")
{
    Followed followed(2);
    followed.poll();
    bool hasWritten = false;
    followed.setAlive([&] {
        if (!std::exchange(hasWritten, true))
            followed.write(1, 1); // behind the look of this turn
        return false;
    });
    bool sent = false;
    std::optional<bool> sentBefore;
    for (int turn = 0; turn < 200 && !sentBefore; ++turn)
        for (const auto& message : followed.poll()) {
            if (const auto* chunk = std::get_if<wire::FileChunk>(&message))
                sent = sent || (chunk->kind == wire::FileKind::spool && chunk->offset > 0);
            if (const auto* state = std::get_if<wire::FollowState>(&message);
                state && state->caughtUp && !state->runnerAlive)
                sentBefore = sent;
        }
    CHECK(sentBefore == true);
}

TEST_CASE("a new connection gets running attempts at once, and later what it lacks of ended ones")
{
    constexpr std::size_t kDone = 700; // four files each, which are more than looks
    ManyRuns runs(kDone);
    std::map<std::string, wire::Cursor> stored;
    {
        Connection first(runs.campaign(), {});
        forEachChunk(hearAll(first), [&](const wire::FileChunk& chunk) {
            stored[chunk.path] = {chunk.path, chunk.fileId, chunk.offset + chunk.bytes.size()};
        });
    }
    const std::string lacking = runs.pathOf(runs.spool(3));
    REQUIRE(stored.erase(lacking) == 1); // an earlier version could not read it, say
    std::vector<wire::Cursor> cursors;
    for (const auto& [path, cursor] : stored)
        cursors.push_back(cursor);

    runs.write();
    const Opens opens(runs.campaign().attempt(5));
    Connection second(runs.campaign(), cursors);
    std::set<std::string> heard;
    const auto note = [&](const wire::FileChunk& chunk) { heard.insert(chunk.path); };
    forEachChunk(second.poll(), note);
    CHECK(heard.contains(runs.pathOf(runs.spool(kDone))));
    runs.end();
    const std::int64_t endedNs = second.nowNs();
    const std::string journal = runs.pathOf(layout::journalFile(runs.campaign().folder()));
    while (!heard.contains(journal) && second.nowNs() < endedNs + kSecond)
        forEachChunk(second.poll(), note);
    CHECK(heard.contains(journal));
    forEachChunk(hearAll(second), note);
    CHECK(heard == std::set<std::string>{runs.pathOf(runs.spool(kDone)), journal, lacking});
    CHECK(opens.count() == 1); // the spool; the log was sent
}

TEST_CASE("nothing of an attempt comes before its beginning, nor before the end of the one before it")
{
    const Campaign campaign({makeRun(1, 100)});
    const RunId& run = campaign.run(0).id;
    for (const std::uint32_t attempt : {1, 2}) {
        const fs::path folder = layout::attemptFolder(campaign.root(), run, static_cast<int>(attempt));
        fs::create_directories(folder);
        auto spool =
            SpoolWriter::create(layout::spoolFile(folder, 0), {FileId::random(), run, attempt, 0, 1, "here", 100, 0});
        REQUIRE(spool);
        spool->add(Sample{});
        REQUIRE(spool->flush());
    }
    JournalEvent again = event(JournalKind::attemptStarted, run, RunState::starting);
    again.attempt = 2;
    REQUIRE(writeFileAtomically(layout::journalFile(campaign.folder()),
                                encodeJournalLine(event(JournalKind::attemptStarted, run, RunState::starting)) +
                                    encodeJournalLine(event(JournalKind::attemptEnded, run, RunState::requeued)) +
                                    encodeJournalLine(again)));
    Connection connection(campaign, {});
    std::string order;
    forEachChunk(hearAll(connection), [&](const wire::FileChunk& chunk) {
        if (chunk.kind == wire::FileKind::spool)
            order += std::to_string(chunk.attempt) + " ";
        else if (chunk.kind == wire::FileKind::journal)
            order += chunk.bytes.find("requeued") != std::string::npos ? "end " : "begin ";
    });
    CHECK(order == "begin 1 end begin 2 ");
}

TEST_CASE("a pipe in place of a spool or log is passed over, and a spool that was never written is not sent to its end")
{
    Followed followed(3);
    followed.write(0, 5);
    fs::remove(layout::spoolFile(followed.attempt(), 1));
    for (const fs::path& pipe : {layout::spoolFile(followed.attempt(), 1), layout::rankLog(followed.attempt(), 0)})
        REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    fs::resize_file(layout::spoolFile(followed.attempt(), 2), std::uintmax_t{1} << 30);
    std::map<int, std::size_t> bytes;
    for (int turn = 0; turn < 30; ++turn) // with a blocking open none of them would end
        forEachChunk(followed.poll(), [&](const wire::FileChunk& chunk) { bytes[chunk.rank] += chunk.bytes.size(); });
    CHECK(bytes[0] > 0);
    CHECK(bytes[1] == 0);
    CHECK(bytes[2] <= std::size_t{256} << 10);
}

TEST_CASE("a spool that has a hole when its attempt ends is sent with a part of it, before that end")
{
    Followed followed(1);
    followed.write(0, 5);
    const fs::path spool = layout::spoolFile(followed.attempt(), 0);
    const std::uintmax_t length = fs::file_size(spool);
    fs::resize_file(spool, std::uintmax_t{1} << 30);
    std::uintmax_t bytes = 0;
    bool hasEnded = false;
    const auto take = [&](const wire::FileChunk& chunk) {
        bytes += !hasEnded && chunk.kind == wire::FileKind::spool ? chunk.bytes.size() : 0;
        hasEnded = hasEnded || chunk.bytes.find("attempt_ended") != std::string::npos;
    };
    for (int turn = 0; turn < 20; ++turn)
        forEachChunk(followed.poll(), take);
    CHECK(bytes < length + (64u << 10));
    followed.end();
    for (int turn = 0; turn < 20; ++turn)
        forEachChunk(followed.poll(), take);
    CHECK(hasEnded);
    CHECK(bytes > (64u << 10));
    CHECK(bytes <= length + (512u << 10)); // and not all of it
}

TEST_CASE("a journal that is none is said, and not waited for")
{
    const Campaign campaign({makeRun(1, 1)});
    const fs::path journal = layout::journalFile(campaign.folder());
    wire::FollowRequest request;
    request.campaign = campaign.plan().campaign;
    const auto refusal = [&] {
        const auto follower = relay::Follower::start(campaign.root(), request, [](const CampaignId&) { return true; });
        return follower ? std::string() : follower.error().message;
    };
    CHECK(refusal().empty()); // it is not there yet
    REQUIRE(::mkfifo(journal.c_str(), 0600) == 0);
    CHECK(refusal().find("is no regular file") != std::string::npos);
    fs::remove(journal);
    REQUIRE(writeFileAtomically(journal, ""));
    fs::resize_file(journal, std::uintmax_t{1} << 30);
    CHECK(refusal().find("hole") != std::string::npos);
}

TEST_CASE("a plan that is longer than any that is sent is not even read")
{
    const Campaign campaign({makeRun(1, 1)});
    REQUIRE(writeFileAtomically(layout::planFile(campaign.folder()), std::string(kMaxPlanBytes + 1, ' ')));
    wire::FollowRequest request;
    request.campaign = campaign.plan().campaign;
    const auto follower = relay::Follower::start(campaign.root(), request, [](const CampaignId&) { return true; });
    REQUIRE_FALSE(follower);
    CHECK(follower.error().message.find("is not read") != std::string::npos);
}

TEST_CASE("a pipe in place of a campaign's own files blocks no reader, and one in place of a runner's log is reported")
{
    const Campaign campaign({makeRun(1, 1)});
    for (const fs::path& pipe : {layout::schedulerFile(campaign.folder()), layout::runnerLog(campaign.folder())})
        REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK_FALSE(runner::submitterOf(campaign.folder())); // with a blocking open neither would come back
    const auto started = relay::startRunner(campaign.folder(), agentPath());
    REQUIRE_FALSE(started);
    CHECK(started.error().message.find("is no regular file") != std::string::npos);
}
