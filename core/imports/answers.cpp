// SPDX-License-Identifier: MIT
#include "core/imports/answers.h"

#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/spec/levels.h"
#include "core/spec/schema.h"

#include <array>

namespace ringside::imports {

namespace {

using spec::Setting;
using spec::SettingType;

constexpr spec::Level kYes{"yes", Words::noop("yes")};

/// Questions about what is no setting of an experiment.
const std::vector<Setting>& ownQuestions()
{
    static const std::vector<Setting> kQuestions = {
        {.key = kItemsPerEpoch,
         .label = Words::noop("Items per epoch"),
         .type = SettingType::integer,
         .minimum = 1,
         .maximum = 1e12,
         .description = Words::noop("The number of images, sequences or tokens in one epoch of the log.")},
        {.key = kEqualRanks,
         .label = Words::noop("Equal ranks"),
         .levels = {kYes},
         .description = Words::noop("Not every rank printed. Say “yes” if the others did the same work in the same "
                                    "time, as ranks do when they wait for each other in each iteration.")},
        {.key = kSeparateFiles,
         .label = Words::noop("Separate files"),
         .levels = {kYes},
         .description =
             Words::noop("Files whose names differ in a rank's number are read as one run. Say “yes” if each "
                         "is a log of its own.")},
        {.key = "site",
         .label = Words::noop("Site"),
         .description = Words::noop("The name of the site where the runs were made.")}};
    return kQuestions;
}

const Setting* questionOf(std::string_view key)
{
    for (const Setting& question : ownQuestions())
        if (question.key == key)
            return &question;
    return spec::findSetting(key);
}

/// Settings that the form of a log decides.
bool isOfForm(std::string_view key)
{
    return key == "engine" || key == "plan";
}

/// Options of systems are left out: they are many, and matter to few logs.
std::vector<std::string> listedKeys()
{
    std::vector<std::string> keys;
    for (const Setting& question : ownQuestions())
        keys.emplace_back(question.key);
    for (const Setting& setting : spec::schema())
        if (!isOfForm(setting.key) && !contains(keys, std::string(setting.key)))
            keys.emplace_back(setting.key);
    return keys;
}

Error unknownKey(std::string_view key)
{
    const std::vector<std::string> listed = listedKeys();
    std::vector<std::string> known = spec::settingKeys();
    known.insert(known.end(), listed.begin(), listed.end());
    std::erase_if(known, isOfForm);
    const auto meant = closestWord(key, known);
    const std::string all = Words::tr("There are {}, and the options of systems.", joined(listed, ", "));
    return {ErrorCode::usage, Words::tr("There is no setting “{}”.", plainText(key)),
            meant ? Words::tr("Did you mean “{}”? {}", *meant, all) : all};
}

bool isGiven(const Answers& answers, std::string_view key)
{
    if (key == kEqualRanks)
        return answers.equalRanks;
    if (key == kSeparateFiles)
        return answers.separateFiles;
    return key == kItemsPerEpoch ? answers.logs.itemsPerEpoch.has_value() : answers.settings.contains(std::string(key));
}

void note(Answers& answers, std::string_view key, const Value& value)
{
    const auto number = integerOf({{std::string(key), value}}, key);
    for (const auto& [name, setting] : {std::pair{std::string_view("batch_per_rank"), &answers.logs.batchPerRank},
                                        {"batch_global", &answers.logs.batchGlobal},
                                        {kItemsPerEpoch, &answers.logs.itemsPerEpoch},
                                        {"ranks", &answers.logs.ranks},
                                        {"nodes", &answers.logs.nodes}})
        if (name == key)
            *setting = number;
    if (key == kEqualRanks)
        answers.equalRanks = true;
    else if (key == kSeparateFiles)
        answers.separateFiles = true;
    else if (key != kItemsPerEpoch)
        answers.settings[std::string(key)] = value;
}

} // namespace

Result<void> addAnswer(Answers& answers, std::string_view text)
{
    const auto sign = text.find('=');
    const std::string_view key = text.substr(0, sign);
    if (isOfForm(key))
        return fail(ErrorCode::usage, Words::tr("{} follows from the form of the log.", plainText(key)),
                    Words::tr("Choose another form with --as."));
    const Setting* setting = questionOf(key);
    if (!setting)
        return tl::unexpected(unknownKey(key));
    const std::string_view said = sign == std::string_view::npos ? std::string_view() : text.substr(sign + 1);
    const spec::LevelList list = spec::parseLevels(*setting, said);
    if (!list.errors.empty())
        return fail(ErrorCode::usage, Words::tr("{}: {}", plainText(key), list.errors.front().message));
    if (list.levels.size() != 1)
        return fail(ErrorCode::usage, Words::tr("“{}” is not one value of {}.", plainText(said), plainText(key)),
                    Words::tr("Write “{}=VALUE”.", plainText(key)));
    if (isGiven(answers, key))
        return fail(ErrorCode::usage, Words::tr("{} is given twice.", plainText(key)), Words::tr("Give it one value."));
    note(answers, key, list.levels.front());
    return {};
}

bool looksLikeAnswer(std::string_view text)
{
    const auto sign = text.find('=');
    return sign != std::string_view::npos && questionOf(text.substr(0, sign));
}

Question questionFor(std::string_view key)
{
    const Setting* setting = questionOf(key);
    if (!setting)
        return {std::string(key), std::string(key), {}};
    return {std::string(key), Words::translated(setting->label), Words::translated(setting->description)};
}

} // namespace ringside::imports
