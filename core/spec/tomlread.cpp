// SPDX-License-Identifier: MIT
#include "core/spec/toml.h"

#include "core/spec/levels.h"
#include "core/spec/plantoml.h"
#include "core/spec/schema.h"
#include "core/spec/syntaxhint.h"
#include "core/spec/systems.h"
#include "core/spec/tomlreader.h"

#include <algorithm>

namespace ringside::spec {

namespace {

/// The whole file: walks its tree once.
class Reader : private TomlReader
{
public:
    explicit Reader(bool isStored = false)
        : m_isStored(isStored)
    {
    }

    ParseOutcome read(const toml::table& root)
    {
        setHomeOf([this](const std::string& name) { return homeOf(name); });
        readTable({"", &root}, m_top);
        if (!root.contains("format"))
            checks().push_back({Severity::hint, "format", "", 1, 1, Words::tr("The format is missing; 1 is assumed."),
                                Words::tr("Write format = 1 at the top.")});
        const bool isWhole = !hasBlocking(checks());
        return {isWhole ? std::optional(std::move(m_experiment)) : std::nullopt, std::move(checks()),
                std::move(positions())};
    }

private:
    /// Returns where else in the file a key belongs that is not known in its place.
    std::string homeOf(const std::string& name) const
    {
        if (has(m_top, name))
            return Words::tr("It belongs at the top level of the file, above the first table.");
        if (has(m_runs, name))
            return Words::tr("It belongs in [runs].");
        if (findSetting(name))
            return Words::tr("It belongs in [fixed], or in [factors] with its levels.");
        return homeOfOption(name.substr(0, name.find('.')), name);
    }

    /// For a system whose table is not there, or cannot be read.
    static std::string homeOfOption(const std::string& system, const std::string& name)
    {
        if (system == name || findSystem(system))
            return {};
        const std::string refusal = refusalOf(system);
        return refusal.empty() ? Words::tr("It is an option of an engine {}, which has no table here: put {}.toml into "
                                           "the folder adapters of your configuration.",
                                           inQuotes(system), system)
                               : Words::tr("The table of {} cannot be read: {} Fix or remove the table.",
                                           inQuotes(system), refusal);
    }

    static bool has(const Handlers& handlers, std::string_view name)
    {
        return std::ranges::any_of(handlers, [&](const auto& each) { return each.first == name; });
    }

    void readFormat(const Field& field)
    {
        readWhole(field, m_experiment.format);
        if (m_experiment.format != kExperimentFormat)
            block(field, placeOf(field.node->source().begin), std::to_string(m_experiment.format),
                  Words::tr("format {} is not known; this version reads format {}.", m_experiment.format,
                            kExperimentFormat),
                  Words::tr("Open it with the version that wrote it."));
    }

    const Setting* settingOf(const Field& field, const std::string& name)
    {
        static const Setting kAnything; // whose values are taken as they are
        const Setting* setting = findSetting(name);
        if (!setting && m_isStored && isOption(name))
            return &kAnything;
        if (!setting)
            unknownKey(field, name, settingKeys());
        return setting;
    }

    std::optional<Value> readValue(const Field& field, const Setting& setting)
    {
        const auto scalar = scalarOf(*field.node);
        if (!scalar) {
            expected(field, Words::tr("one value"),
                     field.node->is_array() ? Words::tr("Lists belong in [factors].") : std::string{});
            return std::nullopt;
        }
        return canonicalValue(setting, *scalar).value_or(*scalar); // what is out of range, validate() says
    }

    Settings readSettings(const Field& table)
    {
        Settings settings;
        for (const auto& [name, field] : settingsOf(table))
            if (const Setting* setting = settingOf(field, name))
                if (const auto value = readValue(field, *setting))
                    settings[name] = *value;
        return settings;
    }

    void readFactors(const Field& table)
    {
        for (const auto& [name, field] : settingsOf(table))
            if (const Setting* setting = settingOf(field, name))
                m_experiment.factors.push_back({name, readLevels(field, *setting)});
    }

    std::vector<Value> readLevels(const Field& field, const Setting& setting)
    {
        const auto* items = field.node->as_array();
        if (!items || items->size() > kMaxListLength) {
            expected(field, items ? Words::tr("a list of at most 1,000 levels") : Words::tr("a list"),
                     items ? "" : listHint(field, setting));
            return {};
        }
        std::vector<Value> levels;
        for (std::size_t i = 0; i < items->size(); ++i) {
            const Field level{fmt::format("{}[{}]", field.path, i), items->get(i)};
            notePosition(level);
            if (const auto value = readValue(level, setting))
                levels.push_back(*value);
        }
        return levels;
    }

    std::string listHint(const Field& field, const Setting& setting)
    {
        const auto scalar = scalarOf(*field.node);
        const bool words = setting.type == SettingType::word || setting.type == SettingType::path;
        if (!scalar)
            return Words::tr("Write [1, 2, 4].");
        const LevelList range = parseLevels(setting, toText(*scalar)); // as the window takes it
        return Words::tr("Write {}.", words || !range.errors.empty() ? asList(toText(*scalar), words)
                                                                     : fmt::format("[{}]", levelsToText(range.levels)));
    }

    void readConditional(const Field& table)
    {
        Conditional conditional;
        readTable(table, {{"match", [&](const Field& f) { conditional.match = readSettings(f); }},
                          {"set", [&](const Field& f) { conditional.set = readSettings(f); }}});
        m_experiment.when.push_back(std::move(conditional));
    }

    void readExclusion(const Field& table) { m_experiment.exclude.push_back(readSettings(table)); }

    void readPlans(const Field& table)
    {
        for (const auto& [name, field] : entriesOf(table))
            m_experiment.plans[name] = readPlan(*this, field, name);
    }

    bool m_isStored;
    Experiment m_experiment;
    const Handlers m_top = {
        {"format", [this](const Field& f) { readFormat(f); }},
        {"name", [this](const Field& f) { readText(f, m_experiment.name); }},
        {"question", [this](const Field& f) { readText(f, m_experiment.question); }},
        {"site", [this](const Field& f) { readText(f, m_experiment.site); }},
        {"factors", [this](const Field& f) { readFactors(f); }},
        {"fixed", [this](const Field& f) { m_experiment.fixed = readSettings(f); }},
        {"when", [this](const Field& f) { readEach(f, [this](const Field& each) { readConditional(each); }); }},
        {"plans", [this](const Field& f) { readPlans(f); }},
        {"runs", [this](const Field& f) { readTable(f, m_runs); }},
        {"base", [this](const Field& f) { m_experiment.base = readSettings(f); }},
        {"exclude", [this](const Field& f) { readEach(f, [this](const Field& each) { readExclusion(each); }); }}};
    const Handlers m_runs = {
        {"repeats", [this](const Field& f) { readWhole(f, m_experiment.runs.repeats); }},
        {"iterations", [this](const Field& f) { readWhole(f, m_experiment.runs.iterations); }},
        {"warmup", [this](const Field& f) { readWhole(f, m_experiment.runs.warmup); }},
        {"order", [this](const Field& f) { readWord(f, m_experiment.runs.order); }},
        {"seed", [this](const Field& f) { readWhole(f, m_experiment.runs.seed); }},
        {"hung_after_s", [this](const Field& f) { readWhole(f, m_experiment.runs.hungAfterSeconds); }}};
};

} // namespace

namespace {

ParseOutcome read(std::string_view toml, bool isStored)
{
    if (toml.size() > kMaxExperimentBytes) {
        std::string message = Words::tr("the file has {}; an experiment has at most {}.", humanBytes(toml.size()),
                                        humanBytes(kMaxExperimentBytes));
        return {
            {}, {{Severity::blocking, "", "", 0, 0, std::move(message), Words::tr("Choose an experiment file.")}}, {}};
    }
    const auto root = parsedToml(toml);
    return root ? Reader(isStored).read(*root) : ParseOutcome{{}, {root.error()}, {}};
}

/// Or the first problem.
Result<Experiment> experimentOf(ParseOutcome outcome, std::string_view file)
{
    if (outcome.experiment)
        return std::move(*outcome.experiment);
    sortByGravity(outcome.checks);
    return tl::unexpected(errorOf(std::move(outcome.checks.front()), file));
}

} // namespace

ParseOutcome readExperiment(std::string_view toml)
{
    return read(toml, false);
}

Result<Experiment> parseExperiment(std::string_view toml, std::string_view file)
{
    return experimentOf(readExperiment(toml), file);
}

Result<Experiment> parseStoredExperiment(std::string_view toml, std::string_view file)
{
    return experimentOf(read(toml, true), file);
}

} // namespace ringside::spec
