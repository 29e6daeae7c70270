// SPDX-License-Identifier: MIT
#include "core/wire/codec.h"
#include "core/wire/enums.h"

#include "core/base/text.h"
#include "core/base/words.h"

#include <capnp/message.h>
#include <capnp/serialize.h>
#include <cstring>
#include <kj/exception.h>

namespace ringside::wire {

namespace {

using capnp::Data;
using capnp::List;
using capnp::Text;
using schema::Frame;

/// An element of a list that says anything takes at least a quarter in the frame of what its value takes here.
constexpr std::size_t kMostGrowth = 4;
constexpr int kMaxNesting = 8;

std::string string(Text::Reader text)
{
    return {text.begin(), text.size()};
}
std::string string(Data::Reader data)
{
    return {reinterpret_cast<const char*>(data.begin()), data.size()};
}

/// Takes what may be wrong although it is well-formed. The first refusal is kept; later ones do not count.
class Taker
{
public:
    explicit Taker(std::size_t frameBytes)
        : m_frameBytes(frameBytes)
    {
    }

    template <class T> T id(Text::Reader text, const char* field)
    {
        auto parsed = T::parse({text.begin(), text.size()});
        if (parsed)
            return std::move(*parsed);
        refuse(field, parsed.error().message);
        return {};
    }

    template <class T> T optionalId(Text::Reader text, const char* field)
    {
        return text.size() == 0 ? T{} : id<T>(text, field);
    }

    std::string path(Text::Reader text, const char* field)
    {
        if (!isPathInside({text.begin(), text.size()}))
            refuse(field, Words::tr("not a path below the site's root"));
        return string(text);
    }

    /// `last` is the last enumerator known here.
    template <class To, class From> To named(From value, To last, const char* field)
    {
        if (static_cast<std::uint16_t>(value) <= static_cast<std::uint16_t>(last))
            return sameNumber<To>(value);
        refuse(field, Words::tr("value {} is not known here", static_cast<std::uint16_t>(value)));
        return last;
    }

    int countOf(std::int32_t value, int low, const char* field)
    {
        if (value < low)
            refuse(field, Words::tr("{} is below {}", value, low));
        return value;
    }

    /// Calls `take`, which makes a Value of each element, unless the frame cannot hold so many: elements of no size
    /// cost their sender nothing.
    template <class Value, class ListReader, class Take> void each(ListReader list, const char* field, const Take& take)
    {
        const std::size_t most = kMostGrowth * m_frameBytes / sizeof(Value);
        if (list.size() > most)
            return refuse(field, Words::tr("{} entries, more than {}", list.size(), most));
        for (unsigned i = 0; i < list.size() && !m_error; ++i)
            take(list[i]);
    }

    template <class T> std::vector<T> ids(List<Text>::Reader list, const char* field)
    {
        std::vector<T> all;
        each<T>(list, field, [&](Text::Reader text) { all.push_back(id<T>(text, field)); });
        return all;
    }

    void refuse(const char* field, std::string_view why)
    {
        if (!m_error)
            m_error = Error{ErrorCode::damaged, Words::tr("field {}: {}", field, plainText(why)), {}};
    }

    Result<Message> result(Message&& message)
    {
        if (m_error)
            return tl::unexpected(std::move(*m_error));
        return std::move(message);
    }

private:
    std::size_t m_frameBytes;
    std::optional<Error> m_error;
};

Hello take(Taker& taker, schema::Hello::Reader in)
{
    Hello hello;
    hello.protocolMin = in.getProtocolMin();
    hello.protocolMax = in.getProtocolMax();
    hello.version = string(in.getVersion());
    taker.each<std::string>(in.getCapabilities(), "capabilities",
                            [&](Text::Reader text) { hello.capabilities.push_back(string(text)); });
    hello.host = string(in.getHost());
    hello.os = string(in.getOs());
    hello.arch = string(in.getArch());
    hello.root = string(in.getRoot());
    hello.monotonicNs = in.getMonotonicNs();
    hello.wallNs = in.getWallNs();
    return hello;
}

ProbeReply take(Taker& taker, std::uint32_t requestId, schema::ProbeReply::Reader in)
{
    ProbeReply reply{requestId, {}};
    taker.each<std::pair<std::string, std::string>>(in.getValues(), "values", [&](schema::Pair::Reader pair) {
        reply.values.insert_or_assign(string(pair.getName()), string(pair.getValue()));
    });
    return reply;
}

NodeProbeRequest take(Taker& taker, std::uint32_t requestId, schema::NodeProbeRequest::Reader in)
{
    NodeProbeRequest request{requestId, {}, string(in.getScheduler())};
    taker.each<std::string>(in.getOptions(), "options", [&](Text::Reader text) {
        request.options.push_back(string(text));
        if (!request.options.back().starts_with("--"))
            taker.refuse("options", Words::tr("no option"));
    });
    return request;
}

SubmitRequest take(Taker& taker, std::uint32_t requestId, schema::SubmitRequest::Reader in)
{
    return {requestId, taker.id<CampaignId>(in.getCampaign(), "campaign"), string(in.getScript()), string(in.getPlan()),
            string(in.getScheduler())};
}

JobState jobStateOf(schema::JobState state)
{
    const auto known = sameNumber<JobState>(state);
    return known <= JobState::bootFail ? known : JobState::unknown;
}

/// Relays of versions that knew no codes say a sentence. What a reason cannot hold, as bytes that are no UTF-8, is left
/// out here, so that it can be sent on unchanged.
Reason reasonOf(schema::CampaignStatus::Reader in)
{
    const std::string why = string(in.getWhy());
    const Reason told = why.empty() ? Reason{{}, {}, string(in.getReason())} : reasonFromText(why);
    return reasonFromText(toText(told));
}

CampaignStatus take(Taker& taker, schema::CampaignStatus::Reader in)
{
    return {taker.id<CampaignId>(in.getCampaign(), "campaign"),
            in.getKnown(),
            taker.named(in.getState(), CampaignState::lost, "state"),
            string(in.getJob()),
            reasonOf(in),
            jobStateOf(in.getJobState()),
            string(in.getJobReason()),
            in.getKnownAtNs(),
            in.getExpectedStartNs()};
}

StatusReply take(Taker& taker, std::uint32_t requestId, schema::StatusReply::Reader in)
{
    StatusReply reply{requestId, {}};
    taker.each<CampaignStatus>(in.getCampaigns(), "campaigns", [&](schema::CampaignStatus::Reader status) {
        reply.campaigns.push_back(take(taker, status));
    });
    return reply;
}

std::vector<Cursor> takeCursors(Taker& taker, List<schema::Cursor>::Reader in, const char* field)
{
    std::vector<Cursor> cursors;
    taker.each<Cursor>(in, field, [&](schema::Cursor::Reader cursor) {
        cursors.push_back({taker.path(cursor.getPath(), "path"), string(cursor.getFileId()), cursor.getOffset()});
    });
    return cursors;
}

FollowRequest take(Taker& taker, std::uint32_t requestId, schema::FollowRequest::Reader in)
{
    FollowRequest request{requestId, taker.id<CampaignId>(in.getCampaign(), "campaign"), {}};
    request.cursors = takeCursors(taker, in.getCursors(), "cursors");
    request.plan = string(in.getPlan());
    return request;
}

FileChunk take(Taker& taker, schema::FileChunk::Reader in)
{
    FileChunk chunk;
    chunk.campaign = taker.id<CampaignId>(in.getCampaign(), "campaign");
    chunk.run = taker.optionalId<RunId>(in.getRun(), "run");
    chunk.attempt = taker.countOf(in.getAttempt(), 0, "attempt");
    chunk.kind = taker.named(in.getKind(), FileKind::log, "kind");
    chunk.rank = taker.countOf(in.getRank(), -1, "rank");
    chunk.path = taker.path(in.getPath(), "path");
    chunk.fileId = string(in.getFileId());
    chunk.offset = in.getOffset();
    chunk.bytes = string(in.getBytes());
    chunk.atEnd = in.getAtEnd();
    return chunk;
}

FollowState take(Taker& taker, std::uint32_t requestId, schema::FollowState::Reader in)
{
    return {requestId, taker.id<CampaignId>(in.getCampaign(), "campaign"), in.getCaughtUp(), in.getRunnerAlive()};
}

ControlRequest take(Taker& taker, std::uint32_t requestId, schema::ControlRequest::Reader in)
{
    ControlRequest request{
        requestId,
        taker.id<CampaignId>(in.getCampaign(), "campaign"),
        {taker.named(in.getAction(), Control::Kind::cancelRun, "action"), taker.optionalId<RunId>(in.getRun(), "run")}};
    if (request.control.kind == Control::Kind::cancelRun && request.control.run.empty())
        taker.refuse("run", Words::tr("cancelRun names no run"));
    return request;
}

SubmitReply take(std::uint32_t requestId, schema::SubmitReply::Reader in)
{
    return {requestId, string(in.getJob()), in.getAlreadyThere()};
}

StatusRequest take(Taker& taker, std::uint32_t requestId, schema::StatusRequest::Reader in)
{
    return {requestId, taker.ids<CampaignId>(in.getCampaigns(), "campaigns")};
}

UnfollowRequest take(Taker& taker, std::uint32_t requestId, schema::UnfollowRequest::Reader in)
{
    return {requestId, taker.id<CampaignId>(in.getCampaign(), "campaign")};
}

Item takeItem(Taker& taker, schema::Item::Reader in)
{
    Item item{taker.named(in.getKind(), ItemKind::run, "kind"), string(in.getName())};
    if (!isItemName(item))
        taker.refuse("name", Words::tr("not a name of its kind"));
    return item;
}

DeleteRequest take(Taker& taker, std::uint32_t requestId, schema::DeleteRequest::Reader in)
{
    DeleteRequest request{requestId,
                          taker.ids<RunId>(in.getRuns(), "runs"),
                          taker.ids<CampaignId>(in.getCampaigns(), "campaigns"),
                          {},
                          {}};
    taker.each<Item>(in.getItems(), "items",
                     [&](schema::Item::Reader item) { request.items.push_back(takeItem(taker, item)); });
    request.stored = takeCursors(taker, in.getStored(), "stored");
    request.store = taker.optionalId<StoreId>(in.getStore(), "store");
    return request;
}

DeleteReply take(Taker& taker, std::uint32_t requestId, schema::DeleteReply::Reader in)
{
    DeleteReply reply{requestId, in.getFreedBytes(), {}};
    taker.each<Refusal>(in.getRefused(), "refused", [&](schema::Refusal::Reader refusal) {
        reply.refused.push_back({taker.path(refusal.getPath(), "path"), string(refusal.getReason())});
    });
    return reply;
}

InventoryReply take(Taker& taker, std::uint32_t requestId, schema::InventoryReply::Reader in)
{
    InventoryReply reply{requestId, {}};
    taker.each<InstalledItem>(in.getItems(), "items", [&](schema::InstalledItem::Reader item) {
        reply.items.push_back({takeItem(taker, item.getItem()), taker.path(item.getPath(), "path"), item.getBytes(),
                               item.getUsedNs(), item.getInUse(), string(item.getReason()), string(item.getAbout()),
                               taker.optionalId<StoreId>(item.getStore(), "store")});
    });
    return reply;
}

BuildRequest take(Taker& taker, std::uint32_t requestId, schema::BuildRequest::Reader in)
{
    BuildRequest request{requestId,
                         string(in.getSource()),
                         string(in.getTorch()),
                         {},
                         in.getInstallTorch(),
                         taker.countOf(in.getJobs(), 0, "jobs"),
                         in.getLimitSeconds()};
    if (request.source.size() != 64 || request.source.find_first_not_of("0123456789abcdef") != std::string::npos)
        taker.refuse("source", Words::tr("no SHA-256"));
    taker.each<std::string>(in.getModules(), "modules",
                            [&](Text::Reader text) { request.modules.push_back(string(text)); });
    return request;
}

BuildProgress take(Taker& taker, std::uint32_t requestId, schema::BuildProgress::Reader in)
{
    return {requestId, string(in.getPhase()), taker.countOf(in.getPercent(), 0, "percent"), string(in.getText()),
            string(in.getLog())};
}

BuildReply take(std::uint32_t requestId, schema::BuildReply::Reader in)
{
    return {requestId, string(in.getWorker()), string(in.getKey()), string(in.getFeatures())};
}

ErrorReply take(std::uint32_t requestId, schema::ErrorReply::Reader in)
{
    const auto code = sameNumber<ErrorCode>(in.getCode());
    return {requestId, Error{code < ErrorCode::internal ? code : ErrorCode::internal, string(in.getMessage()),
                             string(in.getHint())}};
}

Message take(Taker& taker, Frame::Reader frame)
{
    const std::uint32_t id = frame.getRequestId();
    switch (frame.which()) {
    case Frame::HELLO:
        return take(taker, frame.getHello());
    case Frame::PROBE_REQUEST:
        return ProbeRequest{id};
    case Frame::NODE_PROBE_REQUEST:
        return take(taker, id, frame.getNodeProbeRequest());
    case Frame::PROBE_REPLY:
        return take(taker, id, frame.getProbeReply());
    case Frame::SUBMIT_REQUEST:
        return take(taker, id, frame.getSubmitRequest());
    case Frame::SUBMIT_REPLY:
        return take(id, frame.getSubmitReply());
    case Frame::STATUS_REQUEST:
        return take(taker, id, frame.getStatusRequest());
    case Frame::STATUS_REPLY:
        return take(taker, id, frame.getStatusReply());
    case Frame::FOLLOW_REQUEST:
        return take(taker, id, frame.getFollowRequest());
    case Frame::UNFOLLOW_REQUEST:
        return take(taker, id, frame.getUnfollowRequest());
    case Frame::FILE_CHUNK:
        return take(taker, frame.getFileChunk());
    case Frame::FOLLOW_STATE:
        return take(taker, id, frame.getFollowState());
    case Frame::CONTROL_REQUEST:
        return take(taker, id, frame.getControlRequest());
    case Frame::CONTROL_REPLY:
        return ControlReply{id};
    case Frame::DELETE_REQUEST:
        return take(taker, id, frame.getDeleteRequest());
    case Frame::DELETE_REPLY:
        return take(taker, id, frame.getDeleteReply());
    case Frame::ERROR_REPLY:
        return take(id, frame.getErrorReply());
    case Frame::PING:
        return Ping{frame.getPing()};
    case Frame::PONG:
        return Pong{frame.getPong()};
    case Frame::BUILD_REQUEST:
        return take(taker, id, frame.getBuildRequest());
    case Frame::BUILD_PROGRESS:
        return take(taker, id, frame.getBuildProgress());
    case Frame::BUILD_REPLY:
        return take(id, frame.getBuildReply());
    case Frame::INVENTORY_REQUEST:
        return InventoryRequest{id};
    case Frame::INVENTORY_REPLY:
        return take(taker, id, frame.getInventoryReply());
    }
    return UnknownMessage{id, static_cast<int>(frame.which())};
}

} // namespace

Result<Message> decodeMessage(std::string_view bytes)
{
    const std::size_t wordCount = bytes.size() / sizeof(capnp::word);
    if (wordCount == 0 || bytes.size() % sizeof(capnp::word) != 0)
        return fail(ErrorCode::damaged, Words::tr("a message of {} bytes is no whole number of words", bytes.size()));
    auto words = kj::heapArray<capnp::word>(wordCount); // aligned, as Cap'n Proto needs it
    std::memcpy(words.asBytes().begin(), bytes.data(), bytes.size());
    capnp::ReaderOptions options;
    options.traversalLimitInWords =
        2 * wordCount + 1024; // every field is read once; pointers to shared bytes are hostile
    options.nestingLimit = kMaxNesting;
    std::optional<Result<Message>> message;
    const auto exception = kj::runCatchingExceptions([&] {
        capnp::FlatArrayMessageReader reader(words, options);
        Taker taker(bytes.size());
        auto taken = take(taker, reader.getRoot<Frame>());
        message = taker.result(std::move(taken));
    });
    KJ_IF_MAYBE (thrown, exception) {
        return fail(ErrorCode::damaged, plainText(thrown->getDescription().cStr()));
    }
    return std::move(*message);
}

} // namespace ringside::wire
