// SPDX-License-Identifier: MIT
#include "core/store/queries.h"
#include "core/store/statements.h"

#include <algorithm>

namespace ringside::store {

namespace {

constexpr const char* kExperiments = R"sql(
SELECT e.id, e.name, e.question, e.site, e.starred, e.archived, e.repeats, e.changed_ns,
       (SELECT count(*) FROM cells c WHERE c.experiment = e.id) FROM experiments e)sql";

/// Runs of the present matrix by state, and apart those of campaigns that run somewhere.
const std::string kCounts = sqlText(R"sql(
SELECT r.experiment, r.state, c.stage IN ('submitting', 'submitted'), count(*), min(c.contact_lost_ns),
       coalesce(sum(c.held AND c.stage <> 'ended'), 0), max(r.since_ns)
FROM runs r JOIN cells m ON m.experiment = r.experiment AND m.configuration = r.configuration
LEFT JOIN (SELECT id, held, contact_lost_ns, CASE WHEN )sql") +
                            kWaitsForHand + R"sql( THEN 'by hand' ELSE stage END AS stage
           FROM campaigns c) c ON c.id = r.campaign
WHERE r.kind = 'run' GROUP BY r.experiment, r.state, c.stage IN ('submitting', 'submitted'), c.contact_lost_ns IS NULL)sql";

struct StateCount
{
    std::int64_t experiment = 0;
    RunState state = RunState::unknown;
    bool isHandedOver = false;
    int runs = 0;
    std::optional<std::int64_t> lostSince;
    int held = 0;
    std::int64_t since = 0;
};

int& counterOf(RunCounts& counts, RunState state)
{
    switch (state) {
    case RunState::done:
        return counts.done;
    case RunState::failed:
        return counts.failed;
    case RunState::cancelled:
        return counts.cancelled;
    case RunState::unknown:
        return counts.unknown;
    case RunState::starting:
    case RunState::running:
        return counts.running;
    default:
        return counts.queued;
    }
}

void add(ExperimentRow& experiment, const StateCount& count, std::optional<std::int64_t> withoutWriterSince)
{
    const auto lost = count.lostSince ? count.lostSince : withoutWriterSince;
    const bool isUnknown = lost && !isFinal(count.state) && count.isHandedOver;
    if (isUnknown)
        experiment.unknownSince = std::min(experiment.unknownSince.value_or(*lost), *lost);
    int& counter = counterOf(experiment.runs, isUnknown ? RunState::unknown : count.state);
    counter += count.runs;
    if (&counter == &experiment.runs.queued)
        experiment.runs.held += count.held;
    experiment.runs.total += count.runs;
    experiment.changedAt = std::max(experiment.changedAt, count.since);
}

std::vector<StateCount> countsOf(const Database& db)
{
    const auto read = [](SQLite::Statement& row, StateCount& count) {
        readRow(row, count.experiment, count.state, count.isHandedOver, count.runs, count.lostSince, count.held,
                count.since);
    };
    return rowsOf<StateCount>(db.handle(), read, kCounts);
}

} // namespace

Result<std::vector<ExperimentRow>> experiments(const Database& db)
{
    const auto read = [](SQLite::Statement& row, ExperimentRow& e) {
        readRow(row, e.id, e.name, e.question, e.site, e.starred, e.archived, e.repeats, e.changedAt, e.configurations);
    };
    return guarded(db.path(), [&] {
        auto rows = rowsOf<ExperimentRow>(db.handle(), read, sqlText(kExperiments) + " ORDER BY e.name");
        const auto withoutWriter = db.withoutWriterSince();
        for (const StateCount& count : countsOf(db))
            if (const auto found = std::ranges::find(rows, count.experiment, &ExperimentRow::id); found != rows.end())
                add(*found, count, withoutWriter);
        return rows;
    });
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
