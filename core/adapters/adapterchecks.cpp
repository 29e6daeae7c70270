// SPDX-License-Identifier: MIT
#include "core/adapters/adapterchecks.h"

#include "core/adapters/adaptertoml.h"
#include "core/adapters/options.h"
#include "core/adapters/siteplaceholders.h"
#include "core/base/placeholders.h"
#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/logs/pattern.h"
#include "core/protocol/installedengine.h"
#include "core/protocol/jsonfields.h"
#include "core/protocol/planlimits.h"
#include "core/spec/plans.h"
#include "core/spec/resolve.h"
#include "core/spec/wording.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <span>

namespace ringside::adapters {

namespace {

/// Not a path: the loader looks for it.
bool isLibraryFile(std::string_view file)
{
    return file.starts_with("lib") && file.find(".so") != std::string_view::npos &&
           file.find('/') == std::string_view::npos;
}

/// A field that a pattern has twice, though a line gives it one number. Behind a “{?}” it may occur again, for lines
/// that write it in another way. The pattern has to be right.
std::optional<std::string> fieldThatComesAgain(const std::string& pattern)
{
    std::set<std::string> seen;
    for (const std::string& name : placeholdersOf(pattern).value_or(std::vector<std::string>())) {
        if (name == "?")
            seen.clear();
        else if (const bool isField = logs::findField(name); isField && !seen.insert(name).second)
            return name;
    }
    return std::nullopt;
}

class Checker
{
public:
    explicit Checker(const Adapter& adapter)
        : m_adapter(adapter)
        , m_known(knownSettings(adapter))
    {
    }

    std::vector<spec::Check> check()
    {
        checkHead();
        checkOptions();
        checkLevels("levels", m_adapter.levels);
        for (std::size_t i = 0; i < m_adapter.gaps.size(); ++i)
            checkGap(fmt::format("gaps[{}]", i), m_adapter.gaps[i]);
        for (std::size_t i = 0; i < m_adapter.roles.size(); ++i)
            checkRole(fmt::format("roles[{}]", i), m_adapter.roles[i]);
        checkRolesDiffer();
        for (std::size_t i = 0; i < m_adapter.designs.size(); ++i)
            checkDesign(fmt::format("designs[{}]", i), m_adapter.designs[i]);
        checkInstallation();
        checkLaunch();
        checkExits();
        checkLines();
        checkPlan();
        return std::move(m_checks);
    }

private:
    void refuse(std::string field, std::string value, std::string message, std::string hint = {})
    {
        m_checks.push_back(
            {spec::Severity::blocking, std::move(field), std::move(value), 0, 0, std::move(message), std::move(hint)});
    }

    /// As the plan's reader takes it.
    void checkLength(const std::string& field, const std::string& text, std::size_t most = kMaxJsonText)
    {
        if (text.size() > most)
            refuse(field, text, Words::tr("it is longer than {} bytes.", most),
                   Words::tr("Make it shorter: it has to fit a run’s plan."));
    }

    void checkName(const std::string& field, const std::string& name)
    {
        if (!isEngineName(name))
            refuse(field, name, Words::tr("{} is not a valid name.", spec::inQuotes(name)),
                   Words::tr("Use at most {} small letters, digits, “-” and “_”.", 40));
    }

    void checkHead()
    {
        checkName("name", m_adapter.name);
        if (m_adapter.title.empty())
            refuse("title", "", Words::tr("it is empty."), Words::tr("Write the system's name as people know it."));
        checkLength("title", m_adapter.title, kMaxEngineName);
        if (contains(mapped(spec::findSetting("engine")->levels, &spec::Level::word), m_adapter.name))
            refuse("name", m_adapter.name,
                   Words::tr("Ringside’s own engine is called {}.", spec::inQuotes(m_adapter.name)),
                   Words::tr("Use another name."));
        if (m_adapter.items != logs::LineItems::model && !m_adapter.engine.command.empty())
            refuse("items", std::string(nameOf(m_adapter.items)),
                   Words::tr("runs that Ringside starts count what their model is trained with."),
                   Words::tr("Leave it out, or [launch]."));
        checkWarmup();
        for (std::size_t i = 0; i < m_adapter.settings.size(); ++i)
            if (const std::string& key = m_adapter.settings[i]; !spec::findSetting(key))
                refuse(fmt::format("settings[{}]", i), key, Words::tr("there is no setting {}.", spec::inQuotes(key)),
                       spec::suggestion(key, spec::settingKeys()));
    }

    void checkWarmup()
    {
        const int records = m_adapter.engine.warmupRecords;
        if (records < 0 || records > kMaxWarmupRecords)
            refuse("warmup_records", std::to_string(records),
                   Words::tr("expected a whole number from 0 to {}, found {}.", grouped(kMaxWarmupRecords), records),
                   Words::tr("Write how many records of each rank no figure counts, such as 1."));
    }

    void checkOptions()
    {
        for (const Option& option : m_adapter.options) {
            const std::string name = option.key.substr(m_adapter.name.size() + 1), field = "options." + name;
            checkName(field, name);
            if (name == kScriptOption || name == kArgumentsOption)
                continue; // they have no default
            if (option.minimum > option.maximum)
                refuse(field + ".minimum", fmt::format("{}", option.minimum),
                       Words::tr("the minimum is above the maximum, {}.", option.maximum));
            if (!option.standard)
                refuse(field, "", Words::tr("the default is missing."),
                       Words::tr("Write default = with the value that the system has by itself."));
            else if (const auto canonical = spec::canonicalValue(settingOf(option), *option.standard);
                     !canonical && option.standardFrom.empty())
                refuse(field + ".default", toText(*option.standard), canonical.error().message, canonical.error().hint);
            if (!option.standardFrom.empty() &&
                !(option.type == spec::SettingType::integer && spec::isWorldKey(option.standardFrom)))
                refuse(field + ".default", "{" + option.standardFrom + "}",
                       Words::tr("a default of this type cannot be in braces."),
                       Words::tr("Write a value; for an integer it may be \"{{ranks}}\", \"{{nodes}}\" or "
                                 "\"{{ranks_per_node}}\"."));
            if (!option.effect.match.empty())
                checkMatch(field + ".match", option.effect.match);
            if (option.effect.match.contains(option.key))
                refuse(field + ".match", option.key, Words::tr("an option cannot depend on itself."));
            if (option.description.empty() || option.source.empty())
                refuse(
                    field, "",
                    Words::tr("“about” and “source” are needed: what the option does, and where that is documented."));
        }
    }

    void checkMatch(const std::string& field, const Settings& match)
    {
        if (match.empty())
            refuse(field, "", Words::tr("nothing is matched."), Words::tr("Name at least one setting."));
        for (const auto& [key, value] : match) {
            const auto known = m_known.find(key);
            const std::string place = field + "." + key;
            if (known == m_known.end())
                refuse(place, key, Words::tr("the system has no setting {}.", spec::inQuotes(key)),
                       spec::suggestion(key, namesOf(m_known)));
            else if (const auto canonical = spec::canonicalValue(known->second, value); !canonical)
                refuse(place, toText(value), canonical.error().message, canonical.error().hint);
        }
    }

    void checkLevels(const std::string& field, const std::map<std::string, std::vector<Value>>& all)
    {
        for (const auto& [key, levels] : all)
            for (const Value& level : levels)
                checkMatch(field, {{key, level}});
    }

    void checkGap(const std::string& field, const spec::Gap& gap)
    {
        if (!gap.match.empty() || (gap.leastRanks < 2 && gap.below.empty()))
            checkMatch(field + ".match", gap.match);
        for (const auto& [key, bound] : gap.below) {
            checkMatch(field + ".below", {{key, bound}});
            if (!numberOf(gap.below, key))
                refuse(field + ".below." + key, toText(bound), Words::tr("only numbers can have a bound."),
                       Words::tr("Name a setting that is a number, such as image_size."));
        }
        checkLevels(field + ".unless", gap.unless);
        if (gap.why.empty())
            refuse(field, "", Words::tr("“why” is missing."), Words::tr("Say in one sentence why it cannot do that."));
    }

    void checkRole(const std::string& field, const spec::RoleRow& role)
    {
        if (!isRoleName(role.name))
            refuse(field + ".name", role.name, Words::tr("{} is not a valid name.", spec::inQuotes(role.name)),
                   Words::tr("Use at most {} small letters, digits and “_”.", kMaxRoleName));
        if (role.name == kRankRole)
            refuse(field + ".name", role.name, Words::tr("the ranks need no row of their own."));
        else if (role.name == m_adapter.engine.rankName)
            refuse(field + ".name", role.name, Words::tr("the ranks already have this name."),
                   Words::tr("Choose another name for the role, or for rank_name in [launch]."));
        if (!role.match.empty())
            checkMatch(field + ".match", role.match);
        const auto names = placeholdersOf(role.count);
        if (!names || !isCount(role.count, *names))
            refuse(field + ".count", role.count, Words::tr("expected a number, or one whole option in braces."),
                   Words::tr("Write 1, or \"{{{}.servers}}\".", m_adapter.name));
    }

    /// Rows of one name are of the same processes, in cases that `match` distinguishes.
    void checkRolesDiffer()
    {
        const auto& roles = m_adapter.roles;
        for (std::size_t i = 1; i < roles.size(); ++i) {
            const auto isSame = [&](const spec::RoleRow& other) {
                return other.name == roles[i].name && other.match == roles[i].match;
            };
            const auto leadsToo = [&](const spec::RoleRow& other) {
                return other.duty == Duty::leads && other.name != roles[i].name && other.match == roles[i].match;
            };
            const auto before = std::span(roles).first(i);
            if (std::ranges::any_of(before, isSame))
                refuse(fmt::format("roles[{}].name", i), roles[i].name,
                       Words::tr("there is already a role with this name."));
            else if (roles[i].duty == Duty::leads && std::ranges::any_of(before, leadsToo))
                refuse(fmt::format("roles[{}].duty", i), "leads", Words::tr("another role leads already."));
        }
    }

    bool isCount(const std::string& count, const std::vector<std::string>& names) const
    {
        if (names.empty())
            return !count.empty() && count.size() <= 4 && std::ranges::all_of(count, isDigit) && count.front() != '0';
        const auto known = m_known.find(names.front());
        return count == fmt::format("{{{}}}", names.front()) && known != m_known.end() &&
               known->second.type == spec::SettingType::integer && known->second.minimum >= 1;
    }

    /// "{nodes}", for an option that is a whole number.
    bool isCountOfWorld(const Settings::value_type& entry) const
    {
        const auto* text = std::get_if<std::string>(&entry.second);
        const auto name = text ? onlyPlaceholder(*text) : std::nullopt;
        const auto known = m_known.find(entry.first);
        return name && spec::isWorldKey(*name) && known != m_known.end() &&
               known->second.type == spec::SettingType::integer;
    }

    void checkDesign(const std::string& field, const spec::Design& design)
    {
        Settings values = design.match;
        std::erase_if(values, [&](const auto& entry) { return isCountOfWorld(entry); });
        if (!values.empty())
            checkMatch(field + ".match", values);
        const bool departs = design.lossy || design.asynchronous;
        if (!(design.plan.empty() && departs) && !spec::findBuiltInPlan(design.plan))
            refuse(field + ".plan", design.plan, Words::tr("there is no plan {}.", spec::inQuotes(design.plan)));
    }

    void checkText(const std::string& field, const std::string& text)
    {
        checkLength(field, text);
        const auto names = placeholdersOf(text);
        if (!names)
            return refuse(field, text, names.error().message, names.error().hint);
        const std::vector<std::string> known = placeholdersFor(m_adapter);
        for (const std::string& name : *names)
            if (!contains(known, name))
                refuse(field, text, Words::tr("there is no placeholder {}.", spec::inQuotes(name)),
                       spec::suggestion(name, known));
    }
    void checkTexts(const std::string& field, const std::vector<std::string>& texts)
    {
        for (std::size_t i = 0; i < texts.size(); ++i)
            checkText(fmt::format("{}[{}]", field, i), texts[i]);
    }
    void checkEnvironment(const std::string& field, const std::map<std::string, std::string>& environment)
    {
        for (const auto& [name, text] : environment) {
            if (name.empty() || name.find_first_of("= ") != std::string::npos)
                refuse(field, name, Words::tr("{} cannot be the name of a variable.", spec::inQuotes(name)));
            checkText(field + "." + name, text);
        }
    }

    /// A person reads them before anything is fetched.
    void checkCosts(const Installation& installation)
    {
        const auto need = [&](std::string_view field, bool isThere, const std::string& hint) {
            const std::string_view key = field.substr(field.find('.') + 1); // all of it where there is none
            if (!isThere)
                refuse(std::string(field), "",
                       Words::tr("{} is missing: it is shown before anything is installed.", spec::inQuotes(key)),
                       hint);
        };
        need("licence", !m_adapter.licence.empty(),
             Words::tr("Write the licence's short name, such as “BSD-3-Clause”."));
        need("install.megabytes", installation.bytes > 0, Words::tr("Write the approximate size on disk in MB."));
        need("install.seconds", installation.seconds > 0, Words::tr("Write the approximate duration in seconds."));
        need("install.from", !installation.from.empty(), Words::tr("Write where its packages come from."));
    }

    void checkPip(const Installation& installation)
    {
        constexpr std::string_view kModuleLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
        if (installation.module.find_first_not_of(kModuleLetters) != std::string::npos)
            refuse("install.module", installation.module,
                   Words::tr("{} cannot be the name of a module.", spec::inQuotes(installation.module)),
                   Words::tr("Write it as in an import statement, such as “horovod.torch”."));
        for (std::size_t i = 0; i < installation.packages.size(); ++i)
            if (installation.packages[i].empty() || installation.packages[i].front() == '-')
                refuse(fmt::format("install.packages[{}]", i), installation.packages[i],
                       Words::tr("{} is not a package.", spec::inQuotes(installation.packages[i])),
                       Words::tr("Options of pip belong in “pip_options”."));
    }

    void checkInstallation()
    {
        if (!m_adapter.installation)
            return;
        if (!m_adapter.installation->takesWhatIsThere())
            checkCosts(*m_adapter.installation);
        checkPip(*m_adapter.installation);
        for (const auto& [field, name] : {std::pair{"install.build", &m_adapter.installation->build},
                                          {"install.program", &m_adapter.installation->program}})
            if (!name->empty())
                checkName(field, *name); // a part of a path
        for (const auto& [name, library] : m_adapter.installation->libraries)
            for (const std::string& file : {name, library})
                if (!isLibraryFile(file))
                    refuse("install.libraries." + name, file,
                           Words::tr("{} is not a library file.", spec::inQuotes(file)),
                           Words::tr("Write only the file name, such as “libmpi.so.40”; the site's loader finds it."));
        if (m_adapter.installation->source.empty() != m_adapter.installation->build.empty())
            refuse("install.build", m_adapter.installation->build,
                   Words::tr("source and build belong together: what is compiled, and by which project."));
    }

    /// They are several words, or none.
    void checkPlaceOfArguments()
    {
        const std::string place = fmt::format("{{{}.{}}}", m_adapter.name, kArgumentsOption);
        const auto& words = m_adapter.engine.scriptCommand;
        for (std::size_t i = 0; i < words.size(); ++i)
            if (words[i] != place && words[i].find(place) != std::string::npos)
                refuse(fmt::format("launch.script_command[{}]", i), words[i],
                       Words::tr("the arguments must be words of their own."),
                       Words::tr("Write {} as a word of its own.", spec::inQuotes(place)));
    }

    void checkLaunch()
    {
        if (m_adapter.engine.command.empty() && m_adapter.engine.lines.empty())
            refuse("launch.command", "", Words::tr("it says neither what to start nor what to read."),
                   Words::tr("Write command = [\"{{python}}\", \"…\"] in [launch], or [[lines]]."));
        checkTexts("launch.command", m_adapter.engine.command);
        checkTexts("launch.script_command", m_adapter.engine.scriptCommand);
        checkPlaceOfArguments();
        checkEnvironment("launch.environment", m_adapter.engine.environment);
        checkName("launch.rank_name", m_adapter.engine.rankName);
        if (m_adapter.process == spec::ProcessOf::node && !m_adapter.roles.empty())
            refuse("launch.process", "node", Words::tr("such a process cannot have roles beside it."),
                   Words::tr("Leave out [[roles]], or process."));
        for (const EngineRole& role : m_adapter.engine.roles) {
            const std::string field = "launch.role_environment." + role.name;
            if (role.name != kRankRole &&
                std::ranges::find(m_adapter.roles, role.name, &spec::RoleRow::name) == m_adapter.roles.end())
                refuse(field, role.name, Words::tr("there is no role {}.", spec::inQuotes(role.name)));
            checkEnvironment(field, role.environment);
        }
    }

    void checkExits()
    {
        std::set<int> codes;
        for (std::size_t i = 0; i < m_adapter.engine.exits.size(); ++i) {
            const EngineExit& exit = m_adapter.engine.exits[i];
            const std::string field = fmt::format("exits[{}]", i);
            if (exit.code < 1 || exit.code > 255 || !codes.insert(exit.code).second)
                refuse(field + ".code", std::to_string(exit.code),
                       Words::tr("expected a code from 1 to 255, each once."));
            if (exit.sentence.empty())
                refuse(field, "", Words::tr("“sentence” is missing."), Words::tr("Say what such a process did."));
            checkLength(field + ".sentence", exit.sentence);
        }
    }

    void checkLines()
    {
        for (std::size_t i = 0; i < m_adapter.engine.lines.size(); ++i) {
            const std::string& pattern = m_adapter.engine.lines[i].pattern;
            const std::string field = fmt::format("lines[{}].pattern", i);
            checkLength(field, pattern);
            checkLength(fmt::format("lines[{}].versions", i), m_adapter.engine.lines[i].versions, kMaxEngineName);
            if (const auto parsed = logs::LinePattern::parse(pattern); !parsed)
                refuse(field, pattern, parsed.error().message, parsed.error().hint);
            else if (const auto name = fieldThatComesAgain(pattern))
                refuse(field, pattern, Words::tr("the field {} is there twice.", spec::inQuotes(*name)),
                       Words::tr("Write “{{}}” in one of the places, or another field."));
        }
    }

    void checkCount(const char* rows, std::size_t count, std::size_t most)
    {
        if (count > most)
            refuse(fmt::format("{}[{}]", rows, most), "",
                   Words::tr("there are {} of them, but a run takes no more than {}.", count, most),
                   Words::tr("Leave some out."));
    }

    /// The engine goes to a site as a part of each plan, whose reader has the last word: here it is refused beforehand.
    void checkPlan()
    {
        std::set<std::string> roles; // of one name several rows may be, each for other runs
        for (const spec::RoleRow& row : m_adapter.roles)
            roles.insert(row.name);
        checkCount("roles", roles.size(), kMaxRoles);
        checkCount("exits", m_adapter.engine.exits.size(), kMaxEngineRows);
        checkCount("lines", m_adapter.engine.lines.size(), kMaxEngineRows);
        if (!m_checks.empty())
            return;
        if (const auto read = engineFromJson(toJson(m_adapter.engine)); !read)
            refuse("launch", "", read.error().message, Words::tr("Make it shorter: it has to fit a run’s plan."));
    }

    static std::vector<std::string> namesOf(const KnownSettings& known)
    {
        std::vector<std::string> names;
        std::ranges::transform(known, std::back_inserter(names), [](const auto& entry) { return entry.first; });
        return names;
    }

    const Adapter& m_adapter;
    const KnownSettings m_known;
    std::vector<spec::Check> m_checks;
};

} // namespace

std::vector<std::string> placeholdersFor(const Adapter& adapter)
{
    std::vector<std::string> names;
    const auto add = [&](std::string_view name) { // ranks are a setting, and known to a process
        if (!contains(names, name))
            names.emplace_back(name);
    };
    for (const auto& [name, setting] : knownSettings(adapter))
        add(name);
    for (const SitePlaceholder& row : kSitePlaceholders)
        add(row.name);
    for (const ProcessPlaceholder& row : processPlaceholders())
        add(row.name);
    return names;
}

std::vector<std::string> argumentNamesFor(const Adapter& adapter)
{
    std::vector<std::string> names = placeholdersFor(adapter);
    std::erase(names, fmt::format("{}.{}", adapter.name, kArgumentsOption));
    for (const SitePlaceholder& row : kSitePlaceholders)
        if (!row.inArguments)
            std::erase(names, row.name);
    return names;
}

std::vector<spec::Check> checkAdapter(const Adapter& adapter)
{
    return Checker(adapter).check();
}

} // namespace ringside::adapters
