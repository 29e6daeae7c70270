// SPDX-License-Identifier: MIT
// Tables of links, from files to calibrations in a real store.
#include "core/base/sequences.h"
#include "core/imports/importing.h"
#include "core/model/costfit.h"
#include "core/planning/calibratedcost.h"
#include "core/protocol/facts.h"
#include "core/report/comparison.h"
#include "core/spec/toml.h"
#include "core/store/canaries.h"
#include "core/store/gemmrate.h"
#include "core/store/imports.h"
#include "core/store/ingest.h"
#include "core/store/queries.h"
#include "tests/imports/importedlines.h"
#include "tests/imports/logfixture.h"

using namespace ringside;
using namespace ringside::imports;
using namespace ringside::test;

namespace {

struct LinkFixture : LogFixture
{
    Result<Imported> import(const std::vector<fs::path>& paths, const std::vector<std::string>& answers = {},
                            const std::string& experiment = {})
    {
        TRY_ASSIGN(Previews previews, preview(paths, answers));
        return storeImport(db, {experiment, std::move(previews)});
    }
    std::vector<store::SiteCalibration> known(const std::string& site) { return store::calibrations(db, site).value(); }

    store::Database db = store::Database::openForWriting(folder / "lab.db").value();
};

using Keys = std::vector<std::string>;

} // namespace

TEST_CASE("nccl-tests print ranks, nodes and memory, and nothing is asked")
{
    const auto previews = LogFixture::preview({linkLog("nccl-tests.named")});
    REQUIRE(previews);
    const LogPreview& log = previews->logs.front();
    CHECK(log.log.format->name == "nccl-tests");
    CHECK(log.runs.empty());
    REQUIRE(log.links.size() == 1);
    const LinkPreview& link = log.links.front();
    CHECK(link.missing.empty());
    REQUIRE(link.calibration);
    CHECK(link.calibration->ranks == 4);
    CHECK(link.calibration->nodes == 2);
    CHECK(link.calibration->means == CalibrationMeans{"cuda", "nccl"});
    REQUIRE(link.calibration->links.size() == 1);
    const LinkCost& cost = link.calibration->links.front();
    CHECK(cost.level == LinkLevel::all);
    CHECK(cost.operation == LinkOperation::allReduce);
    CHECK(cost.inGpuMemory);
    CHECK(cost.times.size() == 9);
    CHECK(cost.segments.front().latency == doctest::Approx(21e-6).epsilon(0.05));
    CHECK(model::asymptoticBandwidth(cost.segments) == doctest::Approx(92e9 / 1.5).epsilon(0.05));
    CHECK(log.log.files.front().sha256 == sha256OfFile(linkLog("nccl-tests.named")).value());
    REQUIRE(notesOf(log).size() == 1);
    CHECK(notesOf(log).front().text() == "Times are means over ranks, in place.");
    CHECK(cost.areMeans);
}

TEST_CASE("what an OSU table does not state is asked for, and never guessed")
{
    const auto asked = LogFixture::preview({linkLog("osu.plain")});
    REQUIRE(asked);
    CHECK(missingIn(asked->logs) == Keys{"ranks", "nodes"});
    CHECK_FALSE(asked->logs.front().links.front().calibration);
    const auto told = LogFixture::preview({linkLog("osu.plain")}, {"ranks=8", "nodes=2"});
    REQUIRE(told);
    REQUIRE(missingIn(told->logs).empty());
    CHECK(told->logs.front().links.front().calibration->links.front().ranks == 8);
    const auto impossible = LogFixture::preview({linkLog("osu.plain")}, {"ranks=2", "nodes=4"});
    CHECK_FALSE(impossible->logs.front().links.front().calibration);
    CHECK(LogFixture::notes(impossible->logs.front(), "There is no link between 2 ranks on 4 nodes"));
    const auto other = LogFixture::preview({linkLog("nccl-tests.named")}, {"ranks=8"});
    CHECK(other->logs.front().links.front().ranks == 4);
    CHECK(LogFixture::notes(other->logs.front(), "You said 8, but the log says 4"));
}

TEST_CASE("several operations of one log are tables of their own, and memory that may be either is asked for")
{
    const auto previews = LogFixture::preview({linkLog("osu.several")}, {"ranks=8", "nodes=1"});
    REQUIRE(previews);
    const LogPreview& log = previews->logs.front();
    REQUIRE(log.links.size() == 4);
    CHECK(log.links[0].calibration->links.front().operation == LinkOperation::pingPong);
    CHECK(log.links[0].calibration->ranks == 2); // whatever the user says of the all-reduces
    CHECK(log.links[1].calibration->links.front().operation == LinkOperation::stream);
    CHECK(model::asymptoticBandwidth(log.links[1].calibration->links.front().segments) ==
          doctest::Approx(11.5e9).epsilon(0.1));
    CHECK(log.links[2].calibration->ranks == 8);
    CHECK(log.links[2].calibration->means.device == "cuda");
    CHECK(log.links[3].calibration->means.backend == "nccl");
    CHECK(LogFixture::notes(log, "about an operation that Ringside does not read. (3 times)"));
    CHECK(LogFixture::notes(log, "contain wrong values (1)"));
    const auto device = LogFixture::preview({linkLog("osu.device")}, {"nodes=1"});
    CHECK(missingIn(device->logs) == Keys{"device"});
    CHECK(missingIn(LogFixture::preview({linkLog("osu.device")}, {"nodes=1", "device=cuda"})->logs).empty());
}

TEST_CASE_FIXTURE(LogFixture, "a job's preflight is no calibration in place of its training")
{
    std::string chatter;
    for (int line = 0; line < 2'100; ++line)
        chatter +=
            fmt::format("birch01:41000:41{:03} [0] NCCL INFO Channel {:02}/24 : 0 1 2 3\n", line % 1000, line % 24);
    const std::string training = textOf(formatLog("horovod.mpirun"));
    const auto read = [&](const std::string& text) { return preview({write("job.log", text)})->logs.front(); };
    for (const char* name : {"nccl-tests.named", "osu.several"}) {
        const LogPreview log = read(textOf(linkLog(name)) + chatter + training);
        REQUIRE(log.log.format);
        CHECK(log.log.format->name == "horovod");
        CHECK(log.runs.size() == 1);
        CHECK(log.links.empty());
        CHECK(notes(log, "Some lines could also be from"));
    }
    const LogPreview tables = read(chatter + textOf(linkLog("nccl-tests.named")) + chatter);
    CHECK(tables.log.format->name == "nccl-tests");
    CHECK(tables.links.size() == 1);
}

TEST_CASE_FIXTURE(LinkFixture, "a table becomes a calibration run with its file's hash and its rows' lines")
{
    const auto imported = import({linkLog("nccl-tests.named")}, {"site=alder"});
    REQUIRE_MESSAGE(imported, imported.error().text());
    REQUIRE(imported->numbers == std::vector<int>{1});
    const store::RunRow row = store::runByNumber(db, 1).value().value();
    CHECK(row.kind == RunKind::imported);
    CHECK(row.state == RunState::done);
    CHECK(row.site == "alder");
    CHECK(row.flags.empty());
    CHECK(textOf(row.settings, "engine") == kCalibrationEngine);
    const auto files = store::importedFiles(db, row.id).value();
    REQUIRE(files.size() == 1);
    CHECK(files.front().sha256 == sha256OfFile(linkLog("nccl-tests.named")).value());
    CHECK(files.front().format == "nccl-tests");
    CHECK(files.front().linesRead > 9);
    const auto lines = test::importedLines(db, row.id);
    REQUIRE(lines.size() == 9);
    CHECK(lines.back().line == lines.front().line + 8);
    const auto found = known("alder");
    REQUIRE(found.size() == 1);
    CHECK(found.front().isImported());
    CHECK(found.front().importedFrom == "nccl-tests");
    CHECK(found.front().calibration.links.front().times.size() == 9);
    CHECK(known("imported").empty());
    CHECK(store::facts(db, row.id, 1).value()->system == "nccl-tests");
    const auto again = import({linkLog("nccl-tests.named")}, {"site=birch"});
    REQUIRE(!again);
    CHECK(again.error().code == ErrorCode::exists);
}

TEST_CASE_FIXTURE(LinkFixture, "every table of a log is a run, and the site is imported unless it is said")
{
    const auto imported = import({linkLog("imb.mpi1")}, {"nodes=1"});
    REQUIRE_MESSAGE(imported, imported.error().text());
    CHECK(imported->numbers.size() == 3);
    const auto found = known("imported");
    CHECK(found.size() == 3); // none hides another
    CHECK(std::ranges::all_of(found, &store::SiteCalibration::isImported));
    const auto refused = import({linkLog("osu.plain")});
    REQUIRE(!refused);
    CHECK(refused.error().message.find("does not report ranks") != std::string::npos);
}

TEST_CASE_FIXTURE(LinkFixture, "an answer about nodes is for the tables of most ranks, unless there is one node")
{
    const auto previews = preview({linkLog("imb.mpi1")}, {"nodes=2"});
    REQUIRE(previews);
    const LogPreview& log = previews->logs.front();
    REQUIRE(log.links.size() == 3);
    CHECK(missingIn(log).empty());
    for (const std::size_t fewer : {0, 1}) {
        CHECK(log.links[fewer].isUnplaced);
        CHECK_FALSE(log.links[fewer].calibration);
    }
    CHECK(log.links[2].calibration->links.front().level == LinkLevel::all);
    CHECK(notes(log, "on which nodes these 2 ranks ran"));
    const auto imported = storeImport(db, {"", *previews});
    REQUIRE_MESSAGE(imported, imported.error().text());
    CHECK(imported->numbers.size() == 1);
    const auto files = store::importedFiles(db, store::runByNumber(db, 1).value()->id).value();
    const auto tellsPlace = [](const store::ImportNote& note) { return note.code == "place_untold"; };
    CHECK(std::ranges::none_of(files.front().notes, tellsPlace)); // that is of the other tables
    CHECK(std::ranges::any_of(files.front().notes, [](const store::ImportNote& note) {
        return note.code == "times_of_slowest" && note.text.empty() &&
               sentenceOf(note) == "Times are of the slowest rank.";
    }));
}

TEST_CASE_FIXTURE(LinkFixture, "a log whose ranks are fewer than those that were said is no obstacle to others")
{
    const fs::path pair =
        write("all/latency.log", "# OSU MPI Latency Test v7.3\n# Size       Avg Latency(us)\n4  1.30\n");
    write("all/allreduce.log", textOf(linkLog("osu.plain")));
    const std::vector<std::string> answers = {"ranks=8", "nodes=4", "site=alder"};
    const auto imported = import({folder / "all"}, answers);
    REQUIRE_MESSAGE(imported, imported.error().text());
    CHECK(imported->numbers.size() == 1);
    REQUIRE(known("alder").size() == 1);
    CHECK(known("alder").front().calibration.ranks == 8);
    CHECK(known("alder").front().calibration.links.front().areMeans);
    CHECK_FALSE(import({pair}, answers)); // it would be all
    CHECK(import({pair}, {"nodes=2"}));
}

TEST_CASE_FIXTURE(LinkFixture, "rows of a log of several files are found again in the file that has them")
{
    write("run/rank0.log", textOf(linkLog("osu.plain")));
    write("run/rank1.log", "a line before\n" + textOf(linkLog("osu.full")));
    const auto previews = preview({folder / "run"}, {"ranks=8", "nodes=2"});
    REQUIRE(previews);
    REQUIRE(previews->logs.size() == 1);
    REQUIRE(previews->logs.front().links.size() == 2);
    REQUIRE(storeImport(db, {"", *previews}));
    const auto rankOf = [&](int run) {
        return test::importedLines(db, store::runByNumber(db, run).value()->id).front().rank;
    };
    CHECK(rankOf(1) == 0);
    CHECK(rankOf(2) == 1);
}

TEST_CASE_FIXTURE(LinkFixture, "tables beside logs of training take no factor from these")
{
    const auto import = [&](const std::string& name, const std::vector<fs::path>& logs) {
        for (const fs::path& log : logs) {
            const auto imported = this->import({log}, {"nodes=1"}, name);
            REQUIRE_MESSAGE(imported, imported.error().text());
        }
        const std::string text = store::experimentText(db, name).value();
        return spec::parseStoredExperiment(text, name).value();
    };
    const auto mixed = import("mixed", {linkLog("nccl-tests.named"), formatLog("mxnet.prterun")});
    CHECK(mixed.fixed.contains("batch_per_rank"));
    CHECK(textOf(mixed.fixed, "engine") == "mxnet");
    CHECK(contains(mixed.exclude, Settings{{"engine", std::string(kCalibrationEngine)}}));
    CHECK(contains(mixed.exclude, Settings{{"engine", std::string("mxnet")}}));
    CHECK(mixed.site == "imported");
    CHECK_FALSE(report::whyNotCompared(mixed));
    const auto tables = import("tables", {linkLog("imb.mpi1")});
    CHECK(textOf(tables.fixed, "engine") == kCalibrationEngine);
    const auto why = report::whyNotCompared(tables);
    REQUIRE(why);
    CHECK(why->message == "“tables” holds imported tables of links; they train nothing that could be compared.");
    CHECK(why->hint.find("calibrate imported --show") != std::string::npos);
    REQUIRE(this->import({linkLog("osu.plain")}, {"nodes=1", "ranks=4", "site=alder"}, "tables"));
    const auto of = spec::parseStoredExperiment(store::experimentText(db, "tables").value(), "tables").value();
    CHECK(of.site == spec::kLocalSite); // they have two, and the experiment the one of any other
    CHECK(report::whyNotCompared(of)->hint.find("calibrate SITE --show") != std::string::npos);
}

TEST_CASE_FIXTURE(LinkFixture, "an imported calibration is never used in place of the site's own")
{
    REQUIRE(import({linkLog("imb.mpi1")}, {"nodes=1", "site=alder"}, "own"));
    RunSpec run;
    run.settings = Settings{{"ranks", std::int64_t{4}}, {"nodes", std::int64_t{1}}};
    run.plan.collective = Collective::allreduce;
    run.plan.grouping = Grouping::optimal;
    CHECK(wantsCalibration(run));
    CHECK(std::ranges::any_of(known("alder"), [](const auto& each) { return each.calibration.ranks == 4; }));
    CHECK_FALSE(costFor(run, known("alder")));
    std::vector<store::SiteCalibration> fast = known("alder");
    for (store::SiteCalibration& each : fast)
        each.calibration.gemmFlops.median = 1e11;
    run.settings["cores_per_rank"] = std::int64_t{fast.front().calibration.coresPerRank};
    CHECK_FALSE(store::gemmRate(run.settings, fast));
    for (store::SiteCalibration& each : fast)
        each.importedFrom.clear();
    CHECK(store::gemmRate(run.settings, fast)); // it is as wanted, had Ringside measured it
}

TEST_CASE_FIXTURE(LinkFixture, "a table of which nothing can be used is refused, with the reason")
{
    const auto previews = preview({linkLog("nccl-tests.unclear")}, {"ranks=4", "nodes=1"});
    REQUIRE(previews);
    CHECK(notes(previews->logs.front(), "a bus bandwidth of"));
    CHECK(notes(previews->logs.front(), "several programs printed them"));
    const auto none =
        preview({write("empty.log", "# OSU MPI Allreduce Latency Test v7.3\n# Size       Avg Latency(us)\n")});
    REQUIRE(none);
    CHECK(notes(none->logs.front(), "no table that can be used"));
    CHECK_FALSE(storeImport(db, {"", *none}));
}
