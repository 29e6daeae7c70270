// SPDX-License-Identifier: MIT
#include "core/store/schema.h"

#include <array>

namespace ringside::store {

namespace {

constexpr const char* kSchema1 = R"sql(
CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE experiments (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE CHECK (name <> ''),
    question   TEXT NOT NULL DEFAULT '',
    site       TEXT NOT NULL DEFAULT 'local',
    repeats    INTEGER NOT NULL CHECK (repeats >= 1),
    starred    INTEGER NOT NULL DEFAULT 0 CHECK (starred IN (0, 1)),
    archived   INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
    changed_ns INTEGER NOT NULL
) STRICT;

CREATE TABLE revisions (
    experiment INTEGER NOT NULL REFERENCES experiments ON DELETE CASCADE,
    number     INTEGER NOT NULL CHECK (number >= 1),
    saved_ns   INTEGER NOT NULL,
    toml       TEXT NOT NULL,
    PRIMARY KEY (experiment, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE configurations (
    key      TEXT PRIMARY KEY CHECK (key <> ''),
    settings TEXT NOT NULL CHECK (json_valid(settings)),
    plan     TEXT NOT NULL CHECK (json_valid(plan))
) STRICT, WITHOUT ROWID;

CREATE TABLE cells (
    experiment    INTEGER NOT NULL REFERENCES experiments ON DELETE CASCADE,
    configuration TEXT NOT NULL REFERENCES configurations,
    PRIMARY KEY (experiment, configuration)
) STRICT, WITHOUT ROWID;

CREATE TABLE campaigns (
    id              TEXT PRIMARY KEY CHECK (length(id) = 36),
    experiment      INTEGER NOT NULL REFERENCES experiments ON DELETE CASCADE,
    site            TEXT NOT NULL,
    stage           TEXT NOT NULL CHECK (stage IN ('waiting', 'submitting', 'submitted', 'ended')),
    held            INTEGER NOT NULL DEFAULT 0 CHECK (held IN (0, 1)),
    cancelled       INTEGER NOT NULL DEFAULT 0 CHECK (cancelled IN (0, 1)),
    created_ns      INTEGER NOT NULL,
    submitted_ns    INTEGER,
    ended_ns        INTEGER,
    contact_lost_ns INTEGER,
    job             TEXT NOT NULL DEFAULT '',
    plan            TEXT NOT NULL CHECK (json_valid(plan))
) STRICT;
CREATE INDEX campaigns_unfinished ON campaigns (site, created_ns) WHERE stage <> 'ended';

CREATE TABLE runs (
    number        INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
    experiment    INTEGER NOT NULL REFERENCES experiments ON DELETE CASCADE,
    configuration TEXT NOT NULL REFERENCES configurations,
    campaign      TEXT REFERENCES campaigns,
    site          TEXT NOT NULL,
    kind          TEXT NOT NULL CHECK (kind IN ('run', 'trial', 'imported')),
    repeat        INTEGER NOT NULL CHECK (repeat >= 1),
    iterations    INTEGER NOT NULL CHECK (iterations >= 1),
    warmup        INTEGER NOT NULL CHECK (warmup >= 0),
    seed          INTEGER NOT NULL,
    attempt       INTEGER NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    state         TEXT NOT NULL DEFAULT 'queued'
                  CHECK (state IN ('queued', 'starting', 'running', 'done', 'failed', 'cancelled', 'requeued')),
    since_ns      INTEGER NOT NULL,
    cause         TEXT NOT NULL DEFAULT 'none',
    reason        TEXT
) STRICT;
CREATE UNIQUE INDEX runs_repeat ON runs (experiment, configuration, repeat) WHERE kind = 'run';
CREATE INDEX runs_configuration ON runs (configuration);
CREATE INDEX runs_campaign ON runs (campaign);

CREATE TABLE attempts (
    id               INTEGER PRIMARY KEY,
    run              INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    attempt          INTEGER NOT NULL CHECK (attempt >= 1),
    state            TEXT NOT NULL CHECK (state IN ('starting', 'running', 'done', 'failed', 'cancelled', 'requeued')),
    cause            TEXT NOT NULL DEFAULT 'none',
    reason           TEXT NOT NULL DEFAULT '',
    lost_rank        INTEGER,
    started_ns       INTEGER NOT NULL DEFAULT 0,
    ended_ns         INTEGER NOT NULL DEFAULT 0,
    samples          INTEGER NOT NULL DEFAULT 0,
    records          INTEGER NOT NULL DEFAULT 0,
    summarised       INTEGER NOT NULL DEFAULT -1,
    last_seq         INTEGER NOT NULL DEFAULT 0,
    items_per_second REAL,
    flags            TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(flags)),
    UNIQUE (run, attempt)
) STRICT;
CREATE INDEX attempts_to_summarise ON attempts (id)
    WHERE state IN ('done', 'failed', 'cancelled', 'requeued') AND summarised <> records;

CREATE TABLE ranks (
    attempt           INTEGER NOT NULL REFERENCES attempts ON DELETE CASCADE,
    rank              INTEGER NOT NULL CHECK (rank >= 0),
    world_size        INTEGER NOT NULL CHECK (world_size >= 1),
    host              TEXT NOT NULL,
    monotonic_ns      INTEGER,
    wall_ns           INTEGER,
    samples_written   INTEGER,
    samples_dropped   INTEGER,
    exit_code         INTEGER,
    PRIMARY KEY (attempt, rank)
) STRICT, WITHOUT ROWID;

CREATE TABLE samples (
    attempt         INTEGER NOT NULL REFERENCES attempts ON DELETE CASCADE,
    rank            INTEGER NOT NULL,
    seq             INTEGER NOT NULL,
    start_ns        INTEGER NOT NULL,
    input_wait_ns   INTEGER NOT NULL,
    h2d_ns          INTEGER NOT NULL,
    forward_ns      INTEGER NOT NULL,
    backward_ns     INTEGER NOT NULL,
    comm_exposed_ns INTEGER NOT NULL,
    update_ns       INTEGER NOT NULL,
    other_ns        INTEGER NOT NULL,
    read_ns         INTEGER NOT NULL,
    decode_ns       INTEGER NOT NULL,
    h2d_total_ns    INTEGER NOT NULL,
    comm_total_ns   INTEGER NOT NULL,
    bytes_sent      INTEGER NOT NULL,
    items           INTEGER NOT NULL,
    bad_items       INTEGER NOT NULL,
    loss            REAL,
    PRIMARY KEY (attempt, rank, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE telemetry (
    attempt                INTEGER NOT NULL REFERENCES attempts ON DELETE CASCADE,
    rank                   INTEGER NOT NULL,
    at_ns                  INTEGER NOT NULL,
    cpu_share              REAL NOT NULL,
    own_cpu_share          REAL NOT NULL,
    foreign_cpu_share      REAL NOT NULL,
    memory_bytes           INTEGER NOT NULL,
    host_memory_used_bytes INTEGER NOT NULL,
    disk_read_bytes        INTEGER NOT NULL,
    network_sent_bytes     INTEGER NOT NULL,
    PRIMARY KEY (attempt, rank, at_ns)
) STRICT, WITHOUT ROWID;

CREATE TABLE buckets (
    attempt   INTEGER NOT NULL REFERENCES attempts ON DELETE CASCADE,
    rank      INTEGER NOT NULL,
    seq       INTEGER NOT NULL,
    bucket    INTEGER NOT NULL,
    start_ns  INTEGER NOT NULL,
    length_ns INTEGER NOT NULL,
    bytes     INTEGER NOT NULL,
    PRIMARY KEY (attempt, rank, seq, bucket)
) STRICT, WITHOUT ROWID;

CREATE TABLE cursors (
    campaign TEXT NOT NULL REFERENCES campaigns ON DELETE CASCADE,
    path     TEXT PRIMARY KEY,
    file     TEXT NOT NULL DEFAULT '',
    offset   INTEGER NOT NULL CHECK (offset >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE facts (
    attempt INTEGER PRIMARY KEY REFERENCES attempts ON DELETE CASCADE,
    json    TEXT NOT NULL CHECK (json_valid(json))
) STRICT;

CREATE TABLE summary (
    attempt         INTEGER NOT NULL REFERENCES attempts ON DELETE CASCADE,
    rank            INTEGER NOT NULL,
    warmup          INTEGER NOT NULL,
    iterations      INTEGER NOT NULL,
    items           INTEGER NOT NULL,
    length_ns       INTEGER NOT NULL,
    input_wait_ns   INTEGER NOT NULL,
    h2d_ns          INTEGER NOT NULL,
    forward_ns      INTEGER NOT NULL,
    backward_ns     INTEGER NOT NULL,
    comm_exposed_ns INTEGER NOT NULL,
    update_ns       INTEGER NOT NULL,
    other_ns        INTEGER NOT NULL,
    read_ns         INTEGER NOT NULL,
    decode_ns       INTEGER NOT NULL,
    comm_total_ns   INTEGER NOT NULL,
    bytes_sent      INTEGER NOT NULL,
    bad_items       INTEGER NOT NULL,
    last_loss       REAL,
    PRIMARY KEY (attempt, rank)
) STRICT, WITHOUT ROWID;

CREATE TABLE series (
    attempt   INTEGER NOT NULL REFERENCES attempts ON DELETE CASCADE,
    point     INTEGER NOT NULL,
    iteration REAL NOT NULL,
    low       REAL NOT NULL,
    median    REAL NOT NULL,
    high      REAL NOT NULL,
    PRIMARY KEY (attempt, point)
) STRICT, WITHOUT ROWID;
)sql";

/// Campaigns go to schedulers, too.
constexpr const char* kSchema2 = R"sql(
ALTER TABLE campaigns ADD COLUMN scheduler TEXT NOT NULL DEFAULT '';
ALTER TABLE campaigns ADD COLUMN script TEXT NOT NULL DEFAULT '';
)sql";

/// Ranks run on several hosts, each with a clock of its own.
constexpr const char* kSchema3 = R"sql(
CREATE TABLE clock_offsets (
    attempt        INTEGER NOT NULL REFERENCES attempts ON DELETE CASCADE,
    rank           INTEGER NOT NULL,
    at_ns          INTEGER NOT NULL,
    offset_ns      INTEGER NOT NULL,
    uncertainty_ns INTEGER NOT NULL CHECK (uncertainty_ns >= 0),
    PRIMARY KEY (attempt, rank, at_ns)
) STRICT, WITHOUT ROWID;
)sql";

/// Stores what a site says of a campaign that waits there.
constexpr const char* kSchema4 = R"sql(
ALTER TABLE campaigns ADD COLUMN note TEXT NOT NULL DEFAULT '';
)sql";

/// Workers report the times of single layers, too.
constexpr const char* kSchema5 = R"sql(
CREATE TABLE layers (
    attempt           INTEGER NOT NULL REFERENCES attempts ON DELETE CASCADE,
    rank              INTEGER NOT NULL,
    seq               INTEGER NOT NULL,
    layer             INTEGER NOT NULL,
    forward_start_ns  INTEGER NOT NULL,
    forward_ns        INTEGER NOT NULL,
    backward_start_ns INTEGER NOT NULL,
    backward_ns       INTEGER NOT NULL,
    ready_ns          INTEGER NOT NULL,
    PRIMARY KEY (attempt, rank, seq, layer)
) STRICT, WITHOUT ROWID;
)sql";

/// About a second of reading and all-reducing before and after the iterations of an attempt.
constexpr const char* kSchema6 = R"sql(
CREATE TABLE canaries (
    attempt               INTEGER NOT NULL REFERENCES attempts ON DELETE CASCADE,
    rank                  INTEGER NOT NULL,
    is_after              INTEGER NOT NULL CHECK (is_after IN (0, 1)),
    at_ns                 INTEGER NOT NULL,
    read_bytes_per_second INTEGER,
    all_reduce_ns         INTEGER,
    PRIMARY KEY (attempt, rank, is_after)
) STRICT, WITHOUT ROWID;
)sql";

/// Workers report the load of their GPUs, too.
constexpr const char* kSchema7 = R"sql(
CREATE TABLE gpu_telemetry (
    attempt                  INTEGER NOT NULL REFERENCES attempts ON DELETE CASCADE,
    rank                     INTEGER NOT NULL,
    at_ns                    INTEGER NOT NULL,
    busy_share               REAL NOT NULL,
    memory_used_bytes        INTEGER NOT NULL,
    memory_bytes             INTEGER NOT NULL,
    power_mw                 INTEGER NOT NULL,
    sm_mhz                   INTEGER NOT NULL,
    memory_mhz               INTEGER NOT NULL,
    clock_reasons            INTEGER NOT NULL,
    pcie_sent_per_second     INTEGER NOT NULL,
    pcie_received_per_second INTEGER NOT NULL,
    nvlink_sent_bytes        INTEGER NOT NULL,
    nvlink_received_bytes    INTEGER NOT NULL,
    foreign_processes        INTEGER NOT NULL,
    foreign_memory_bytes     INTEGER NOT NULL,
    PRIMARY KEY (attempt, rank, at_ns)
) STRICT, WITHOUT ROWID;
)sql";

/// Stores why an attempt bears a flag, each flag as a column, and records that cannot have been measured.
/// Attempts that ended before are judged anew.
constexpr const char* kSchema8 = R"sql(
CREATE TABLE flag_reasons (
    attempt     INTEGER NOT NULL REFERENCES attempts ON DELETE CASCADE,
    number      INTEGER NOT NULL,
    flag        TEXT NOT NULL,
    code        TEXT NOT NULL,
    rank        INTEGER,
    host        TEXT,
    is_after    INTEGER CHECK (is_after IN (0, 1)),
    value       REAL,
    usual       REAL,
    value_limit REAL,
    PRIMARY KEY (attempt, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE refused (
    attempt INTEGER NOT NULL REFERENCES attempts ON DELETE CASCADE,
    rank    INTEGER NOT NULL,
    seq     INTEGER NOT NULL,
    why     TEXT NOT NULL,
    PRIMARY KEY (attempt, rank, seq)
) STRICT, WITHOUT ROWID;

ALTER TABLE telemetry ADD COLUMN foreign_cores_share REAL;

ALTER TABLE attempts ADD COLUMN disturbed INTEGER AS (instr(flags, '"disturbed"') > 0);
ALTER TABLE attempts ADD COLUMN throttled INTEGER AS (instr(flags, '"throttled"') > 0);
ALTER TABLE attempts ADD COLUMN incomplete INTEGER AS (instr(flags, '"incomplete"') > 0);
ALTER TABLE attempts ADD COLUMN unobserved INTEGER AS (instr(flags, '"unobserved"') > 0);
ALTER TABLE attempts ADD COLUMN nan INTEGER AS (instr(flags, '"nan"') > 0);
ALTER TABLE attempts ADD COLUMN short INTEGER AS (instr(flags, '"short"') > 0);
CREATE INDEX attempts_done ON attempts (ended_ns) WHERE state = 'done';
UPDATE attempts SET summarised = -1;

-- Single runs that a site is to end, or not to begin, whether it has been told or not.
CREATE TABLE cancellations (
    campaign TEXT NOT NULL REFERENCES campaigns ON DELETE CASCADE,
    run      TEXT NOT NULL CHECK (length(run) = 36),
    PRIMARY KEY (campaign, run)
) STRICT, WITHOUT ROWID;
)sql";

/// Reasons are codes with what they are about, in JSON, and no longer sentences. Those that are there stay readable as
/// texts, but for the one that queries ask for.
constexpr const char* kSchema9 = R"sql(
UPDATE runs SET reason = CASE reason WHEN '' THEN NULL
                         WHEN 'Its files are no longer on the site. Launch it again.' THEN json_object('code', 'files_gone')
                         ELSE json_object('text', reason) END
WHERE reason IS NOT NULL;
UPDATE attempts SET reason = CASE reason
                             WHEN 'Its files are no longer on the site. Launch it again.' THEN json_object('code', 'files_gone')
                             ELSE json_object('text', reason) END
WHERE reason <> '';
UPDATE campaigns SET note = json_object('text', note) WHERE note <> '';

DROP VIEW IF EXISTS v_runs;
CREATE VIEW v_runs AS
SELECT r.number, r.id, e.name AS experiment, r.site, r.kind, r.repeat, r.state, r.cause, r.reason,
       json_extract(r.reason, '$.code') AS reason_code,
       strftime('%Y-%m-%dT%H:%M:%SZ', r.since_ns / 1000000000, 'unixepoch') AS since,
       r.attempt, a.samples, a.items_per_second, coalesce(a.flags, '[]') AS flags, r.iterations, r.warmup, r.seed,
       r.configuration AS configuration_key,
       EXISTS (SELECT 1 FROM cells c WHERE c.experiment = r.experiment AND c.configuration = r.configuration) AS in_matrix,
       json_extract(s.settings, '$.model') AS model,
       json_extract(s.settings, '$.ranks') AS ranks,
       json_extract(s.settings, '$.plan') AS plan,
       json_extract(s.settings, '$.batch_per_rank') AS batch_per_rank,
       s.settings,
       (SELECT min(m.iterations) FROM summary m WHERE m.attempt = a.id) AS measured_iterations,
       (SELECT max(m.length_ns) FROM summary m WHERE m.attempt = a.id) AS measured_ns,
       coalesce(a.disturbed, 0) AS disturbed, coalesce(a.throttled, 0) AS throttled,
       coalesce(a.incomplete, 0) AS incomplete, coalesce(a.unobserved, 0) AS unobserved,
       coalesce(a.nan, 0) AS nan, coalesce(a.short, 0) AS short
FROM runs r
JOIN experiments e ON e.id = r.experiment
JOIN configurations s ON s.key = r.configuration
LEFT JOIN attempts a ON a.run = r.number AND a.attempt = r.attempt;
)sql";

/// A sample says which phases it reports: bits by their place among these (core/protocol/phase.h), NULL for all of
/// them. The rest is in other_ns. A further phase comes with a view of its own.
constexpr const char* kSchema10 = R"sql(
ALTER TABLE samples ADD COLUMN told INTEGER;
ALTER TABLE summary ADD COLUMN told INTEGER;

DROP VIEW IF EXISTS v_samples;
CREATE VIEW v_samples AS
SELECT r.number AS run, e.name AS experiment, a.attempt, s.rank, s.seq, s.seq < r.warmup AS warmup, s.start_ns,
       s.input_wait_ns + s.h2d_ns + s.forward_ns + s.backward_ns + s.comm_exposed_ns + s.update_ns + s.other_ns AS length_ns,
       CASE WHEN coalesce(s.told, -1) & 1 THEN s.input_wait_ns END AS input_wait_ns,
       CASE WHEN coalesce(s.told, -1) & 2 THEN s.h2d_ns END AS h2d_ns,
       CASE WHEN coalesce(s.told, -1) & 4 THEN s.forward_ns END AS forward_ns,
       CASE WHEN coalesce(s.told, -1) & 8 THEN s.backward_ns END AS backward_ns,
       CASE WHEN coalesce(s.told, -1) & 16 THEN s.comm_exposed_ns END AS comm_exposed_ns,
       CASE WHEN coalesce(s.told, -1) & 32 THEN s.update_ns END AS update_ns,
       s.other_ns, s.read_ns, s.decode_ns, s.h2d_total_ns, s.comm_total_ns, s.bytes_sent, s.items, s.bad_items, s.loss
FROM samples s
JOIN attempts a ON a.id = s.attempt
JOIN runs r ON r.number = a.run
JOIN experiments e ON e.id = r.experiment;
)sql";

/// A sample may cover several iterations, of which its seq is the last, and hold the items and bytes of several ranks:
/// NULL of one. So may a summary, which counts such records then.
constexpr const char* kSchema11 = R"sql(
ALTER TABLE samples ADD COLUMN iterations INTEGER;
ALTER TABLE samples ADD COLUMN of_ranks INTEGER;
ALTER TABLE summary ADD COLUMN records INTEGER;
ALTER TABLE summary ADD COLUMN of_ranks INTEGER;

DROP VIEW IF EXISTS v_samples;
CREATE VIEW v_samples AS
SELECT r.number AS run, e.name AS experiment, a.attempt, s.rank, s.seq, s.seq + 1 - coalesce(s.iterations, 1) < r.warmup AS warmup, s.start_ns,
       s.input_wait_ns + s.h2d_ns + s.forward_ns + s.backward_ns + s.comm_exposed_ns + s.update_ns + s.other_ns AS length_ns,
       CASE WHEN coalesce(s.told, -1) & 1 THEN s.input_wait_ns END AS input_wait_ns,
       CASE WHEN coalesce(s.told, -1) & 2 THEN s.h2d_ns END AS h2d_ns,
       CASE WHEN coalesce(s.told, -1) & 4 THEN s.forward_ns END AS forward_ns,
       CASE WHEN coalesce(s.told, -1) & 8 THEN s.backward_ns END AS backward_ns,
       CASE WHEN coalesce(s.told, -1) & 16 THEN s.comm_exposed_ns END AS comm_exposed_ns,
       CASE WHEN coalesce(s.told, -1) & 32 THEN s.update_ns END AS update_ns,
       s.other_ns, s.read_ns, s.decode_ns, s.h2d_total_ns, s.comm_total_ns, s.bytes_sent, s.items, s.bad_items, s.loss,
       coalesce(s.iterations, 1) AS iterations, coalesce(s.of_ranks, 1) AS of_ranks
FROM samples s
JOIN attempts a ON a.id = s.attempt
JOIN runs r ON r.number = a.run
JOIN experiments e ON e.id = r.experiment;
)sql";

/// Sources of an imported run: its files, and the line of each sample.
constexpr const char* kSchema12 = R"sql(
CREATE TABLE imports (
    attempt    INTEGER NOT NULL REFERENCES attempts ON DELETE CASCADE,
    number     INTEGER NOT NULL CHECK (number >= 0),
    rank       INTEGER,
    path       TEXT NOT NULL,
    sha256     TEXT NOT NULL CHECK (length(sha256) = 64),
    bytes      INTEGER NOT NULL,
    lines      INTEGER NOT NULL,
    lines_read INTEGER NOT NULL,
    format     TEXT NOT NULL,
    title      TEXT NOT NULL,
    versions   TEXT NOT NULL,
    read_by    TEXT NOT NULL,
    notes      TEXT NOT NULL CHECK (json_valid(notes)),
    PRIMARY KEY (attempt, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX imports_sha256 ON imports (sha256);

CREATE TABLE import_lines (
    attempt INTEGER NOT NULL REFERENCES attempts ON DELETE CASCADE,
    rank    INTEGER NOT NULL,
    seq     INTEGER NOT NULL,
    line    INTEGER NOT NULL,
    PRIMARY KEY (attempt, rank, seq)
) STRICT, WITHOUT ROWID;
)sql";

constexpr const char* kSchema13 = R"sql(
-- Processes that are ranks, where one is several; NULL: each rank is one.
ALTER TABLE runs ADD COLUMN rank_processes INTEGER CHECK (rank_processes >= 1);
)sql";

/// Ranks report how busy they keep their own cores, and summaries have the mean of that and of GPUs. Until then
/// telemetry had a rank's process as a share of the host, which is as much to know where the facts tell how many cores
/// both had, and the process is all of the rank: systems may start further ones.
constexpr const char* kSchema14 = R"sql(
ALTER TABLE telemetry ADD COLUMN own_cores_share REAL;
ALTER TABLE summary ADD COLUMN own_cores_share REAL;
ALTER TABLE summary ADD COLUMN gpu_busy_share REAL;

-- Once for each rank, not for each reading.
CREATE TEMP TABLE cores AS
      SELECT f.attempt, json_extract(k.value, '$.rank') AS number, json_extract(k.value, '$.threads') AS rank,
             CAST(json_extract(f.json, '$.machine.cores') AS REAL) AS host
      FROM facts f JOIN attempts a ON a.id = f.attempt JOIN runs r ON r.number = a.run
      JOIN configurations s ON s.key = r.configuration JOIN json_each(f.json, '$.ranks') k
      WHERE coalesce(json_extract(s.settings, '$.engine'), 'ringside') = 'ringside'
      AND json_extract(k.value, '$.host') = json_extract(f.json, '$.machine.host');
UPDATE telemetry SET own_cores_share = min(own_cpu_share * cores.host / cores.rank, 1.0) FROM cores
WHERE telemetry.attempt = cores.attempt AND telemetry.rank = cores.number AND cores.host > 0 AND cores.rank > 0;
DROP TABLE cores;
UPDATE attempts SET summarised = -1
WHERE id IN (SELECT attempt FROM telemetry WHERE own_cores_share IS NOT NULL UNION SELECT attempt FROM gpu_telemetry);
)sql";

/// Items and time of a rank that lost samples are summed up in another way since.
constexpr const char* kSchema15 = "UPDATE attempts SET summarised = -1 WHERE incomplete = 1";

constexpr std::array kMigrations = {kSchema1, kSchema2,  kSchema3,  kSchema4,  kSchema5,  kSchema6,  kSchema7, kSchema8,
                                    kSchema9, kSchema10, kSchema11, kSchema12, kSchema13, kSchema14, kSchema15};

} // namespace

std::span<const char* const> migrations()
{
    return kMigrations;
}

int currentSchema()
{
    return static_cast<int>(kMigrations.size());
}

} // namespace ringside::store
