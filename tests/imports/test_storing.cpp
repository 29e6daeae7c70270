// SPDX-License-Identifier: MIT
// Logs in a real store.
#include "core/base/sequences.h"
#include "core/imports/importing.h"
#include "core/imports/leftout.h"
#include "core/report/analyse.h"
#include "core/report/caveats.h"
#include "core/report/comparedkind.h"
#include "core/spec/toml.h"
#include "core/store/imports.h"
#include "core/store/queries.h"
#include "core/store/summaries.h"
#include "tests/imports/importedlines.h"
#include "tests/imports/logfixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <cmath>

using namespace ringside;
using namespace ringside::imports;
using namespace ringside::test;

namespace {

struct StoreFixture : LogFixture
{
    Result<Imported> import(const std::vector<fs::path>& paths, const std::vector<std::string>& answers = {},
                            const std::string& experiment = {})
    {
        TRY_ASSIGN(Previews previews, preview(paths, answers));
        TRY_ASSIGN(Imported imported, storeImport(db, {experiment, std::move(previews)}));
        TRY(store::refreshSummaries(db));
        return imported;
    }
    store::RunRow run(int number) { return store::runByNumber(db, number).value().value(); }

    store::Database db = store::Database::openForWriting(folder / "lab.db").value();
};

} // namespace

TEST_CASE_FIXTURE(StoreFixture, "an experiment that no file could have by its name is not made by an import either")
{
    for (const std::string& name : {std::string(" "), std::string("a\tb"), std::string("a\x1b[2J"), std::string("\xff"),
                                    std::string(121, 'x'), std::string("-x"), std::string("a/b")}) {
        CAPTURE(name);
        const auto refused = import({formatLog("mxnet.module")}, {"model=resnet50", "ranks=2"}, name);
        CHECK((!refused && refused.error().code == ErrorCode::usage));
    }
    CHECK(store::experiments(db).value().empty());
    CHECK(import({formatLog("mxnet.module")}, {"model=resnet50", "ranks=2"}, std::string(120, 'x')));
}

TEST_CASE_FIXTURE(StoreFixture, "an experiment is named after a file only where it can have that name")
{
    const std::string log = textOf(formatLog("mxnet.module"));
    const auto nameOf = [&](const std::string& file) {
        const auto imported = import({write(file, log + file + "\n")}, {"model=resnet50", "ranks=2"});
        return imported ? imported->experiment : imported.error().text();
    };
    CHECK(nameOf("  .log") == "log");
    CHECK(nameOf("-x.log") == "log 2");
    CHECK(nameOf(" a b .log") == "a b");
}

TEST_CASE_FIXTURE(StoreFixture, "an imported run is a run that is done, with its log's hash, path, lines and findings")
{
    const auto imported = import({formatLog("mxnet.module")}, {"model=resnet50", "ranks=2"});
    REQUIRE_MESSAGE(imported, imported.error().text());
    CHECK(imported->experiment == "mxnet.module");
    REQUIRE(imported->numbers == std::vector<int>{1});
    const store::RunRow row = run(1);
    CHECK(row.kind == RunKind::imported);
    CHECK(row.state == RunState::done);
    CHECK(row.site == "imported");
    CHECK(store::experimentByName(db, "mxnet.module").value()->isImported);
    CHECK(row.inMatrix);
    CHECK(row.samples == 10); // of 12 records 2 hold an evaluation
    CHECK(textOf(row.settings, "model") == "resnet50");
    REQUIRE(row.itemsPerSecond);
    const auto previews = preview({formatLog("mxnet.module")}, {"ranks=2"});
    CHECK(*row.itemsPerSecond == doctest::Approx(*previews->logs.front().runs.front().overTime).epsilon(1e-9));
    const auto files = store::importedFiles(db, row.id).value();
    REQUIRE(files.size() == 1);
    CHECK(files.front().sha256 == sha256OfFile(formatLog("mxnet.module")).value());
    CHECK(files.front().path == formatLog("mxnet.module").string());
    CHECK(files.front().format == "mxnet");
    CHECK(files.front().versions == ">=1.3, <2");
    CHECK(files.front().linesRead == 22);
    REQUIRE(files.front().notes.size() == 1);
    CHECK(files.front().notes.front().text.empty());
    CHECK(sentenceOf(files.front().notes.front()) ==
          notesOf(preview({formatLog("mxnet.module")}, {"model=resnet50", "ranks=2"})->logs.front()).front().text());
    const auto lines = test::importedLines(db, row.id);
    REQUIRE(lines.size() == 10);
    const auto samples = store::samples(db, row.id, 1).value();
    CHECK(samples.size() == lines.size());
    CHECK(lines.front().line >= 1);
    CHECK(lines.front().line <= 24);
    CHECK(std::ranges::find(row.flags, "incomplete") == row.flags.end());
    CHECK(std::ranges::find(row.flags, "nan") == row.flags.end());
    CHECK(store::experimentByName(db, "mxnet.module").value()->runs.done == 1);
}

TEST_CASE_FIXTURE(StoreFixture, "an import is stored whatever becomes of summaries, and leaves those to its caller")
{
    db.handle().exec(
        "CREATE TRIGGER refusing BEFORE UPDATE OF summarised ON attempts BEGIN SELECT raise(ABORT, 'no'); END");
    for (const fs::path& log :
         {formatLog("mxnet.module"), write("again.log", "again\n" + textOf(formatLog("mxnet.module")))}) {
        const auto imported = storeImport(db, {"logs", preview({log}, {"ranks=2"}).value()});
        REQUIRE_MESSAGE(imported, imported.error().text());
    }
    CHECK_FALSE(store::refreshSummaries(db));
    CHECK_FALSE(run(1).itemsPerSecond);
    db.handle().exec("DROP TRIGGER refusing");
    CHECK(store::refreshSummaries(db).value() == std::vector{run(1).id, run(2).id});
    CHECK(run(1).itemsPerSecond);
}

TEST_CASE_FIXTURE(StoreFixture, "findings are stored as codes with what they are about, and shown as sentences")
{
    const store::ImportNote rate{"warn", "a.log", 7, "rate_against_time", 2.5, INFINITY, 3};
    const store::ImportNote model{"warn", "", 0, "model_unused", 0, 0, 1, "lenet", "alexnet"};
    store::ImportedRun run{.id = RunId::random(), .cell = {"key", {{"site", "imported"}}, {}}};
    store::ImportedFile& file = run.files.emplace_back();
    file.sha256 = std::string(64, 'a');
    file.notes = {rate, model};
    store::ExperimentEdit edit;
    edit.name = "logs";
    const auto added = store::addImports(db, "logs", edit, {run});
    REQUIRE_MESSAGE(added, added.error().text());
    const auto notes = [&] { return store::importedFiles(db, run.id).value().at(0).notes; };
    REQUIRE(notes() == std::vector{rate, model});
    CHECK(sentenceOf(notes()[0]) ==
          "Its numbers give 2.5 s and inf s for the same work, so none of them is used. (3 times)");
    CHECK(sentenceOf(notes()[1]) == "You said LeNet, but the log says AlexNet, which is used.");
    SQLite::Statement text(db.handle(), "SELECT notes FROM imports");
    REQUIRE(text.executeStep());
    const std::string stored = text.getColumn(0).getString();
    CHECK(stored.find("\"code\":\"rate_against_time\"") != std::string::npos);
    CHECK(stored.find("so none of them") == std::string::npos);
}

TEST_CASE("every code of a note has a sentence")
{
    const auto check = [](const auto& names) {
        for (const std::string_view name : names) {
            Note note;
            note.code = name;
            CHECK_FALSE(note.text().empty());
            CHECK_MESSAGE(note.text() != name, name);
        }
    };
    check(namesOf(logs::FindingCode{}));
    check(namesOf(NoteCode{}));
}

TEST_CASE_FIXTURE(StoreFixture, "findings of a version that knew no codes are shown as they were stored")
{
    REQUIRE(import({formatLog("mxnet.module")}, {"ranks=2"}));
    db.handle().exec("UPDATE imports SET notes = "
                     "'[{\"severity\":\"warn\",\"file\":\"a.log\",\"line\":7,\"text\":\"Some words.\"}]'");
    const auto notes = store::importedFiles(db, run(1).id).value().at(0).notes;
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].code.empty());
    CHECK(notes[0].line == 7);
    CHECK(sentenceOf(notes[0]) == "Some words.");
}

TEST_CASE_FIXTURE(StoreFixture, "members of a stored finding that have another type are as those that are not there")
{
    REQUIRE(import({formatLog("mxnet.module")}, {"ranks=2"}));
    const auto notesBy = [&](const std::string& json) {
        db.handle().exec("UPDATE imports SET notes = '" + json + "'");
        return store::importedFiles(db, run(1).id).value().at(0).notes;
    };
    const auto notes = notesBy("[7, {\"severity\":1,\"file\":null,\"line\":-7,\"code\":[],\"printed\":{},"
                               "\"against\":true,\"count\":\"3\",\"word\":2,\"against_word\":{},\"text\":4.5}]");
    REQUIRE(notes.size() == 1);
    CHECK(notes[0] == store::ImportNote{});
    CHECK(notesBy("{\"a\":1}").empty());
}

TEST_CASE_FIXTURE(StoreFixture, "a log is imported once, under whatever name")
{
    REQUIRE(import({formatLog("mxnet.module")}, {"ranks=2"}));
    const auto again = import({write("other.log", textOf(formatLog("mxnet.module")))}, {"ranks=2"}, "other");
    REQUIRE(!again);
    CHECK(again.error().code == ErrorCode::exists);
    CHECK(again.error().message.find("run 1 of “mxnet.module”") != std::string::npos);
    CHECK(!store::experimentByName(db, "other").value());
    write("folder/other.log", textOf(formatLog("mxnet.module")));
    write("folder/new.log", textOf(formatLog("mxnet.old")));
    const auto folderOf = import({folder / "folder"}, {"ranks=1", "batch_per_rank=32"});
    REQUIRE_MESSAGE(folderOf, folderOf.error().text());
    CHECK(std::ranges::any_of(folderOf->leftOut, [](const std::string& text) { // the new one is imported
        return text.find("folder/other.log has been imported before: it is run 1 of “mxnet.module”.") != text.npos;
    }));
    CHECK(folderOf->experiment == "new");
    CHECK(!import({write("a.log", textOf(formatLog("pytorch.imagenet"))),
                   write("b.log", textOf(formatLog("pytorch.imagenet")))}));
    REQUIRE(store::deleteExperiment(db, "mxnet.module"));
    CHECK(import({formatLog("mxnet.module")}, {"ranks=2"})); // its runs are gone
}

TEST_CASE_FIXTURE(StoreFixture, "ranks that report no work are part of their log, and make no other one known")
{
    const std::string log = textOf(formatLog("horovod.synthetic"));
    for (const char* job : {"first", "second", "third"}) {
        write(fmt::format("{}/rank.0/stdout", job), job + ("\n" + log));
        for (const int rank : {1, 2, 3})
            write(fmt::format("{}/rank.{}/stdout", job, rank), rank == 3 ? "Batch size: 32\n" : "");
    }
    std::vector<fs::path> named;
    for (const int rank : {0, 1, 2, 3})
        named.push_back(folder / fmt::format("third/rank.{}/stdout", rank));
    for (const std::vector<fs::path>& paths : {std::vector{folder / "first"}, {folder / "second"}, named}) {
        const auto imported = import(paths, {"equal_ranks=yes"});
        REQUIRE_MESSAGE(imported, imported.error().text());
        CHECK(imported->leftOut.empty());
        REQUIRE(imported->numbers.size() == 2); // the log holds two
        CHECK(store::importedFiles(db, run(imported->numbers.front()).id)->size() == 4);
    }
    CHECK(import({folder / "second"}, {"equal_ranks=yes"}).error().message.find("it is run 3 of") != std::string::npos);
}

TEST_CASE_FIXTURE(StoreFixture, "ranks may print the same, but a file that a link names again is refused")
{
    const std::string log = textOf(formatLog("mxnet.old"));
    const std::vector<std::string> answers = {"batch_per_rank=32"};
    const auto isRefused = [&](const std::vector<fs::path>& paths) {
        const auto refused = import(paths, answers);
        return !refused && refused.error().code == ErrorCode::exists &&
               refused.error().message.find("has the same content as another of these files.") != std::string::npos;
    };
    write("linked/rank-0.log", log);
    fs::create_symlink("rank-0.log", folder / "linked/rank-1.log");
    CHECK(isRefused({folder / "linked"}));
    CHECK(isRefused({folder / "linked/rank-0.log", folder / "linked/../linked/rank-0.log"}));
    write("alike/rank-0.log", log);
    write("alike/rank-1.log", log);
    const auto imported = import({folder / "alike"}, answers);
    REQUIRE_MESSAGE(imported, imported.error().text());
    CHECK(store::importedFiles(db, run(1).id)->size() == 2);
}

TEST_CASE_FIXTURE(StoreFixture, "runs without a usable rate are left out by name, and the others are stored")
{
    const std::vector<std::string> answers = {"batch_per_rank=64", "ranks=1"};
    const auto says = [](const std::string& text, std::string_view part) {
        return text.find(part) != std::string::npos;
    };
    write("logs/good.log", caffeLog(10));
    write("logs/bad.log", caffeLog(20));
    write("logs/half.log", caffeLog(10) + caffeLog(20, 9));
    const auto imported = import({folder / "logs"}, answers);
    REQUIRE_MESSAGE(imported, imported.error().text());
    CHECK(imported->numbers.size() == 2);
    REQUIRE(imported->leftOut.size() == 2);
    CHECK(says(imported->leftOut[0], "logs/bad.log is left out. It has lines of Caffe, but no rate that can be used. "
                                     "Line 2: Its numbers give 5 s and 10 s for the same work"));
    CAPTURE(imported->leftOut[1]);
    CHECK(says(imported->leftOut[1], "logs/half.log, lines 13–24: this run has no rate that can be used, and is left "
                                     "out. Line 14: Its numbers give"));

    const fs::path bad = write("bad.log", "named\n" + caffeLog(20)), good = write("good.log", "named\n" + caffeLog(10));
    const auto named = import({bad, good}, answers);
    REQUIRE_MESSAGE(named, named.error().text());
    CHECK(named->numbers.size() == 1);
    CHECK(named->leftOut.size() == 1);

    const auto nothing = import({bad, write("worse.log", caffeLog(30))}, answers);
    REQUIRE(!nothing);
    CHECK(nothing.error().code == ErrorCode::damaged);
    CHECK(says(nothing.error().message, "/bad.log is left out."));
    CHECK(says(nothing.error().message, "/worse.log is left out."));
}

TEST_CASE_FIXTURE(LogFixture, "why a log of several files is left out is said with the file of the line")
{
    write("whole/rank-0.log", caffeLog(20));
    write("whole/rank-1.log", caffeLog(20));
    const auto whole = preview({folder / "whole"}, {"batch_per_rank=64", "ranks=2"});
    REQUIRE(whole);
    const auto said = leftOutOf(whole->logs);
    REQUIRE(said.size() == 1);
    CAPTURE(said[0]);
    CHECK(said[0].find(" rank-0.log, line 2: Its numbers give") != std::string::npos);
}

TEST_CASE_FIXTURE(StoreFixture, "what is missing keeps all of it out")
{
    const auto refused = import({formatLog("mxnet.module"), formatLog("caffe.bvlc")});
    REQUIRE(!refused);
    CHECK(refused.error().code == ErrorCode::usage);
    CHECK(refused.error().message.find("caffe.bvlc.log") != std::string::npos);
    CHECK(store::experiments(db).value().empty());
}

TEST_CASE_FIXTURE(StoreFixture, "imported runs are compared, by what differs among them, and marked")
{
    const std::vector<std::string> answers = {"equal_ranks=yes", "model=resnet50"};
    REQUIRE(import({formatLog("horovod.synthetic")}, answers, "frameworks"));
    REQUIRE(import({formatLog("mxnet.prterun")}, answers, "frameworks"));
    const std::string text = store::experimentText(db, "frameworks").value();
    const auto experiment = spec::parseExperiment(text);
    REQUIRE_MESSAGE(experiment, experiment.error().text());
    CHECK(experiment->factor("engine")->levels.size() == 2);
    CHECK(experiment->factor("ranks")->levels == std::vector<Value>{Value(std::int64_t{2}), Value(std::int64_t{4})});
    CHECK(textOf(experiment->fixed, "model") == "resnet50");
    const auto measured = report::loadMeasured(db, "frameworks");
    REQUIRE(measured);
    report::AnalysisRequest request{&report::kThroughput, {}, {}};
    request.compare.experiment = measured->experiment;
    const auto analysis = report::analyse(db, *measured, request);
    REQUIRE_MESSAGE(analysis, analysis.error().text());
    REQUIRE_MESSAGE(!analysis->refusal, analysis->refusal->text());
    CHECK(analysis->comparison.groups.size() == 3); // none but those that were imported
    for (const report::Group& group : analysis->comparison.groups) {
        CHECK(group.n() == 1);
        CHECK(group.flags.at("imported") == 1);
    }
    const auto caveats = report::caveatsOf(analysis->comparison);
    REQUIRE(caveats.size() == 1);
    CHECK(caveats.front().note() == "imported: read from a log, not measured by Ringside");
    CHECK(analysis->figure.caption.find("Imported: read from a log") != std::string::npos);
}

TEST_CASE_FIXTURE(StoreFixture, "fixed is what all logs state, not what only some of them do")
{
    const auto fixed = [&] { return spec::parseExperiment(store::experimentText(db, "logs").value()).value().fixed; };
    REQUIRE(import({formatLog("mxnet.module")}, {"model=resnet50", "precision=bf16", "ranks=2"}, "logs"));
    CHECK(textOf(fixed(), "precision") == "bf16");
    REQUIRE(import({write("other.log", "again\n" + textOf(formatLog("mxnet.module")))}, {"model=resnet50", "ranks=2"},
                   "logs"));
    CHECK(textOf(fixed(), "model") == "resnet50");
    CHECK_FALSE(fixed().contains("precision"));
}

TEST_CASE_FIXTURE(StoreFixture, "logs with the same settings are repeats of one configuration")
{
    const std::string log = textOf(formatLog("mxnet.module"));
    REQUIRE(import({write("a.log", log), write("b.log", "again\n" + log)}, {"ranks=2"}, "repeats"));
    CHECK(run(1).configurationKey == run(2).configurationKey);
    CHECK(run(1).repeat == 1);
    CHECK(run(2).repeat == 2);
}

TEST_CASE_FIXTURE(StoreFixture, "tokens are stated and stored as such, and stand on no axis beside images")
{
    CHECK(notes(preview({formatLog("nanogpt.iters")})->logs.front(), "Its items are tokens"));
    CHECK_FALSE(notes(preview({formatLog("mxnet.module")})->logs.front(), "Its items are"));
    const std::vector<std::string> answers = {"ranks=8", "model=gpt2"};
    REQUIRE(import({formatLog("nanogpt.iters")}, answers, "tokens"));
    CHECK(textOf(run(1).settings, "items") == "tokens");
    CHECK(spec::parseExperiment(store::experimentText(db, "tokens").value())); // no experiment says it
    const auto compared = [&](const std::string& name) {
        const auto measured = report::loadMeasured(db, name).value();
        report::AnalysisRequest request{&report::kThroughput, {}, {}};
        request.compare.experiment = measured.experiment;
        return report::analyse(db, measured, request);
    };
    const auto alone = compared("tokens");
    REQUIRE_MESSAGE(alone, alone.error().text());
    CHECK(alone->figure.unit == "tokens/s");

    REQUIRE(import({formatLog("mxnet.module")}, {"ranks=2"}, "both"));
    CHECK_FALSE(textOf(run(2).settings, "items")); // as before there was the setting, so that its key is the same
    REQUIRE(import({write("other.log", "again\n" + textOf(formatLog("nanogpt.iters")))}, answers, "both"));
    const auto both = compared("both");
    REQUIRE_MESSAGE(both, both.error().text());
    REQUIRE(both->refusal);
    CHECK(both->refusal->message ==
          "The runs of “both” count images and tokens: images/s and tokens/s are not compared.");
}

TEST_CASE_FIXTURE(StoreFixture, "records of more than 2^32 tokens are stored as they are")
{
    std::string log;
    for (int record = 1; record <= 4; ++record)
        log += fmt::format("2026-11-21 {:02}:{:02}:11,100 - root - INFO - step:  {}  loss:  8.0661  memory:  2.47GiB"
                           "(3.12%)  tps: 8,000  mfu: 9.90%\n",
                           8 + record * 20 / 60, record * 20 % 60, 100 * record); // 1,200 s each
    const auto imported =
        import({write("titan.log", log)}, {"ranks=1024", "equal_ranks=yes", "model=gpt2", "batch_per_rank=96"});
    REQUIRE_MESSAGE(imported, imported.error().text());
    REQUIRE(run(1).itemsPerSecond);
    CHECK(*run(1).itemsPerSecond == doctest::Approx(8'000.0 * 1'024).epsilon(1e-6));
    const auto samples = store::samples(db, run(1).id, 1).value();
    REQUIRE(!samples.empty());
    CHECK(samples.back().sample.items == 8'000ull * 1'200 * 1'024);
}

TEST_CASE_FIXTURE(StoreFixture, "an experiment with runs to be made keeps its matrix, and what was imported")
{
    spec::Experiment own;
    own.name = "own";
    own.fixed = {{"model", std::string("lenet")}, {"batch_per_rank", std::int64_t{4}}, {"ranks", std::int64_t{2}}};
    const std::string text = spec::writeExperiment(own);
    store::ExperimentEdit edit{.name = "own", .question = "", .site = "local", .repeats = 1, .toml = text, .cells = {}};
    REQUIRE(store::saveExperiment(db, edit));
    REQUIRE(import({formatLog("mxnet.module")}, {"ranks=2"}, "own"));
    CHECK(store::experimentText(db, "own").value() == text);
    REQUIRE(store::saveExperiment(db, edit)); // as the editor does
    CHECK(run(1).inMatrix);
}

TEST_CASE_FIXTURE(StoreFixture, "an experiment that a person wrote stays as it is, though nothing but imports is in it")
{
    spec::Experiment own;
    own.name = "own";
    own.site = "lab";
    own.factors = {{"ranks", {std::int64_t{1}, std::int64_t{2}}}};
    const std::string text = spec::writeExperiment(own);
    REQUIRE(store::saveExperiment(
        db, {.name = "own", .question = "", .site = "lab", .repeats = 6, .toml = text, .cells = {}}));
    const std::string log = textOf(formatLog("mxnet.module"));
    for (const char* name : {"first.log", "second.log"}) {
        REQUIRE(import({write(name, name + ("\n" + log))}, {"ranks=2"}, "own"));
        CHECK(store::experimentText(db, "own").value() == text);
        CHECK(store::experimentByName(db, "own").value()->site == "lab");
    }
    CHECK(run(2).experiment == "own");
}

TEST_CASE_FIXTURE(StoreFixture, "a person's question to imported logs stays, and what they vary goes on to follow them")
{
    const auto stored = [&] { return spec::parseExperiment(store::experimentText(db, "logs").value()).value(); };
    REQUIRE(import({formatLog("mxnet.module")}, {"ranks=2"}, "logs"));
    spec::Experiment asked = stored();
    asked.question = "Which is faster?";
    REQUIRE(store::saveExperiment(db, {.name = "logs",
                                       .question = asked.question,
                                       .site = asked.site,
                                       .repeats = 1,
                                       .toml = spec::writeExperiment(asked),
                                       .cells = {}}));
    REQUIRE(import({formatLog("caffe.bvlc")}, {"batch_per_rank=64", "ranks=1"}, "logs"));
    CHECK(stored().question == "Which is faster?");
    REQUIRE(stored().factor("ranks"));
    asked = stored();
    asked.runs.repeats = 3;
    REQUIRE(store::saveExperiment(db, {.name = "logs",
                                       .question = asked.question,
                                       .site = asked.site,
                                       .repeats = 3,
                                       .toml = spec::writeExperiment(asked),
                                       .cells = {}}));
    REQUIRE(import({formatLog("mxnet.old")}, {"ranks=1", "batch_per_rank=32"}, "logs"));
    CHECK(stored() == asked);
}

TEST_CASE_FIXTURE(StoreFixture, "phases that a log states are stored, and no others")
{
    const auto imported = import({formatLog("pytorch.imagenet")}, {"batch_per_rank=128", "ranks=2"});
    REQUIRE_MESSAGE(imported, imported.error().text());
    const auto samples = store::samples(db, run(1).id, 1).value();
    REQUIRE(!samples.empty());
    CHECK(samples.back().sample.told.has(Phase::inputWait)); // “Data”
    CHECK(!samples.back().sample.told.has(Phase::forward));
}

TEST_CASE_FIXTURE(StoreFixture, "a log whose losses are not a number is flagged, from its first record on, too")
{
    const auto log = [](const char* loss) {
        std::string text;
        for (int step = 1; step <= 12; ++step)
            text += fmt::format("I20261121 08:{:02}:{:02}.000000 1 solver.cpp:239] Iteration {} (10 iter/s, 10s/100 "
                                "iters), loss = {}\n",
                                step / 6, step % 6 * 10, 100 * step, loss);
        return text;
    };
    const std::vector<std::string> answers = {"batch_per_rank=64", "ranks=1", "batch_global=64"};
    REQUIRE(import({write("nan.log", log("nan"))}, answers));
    REQUIRE(import({write("fine.log", log("2.3"))}, answers));
    CHECK(contains(run(1).flags, "nan"));
    CHECK_FALSE(contains(run(2).flags, "nan"));
}

TEST_CASE_FIXTURE(StoreFixture, "a log that goes on at iteration 50,000 has no warm-up of 50,000 iterations")
{
    const auto log = [](int from) {
        std::string text;
        for (int step = 1; step <= 12; ++step)
            text += fmt::format("Iteration {} (10 iter/s, 2s/20 iters), loss = 2.{}\n", from + 20 * step, step);
        return text;
    };
    const std::vector<std::string> answers = {"batch_per_rank=64", "ranks=1", "batch_global=64"};
    REQUIRE(import({write("begun.log", log(0)), write("resumed.log", log(50'000))}, answers));
    for (const int number : {1, 2}) {
        const auto samples = store::samples(db, run(number).id, 1).value();
        REQUIRE(samples.size() == 12);
        CHECK(samples.front().sample.seq == 19);
        CHECK(samples.back().sample.seq == 239);
        CHECK(run(number).warmup == 20);
    }
}
