// SPDX-License-Identifier: MIT
#include "core/protocol/spool.h"
#include "tests/protocol/examples.h"
#include "tests/support/refusedcall.h"
#include "tests/support/temporaryfolder.h"

#include <csignal>
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <thread>

namespace ringside::test {

namespace {

std::vector<Record> recordsOf(const fs::path& path)
{
    std::vector<Record> records;
    SpoolReader reader;
    CHECK(reader.feed(*readFile(path, 1u << 30), [&](const Record& record) { records.push_back(record); }));
    CHECK(reader.offset() == fs::file_size(path));
    return records;
}

/// While it lives, files of this process cannot grow beyond `bytes`: the kernel's stand-in for a full disk.
class FileSizeLimit
{
public:
    explicit FileSizeLimit(rlim_t bytes)
    {
        std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit limited{bytes, m_before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limited);
    }
    ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &m_before); }

private:
    rlimit m_before{};
};

} // namespace

TEST_CASE("what was flushed is in the file at once, and nothing else is")
{
    const TemporaryFolder folder;
    auto writer = SpoolWriter::create(folder / "rank-0.spool", exampleHeader());
    REQUIRE(writer);
    CHECK(recordsOf(folder / "rank-0.spool").empty());
    writer->add(sampleNumber(0));
    CHECK(recordsOf(folder / "rank-0.spool").empty());
    REQUIRE(writer->flush());
    REQUIRE(writer->flush()); // nothing new: no empty block
    CHECK(recordsOf(folder / "rank-0.spool") == std::vector<Record>{sampleNumber(0)});
}

TEST_CASE("a record that no block can hold is left out, and the others are there")
{
    const TemporaryFolder folder;
    auto writer = SpoolWriter::create(folder / "rank-0.spool", exampleHeader());
    REQUIRE(writer);
    writer->add(sampleNumber(0));
    writer->add(BucketTimings{0, std::vector<BucketTiming>(kMaxSpoolBlockBytes / 28)});
    writer->add(sampleNumber(1));
    REQUIRE(writer->flush());
    CHECK(recordsOf(folder / "rank-0.spool") == std::vector<Record>{sampleNumber(0), sampleNumber(1)});
}

TEST_CASE("a spool is never written by two")
{
    const TemporaryFolder folder;
    const auto first = SpoolWriter::create(folder / "rank-0.spool", exampleHeader());
    const auto second = SpoolWriter::create(folder / "rank-0.spool", exampleHeader());
    REQUIRE(first);
    REQUIRE_FALSE(second);
    CHECK(second.error().code == ErrorCode::exists);
}

TEST_CASE("on a full disk blocks wait, and follow when there is room again")
{
    const TemporaryFolder folder;
    auto writer = SpoolWriter::create(folder / "rank-0.spool", exampleHeader());
    REQUIRE(writer);
    {
        const FileSizeLimit full(300); // in the middle of the second block
        for (std::uint32_t seq = 0; seq < 10; ++seq) {
            writer->add(sampleNumber(seq));
            CHECK(writer->flush().has_value() == (seq < 1));
        }
    }
    CHECK(writer->droppedSamples() == 0);
    REQUIRE(writer->flush());
    const auto records = recordsOf(folder / "rank-0.spool");
    REQUIRE(records.size() == 10);
    for (std::uint32_t seq = 0; seq < 10; ++seq)
        CHECK(records[seq] == Record(sampleNumber(seq)));
}

TEST_CASE("what readers elsewhere have not got for certain is held, and written again where it belongs")
{
    const TemporaryFolder folder;
    const fs::path spool = folder / "rank-0.spool";
    auto writer = SpoolWriter::create(spool, exampleHeader(), Readers::elsewhere);
    REQUIRE(writer);
    writer->add(sampleNumber(0));
    REQUIRE(writer->flush());
    REQUIRE(writer->sync());
    writer->add(sampleNumber(1));
    REQUIRE(writer->flush());
    bool isRefused = false;
    std::optional<ErrorCode> said;
    std::thread([&] {
        isRefused = refuseSystemCall(SYS_fdatasync, EDQUOT);
        const auto synced = isRefused ? writer->sync() : Result<void>();
        said = synced ? std::nullopt : std::optional(synced.error().code);
    }).join();
    if (!isRefused) {
        MESSAGE("skipped: no filter for system calls can be set here");
        return;
    }
    CHECK(said == ErrorCode::noSpace);
    fs::resize_file(spool, fs::file_size(spool) - 10); // as the server has it
    REQUIRE(writer->flush());
    REQUIRE(writer->sync());
    writer->add(sampleNumber(2));
    REQUIRE(writer->flush());
    CHECK(recordsOf(spool) == std::vector<Record>{sampleNumber(0), sampleNumber(1), sampleNumber(2)});
}

TEST_CASE("beyond 64 MiB of waiting blocks samples are dropped and counted")
{
    constexpr std::uint32_t kSamples = 700'000; // 88 MB
    const TemporaryFolder folder;
    auto writer = SpoolWriter::create(folder / "rank-0.spool", exampleHeader());
    REQUIRE(writer);
    {
        const FileSizeLimit full(200);
        for (std::uint32_t seq = 0; seq < kSamples; ++seq)
            writer->add(sampleNumber(seq));
        CHECK_FALSE(writer->flush());
    }
    CHECK(writer->droppedSamples() > 0);
    REQUIRE(writer->flush());
    CHECK(recordsOf(folder / "rank-0.spool").size() + writer->droppedSamples() == kSamples);
}

} // namespace ringside::test
