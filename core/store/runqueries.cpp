// SPDX-License-Identifier: MIT
#include "core/store/guard.h"
#include "core/store/keptstatements.h"
#include "core/store/phasecolumns.h"
#include "core/store/queries.h"
#include "core/store/statements.h"
#include "core/store/summaries.h"

#include "core/base/text.h"
#include "core/stats/quantile.h"

#include <SQLiteCpp/VariadicBind.h>
#include <map>
#include <unordered_map>

namespace ringside::store {

namespace {

/// A reason that is about nothing further, as a text of SQL.
std::string quoted(std::string_view code)
{
    return "'" + toText(because(code)) + "'";
}

/// What is the same for many runs is found once for all rows: of each site the campaign for whose end others wait
/// there, and the campaigns that people have yet to submit.
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

/// Why a run ended as it did, or what it waits for. The first of these that there is: it is being cancelled, what its
/// site says of the campaign, it is held, how it ended last, and what follows from the campaign's stage.
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
SELECT r.id, r.number, e.name, r.site, r.configuration, s.settings, r.repeat, r.attempt, r.kind, r.state, r.since_ns,)sql" +
                          kReason + R"sql(,
       r.cause, a.flags, a.samples, a.items_per_second, r.iterations, r.warmup, a.last_seq,
       EXISTS (SELECT 1 FROM cells m WHERE m.experiment = r.experiment AND m.configuration = r.configuration),
       r.campaign, c.stage IN ('submitting', 'submitted') AND c.id NOT IN (SELECT id FROM by_hand),
       c.contact_lost_ns, c.stage <> 'ended',
       (SELECT count(*) FROM attempts f WHERE f.run = r.number AND f.state = 'failed'), c.held,
       CASE WHEN a.started_ns > 0 AND a.ended_ns > a.started_ns THEN (a.ended_ns - a.started_ns) / 1e9 END
FROM runs r JOIN experiments e ON e.id = r.experiment JOIN configurations s ON s.key = r.configuration
LEFT JOIN campaigns c ON c.id = r.campaign
LEFT JOIN attempts a ON a.run = r.number AND a.attempt = r.attempt)sql";

std::optional<std::int64_t> integerOrNull(SQLite::Statement& row, int column)
{
    return row.isColumnNull(column) ? std::nullopt : std::optional<std::int64_t>(row.getColumn(column).getInt64());
}

/// What runs where nobody can be asked is unknown, whatever was known last. What has yet to be submitted by hand waits
/// for that, and not for an answer.
void applyContact(RunRow& run, bool handedOver, std::optional<std::int64_t> lostSince)
{
    if (!lostSince || !handedOver || isFinal(run.state))
        return;
    run.state = RunState::unknown;
    run.since = *lostSince;
}

/// Settings by the key of their configuration, which many runs have in common: read once for all of them.
using KnownSettings = std::unordered_map<std::string, SharedSettings>;

const SharedSettings& settingsOf(const std::string& key, SQLite::Column text, KnownSettings& known)
{
    const auto [place, isNew] = known.try_emplace(key);
    if (isNew)
        place->second = storedSettings(text);
    return place->second;
}

void readIdentity(RunRow& run, SQLite::Statement& row, KnownSettings& known)
{
    run.id = storedId<RunId>(row.getColumn(0));
    run.number = row.getColumn(1);
    run.experiment = row.getColumn(2).getString();
    run.site = row.getColumn(3).getString();
    run.configurationKey = row.getColumn(4).getString();
    run.settings = settingsOf(run.configurationKey, row.getColumn(5), known);
    run.repeat = row.getColumn(6);
    run.kind = valueNamed<RunKind>(row.getColumn(8).getString()).value_or(RunKind::run);
    run.iterations = row.getColumn(16);
    run.warmup = row.getColumn(17);
    run.inMatrix = row.getColumn(19).getInt() != 0;
    run.campaign = storedId<CampaignId>(row.getColumn(20));
}

void readProgress(RunRow& run, SQLite::Statement& row)
{
    run.attempt = row.getColumn(7);
    run.state = valueNamed<RunState>(row.getColumn(9).getString()).value_or(RunState::unknown);
    run.since = row.getColumn(10);
    if (!row.isColumnNull(11))
        run.reason = reasonFromText(row.getColumn(11).getString());
    run.cause = valueNamed<Cause>(row.getColumn(12).getString()).value_or(Cause::none);
    run.flags = storedFlags(row.getColumn(13));
    run.samples = row.getColumn(14);
    if (const double rate = row.getColumn(15).getDouble(); rate > 0) // a calibration trains nothing
        run.itemsPerSecond = rate;
    run.lastSeq = row.getColumn(18);
    run.inCampaign = !isFinal(run.state) && row.getColumn(23).getInt() != 0;
    run.failedAttempts = row.getColumn(24);
    if (!row.isColumnNull(26))
        run.seconds = row.getColumn(26).getDouble();
}

RunRow readRun(SQLite::Statement& row, std::optional<std::int64_t> withoutWriterSince, KnownSettings& known)
{
    RunRow run;
    readIdentity(run, row, known);
    readProgress(run, row);
    const auto lost = integerOrNull(row, 22);
    applyContact(run, row.getColumn(21).getInt() != 0, lost ? lost : withoutWriterSince);
    const bool waits = run.state == RunState::queued || run.state == RunState::requeued;
    run.held = waits && run.inCampaign && row.getColumn(25).getInt() != 0;
    return run;
}

/// Those that `rest` says, a condition and an order.
template <class... Values>
std::vector<RunRow> readRuns(const Database& db, const std::string& rest, const Values&... values)
{
    const auto withoutWriter = db.withoutWriterSince();
    const auto query = db.statements().take(kRuns + rest);
    SQLite::bind(*query, values...);
    KnownSettings known;
    std::vector<RunRow> rows;
    while (query->executeStep())
        rows.push_back(readRun(*query, withoutWriter, known));
    return rows;
}

std::optional<RunRow> firstOf(std::vector<RunRow> rows)
{
    return rows.empty() ? std::nullopt : std::optional(std::move(rows.front()));
}

std::string whereOf(const RunFilter& filter)
{
    std::string where = " WHERE (?1 = '' OR e.name = ?1) AND (?2 = '' OR r.kind = ?2)";
    if (filter.onlyInMatrix)
        where += " AND EXISTS (SELECT 1 FROM cells m WHERE m.experiment = r.experiment AND m.configuration = "
                 "r.configuration)";
    return where + " ORDER BY r.number LIMIT ?3 OFFSET ?4";
}

constexpr const char* kCampaigns = R"sql(
SELECT c.id, e.name, c.site, c.stage, c.held, c.cancelled, c.created_ns, c.contact_lost_ns, c.job, c.plan, c.scheduler, c.script, c.note
FROM campaigns c JOIN experiments e ON e.id = c.experiment)sql";

CampaignRow readCampaign(SQLite::Statement& row)
{
    CampaignRow campaign;
    campaign.id = storedId<CampaignId>(row.getColumn(0));
    campaign.experiment = row.getColumn(1).getString();
    campaign.site = row.getColumn(2).getString();
    campaign.stage = valueNamed<campaign::Stage>(row.getColumn(3).getString()).value_or(campaign.stage);
    campaign.held = row.getColumn(4).getInt() != 0;
    campaign.cancelled = row.getColumn(5).getInt() != 0;
    campaign.createdAt = row.getColumn(6);
    campaign.contactLostAt = integerOrNull(row, 7);
    campaign.job = row.getColumn(8).getString();
    campaign.planJson = row.getColumn(9).getString();
    campaign.submission = {row.getColumn(10).getString(), row.getColumn(11).getString()};
    campaign.note = reasonFromText(row.getColumn(12).getString());
    return campaign;
}

/// {}: the end of s. Of an attempt that has not ended the newest sample of its first rank counts, by that rank's pair
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
                sqlText("SELECT ") + summaryColumns() +
                    ", r.number FROM summary s JOIN attempts a ON a.id = s.attempt JOIN runs r ON r.number = a.run "
                    "AND r.attempt = a.attempt JOIN experiments e ON e.id = r.experiment "
                    "WHERE e.name = ? AND r.state = 'done' ORDER BY r.number, s.rank",
                experiment);
    std::map<int, std::vector<RankSummary>> byRun;
    while (query.executeStep())
        byRun[query.getColumn(kSummaryColumnCount)].push_back(readSummary(query));
    return byRun;
}

/// With what follows it; run number first.
constexpr const char* kRunFacts = R"sql(
SELECT r.number, json_extract(f.json, '$.machine.cpu'), json_extract(f.json, '$.versions.torch'), json_extract(f.json, '$.transport'),
       json_extract(f.json, '$.ranks[0].device'), json_extract(f.json, '$.ranks[0].links'), json_extract(s.settings, '$.nodes')
FROM facts f JOIN attempts a ON a.id = f.attempt JOIN runs r ON r.number = a.run
JOIN experiments e ON e.id = r.experiment JOIN configurations s ON s.key = r.configuration
WHERE )sql";

RunFacts readRunFacts(SQLite::Statement& query)
{
    const auto text = [&](int column) { return plainText(query.getColumn(column).getString()); };
    RunFacts facts;
    const std::string device = text(4), links = text(5);
    facts.processor = device.empty() || device == "cpu" ? text(1) : device;
    facts.torch = text(2);
    facts.network = text(3);
    if (query.getColumn(6).getInt64() > 1 && !links.empty())
        facts.network += "; " + links;
    return facts;
}

/// Of the latest attempts of all done runs of an experiment, by run number.
std::map<int, RunFacts> factsByRun(const Database& db, const std::string& experiment)
{
    auto query = prepare(db.handle(), sqlText(kRunFacts) + "e.name = ? AND r.attempt = a.attempt AND r.state = 'done'",
                         experiment);
    std::map<int, RunFacts> byRun;
    while (query.executeStep())
        byRun[query.getColumn(0)] = readRunFacts(query);
    return byRun;
}

} // namespace

Result<RunFacts> runFacts(const Database& db, const RunId& run, int attempt)
{
    return guarded(db.path(), [&] {
        auto query = prepare(db.handle(), sqlText(kRunFacts) + "r.id = ? AND a.attempt = ?", run.str(), attempt);
        return query.executeStep() ? readRunFacts(query) : RunFacts{};
    });
}

Result<std::vector<RunRow>> runs(const Database& db, const RunFilter& filter)
{
    return guarded(db.path(), [&] {
        const std::string kind(filter.kind ? nameOf(*filter.kind) : std::string_view());
        return readRuns(db, whereOf(filter), filter.experiment.value_or(""), kind, filter.limit > 0 ? filter.limit : -1,
                        filter.offset);
    });
}

Result<std::optional<RunRow>> runById(const Database& db, const RunId& id)
{
    return guarded(db.path(), [&] { return firstOf(readRuns(db, " WHERE r.id = ?", id.str())); });
}

Result<std::vector<RunRow>> runsById(const Database& db, const std::vector<RunId>& ids)
{
    nlohmann::json list = nlohmann::json::array();
    for (const RunId& id : ids)
        list.push_back(id.str());
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
        auto query = prepare(db.handle(), "SELECT plan FROM configurations WHERE key = ?", run.configurationKey);
        if (!query.executeStep())
            return std::nullopt;
        const auto plan =
            aggregationPlanFromJson(nlohmann::json::parse(query.getColumn(0).getString(), nullptr, false));
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
    return guarded(db.path(), [&] {
        SQLite::Statement query(db.handle(), sqlText(kCampaigns) + (onlyUnfinished ? " WHERE c.stage <> 'ended'" : "") +
                                                 " ORDER BY c.created_ns, c.rowid");
        std::vector<CampaignRow> rows;
        while (query.executeStep())
            rows.push_back(readCampaign(query));
        return rows;
    });
}

Result<std::optional<CampaignRow>> campaignById(const Database& db, const CampaignId& id)
{
    return guarded(db.path(), [&]() -> std::optional<CampaignRow> {
        auto query = prepare(db.handle(), sqlText(kCampaigns) + " WHERE c.id = ?", id.str());
        return query.executeStep() ? std::optional(readCampaign(query)) : std::nullopt;
    });
}

Result<std::optional<std::int64_t>> lastHeard(const Database& db, const std::string& site)
{
    return guarded(db.path(), [&] {
        auto query = prepare(db.handle(), fmt::format(kLastHeard, endOf("s")), site);
        return query.executeStep() ? integerOrNull(query, 0) : std::nullopt;
    });
}

Result<std::vector<campaign::RunChange>> runsOfCampaign(const Database& db, const CampaignId& id)
{
    return guarded(db.path(), [&] {
        auto query = prepare(db.handle(),
                             "SELECT id, attempt, state, cause FROM runs WHERE campaign = ? ORDER BY number", id.str());
        std::vector<campaign::RunChange> runs;
        while (query.executeStep()) {
            campaign::RunChange& run = runs.emplace_back();
            run.run = storedId<RunId>(query.getColumn(0));
            run.attempt = query.getColumn(1);
            run.state = valueNamed<RunState>(query.getColumn(2).getString()).value_or(RunState::queued);
            run.cause = valueNamed<Cause>(query.getColumn(3).getString()).value_or(Cause::none);
        }
        return runs;
    });
}

Result<std::vector<RunId>> cancelledRuns(const Database& db, const CampaignId& id)
{
    return guarded(db.path(), [&] {
        auto query = prepare(db.handle(), "SELECT run FROM cancellations WHERE campaign = ? ORDER BY run", id.str());
        std::vector<RunId> runs;
        while (query.executeStep())
            runs.push_back(storedId<RunId>(query.getColumn(0)));
        return runs;
    });
}

Result<std::vector<Cursor>> cursors(const Database& db, const CampaignId& campaign)
{
    return guarded(db.path(), [&] {
        auto query = prepare(db.handle(), // An earlier campaign may have read files of the same runs; a run's id is in
                                          // its path: runs/<id>/…
                             "SELECT path, file, offset FROM cursors WHERE campaign = ?1 OR "
                             "substr(path, 6, 36) IN (SELECT id FROM runs WHERE campaign = ?1) ORDER BY path",
                             campaign.str());
        std::vector<Cursor> rows;
        while (query.executeStep())
            rows.push_back(
                {query.getColumn(0), query.getColumn(1), static_cast<std::uint64_t>(query.getColumn(2).getInt64())});
        return rows;
    });
}

Result<std::optional<double>> typicalSeconds(const Database& db, const std::string& configurationKey)
{
    return guarded(db.path(), [&]() -> std::optional<double> {
        auto query = prepare(db.handle(),
                             "SELECT (a.ended_ns - a.started_ns) / 1e9 FROM attempts a JOIN runs r ON r.number = a.run "
                             "WHERE r.configuration = ? AND a.state = 'done' AND r.kind = 'run' AND a.started_ns > 0",
                             configurationKey);
        std::vector<double> seconds;
        while (query.executeStep())
            seconds.push_back(query.getColumn(0));
        return seconds.empty() ? std::nullopt : std::optional(stats::median(seconds));
    });
}

} // namespace ringside::store
