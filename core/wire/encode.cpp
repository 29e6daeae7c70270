// SPDX-License-Identifier: MIT
#include "core/wire/codec.h"
#include "core/wire/enums.h"

#include "core/base/words.h"

#include <capnp/message.h>
#include <capnp/serialize.h>

namespace ringside::wire {

namespace {

using capnp::Data;
using capnp::List;
using capnp::Text;
using schema::Frame;

Text::Reader text(const std::string& value)
{
    return {value.c_str(), value.size()};
}

Data::Reader data(const std::string& value)
{
    return {reinterpret_cast<const capnp::byte*>(value.data()), value.size()};
}

template <class Ids> void putIds(List<Text>::Builder list, const Ids& ids)
{
    unsigned i = 0;
    for (const auto& id : ids)
        list.set(i++, text(id.str()));
}

/// One overload per message; the frame's union remembers which.
struct Putter
{
    Frame::Builder frame;

    void operator()(const Hello& hello)
    {
        auto out = frame.initHello();
        out.setProtocolMin(hello.protocolMin);
        out.setProtocolMax(hello.protocolMax);
        out.setVersion(text(hello.version));
        auto capabilities = out.initCapabilities(static_cast<unsigned>(hello.capabilities.size()));
        for (unsigned i = 0; i < capabilities.size(); ++i)
            capabilities.set(i, text(hello.capabilities[i]));
        out.setHost(text(hello.host));
        out.setOs(text(hello.os));
        out.setArch(text(hello.arch));
        out.setRoot(text(hello.root));
        out.setMonotonicNs(hello.monotonicNs);
        out.setWallNs(hello.wallNs);
    }

    void operator()(const ProbeRequest&) { frame.setProbeRequest(); }

    void operator()(const NodeProbeRequest& request)
    {
        auto out = frame.initNodeProbeRequest();
        out.setScheduler(text(request.scheduler));
        auto options = out.initOptions(static_cast<unsigned>(request.options.size()));
        for (unsigned i = 0; i < options.size(); ++i)
            options.set(i, text(request.options[i]));
    }

    void operator()(const ProbeReply& reply)
    {
        auto values = frame.initProbeReply().initValues(static_cast<unsigned>(reply.values.size()));
        unsigned i = 0;
        for (const auto& [name, value] : reply.values) {
            values[i].setName(text(name));
            values[i++].setValue(text(value));
        }
    }

    void operator()(const SubmitRequest& request)
    {
        auto out = frame.initSubmitRequest();
        out.setCampaign(text(request.campaign.str()));
        out.setScript(data(request.script));
        out.setPlan(data(request.plan));
        out.setScheduler(text(request.scheduler));
    }

    void operator()(const SubmitReply& reply)
    {
        auto out = frame.initSubmitReply();
        out.setJob(text(reply.job));
        out.setAlreadyThere(reply.alreadyThere);
    }

    void operator()(const StatusRequest& request)
    {
        putIds(frame.initStatusRequest().initCampaigns(static_cast<unsigned>(request.campaigns.size())),
               request.campaigns);
    }

    void operator()(const StatusReply& reply)
    {
        auto list = frame.initStatusReply().initCampaigns(static_cast<unsigned>(reply.campaigns.size()));
        for (unsigned i = 0; i < list.size(); ++i)
            put(list[i], reply.campaigns[i]);
    }

    static void put(schema::CampaignStatus::Builder out, const CampaignStatus& status)
    {
        out.setCampaign(text(status.campaign.str()));
        out.setKnown(status.known);
        out.setState(sameNumber<schema::CampaignState>(status.state));
        out.setJob(text(status.job));
        out.setWhy(text(toText(status.reason)));
        out.setJobState(sameNumber<schema::JobState>(status.jobState));
        out.setJobReason(text(status.jobReason));
        out.setKnownAtNs(status.knownAtNs);
        out.setExpectedStartNs(status.expectedStartNs);
    }

    void operator()(const FollowRequest& request)
    {
        auto out = frame.initFollowRequest();
        out.setCampaign(text(request.campaign.str()));
        auto cursors = out.initCursors(static_cast<unsigned>(request.cursors.size()));
        for (unsigned i = 0; i < cursors.size(); ++i)
            put(cursors[i], request.cursors[i]);
        out.setPlan(text(request.plan));
    }

    static void put(schema::Cursor::Builder out, const Cursor& cursor)
    {
        out.setPath(text(cursor.path));
        out.setFileId(text(cursor.fileId));
        out.setOffset(cursor.offset);
    }

    void operator()(const UnfollowRequest& request)
    {
        frame.initUnfollowRequest().setCampaign(text(request.campaign.str()));
    }

    void operator()(const FileChunk& chunk)
    {
        auto out = frame.initFileChunk();
        out.setCampaign(text(chunk.campaign.str()));
        out.setRun(text(chunk.run.str()));
        out.setAttempt(chunk.attempt);
        out.setKind(sameNumber<schema::FileKind>(chunk.kind));
        out.setRank(chunk.rank);
        out.setPath(text(chunk.path));
        out.setFileId(text(chunk.fileId));
        out.setOffset(chunk.offset);
        out.setBytes(data(chunk.bytes));
        out.setAtEnd(chunk.atEnd);
    }

    void operator()(const FollowState& state)
    {
        auto out = frame.initFollowState();
        out.setCampaign(text(state.campaign.str()));
        out.setCaughtUp(state.caughtUp);
        out.setRunnerAlive(state.runnerAlive);
    }

    void operator()(const ControlRequest& request)
    {
        auto out = frame.initControlRequest();
        out.setCampaign(text(request.campaign.str()));
        out.setAction(sameNumber<schema::ControlAction>(request.control.kind));
        out.setRun(text(request.control.run.str()));
    }

    void operator()(const ControlReply&) { frame.setControlReply(); }

    void operator()(const DeleteRequest& request)
    {
        auto out = frame.initDeleteRequest();
        putIds(out.initRuns(static_cast<unsigned>(request.runs.size())), request.runs);
        putIds(out.initCampaigns(static_cast<unsigned>(request.campaigns.size())), request.campaigns);
        putEach(out.initItems(static_cast<unsigned>(request.items.size())), request.items);
        putEach(out.initStored(static_cast<unsigned>(request.stored.size())), request.stored);
        out.setStore(text(request.store.str()));
    }

    template <class Builder, class Values> static void putEach(Builder out, const Values& values)
    {
        for (unsigned i = 0; i < values.size(); ++i)
            put(out[i], values[i]);
    }

    static void put(schema::Item::Builder out, const Item& item)
    {
        out.setKind(sameNumber<schema::ItemKind>(item.kind));
        out.setName(text(item.name));
    }

    static void put(schema::Refusal::Builder out, const Refusal& refusal)
    {
        out.setPath(text(refusal.path));
        out.setReason(text(refusal.reason));
    }

    void operator()(const DeleteReply& reply)
    {
        auto out = frame.initDeleteReply();
        out.setFreedBytes(reply.freedBytes);
        putEach(out.initRefused(static_cast<unsigned>(reply.refused.size())), reply.refused);
    }

    void operator()(const InventoryRequest&) { frame.setInventoryRequest(); }

    static void put(schema::InstalledItem::Builder out, const InstalledItem& installed)
    {
        put(out.initItem(), installed.item);
        out.setPath(text(installed.path));
        out.setBytes(installed.bytes);
        out.setUsedNs(installed.usedNs);
        out.setInUse(installed.inUse);
        out.setReason(text(installed.reason));
        out.setAbout(text(installed.about));
        out.setStore(text(installed.store.str()));
    }

    void operator()(const InventoryReply& reply)
    {
        putEach(frame.initInventoryReply().initItems(static_cast<unsigned>(reply.items.size())), reply.items);
    }

    void operator()(const BuildRequest& request)
    {
        auto out = frame.initBuildRequest();
        out.setSource(text(request.source));
        out.setTorch(text(request.torch));
        auto modules = out.initModules(static_cast<unsigned>(request.modules.size()));
        for (unsigned i = 0; i < modules.size(); ++i)
            modules.set(i, text(request.modules[i]));
        out.setInstallTorch(request.installTorch);
        out.setJobs(request.jobs);
        out.setLimitSeconds(request.limitSeconds);
    }

    void operator()(const BuildProgress& progress)
    {
        auto out = frame.initBuildProgress();
        out.setPhase(text(progress.phase));
        out.setPercent(progress.percent);
        out.setText(text(progress.text));
        out.setLog(data(progress.log));
    }

    void operator()(const BuildReply& reply)
    {
        auto out = frame.initBuildReply();
        out.setWorker(text(reply.worker));
        out.setKey(text(reply.key));
        out.setFeatures(text(reply.features));
    }

    void operator()(const ErrorReply& reply)
    {
        auto out = frame.initErrorReply();
        out.setCode(sameNumber<schema::ErrorCode>(reply.error.code));
        out.setMessage(text(reply.error.message));
        out.setHint(text(reply.error.hint));
    }

    void operator()(const Ping& ping) { frame.setPing(ping.nonce); }
    void operator()(const Pong& pong) { frame.setPong(pong.nonce); }
    void operator()(const UnknownMessage&) {} // refused before
};

} // namespace

Result<std::string> encodeMessage(const Message& message)
{
    if (std::holds_alternative<UnknownMessage>(message))
        return fail(ErrorCode::usage, Words::tr("A message of an unknown type cannot be sent."));
    capnp::MallocMessageBuilder builder;
    auto frame = builder.initRoot<Frame>();
    frame.setRequestId(requestIdOf(message));
    std::visit(Putter{frame}, message);
    const auto words = capnp::messageToFlatArray(builder);
    const auto bytes = words.asBytes();
    return std::string(reinterpret_cast<const char*>(bytes.begin()), bytes.size());
}

} // namespace ringside::wire
