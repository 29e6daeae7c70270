// SPDX-License-Identifier: MIT
#include "core/imports/findings.h"

#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/protocol/models.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace ringside::imports {

namespace {

using logs::Finding;
using logs::FindingCode;

/// Nothing is presumed where pods are as many as the ranks that are told.
Gravity gravityOf(const Finding& finding)
{
    const FindingCode code = finding.code;
    const bool isHow = code == FindingCode::linesOfTwoRanks ||
                       (code == FindingCode::podsAsRanks && finding.against == finding.printed) ||
                       code == FindingCode::cutLines || code == FindingCode::otherOperation;
    return isHow ? Gravity::info : Gravity::warn;
}

/// Models by name, since a later version may have them at other places.
Note noteOf(const LogPreview& log, const Finding& finding)
{
    const auto modelAt = [](double place) {
        return std::string(knownModels()[static_cast<std::size_t>(place) - 1].name);
    };
    const bool isOfModels = finding.code == FindingCode::modelUnused || finding.code == FindingCode::modelsDiffer;
    return {gravityOf(finding),
            nameIn(log, log.log.files[finding.file]),
            finding.line,
            std::string(nameOf(finding.code)),
            isOfModels ? 0 : finding.printed,
            isOfModels ? 0 : finding.against,
            finding.count,
            isOfModels ? modelAt(finding.printed) : std::string(),
            isOfModels ? modelAt(finding.against) : std::string()};
}

Note noteOf(Gravity gravity, NoteCode code, std::uint64_t count = 1, std::string word = {})
{
    return {.gravity = gravity, .file = {}, .code = std::string(nameOf(code)), .count = count, .word = std::move(word)};
}

Note noteAt(const LogPreview& log, const ReadFile& file, std::uint64_t line, Note note)
{
    note.file = nameIn(log, file);
    note.line = line;
    return note;
}

/// Returns why nothing of the log can be stored; nullopt: something of it can.
std::optional<Note> blockOf(const LogPreview& log)
{
    const auto because = [](NoteCode code, std::string word = {}, std::uint64_t count = 1) {
        return noteOf(Gravity::block, code, count, std::move(word));
    };
    const ReadFile& first = log.log.files.front();
    const auto* format = log.log.format;
    if (std::ranges::all_of(log.log.files, [](const ReadFile& file) { return file.bytes == 0; }))
        return because(NoteCode::empty);
    if (isUsable(log))
        return std::nullopt;
    if (!first.unpacker.empty())
        return because(NoteCode::packed, std::string(first.unpacker));
    if (first.isUtf16)
        return because(NoteCode::utf16);
    if (!format)
        return first.sha256.empty() ? because(NoteCode::unknownBeginning, {}, kMostPrelude >> 20)
                                    : because(NoteCode::unknownForm);
    if (std::ranges::all_of(log.log.files, [](const ReadFile& file) { return file.linesRead == 0; }))
        return because(NoteCode::noLines, format->title);
    return because(format->links ? NoteCode::noTables : NoteCode::noRates, format->title);
}

/// Adds how lines of the log's form were read, and which were not.
void addReading(const LogPreview& log, std::vector<Note>& notes)
{
    const auto silent = static_cast<std::uint64_t>(std::ranges::count_if(log.runs, isSilent));
    if (silent > 0 && isUsable(log))
        notes.push_back(noteOf(Gravity::warn, NoteCode::runsLeftOut, silent));
    if (log.log.format->items != logs::LineItems::model)
        notes.push_back(noteOf(Gravity::info, NoteCode::itemsAre, 1, std::string(nameOf(log.log.format->items))));
    if (log.log.files.size() > 1)
        notes.push_back(noteOf(Gravity::info, NoteCode::filesAsRanks, log.log.files.size()));
    if (log.log.second)
        notes.push_back(noteOf(Gravity::info, NoteCode::otherForm, 1, log.log.second->title));
    for (const ReadFile& file : log.log.files)
        if (file.other)
            notes.push_back(
                noteAt(log, file, file.other->firstLine,
                       noteOf(Gravity::warn, NoteCode::otherRecords, file.other->records, file.other->format->title)));
    for (const ReadFile& file : log.log.files)
        if (file.cutLines > 0)
            notes.push_back(noteAt(log, file, 0, noteOf(Gravity::info, NoteCode::longLines, file.cutLines)));
}

void addWhole(const LogPreview& log, std::vector<Note>& notes)
{
    if (std::optional<Note> block = blockOf(log))
        notes.push_back(std::move(*block));
    const auto isRead = [](const ReadFile& file) { return file.linesRead > 0; };
    if (log.log.format && std::ranges::any_of(log.log.files, isRead))
        addReading(log, notes);
}

/// Notes findings of a table by itself, and whose times it has, since Ringside's own are those of the slowest rank.
void addLink(const LogPreview& log, const LinkPreview& link, std::vector<Note>& notes)
{
    for (const Finding& finding : link.findings)
        notes.push_back(noteOf(log, finding));
    const FileTable& each = log.log.tables[link.table];
    if (link.calibration && each.table.operation == logs::TableOf::allReduce)
        notes.push_back(
            noteAt(log, log.log.files[each.file], each.table.firstLine,
                   noteOf(Gravity::info, each.table.isOfSlowest ? NoteCode::timesOfSlowest : NoteCode::timesAreMeans,
                          static_cast<std::uint64_t>(each.table.places))));
}

std::vector<Note> notesOf(const LogPreview& log, std::span<const LinkPreview> links)
{
    std::vector<Note> notes;
    addWhole(log, notes);
    for (const Finding& finding : log.log.findings)
        notes.push_back(noteOf(log, finding));
    for (const RunPreview& run : log.runs)
        for (const Finding& finding : run.findings)
            notes.push_back(noteOf(log, finding));
    std::vector<Note> ofLinks;
    for (const LinkPreview& link : links)
        addLink(log, link, ofLinks);
    std::set<std::pair<std::string, std::string>> said; // a log may have a thousand tables
    for (Note& note : ofLinks)
        if (said.emplace(note.file, note.text()).second)
            notes.push_back(std::move(note));
    std::ranges::stable_sort(notes, std::greater(), &Note::gravity);
    return notes;
}

} // namespace

std::vector<Note> notesOf(const LogPreview& log)
{
    return notesOf(log, log.links);
}

std::vector<Note> notesOf(const LogPreview& log, const LinkPreview& link)
{
    return notesOf(log, std::span(&link, 1));
}

std::vector<Note> notesOf(const LogPreview& log, const RunPreview& run)
{
    return mapped(run.findings, [&](const Finding& finding) { return noteOf(log, finding); });
}

std::string nameIn(const LogPreview& log, const ReadFile& file)
{
    const fs::path& path = file.file.path;
    return log.log.folder.empty() ? path.string() : path.lexically_relative(log.log.folder).string();
}

std::string nameOf(const LogPreview& log)
{
    return plainText(log.log.files.front().file.path.filename().string());
}

std::string versionsOf(const LogPreview& log)
{
    const auto& all = log.log.versions;
    const auto narrowest = std::ranges::find_if(all, [&](const VersionRange& range) {
        return std::ranges::all_of(all, [&](const VersionRange& other) { return range.isWithin(other); });
    });
    return narrowest == all.end() ? std::string() : narrowest->text();
}

std::vector<logs::LogClaim> summariesOf(const LogPreview& log, const RunPreview& run)
{
    std::map<logs::Scope, logs::LogClaim> last;
    for (const logs::LogClaim& claim : log.log.runs[run.run].claims)
        if (claim.itemRate || claim.iterationRate)
            last[claim.scope] = claim;
    std::vector<logs::LogClaim> summaries;
    for (const auto& [scope, claim] : last)
        summaries.push_back(claim);
    return summaries;
}

std::string summaryText(const logs::LogClaim& summary)
{
    const std::string whose = summary.scope == logs::Scope::all    ? Words::tr("of all ranks")
                              : summary.scope == logs::Scope::node ? Words::tr("of one node")
                                                                   : Words::tr("of one rank");
    return summary.itemRate ? Words::tr("The log's own summary: {:.5g} items/s {}", *summary.itemRate, whose)
                            : Words::tr("The log's own summary: {:.5g} iterations/s {}", *summary.iterationRate, whose);
}

std::string scopeText(const RunPreview& run)
{
    const auto ranks = static_cast<std::uint64_t>(std::max<std::int64_t>(run.figure.ranks, 0));
    if (run.figure.itemsPerSecond)
        return ranks > 0 ? Words::counted("of all {} ranks", "of {} rank", ranks) : Words::tr("of all ranks");
    if (run.figure.scope == logs::Scope::node)
        return Words::tr("of one node");
    return ranks > 0 ? Words::counted("of one of {} ranks", "of {} rank", ranks) : Words::tr("of one rank");
}

} // namespace ringside::imports
