// SPDX-License-Identifier: MIT
// The fields of each message, named once for both directions: `frame` is a MembersWriter or a MembersReader
// (codec.cpp). Names are those of the schema; what is wrong although it is well-formed is refused when it is decoded.
#pragma once

#include "core/base/words.h"
#include "core/protocol/either.h"
#include "core/protocol/installedengine.h"
#include "core/wire/messages.h"

#include <algorithm>

namespace ringside::wire {

void membersOf(auto& frame, Either<Hello> auto& hello)
{
    frame.value("protocolMin", hello.protocolMin);
    frame.value("protocolMax", hello.protocolMax);
    frame.plain("version", hello.version);
    frame.plain("host", hello.host);
    frame.plain("os", hello.os);
    frame.plain("arch", hello.arch);
    frame.value("root", hello.root);
    frame.value("monotonicNs", hello.monotonicNs);
    frame.value("wallNs", hello.wallNs);
}

void membersOf(auto& frame, Either<ProbeReply> auto& reply)
{
    frame.pairs("values", reply.values);
}

void membersOf(auto& frame, Either<NodeProbeRequest> auto& request)
{
    frame.value("scheduler", request.scheduler);
    frame.list("options", request.options);
    const auto isOption = [](const std::string& option) { return option.starts_with("--"); };
    frame.check("options", std::ranges::all_of(request.options, isOption), Words::tr("no option"));
}

void membersOf(auto& frame, Either<SubmitRequest> auto& request)
{
    frame.id("campaign", request.campaign);
    frame.value("script", request.script);
    frame.value("plan", request.plan);
    frame.value("scheduler", request.scheduler);
}

void membersOf(auto& frame, Either<SubmitReply> auto& reply)
{
    frame.value("job", reply.job);
    frame.value("alreadyThere", reply.alreadyThere);
}

void membersOf(auto& frame, Either<StatusRequest> auto& request)
{
    frame.list("campaigns", request.campaigns);
}

void membersOf(auto& frame, Either<CampaignStatus> auto& status)
{
    frame.id("campaign", status.campaign);
    frame.value("known", status.known);
    frame.value("state", status.state);
    frame.value("job", status.job);
    frame.reason("why", status.reason);
    frame.value("jobState", status.jobState);
    frame.value("knownAtNs", status.knownAtNs);
    frame.value("expectedStartNs", status.expectedStartNs);
}

void membersOf(auto& frame, Either<StatusReply> auto& reply)
{
    frame.list("campaigns", reply.campaigns);
}

void membersOf(auto& frame, Either<Cursor> auto& cursor)
{
    frame.path("path", cursor.path);
    frame.value("fileId", cursor.fileId);
    frame.value("offset", cursor.offset);
}

void membersOf(auto& frame, Either<FollowRequest> auto& request)
{
    frame.id("campaign", request.campaign);
    frame.list("cursors", request.cursors);
    frame.value("plan", request.plan);
}

void membersOf(auto& frame, Either<UnfollowRequest> auto& request)
{
    frame.id("campaign", request.campaign);
}

void membersOf(auto& frame, Either<FileChunk> auto& chunk)
{
    frame.id("campaign", chunk.campaign);
    frame.optionalId("run", chunk.run);
    frame.count("attempt", chunk.attempt, 0);
    frame.value("kind", chunk.kind);
    frame.count("rank", chunk.rank, -1);
    frame.path("path", chunk.path);
    frame.value("fileId", chunk.fileId);
    frame.value("offset", chunk.offset);
    frame.value("bytes", chunk.bytes);
    frame.value("atEnd", chunk.atEnd);
}

void membersOf(auto& frame, Either<FollowState> auto& state)
{
    frame.id("campaign", state.campaign);
    frame.value("caughtUp", state.caughtUp);
    frame.value("runnerAlive", state.runnerAlive);
}

void membersOf(auto& frame, Either<ControlRequest> auto& request)
{
    frame.id("campaign", request.campaign);
    frame.value("action", request.control.kind);
    frame.optionalId("run", request.control.run);
    frame.check("run", request.control.kind != Control::Kind::cancelRun || !request.control.run.empty(),
                Words::tr("cancelRun names no run"));
}

void membersOf(auto& frame, Either<Item> auto& item)
{
    frame.value("kind", item.kind);
    frame.value("name", item.name);
    frame.check("name", isItemName(item), Words::tr("not a name of its kind"));
}

void membersOf(auto& frame, Either<InstalledItem> auto& installed)
{
    frame.part("item", installed.item);
    frame.path("path", installed.path);
    frame.value("bytes", installed.bytes);
    frame.value("usedNs", installed.usedNs);
    frame.value("inUse", installed.inUse);
    frame.reason("why", installed.reason);
    frame.value("about", installed.about);
    frame.optionalId("store", installed.store);
}

void membersOf(auto& frame, Either<InventoryReply> auto& reply)
{
    frame.list("items", reply.items);
}

void membersOf(auto& frame, Either<DeleteRequest> auto& request)
{
    frame.list("runs", request.runs);
    frame.list("campaigns", request.campaigns);
    frame.list("items", request.items);
    frame.list("stored", request.stored);
    frame.optionalId("store", request.store);
}

void membersOf(auto& frame, Either<Refusal> auto& refusal)
{
    frame.path("path", refusal.path);
    frame.reason("why", refusal.reason);
}

void membersOf(auto& frame, Either<DeleteReply> auto& reply)
{
    frame.value("freedBytes", reply.freedBytes);
    frame.list("refused", reply.refused);
}

void membersOf(auto& frame, Either<BuildRequest> auto& request)
{
    frame.value("source", request.source);
    const bool isHash =
        request.source.size() == 64 && request.source.find_first_not_of("0123456789abcdef") == std::string::npos;
    frame.check("source", isHash, Words::tr("no SHA-256"));
    frame.value("torch", request.torch);
    frame.list("modules", request.modules);
    frame.value("installTorch", request.installTorch);
    frame.count("jobs", request.jobs, 0);
    frame.value("limitSeconds", request.limitSeconds);
}

void membersOf(auto& frame, Either<BuildProgress> auto& progress)
{
    frame.value("phase", progress.phase);
    frame.count("percent", progress.percent, 0);
    frame.value("text", progress.text);
    frame.value("log", progress.log);
}

void membersOf(auto& frame, Either<BuildReply> auto& reply)
{
    frame.value("worker", reply.worker);
    frame.value("key", reply.key);
    frame.value("features", reply.features);
}

void membersOf(auto& frame, Either<EngineRequest> auto& request)
{
    frame.value("name", request.name);
    frame.check("name", isEngineName(request.name), Words::tr("no name of a system"));
    frame.value("action", request.action);
    frame.value("installation", request.installation);
    frame.value("python", request.python);
    frame.value("wheels", request.wheels);
    frame.list("modules", request.modules);
    frame.value("limitSeconds", request.limitSeconds);
    frame.reason("why", request.whyKept);
}

void membersOf(auto& frame, Either<EngineReply> auto& reply)
{
    frame.value("engine", reply.engine);
}

void membersOf(auto& frame, Either<ErrorReply> auto& reply)
{
    frame.value("code", reply.error.code);
    frame.plain("message", reply.error.message);
    frame.plain("hint", reply.error.hint);
}

// These are in the frame itself.
void membersOf(auto& frame, Either<Ping> auto& ping)
{
    frame.value("ping", ping.nonce);
}

void membersOf(auto& frame, Either<Pong> auto& pong)
{
    frame.value("pong", pong.nonce);
}

void membersOf(auto&, auto&) {} // of the others: nothing

} // namespace ringside::wire
