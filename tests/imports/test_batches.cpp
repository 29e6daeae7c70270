// SPDX-License-Identifier: MIT
// Logs that state a batch more than once, as frameworks print them.
#include "tests/imports/logfixture.h"

using namespace ringside;
using namespace ringside::imports;
using namespace ringside::test;

namespace {

constexpr std::string_view kFinding = "It states a batch of ";
constexpr std::string_view kItems = "but its batches add up to";

/// Lines of Horovod's synthetic benchmark, without its model and batch.
std::string horovodRecords(int ranks = 1)
{
    std::string log = fmt::format("Number of GPUs: {}\n", ranks);
    for (int iteration = 0; iteration < 5; ++iteration)
        log += fmt::format("Iter #{}: {} img/sec per GPU\n", iteration, 100 + iteration);
    return log;
}

std::string nanogptRecords(const std::string& tag = {})
{
    std::string log;
    for (int iteration = 0; iteration < 50; iteration += 10)
        log += fmt::format("{}iter {}: loss 4.2655, time 1963.79ms, mfu 17.30%\n", tag, iteration);
    return log;
}

std::string huggingfaceHeader(int batch)
{
    return fmt::format("***** Running training *****\n  Num examples = 6,400\n"
                       "  Instantaneous batch size per device = {0}\n"
                       "  Total train batch size (w. parallel, distributed & accumulation) = {0}\n",
                       batch);
}

std::string driverBegin(int rank, int ranks, int batch)
{
    return fmt::format("ringside 1 begin rank={} ranks={} scope=rank batch={} pid={} {{}}\n", rank, ranks, batch,
                       100 + rank);
}

/// Returns the record of an iteration of a fifth of a second.
std::string driverRecord(int iteration, int items)
{
    return fmt::format("ringside 1 iteration={} start_ns={}00000000 length_ns=200000000 items={}\n", iteration,
                       2 * iteration + 1, items);
}

struct BatchFixture : LogFixture
{
    LogPreview read(std::string_view log, const std::vector<std::string>& answers = {}) const
    {
        return preview({write("one.log", log)}, answers).value().logs.at(0);
    }

    /// "one.log:3", of the first note that begins so.
    static std::string placeOf(const LogPreview& log, std::string_view text)
    {
        for (const Note& note : notesOf(log))
            if (note.text().starts_with(text))
                return fmt::format("{}:{}", note.file, note.line);
        return {};
    }
};

} // namespace

TEST_CASE_FIXTURE(BatchFixture, "of two batches that a header states, neither is used until the user says which it is")
{
    const std::string log = "Model: resnet50\nBatch size: 32\nBatch size: 256\n" + horovodRecords();
    const LogPreview untold = read(log);
    CHECK(notes(untold, "It states a batch of 256, but another line one of 32"));
    CHECK(missingIn(untold) == std::vector<std::string>{"batch_per_rank"}); // by which its rates become times
    CHECK_FALSE(untold.runs.at(0).settings.contains("batch_per_rank"));
    const LogPreview told = read(log, {"batch_per_rank=32"});
    CHECK(missingIn(told).empty());
    CHECK_FALSE(notes(told, kFinding));
    CHECK(integerOf(told.runs.at(0).settings, "batch_per_rank") == 32);

    const std::string timed = "tokens per iteration will be: 491,520\ntokens per iteration will be: 245,760\n";
    const LogPreview asked = read(timed + nanogptRecords(), {"ranks=1"});
    CHECK(notes(asked, kFinding));
    CHECK(missingIn(asked) == std::vector<std::string>{"batch_global"});
}

TEST_CASE_FIXTURE(BatchFixture, "attempts that failed before a record say nothing of the batch of the next one")
{
    const std::string begin = "ringside 1 begin rank=0 ranks=1 scope=rank batch={} pid={} {{}}\n";
    std::string driven = fmt::format(fmt::runtime(begin), 64, 1) + fmt::format(fmt::runtime(begin), 32, 2);
    for (int iteration = 0; iteration < 5; ++iteration)
        driven += fmt::format("ringside 1 iteration={} start_ns={}00000000 length_ns=100000000 items=32\n", iteration,
                              iteration + 1);
    const std::string trained =
        huggingfaceHeader(64) + huggingfaceHeader(32) +
        "{'train_runtime': 100.0, 'train_samples_per_second': 64.0, 'train_steps_per_second': 2.0, 'train_loss': 2.85, "
        "'epoch': 1.0}\n";
    const std::string swept = "Model: VGG16\nBatch size: 64\nModel: ResNet50\nBatch size: 32\n" + horovodRecords();
    for (const std::string& log : {driven, trained, swept}) {
        CAPTURE(log);
        const LogPreview read = this->read(log, {"ranks=1"});
        CHECK_FALSE(notes(read, kFinding));
        REQUIRE(read.runs.size() == 1);
        CHECK(integerOf(read.runs[0].settings, "batch_per_rank") == 32);
    }
    const std::string line = "tokens per iteration will be: {}\nnumber of parameters: 123.59M\n";
    const LogPreview rerun =
        read(fmt::format(fmt::runtime(line), "491,520") + fmt::format(fmt::runtime(line), "245,760") + nanogptRecords(),
             {"ranks=1"});
    CHECK_FALSE(notes(rerun, kFinding));
    CHECK(missingIn(rerun).empty());
    CHECK(rerun.log.runs.at(0).settings.batchGlobal == 245'760);
}

TEST_CASE_FIXTURE(BatchFixture, "each job of a sweep has its own batch, also where ranks without records print it")
{
    std::string log;
    for (const char* batch : {"491,520", "245,760"})
        log +=
            fmt::format("[default1]:tokens per iteration will be: {0}\n[default0]:tokens per iteration will be: {0}\n",
                        batch) +
            nanogptRecords("[default0]:");
    const LogPreview swept = read(log, {"ranks=2"});
    CHECK_FALSE(notes(swept, kFinding));
    CHECK(missingIn(swept).empty());
    REQUIRE(swept.log.runs.size() == 2);
    CHECK(swept.log.runs[0].settings.batchGlobal == 491'520);
    CHECK(swept.log.runs[1].settings.batchGlobal == 245'760);
}

TEST_CASE_FIXTURE(BatchFixture, "where files of ranks state different batches, none is used until the user says one")
{
    const std::array batches = {32, 64, 32};
    for (std::size_t rank = 0; rank < batches.size(); ++rank)
        write(fmt::format("run/rank-{}.log", rank),
              fmt::format("Model: resnet50\nBatch size: {}\n", batches[rank]) + horovodRecords(3));
    const auto previewed = [&](const std::vector<std::string>& answers) {
        return preview({folder / "run"}, answers).value().logs.at(0);
    };
    const LogPreview untold = previewed({});
    REQUIRE(untold.log.files.size() == 3);
    std::vector<Note> found = notesOf(untold);
    std::erase_if(found, [](const Note& note) { return !note.text().starts_with(kFinding); });
    REQUIRE(found.size() == 1);
    CHECK(found[0].text().starts_with("It states a batch of 64, but another line one of 32"));
    CHECK(found[0].file == "rank-1.log");
    CHECK(found[0].line == 2);
    CHECK_FALSE(untold.runs.at(0).settings.contains("batch_per_rank"));
    const LogPreview told = previewed({"batch_per_rank=64"});
    CHECK_FALSE(notes(told, kFinding));
    CHECK(integerOf(told.runs.at(0).settings, "batch_per_rank") == 64);
}

TEST_CASE_FIXTURE(BatchFixture, "a batch that one rank's file states is used, whatever the user says")
{
    write("run/rank-0.log", "Model: resnet50\n" + horovodRecords(2));
    write("run/rank-1.log", "Model: resnet50\nBatch size: 64\n" + horovodRecords(2));
    const LogPreview read = preview({folder / "run"}, {"batch_per_rank=32"}).value().logs.at(0);
    CHECK(integerOf(read.runs.at(0).settings, "batch_per_rank") == 64);
    CHECK(placeOf(read, "You said 32, but the log says 64") == "rank-1.log:2");
}

TEST_CASE_FIXTURE(BatchFixture, "what any rank's file states holds for the run, and files that differ are a finding")
{
    const std::string records = horovodRecords(), model = "Model: resnet50\nBatch size: 32\n",
                      untold = model + records.substr(records.find('\n') + 1);
    const auto read = [&](std::string_view first, std::string_view second, const std::vector<std::string>& answers) {
        write("run/rank-0.log", first);
        write("run/rank-1.log", second);
        return preview({folder / "run"}, answers).value().logs.at(0);
    };
    for (const bool isFirst : {true, false}) {
        const std::string stating = model + horovodRecords(4);
        const LogPreview log = read(isFirst ? stating : untold, isFirst ? untold : stating, {"ranks=8"});
        CAPTURE(isFirst);
        CHECK(log.runs.at(0).figure.ranks == 4);
        CHECK(placeOf(log, "You said 8, but the log says 4") == (isFirst ? "rank-0.log:3" : "rank-1.log:3"));
    }
    const LogPreview differ = read(model + horovodRecords(2), model + horovodRecords(4), {});
    CHECK(placeOf(differ, "It speaks of 4 ranks, but an earlier line of 2") == "rank-1.log:3");
    CHECK(differ.runs.at(0).figure.ranks == 4);
    CHECK_FALSE(notes(differ, "It trains"));
    const LogPreview others =
        read(model + horovodRecords(2), "Model: alexnet\nBatch size: 32\n" + horovodRecords(2), {});
    CHECK(notes(others, "It trains AlexNet, but an earlier file ResNet-50, which is used."));
    const LogPreview beyond = read(untold, model + horovodRecords(1), {});
    CHECK(notes(beyond, "Its own number of ranks is 1, but 2 processes print"));
}

TEST_CASE_FIXTURE(BatchFixture, "where an answer is not used, the line that states another number is named")
{
    const std::string header = "Model: resnet50\nBatch size: 32\n";
    const LogPreview stated = read(header + horovodRecords(4), {"ranks=2", "batch_per_rank=64", "equal_ranks=yes"});
    CHECK(placeOf(stated, "You said 2, but the log says 4") == "one.log:3");
    CHECK(placeOf(stated, "You said 64, but the log says 32") == "one.log:2");
    const LogPreview last = read(header + horovodRecords(4) + "Total img/sec on 8 GPU(s): 804.0 +-1.0\n", {"ranks=4"});
    CHECK(placeOf(last, "You said 4, but the log says 8") == "one.log:9");
}

TEST_CASE_FIXTURE(BatchFixture, "ranks whose drivers report different batches are added up")
{
    for (const std::vector<std::string>& tags : {std::vector<std::string>{"", "", ""}, {"[0] ", "[1] ", "[2] "}}) {
        const std::array batches = {32, 24, 16};
        std::string log;
        for (int rank = 0; rank < 3; ++rank)
            log += tags.at(static_cast<std::size_t>(rank)) +
                   driverBegin(rank, 3, batches.at(static_cast<std::size_t>(rank))) +
                   tags.at(static_cast<std::size_t>(rank)) + "a model\n";
        for (int iteration = 0; iteration < 12; ++iteration)
            for (int rank = 0; rank < 3; ++rank)
                log += tags.at(static_cast<std::size_t>(rank)) +
                       driverRecord(iteration, batches.at(static_cast<std::size_t>(rank)));
        CAPTURE(log);
        const LogPreview read = this->read(log);
        CHECK_FALSE(notes(read, kFinding));
        CHECK_FALSE(notes(read, kItems));
        CHECK(missingIn(read).empty());
        REQUIRE(read.runs.size() == 1);
        CHECK_FALSE(read.runs[0].settings.contains("batch_per_rank"));
        CHECK(read.runs[0].figure.itemsPerSecond.value_or(0) == doctest::Approx(360));
    }
}

TEST_CASE_FIXTURE(BatchFixture, "files of ranks whose drivers report different batches are added up")
{
    for (int rank = 0; rank < 2; ++rank) {
        std::string log = driverBegin(rank, 2, 32 - 16 * rank);
        for (int iteration = 0; iteration < 12; ++iteration)
            log += driverRecord(iteration, 32 - 16 * rank);
        write(fmt::format("run/rank-{}.log", rank), log);
    }
    const LogPreview read = preview({folder / "run"}).value().logs.at(0);
    CHECK_FALSE(notes(read, kFinding));
    CHECK_FALSE(notes(read, kItems));
    CHECK_FALSE(read.runs.at(0).settings.contains("batch_per_rank"));
    CHECK(read.runs.at(0).figure.itemsPerSecond.value_or(0) == doctest::Approx(240));
}

TEST_CASE_FIXTURE(BatchFixture, "two ranks that failed before a record say nothing of the batch of the next try")
{
    std::string log;
    for (const int batch : {64, 32})
        log += driverBegin(0, 2, batch) + driverBegin(1, 2, batch);
    for (int iteration = 0; iteration < 12; ++iteration)
        log += driverRecord(iteration, 32) + driverRecord(iteration, 32);
    const LogPreview read = this->read(log);
    CHECK_FALSE(notes(read, kFinding));
    CHECK(integerOf(read.runs.at(0).settings, "batch_per_rank") == 32);
}

TEST_CASE_FIXTURE(BatchFixture, "items that a driver reports for each iteration are used, whatever batch it began with")
{
    std::string records;
    int iteration = 0;
    for (const int items : {20, 27, 34, 41, 23, 30, 37})
        records += driverRecord(iteration++, items);
    const LogPreview read = this->read(driverBegin(0, 1, 32) + records);
    CHECK_FALSE(notes(read, kItems));
    CHECK(integerOf(read.runs.at(0).settings, "batch_per_rank") == 32);
    CHECK(read.runs.at(0).figure.itemsPerSecond.value_or(0) == doctest::Approx(160)); // between 30 and 34
    // An answer of the user, where no line states the batch, is compared with them.
    CHECK(notes(this->read(records, {"ranks=1", "batch_per_rank=16"}), kItems));
}

TEST_CASE_FIXTURE(BatchFixture, "a batch that is ramped up is that of each record")
{
    std::string log = "using world size: 8, data-parallel size: 8, tensor-model-parallel size: 1\n";
    for (int record = 1; record <= 20; ++record)
        log += fmt::format(" iteration {:8}/ 1000 | consumed samples: 2560 | elapsed time per iteration (ms): 500.0 | "
                           "learning rate: 1e-4 | global batch size: {:5} | lm loss: 9.9E+00 | loss scale: 1.0 |\n",
                           10 * record, record <= 15 ? 256 : 512);
    const LogPreview read = this->read(log);
    CHECK_FALSE(notes(read, kItems));
    CHECK_FALSE(notes(read, "but its batch and its time give"));
    REQUIRE(read.runs.size() == 1);
    CHECK(read.runs[0].figure.itemsPerSecond.value_or(0) == doctest::Approx(512));
    CHECK(integerOf(read.runs[0].settings, "batch_per_rank") == 32); // that of the first records
}

TEST_CASE_FIXTURE(BatchFixture, "iterations that go back after every record or two are found in words")
{
    std::string log;
    for (int iteration = 0; iteration < 30; ++iteration) // four micro-batches of each step
        for (const int milliseconds : {100, 101, 102, 103})
            log += fmt::format("iter {}: loss 4.2655, time {}ms, mfu 17.30%\n", iteration, milliseconds);
    const LogPreview read = this->read("tokens per iteration will be: 491,520\n" + log, {"ranks=1"});
    CHECK(notes(read, "the iterations go back after every record or two"));
    CHECK_FALSE(notes(read, "Lines of several processes"));
}
