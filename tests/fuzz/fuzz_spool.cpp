// SPDX-License-Identifier: MIT
// SpoolReader on any bytes, and on any records behind a right header and checksum.
#include "core/protocol/block.h"
#include "core/protocol/record.h"
#include "core/protocol/spool.h"
#include "tests/fuzz/property.h"

using namespace ringside;

namespace {

using Pieces = std::vector<std::string_view>;

/// Records as bytes: a loss that is not a number equals itself there.
struct Told
{
    std::string records;
    std::uint64_t offset = 0;
    bool failed = false;
    bool operator==(const Told&) const = default;
};

Told readSpool(const Pieces& pieces)
{
    Told told;
    SpoolReader reader;
    for (const std::string_view piece : pieces)
        told.failed = !reader.feed(piece, [&](const Record& record) {
            if (const auto* sample = std::get_if<Sample>(&record))
                (void)sample->endNs(); // no sum overflows
            appendRecord(told.records, record);
        });
    told.offset = reader.offset();
    return told;
}

std::string header()
{
    SpoolHeader header;
    header.file = *FileId::parse("aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa");
    header.run = *RunId::parse("11111111-1111-4111-8111-111111111111");
    return SpoolEncoder::encodeHeader(header);
}

std::string spoolOf(std::string_view records)
{
    std::string bytes = header();
    appendBlock(bytes, records);
    return bytes;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const fuzz::Input input(data, size);
    fuzz::requireSameInPieces(input.bytes, input.cut, readSpool);
    if (input.bytes.empty() || input.bytes.size() > kMaxSpoolBlockBytes)
        return 0;
    const std::string spool = spoolOf(input.bytes);
    fuzz::requireSameInPieces(spool, input.cut, readSpool);
    const Told told = readSpool({spool});
    if (!told.records.empty())
        fuzz::require(readSpool({spoolOf(told.records)}).records == told.records, "records read back as written");
    return 0;
}
