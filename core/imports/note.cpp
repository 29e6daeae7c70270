// SPDX-License-Identifier: MIT
#include "core/imports/note.h"

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/imports/linktables.h"
#include "core/protocol/models.h"

#include <algorithm>
#include <utility>

namespace ringside::imports {

namespace {

using logs::Finding;
using logs::FindingCode;

constexpr double kGiga = 1e9, kMicro = 1e-6;

std::string modelTitle(const std::string& name)
{
    const ModelFacts* facts = modelFacts(name);
    return facts ? std::string(facts->title) : plainText(name);
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
         return Words::tr("The pods or tasks that stand before its lines were read as {:.0f} ranks of one run.",
                          found.printed);
     }},
    {FindingCode::podsInTurn,
     [](const Finding&) {
         return Words::tr("Lines of this pod follow those of another one that has ended, so each is read as a run of "
                          "its own. If they trained together, add --timestamps to kubectl logs.");
     }},
    {FindingCode::podsUnclear,
     [](const Finding& found) {
         return Words::tr(
             "The {:.0f} pods or tasks that stand before its lines print side by side for less than half of the "
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
    {FindingCode::epochsMissing,
     [](const Finding& found) {
         return Words::tr("Epoch {:.0f} was announced, but a later epoch's record comes next, so its own is missing.",
                          found.printed);
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

std::string findingText(const Finding& finding)
{
    const std::string sentence = sentenceOf(finding);
    const bool isCounted = finding.count > 1 && finding.code != FindingCode::damagedRecords; // which counts itself
    return isCounted ? Words::counted("{1} ({0} times)", "{1}", finding.count, sentence) : sentence;
}

/// Says whose times those of an all-reduce are.
std::string timesSentence(const Note& note, bool isOfSlowest)
{
    logs::LinkTable table;
    table.operation = logs::TableOf::allReduce;
    table.isOfSlowest = isOfSlowest;
    table.places = note.count > 1 ? 2 : 1;
    return Words::tr("Times are {}.", timesText(table));
}

constexpr const char* kConversion = "iconv -f UTF-16 -t UTF-8";

/// Says why nothing of the log can be stored.
std::string blockText(NoteCode code, const Note& note)
{
    switch (code) {
    case NoteCode::empty:
        return Words::tr("It is empty.");
    case NoteCode::packed:
        return Words::tr("It is compressed. Unpack it with {}, and import the result.", note.word);
    case NoteCode::utf16:
        return Words::tr("It is text in UTF-16, and logs are read in UTF-8. Convert it with {}, and import the "
                         "result.",
                         kConversion);
    case NoteCode::unknownBeginning:
        return Words::tr("No line of its first {} MiB has a form that Ringside knows; the rest was not read.",
                         note.count);
    case NoteCode::noLines:
        return Words::tr("No line of it is one of {}.", note.word);
    case NoteCode::noTables:
        return Words::tr("It has lines of {}, but no table that can be used.", note.word);
    case NoteCode::noRates:
        return Words::tr("It has lines of {}, but no rate that can be used.", note.word);
    default:
        return Words::tr("No line of it has a form that Ringside knows.");
    }
}

std::string readingText(NoteCode code, const Note& note)
{
    switch (code) {
    case NoteCode::runsLeftOut:
        return Words::counted("{} runs in it have no rate that can be used, and are left out.",
                              "{} run in it has no rate that can be used, and is left out.", note.count);
    case NoteCode::itemsAre:
        return Words::tr("Its items are {0}; say batches in {0}, too.", Words::translated(note.word));
    case NoteCode::filesAsRanks:
        return Words::tr("{} files are read as ranks of one run, by their names. “separate_files=yes” parts them.",
                         note.count);
    case NoteCode::otherForm:
        return Words::tr("Some lines could also be from {}.", note.word);
    case NoteCode::otherRecords:
        return Words::tr("From here on, another program printed: {} lines are from {}, and none of them "
                         "was read. Split the log there, and import its parts.",
                         note.count, note.word);
    case NoteCode::longLines:
        return Words::counted("{} lines are too long and were cut.", "{} line is too long and was cut.", note.count);
    case NoteCode::timesOfSlowest:
    case NoteCode::timesAreMeans:
        return timesSentence(note, code == NoteCode::timesOfSlowest);
    default:
        return blockText(code, note);
    }
}

} // namespace

std::string Note::text() const
{
    const auto found = valueNamed<FindingCode>(code);
    if (found == FindingCode::modelUnused)
        return Words::tr("You said {}, but the log says {}, which is used.", modelTitle(word), modelTitle(againstWord));
    if (found == FindingCode::modelsDiffer)
        return Words::tr(
            "It trains {}, but an earlier file {}, which is used. “separate_files=yes” makes each file a run.",
            modelTitle(word), modelTitle(againstWord));
    if (found)
        return findingText({*found, line, printed, against, count});
    const auto known = valueNamed<NoteCode>(code);
    return known ? readingText(*known, *this) : plainText(code);
}

store::ImportNote toStore(const Note& note)
{
    return {std::string(nameOf(note.gravity)),
            note.file,
            note.line,
            note.code,
            note.printed,
            note.against,
            note.count,
            note.word,
            note.againstWord};
}

std::string sentenceOf(const store::ImportNote& stored)
{
    const Note note{{},           stored.file, stored.line,       stored.code, stored.printed, stored.against,
                    stored.count, stored.word, stored.againstWord};
    return stored.code.empty() ? stored.text : note.text();
}

} // namespace ringside::imports
