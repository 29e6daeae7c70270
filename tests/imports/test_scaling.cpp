// SPDX-License-Identifier: MIT
// Logs of weak and of strong scaling, stored and compared.
#include "core/imports/importing.h"
#include "core/report/analyse.h"
#include "core/report/kinds/kinds.h"
#include "core/spec/toml.h"
#include "core/store/queries.h"
#include "core/store/summaries.h"
#include "tests/imports/logfixture.h"

using namespace ringside;
using namespace ringside::imports;
using namespace ringside::test;

namespace {

struct Scaled : LogFixture
{
    /// One log of Caffe's, with this batch for each of these ranks.
    void import(int ranks, int batchPerRank, const std::string& experiment = "logs")
    {
        ++m_logs;
        const fs::path log = write(fmt::format("{}.log", m_logs), caffeLog(10, m_logs));
        auto previews = preview(
            {log}, {"model=lenet", fmt::format("ranks={}", ranks), fmt::format("batch_per_rank={}", batchPerRank)});
        REQUIRE_MESSAGE(previews, previews.error().text());
        const auto imported = storeImport(db, {experiment, std::move(*previews)});
        REQUIRE_MESSAGE(imported, imported.error().text());
        REQUIRE(store::refreshSummaries(db));
    }
    report::Analysis speedup(const std::string& experiment = "logs") const
    {
        const auto measured = report::loadMeasured(db, experiment).value();
        report::AnalysisRequest request;
        request.kind = &report::kSpeedup;
        request.compare.base = {{"ranks", Value(std::int64_t{1})}};
        return report::analyse(db, measured, request).value();
    }
    static bool says(const report::Analysis& analysis, std::string_view text)
    {
        return analysis.figure.caption.find(text) != std::string::npos;
    }

    store::Database db = store::Database::openForWriting(folder / "lab.db").value();

private:
    int m_logs = 0;
};

} // namespace

TEST_CASE_FIXTURE(Scaled, "logs that share the batch in all are of strong scaling, and have a base case by ranks")
{
    for (const auto& [ranks, batch] : {std::pair(1, 64), {2, 32}, {4, 16}})
        import(ranks, batch);
    const report::Analysis shown = speedup();
    REQUIRE_MESSAGE(!shown.refusal, shown.refusal->text());
    CHECK_MESSAGE(says(shown, "under strong scaling (64 images in all)"), shown.figure.caption);
    REQUIRE(shown.comparison.groups.size() == 3);
    for (const report::Group& group : shown.comparison.groups)
        CHECK(group.speedup.value); // each against the one of one rank
    CHECK(report::varied(shown.comparison, "batch_per_rank") == nullptr);
}

TEST_CASE_FIXTURE(Scaled, "several batches in all are a factor of their own")
{
    for (const auto& [ranks, batch] : {std::pair(1, 64), {2, 32}, {1, 32}, {2, 16}})
        import(ranks, batch);
    const report::Analysis shown = speedup();
    CHECK_MESSAGE(says(shown, "under strong scaling"), shown.figure.caption);
    REQUIRE(report::varied(shown.comparison, "batch_global"));
    CHECK(report::varied(shown.comparison, "batch_global")->levels ==
          std::vector{Value(std::int64_t{32}), Value(std::int64_t{64})});
}

TEST_CASE_FIXTURE(Scaled, "logs that share the batch of a rank are of weak scaling")
{
    SUBCASE("one batch")
    {
        for (const int ranks : {1, 2, 4})
            import(ranks, 16);
        CHECK_MESSAGE(says(speedup(), "under weak scaling (16 images per rank)"), speedup().figure.caption);
    }
    SUBCASE("two, of which two runs have as many images in all")
    {
        for (const auto& [ranks, batch] : {std::pair(1, 32), {2, 32}, {1, 16}, {2, 16}})
            import(ranks, batch);
        CHECK_MESSAGE(says(speedup(), "under weak scaling"), speedup().figure.caption);
        CHECK(report::varied(speedup().comparison, "batch_per_rank"));
    }
    SUBCASE("batches of one count of ranks are not of either")
    {
        for (const int batch : {16, 32})
            import(1, batch);
        CHECK(speedup().comparison.scaling == spec::Scaling::none);
        CHECK(report::varied(speedup().comparison, "batch_per_rank"));
    }
}

TEST_CASE_FIXTURE(Scaled, "a further log joins those that were imported before, and may change what they hold")
{
    import(1, 64);
    import(2, 32);
    CHECK(says(speedup(), "under strong scaling"));
    import(2, 64);
    CHECK_MESSAGE(says(speedup(), "under weak scaling"), speedup().figure.caption);
    const auto stored = spec::parseStoredExperiment(store::experimentText(db, "logs").value(), "logs").value();
    CHECK(stored.factor("batch_per_rank")); // as the logs state it
}
