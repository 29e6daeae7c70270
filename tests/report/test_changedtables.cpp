// SPDX-License-Identifier: MIT
// Runs that were made before their system's table got an option.
#include "core/planning/planning.h"
#include "core/report/analysis.h"
#include "core/report/layout.h"
#include "core/store/queries.h"
#include "tests/adapters/tinytable.h"
#include "tests/report/support/lab.h"

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
    REQUIRE(store::addCampaign(db, plan));
    REQUIRE(store::setStage(db, plan.campaign, campaign::Stage::ended));
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
