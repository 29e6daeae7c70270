// SPDX-License-Identifier: MIT
#include "core/base/sequences.h"
#include "core/store/frameworks.h"
#include "core/store/keptstatements.h"
#include "core/store/phasecolumns.h"
#include "core/store/queries.h"
#include "core/store/statements.h"
#include "core/store/summaries.h"

#include "core/base/text.h"
#include "core/stats/quantile.h"

#include <map>
#include <unordered_map>

namespace ringside::store {

namespace {

/// A reason that is about nothing further, as a text of SQL.
std::string quoted(std::string_view code)
{
    return "'" + toText(because(code)) + "'";
}

/// Facts that many runs share are found once for all rows: of each site the campaign for whose end others wait there,
/// and the campaigns that people have yet to submit.
const std::string kForAll = sqlText(R"sql(
WITH blockers AS MATERIALIZED (
    SELECT b.site, CASE WHEN b.held THEN json_object('code', ')sql") +
                            sqlText(why::kOtherCampaign) + R"sql(', 'experiment', o.name, 'held', 1)
                   ELSE json_object('code', ')sql" +
                            sqlText(why::kOtherCampaign) +
                            R"sql(', 'experiment', o.name) END AS reason, min(b.created_ns)
    FROM campaigns b JOIN experiments o ON o.id = b.experiment
    WHERE b.stage IN ('submitting', 'submitted')
          AND EXISTS (SELECT 1 FROM runs q WHERE q.campaign = b.id AND q.state NOT IN ('done', 'failed', 'cancelled'))
    GROUP BY b.site),
by_hand AS MATERIALIZED (SELECT c.id FROM campaigns c WHERE )sql" +
                            kWaitsForHand + ")";

/// The reason why a run ended as it did, or what it waits for. The first of these that there is: it is being cancelled,
/// what its site says of the campaign, it is held, how it ended last, and what follows from the campaign's stage.
const std::string kReason = sqlText(R"sql(
       coalesce(CASE WHEN c.stage IN ('submitting', 'submitted') AND r.state IN ('queued', 'requeued')
                          AND (c.cancelled OR EXISTS (SELECT 1 FROM cancellations x WHERE x.campaign = c.id AND x.run = r.id))
                     THEN )sql") +
                            quoted(why::kBeingCancelled) + R"sql( END,
                CASE WHEN c.stage IN ('submitting', 'submitted') AND (r.state IN ('queued', 'requeued')
                          OR r.state IN ('starting', 'running') AND c.contact_lost_ns IS NOT NULL)
                     THEN nullif(c.note, '') END,
                CASE WHEN c.stage <> 'ended' AND r.state IN ('queued', 'requeued') AND c.held
                     THEN )sql" +
                            quoted(why::kExperimentHeld) + R"sql( END,
                r.reason,
                CASE WHEN c.stage = 'ended' OR r.state NOT IN ('queued', 'requeued') THEN NULL
                WHEN c.stage = 'waiting'
                THEN coalesce((SELECT reason FROM blockers WHERE blockers.site = r.site), )sql" +
                            quoted(why::kHandover) + R"sql()
                WHEN c.stage = 'submitted' AND r.state = 'queued' AND c.id IN (SELECT id FROM by_hand) THEN )sql" +
                            quoted(why::kHandSubmission) + R"sql(
                WHEN c.contact_lost_ns IS NOT NULL THEN )sql" +
                            quoted(why::kContact) + R"sql(
                WHEN c.stage = 'submitting' THEN )sql" +
                            quoted(why::kConfirmation) + R"sql(
                ELSE )sql" + quoted(why::kTurn) +
                            " END)";

const std::string kRuns = kForAll + R"sql(
SELECT r.id, r.number, e.name, r.site, r.configuration, s.settings,)sql" +
                          kRanksPerProcess + R"sql(, r.repeat, r.attempt, r.kind, r.state, r.since_ns,)sql" + kReason +
                          R"sql(,
       r.cause, a.flags, a.samples, nullif(a.items_per_second, 0), r.iterations, r.warmup, a.last_seq,
       EXISTS (SELECT 1 FROM cells m WHERE m.experiment = r.experiment AND m.configuration = r.configuration),
       r.campaign, c.stage IN ('submitting', 'submitted') AND c.id NOT IN (SELECT id FROM by_hand),
       c.contact_lost_ns, c.stage <> 'ended',
       (SELECT count(*) FROM attempts f WHERE f.run = r.number AND f.state = 'failed'), c.held,
       CASE WHEN a.started_ns > 0 AND a.ended_ns > a.started_ns THEN (a.ended_ns - a.started_ns) / 1e9 END
FROM runs r JOIN experiments e ON e.id = r.experiment JOIN configurations s ON s.key = r.configuration
LEFT JOIN campaigns c ON c.id = r.campaign
LEFT JOIN attempts a ON a.run = r.number AND a.attempt = r.attempt)sql";

/// A run on a site without contact is unknown, whatever was known last. A run that has yet to be submitted by hand
/// waits for that, and not for an answer.
void applyContact(RunRow& run, bool handedOver, std::optional<std::int64_t> lostSince)
{
    if (!lostSince || !handedOver || isFinal(run.state))
        return;
    run.state = RunState::unknown;
    run.since = *lostSince;
}

/// Settings by the key of their configuration, which many runs have in common: read once for all of them.
using KnownSettings = std::unordered_map<std::string, SharedSettings>;

const SharedSettings& settingsOf(const std::string& key, std::string_view text, KnownSettings& known)
{
    const auto [place, isNew] = known.try_emplace(key);
    if (isNew)
        place->second = storedSettings(text);
    return place->second;
}

RunRow readRun(SQLite::Statement& row, std::optional<std::int64_t> withoutWriterSince, KnownSettings& known)
{
    RunRow run;
    std::string_view settings;
    bool handedOver = false, isHeld = false;
    std::optional<std::int64_t> lost;
    readRow(row, run.id, run.number, run.experiment, run.site, run.configurationKey, settings, run.ranksPerProcess,
            run.repeat, run.attempt, run.kind, run.state, run.since, run.reason, run.cause, run.flags, run.samples,
            run.itemsPerSecond, run.iterations, run.warmup, run.lastSeq, run.inMatrix, run.campaign, handedOver, lost,
            run.inCampaign, run.failedAttempts, isHeld, run.seconds);
    run.settings = settingsOf(run.configurationKey, settings, known);
    run.inCampaign = run.inCampaign && !isFinal(run.state);
    applyContact(run, handedOver, lost ? lost : withoutWriterSince);
    run.held = isWaiting(run.state) && run.inCampaign && isHeld;
    return run;
}

/// Those that `rest` says, a condition and an order.
template <class... Values>
std::vector<RunRow> readRuns(const Database& db, const std::string& rest, const Values&... values)
{
    const auto withoutWriter = db.withoutWriterSince();
    const auto query = db.statements().take(kRuns + rest);
    bindAll(*query, values...);
    KnownSettings known;
    std::vector<RunRow> rows;
    while (query->executeStep())
        rows.push_back(readRun(*query, withoutWriter, known));
    return rows;
}

template <class Row> std::optional<Row> firstOf(std::vector<Row> rows)
{
    return rows.empty() ? std::nullopt : std::optional(std::move(rows.front()));
}

std::string whereOf(const RunFilter& filter)
{
    std::string where = " WHERE (?1 IS NULL OR e.name = ?1) AND (?2 IS NULL OR r.kind = ?2)";
    if (filter.onlyInMatrix)
        where += " AND EXISTS (SELECT 1 FROM cells m WHERE m.experiment = r.experiment AND m.configuration = "
                 "r.configuration)";
    return where + " ORDER BY r.number LIMIT ?3 OFFSET ?4";
}

constexpr const char* kCampaigns = R"sql(
SELECT c.id, e.name, c.site, c.stage, c.held, c.cancelled, c.created_ns, c.contact_lost_ns, c.job, c.plan, c.scheduler, c.script, c.note
FROM campaigns c JOIN experiments e ON e.id = c.experiment)sql";

void readCampaign(SQLite::Statement& row, CampaignRow& c)
{
    readRow(row, c.id, c.experiment, c.site, c.stage, c.held, c.cancelled, c.createdAt, c.contactLostAt, c.job,
            c.planJson, c.submission.scheduler, c.submission.script, c.note);
}

/// {}: the end of s. For an attempt that has not ended the newest sample of its first rank counts, by that rank's pair
/// of clocks.
constexpr const char* kLastHeard = R"sql(
WITH there AS (SELECT a.id, a.started_ns, a.ended_ns FROM attempts a JOIN runs r ON r.number = a.run WHERE r.site = ?1)
SELECT max(at) FROM (
    SELECT contact_lost_ns AS at FROM campaigns WHERE site = ?1
    UNION ALL SELECT nullif(max(started_ns, ended_ns), 0) FROM there
    UNION ALL SELECT k.wall_ns - k.monotonic_ns +
        (SELECT {} FROM samples s WHERE s.attempt = t.id AND s.rank = 0 ORDER BY s.seq DESC LIMIT 1)
    FROM there t JOIN ranks k ON k.attempt = t.id AND k.rank = 0 WHERE t.ended_ns = 0))sql";

/// Summaries of the latest attempts of all done runs of an experiment, by run number: one statement for all.
std::map<int, std::vector<RankSummary>> summariesByRun(const Database& db, const std::string& experiment)
{
    auto query =
        prepare(db.handle(),
                "SELECT " + summaryColumns() +
                    ", r.number FROM summary s JOIN attempts a ON a.id = s.attempt JOIN runs r ON r.number = a.run "
                    "AND r.attempt = a.attempt JOIN experiments e ON e.id = r.experiment "
                    "WHERE e.name = ? AND r.state = 'done' ORDER BY r.number, s.rank",
                experiment);
    std::map<int, std::vector<RankSummary>> byRun;
    while (query.executeStep())
        readSummary(query, byRun[query.getColumn(query.getColumnCount() - 1)].emplace_back());
    return byRun;
}

/// With what follows it; run number first. Systems name the framework that they compute with, and their own version,
/// among the facts of the model.
constexpr const char* kRunFacts = R"sql(
SELECT r.number, json_extract(f.json, '$.machine.cpu'), coalesce(json_extract(f.json, '$.versions.torch'), json_extract(f.json, '$.model.torch')),
       json_extract(f.json, '$.model.mxnet'), json_extract(f.json, '$.model.tensorflow'),
       json_extract(f.json, '$.model.framework'), json_extract(f.json, '$.model.version'),
       json_extract(f.json, '$.system'), json_extract(f.json, '$.transport'),
       json_extract(f.json, '$.ranks[0].device'), json_extract(f.json, '$.ranks[0].links'), json_extract(s.settings, '$.nodes')
FROM facts f JOIN attempts a ON a.id = f.attempt JOIN runs r ON r.number = a.run
JOIN experiments e ON e.id = r.experiment JOIN configurations s ON s.key = r.configuration
WHERE )sql";

/// Systems once reported “cuda” for every GPU, which names none.
std::string processorOf(const std::string& device, const std::string& cpu)
{
    return device.empty() || device == "cpu" ? cpu : device == "cuda" ? std::string() : device;
}

/// The number of its run with them.
std::pair<int, RunFacts> readRunFacts(SQLite::Statement& row)
{
    int number = 0;
    std::int64_t nodes = 1;
    std::string cpu, torch, mxnet, tensorflow, framework, version, system, transport, device, links;
    readRow(row, number, cpu, torch, mxnet, tensorflow, framework, version, system, transport, device, links, nodes);
    RunFacts facts{plainText(processorOf(device, cpu)),
                   plainText(torch),
                   plainText(transport),
                   plainText(system),
                   plainText(mxnet),
                   plainText(tensorflow)};
    for (const Framework& own : kFrameworks)
        if (framework == own.fact && !version.empty()) // else it may be among the versions
            facts.*own.version = plainText(version);
    if (nodes > 1 && !links.empty())
        facts.network += (facts.network.empty() ? "" : "; ") + plainText(links);
    return {number, facts};
}

/// Facts of the latest attempts of all done runs of an experiment, by run number.
std::map<int, RunFacts> factsByRun(const Database& db, const std::string& experiment)
{
    auto query = prepare(db.handle(), sqlText(kRunFacts) + "e.name = ? AND r.attempt = a.attempt AND r.state = 'done'",
                         experiment);
    std::map<int, RunFacts> byRun;
    while (query.executeStep())
        byRun.insert(readRunFacts(query));
    return byRun;
}

} // namespace

Result<RunFacts> runFacts(const Database& db, const RunId& run, int attempt)
{
    return guarded(db.path(), [&] {
        auto query = prepare(db.handle(), sqlText(kRunFacts) + "r.id = ? AND a.attempt = ?", run, attempt);
        return query.executeStep() ? readRunFacts(query).second : RunFacts{};
    });
}

Result<std::vector<RunRow>> runs(const Database& db, const RunFilter& filter)
{
    return guarded(db.path(), [&] {
        return readRuns(db, whereOf(filter), filter.experiment, filter.kind, filter.limit > 0 ? filter.limit : -1,
                        filter.offset);
    });
}

Result<std::optional<RunRow>> runById(const Database& db, const RunId& id)
{
    return guarded(db.path(), [&] { return firstOf(readRuns(db, " WHERE r.id = ?", id)); });
}

Result<std::vector<RunRow>> runsById(const Database& db, const std::vector<RunId>& ids)
{
    const nlohmann::json list = mapped<nlohmann::json>(ids, [&](const RunId& id) { return id.str(); });
    return guarded(db.path(), [&] {
        return readRuns(db, " WHERE r.id IN (SELECT value FROM json_each(?)) ORDER BY r.number", list.dump());
    });
}

Result<std::optional<RunRow>> runByNumber(const Database& db, int number)
{
    return guarded(db.path(), [&] { return firstOf(readRuns(db, " WHERE r.number = ?", number)); });
}

Result<std::optional<AggregationPlan>> planOf(const Database& db, const RunRow& run)
{
    return guarded(db.path(), [&]() -> std::optional<AggregationPlan> {
        const auto text =
            valueOf(db.handle(), std::string(), "SELECT plan FROM configurations WHERE key = ?", run.configurationKey);
        const auto plan = aggregationPlanFromJson(nlohmann::json::parse(text, nullptr, false));
        return plan ? std::optional(*plan) : std::nullopt;
    });
}

Result<std::vector<MeasuredRun>> measuredRuns(const Database& db, const std::string& experiment)
{
    RunFilter filter;
    filter.experiment = experiment;
    TRY_ASSIGN(std::vector<RunRow> rows, runs(db, filter));
    return guarded(db.path(), [&] {
        auto summaries = summariesByRun(db, experiment);
        auto facts = factsByRun(db, experiment);
        std::vector<MeasuredRun> measured;
        for (RunRow& row : rows)
            measured.push_back({row, std::move(summaries[row.number]), std::move(facts[row.number])});
        return measured;
    });
}

Result<std::vector<CampaignRow>> campaigns(const Database& db, bool onlyUnfinished)
{
    return rowsOf<CampaignRow>(db, readCampaign,
                               sqlText(kCampaigns) + (onlyUnfinished ? " WHERE c.stage <> 'ended'" : "") +
                                   " ORDER BY c.created_ns, c.rowid");
}

Result<std::optional<CampaignRow>> campaignById(const Database& db, const CampaignId& id)
{
    return rowsOf<CampaignRow>(db, readCampaign, sqlText(kCampaigns) + " WHERE c.id = ?", id).map(firstOf<CampaignRow>);
}

Result<std::optional<std::int64_t>> lastHeard(const Database& db, const std::string& site)
{
    return guarded(db.path(), [&] {
        return valueOf(db.handle(), std::optional<std::int64_t>(), fmt::format(kLastHeard, endOf("s")), site);
    });
}

Result<std::vector<campaign::RunChange>> runsOfCampaign(const Database& db, const CampaignId& id)
{
    const auto read = [](SQLite::Statement& row, campaign::RunChange& run) {
        readRow(row, run.run, run.attempt, run.state, run.cause);
    };
    return rowsOf<campaign::RunChange>(
        db, read, "SELECT id, attempt, state, cause FROM runs WHERE campaign = ? ORDER BY number", id);
}

Result<std::vector<RunId>> cancelledRuns(const Database& db, const CampaignId& id)
{
    return rowsOf<RunId>(db, readRow<RunId>, "SELECT run FROM cancellations WHERE campaign = ? ORDER BY run", id);
}

namespace {

void readCursor(SQLite::Statement& row, StoredCursor& cursor)
{
    readRow(row, cursor.path, cursor.file, cursor.offset);
}

} // namespace

Result<std::vector<StoredCursor>> cursors(const Database& db, const CampaignId& campaign)
{
    // An earlier campaign may have read files of the same runs; a run's id is in its path: runs/<id>/…
    return rowsOf<StoredCursor>(db, readCursor,
                                "SELECT path, file, offset FROM cursors WHERE campaign = ?1 OR "
                                "substr(path, 6, 36) IN (SELECT id FROM runs WHERE campaign = ?1) ORDER BY path",
                                campaign);
}

Result<std::vector<StoredCursor>> cursors(const Database& db)
{
    return rowsOf<StoredCursor>(
        db, readCursor,
        "SELECT path, file, offset FROM cursors UNION ALL SELECT json_extract(c.value, '$[0]'), "
        "json_extract(c.value, '$[1]'), json_extract(c.value, '$[2]') FROM meta m, "
        "json_each(m.value) c WHERE m.name GLOB 'cursors of *' ORDER BY path");
}

Result<std::optional<double>> typicalSeconds(const Database& db, const std::string& configurationKey)
{
    TRY_ASSIGN(
        const std::vector<double> seconds,
        rowsOf<double>(db, readRow<double>,
                       "SELECT (a.ended_ns - a.started_ns) / 1e9 FROM attempts a JOIN runs r ON r.number = a.run "
                       "WHERE r.configuration = ? AND a.state = 'done' AND r.kind = 'run' AND a.started_ns > 0 "
                       "AND a.ended_ns > a.started_ns",
                       configurationKey));
    return seconds.empty() ? std::nullopt : std::optional(stats::median(seconds));
}

} // namespace ringside::store
