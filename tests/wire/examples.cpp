// SPDX-License-Identifier: MIT
#include "tests/wire/examples.h"

namespace ringside::test {

using namespace wire;

namespace {

const auto kCampaign = *CampaignId::parse("cccccccc-cccc-4ccc-8ccc-cccccccccccc");
const auto kRun = *RunId::parse("11111111-1111-4111-8111-111111111111");
const std::string kBinary("\x00\xffRS\r\n\x1a\n\xfe\x01 as in the magic", 26);

Hello exampleHello()
{
    Hello hello;
    hello.protocolMin = 2;
    hello.protocolMax = 3;
    hello.version = "0.1.0";
    hello.host = "login1";
    hello.os = "linux";
    hello.arch = "x86_64";
    hello.root = "/home/user/ringside";
    hello.monotonicNs = 123;
    hello.wallNs = -1;
    return hello;
}

InstalledItem exampleItem()
{
    InstalledItem item;
    item.item = {ItemKind::agent, "0.1.0/linux-x86_64-0123456789ab"};
    item.path = "bin/0.1.0/linux-x86_64-0123456789ab";
    item.bytes = 12;
    item.usedNs = -5;
    item.inUse = true;
    item.reason = because(why::kProgramRuns);
    item.about = "0.1.0";
    item.store = *StoreId::parse("55555555-5555-4555-8555-555555555555");
    return item;
}

FileChunk exampleChunk()
{
    FileChunk chunk;
    chunk.campaign = kCampaign;
    chunk.run = kRun;
    chunk.attempt = 2;
    chunk.kind = FileKind::spool;
    chunk.rank = 7;
    chunk.path = "runs/11111111-1111-4111-8111-111111111111/attempt-2/rank-7.spool";
    chunk.fileId = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa";
    chunk.offset = (std::uint64_t{1} << 53) + 1;
    chunk.bytes = kBinary;
    chunk.atEnd = true;
    return chunk;
}

} // namespace

std::vector<Message> exampleMessages()
{
    return {exampleHello(),
            ProbeRequest{1},
            ProbeReply{1, {{"os", "linux"}, {"cpu", "Beispiel-Prozessor «ä»"}, {"free_bytes", "12"}}},
            SubmitRequest{2, kCampaign, "#!/bin/sh\n", "{\"format\":1}", "slurm"},
            SubmitReply{2, "4711", true},
            StatusRequest{3, {kCampaign, kCampaign}},
            StatusReply{3,
                        {{kCampaign, true, CampaignState::lost, "4711",
                          because(why::kJob, {{"job", "4711"}, {"state", "node_fail"}, {"nodes", -1}}),
                          JobState::nodeFail, 1234567890},
                         {kCampaign, true, CampaignState::queued, "", becauseOf({ErrorCode::busy, "Full.", "Wait."})},
                         {kCampaign, false, {}, "", {}, {}}}},
            FollowRequest{4, kCampaign, {{"campaigns/x/journal", "id", 77}}, "{\"format\":1}"},
            UnfollowRequest{5, kCampaign},
            exampleChunk(),
            FollowState{4, kCampaign, true, true},
            ControlRequest{6, kCampaign, {Control::Kind::cancelRun, kRun}},
            ControlReply{6},
            DeleteRequest{7,
                          {kRun},
                          {kCampaign},
                          {{ItemKind::worker, "0123abcd"}},
                          {{"runs/x/rank-0.spool", "id", 78}},
                          *StoreId::parse("55555555-5555-4555-8555-555555555555")},
            DeleteReply{7, 1u << 30, {{"runs/x", because(why::kBuiltWith, {{"worker", "k"}})}}},
            ErrorReply{8, {ErrorCode::noSpace, "The disk is full.", "Free some."}},
            Ping{UINT64_MAX},
            Pong{UINT64_MAX},
            BuildRequest{9, std::string(64, 'a'), "/opt/torch", {"gcc/12", "cuda"}, true, 4, 100},
            BuildProgress{9, "compile", 42, "[20/60] Building train.cpp", "$ cmake\n\xff"},
            BuildReply{9, "/home/user/.ringside/workers/k/ringside-worker", "k", "{}"},
            InventoryRequest{10},
            InventoryReply{10, {exampleItem()}},
            NodeProbeRequest{11, {"--partition=main", "--exclusive"}},
            EngineRequest{12, "mxnet", EngineAction::verify, "{}", "/usr/bin/python3", "/wheels", {"python/3.9"}, 100},
            EngineReply{12, "{\"mxnet\":{}}"}};
}

} // namespace ringside::test
