// SPDX-License-Identifier: MIT
// Logs that state a batch more than once, as frameworks print them.
#include "tests/imports/logfixture.h"

using namespace ringside;
using namespace ringside::imports;
using namespace ringside::test;

namespace {

constexpr std::string_view kFinding = "It states a batch of ";

/// Of Horovod's synthetic benchmark, without its model and batch.
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

struct BatchFixture : LogFixture
{
    LogPreview read(std::string_view log, const std::vector<std::string>& answers = {}) const
    {
        return preview({write("one.log", log)}, answers).value().logs.at(0);
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
    std::erase_if(found, [](const Note& note) { return !note.text.starts_with(kFinding); });
    REQUIRE(found.size() == 1);
    CHECK(found[0].text.starts_with("It states a batch of 64, but another line one of 32"));
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
    CHECK(notes(read, "You said 32, but the log says 64"));
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
