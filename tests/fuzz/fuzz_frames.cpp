// SPDX-License-Identifier: MIT
// FrameReader on any bytes, and on any message behind a right magic and checksum.
#include "core/protocol/block.h"
#include "core/wire/codec.h"
#include "core/wire/frames.h"
#include "tests/fuzz/property.h"

#include <vector>

using namespace ringside;
using namespace ringside::wire;

namespace {

using Pieces = std::vector<std::string_view>;

struct Told
{
    std::vector<Message> messages;
    bool failed = false;
    bool operator==(const Told&) const = default;
};

Told readStream(const Pieces& pieces)
{
    Told told;
    FrameReader reader;
    for (const std::string_view piece : pieces)
        told.failed = !reader.feed(piece, [&](Message&& message) { told.messages.push_back(std::move(message)); });
    return told;
}

std::string openingOfStream()
{
    FrameWriter writer;
    const std::string first = *writer.write(Ping{0});
    return first.substr(0, first.size() - writer.write(Ping{0})->size());
}

void checkRoundTrip(std::string_view payload)
{
    const auto message = decodeMessage(payload);
    if (!message || std::holds_alternative<UnknownMessage>(*message))
        return;
    const auto encoded = encodeMessage(*message);
    fuzz::require(encoded && decodeMessage(*encoded) == *message, "a decoded message can be sent on unchanged");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const fuzz::Input input(data, size);
    fuzz::requireSameInPieces(input.bytes, input.cut, readStream);
    if (input.bytes.empty())
        return 0;
    checkRoundTrip(input.bytes);
    std::string stream = openingOfStream();
    appendBlock(stream, input.bytes);
    fuzz::requireSameInPieces(stream, input.cut, readStream);
    return 0;
}
