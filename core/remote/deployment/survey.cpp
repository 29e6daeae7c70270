// SPDX-License-Identifier: MIT
#include "core/remote/deployment/survey.h"

#include "core/base/parsenumber.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/remote/deployment/scripts.h"

#include <algorithm>
#include <sstream>

namespace ringside::deployment {

namespace {

/// A line of `df -P`: device, size, used, available, share in percent, mount point. The device may hold spaces, so it
/// is read from the share on.
struct DiskLine
{
    std::optional<std::uint64_t> total;
    std::optional<std::uint64_t> available;
    std::string mount;
};

DiskLine parseDisk(const std::string& line)
{
    std::istringstream words(line);
    std::vector<std::string> fields;
    for (std::string word; words >> word;)
        fields.push_back(word);
    const auto share =
        std::ranges::find_if(fields, [](const std::string& field) { return field == "-" || field.ends_with('%'); });
    if (share == fields.end() || share - fields.begin() < 3)
        return {};
    DiskLine disk{parseNumber<std::uint64_t>(*(share - 3)), parseNumber<std::uint64_t>(*(share - 1)), {}};
    for (auto word = share + 1; word != fields.end(); ++word)
        disk.mount += (disk.mount.empty() ? "" : " ") + *word;
    return disk;
}

void readLine(Survey& survey, const std::string& name, const std::string& value)
{
    static constexpr std::pair<const char*, std::string Survey::*> kTexts[] = {{"os", &Survey::os},
                                                                               {"arch", &Survey::arch},
                                                                               {"shell", &Survey::shell},
                                                                               {"home", &Survey::home},
                                                                               {"obstacle", &Survey::obstacle},
                                                                               {"no_execution", &Survey::noExecution},
                                                                               {"present", &Survey::presentHash}};
    for (const auto& [text, member] : kTexts)
        if (name == text)
            survey.*member = value;
    if (name == "candidate" && std::ranges::find(survey.candidates, value) == survey.candidates.end())
        survey.candidates.push_back(value);
    if (name == "space") {
        const DiskLine disk = parseDisk(value);
        survey.mount = disk.mount;
        if (disk.available)
            survey.freeBytes = *disk.available * 1024;
    }
    // File systems that make files as they are needed say 0 of 0.
    if (name == "files")
        if (const DiskLine disk = parseDisk(value); disk.total.value_or(0) > 0)
            survey.freeFiles = disk.available;
}

bool saysAny(const std::string& text, std::initializer_list<const char*> words)
{
    return std::ranges::any_of(words, [&](const char* word) { return text.find(word) != std::string::npos; });
}

/// Returns the end of a hint: the other folders that would do.
std::string elsewhere(const Survey& survey)
{
    if (survey.candidates.empty())
        return Words::tr(
            "Set the site's root to a folder where you may write and run programs, and which compute nodes "
            "see.");
    std::string list;
    for (const auto& place : survey.candidates)
        list += (list.empty() ? "" : ", ") + place + "/ringside";
    return Words::tr("Set the site's root to one of these, which can hold and run programs: {}.", list);
}

/// Says what to do first, or elsewhere.
std::string orElsewhere(const std::string& todo, const Survey& survey)
{
    return todo + " " + elsewhere(survey);
}

Error noRoom(const Survey& survey, const std::string& where)
{
    if (survey.freeFiles == 0u)
        return {ErrorCode::noSpace, Words::tr("The file system of {} can hold no more files (inodes).", where),
                orElsewhere(Words::tr("Delete some files there, or use another place."), survey)};
    return {ErrorCode::noSpace, Words::tr("The file system of {} is full.", where),
            orElsewhere(Words::tr("Free some space there, or use another place."), survey)};
}

Error notWritable(const Survey& survey, const std::string& where)
{
    const std::string& said = survey.obstacle;
    if (saysAny(said, {"quota"}))
        return {ErrorCode::noSpace, Words::tr("Your quota on {} is used up ({}).", where, said),
                orElsewhere(Words::tr("Free some space or files there, or use another place."), survey)};
    if (saysAny(said, {"No space"}))
        return noRoom(survey, where);
    if (saysAny(said, {"Read-only"}))
        return {ErrorCode::permission, Words::tr("{} is mounted read-only.", where), elsewhere(survey)};
    if (saysAny(said, {"ermission", "permitted"}))
        return {ErrorCode::permission, Words::tr("You may not write to {} ({}).", where, said), elsewhere(survey)};
    return {ErrorCode::io, Words::tr("{} cannot be used: {}.", where, said), elsewhere(survey)};
}

Error notExecutable(const Survey& survey, const std::string& where)
{
    std::string message = Words::tr("Programs in {} may not be run ({}).", where, survey.noExecution);
    if (!survey.mount.empty())
        message += " " + Words::tr("Its file system, {}, is mounted noexec.", survey.mount);
    return {ErrorCode::permission, std::move(message), elsewhere(survey)};
}

} // namespace

std::string Survey::system() const
{
    return lowerCase(os) + "-" + (arch == "amd64" ? "x86_64" : arch == "arm64" ? "aarch64" : arch);
}

Result<Survey> survey(Host& host, const SurveyRequest& request)
{
    TRY_ASSIGN(const Lines lines,
               runMarked(host, {{"folder", request.folder}, {"program", request.program}}, kSurveyScript));
    Survey survey;
    for (const auto& [name, value] : lines)
        readLine(survey, name, value);
    return survey;
}

std::optional<Error> hindrance(const Survey& survey, const std::string& folder, const std::string& host,
                               std::uint64_t neededBytes)
{
    const std::string where = Words::tr("{} on {}", folder, host);
    if (!survey.obstacle.empty())
        return notWritable(survey, where);
    if (!survey.noExecution.empty())
        return notExecutable(survey, where);
    if (survey.freeBytes && *survey.freeBytes < neededBytes)
        return Error{ErrorCode::noSpace,
                     Words::tr("{} has {} of free space; {} are needed.", where, humanBytes(*survey.freeBytes),
                               humanBytes(neededBytes)),
                     orElsewhere(Words::tr("Free some space there, or use another place."), survey)};
    return std::nullopt;
}

} // namespace ringside::deployment
