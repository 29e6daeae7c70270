// SPDX-License-Identifier: MIT
// Messages that are refused in a well-formed frame, and those that later versions may send.
#include "core/wire/messages.h"
#include "core/protocol/layout.h"
#include "core/wire/codec.h"
#include "core/wire/frames.h"
#include "core/wire/messages.capnp.h"
#include "tests/wire/examples.h"

#include <capnp/message.h>
#include <capnp/serialize.h>
#include <doctest/doctest.h>

namespace ringside::test {

using namespace wire;

namespace {

std::string bytesOf(capnp::MessageBuilder& builder)
{
    const auto words = capnp::messageToFlatArray(builder);
    return {reinterpret_cast<const char*>(words.asBytes().begin()), words.asBytes().size()};
}

/// A frame that `fill` makes, as a hostile or a later peer would.
template <class Fill> std::string frameOf(const Fill& fill)
{
    capnp::MallocMessageBuilder builder;
    fill(builder.initRoot<schema::Frame>());
    return bytesOf(builder);
}

std::string refusalOf(const std::string& bytes)
{
    const auto message = decodeMessage(bytes);
    REQUIRE_FALSE(message);
    CHECK(message.error().code == ErrorCode::damaged);
    return message.error().message;
}

Hello speaking(std::uint32_t oldest, std::uint32_t newest)
{
    Hello hello;
    hello.version = "0.1.0";
    hello.protocolMin = oldest;
    hello.protocolMax = newest;
    return hello;
}

} // namespace

TEST_CASE("a message of a later version is reported as unknown, with its request")
{
    std::string bytes = frameOf([](schema::Frame::Builder frame) {
        frame.setRequestId(42);
        frame.setPing(1);
    });
    // The union's tag follows the request id in the first data word: two header words of 4 bytes, a root pointer, the
    // id.
    const std::size_t tagAt = 8 + 8 + 4;
    REQUIRE(static_cast<int>(bytes[tagAt]) == static_cast<int>(schema::Frame::PING));
    bytes[tagAt] = 100;
    const auto message = decodeMessage(bytes);
    REQUIRE(message);
    CHECK(*message == Message(UnknownMessage{42, 100}));
    CHECK(requestIdOf(*message) == 42);
    CHECK_FALSE(encodeMessage(*message));
}

TEST_CASE("ids and paths that lead elsewhere are refused by name")
{
    CHECK(refusalOf(frameOf([](auto frame) {
              frame.initUnfollowRequest().setCampaign("../../etc");
          })).find("campaign") != std::string::npos);
    const std::string campaign = "cccccccc-cccc-4ccc-8ccc-cccccccccccc";
    for (const char* path : {"", "/etc/passwd", "runs/../../x", "..", "runs//x", "runs/", "a/./b", "new\nline"}) {
        const std::string bytes = frameOf([&](schema::Frame::Builder frame) {
            auto chunk = frame.initFileChunk();
            chunk.setCampaign(campaign.c_str());
            chunk.setPath(path);
        });
        CHECK(refusalOf(bytes).find("path") != std::string::npos);
        CHECK_FALSE(isPathInside(path));
    }
    CHECK(isPathInside("runs/x..y/rank-0.spool"));
}

TEST_CASE("values that make no sense are refused by name")
{
    const std::string campaign = "cccccccc-cccc-4ccc-8ccc-cccccccccccc";
    CHECK(refusalOf(frameOf([&](schema::Frame::Builder frame) {
              auto request = frame.initControlRequest();
              request.setCampaign(campaign.c_str());
              request.setAction(schema::ControlAction::CANCEL_RUN);
          })).find("run") != std::string::npos);
    CHECK(refusalOf(frameOf([&](schema::Frame::Builder frame) {
              auto request = frame.initControlRequest();
              request.setCampaign(campaign.c_str());
              request.setAction(static_cast<schema::ControlAction>(99));
          })).find("action") != std::string::npos);
}

TEST_CASE("an error code that only a later version knows reads as internal")
{
    const auto message = decodeMessage(frameOf(
        [](schema::Frame::Builder frame) { frame.initErrorReply().setCode(static_cast<schema::ErrorCode>(500)); }));
    REQUIRE(message);
    CHECK(std::get<ErrorReply>(*message).error.code == ErrorCode::internal);
}

TEST_CASE("what a site says of itself and of a failure is plain text, whatever bytes it sends")
{
    const std::string hostile = "\x1b[2Jgone \x07";
    const auto failed = decodeMessage(*encodeMessage(ErrorReply{8, {ErrorCode::io, hostile, hostile}}));
    REQUIRE(failed);
    CHECK(std::get<ErrorReply>(*failed).error.message == "?[2Jgone ?");
    CHECK(std::get<ErrorReply>(*failed).error.hint == "?[2Jgone ?");
    Hello hello;
    hello.version = hello.host = hello.os = hello.arch = hostile;
    const auto greeted = decodeMessage(*encodeMessage(hello));
    REQUIRE(greeted);
    for (const auto member : {&Hello::version, &Hello::host, &Hello::os, &Hello::arch})
        CHECK(std::get<Hello>(*greeted).*member == "?[2Jgone ?");
}

TEST_CASE("the state of a campaign is sent as a reason; an older relay sends a text")
{
    const auto reasonOf = [](const std::string& why, const std::string& sentence) {
        const auto message = decodeMessage(frameOf([&](schema::Frame::Builder frame) {
            auto status = frame.initStatusReply().initCampaigns(1)[0];
            status.setCampaign("cccccccc-cccc-4ccc-8ccc-cccccccccccc");
            status.setWhy(why.c_str());
            status.setReason(sentence.c_str());
        }));
        REQUIRE(message);
        return std::get<StatusReply>(*message).campaigns.at(0).reason;
    };
    CHECK(reasonOf(R"({"code":"silent","rank":3})", "") == because(why::kSilent, {{"rank", 3}}));
    CHECK(reasonOf(R"({"code":"silent","rank":3})", "A rank is silent.") == because(why::kSilent, {{"rank", 3}}));
    CHECK(reasonOf("", "Waits for free nodes.") == Reason{{}, {}, "Waits for free nodes."});
    CHECK(reasonOf("[1, 2", "Waits.") == Reason{{}, {}, "[1, 2"}); // damaged: a text all the same
    CHECK(reasonOf("", "").empty());
    CHECK(reasonOf(R"({"rank":3})", "") == Reason{}); // of nothing
    for (const std::string& odd :
         {std::string("\xff {"), std::string(1999, 'x') + "ä", std::string("{\"text\":\"\xc3\"}")}) {
        const StatusReply reply{1, {{CampaignId::random(), true, CampaignState::lost, "", reasonOf(odd, "")}}};
        CHECK(*decodeMessage(*encodeMessage(reply)) == Message(reply));
        CHECK_FALSE(reply.campaigns[0].reason.empty());
    }
}

TEST_CASE("why something stays on its site is a reason, too")
{
    const auto message = decodeMessage(frameOf([&](schema::Frame::Builder frame) {
        auto refused = frame.initDeleteReply().initRefused(2);
        refused[0].setPath("workers/a");
        refused[0].setWhy(R"({"code":"being_built"})");
        refused[1].setPath("workers/b"); // of an older relay
        refused[1].setReason("It is being built.");
    }));
    REQUIRE(message);
    const std::vector<Refusal> expected{{"workers/a", because(why::kBeingBuilt)},
                                        {"workers/b", {{}, {}, "It is being built."}}};
    CHECK(std::get<DeleteReply>(*message).refused == expected);
}

TEST_CASE("a reason goes out as its code and what it is about, and not as a sentence")
{
    const StatusReply reply{1,
                            {{*CampaignId::parse("cccccccc-cccc-4ccc-8ccc-cccccccccccc"), true, CampaignState::lost,
                              "4711", because(why::kSilent, {{"rank", 3}})}}};
    const std::string bytes = *encodeMessage(reply);
    auto words = kj::heapArray<capnp::word>(bytes.size() / sizeof(capnp::word));
    std::memcpy(words.asBytes().begin(), bytes.data(), bytes.size());
    capnp::FlatArrayMessageReader reader(words);
    const auto status = reader.getRoot<schema::Frame>().getStatusReply().getCampaigns()[0];
    CHECK(std::string(status.getWhy().cStr()) == R"({"code":"silent","rank":3})");
    CHECK(status.getReason().size() == 0);
}

TEST_CASE("bytes that are no message are refused, whatever they are")
{
    for (const Message& example : exampleMessages()) {
        const std::string bytes = *encodeMessage(example);
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            (void)decodeMessage(std::string_view(bytes).substr(0, i)); // must return
            std::string damaged = bytes;
            damaged[i] = static_cast<char>(~damaged[i]);
            (void)decodeMessage(damaged);
        }
    }
    CHECK_FALSE(decodeMessage(""));
    CHECK_FALSE(decodeMessage("1234567"));
    CHECK_FALSE(decodeMessage(std::string(64, '\xff')));
}

TEST_CASE("a message whose pointers share their bytes cannot grow in the reader")
{
    // Lists of texts that all point to the same 60 kB would become 6 GB of strings.
    capnp::MallocMessageBuilder builder(20'000); // one segment, the text right behind the list
    auto list = builder.initRoot<schema::Frame>().initNodeProbeRequest().initOptions(5000);
    const std::string big(60'000, 'x');
    list.set(0, big.c_str());
    std::string bytes = bytesOf(builder);
    const std::size_t wordsBefore = bytes.find(std::string(8, 'x')) / 8 - 5000; // of the list's first pointer
    for (std::int32_t i = 1; i < 5000; ++i) {
        std::uint64_t pointer;
        std::memcpy(&pointer, bytes.data() + wordsBefore * 8, 8);
        pointer -= static_cast<std::uint64_t>(i) << 2; // the same target, i words nearer
        std::memcpy(bytes.data() + (wordsBefore + static_cast<std::size_t>(i)) * 8, &pointer, 8);
    }
    const auto message = decodeMessage(bytes);
    REQUIRE_FALSE(message);
    CHECK(message.error().message.find("raversal limit") != std::string::npos);
}

TEST_CASE("what is stored of 10,000 runs of 32 ranks fits into one message for every reader")
{
    std::vector<Cursor> cursors;
    const std::string fileId = FileId::random().str();
    for (int run = 0; run < 10'000; ++run) {
        const fs::path attempt = layout::attemptFolder({}, RunId::random(), 1);
        for (int rank = 0; rank < 32; ++rank) {
            cursors.push_back({layout::spoolFile(attempt, rank).string(), fileId, 123'456});
            cursors.push_back({layout::rankLog(attempt, rank).string(), "2049:123456789", 123'456});
        }
    }
    FrameWriter writer;
    FrameReader reader;
    std::vector<Message> read;
    const auto keep = [&](Message&& message) { read.push_back(std::move(message)); };
    const FollowRequest follow{1, CampaignId::random(), cursors};
    const DeleteRequest removal{2, {}, {CampaignId::random()}, {}, cursors, StoreId::random()};
    for (const Message& message : {Message(follow), Message(removal)}) {
        const auto frame = writer.write(message);
        REQUIRE(frame);
        REQUIRE(reader.feed(*frame, keep));
        REQUIRE(read.size() == 1);
        CHECK((read.front() == message));
        read.clear();
    }
}

TEST_CASE("a list that claims more entries than its frame can hold is refused before any is read")
{
    for (const std::uint32_t claimed : {1000u, 100'000u, (1u << 29) - 1}) {
        std::string bytes = frameOf([](auto frame) { frame.initStatusReply().initCampaigns(0); });
        // The list's pointer stands before the list's tag, the last word: elements of no size, as many as one likes.
        const std::uint32_t sizeAndCount = claimed << 3;
        std::memcpy(bytes.data() + bytes.size() - 12, &sizeAndCount, sizeof sizeAndCount);
        const std::string why = refusalOf(bytes);
        CAPTURE(why);
        const bool isRefusedWhole =
            why.find("entries, more than") != std::string::npos || why.find("raversal limit") != std::string::npos;
        CHECK(isRefusedWhole);
    }
}

TEST_CASE("negotiation takes the newest version that both speak")
{
    CHECK(negotiate(speaking(1, 3), speaking(2, 5)) == 3u);
    CHECK(negotiate(speaking(2, 5), speaking(1, 3)) == 3u);
    CHECK(negotiate(Hello{}, Hello{}) == kProtocolMax);
}

TEST_CASE("without a common version the error on each side says what to do")
{
    const auto tooNew = negotiate(speaking(1, 2), speaking(3, 4));
    REQUIRE_FALSE(tooNew);
    CHECK(tooNew.error().code == ErrorCode::newerVersion);
    CHECK(tooNew.error().hint == "Update Ringside on this side.");
    const auto tooOld = negotiate(speaking(3, 4), speaking(1, 2));
    REQUIRE_FALSE(tooOld);
    CHECK(tooOld.error().code == ErrorCode::unavailable);
    CHECK_FALSE(negotiate(speaking(1, 1), speaking(2, 1)));
}

} // namespace ringside::test
