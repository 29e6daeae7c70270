// SPDX-License-Identifier: MIT
#include "core/wire/frames.h"
#include "core/protocol/block.h"
#include "core/protocol/bytes.h"
#include "tests/wire/examples.h"

#include <doctest/doctest.h>

namespace ringside::test {

using namespace wire;

namespace {

struct Outcome
{
    std::vector<Message> messages;
    std::optional<Error> error;
    std::string noise;
};

Outcome readIn(std::string_view bytes, std::size_t piece)
{
    Outcome outcome;
    FrameReader reader;
    for (; !bytes.empty() && !outcome.error; bytes.remove_prefix(std::min(piece, bytes.size()))) {
        auto fed = reader.feed(bytes.substr(0, piece), [&](Message&& m) { outcome.messages.push_back(std::move(m)); });
        if (!fed)
            outcome.error = fed.error();
    }
    outcome.noise = reader.noise();
    return outcome;
}

Outcome readAtOnce(std::string_view bytes)
{
    return readIn(bytes, std::max<std::size_t>(1, bytes.size()));
}

std::string streamOf(const std::vector<Message>& messages)
{
    std::string bytes;
    FrameWriter writer;
    for (const Message& message : messages)
        bytes += *writer.write(message);
    return bytes;
}

std::string magic()
{
    const std::string one = streamOf({Ping{1}});
    FrameWriter second;
    REQUIRE(second.write(Ping{1}));
    return one.substr(0, one.size() - second.write(Ping{1})->size());
}

} // namespace

TEST_CASE("every message arrives as it was sent")
{
    const auto messages = exampleMessages();
    REQUIRE(messages.size() == std::variant_size_v<Message> - 1); // all but UnknownMessage
    for (std::size_t i = 0; i < messages.size(); ++i) {
        REQUIRE(messages[i].index() == i);
        const Outcome outcome = readAtOnce(streamOf({messages[i]}));
        REQUIRE_FALSE(outcome.error);
        CHECK(outcome.messages == std::vector<Message>{messages[i]});
    }
}

TEST_CASE("a stream reads the same in pieces of any size, with noise before it")
{
    const std::string noise = "Last login: today\r\n\x1b[1mWelcome\x1b[0m " + magic().substr(0, 5);
    const std::string bytes = noise + streamOf(exampleMessages());
    for (const std::size_t piece : {1u, 2u, 3u, 10u, 1000u, 100'000u}) {
        const Outcome outcome = readIn(bytes, piece);
        CHECK_FALSE(outcome.error);
        CHECK(outcome.messages == exampleMessages());
        CHECK(outcome.noise.find("Welcome") != std::string::npos);
        CHECK(outcome.noise.find('\x1b') == std::string::npos);
    }
}

TEST_CASE("a truncated stream gives the whole messages before the cut")
{
    const std::string bytes = streamOf({Ping{1}, Ping{2}});
    for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
        const Outcome outcome = readAtOnce(std::string_view(bytes).substr(0, cut));
        REQUIRE_FALSE(outcome.error);
        REQUIRE(outcome.messages.size() < 2);
    }
}

TEST_CASE("every corrupted byte of a frame is found, and nothing after it is believed")
{
    const std::string bytes = streamOf({exampleMessages()[9], Ping{2}});
    for (std::size_t i = magic().size(); i < bytes.size(); ++i) {
        std::string corrupted = bytes;
        corrupted[i] = static_cast<char>(corrupted[i] ^ 0x01);
        const Outcome outcome = readAtOnce(corrupted);
        REQUIRE(outcome.messages.size() < 2);
    }
}

TEST_CASE("a frame that claims too much is refused before it comes")
{
    std::string bytes = magic();
    putNumber(bytes, kMaxFrameBytes + 1);
    putNumber(bytes, std::uint32_t{0});
    CHECK(readAtOnce(bytes).error->code == ErrorCode::damaged);
}

TEST_CASE("a message above the limit is not sent, and the stream stays good")
{
    FrameWriter writer;
    FileChunk chunk = std::get<FileChunk>(exampleMessages()[9]);
    chunk.bytes.resize(kMaxFrameBytes);
    const auto refused = writer.write(chunk);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::usage);
    CHECK(readAtOnce(*writer.write(Ping{3})).messages == std::vector<Message>{Ping{3}});
}

TEST_CASE("noise without end is the wrong program")
{
    const Outcome outcome = readIn(std::string(kMaxNoiseBytes, '.') + "zsh: command not found", 1000);
    REQUIRE(outcome.error);
    CHECK(outcome.error->code == ErrorCode::unavailable);
    CHECK(outcome.error->text().find("command not found") != std::string::npos);
}

TEST_CASE("an error stays")
{
    FrameReader reader;
    const auto ignore = [](Message&&) {};
    std::string bad = magic();
    appendBlock(bad, "no message");
    CHECK_FALSE(reader.feed(bad, ignore));
    CHECK_FALSE(reader.feed(streamOf({Ping{1}}), ignore));
    CHECK_FALSE(reader.started());
}

} // namespace ringside::test
