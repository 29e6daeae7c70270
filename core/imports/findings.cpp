// SPDX-License-Identifier: MIT
#include "core/imports/findings.h"

#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/protocol/models.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

namespace ringside::imports {

namespace {

using logs::Finding;
using logs::FindingCode;

constexpr const char* kConversion = "iconv -f UTF-16 -t UTF-8";

/// Nothing is presumed where pods are as many as the ranks that are told.
Gravity gravityOf(const Finding& finding)
{
    const FindingCode code = finding.code;
    const bool isHow = code == FindingCode::linesOfTwoRanks ||
                       (code == FindingCode::podsAsRanks && finding.against == finding.printed) ||
                       code == FindingCode::cutLines || code == FindingCode::otherOperation;
    return isHow ? Gravity::info : Gravity::warn;
}

constexpr double kGiga = 1e9, kMicro = 1e-6;

std::string modelTitle(double place)
{
    return std::string(knownModels()[static_cast<std::size_t>(place) - 1].title);
}

struct Sentence
{
    FindingCode code;
    std::string (*make)(const Finding&);
};

constexpr Sentence kSentences[] = {
    {FindingCode::sizeAgainstRate,
     [](const Finding& found) {
         return Words::tr("It prints {:.4g} GB/s, but size over time is {:.4g} GB/s, so the row was not used.",
                          found.printed / kGiga, found.against / kGiga);
     }},
    {FindingCode::busAgainstRate,
     [](const Finding& found) {
         return Words::tr("It prints a bus bandwidth of {:.4g} GB/s, but an all-reduce in this time among these ranks "
                          "has {:.4g} GB/s, so the row was not used.",
                          found.printed / kGiga, found.against / kGiga);
     }},
    {FindingCode::timesOutOfOrder,
     [](const Finding& found) {
         return Words::tr(
             "A time of {:.4g} µs is above one of {:.4g} µs that it cannot exceed, so the row was not used.",
             found.printed / kMicro, found.against / kMicro);
     }},
    {FindingCode::wrongResults,
     [](const Finding& found) {
         return Words::tr("Its results contain wrong values ({:.0f}), so this is not the time of the operation.",
                          found.printed);
     }},
    {FindingCode::meansDiffer,
     [](const Finding& found) {
         return Words::tr(
             "The program prints a mean bus bandwidth of {:.5g} GB/s, but the mean of its rows is {:.5g} GB/s.",
             found.printed / kGiga, found.against / kGiga);
     }},
    {FindingCode::ranksUnclear,
     [](const Finding&) {
         return Words::tr(
             "The lines of ranks do not count up from 0: some are missing, or several programs printed them.");
     }},
    {FindingCode::rowsUnread,
     [](const Finding&) {
         return Words::tr("The row does not have the columns that the line above the table names, so it was not read.");
     }},
    {FindingCode::otherOperation,
     [](const Finding&) { return Words::tr("The row is about an operation that Ringside does not read."); }},
    {FindingCode::otherProgram,
     [](const Finding&) {
         return Words::tr(
             "The row is from a program that prints such tables about unknown devices, so it was not read.");
     }},
    {FindingCode::operationUnclear,
     [](const Finding&) {
         return Words::tr("The table does not say which operation it measured, so it was not used.");
     }},
    {FindingCode::noSuchLink,
     [](const Finding& found) {
         return Words::tr("There is no link between {:.0f} ranks on {:.0f} nodes, so the table was left out.",
                          found.printed, found.against);
     }},
    {FindingCode::placeUntold,
     [](const Finding& found) {
         return Words::tr("The log does not say on which nodes these {:.0f} ranks ran; the table was left out.",
                          found.printed);
     }},
    {FindingCode::noCostFits,
     [](const Finding&) { return Words::tr("No cost of a message fits its times, so the table was left out."); }},
    {FindingCode::tooManyTables,
     [](const Finding&) { return Words::tr("There are more tables than Ringside reads; the rest were skipped."); }},
    {FindingCode::tooManyRows,
     [](const Finding&) { return Words::tr("The table has more rows than Ringside reads; the rest were skipped."); }},
    {FindingCode::rateAgainstTime,
     [](const Finding& found) {
         return Words::tr("Its numbers give {:.4g} s and {:.4g} s for the same work, so none of them is used.",
                          found.printed, found.against);
     }},
    {FindingCode::timeAgainstStamps,
     [](const Finding& found) {
         return Words::tr("It reports {:.4g} s, but only {:.4g} s passed since the line before.", found.printed,
                          found.against);
     }},
    {FindingCode::recordAgainstStamps,
     [](const Finding& found) {
         return Words::counted(
             "{} records report less time than passed since the line before, although that is as long as for the other "
             "records, and were not used; this is the first ({:.4g} s against {:.4g} s).",
             "It reports {1:.4g} s, but {2:.4g} s passed since the line before, as for the other records; it was not "
             "used.",
             found.count, found.printed, found.against);
     }},
    {FindingCode::rateAgainstStamps,
     [](const Finding& found) {
         return Words::tr("Its records report {:.5g} items/s, but {:.5g} by their time stamps: none of them is used.",
                          found.printed, found.against);
     }},
    {FindingCode::rateAgainstStampedBatch,
     [](const Finding& found) {
         return Words::tr("Its records report {:.5g} items/s, but {:.5g} by their time stamps, if the batch is right: "
                          "none of them is used.",
                          found.printed, found.against);
     }},
    {FindingCode::countAgainstItems,
     [](const Finding& found) {
         return Words::tr("It reports {:.6g} items, but its batches add up to {:.6g}.", found.printed, found.against);
     }},
    {FindingCode::rateAgainstBatch,
     [](const Finding& found) {
         return Words::tr("It prints {:.5g} items/s, but its batch and its time give {:.5g}; the record was not used.",
                          found.printed, found.against);
     }},
    {FindingCode::earlierIterations,
     [](const Finding& found) {
         return Words::tr("Its rates count {:.6g} iterations, but the run went on from an earlier one and made {:.6g}: "
                          "only these are used.",
                          found.printed, found.against);
     }},
    {FindingCode::ranksDiffer,
     [](const Finding& found) {
         return Words::tr("It speaks of {:.0f} ranks, but an earlier line of {:.0f}. The later number is used.",
                          found.printed, found.against);
     }},
    {FindingCode::ranksBeyondStated,
     [](const Finding& found) {
         return Words::tr("Its own number of ranks is {:.0f}, but {:.0f} processes print, so they may be runs of their "
                          "own. Write a file for each run; or say how many ranks there are, if they trained together.",
                          found.printed, found.against);
     }},
    {FindingCode::batchesDiffer,
     [](const Finding& found) {
         return Words::tr("Its batch in all is {:.0f}, which that of one rank times the ranks that you said, {:.0f}, "
                          "does not divide. Check the number of ranks.",
                          found.printed, found.against);
     }},
    {FindingCode::batchUnclear,
     [](const Finding& found) {
         return Words::tr("It states a batch of {:.0f}, but another line one of {:.0f}, and nothing says with which "
                          "of them the program trains, so neither is used. Say which it is.",
                          found.printed, found.against);
     }},
    {FindingCode::lanesDiffer,
     [](const Finding& found) {
         return Words::tr(
             "Its lines give {:.5g} items/s of all ranks, but those of others {:.5g}, so none of them was used.",
             found.printed, found.against);
     }},
    {FindingCode::claimDiffers,
     [](const Finding& found) {
         return Words::tr("The program's own summary is {:.5g} items/s, but its records give {:.5g}.", found.printed,
                          found.against);
     }},
    {FindingCode::implausible,
     [](const Finding& found) { return Words::tr("{:.4g} cannot be a rate or a time.", found.printed); }},
    {FindingCode::mixedProcesses,
     [](const Finding&) {
         return Words::tr(
             "Lines of several processes alternate, and nothing says which line is whose, so none of them was used. "
             "Let the launcher tag them (mpirun --tag-output), or write a file for each process.");
     }},
    {FindingCode::recordsByTurns,
     [](const Finding&) {
         return Words::tr(
             "From here on the iterations go back after every record or two, as lines of several jobs, or of the "
             "micro-batches of one step, do; none of them is used. Write a file for each job, and one line for each "
             "step.");
     }},
    {FindingCode::linesOfTwoRanks,
     [](const Finding&) {
         return Words::tr("The same iterations come again without tags, so they were read as lines of several ranks.");
     }},
    {FindingCode::podsAsRanks,
     [](const Finding& found) {
         return Words::tr("The pods that stand before its lines were read as {:.0f} ranks of one run.", found.printed);
     }},
    {FindingCode::podsInTurn,
     [](const Finding&) {
         return Words::tr("Lines of this pod follow those of another one that has ended, so each is read as a run of "
                          "its own. If they trained together, add --timestamps to kubectl logs.");
     }},
    {FindingCode::podsUnclear,
     [](const Finding& found) {
         return Words::tr("The {:.0f} pods that stand before its lines print side by side for less than half of the "
                          "longest one's time, so they may be ranks or runs of their own. Say how many ranks there "
                          "are, if they trained together; or write a file for each pod.",
                          found.printed);
     }},
    {FindingCode::iterationsMissing,
     [](const Finding& found) {
         return Words::tr(
             "It begins with iteration {:.0f}, but the line before it ended before {:.0f}, so lines are missing.",
             found.printed, found.against);
     }},
    {FindingCode::ranksEndApart,
     [](const Finding& found) {
         return Words::tr(
             "Some ranks report {:.0f} iterations and others {:.0f}; those that only some report were left out.",
             found.printed, found.against);
     }},
    {FindingCode::testsInside,
     [](const Finding&) {
         return Words::tr("The time of each record includes an evaluation, which cannot be separated from it.");
     }},
    {FindingCode::tooManyRecords,
     [](const Finding&) { return Words::tr("There are more records than Ringside reads; the rest were skipped."); }},
    {FindingCode::tooManyRuns,
     [](const Finding&) { return Words::tr("There are more runs than Ringside reads; the rest were skipped."); }},
    {FindingCode::tooManyRanks,
     [](const Finding&) {
         return Words::tr("There are more ranks than Ringside reads; the lines of the rest were skipped.");
     }},
    {FindingCode::tooManyClaims,
     [](const Finding&) { return Words::tr("There are more summaries than Ringside reads; the rest were skipped."); }},
    {FindingCode::cutLines,
     [](const Finding&) {
         return Words::tr("The line is cut off, and its numbers may lack digits, so it was not read.");
     }},
    {FindingCode::damagedRecords,
     [](const Finding& found) {
         return Words::counted("{} lines look like records but are damaged, and were left out; this is the first.",
                               "The line looks like a record but is damaged, and was left out.", found.count);
     }},
    {FindingCode::answerUnused,
     [](const Finding& found) {
         return Words::tr("You said {:.0f}, but the log says {:.0f}, which is used.", found.printed, found.against);
     }},
    {FindingCode::modelUnused,
     [](const Finding& found) {
         return Words::tr("You said {}, but the log says {}, which is used.", modelTitle(found.printed),
                          modelTitle(found.against));
     }},
    {FindingCode::medianAgainstWork,
     [](const Finding& found) {
         return Words::tr("The median of its records is {:.5g} items/s, but their work over time, which is stored, "
                          "{:.5g}: this record is the slowest.",
                          found.printed, found.against);
     }},
};

std::string sentenceOf(const Finding& finding)
{
    const auto* sentence = std::ranges::find(kSentences, finding.code, &Sentence::code);
    return sentence == std::end(kSentences) ? std::string() : sentence->make(finding);
}

Note noteOf(const LogPreview& log, const Finding& finding)
{
    return {gravityOf(finding), log.log.files[finding.file].file.path.filename().string(), finding.line,
            findingText(finding)};
}

/// Says why nothing of the log can be stored; empty: something of it can.
std::string blockOf(const LogPreview& log)
{
    const ReadFile& first = log.log.files.front();
    const auto* format = log.log.format;
    if (std::ranges::all_of(log.log.files, [](const ReadFile& file) { return file.bytes == 0; }))
        return Words::tr("It is empty.");
    if (isUsable(log))
        return {};
    if (!first.unpacker.empty())
        return Words::tr("It is compressed. Unpack it with {}, and import the result.", first.unpacker);
    if (first.isUtf16)
        return Words::tr("It is text in UTF-16, and logs are read in UTF-8. Convert it with {}, and import the "
                         "result.",
                         kConversion);
    if (!format)
        return first.sha256.empty()
                   ? Words::tr("No line of its first {} MiB has a form that Ringside knows; the rest was not read.",
                               kMostPrelude >> 20)
                   : Words::tr("No line of it has a form that Ringside knows.");
    if (std::ranges::all_of(log.log.files, [](const ReadFile& file) { return file.linesRead == 0; }))
        return Words::tr("No line of it is one of {}.", format->title);
    return format->links ? Words::tr("It has lines of {}, but no table that can be used.", format->title)
                         : Words::tr("It has lines of {}, but no rate that can be used.", format->title);
}

/// Adds how lines of the log's form were read, and which were not.
void addReading(const LogPreview& log, std::vector<Note>& notes)
{
    const auto add = [&](Gravity gravity, std::string text) { notes.push_back({gravity, {}, 0, std::move(text)}); };
    const auto silent = std::ranges::count_if(log.runs, isSilent);
    if (silent > 0 && isUsable(log))
        add(Gravity::warn, Words::counted("{} runs in it have no rate that can be used, and are left out.",
                                          "{} run in it has no rate that can be used, and is left out.",
                                          static_cast<std::uint64_t>(silent)));
    if (log.log.format->items != logs::LineItems::model)
        add(Gravity::info, Words::tr("Its items are {0}; say batches in {0}, too.",
                                     Words::translated(std::string(nameOf(log.log.format->items)))));
    if (log.log.files.size() > 1)
        add(Gravity::info,
            Words::tr("{} files are read as ranks of one run, by their names. “separate_files=yes” parts them.",
                      log.log.files.size()));
    if (log.log.second)
        add(Gravity::info, Words::tr("Some lines could also be from {}.", log.log.second->title));
    for (const ReadFile& file : log.log.files)
        if (file.other)
            notes.push_back({Gravity::warn, file.file.path.filename().string(), file.other->firstLine,
                             Words::tr("From here on, another program printed: {} lines are from {}, and none of them "
                                       "was read. Split the log there, and import its parts.",
                                       file.other->records, file.other->format->title)});
    for (const ReadFile& file : log.log.files)
        if (file.cutLines > 0)
            notes.push_back({Gravity::info, file.file.path.filename().string(), 0,
                             Words::counted("{} lines are too long and were cut.", "{} line is too long and was cut.",
                                            file.cutLines)});
}

void addWhole(const LogPreview& log, std::vector<Note>& notes)
{
    if (std::string block = blockOf(log); !block.empty())
        notes.push_back({Gravity::block, {}, 0, std::move(block)});
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
        notes.push_back({Gravity::info, log.log.files[each.file].file.path.filename().string(), each.table.firstLine,
                         Words::tr("Times are {}.", timesText(each.table))});
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
        if (said.emplace(note.file, note.text).second)
            notes.push_back(std::move(note));
    std::ranges::stable_sort(notes, std::greater(), &Note::gravity);
    return notes;
}

} // namespace

std::string findingText(const Finding& finding)
{
    const std::string sentence = sentenceOf(finding);
    const bool isCounted = finding.count > 1 && finding.code != FindingCode::damagedRecords; // which counts itself
    return isCounted ? Words::counted("{1} ({0} times)", "{1}", finding.count, sentence) : sentence;
}

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
