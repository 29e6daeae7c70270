// SPDX-License-Identifier: MIT
#include "core/imports/leftout.h"

#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/imports/findings.h"

#include <algorithm>
#include <iterator>

namespace ringside::imports {

namespace {

/// With its line in front, and with its file where the log has several.
std::string placedText(const LogPreview& log, const Note& note)
{
    const bool needsFile = log.log.files.size() > 1 && !note.file.empty();
    if (needsFile && note.line > 0)
        return Words::tr("{}, line {}: {}", plainText(note.file), note.line, note.text());
    if (needsFile)
        return fmt::format("{}: {}", plainText(note.file), note.text());
    return note.line > 0 ? Words::tr("Line {}: {}", note.line, note.text()) : note.text();
}

/// The first note of a gravity, with its place; empty: there is none.
std::string firstOf(const LogPreview& log, const std::vector<Note>& notes, Gravity gravity)
{
    const auto note = std::ranges::find(notes, gravity, &Note::gravity);
    return note == notes.end() ? std::string() : placedText(log, *note);
}

std::string withoutEmpty(std::vector<std::string> sentences)
{
    std::erase(sentences, std::string());
    return joined(sentences, " ");
}

std::string pathOf(const ReadFile& file)
{
    return plainText(file.file.path.string());
}

/// The file in which the first and the last line of the run stand.
const ReadFile& fileOf(const LogPreview& log, const logs::LogRun& run)
{
    const std::size_t file = !run.lanes.empty()    ? run.lanes.front().file
                             : !run.claims.empty() ? run.claims.front().file
                                                   : 0;
    return log.log.files[file];
}

std::string wholeText(const LogPreview& log)
{
    const std::vector<Note> notes = notesOf(log);
    return withoutEmpty({Words::tr("{} is left out.", pathOf(log.log.files.front())),
                         firstOf(log, notes, Gravity::block), firstOf(log, notes, Gravity::warn)});
}

std::string runText(const LogPreview& log, const RunPreview& run)
{
    const logs::LogRun& read = log.log.runs[run.run];
    const ReadFile& file = fileOf(log, read);
    const auto isOfRun = [&, name = nameIn(log, file)](const Note& note) {
        return note.file == name && note.line >= read.firstLine && note.line <= read.lastLine;
    };
    std::vector<Note> notes = notesOf(log, run);
    std::ranges::copy_if(notesOf(log), std::back_inserter(notes), isOfRun);
    return withoutEmpty({Words::tr("{}, lines {}–{}: this run has no rate that can be used, and is left out.",
                                   pathOf(file), read.firstLine, read.lastLine),
                         firstOf(log, notes, Gravity::warn)});
}

} // namespace

bool isWithoutRate(const LogPreview& log)
{
    const auto isRead = [](const ReadFile& file) { return file.linesRead > 0; };
    return !isUsable(log) && log.log.format && std::ranges::any_of(log.log.files, isRead);
}

std::vector<std::string> leftOutOf(const LogPreview& log)
{
    if (!isUsable(log))
        return {wholeText(log)};
    std::vector<std::string> texts;
    for (const RunPreview& run : log.runs)
        if (isSilent(run))
            texts.push_back(runText(log, run));
    return texts;
}

std::vector<std::string> leftOutOf(const std::vector<LogPreview>& logs)
{
    std::vector<std::string> texts;
    for (const LogPreview& log : logs)
        if (!log.isLeftOut)
            std::ranges::move(leftOutOf(log), std::back_inserter(texts));
    return texts;
}

} // namespace ringside::imports
