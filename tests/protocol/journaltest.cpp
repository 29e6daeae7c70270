// SPDX-License-Identifier: MIT
#include "core/protocol/journal.h"
#include "core/protocol/checksum.h"
#include "tests/protocol/examples.h"
#include "tests/support/temporaryfolder.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

namespace ringside::test {

namespace {

struct Outcome
{
    std::vector<JournalEvent> events;
    std::uint64_t offset = 0;
    std::optional<Error> error;
};

Outcome readIn(std::string_view bytes, std::size_t piece)
{
    Outcome outcome;
    JournalReader reader;
    for (; !bytes.empty() && !outcome.error; bytes.remove_prefix(std::min(piece, bytes.size()))) {
        if (auto fed = reader.feed(bytes.substr(0, piece), [&](const auto& e) { outcome.events.push_back(e); }); !fed)
            outcome.error = fed.error();
    }
    outcome.offset = reader.offset();
    return outcome;
}

Outcome readAtOnce(std::string_view bytes)
{
    return readIn(bytes, std::max<std::size_t>(1, bytes.size()));
}

/// A line with a right checksum around any members.
std::string lineOf(const std::string& members)
{
    const std::string body = "{" + members;
    return body + fmt::format(",\"crc\":\"{:08x}\"}}\n", crc32c(body));
}

void appendRaw(const fs::path& path, std::string_view bytes)
{
    std::ofstream(path, std::ios::app | std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

} // namespace

TEST_CASE("a journal reads the same in pieces of any size")
{
    const std::string text = exampleJournal();
    for (const std::size_t piece : {1u, 2u, 5u, 100u, 10'000u}) {
        const Outcome outcome = readIn(text, piece);
        CHECK_FALSE(outcome.error);
        CHECK(outcome.events == exampleReasonedEvents());
        CHECK(outcome.offset == text.size());
    }
}

TEST_CASE("a torn last line is not there yet")
{
    const std::string text = exampleJournal();
    for (std::size_t cut = 0; cut < text.size(); ++cut) {
        const Outcome outcome = readAtOnce(std::string_view(text).substr(0, cut));
        REQUIRE_FALSE(outcome.error);
        REQUIRE(outcome.events.size() < exampleEvents().size());
    }
}

TEST_CASE("every damaged byte is found and its line is named")
{
    const std::string text = exampleJournal();
    const std::size_t second = text.find('\n') + 1;
    for (std::size_t i = second; i < text.find('\n', second); ++i) {
        std::string damaged = text;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x04);
        const Outcome outcome = readAtOnce(damaged);
        REQUIRE(outcome.error);
        CHECK(outcome.error->message.find("line 2") != std::string::npos);
        CHECK(outcome.offset == second);
    }
}

TEST_CASE("a line without an end is refused once it is too long")
{
    CHECK(readIn(std::string(1'000'000, 'x'), 1000).error->code == ErrorCode::damaged);
}

TEST_CASE("an event with an odd reason survives")
{
    JournalEvent event = exampleEvents()[2];
    event.reason =
        because(why::kExit, {{"said", "two\nlines, \x18, a \"quote\" and bytes that are no text: \xff\xfe"}});
    const std::string line = encodeJournalLine(event);
    CHECK(line.find('\n') == line.size() - 1);
    const auto decoded = decodeJournalLine(line);
    REQUIRE(decoded);
    CHECK(decoded->reason.word("said").starts_with("two\nlines, \x18, a \"quote\" and"));
    const std::string endless(100'000, '\x01');
    event.reason = because(why::kExit, {{"said", endless}, {"host", endless}, {"program", endless}, {"rank", 7}});
    event.reason.text = endless;
    const auto cut = decodeJournalLine(encodeJournalLine(event));
    REQUIRE(cut);
    CHECK(cut->reason.number("rank") == 7);
    CHECK(cut->reason.text.size() == 2000);
}

TEST_CASE("refusals name the field")
{
    const auto messageOf = [](const std::string& line) { return decodeJournalLine(line).error().message; };
    CHECK(messageOf(lineOf("\"kind\":\"held\"")).find("format") != std::string::npos);
    CHECK(messageOf(lineOf("\"format\":1,\"kind\":\"held\",\"wall_ns\":-1")).find("wall_ns") != std::string::npos);
    CHECK(decodeJournalLine(lineOf("\"format\":2,\"kind\":\"held\"")).error().code == ErrorCode::newerVersion);
    CHECK(decodeJournalLine(lineOf("\"format\":1,\"kind\":\"slept\"")).error().code == ErrorCode::newerVersion);
}

TEST_CASE("an attempt below the first, and an end that is none, are refused")
{
    const auto isRead = [](JournalKind kind, int attempt, RunState state) {
        JournalEvent event = exampleEvents()[2];
        event.kind = kind;
        event.attempt = attempt;
        event.state = state;
        return decodeJournalLine(encodeJournalLine(event)).has_value();
    };
    CHECK(isRead(JournalKind::attemptStarted, 1, RunState::starting));
    CHECK_FALSE(isRead(JournalKind::attemptStarted, 0, RunState::starting));
    CHECK(isRead(JournalKind::attemptEnded, 0, RunState::cancelled)); // before it began
    CHECK(isRead(JournalKind::attemptEnded, 1, RunState::requeued));
    for (const RunState state : {RunState::queued, RunState::starting, RunState::running, RunState::unknown})
        CHECK_FALSE(isRead(JournalKind::attemptEnded, 1, state));
}

TEST_CASE("events of a kind that only a later version knows are skipped")
{
    const Outcome outcome =
        readAtOnce(lineOf("\"format\":1,\"kind\":\"slept\"") + encodeJournalLine(exampleEvents()[0]));
    CHECK_FALSE(outcome.error);
    CHECK(outcome.events == std::vector<JournalEvent>{exampleEvents()[0]});
}

TEST_CASE("a successor goes on behind the torn line of a dead runner")
{
    const TemporaryFolder folder;
    const fs::path path = folder / "journal";
    {
        auto journal = Journal::open(path);
        REQUIRE(journal);
        REQUIRE(journal->append(exampleEvents()[0]));
    }
    appendRaw(path, encodeJournalLine(exampleEvents()[1]).substr(0, 40));
    const std::string before = *readFile(path);
    auto successor = Journal::open(path);
    REQUIRE(successor);
    REQUIRE(successor->append(exampleEvents()[3]));
    REQUIRE(successor->append(exampleEvents()[4]));

    const std::string after = *readFile(path);
    CHECK(after.starts_with(before));
    const Outcome outcome = readAtOnce(after);
    CHECK_FALSE(outcome.error);
    CHECK(outcome.events == std::vector<JournalEvent>{exampleEvents()[0], exampleEvents()[3], exampleEvents()[4]});
}

} // namespace ringside::test
