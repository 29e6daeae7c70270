// SPDX-License-Identifier: MIT
#include "core/store/imports.h"

#include "core/base/clock.h"
#include "core/protocol/jsonfields.h"
#include "core/store/editparts.h"
#include "core/store/statements.h"

#include <cmath>
#include <cstdlib>
#include <utility>

namespace ringside::store {

namespace {

/// JSON has no numbers that are infinite or not a number: these are texts in it.
nlohmann::json jsonOf(double number)
{
    return std::isfinite(number) ? nlohmann::json(number) : nlohmann::json(fmt::format("{}", number));
}

/// Another program may have changed what is stored: a member of another type counts as one that is not there.
std::string textIn(const nlohmann::json& json, const char* key)
{
    const auto member = json.find(key);
    return member != json.end() && member->is_string() ? member->get<std::string>() : std::string();
}

double numberIn(const nlohmann::json& json, const char* key)
{
    const auto member = json.find(key);
    if (member == json.end() || !member->is_number())
        return std::strtod(textIn(json, key).c_str(), nullptr);
    return member->get<double>();
}

std::uint64_t countIn(const nlohmann::json& json, const char* key, std::uint64_t otherwise)
{
    const auto member = json.find(key);
    return member != json.end() && member->is_number_unsigned() ? member->get<std::uint64_t>() : otherwise;
}

/// Leaves out members that the note is not about.
nlohmann::json jsonOf(const ImportNote& note)
{
    nlohmann::json json = {{"severity", note.severity}, {"file", note.file}, {"line", note.line}};
    for (const auto& [key, text] : {std::pair("code", &note.code),
                                    {"word", &note.word},
                                    {"against_word", &note.againstWord},
                                    {"text", &note.text}})
        if (!text->empty())
            json[key] = *text;
    for (const auto& [key, number] : {std::pair("printed", note.printed), {"against", note.against}})
        if (number != 0)
            json[key] = jsonOf(number);
    if (note.count != 1)
        json["count"] = note.count;
    return json;
}

std::string textOf(const std::vector<ImportNote>& notes)
{
    auto json = nlohmann::json::array();
    for (const ImportNote& note : notes)
        json.push_back(jsonOf(note));
    return dumpJson(json);
}

std::vector<ImportNote> notesIn(const std::string& text)
{
    std::vector<ImportNote> notes;
    for (const auto& json : nlohmann::json::parse(text, nullptr, false))
        if (json.is_object())
            notes.push_back({textIn(json, "severity"), textIn(json, "file"), countIn(json, "line", 0),
                             textIn(json, "code"), numberIn(json, "printed"), numberIn(json, "against"),
                             countIn(json, "count", 1), textIn(json, "word"), textIn(json, "against_word"),
                             textIn(json, "text")});
    return notes;
}

/// Inserted as done, so that nothing waits for it, and as the next repeat of its configuration.
int insertRun(SQLite::Database& db, std::int64_t experiment, const ImportedRun& run)
{
    addConfiguration(db, run.cell.configurationKey, run.cell.settings, run.cell.plan);
    execute(db, "INSERT OR IGNORE INTO cells VALUES (?, ?)", experiment, run.cell.configurationKey);
    execute(db,
            "INSERT INTO runs (id, experiment, configuration, site, kind, repeat, iterations, warmup, seed, since_ns) "
            "SELECT ?1, ?2, ?3, ?4, 'imported', coalesce(max(repeat), 0) + 1, ?5, ?6, 0, ?7 FROM runs "
            "WHERE experiment = ?2 AND configuration = ?3",
            run.id, experiment, run.cell.configurationKey,
            ringside::textOf(run.cell.settings, "site").value_or(std::string()), run.iterations, run.warmup, wallNs());
    return static_cast<int>(db.getLastInsertRowid());
}

std::vector<Arrival> arrivalsOf(const ImportedRun& run)
{
    std::vector<Arrival> arrivals(run.ranks.begin(), run.ranks.end());
    if (!run.facts.empty())
        arrivals.emplace_back(FactsArrival{run.id, 1, run.facts});
    campaign::RunChange change;
    change.run = run.id;
    change.attempt = 1;
    change.state = RunState::done;
    change.atNs = wallNs();
    arrivals.emplace_back(std::move(change));
    return arrivals;
}

void insertSources(SQLite::Database& db, const ImportedRun& run)
{
    const std::int64_t attempt = *attemptId(db, run.id, 1);
    Insert file(db, "INSERT INTO imports VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    int number = 0;
    for (const ImportedFile& each : run.files)
        file(attempt, number++, each.rank, each.path, each.sha256, each.bytes, each.lines, each.linesRead, each.format,
             each.title, each.versions, each.readBy, textOf(each.notes));
    Insert line(db, "INSERT INTO import_lines VALUES (?, ?, ?, ?)");
    for (const ImportedLine& each : run.lines)
        line(attempt, each.rank, each.seq, each.line);
}

} // namespace

Result<std::vector<int>> addImports(Database& db, const std::string& experiment,
                                    const std::optional<ExperimentEdit>& edit, const std::vector<ImportedRun>& runs)
{
    TRY_ASSIGN(Ingest ingest, Ingest::create(db));
    std::vector<int> numbers;
    const auto work = [&](SQLite::Database& handle) -> Result<void> {
        if (edit)
            TRY(saveIn(handle, *edit));
        TRY_ASSIGN(const std::int64_t id, experimentId(handle, experiment));
        for (const ImportedRun& run : runs) {
            numbers.push_back(insertRun(handle, id, run));
            TRY(ingest.add(arrivalsOf(run)));
            insertSources(handle, run);
        }
        return {};
    };
    TRY(inDurableTransaction(db, work));
    return numbers;
}

Result<std::optional<KnownImport>> importOf(const Database& db, const std::string& sha256)
{
    const auto read = [](SQLite::Statement& row, KnownImport& known) {
        readRow(row, known.experiment, known.run, known.path);
    };
    TRY_ASSIGN(const auto known,
               rowsOf<KnownImport>(db, read,
                                   "SELECT e.name, r.number, i.path FROM imports i JOIN attempts a ON a.id = i.attempt "
                                   "JOIN runs r ON r.number = a.run JOIN experiments e ON e.id = r.experiment "
                                   "WHERE i.sha256 = ? ORDER BY r.number LIMIT 1",
                                   sha256));
    return known.empty() ? std::nullopt : std::optional(known.front());
}

Result<std::vector<ImportedContent>> importedContents(const Database& db, const std::string& form)
{
    const auto read = [](SQLite::Statement& row, ImportedContent& content) {
        readRow(row, content.sha256, content.bytes, content.lines);
    };
    return rowsOf<ImportedContent>(db, read,
                                   "SELECT DISTINCT i.sha256, i.bytes, i.lines FROM imports i WHERE i.format = ? AND "
                                   "EXISTS (SELECT 1 FROM import_lines l WHERE l.attempt = i.attempt AND "
                                   "(i.rank IS NULL OR l.rank = i.rank))",
                                   form);
}

Result<std::vector<ImportedFile>> importedFiles(const Database& db, const RunId& run)
{
    const auto read = [](SQLite::Statement& row, ImportedFile& file) {
        std::string notes;
        readRow(row, file.rank, file.path, file.sha256, file.bytes, file.lines, file.linesRead, file.format, file.title,
                file.versions, file.readBy, notes);
        file.notes = notesIn(notes);
    };
    return rowsOf<ImportedFile>(db, read,
                                "SELECT i.rank, i.path, i.sha256, i.bytes, i.lines, i.lines_read, i.format, i.title, "
                                "i.versions, i.read_by, i.notes FROM imports i JOIN attempts a ON a.id = i.attempt "
                                "JOIN runs r ON r.number = a.run WHERE r.id = ? ORDER BY i.number",
                                run);
}

} // namespace ringside::store
