// SPDX-License-Identifier: MIT
#include "tests/protocol/examples.h"

namespace ringside::test {

namespace {

template <class T> T idOf(char digit)
{
    std::string text = "00000000-0000-4000-8000-000000000000";
    for (char& c : text)
        c = c == '0' ? digit : c;
    return *T::parse(text);
}

constexpr std::int64_t kNoon = 1'795'262'400'000'000'000; // 2026-11-21 12:00 UTC

RunSpec exampleRun(char digit, const AggregationPlan& plan)
{
    RunSpec run;
    run.id = idOf<RunId>(digit);
    run.number = digit - '0';
    run.configurationKey = "9f2c41aa7be0d613";
    run.settings = Settings{{"model", "resnet50"}, {"ranks", std::int64_t{2}}, {"momentum", 0.1}, {"pin", true}};
    run.plan = plan;
    run.iterations = 14;
    run.warmup = 3;
    run.seed = UINT64_MAX;
    return run;
}

JournalEvent eventOf(JournalKind kind, int second)
{
    JournalEvent event;
    event.kind = kind;
    event.wallNs = kNoon + second * std::int64_t{1'000'000'000};
    event.host = "node01";
    return event;
}

} // namespace

Sample sampleNumber(std::uint32_t seq)
{
    Sample sample;
    sample.seq = seq;
    sample.startNs = 5'000'000'000 + seq * std::int64_t{100'000'000};
    sample.phases = {1'000'000, 0, 30'000'000, 55'000'000, 9'000'000, 4'000'000, 1'000'000};
    sample.readNs = 2'000'001;
    sample.decodeNs = 40'000'003;
    sample.h2dTotalNs = 7;
    sample.commTotalNs = 21'000'000;
    sample.bytesSent = 102'228'128;
    sample.items = 16;
    sample.badItems = seq % 2;
    sample.loss = 6.875f;
    return sample;
}

SpoolHeader exampleHeader()
{
    SpoolHeader header;
    header.file = idOf<FileId>('a');
    header.run = idOf<RunId>('1');
    header.attempt = 2;
    header.rank = 1;
    header.worldSize = 2;
    header.host = "node01";
    header.iterations = 14;
    header.warmup = 3;
    return header;
}

std::vector<Record> exampleRecords()
{
    return {ClockPair{4'900'000'000, kNoon},
            sampleNumber(0),
            sampleNumber(1),
            BucketTimings{1, {{0, 1'000'000, 3'000'000, 1u << 20}, {1, 5'000'000, 9'000'000, 25u << 20}}},
            Heartbeat{5'200'000'000, 1, Phase::backward},
            Telemetry{5'300'000'000, 0.75f, 0.5f, 1'234'567'890, 9'876'543'210, 111, 222, 0.125f},
            End{2, 0, 0}};
}

std::vector<Record> exampleClockRecords()
{
    return {ClockPair{304'900'000'000, kNoon}, ClockOffset{304'900'100'000, -300'000'000'123, 21'500}, sampleNumber(0),
            ClockOffset{309'000'000'000, -300'000'004'567, 18'250}, End{1, 0, 0}};
}

std::vector<Record> exampleCanaryRecords()
{
    return {ClockPair{4'900'000'000, kNoon}, Canary{5'000'000'000, false, 1'234'567'890, 0}, sampleNumber(0),
            Canary{9'000'000'000, true, 0, 2'345'678}, End{1, 0, 0}};
}

std::vector<Record> exampleCoresRecords()
{
    return {sampleNumber(0),
            Telemetry{5'300'000'000, 0.75f, 0.5f, 1'234'567'890, 9'876'543'210, 111, 222, 0.125f, 0.25f}, End{1, 0, 0}};
}

std::vector<Record> exampleOwnCoresRecords()
{
    Telemetry all{5'300'000'000, 0.75f, 0.5f, 1'234'567'890, 9'876'543'210, 111, 222, 0.125f, 0.25f, 0.625f};
    Telemetry own = all;
    own.foreignCoresShare = Telemetry::kNotTold;
    return {sampleNumber(0), all, own, End{1, 0, 0}};
}

std::vector<Record> exampleGpuRecords()
{
    return {sampleNumber(0),
            GpuTelemetry{5'400'000'000, 0.875f, 10'737'418'240, 85'899'345'920, 345'678, 1'755, 2'619, 0x24, 12'000'000,
                         34'000'000, 1'111'111'111'111, 2'222'222'222'222, 2, 2'147'483'648},
            End{1, 0, 0}};
}

std::vector<Record> exampleCommunicationRecords()
{
    return {sampleNumber(0), Heartbeat{5'200'000'000, 1, Phase::backward, Communication{0x1'0000'0002, true}},
            Heartbeat{7'200'000'000, 1, Phase::commExposed, Communication{0x1'0000'0003, false}}, End{1, 0, 0}};
}

std::vector<Record> exampleToldRecords()
{
    Sample sample = sampleNumber(0);
    sample.told = {Phase::forward, Phase::backward, Phase::update};
    keepTold(sample.phases, sample.told);
    return {sample, sampleNumber(1), End{2, 0, 0}};
}

std::vector<Record> exampleIntervalRecords()
{
    Sample interval = sampleNumber(49), ofAll = sampleNumber(99);
    interval.iterations = 50;
    ofAll.iterations = 50;
    ofAll.ofRanks = 4;
    ofAll.told = {Phase::forward};
    keepTold(ofAll.phases, ofAll.told);
    Sample single = sampleNumber(100);
    single.ofRanks = 4;
    return {interval, ofAll, single, End{3, 0, 0}};
}

std::vector<Record> exampleLayerRecords()
{
    return {sampleNumber(0),
            LayerTimings{0,
                         {{1'000'000, 9'000'000, 60'000'000, 25'000'000, 85'100'000},
                          {},
                          {11'000'000, 19'000'000, 31'000'000, 28'000'000, 59'000'001}}},
            End{1, 0, 0}};
}

std::string exampleSpool(const std::vector<Record>& records)
{
    std::string bytes = SpoolEncoder::encodeHeader(exampleHeader());
    SpoolEncoder encoder;
    for (const Record& record : records) {
        if (std::holds_alternative<Heartbeat>(record))
            bytes += encoder.takeBlock();
        encoder.add(record);
    }
    return bytes + encoder.takeBlock();
}

CampaignPlan examplePlan()
{
    CampaignPlan plan;
    plan.campaign = idOf<CampaignId>('c');
    plan.store = idOf<StoreId>('d');
    plan.experiment = "first-light";
    plan.site = "local";
    plan.worker = "/opt/ringside/bin/ringside-worker";
    plan.dataFolder = "/scratch/data";
    plan.timeLimitSeconds = 3600;
    plan.runs = {exampleRun('1', {}), exampleRun('2', {"buckets", Collective::allreduce, Grouping::buckets, 1u << 20,
                                                       25u << 20, Schedule::overlapped})};
    return plan;
}

CampaignPlan exampleNodesPlan()
{
    CampaignPlan plan = examplePlan();
    plan.launcher = "srun";
    plan.runs[1].settings["nodes"] = std::int64_t{2};
    plan.hosts = {"n1", "n2.example.org"};
    plan.hungAfterSeconds = 600;
    plan.launchPrefix = {"apptainer", "exec", "--nv", "/images/it's one.sif"};
    return plan;
}

CampaignPlan exampleAttemptsPlan()
{
    CampaignPlan plan = examplePlan();
    plan.runs[1].attempts = 3;
    return plan;
}

CampaignPlan examplePartsPlan()
{
    AggregationPlan fused;
    fused.name = "fused";
    fused.collective = Collective::hierarchical;
    fused.grouping = Grouping::fusion;
    fused.fusionThresholdBytes = 64u << 20;
    fused.fusionCycleUs = 5'000;
    fused.schedule = Schedule::overlapped;
    AggregationPlan served;
    served.name = "served";
    served.collective = Collective::parameterServer;
    served.servers = 3;
    served.asynchronous = true;
    served.serverPlacement = Placement::own;
    served.grouping = Grouping::perTensor;
    AggregationPlan first;
    first.name = "first";
    first.collective = Collective::reduceScatterAllgather;
    first.grouping = Grouping::equalBuckets;
    first.bucketCount = 7;
    first.schedule = Schedule::priority;
    first.chunkBytes = 3u << 20;
    AggregationPlan merged;
    merged.name = "merged";
    merged.collective = Collective::allreduce;
    merged.grouping = Grouping::optimal;
    merged.schedule = Schedule::overlapped;
    CampaignPlan plan = examplePlan();
    plan.runs = {exampleRun('1', fused), exampleRun('2', served), exampleRun('3', first), exampleRun('4', merged)};
    plan.runs[1].roles = rolesOf(served);
    return plan;
}

CampaignPlan exampleCompressedPlan()
{
    CampaignPlan plan = examplePlan();
    plan.runs.clear();
    char digit = '1';
    using enum Compression;
    for (const Compression compression : {none, fp16, bf16, onebit, topk}) { // those of the golden file
        AggregationPlan each = {"compressed", Collective::allreduce};
        each.compression = compression;
        each.topkPpm = compression == topk ? 12'345 : each.topkPpm;
        plan.runs.push_back(exampleRun(digit++, each));
    }
    return plan;
}

CampaignPlan exampleSystemPlan()
{
    Engine system;
    system.title = "MXNet";
    system.version = "1.9.1";
    system.command = {"/opt/python", "{drivers}/mxnet_driver.py", "--batch={batch_per_rank}", "{data_path}"};
    system.scriptCommand = {"/opt/python", "{mxnet.script}", "{mxnet.arguments}"};
    system.environment = {{"DMLC_ROLE", "worker"}};
    system.rankName = "worker";
    system.roles = {{"scheduler", {{"DMLC_ROLE", "scheduler"}, {"DMLC_PS_ROOT_PORT", "{port}"}}}};
    system.exits = {{3, Cause::settings, "refused its settings"}};
    system.lines = {{"^Epoch (?P<epoch>[0-9]+)", "interval", "rank", ">=1.5"}};
    system.optional = {"data_path"};
    system.standards = {{"mxnet.kvstore", "dist_sync"}};
    system.warmupRecords = 2;
    CampaignPlan plan = examplePlan();
    plan.engines = {{"mxnet", system}};
    plan.runs[1].settings["engine"] = std::string("mxnet");
    plan.runs[1].roles = {{"scheduler", 1, Placement::shared, Duty::serves}};
    return plan;
}

CampaignPlan exampleSeveralRanksPlan()
{
    CampaignPlan plan = exampleSystemPlan();
    plan.engines.at("mxnet").meeting = EngineMeeting::mpi;
    plan.runs[1].ranksPerProcess = 2;
    return plan;
}

Facts exampleFacts()
{
    Facts facts;
    facts.versions = {{"ringside", "0.1.0"}, {"torch", "2.11.0"}};
    facts.machine = {{"cpu", "Example CPU @ 2.00 GHz"}, {"cores", "2"}};
    facts.environment = {{"OMP_NUM_THREADS", "1"}};
    facts.data = {{"source", "synthetic-files"}, {"files", "1000"}};
    facts.model = {{"name", "alexnet"}, {"parameters", "61100840"}};
    facts.ranks = {{0, "node01", "cpu", "0", 1}, {1, "node01", "cpu", "1", 1}};
    facts.transport = "mpi: self,vader,tcp";
    facts.seed = 18'446'744'073'709'551'615u;
    return facts;
}

Facts exampleCalibrationFacts()
{
    Facts facts = exampleFacts();
    facts.data.clear();
    facts.model.clear();
    Calibration found{
        4, 2, 2, {50.5e9, 48e9}, {9.75e9, 9.5e9}, {2.5e8, 1.25e8}, "33.6 MB, 100 % from storage", {310, 305.5}, {}};
    found.links = {
        {LinkLevel::node, LinkOperation::pingPong, 2, {{4096, 2.5e-6}, {8192, 3.5e-6}}, {{8192, 1.5e-6, 2.5e-10}}},
        {LinkLevel::nodes, LinkOperation::allReduce, 2, {{4096, 1e-4}}, {{4096, 1e-4, 0}}},
        {LinkLevel::all, LinkOperation::allReduce, 4, {}, {}}};
    facts.calibration = found;
    return facts;
}

Facts exampleGpuCalibrationFacts()
{
    Facts facts = exampleCalibrationFacts();
    facts.transport = "nccl 2.28.9 on NVIDIA H100, beside mpi: self,vader,tcp";
    Calibration& found = *facts.calibration;
    found.nodes = 1;
    found.links.resize(1);
    found.links.push_back({LinkLevel::node, LinkOperation::allReduce, 4, {{4096, 1.5e-5}}, {{4096, 1.5e-5, 0}}, true});
    found.means = {"cuda", "nccl", "ib0"};
    found.gpu =
        GpuRates{{5.25e13, 5e13}, {4.1e14, 4e14}, {7.9e14, 7.8e14}, {4.5e12, 4.4e12}, {5.5e10, 5.4e10}, {5.3e10, 5e10}};
    return facts;
}

Facts exampleLayerFacts()
{
    Facts facts = exampleFacts();
    facts.ranks[0].place = "package 0, NUMA node 0";
    facts.ranks[0].links = "eth0 10000 Mbit/s";
    facts.layers = {{"features.0", 93'184}, {"classifier.6", 16'388'000}};
    return facts;
}

std::vector<JournalEvent> exampleEvents()
{
    std::vector<JournalEvent> events = {eventOf(JournalKind::runnerStarted, 0), eventOf(JournalKind::attemptStarted, 1),
                                        eventOf(JournalKind::attemptEnded, 9),  eventOf(JournalKind::held, 10),
                                        eventOf(JournalKind::continued, 20),    eventOf(JournalKind::runnerEnded, 21)};
    events[1].run = events[2].run = idOf<RunId>('1');
    events[1].attempt = events[2].attempt = 1;
    events[2].state = RunState::failed;
    events[2].cause = Cause::lostRank;
    events[2].reason.text = "Rank 1 on node01 was silent for 20 s: “killed”.";
    events[2].rank = 1;
    return events;
}

std::vector<JournalEvent> exampleReasonedEvents()
{
    std::vector<JournalEvent> events = exampleEvents();
    events[2].reason = because(why::kSilent, {{"rank", 1}, {"host", "node01"}, {"seconds", 20}});
    events[5].reason = becauseOf(Error{ErrorCode::io, "It said “no”.", {}});
    return events;
}

std::string exampleJournal()
{
    std::string lines;
    for (const JournalEvent& event : exampleReasonedEvents())
        lines += encodeJournalLine(event);
    return lines;
}

} // namespace ringside::test
