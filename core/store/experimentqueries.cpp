// SPDX-License-Identifier: MIT
#include "core/store/overview.h"
#include "core/store/queries.h"
#include "core/store/statements.h"

#include <algorithm>

namespace ringside::store {

namespace {

constexpr const char* kExperiments = R"sql(
SELECT e.id, e.name, e.question, e.site, e.starred, e.archived, e.repeats, e.changed_ns,
       (SELECT count(*) FROM cells c WHERE c.experiment = e.id),
       NOT EXISTS (SELECT 1 FROM runs r WHERE r.experiment = e.id AND r.kind <> 'imported')
       AND EXISTS (SELECT 1 FROM runs r WHERE r.experiment = e.id) FROM experiments e)sql";

/// Runs that isCounted(): those that have ended by state, the others one by one.
const std::string kCounts = sqlText(R"sql(
SELECT r.experiment, r.state, c.stage IN ('submitting', 'submitted'), count(*), min(c.contact_lost_ns),
       coalesce(sum(c.held AND c.stage <> 'ended'), 0), max(r.since_ns), r.id, r.site
FROM runs r LEFT JOIN cells m ON m.experiment = r.experiment AND m.configuration = r.configuration
LEFT JOIN (SELECT id, held, contact_lost_ns, CASE WHEN )sql") +
                            kWaitsForHand + R"sql( THEN 'by hand' ELSE stage END AS stage
           FROM campaigns c) c ON c.id = r.campaign
WHERE r.kind IN ('run', 'imported')
  AND (m.experiment IS NOT NULL OR r.state NOT IN ('done', 'failed', 'cancelled'))
GROUP BY r.experiment, r.state, r.site, CASE WHEN r.state NOT IN ('done', 'failed', 'cancelled') THEN r.id END)sql";

struct StateCount
{
    std::int64_t experiment = 0;
    RunState state = RunState::unknown;
    bool isHandedOver = false;
    int runs = 0;
    std::optional<std::int64_t> lostSince;
    int held = 0;
    std::int64_t since = 0;
    RunId run; ///< where there is one
    std::string site;
};

void add(ExperimentOverview& overview, ExperimentRow& experiment, const StateCount& counted,
         std::optional<std::int64_t> withoutWriterSince)
{
    const auto lost = counted.lostSince ? counted.lostSince : withoutWriterSince;
    const bool isUnknown = lost && !isFinal(counted.state) && counted.isHandedOver;
    if (isUnknown)
        experiment.unknownSince = std::min(experiment.unknownSince.value_or(*lost), *lost);
    const RunState state = isUnknown ? RunState::unknown : counted.state;
    const int held = isWaiting(state) ? counted.held : 0;
    count(experiment.runs, state, counted.runs);
    experiment.runs.held += held;
    experiment.changedAt = std::max(experiment.changedAt, counted.since);
    experiment.runSites.insert(counted.site);
    if (!isFinal(state) && state != RunState::unknown && held == 0)
        overview.underWay.emplace(counted.run, state);
}

std::vector<StateCount> countsOf(const Database& db)
{
    const auto read = [](SQLite::Statement& row, StateCount& count) {
        readRow(row, count.experiment, count.state, count.isHandedOver, count.runs, count.lostSince, count.held,
                count.since, count.run, count.site);
    };
    return rowsOf<StateCount>(db.handle(), read, kCounts);
}

} // namespace

void count(RunCounts& counts, RunState state, int by)
{
    counts.total += by;
    switch (state) {
    case RunState::done:
        counts.done += by;
        break;
    case RunState::failed:
        counts.failed += by;
        break;
    case RunState::cancelled:
        counts.cancelled += by;
        break;
    case RunState::unknown:
        counts.unknown += by;
        break;
    case RunState::starting:
    case RunState::running:
        counts.running += by;
        break;
    default:
        counts.queued += by;
    }
}

Result<ExperimentOverview> experimentOverview(const Database& db)
{
    const auto read = [](SQLite::Statement& row, ExperimentRow& e) {
        readRow(row, e.id, e.name, e.question, e.site, e.starred, e.archived, e.repeats, e.changedAt, e.configurations,
                e.isImported);
    };
    return guarded(db.path(), [&] {
        ExperimentOverview overview;
        auto& rows = overview.experiments;
        rows = rowsOf<ExperimentRow>(db.handle(), read, sqlText(kExperiments) + " ORDER BY e.name");
        const auto withoutWriter = db.withoutWriterSince();
        for (const StateCount& counted : countsOf(db))
            if (const auto found = std::ranges::find(rows, counted.experiment, &ExperimentRow::id); found != rows.end())
                add(overview, *found, counted, withoutWriter);
        return overview;
    });
}

Result<std::vector<ExperimentRow>> experiments(const Database& db)
{
    TRY_ASSIGN(ExperimentOverview overview, experimentOverview(db));
    return std::move(overview.experiments);
}

Result<std::optional<ExperimentRow>> experimentByName(const Database& db, const std::string& name)
{
    TRY_ASSIGN(const std::vector<ExperimentRow> all, experiments(db));
    const auto found = std::ranges::find(all, name, &ExperimentRow::name);
    return found == all.end() ? std::nullopt : std::optional(*found);
}

Result<std::string> experimentText(const Database& db, const std::string& name)
{
    return guarded(db.path(), [&]() -> Result<std::string> {
        if (auto text = valueOf(db.handle(), std::optional<std::string>(),
                                "SELECT v.toml FROM revisions v JOIN experiments e ON e.id = v.experiment WHERE "
                                "e.name = ? ORDER BY v.number DESC LIMIT 1",
                                name))
            return *text;
        return fail(ErrorCode::notFound, Words::tr("There is no experiment “{}” in {}.", name, db.path().string()),
                    Words::tr("Check the name; “runs” lists what is there."));
    });
}

} // namespace ringside::store
