// SPDX-License-Identifier: MIT
#include "core/adapters/adaptertoml.h"

#include "core/adapters/adapterchecks.h"
#include "core/adapters/options.h"
#include "core/base/placeholders.h"
#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/logs/format.h"
#include "core/spec/tomlreader.h"

#include <fmt/format.h>

namespace ringside::adapters {

namespace {

using spec::SettingType;
using spec::TomlField;

constexpr std::uint64_t kMegabyte = 1'000'000;

/// Options of a system that runs users' own scripts, without its name.
std::vector<Option> scriptOptions()
{
    Option script, arguments;
    script.key = kScriptOption;
    script.type = SettingType::path;
    script.label = Words::noop("Script");
    script.description = Words::noop("Your own training script on the site, in place of Ringside’s driver.");
    arguments.key = kArgumentsOption;
    arguments.label = Words::noop("Arguments");
    arguments.description =
        Words::noop("The arguments of the script, split at blanks; quotes have no meaning, and no shell reads them. "
                    "Names in braces, such as {batch_per_rank}, are replaced by their values; {{ and }} are braces.");
    return {script, arguments};
}

/// The whole file: walks its tree once.
class Reader : private spec::TomlReader
{
public:
    AdapterOutcome read(const toml::table& root)
    {
        readTable({"", &root}, m_top);
        for (const char* key : {"format", "name", "title"})
            if (!root.contains(key))
                block({key, &root}, {1, 1}, "", Words::tr("{} is missing.", spec::inQuotes(key)),
                      Words::tr("The page beside the tables says what it is."));
        nameWhole();
        canonicalise();
        addInstallation();
        addModule();
        if (!hasBlocking(checks()))
            for (spec::Check& check : checkAdapter(m_adapter)) {
                const spec::Position at = positionOf(positions(), check.field);
                check.line = at.line;
                check.column = at.column;
                checks().push_back(std::move(check));
            }
        sortByGravity(checks());
        std::string name = m_adapter.name;
        return {hasBlocking(checks()) ? std::nullopt : std::optional(std::move(m_adapter)), std::move(checks()),
                std::move(name)};
    }

private:
    /// Writes each level as experiments have it: 1 for a real number is 1.0.
    void canonicalise()
    {
        const KnownSettings known = knownSettings(m_adapter);
        const auto write = [&](const std::string& key, Value& value) {
            const auto setting = known.find(key);
            if (setting == known.end())
                return;
            if (const auto canonical = spec::canonicalValue(setting->second, value))
                value = *canonical;
        };
        const auto writeAll = [&](Settings& settings) {
            for (auto& [key, value] : settings)
                write(key, value);
        };
        const auto writeLevels = [&](std::map<std::string, std::vector<Value>>& levels) {
            for (auto& [key, values] : levels)
                for (Value& value : values)
                    write(key, value);
        };
        for (Option& option : m_adapter.options) {
            if (option.standard)
                write(option.key, *option.standard);
            writeAll(option.effect.match);
        }
        for (spec::Gap& gap : m_adapter.gaps) {
            writeAll(gap.match);
            writeAll(gap.below);
            writeLevels(gap.unless);
        }
        for (spec::RoleRow& row : m_adapter.roles)
            writeAll(row.match);
        for (spec::Design& design : m_adapter.designs)
            writeAll(design.match);
        writeLevels(m_adapter.levels);
    }

    /// Without a recipe its interpreter has to be named all the same.
    void addInstallation()
    {
        const Engine& engine = m_adapter.engine;
        const auto isOfSite = [](const std::string& text) {
            const auto names = placeholdersOf(text);
            return names && (contains(*names, "python") || contains(*names, "environment"));
        };
        const auto isVariableOfSite = [&](const auto& variable) { return isOfSite(variable.second); };
        const bool isNeeded = std::ranges::any_of(engine.command, isOfSite) ||
                              std::ranges::any_of(engine.scriptCommand, isOfSite) ||
                              std::ranges::any_of(engine.environment, isVariableOfSite) ||
                              std::ranges::any_of(engine.roles, [&](const EngineRole& role) {
                                  return std::ranges::any_of(role.environment, isVariableOfSite);
                              });
        if (isNeeded && !m_adapter.installation)
            m_adapter.installation.emplace();
    }

    /// The table's own variable of this name comes first. Findings about the added one have the line of the module.
    void addModule()
    {
        if (!m_adapter.installation || m_adapter.installation->module.empty())
            return;
        if (m_adapter.engine.environment.try_emplace(kModuleVariable, m_adapter.installation->module).second)
            positions()[fmt::format("launch.environment.{}", kModuleVariable)] =
                positionOf(positions(), "install.module");
    }

    /// In the table itself options do not say whose they are.
    void nameWhole()
    {
        if (!m_adapter.engine.scriptCommand.empty())
            std::ranges::move(scriptOptions(), std::back_inserter(m_adapter.options));
        m_adapter.engine.title = m_adapter.title;
        for (Option& option : m_adapter.options) {
            option.key = fmt::format("{}.{}", m_adapter.name, option.key);
            option.label = fmt::format("{}: {}", m_adapter.title, option.label);
        }
    }

    void readFormat(const Field& field)
    {
        int format = 0;
        readWhole(field, format);
        if (format != kAdapterFormat)
            block(field, spec::placeOf(field.node->source().begin), std::to_string(format),
                  Words::tr("format {} is not known; this version reads format {}.", format, kAdapterFormat),
                  Words::tr("Use the table of a version that matches."));
    }

    void readVersions(const Field& field, VersionRange& range)
    {
        const auto* text = field.node->as_string();
        const auto read = text ? VersionRange::parse(text->get()) : std::nullopt;
        if (!read)
            return expected(field, Words::tr("a range of versions"), Words::tr("Write \">=1.6, <2\"."));
        range = *read;
    }

    void readValue(const Field& field, std::optional<Value>& value)
    {
        value = spec::scalarOf(*field.node);
        if (!value)
            expected(field, Words::tr("one value"));
    }

    /// A value, or "{ranks}": as many as those.
    void readDefault(const Field& field, Option& option)
    {
        readValue(field, option.standard);
        const auto* text = option.standard ? std::get_if<std::string>(&*option.standard) : nullptr;
        if (const auto name = text ? onlyPlaceholder(*text) : std::nullopt) {
            option.standardFrom = *name;
            option.standard = std::int64_t(1);
        }
    }

    void readMatch(const Field& table, Settings& match)
    {
        for (const auto& [name, field] : settingsOf(table))
            if (const auto value = spec::scalarOf(*field.node))
                match[name] = *value;
            else
                expected(field, Words::tr("one value"));
    }

    void readLevels(const Field& table, std::map<std::string, std::vector<Value>>& levels)
    {
        for (const auto& [name, field] : settingsOf(table)) {
            const toml::array* items = field.node->as_array();
            if (!items || items->empty())
                expected(field, Words::tr("a list"), Words::tr("Write [\"lenet\", \"alexnet\"]."));
            else
                for (const toml::node& item : *items)
                    if (const auto value = spec::scalarOf(item))
                        levels[name].push_back(*value);
        }
    }

    void readOptions(const Field& table)
    {
        for (const auto& [name, field] : entriesOf(table)) {
            Option& option = m_adapter.options.emplace_back();
            option.key = name;
            if (name == kScriptOption || name == kArgumentsOption)
                block(field, spec::placeOf(field.node->source().begin), name,
                      Words::tr("{} is an option that Ringside adds where the table has script_command.",
                                spec::inQuotes(name)),
                      Words::tr("Choose another name."));
            readTable(field, {{"type", [&](const Field& f) { readWord(f, option.type); }},
                              {"label", [&](const Field& f) { readText(f, option.label); }},
                              {"unit", [&](const Field& f) { readText(f, option.unit); }},
                              {"default", [&](const Field& f) { readDefault(f, option); }},
                              {"minimum", [&](const Field& f) { readReal(f, option.minimum); }},
                              {"maximum", [&](const Field& f) { readReal(f, option.maximum); }},
                              {"levels", [&](const Field& f) { readTexts(f, option.levels); }},
                              {"about", [&](const Field& f) { readText(f, option.description); }},
                              {"source", [&](const Field& f) { readText(f, option.source); }},
                              {"match", [&](const Field& f) { readMatch(f, option.effect.match); }},
                              {"least_ranks", [&](const Field& f) { readWhole(f, option.effect.leastRanks); }},
                              {"least_nodes", [&](const Field& f) { readWhole(f, option.effect.leastNodes); }},
                              {"later", [&](const Field& f) { readFlag(f, option.isLater); }}});
            checkType(field, option);
        }
    }

    /// Without a type it is a word, which has no numbers.
    void checkType(const Field& field, const Option& option)
    {
        const toml::table* said = field.node->as_table();
        if (!said || said->contains("type"))
            return;
        const bool isNumber = option.levels.empty() && option.standard && // a level may be written as a number
                              !std::holds_alternative<std::string>(*option.standard) &&
                              !std::holds_alternative<bool>(*option.standard);
        if (isNumber || said->contains("minimum") || said->contains("maximum"))
            block(field, spec::placeOf(field.node->source().begin), "",
                  Words::tr("the type of this number is missing."),
                  Words::tr("Write type = \"integer\" or type = \"real\"."));
    }

    void readGap(const Field& table)
    {
        spec::Gap& gap = m_adapter.gaps.emplace_back();
        readTable(table, {{"match", [&](const Field& f) { readMatch(f, gap.match); }},
                          {"least_ranks", [&](const Field& f) { readWhole(f, gap.leastRanks); }},
                          {"below", [&](const Field& f) { readMatch(f, gap.below); }},
                          {"unless", [&](const Field& f) { readLevels(f, gap.unless); }},
                          {"why", [&](const Field& f) { readText(f, gap.why); }}});
    }

    void readRole(const Field& table)
    {
        spec::RoleRow& role = m_adapter.roles.emplace_back();
        readTable(table, {{"name", [&](const Field& f) { readText(f, role.name); }},
                          {"count", [&](const Field& f) { readCount(f, role.count); }},
                          {"placement", [&](const Field& f) { readWord(f, role.placement); }},
                          {"duty", [&](const Field& f) { readWord(f, role.duty); }},
                          {"match", [&](const Field& f) { readMatch(f, role.match); }},
                          {"least_ranks", [&](const Field& f) { readWhole(f, role.leastRanks); }}});
    }

    void readCount(const Field& field, std::string& count)
    {
        if (const auto* number = field.node->as_integer())
            count = std::to_string(number->get());
        else
            readText(field, count);
    }

    void readDesign(const Field& table)
    {
        spec::Design& design = m_adapter.designs.emplace_back();
        readTable(table, {{"match", [&](const Field& f) { readMatch(f, design.match); }},
                          {"plan", [&](const Field& f) { readText(f, design.plan); }},
                          {"lossy", [&](const Field& f) { readFlag(f, design.lossy); }},
                          {"asynchronous", [&](const Field& f) { readFlag(f, design.asynchronous); }}});
    }

    void readLaunch(const Field& table)
    {
        Engine& engine = m_adapter.engine;
        readTable(table, {{"meeting", [&](const Field& f) { readWord(f, engine.meeting); }},
                          {"process", [&](const Field& f) { readWord(f, m_adapter.process); }},
                          {"rank_name", [&](const Field& f) { readText(f, engine.rankName); }},
                          {"command", [&](const Field& f) { readTexts(f, engine.command); }},
                          {"script_command", [&](const Field& f) { readTexts(f, m_adapter.engine.scriptCommand); }},
                          {"environment", [&](const Field& f) { readTextTable(f, engine.environment); }},
                          {"role_environment", [&](const Field& f) { readRoleEnvironment(f); }}});
    }

    void readRoleEnvironment(const Field& table)
    {
        for (const auto& [name, field] : entriesOf(table))
            readTextTable(field, m_adapter.engine.roles.emplace_back(EngineRole{name, {}}).environment);
    }

    void readExit(const Field& table)
    {
        EngineExit& exit = m_adapter.engine.exits.emplace_back();
        readTable(table, {{"code", [&](const Field& f) { readWhole(f, exit.code); }},
                          {"cause", [&](const Field& f) { readWord(f, exit.cause, Cause::settings); }},
                          {"sentence", [&](const Field& f) { readText(f, exit.sentence); }}});
    }

    void readLine(const Field& table)
    {
        logs::Meaning meaning{};
        logs::Scope scope{};
        std::string pattern;
        VersionRange versions;
        readTable(table, {{"pattern", [&](const Field& f) { readText(f, pattern); }},
                          {"meaning", [&](const Field& f) { readWord(f, meaning); }},
                          {"scope", [&](const Field& f) { readWord(f, scope); }},
                          {"versions", [&](const Field& f) { readVersions(f, versions); }}});
        m_adapter.engine.lines.push_back(
            {std::move(pattern), std::string(nameOf(meaning)), std::string(nameOf(scope)), versions.text()});
    }

    void readInstallation(const Field& table)
    {
        Installation& installation = m_adapter.installation.emplace();
        std::uint64_t megabytes = 0;
        readTable(table, {{"python", [&](const Field& f) { readVersions(f, installation.python); }},
                          {"packages", [&](const Field& f) { readTexts(f, installation.packages); }},
                          {"pip_options", [&](const Field& f) { readTexts(f, installation.pipOptions); }},
                          {"environment", [&](const Field& f) { readTextTable(f, installation.environment); }},
                          {"module", [&](const Field& f) { readText(f, installation.module); }},
                          {"imports", [&](const Field& f) { readTexts(f, installation.imports); }},
                          {"source", [&](const Field& f) { readText(f, installation.source); }},
                          {"build", [&](const Field& f) { readText(f, installation.build); }},
                          {"program", [&](const Field& f) { readText(f, installation.program); }},
                          {"libraries", [&](const Field& f) { readTextTable(f, installation.libraries); }},
                          {"needs", [&](const Field& f) { readTexts(f, installation.needs); }},
                          {"megabytes", [&](const Field& f) { readWhole(f, megabytes); }},
                          {"seconds", [&](const Field& f) { readWhole(f, installation.seconds); }},
                          {"from", [&](const Field& f) { readText(f, installation.from); }}});
        installation.bytes = megabytes * kMegabyte;
    }

    /// For TomlReader::readEach().
    Handler each(void (Reader::*readOne)(const Field&))
    {
        return [this, readOne](const Field& list) {
            readEach(list, [this, readOne](const Field& field) { (this->*readOne)(field); });
        };
    }

    Adapter m_adapter;
    const Handlers m_top = {
        {"format", [this](const Field& f) { readFormat(f); }},
        {"name", [this](const Field& f) { readText(f, m_adapter.name); }},
        {"title", [this](const Field& f) { readText(f, m_adapter.title); }},
        {"about", [this](const Field& f) { readText(f, m_adapter.about); }},
        {"licence", [this](const Field& f) { readText(f, m_adapter.licence); }},
        {"versions", [this](const Field& f) { readVersions(f, m_adapter.versions); }},
        {"settings", [this](const Field& f) { readTexts(f, m_adapter.settings); }},
        {"batch", [this](const Field& f) { readText(f, m_adapter.batch); }},
        {"warmup_records", [this](const Field& f) { readWhole(f, m_adapter.engine.warmupRecords); }},
        {"items", [this](const Field& f) { readWord(f, m_adapter.items); }},
        {"options", [this](const Field& f) { readOptions(f); }},
        {"levels", [this](const Field& f) { readLevels(f, m_adapter.levels); }},
        {"gaps", each(&Reader::readGap)},
        {"roles", each(&Reader::readRole)},
        {"designs", each(&Reader::readDesign)},
        {"launch", [this](const Field& f) { readLaunch(f); }},
        {"exits", each(&Reader::readExit)},
        {"lines", each(&Reader::readLine)},
        {"install", [this](const Field& f) { readInstallation(f); }},
    };
};

/// The name in a file that is no TOML: of the lines before the fault.
std::string nameBefore(std::string_view toml, int line)
{
    std::size_t end = 0;
    for (int each = 1; each < line; ++each)
        end = std::min(toml.find('\n', end), toml.size() - 1) + 1;
    const auto head = spec::parsedToml(toml.substr(0, end));
    const auto* name = head ? head->get_as<std::string>("name") : nullptr;
    return name ? name->get() : std::string();
}

} // namespace

AdapterOutcome readAdapter(std::string_view toml)
{
    if (toml.size() > kMaxAdapterBytes)
        return {{},
                {{spec::Severity::blocking, "", "", 0, 0,
                  Words::tr("the file has {}; an adapter has at most {}.", humanBytes(toml.size()),
                            humanBytes(kMaxAdapterBytes)),
                  Words::tr("Choose an adapter’s table.")}}};
    const auto root = spec::parsedToml(toml);
    if (!root)
        return {{}, {root.error()}, nameBefore(toml, root.error().line)};
    return Reader().read(*root);
}

} // namespace ringside::adapters
