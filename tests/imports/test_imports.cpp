// SPDX-License-Identifier: MIT
// From files to what a user is shown of them.
#include "core/base/sequences.h"
#include "core/imports/explain.h"
#include "tests/imports/logfixture.h"

using namespace ringside;
using namespace ringside::imports;
using namespace ringside::test;

TEST_CASE("what a log states is understood, and its hash is that of the file")
{
    const auto previews = LogFixture::preview({formatLog("mxnet.module")}, {"ranks=2"});
    REQUIRE(previews);
    REQUIRE(previews->logs.size() == 1);
    const LogPreview& log = previews->logs.front();
    CHECK(log.log.format->name == "mxnet");
    CHECK(log.log.files.front().sha256 == sha256OfFile(formatLog("mxnet.module")).value());
    CHECK(log.log.files.front().linesRead == 22);
    REQUIRE(log.runs.size() == 1);
    const RunPreview& run = log.runs.front();
    CHECK(run.figure.ranks == 2);
    CHECK(run.figure.records == 12);
    CHECK(run.missing.empty());
    REQUIRE(run.overTime);
    CHECK(*run.overTime == doctest::Approx(*run.figure.itemsPerSecond).epsilon(0.1));
    CHECK(textOf(run.settings, "engine") == "mxnet");
    CHECK(textOf(run.settings, "model") == "not_told");
    CHECK(textOf(run.settings, "site") == "imported");
    CHECK(integerOf(run.settings, "batch_per_rank") == 32);
    CHECK(!run.settings.contains("precision")); // no line states it
    CHECK(LogFixture::notes(log, "several ranks"));
    CHECK(scopeText(run) == "of all 2 ranks");
}

TEST_CASE("ranks that only the order of lines tells apart are asked for, since they may be runs")
{
    const auto asked = LogFixture::preview({formatLog("mxnet.module")});
    REQUIRE(asked);
    CHECK(missingIn(asked->logs) == std::vector<std::string>{"ranks"});
    const RunPreview& run = asked->logs.front().runs.front();
    CHECK_FALSE(run.settings.contains("ranks"));
    CHECK_FALSE(run.overTime);
    CHECK(scopeText(run) == "of one of 2 ranks");
    CHECK(missingIn(LogFixture::preview({formatLog("mxnet.prterun")})->logs).empty()); // they have tags
}

TEST_CASE_FIXTURE(LogFixture, "what another program printed behind a log is counted, with the line where it begins")
{
    const std::string first = textOf(formatLog("mxnet.module")), second = textOf(formatLog("caffe.bvlc"));
    const auto firstLines = static_cast<std::uint64_t>(std::ranges::count(first, '\n'));
    const auto both = preview({write("both.log", first + second), write("one.log", first)});
    REQUIRE(both);
    const LogPreview& log = both->logs[0];
    CHECK(log.log.format->name == "mxnet");
    CHECK(log.runs[0].figure.records == both->logs[1].runs[0].figure.records);
    REQUIRE(log.log.files.front().other);
    CHECK(log.log.files.front().other->format->name == "caffe");
    CHECK(log.log.files.front().other->firstLine > firstLines);
    CHECK(log.log.files.front().other->firstLine < firstLines + 20);
    CHECK(notes(log, "From here on, another program printed"));
    CHECK_FALSE(both->logs[1].log.files.front().other);
}

TEST_CASE_FIXTURE(LogFixture, "records that are damaged are counted in words, with the first of their lines")
{
    const std::string whole = "Epoch[0] Batch [10-20]\tSpeed: 500.0 samples/sec\n";
    const auto previews = preview({write("whole.log", whole + "Epoch[0] Train-accuracy=0.5\n"),
                                   write("one.log", whole + "Epoch[0] Batch [20-30]\tSpeed: 5\n"),
                                   write("two.log", whole + "Epoch[0] Batch [20\n-30]\nEpoch[0] Batch [30-40]\tSp\n")});
    REQUIRE(previews);
    REQUIRE(previews->logs.size() == 3);
    const auto note = [&](std::size_t log) {
        for (const imports::Note& each : notesOf(previews->logs[log]))
            if (each.text().find("damaged") != std::string::npos)
                return fmt::format("{} {}:{} {}", nameOf(each.gravity), each.file, each.line, each.text());
        return std::string();
    };
    CHECK(note(0) == "warn one.log:2 The line looks like a record but is damaged, and was left out.");
    CHECK(note(1) == "warn two.log:2 2 lines look like records but are damaged, and were left out; this is the first.");
    CHECK(note(2).empty());
}

TEST_CASE_FIXTURE(LogFixture, "rates that no machine has are refused and counted")
{
    std::string log;
    for (int batch = 10; batch <= 100; batch += 10)
        log += fmt::format("Epoch[0] Batch [{}]\tSpeed: {} samples/sec\n", batch,
                           batch == 40   ? "1e308"
                           : batch == 60 ? "0"
                           : batch == 80 ? "1e-320"
                                         : "100");
    const auto previews = preview({write("mxnet.log", log)}, {"ranks=1", "batch_per_rank=32"});
    REQUIRE(previews);
    const imports::RunPreview& run = previews->logs.at(0).runs.at(0);
    CHECK(run.figure.refused == 3);
    CHECK(run.figure.itemsPerSecond == 100);
    REQUIRE(run.overTime);
    CHECK(*run.overTime == doctest::Approx(100));
    CHECK(notes(previews->logs.at(0), "cannot be a rate or a time. (3 times)"));
}

TEST_CASE_FIXTURE(LogFixture, "records of Ringside's drivers are imported without a question")
{
    for (const char* name : {"ringside-records.ranks", "ringside-records.all"}) {
        const auto previews = preview({formatLog(name)});
        REQUIRE(previews);
        const imports::LogPreview& log = previews->logs.at(0);
        CAPTURE(name);
        CHECK(missingIn(log).empty());
        REQUIRE(log.runs.size() == 1);
        REQUIRE(log.runs[0].overTime);
        CHECK(*log.runs[0].overTime == doctest::Approx(640));
        CHECK(log.runs[0].findings.empty());
        CHECK(ringside::integerOf(log.runs[0].settings, "batch_per_rank") == 32);
    }
}

TEST_CASE_FIXTURE(LogFixture, "a log's version is that of its lines, never the one that the launch was written for")
{
    const auto versionsIn = [](const fs::path& log) { return versionsOf(preview({log})->logs.front()); };
    const std::string today = textOf(formatLog("caffe.bvlc")), old = textOf(formatLog("caffe.old"));
    CHECK(versionsIn(formatLog("mxnet.module")) == ">=1.3, <2");
    CHECK(versionsIn(write("today.log", today)) == ">=1");
    CHECK(versionsIn(write("old.log", old)) == "<1");
    CHECK(versionsIn(write("both.log", today + old)).empty());
    CHECK(versionsIn(formatLog("tensorflow.hooks")).empty()); // of TensorFlow 1, and none of its lines states it
    const auto older = [&](const std::string& epoch) {
        return versionsIn(write("older.log", "Train on 640 samples\nEpoch 1/2\n" + epoch + "Epoch 2/2\n" + epoch));
    };
    CHECK(older("640/640 [====] - 3s - loss: 1.5\n") == "<2.0.9"); // of which all are <2.4
    CHECK(older("640/640 [====] - 3s 5ms/sample - loss: 1.5\n") == "<2.4");
}

TEST_CASE("what is missing is asked for, and answered")
{
    const auto asked = LogFixture::preview({formatLog("caffe.bvlc")});
    REQUIRE(asked);
    const auto missing = missingIn(asked->logs);
    REQUIRE(missing.size() == 2);
    CHECK(missing.front() == "batch_global");
    CHECK(missing.back() == "ranks");
    CHECK(questionFor(missing.back()).sentence.find("World size") == 0);
    const auto told = LogFixture::preview({formatLog("caffe.bvlc")},
                                          {"batch_per_rank=64", "ranks=1", "model=alexnet", "site=lab", "device=cuda"});
    REQUIRE(told);
    CHECK(missingIn(told->logs).empty());
    const RunPreview& run = told->logs.front().runs.front();
    CHECK(run.overTime);
    CHECK(textOf(run.settings, "model") == "alexnet");
    CHECK(textOf(run.settings, "site") == "lab");
    CHECK(textOf(run.settings, "device") == "cuda");
    CHECK(textOf(run.settings, "plan") == "none"); // of one rank
}

TEST_CASE("with the batch of one rank, only ranks are asked for, which suffice")
{
    const auto asked = LogFixture::preview({formatLog("caffe.bvlc")}, {"batch_per_rank=32"});
    REQUIRE(asked);
    CHECK(missingIn(asked->logs) == std::vector<std::string>{"ranks"});
    const auto told = LogFixture::preview({formatLog("caffe.bvlc")}, {"batch_per_rank=32", "ranks=2"});
    CHECK(missingIn(told->logs).empty());
    CHECK(told->logs.front().runs.front().overTime);
}

TEST_CASE("an unknown key is refused with those that there are, and a close one is named")
{
    Answers answers;
    const auto hintOf = [&](std::string_view text) { return addAnswer(answers, text).error().hint; };
    CHECK(hintOf("foo=1").find("There are items_per_epoch, equal_ranks, ") == 0);
    for (const char* key : {" site,", " batch_per_rank,", " ranks,", " precision,"})
        CHECK_MESSAGE(hintOf("foo=1").find(key) != std::string::npos, key);
    CHECK(hintOf("foo=1").find(" engine,") == std::string::npos); // the form of the log decides it
    CHECK(hintOf("batch_per_rnk=1").find("Did you mean “batch_per_rank”? There are ") == 0);
    CHECK(looksLikeAnswer("ranks=two"));
    CHECK_FALSE(looksLikeAnswer("rank-0.log"));
    CHECK_FALSE(looksLikeAnswer("lr=0.1"));
}

TEST_CASE("where one rank printed for several, whether they are alike is asked")
{
    const auto asked = LogFixture::preview({formatLog("horovod.synthetic")});
    REQUIRE(asked);
    CHECK(missingIn(asked->logs) == std::vector<std::string>{"equal_ranks"});
    CHECK(scopeText(asked->logs.front().runs.front()) == "of one of 2 ranks");
    const auto told = LogFixture::preview({formatLog("horovod.synthetic")}, {"equal_ranks=yes"});
    REQUIRE(told);
    const auto& runs = told->logs.front().runs;
    REQUIRE(runs.size() == 2); // the log holds two
    CHECK(*runs[0].overTime == doctest::Approx(2 * *runs[0].figure.perLane).epsilon(0.01));
    CHECK(*runs[1].overTime == doctest::Approx(4 * *runs[1].figure.perLane).epsilon(0.01));
    CHECK(*runs[1].figure.itemsPerSecond == doctest::Approx(*runs[1].overTime).epsilon(0.01));
    CHECK(scopeText(runs[1]) == "of all 4 ranks");
}

TEST_CASE_FIXTURE(LogFixture, "a program's total is held against ranks that are said to be equal")
{
    const auto findingsOf = [&](double total) {
        std::string log = "Model: resnet50\nBatch size: 32\nNumber of GPUs: 4\n";
        for (int iteration = 0; iteration < 5; ++iteration)
            log += fmt::format("Iter #{}: 101.0 img/sec per GPU\n", iteration);
        log += fmt::format("Img/sec per GPU: 101.0 +-0.0\nTotal img/sec on 4 GPU(s): {:.1f} +-0.0\n", total);
        return preview({write("horovod.log", log)}, {"equal_ranks=yes"})->logs.front().runs.front().findings;
    };
    CHECK(findingsOf(404).empty());
    const auto wrong = findingsOf(804);
    REQUIRE(wrong.size() == 1);
    CHECK(wrong.front().code == logs::FindingCode::claimDiffers);
    CHECK(wrong.front().line == 10);
}

TEST_CASE_FIXTURE(LogFixture, "the model that a log names is read where it is one of Ringside's")
{
    const std::string log = textOf(formatLog("horovod.mpirun"));
    const auto modelIn = [&](const std::string& word, const std::vector<std::string>& answers = {}) {
        std::string other = log;
        other.replace(other.find("resnet50"), 8, word);
        const auto previews = preview({write("horovod.log", other)}, answers);
        return textOf(previews->logs.at(0).runs.at(0).settings, "model").value();
    };
    CHECK(modelIn("resnet50") == "resnet50");
    CHECK(modelIn("AlexNet") == "alexnet");
    CHECK(modelIn("resnet50v2") == "not_told");
    CHECK(modelIn("densenet121") == "not_told");
    CHECK(modelIn("densenet121", {"model=googlenet"}) == "googlenet");
    CHECK(modelIn("resnet50", {"model=googlenet"}) == "resnet50");
    const auto unused = preview({formatLog("horovod.mpirun")}, {"model=googlenet"});
    CHECK(notes(unused->logs.at(0), "You said GoogLeNet, but the log says ResNet-50, which is used."));
    CHECK_FALSE(notes(preview({formatLog("horovod.mpirun")}, {"model=resnet50"})->logs.at(0), "You said"));
}

TEST_CASE_FIXTURE(LogFixture, "a program's own summary is shown where it agrees, too")
{
    const auto previews = preview({formatLog("horovod.mpirun"), formatLog("mxnet.module")});
    REQUIRE(previews);
    const imports::LogPreview& horovod = previews->logs.at(0);
    const auto summaries = summariesOf(horovod, horovod.runs.at(0));
    REQUIRE(summaries.size() == 2); // of each scope one
    CHECK(summaries[0].line == 11);
    CHECK(summaryText(summaries[0]) == "The log's own summary: 109.2 items/s of one rank");
    CHECK(summaryText(summaries[1]) == "The log's own summary: 436.8 items/s of all ranks");
    CHECK_FALSE(notes(horovod, "own summary")); // they agree, and are no finding
    CHECK(summariesOf(previews->logs.at(1), previews->logs.at(1).runs.at(0)).empty());
}

TEST_CASE_FIXTURE(LogFixture, "a log that states two numbers of ranks, or batches that do not fit, gets a finding")
{
    std::string log = "Model: resnet50\nBatch size: 32\nNumber of GPUs: 4\n";
    for (int i = 0; i < 10; ++i)
        log += fmt::format("Iter #{}: 100.{} img/sec per GPU\n", i, i);
    const auto horovod = preview({write("hvd.log", log + "Total img/sec on 8 GPU(s): 804.0 +-1.0\n")});
    REQUIRE(horovod);
    CHECK(notes(horovod->logs.front(), "It speaks of 8 ranks, but an earlier line of 4"));
    const auto same = preview({write("same.log", log + "Total img/sec on 4 GPU(s): 402.0 +-1.0\n")});
    CHECK_FALSE(notes(same->logs.front(), "It speaks of"));
    const std::string trainer =
        "***** Running training *****\n  Num examples = 1,000\n  Instantaneous batch size per device = 8\n"
        "  Total train batch size (w. parallel, distributed & accumulation) = 16\n"
        "{'train_runtime': 100.0, 'train_samples_per_second': 30.0, 'train_steps_per_second': 1.89, 'epoch': 3.0}\n";
    const auto four = preview({write("hf.log", trainer)}, {"ranks=4"}), two = preview({folder / "hf.log"}, {"ranks=2"});
    REQUIRE((four && two));
    CHECK(notes(four->logs.front(), "Check the number of ranks."));
    CHECK(integerOf(four->logs.front().runs.front().settings, "batch_per_rank") == 8);
    CHECK_FALSE(notes(two->logs.front(), "Check the number of ranks."));
}

TEST_CASE_FIXTURE(LogFixture, "a pause that the median hides is reported, with its line")
{
    std::string log = "I1231 20:00:00.000000 1 caffe.cpp:252] Starting Optimization\n";
    for (int i = 1; i <= 12; ++i)
        log += fmt::format("I1231 2{}:{:02}:00.000000 1 solver.cpp:218] Iteration {}, loss = 2.1\n", i < 8 ? 0 : 3, i,
                           20 * i);
    const auto read = preview({write("caffe.log", log)}, {"batch_per_rank=64", "ranks=1"});
    REQUIRE(read);
    const auto& findings = read->logs.front().runs.front().findings;
    REQUIRE(findings.size() == 1);
    CHECK(findings.front().code == logs::FindingCode::medianAgainstWork);
    CHECK(findings.front().line == 9);
    CHECK(notes(read->logs.front(), "this record is the slowest"));
}

TEST_CASE_FIXTURE(LogFixture, "what is found in the file of one rank names that file")
{
    const auto log = [](bool pauses) {
        std::string text;
        for (int i = 1; i <= 12; ++i)
            text += fmt::format("INFO:root:Epoch[0] Batch [{}]\tSpeed: {} samples/sec\tTrain-accuracy=0.07\n", 20 * i,
                                pauses && i == 9 ? "0.10" : "10.00");
        return text;
    };
    write("run/rank-0.log", log(false));
    write("run/rank-1.log", log(true));
    const auto previews = preview({folder / "run"}, {"batch_per_rank=32"});
    REQUIRE(previews);
    REQUIRE(previews->logs.size() == 1);
    const auto notes = notesOf(previews->logs.front());
    const auto slowest = std::ranges::find_if(notes, [](const imports::Note& note) { return note.line > 0; });
    REQUIRE(slowest != notes.end());
    CHECK(slowest->text().find("this record is the slowest") != std::string::npos);
    CHECK(slowest->file == "rank-1.log");
    CHECK(slowest->line == 9);
}

TEST_CASE("an answer never replaces what a log states")
{
    const auto told = LogFixture::preview({formatLog("horovod.synthetic")}, {"equal_ranks=yes", "ranks=2"});
    REQUIRE(told);
    const LogPreview& log = told->logs.front();
    CHECK(log.runs[0].figure.ranks == 2);
    CHECK(log.runs[1].figure.ranks == 4);
    CHECK(integerOf(log.runs[1].settings, "ranks") == 4);
    CHECK(log.runs[0].findings.empty());
    CHECK(LogFixture::notes(log, "You said 2, but the log says 4"));
    const auto seen = LogFixture::preview({formatLog("mxnet.rank")}, {"ranks=1"}); // it does not say, but two printed
    REQUIRE(seen);
    CHECK(seen->logs.front().runs.front().figure.ranks == 2);
    CHECK(LogFixture::notes(seen->logs.front(), "You said 1, but the log says 2"));
}

TEST_CASE("answers are checked as settings of an experiment")
{
    Answers answers;
    const auto refused = [&](const char* text) {
        const auto added = addAnswer(answers, text);
        return added ? std::string() : added.error().text();
    };
    CHECK(refused("batch_per_rnk=4").find("batch_per_rank") != std::string::npos);
    CHECK(refused("batch_per_rank=0").find("67,108,864") != std::string::npos);
    CHECK(refused("batch_per_rank=2,4").find("not one value") != std::string::npos);
    CHECK(refused("batch_per_rank").find("not one value") != std::string::npos);
    CHECK(refused("equal_ranks=maybe").find("yes") != std::string::npos);
    CHECK(refused("engine=pytorch").find("--as") != std::string::npos);
    CHECK(answers.settings.empty());
    CHECK(addAnswer(answers, "items_per_epoch=50000"));
    CHECK(answers.logs.itemsPerEpoch == 50'000);
    CHECK(answers.settings.empty());
    for (const char* answer : {"ranks=2", "equal_ranks=yes", "separate_files=yes"})
        CHECK(addAnswer(answers, answer));
    for (const char* again : {"items_per_epoch=1", "ranks=4", "ranks=2", "equal_ranks=yes", "separate_files=yes"})
        CHECK(refused(again).find("is given twice") != std::string::npos);
}

TEST_CASE("an option is of the logs of its own system")
{
    const auto read =
        LogFixture::preview({formatLog("mxnet.module")}, {"mxnet.kvstore=dist_async", "pytorch.comm_hook=fp16"});
    REQUIRE(read);
    const Settings& settings = read->logs.front().runs.front().settings;
    CHECK(ringside::textOf(settings, "mxnet.kvstore") == "dist_async");
    CHECK_FALSE(settings.contains("pytorch.comm_hook"));
}

TEST_CASE("files of the ranks of one run are one run")
{
    const LogFixture fixture;
    const std::string log = textOf(formatLog("mxnet.old"));
    fixture.write("run/rank-0.log", log);
    fixture.write("run/rank-1.log", log);
    fixture.write("run/notes.txt", "this is no log\n");
    const auto previews = LogFixture::preview({fixture.folder / "run"});
    REQUIRE(previews);
    CHECK(previews->passedOver == 1);
    REQUIRE(previews->logs.size() == 1);
    const LogPreview& both = previews->logs.front();
    REQUIRE(both.log.files.size() == 2);
    const auto alone = LogFixture::preview({formatLog("mxnet.old")});
    REQUIRE(alone);
    REQUIRE(both.runs.size() == alone->logs.front().runs.size());
    const auto& one = alone->logs.front().runs.front().figure;
    const auto& two = both.runs.front().figure;
    CHECK(two.records == 2 * one.records);
    CHECK(two.ranks == 2 * std::max<std::int64_t>(one.ranks, 1));
    const logs::LogRun& run = both.log.runs.front();
    CHECK(run.lanes.front().rank == 0);
    CHECK(run.lanes.back().rank == 1);
    fixture.write("mpi/rank.0/stdout", log);
    fixture.write("mpi/rank.1/stdout", log + "INFO:root:Epoch[9] Batch [20]\tSpeed: 5");
    const auto alike = LogFixture::preview({fixture.folder / "mpi"});
    REQUIRE(alike->logs.size() == 1);
    const auto notes = notesOf(alike->logs.front());
    const auto cut = std::ranges::find(notes, "cut_lines", &Note::code);
    REQUIRE(cut != notes.end());
    CHECK(cut->file == "rank.1/stdout");
}

TEST_CASE("numbers in names are ranks only if they count them, which is said, and an answer parts them")
{
    const LogFixture fixture;
    const std::string log = textOf(formatLog("mxnet.old"));
    const auto write = [&](const std::string& name) { fixture.write(name, log + std::string(name.size(), '\n')); };
    for (const char* name : {"sweep/mxnet_worker1.log", "sweep/mxnet_worker2.log", "sweep/mxnet_worker4.log",
                             "lora/lora-rank8.log", "lora/lora-rank16.log", "ranks/rank-1.log", "ranks/rank-2.log"})
        write(name);
    for (const auto& [folder, logs] : {std::pair{"sweep", 3u}, {"lora", 2u}, {"ranks", 1u}}) {
        const auto read = LogFixture::preview({fixture.folder / folder});
        REQUIRE(read);
        CHECK(read->logs.size() == logs);
        CHECK(LogFixture::notes(read->logs.front(), "files are read as ranks of one run") == (logs == 1));
    }
    const auto beside = LogFixture::preview({fixture.folder / "ranks", formatLog("mxnet.module")}, {"ranks=1"});
    CHECK(beside->logs.size() == 2); // the answer is about the other log
    const auto parted = LogFixture::preview({fixture.folder / "ranks"}, {"separate_files=yes", "ranks=1"});
    REQUIRE(parted->logs.size() == 2);
    CHECK_FALSE(LogFixture::notes(parted->logs.front(), "You said 1"));
    CHECK(parted->logs.front().runs.front().figure.itemsPerSecond);
}

TEST_CASE_FIXTURE(LogFixture, "a rank in a file's name counts before one in its folder's")
{
    for (const char* name :
         {"sweep/rank1/worker_0.log", "sweep/rank2/worker_0.log", "sweep/rank2/worker_1.log", "mpi/rank.0/rank.log",
          "mpi/rank.1/rank.log", "loaders/rank.0/num_worker4.log", "loaders/rank.1/num_worker4.log",
          "loader/rank.0/num_worker1.log", "loader/rank.1/num_worker1.log", "loading/num_worker0/rank0.log",
          "loading/num_worker1/rank0.log"})
        write(name, "");
    const auto filesOf = [&](const char* name) {
        return mapped(findLogs({folder / name}).value(), [](const LogSource& log) { return log.files.size(); });
    };
    CHECK(filesOf("sweep") == std::vector<std::size_t>{1, 2});
    CHECK(filesOf("mpi") == std::vector<std::size_t>{2});
    CHECK(filesOf("loaders") == std::vector<std::size_t>{2}); // 4 counts no ranks
    CHECK(filesOf("loading") == std::vector<std::size_t>{1, 1});
    CHECK(filesOf("loader") == std::vector<std::size_t>{2}); // nor does 1
}

constexpr const char* kBatch = "batch_per_rank=32"; // which mxnet.old does not state

TEST_CASE("a rank whose number is missing among the others is not left out of what all do")
{
    const LogFixture fixture;
    const std::string log = textOf(formatLog("mxnet.old"));
    for (const int rank : {0, 1, 3})
        fixture.write(fmt::format("run/rank-{}.log", rank), log + std::string(static_cast<std::size_t>(rank), '\n'));
    const auto asked = LogFixture::preview({fixture.folder / "run"}, {kBatch});
    REQUIRE(asked);
    CHECK(scopeText(asked->logs.front().runs.front()) == "of one of 4 ranks");
    CHECK(missingIn(asked->logs) == std::vector<std::string>{"equal_ranks"});
    CHECK_FALSE(isComplete(asked->logs.front().runs.front()));
    const auto alone = LogFixture::preview({formatLog("mxnet.old")}, {kBatch, "ranks=1"});
    const auto told = LogFixture::preview({fixture.folder / "run"}, {kBatch, "equal_ranks=yes"});
    CHECK(*told->logs.front().runs.front().overTime ==
          doctest::Approx(4 * *alone->logs.front().runs.front().overTime).epsilon(0.001));
}

TEST_CASE("a rank whose log ends early does not make the others slower")
{
    const LogFixture fixture;
    const std::string log = textOf(formatLog("mxnet.old"));
    fixture.write("whole/rank-0.log", log);
    fixture.write("whole/rank-1.log", log);
    fixture.write("cut/rank-0.log", log);
    fixture.write("cut/rank-1.log", log.substr(0, log.find('\n', log.size() / 2) + 1));
    const auto whole = LogFixture::preview({fixture.folder / "whole"}, {kBatch}),
               cut = LogFixture::preview({fixture.folder / "cut"}, {kBatch});
    REQUIRE((whole && cut));
    CHECK_FALSE(LogFixture::notes(whole->logs.front(), "those that only some report were left out"));
    CHECK(LogFixture::notes(cut->logs.front(), "those that only some report were left out"));
    CHECK(*cut->logs.front().runs.front().overTime ==
          doctest::Approx(*whole->logs.front().runs.front().overTime).epsilon(0.02));
}

TEST_CASE("a line is explained")
{
    const auto explained = explainLine("[1,3]<stdout>:INFO:root:Epoch[0] Batch [20]\tSpeed: 539.78 samples/sec\n",
                                       adapters::usersLogFormats());
    CHECK(explained.rank == 3);
    const auto mxnet = std::ranges::find_if(explained.readings,
                                            [](const LineReading& reading) { return reading.format->name == "mxnet"; });
    REQUIRE(mxnet != explained.readings.end());
    CHECK(mxnet->form->meaning == logs::Meaning::interval);
    CHECK(subjectText(*mxnet->form) == "an interval of one rank");
    const auto speed = std::ranges::find(mxnet->fields, "items_per_second", &FieldReading::name);
    REQUIRE(speed != mxnet->fields.end());
    CHECK(speed->value == doctest::Approx(539.78));
    const auto nothing = explainLine("nothing of that", adapters::usersLogFormats());
    CHECK(nothing.readings.empty());
    CHECK_FALSE(nothing.isRow);
}

TEST_CASE("a line of a table of links is explained, and a row needs its titles")
{
    const std::vector<logs::LogFormat> formats = adapters::usersLogFormats();
    const auto only = [&](std::string_view line) {
        const LineExplained explained = explainLine(line, formats);
        REQUIRE_MESSAGE(explained.readings.size() == 1, line);
        return explained.readings.front();
    };
    CHECK(only("# OSU MPI Latency Test v7.3").form->pattern.text() == "^# OSU MPI Latency Test");
    CHECK(only("# OSU MPI Broadcast Latency Test v7.3").form->pattern.text() == "^# OSU ");
    CHECK(only("# Size          Latency (us)").format->name == "osu");
    const LineReading ranks = only("# #processes = 4 ");
    REQUIRE(ranks.fields.size() == 1);
    CHECK(ranks.fields.front().value == 4);
    CHECK(only("#  Rank  3 Group  0 Pid  41003 on    birch02 device  1").form->scope == logs::Scope::rank);
    CHECK(only("# Avg bus bandwidth    : 33.8222").form->meaning == logs::Meaning::summary);
    CHECK(subjectText(*only("# Avg bus bandwidth    : 33.8222").form) == "a summary of all ranks");
    const LineExplained row = explainLine("1024                    2.31", formats);
    CHECK(row.readings.empty());
    CHECK(row.isRow);
}
