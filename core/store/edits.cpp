// SPDX-License-Identifier: MIT
#include "core/store/edits.h"

#include "core/base/clock.h"
#include "core/protocol/jsonfields.h"
#include "core/store/editparts.h"
#include "core/store/statements.h"

#include <set>

namespace ringside::store {

using campaign::Stage;

namespace {

tl::unexpected<Error> noExperiment(const std::string& name)
{
    return fail(ErrorCode::notFound, Words::tr("There is no experiment “{}”.", name), Words::tr("Check the name."));
}

} // namespace

Result<std::int64_t> experimentId(SQLite::Database& db, const std::string& name)
{
    if (const auto id = valueOf(db, std::optional<std::int64_t>(), "SELECT id FROM experiments WHERE name = ?", name))
        return *id;
    return noExperiment(name);
}

void addConfiguration(SQLite::Database& db, const std::string& key, const Settings& settings,
                      const AggregationPlan& plan)
{
    execute(db, "INSERT OR IGNORE INTO configurations VALUES (?, ?, ?)", key, dumpJson(toJson(settings)),
            dumpJson(toJson(plan)));
}

namespace {

void upsertExperiment(SQLite::Database& db, const ExperimentEdit& edit)
{
    execute(
        db,
        "INSERT INTO experiments (name, question, site, repeats, changed_ns) VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) "
        "DO UPDATE SET question = excluded.question, site = excluded.site, repeats = excluded.repeats, "
        "changed_ns = excluded.changed_ns",
        edit.name, edit.question, edit.site, edit.repeats, wallNs());
}

void addRevision(SQLite::Database& db, std::int64_t experiment, const std::string& toml)
{
    execute(
        db,
        "INSERT INTO revisions SELECT ?1, coalesce(max(number), 0) + 1, ?2, ?3 FROM revisions WHERE experiment = ?1 "
        "HAVING ?3 IS NOT (SELECT toml FROM revisions WHERE experiment = ?1 ORDER BY number DESC LIMIT 1)",
        experiment, wallNs(), toml);
}

/// Imported cells are in no file, and stay.
void replaceCells(SQLite::Database& db, std::int64_t experiment, const std::vector<Cell>& cells)
{
    execute(db,
            "DELETE FROM cells WHERE experiment = ?1 AND configuration NOT IN "
            "(SELECT configuration FROM runs WHERE experiment = ?1 AND kind = 'imported')",
            experiment);
    for (const Cell& cell : cells) {
        addConfiguration(db, cell.configurationKey, cell.settings, cell.plan);
        execute(db, "INSERT OR IGNORE INTO cells VALUES (?, ?)", experiment, cell.configurationKey);
    }
}

Result<void> updateExperiment(Database& db, const std::string& name, const char* column, bool value)
{
    return inDurableTransaction(db, [&](SQLite::Database& handle) -> Result<void> {
        if (execute(handle, fmt::format("UPDATE experiments SET {} = ? WHERE name = ?", column), value, name) == 0)
            return noExperiment(name);
        return {};
    });
}

// ---- campaigns

/// A trial's is no cell of the matrix.
void addConfigurations(SQLite::Database& db, const CampaignPlan& plan)
{
    std::set<std::string_view> added;
    for (const RunSpec& run : plan.runs)
        if (added.insert(run.configurationKey).second)
            addConfiguration(db, run.configurationKey, run.settings, run.plan);
}

/// Its plan follows once the runs have their numbers.
void insertCampaign(SQLite::Database& db, std::int64_t experiment, const CampaignPlan& plan,
                    const Submission& submission)
{
    execute(db,
            "INSERT INTO campaigns (id, experiment, site, stage, created_ns, plan, scheduler, script) "
            "VALUES (?, ?, ?, 'waiting', ?, '{}', ?, ?)",
            plan.campaign, experiment, plan.site, wallNs(), submission.scheduler, submission.script);
}

/// Adds to the plan what the site is to know of each run: its number, and how many attempts there are of it already.
/// The same statements for all: SQLite takes longer to read one than to carry it out. RETURNING would make a table for
/// each run.
void queueRuns(SQLite::Database& db, std::int64_t experiment, CampaignPlan& plan)
{
    Insert queue(
        db, "INSERT INTO runs (id, experiment, configuration, campaign, site, kind, repeat, iterations, warmup, seed, "
            "since_ns, rank_processes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (id) DO UPDATE SET campaign = excluded.campaign, since_ns = excluded.since_ns, "
            "rank_processes = excluded.rank_processes, seed = excluded.seed, state = CASE WHEN attempt = 0 THEN "
            "'queued' ELSE 'requeued' "
            "END, cause = 'none', reason = NULL");
    SQLite::Statement queued(
        db, "SELECT number, max(attempt, (SELECT coalesce(max(a.attempt), 0) FROM attempts a WHERE a.run = number)) "
            "FROM runs WHERE id = ?");
    for (RunSpec& run : plan.runs) {
        queue(run.id, experiment, run.configurationKey, plan.campaign, plan.site, run.kind, run.repeat, run.iterations,
              run.warmup, run.seed, wallNs(),
              run.ranksPerProcess > 1 ? std::optional(run.rankProcesses()) : std::nullopt);
        bindAll(queued, run.id);
        queued.executeStep();
        readRow(queued, run.number, run.attempts);
        queued.reset();
    }
}

Result<void> addOne(SQLite::Database& db, CampaignPlan& plan, const Submission& submission)
{
    TRY_ASSIGN(const std::int64_t experiment, experimentId(db, plan.experiment));
    addConfigurations(db, plan);
    insertCampaign(db, experiment, plan, submission);
    queueRuns(db, experiment, plan);
    TRY_ASSIGN(const std::string text, planToSend(plan));
    execute(db, "UPDATE campaigns SET plan = ? WHERE id = ?", text, plan.campaign);
    return {};
}

/// The positions up to which its campaigns were read stay, so that their sites may remove the files.
void keepCursors(SQLite::Database& db, std::int64_t experiment)
{
    execute(db,
            "INSERT INTO meta SELECT 'cursors of ' || campaign, json_group_array(json_array(path, file, offset)) "
            "FROM cursors WHERE campaign IN (SELECT id FROM campaigns WHERE experiment = ?) GROUP BY campaign",
            experiment);
}

template <class... Values>
Result<void> updateCampaign(SQLite::Database& db, const CampaignId& id, const std::string& assignments,
                            const Values&... values)
{
    execute(db, "UPDATE campaigns SET " + assignments + " WHERE id = ?", values..., id);
    return {};
}

} // namespace

Result<void> saveIn(SQLite::Database& db, const ExperimentEdit& edit)
{
    upsertExperiment(db, edit);
    TRY_ASSIGN(const std::int64_t experiment, experimentId(db, edit.name));
    addRevision(db, experiment, edit.toml);
    replaceCells(db, experiment, edit.cells);
    return {};
}

Result<void> saveExperiment(Database& db, const ExperimentEdit& edit)
{
    return inDurableTransaction(db, [&](SQLite::Database& handle) { return saveIn(handle, edit); });
}

Result<void> setStarred(Database& db, const std::string& experiment, bool starred)
{
    return updateExperiment(db, experiment, "starred", starred);
}

Result<void> setArchived(Database& db, const std::string& experiment, bool archived)
{
    return updateExperiment(db, experiment, "archived", archived);
}

/// A commit that waits for the disk takes along all that was logged before it; one without a change would not wait.
Result<void> flushToDisk(Database& db)
{
    return inDurableTransaction(db, [](SQLite::Database& handle) -> Result<void> {
        execute(handle, "INSERT OR REPLACE INTO meta (name, value) VALUES ('flushed', ?)", wallNs());
        return {};
    });
}

Result<void> deleteExperiment(Database& db, const std::string& experiment)
{
    return inDurableTransaction(db, [&](SQLite::Database& handle) -> Result<void> {
        TRY_ASSIGN(const std::int64_t id, experimentId(handle, experiment));
        keepCursors(handle, id);
        // Runs first: they point to campaigns, which would go first in a cascade.
        execute(handle, "DELETE FROM runs WHERE experiment = ?", id);
        execute(handle, "DELETE FROM experiments WHERE id = ?", id);
        execute(handle, "DELETE FROM configurations WHERE key NOT IN (SELECT configuration FROM runs UNION "
                        "SELECT configuration FROM cells)");
        return {};
    });
}

Result<void> addCampaigns(Database& db, std::vector<CampaignPlan>& plans, const std::vector<Submission>& submissions,
                          const std::optional<ExperimentEdit>& edit)
{
    return inDurableTransaction(db, [&](SQLite::Database& handle) -> Result<void> {
        if (edit)
            TRY(saveIn(handle, *edit));
        for (std::size_t i = 0; i < plans.size(); ++i)
            TRY(addOne(handle, plans[i], submissions[i]));
        return {};
    });
}

Result<void> replacePlan(Database& db, const CampaignPlan& plan)
{
    TRY_ASSIGN(const std::string text, planToSend(plan));
    return inTransaction(
        db, [&](SQLite::Database& handle) { return updateCampaign(handle, plan.campaign, "plan = ?", text); });
}

Result<void> setStage(Database& db, const CampaignId& id, Stage stage, const std::string& job)
{
    const auto update = [&](SQLite::Database& handle) {
        return updateCampaign(
            handle, id,
            "stage = ?1, job = CASE WHEN ?2 = '' THEN job ELSE ?2 END, "
            "submitted_ns = CASE WHEN ?1 = 'submitted' THEN coalesce(submitted_ns, ?3) ELSE submitted_ns END, "
            "ended_ns = CASE WHEN ?1 = 'ended' THEN coalesce(ended_ns, ?3) END",
            stage, job, wallNs());
    };
    return stage == Stage::submitting ? inDurableTransaction(db, update) : inTransaction(db, update);
}

Result<void> setHeld(Database& db, const CampaignId& id, bool held)
{
    return inDurableTransaction(db,
                                [&](SQLite::Database& handle) { return updateCampaign(handle, id, "held = ?", held); });
}

Result<void> setCancelled(Database& db, const CampaignId& id)
{
    return inDurableTransaction(db,
                                [&](SQLite::Database& handle) { return updateCampaign(handle, id, "cancelled = 1"); });
}

Result<void> setRunsCancelled(Database& db, const CampaignId& id, const std::vector<RunId>& runs)
{
    return inDurableTransaction(db, [&](SQLite::Database& handle) -> Result<void> {
        for (const RunId& run : runs)
            execute(handle, "INSERT OR IGNORE INTO cancellations VALUES (?, ?)", id, run);
        return {};
    });
}

Result<void> setContact(Database& db, const CampaignId& id, std::optional<std::int64_t> lostSince, const Reason& note)
{
    return inTransaction(db, [&](SQLite::Database& handle) {
        return updateCampaign(handle, id, "contact_lost_ns = ?, note = ?", lostSince, note);
    });
}

} // namespace ringside::store
