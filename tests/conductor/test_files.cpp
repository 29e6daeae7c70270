// SPDX-License-Identifier: MIT
#include "core/conductor/campaignfiles.h"
#include "core/protocol/facts.h"
#include "tests/support/seeds.h"
#include "tests/support/temporaryfolder.h"

#include <doctest/doctest.h>
#include <random>

using namespace ringside;

namespace {

struct SpoolBytes
{
    RunId run = RunId::random();
    CampaignId campaign = CampaignId::random();
    std::string bytes;

    explicit SpoolBytes(std::uint32_t samples)
    {
        bytes = SpoolEncoder::encodeHeader({FileId::random(), run, 1, 0, 1, "alder", samples, 0});
        SpoolEncoder encoder;
        for (std::uint32_t seq = 0; seq < samples; ++seq) {
            Sample sample;
            sample.seq = seq;
            encoder.add(sample);
            bytes += encoder.takeBlock();
        }
    }

    wire::FileChunk chunk(std::size_t from, std::size_t to, wire::FileKind kind = wire::FileKind::spool) const
    {
        wire::FileChunk chunk;
        chunk.campaign = campaign;
        chunk.run = run;
        chunk.attempt = 1;
        chunk.kind = kind;
        chunk.rank = 0;
        chunk.path = "runs/x/attempt-1/rank-0";
        chunk.fileId = "id";
        chunk.offset = from;
        chunk.bytes = bytes.substr(from, to - from);
        chunk.atEnd = to == bytes.size();
        return chunk;
    }
};

/// Sequence numbers in the arrivals, and the last cursor.
struct Collected
{
    std::vector<std::uint32_t> seqs;
    store::StoredCursor cursor;
    int headers = 0;

    void add(const ChunkContent& content)
    {
        CHECK(!content.damage);
        for (const store::Arrival& arrival : content.arrivals) {
            const auto& spool = std::get<store::SpoolArrival>(arrival);
            for (const Record& record : spool.records)
                seqs.push_back(std::get<Sample>(record).seq);
            cursor = spool.cursor;
            headers += spool.header ? 1 : 0;
        }
    }
    bool isWhole(std::uint32_t samples) const
    {
        for (std::uint32_t seq = 0; seq < samples; ++seq)
            if (seq >= seqs.size() || seqs[seq] != seq)
                return false;
        return seqs.size() == samples;
    }
};

} // namespace

TEST_CASE("pieces of any size, sent twice and cut anywhere, give every record once")
{
    for (const auto seed : test::seeds(1, 200)) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const SpoolBytes spool(30);
        CampaignFiles files(spool.campaign);
        Collected collected;
        std::size_t at = 0;
        while (at < spool.bytes.size()) {
            if (random() % 6 == 0) { // contact is lost: only what the cursor says is stored
                files.restart({collected.cursor}, "/site");
                at = collected.cursor.path.empty() ? 0 : collected.cursor.offset;
            }
            const std::size_t from = at - std::min<std::size_t>(at, random() % 3 == 0 ? random() % 50 : 0);
            const std::size_t to = std::min(spool.bytes.size(), at + 1 + random() % 200);
            collected.add(files.read(spool.chunk(from, to)));
            CHECK(!files.hasGap());
            at = to;
        }
        CHECK(collected.isWhole(30));
        CHECK(collected.cursor.offset == spool.bytes.size());
    }
}

TEST_CASE("a gap is noticed and what is behind it is not taken")
{
    const SpoolBytes spool(10);
    CampaignFiles files(spool.campaign);
    Collected collected;
    collected.add(files.read(spool.chunk(0, 200)));
    const std::size_t before = collected.seqs.size();
    collected.add(files.read(spool.chunk(300, 400)));
    CHECK(files.hasGap());
    CHECK(collected.seqs.size() == before);
    collected.add(files.read(spool.chunk(200, spool.bytes.size())));
    CHECK(!files.hasGap());
    CHECK(collected.isWhole(10));
    CHECK(collected.headers == 1);
}

TEST_CASE("damage is reported once, what precedes it is stored, the file is left alone")
{
    SpoolBytes spool(10);
    const std::size_t middle = spool.bytes.size() / 2;
    spool.bytes[middle] = static_cast<char>(~spool.bytes[middle]);
    CampaignFiles files(spool.campaign);
    files.restart({}, "/site");
    ChunkContent first = files.read(spool.chunk(0, spool.bytes.size()));
    REQUIRE(first.damage);
    CHECK(first.damage->code == ErrorCode::damaged);
    CHECK(first.damage->message.starts_with("/site/runs/x/attempt-1/rank-0: "));
    first.damage.reset();
    Collected collected;
    collected.add(first);
    CHECK(collected.isWhole(static_cast<std::uint32_t>(collected.seqs.size())));
    CHECK(collected.seqs.size() >= 4); // the blocks before the middle
    CHECK(collected.cursor.offset <= middle);
    const ChunkContent again = files.read(spool.chunk(0, spool.bytes.size()));
    CHECK(!again.damage);
    CHECK(again.arrivals.empty());
}

TEST_CASE("records that cannot have been measured are left out alone, and reported once per file")
{
    SpoolBytes spool(4);
    SpoolEncoder encoder;
    Sample bad;
    for (const std::uint32_t seq : {7u, 4'000'000'000u}) {
        bad.seq = seq;
        bad.phases[2] = -1;
        encoder.add(bad);
    }
    Sample large;
    large.seq = 8;
    large.items = 5'000'000'000; // the field has 32 bits
    encoder.add(large);
    Sample good;
    good.seq = 4;
    encoder.add(good);
    const std::size_t before = spool.bytes.size();
    const std::string block = encoder.takeBlock();
    spool.bytes += block + block;

    CampaignFiles files(spool.campaign);
    files.restart({}, "/site");
    const ChunkContent first = files.read(spool.chunk(0, before + block.size()));
    REQUIRE(first.refused);
    CHECK(first.refused->code == ErrorCode::damaged);
    CHECK(first.refused->message.starts_with("/site/runs/x/attempt-1/rank-0: "));
    CHECK(std::get<store::SpoolArrival>(first.arrivals.front()).refused ==
          std::vector<RefusedRecord>{{7, "negative_time"}, {4'000'000'000u, "iteration"}, {8, "items"}});
    Collected collected;
    collected.add(first);
    CHECK(collected.isWhole(5));
    const ChunkContent second = files.read(spool.chunk(before + block.size(), spool.bytes.size()));
    CHECK(!second.refused);
    CHECK(std::get<store::SpoolArrival>(second.arrivals.front()).refused.size() == 3);
}

TEST_CASE("a file that is sent again whole brings nothing new, and no false alarm")
{
    SpoolBytes file(1);
    JournalEvent event;
    event.kind = JournalKind::runnerStarted;
    const std::pair<wire::FileKind, std::string> kinds[] = {{wire::FileKind::facts, factsToJson(Facts{})},
                                                            {wire::FileKind::journal, encodeJournalLine(event)},
                                                            {wire::FileKind::spool, file.bytes}};
    for (const auto& [kind, bytes] : kinds) {
        CAPTURE(static_cast<int>(kind));
        file.bytes = bytes;
        CampaignFiles files(file.campaign);
        CHECK(files.read(file.chunk(0, bytes.size(), kind)).arrivals.size() == 1);
        CHECK(files.read(file.chunk(0, bytes.size(), kind)).arrivals.empty());
    }
}

TEST_CASE("the spool of another run under this name is refused")
{
    const SpoolBytes spool(3);
    CampaignFiles files(spool.campaign);
    wire::FileChunk chunk = spool.chunk(0, spool.bytes.size());
    chunk.run = RunId::random();
    const ChunkContent content = files.read(chunk);
    CHECK(content.damage);
    CHECK(content.arrivals.empty());
}

TEST_CASE("journal lines become events with their cursor; facts wait until they are whole; logs come in lines")
{
    SpoolBytes file(1);
    JournalEvent event;
    event.kind = JournalKind::attemptStarted;
    event.run = file.run;
    event.attempt = 1;
    file.bytes = encodeJournalLine(event);
    CampaignFiles files(file.campaign);
    const auto half = files.read(file.chunk(0, 10, wire::FileKind::journal));
    CHECK(half.events.empty());
    const auto whole = files.read(file.chunk(10, file.bytes.size(), wire::FileKind::journal));
    CHECK(whole.events == std::vector{event});
    CHECK(std::get<store::JournalCursor>(whole.arrivals.front()).cursor.offset == file.bytes.size());

    CampaignFiles more(file.campaign);
    file.bytes = factsToJson(Facts{});
    CHECK(more.read(file.chunk(0, 5, wire::FileKind::facts)).arrivals.empty());
    CHECK(more.read(file.chunk(5, file.bytes.size(), wire::FileKind::facts)).arrivals.size() == 1);

    CampaignFiles logs(file.campaign);
    file.bytes = "one\ntw\x1b[31mo\nthr";
    CHECK(!logs.read(file.chunk(0, 2, wire::FileKind::log)).log);
    CHECK(logs.read(file.chunk(2, file.bytes.size(), wire::FileKind::log)).log->text == "one\ntw?[31mo\n");
}

TEST_CASE("facts of ten thousand layers are read, and those that are too long are refused, both at their end")
{
    SpoolBytes file(1);
    Facts facts;
    for (int i = 0; i < 10'000; ++i)
        facts.layers.push_back({std::string(500, 'x'), 1});
    file.bytes = factsToJson(facts);
    REQUIRE(file.bytes.size() > (5u << 20));
    CampaignFiles files(file.campaign);
    CHECK(files.read(file.chunk(0, file.bytes.size(), wire::FileKind::facts)).arrivals.size() == 1);

    file.bytes.assign(kMaxFactsBytes + 1, ' ');
    CampaignFiles more(file.campaign);
    wire::FileChunk chunk = file.chunk(0, file.bytes.size(), wire::FileKind::facts);
    chunk.atEnd = false;
    const ChunkContent content = more.read(chunk);
    REQUIRE(content.damage);
    CHECK(content.damage->message.find("facts are too long") != std::string::npos);
}

TEST_CASE("facts are stored as plain JSON, whatever stands before or behind it")
{
    SpoolBytes file(1);
    const std::string plain = factsToJson(Facts{});
    for (const std::string& bytes : {plain, "\xEF\xBB\xBF" + plain, plain + std::string("\0rest", 5)}) {
        file.bytes = bytes;
        CampaignFiles files(file.campaign);
        const ChunkContent content = files.read(file.chunk(0, bytes.size(), wire::FileKind::facts));
        REQUIRE(content.arrivals.size() == 1);
        CHECK(std::get<store::FactsArrival>(content.arrivals.front()).json == plain);
    }
}

TEST_CASE("samples and facts of no attempt are refused")
{
    SpoolBytes file(3);
    for (const wire::FileKind kind : {wire::FileKind::spool, wire::FileKind::facts}) {
        wire::FileChunk chunk = file.chunk(0, file.bytes.size(), kind);
        chunk.attempt = 0;
        CampaignFiles files(file.campaign);
        const ChunkContent content = files.read(chunk);
        CHECK(content.damage);
        CHECK(content.arrivals.empty());
        file.bytes = factsToJson(Facts{});
    }
}

TEST_CASE("a log that was read is asked for from where it was read to, until its beginning is wanted again")
{
    const CampaignId campaign = CampaignId::random();
    const RunId run = RunId::random();
    CampaignFiles files(campaign);
    wire::FileChunk chunk{campaign, run,       1,   wire::FileKind::log, 0, "runs/x/rank-0.log", "inode-1-2",
                          0,        "one\ntw", true};
    REQUIRE(files.read(chunk).log);
    const auto again = files.restart({{"runs/x/rank-0.spool", "id", 7}}, "/site");
    CHECK(again.cursors == std::vector<wire::Cursor>{{"runs/x/rank-0.spool", "id", 7}, {chunk.path, "inode-1-2", 6}});
    chunk.offset = 6;
    chunk.bytes = "o\n";
    const auto rest = files.read(chunk);
    REQUIRE(rest.log);
    CHECK(rest.log->text == "two\n");
    files.rewindLogs(run);
    CHECK(files.restart({}, "/site").cursors.empty());
}
