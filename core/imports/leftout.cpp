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

/// The first note of a gravity, with its line in front; empty: there is none.
std::string firstOf(const std::vector<Note>& notes, Gravity gravity)
{
    const auto note = std::ranges::find(notes, gravity, &Note::gravity);
    if (note == notes.end())
        return {};
    return note->line > 0 ? Words::tr("Line {}: {}", note->line, note->text()) : note->text();
}

std::string withoutEmpty(std::vector<std::string> sentences)
{
    std::erase(sentences, std::string());
    return joined(sentences, " ");
}

std::string pathOf(const LogPreview& log)
{
    return plainText(log.log.files.front().file.path.string());
}

std::string wholeText(const LogPreview& log)
{
    const std::vector<Note> notes = notesOf(log);
    return withoutEmpty(
        {Words::tr("{} is left out.", pathOf(log)), firstOf(notes, Gravity::block), firstOf(notes, Gravity::warn)});
}

std::string runText(const LogPreview& log, const RunPreview& run)
{
    const logs::LogRun& read = log.log.runs[run.run];
    std::vector<Note> notes = notesOf(log, run);
    std::ranges::copy_if(notesOf(log), std::back_inserter(notes),
                         [&](const Note& note) { return note.line >= read.firstLine && note.line <= read.lastLine; });
    return withoutEmpty({Words::tr("{}, lines {}–{}: this run has no rate that can be used, and is left out.",
                                   pathOf(log), read.firstLine, read.lastLine),
                         firstOf(notes, Gravity::warn)});
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
