// SPDX-License-Identifier: MIT
// JournalReader on any bytes, and on any members behind a right checksum; and the other JSON files on the same bytes.
#include "core/protocol/checksum.h"
#include "core/protocol/facts.h"
#include "core/protocol/journal.h"
#include "core/protocol/plan.h"
#include "tests/fuzz/property.h"

#include <vector>

using namespace ringside;

namespace {

using Pieces = std::vector<std::string_view>;

struct Told
{
    std::vector<JournalEvent> events;
    std::uint64_t offset = 0;
    bool failed = false;
    bool operator==(const Told&) const = default;
};

Told readJournal(const Pieces& pieces)
{
    Told told;
    JournalReader reader;
    for (const std::string_view piece : pieces)
        told.failed = !reader.feed(piece, [&](const JournalEvent& event) { told.events.push_back(event); });
    told.offset = reader.offset();
    return told;
}

std::string lineOf(std::string_view body)
{
    return fmt::format("{},\"crc\":\"{:08x}\"}}\n", body, crc32c(body));
}

void checkEvents(const std::vector<JournalEvent>& events)
{
    for (const JournalEvent& event : events)
        if (toText(event.reason).size() <= 2000 && event.host.size() <= 255)
            fuzz::require(*decodeJournalLine(encodeJournalLine(event)) == event, "an event reads back as written");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const fuzz::Input input(data, size);
    fuzz::requireSameInPieces(input.bytes, input.cut, readJournal);
    const std::string line = lineOf(input.bytes);
    fuzz::requireSameInPieces(line, input.cut, readJournal);
    checkEvents(readJournal({line}).events);
    if (const auto plan = planFromJson(input.bytes))
        fuzz::require(planFromJson(planToJson(*plan)) == *plan, "a plan reads back as written");
    if (const auto facts = factsFromJson(input.bytes))
        fuzz::require(factsFromJson(factsToJson(*facts)) == *facts, "facts read back as written");
    return 0;
}
