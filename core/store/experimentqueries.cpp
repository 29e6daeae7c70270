// SPDX-License-Identifier: MIT
#include "core/store/guard.h"
#include "core/store/queries.h"
#include "core/store/statements.h"

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

ExperimentRow readExperiment(SQLite::Statement& row)
{
    ExperimentRow experiment;
    experiment.id = row.getColumn(0);
    experiment.name = row.getColumn(1).getString();
    experiment.question = row.getColumn(2).getString();
    experiment.site = row.getColumn(3).getString();
    experiment.starred = row.getColumn(4).getInt() != 0;
    experiment.archived = row.getColumn(5).getInt() != 0;
    experiment.repeats = row.getColumn(6);
    experiment.changedAt = row.getColumn(7);
    experiment.configurations = row.getColumn(8);
    return experiment;
}

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

void addCount(ExperimentRow& experiment, SQLite::Statement& row, std::optional<std::int64_t> withoutWriterSince)
{
    RunState state = valueNamed<RunState>(row.getColumn(1).getString()).value_or(RunState::unknown);
    std::optional<std::int64_t> lost = withoutWriterSince;
    if (!row.isColumnNull(4))
        lost = row.getColumn(4).getInt64();
    if (lost && !isFinal(state) && row.getColumn(2).getInt() != 0) {
        state = RunState::unknown;
        experiment.unknownSince = std::min(experiment.unknownSince.value_or(*lost), *lost);
    }
    int& counter = counterOf(experiment.runs, state);
    counter += row.getColumn(3).getInt();
    if (&counter == &experiment.runs.queued)
        experiment.runs.held += row.getColumn(5).getInt();
    experiment.runs.total += row.getColumn(3).getInt();
    experiment.changedAt = std::max(experiment.changedAt, row.getColumn(6).getInt64());
}

void addCounts(const Database& db, std::vector<ExperimentRow>& rows)
{
    const auto withoutWriter = db.withoutWriterSince();
    SQLite::Statement counts(db.handle(), kCounts);
    while (counts.executeStep()) {
        const std::int64_t id = counts.getColumn(0);
        const auto found = std::ranges::find(rows, id, &ExperimentRow::id);
        if (found != rows.end())
            addCount(*found, counts, withoutWriter);
    }
}

} // namespace

Result<std::vector<ExperimentRow>> experiments(const Database& db)
{
    return guarded(db.path(), [&] {
        std::vector<ExperimentRow> rows;
        SQLite::Statement query(db.handle(), sqlText(kExperiments) + " ORDER BY e.name");
        while (query.executeStep())
            rows.push_back(readExperiment(query));
        addCounts(db, rows);
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
        auto query =
            prepare(db.handle(),
                    "SELECT v.toml FROM revisions v JOIN experiments e ON e.id = v.experiment WHERE e.name = ? "
                    "ORDER BY v.number DESC LIMIT 1",
                    name);
        if (query.executeStep())
            return query.getColumn(0).getString();
        return fail(ErrorCode::notFound, Words::tr("There is no experiment “{}” in {}.", name, db.path().string()),
                    Words::tr("Check the name; “runs” lists what is there."));
    });
}

} // namespace ringside::store
