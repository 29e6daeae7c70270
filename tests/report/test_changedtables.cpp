// SPDX-License-Identifier: MIT
// Runs that were made before their system's table got an option, or before systems obeyed a setting.
#include "core/planning/planning.h"
#include "core/report/analyse.h"
#include "core/report/layout.h"
#include "core/store/queries.h"
#include "tests/adapters/tinytable.h"
#include "tests/report/support/lab.h"
#include "tests/report/support/systems.h"
#include "tests/support/addcampaign.h"

using namespace ringside;
using namespace ringside::report;
using namespace ringside::test;

namespace {

constexpr const char* kOnce = "[runs]\nrepeats = 1\n";

/// The experiment, and the runs of it that are missing.
void saveWithRuns(store::Database& db, const spec::Experiment& experiment)
{
    REQUIRE(store::saveExperiment(db, editOf(experiment, {"local"}).value()));
    const auto stored = store::runs(db, {}).value();
    ReadySite here;
    here.site.name = "local";
    CampaignPlan plan =
        planOf(experiment, db.id(), here, missingSpecs(experiment, matrixOf(experiment), stored, false, {}));
    REQUIRE(test::addCampaign(db, plan));
    REQUIRE(store::setStage(db, plan.campaign, campaign::Stage::ended));
}

/// Ringside's engine over eth1, and PyTorch as before it obeyed the setting.
std::vector<store::MeasuredRun> runsOfBefore(const spec::Experiment& experiment)
{
    auto runs = measure(experiment, usualMeasurement);
    for (store::MeasuredRun& run : runs)
        if (textOf(run.row.settings, "engine") == "pytorch") {
            Settings settings = run.row.settings;
            settings.erase("interface");
            run.row.configurationKey =
                spec::configurationKey(settings, {}, experiment.runs.iterations, experiment.runs.warmup);
            run.row.settings = settings;
        }
    return runs;
}

} // namespace

TEST_CASE("Runs of before an option was in its table are shown at its default")
{
    const TemporaryFolder folder;
    auto db = store::Database::openForWriting(folder / "ringside.db");
    REQUIRE_MESSAGE(db, db.error().text());
    {
        const InUse before;
        saveWithRuns(*db, experiment("engine = [\"tiny\"]\nranks = [1, 2]\n", kOnce));
    }
    const InUse now(kTiny + std::string(kCompression) + "later = true\n");
    saveWithRuns(*db,
                 experiment("engine = [\"tiny\"]\nranks = [1, 2]\ntiny.compression = [\"none\", \"2bit\"]\n", kOnce));
    const auto measured = loadMeasured(*db, "e");
    REQUIRE_MESSAGE(measured, measured.error().text());
    REQUIRE(measured->runs.size() == 3); // those of before were not made again
    const auto levelOfRun = [&](std::size_t at) { return textOf(measured->runs[at].row.settings, "tiny.compression"); };
    CHECK(levelOfRun(0) == std::nullopt); // without effect on one rank
    CHECK(levelOfRun(1) == "none");
    CHECK(levelOfRun(2) == "2bit");
    CompareRequest request;
    request.experiment = measured->experiment;
    const auto comparison = compare(measured->runs, request);
    REQUIRE_MESSAGE(comparison, comparison.error().text());
    CHECK(comparison->groups.size() == 3);
    CHECK(groupWith(*comparison, {{"tiny.compression", Value("none")}}).key == measured->runs[1].row.configurationKey);
}

TEST_CASE(
    "Runs of a system that did not obey the interface are set against those beside which they stood, and it is said")
{
    const Systems systems;
    auto experiment = plansExperiment({2}, 6, {"lenet"});
    experiment.factors = {{"engine", {Value("ringside"), Value("pytorch")}}};
    experiment.fixed.insert({{"model", Value("lenet")},
                             {"ranks", Value(std::int64_t{2})},
                             {"plan", Value("one")},
                             {"interface", Value("eth1")}});
    for (const auto& [base, other] : {std::pair("ringside", "pytorch"), std::pair("pytorch", "ringside")}) {
        CompareRequest request;
        request.kind = &kSpeedup;
        request.experiment = experiment;
        request.base = {{"engine", Value(base)}};
        const auto comparison = compare(runsOfBefore(experiment), request);
        REQUIRE_MESSAGE(comparison, comparison.error().text());
        CHECK(comparison->groups.size() == 2); // and nothing that was never launched
        const auto isMeasured = [&](const Group& group) {
            return group.n() > 0 && textOf(group.settings, "engine") == other;
        };
        const auto group = std::ranges::find_if(comparison->groups, isMeasured);
        REQUIRE(group != comparison->groups.end());
        CHECK(group->n() == 6);
        REQUIRE(group->base);
        CHECK(textOf(comparison->cases[*group->base].settings, "engine") == base);
        REQUIRE(group->differs.contains("interface"));
        const auto& [had, has] = group->differs.at("interface");
        CHECK(toText(had.value()) == (std::string_view(base) == "ringside" ? "eth1" : "any"));
        CHECK(toText(has.value()) == (std::string_view(base) == "ringside" ? "any" : "eth1"));
    }
}
