// SPDX-License-Identifier: MIT
#include "core/spec/toml.h"

#include "core/base/text.h"
#include "core/spec/plans.h"
#include "core/spec/schema.h"
#include "core/spec/syntaxhint.h"
#include "core/spec/tomlplusplus.h"
#include "core/spec/wording.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace ringside::spec {

namespace {

constexpr std::size_t kMaxListLength = 1'000;
/// Together with TOML_MAX_NESTED_VALUES this bounds the depth of the tree, which is taken down recursively.
constexpr std::ptrdiff_t kMaxDotsInLine = 64;

/// A node with its place in the file.
struct Field
{
    std::string path;
    const toml::node* node;
};

Position placeOf(const toml::source_position& at)
{
    return {static_cast<int>(at.line), static_cast<int>(at.column)};
}

std::optional<Value> scalarOf(const toml::node& node)
{
    if (const auto* text = node.as_string())
        return Value(text->get());
    if (const auto* integer = node.as_integer())
        return Value(integer->get());
    if (const auto* real = node.as_floating_point())
        return Value(real->get());
    if (const auto* flag = node.as_boolean())
        return Value(flag->get());
    return std::nullopt;
}

std::string foundText(const toml::node& node)
{
    if (const auto scalar = scalarOf(node))
        return toText(*scalar);
    return node.is_table() ? Words::tr("a table") : node.is_array() ? Words::tr("a list") : Words::tr("a date or time");
}

/// Walks the tree once, keeps what is right and notes what is not.
class Reader
{
public:
    ParseOutcome read(const toml::table& root)
    {
        readTable({"", &root}, m_top);
        if (!root.contains("format"))
            m_outcome.checks.push_back({Severity::hint, "format", "", 1, 1,
                                        Words::tr("The format is not said and is taken as 1."),
                                        Words::tr("Write format = 1 at the top.")});
        if (!hasBlocking(m_outcome.checks))
            m_outcome.experiment = std::move(m_experiment);
        return std::move(m_outcome);
    }

private:
    using Handler = std::function<void(const Field&)>;
    using Handlers = std::vector<std::pair<std::string_view, Handler>>;

    void block(const Field& field, Position at, std::string value, std::string message, std::string hint = {})
    {
        m_outcome.checks.push_back({Severity::blocking, field.path, std::move(value), at.line, at.column,
                                    std::move(message), std::move(hint)});
    }

    void expected(const Field& field, std::string_view what, std::string hint = {})
    {
        const std::string found = foundText(*field.node);
        block(field, placeOf(field.node->source().begin), found,
              Words::tr("expected {}, found {}.", what, inQuotes(found)), std::move(hint));
    }

    void expectedNumber(const Field& field)
    {
        const auto scalar = scalarOf(*field.node);
        if (!scalar || unquoting(*scalar).empty())
            return expected(field, Words::tr("a whole number"));
        block(field, placeOf(field.node->source().begin), toText(*scalar),
              Words::tr("expected a whole number, found {}.", foundInstead(*scalar)), unquoting(*scalar));
    }

    /// The entries of a table in the order of the file; notes their places.
    std::vector<std::pair<std::string, Field>> entriesOf(const Field& table)
    {
        const auto* entries = table.node->as_table();
        if (!entries) {
            expected(table, Words::tr("a table"));
            return {};
        }
        std::vector<std::pair<const toml::key*, const toml::node*>> ordered;
        for (const auto& [key, node] : *entries)
            ordered.emplace_back(&key, &node);
        std::sort(ordered.begin(), ordered.end(),
                  [](const auto& a, const auto& b) { return a.first->source().begin < b.first->source().begin; });
        std::vector<std::pair<std::string, Field>> fields;
        for (const auto& [key, node] : ordered) {
            const std::string name(key->str());
            Field field{table.path.empty() ? name : table.path + "." + name, node};
            notePosition(field);
            m_keyPositions[field.path] = placeOf(key->source().begin);
            fields.emplace_back(name, std::move(field));
        }
        return fields;
    }

    void notePosition(const Field& field) { m_outcome.positions[field.path] = placeOf(field.node->source().begin); }

    void unknownKey(const Field& field, const std::string& name, const std::vector<std::string>& known)
    {
        const std::string home = homeOf(name);
        block(field, m_keyPositions[field.path], name, Words::tr("{} is not known here.", inQuotes(name)),
              home.empty() ? suggestion(name, known) : home);
    }

    /// Where else in the file a key that is not known in its place belongs.
    std::string homeOf(const std::string& name) const
    {
        if (has(m_top, name))
            return Words::tr("It belongs at the top level of the file, above the first table.");
        if (has(m_runs, name))
            return Words::tr("It belongs in [runs].");
        return findSetting(name) ? Words::tr("It belongs in [fixed], or in [factors] with its levels.") : std::string{};
    }

    static bool has(const Handlers& handlers, std::string_view name)
    {
        return std::any_of(handlers.begin(), handlers.end(), [&](const auto& each) { return each.first == name; });
    }

    void readTable(const Field& table, const Handlers& handlers)
    {
        std::vector<std::string> known;
        for (const auto& [name, handler] : handlers)
            known.emplace_back(name);
        for (const auto& [name, field] : entriesOf(table)) {
            const auto found = std::find(known.begin(), known.end(), name);
            if (found == known.end())
                unknownKey(field, name, known);
            else
                handlers[static_cast<std::size_t>(found - known.begin())].second(field);
        }
    }

    void readEach(const Field& list, void (Reader::*readOne)(const Field&))
    {
        const auto* items = list.node->as_array();
        if (!items || items->size() > kMaxListLength)
            return expected(list, Words::tr("a list of tables"), Words::tr("Write [[{}]].", list.path));
        for (std::size_t i = 0; i < items->size(); ++i) {
            const Field item{fmt::format("{}[{}]", list.path, i), items->get(i)};
            notePosition(item);
            (this->*readOne)(item);
        }
    }

    void readText(const Field& field, std::string& text)
    {
        if (const auto* value = field.node->as_string())
            text = value->get();
        else
            expected(field, Words::tr("a text in quotes"));
    }

    template <class Number> void readWhole(const Field& field, Number& number)
    {
        const auto value = field.node->value<std::int64_t>();
        const bool fits = value && (std::is_unsigned_v<Number> ? *value >= 0
                                                               : *value >= std::numeric_limits<int>::min() &&
                                                                     *value <= std::numeric_limits<int>::max());
        if (!fits)
            return expectedNumber(field);
        number = static_cast<Number>(*value);
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
        const Setting* setting = findSetting(name);
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
        for (const auto& [name, field] : entriesOf(table))
            if (const Setting* setting = settingOf(field, name))
                if (const auto value = readValue(field, *setting))
                    settings[name] = *value;
        return settings;
    }

    void readFactors(const Field& table)
    {
        for (const auto& [name, field] : entriesOf(table))
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
        return scalar ? Words::tr("Write {}.", asList(toText(*scalar), words)) : Words::tr("Write [1, 2, 4].");
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
            m_experiment.plans[name] = readPlan(field, name);
    }

    /// What a plan does not say it has from the built-in plan of its name, else from `one`.
    AggregationPlan readPlan(const Field& table, const std::string& name)
    {
        const BuiltInPlan* builtIn = findBuiltInPlan(name);
        AggregationPlan plan = builtIn ? builtIn->plan : builtInPlans().front().plan;
        plan.name = name;
        readTable(table,
                  {{"collective", [&](const Field& f) { readWord(f, plan.collective, {Collective::allreduce}); }},
                   {"grouping", [&](const Field& f) { readGrouping(f, plan); }},
                   {"schedule", [&](const Field& f) {
                        readWord(f, plan.schedule, {Schedule::afterBackward, Schedule::overlapped});
                    }}});
        return plan;
    }

    template <class Word> void readWord(const Field& field, Word& word, const std::vector<Word>& all)
    {
        const auto text = field.node->value<std::string>();
        std::vector<std::string> known;
        for (const Word candidate : all) {
            known.emplace_back(nameOf(candidate));
            if (field.node->is_string() && text == known.back())
                return void(word = candidate);
        }
        expected(field, Words::tr("one of {}", listed(known)), text ? suggestion(*text, known) : std::string{});
    }

    void readGrouping(const Field& field, AggregationPlan& plan)
    {
        if (!field.node->is_table())
            return readWord(field, plan.grouping, {Grouping::one, Grouping::buckets});
        readTable(field, {{"buckets", [&](const Field& buckets) {
                               plan.grouping = Grouping::buckets;
                               readTable(buckets,
                                         {{"first", [&](const Field& f) { readSize(f, plan.firstBucketBytes); }},
                                          {"cap", [&](const Field& f) { readSize(f, plan.bucketCapBytes); }}});
                           }}});
    }

    void readSize(const Field& field, std::uint64_t& bytes)
    {
        const auto* text = field.node->as_string();
        const auto size = text ? parseSize(text->get()) : std::nullopt;
        if (!size)
            return expected(field, Words::tr("a size with a unit"),
                            Words::tr("Write \"25 MiB\"; units are B, KiB, MiB and GiB."));
        bytes = *size;
    }

    void readOrder(const Field& field)
    {
        readWord(field, m_experiment.runs.order, {RunOrder::interleaved, RunOrder::random});
    }

    Experiment m_experiment;
    const Handlers m_top = {{"format", [this](const Field& f) { readFormat(f); }},
                            {"name", [this](const Field& f) { readText(f, m_experiment.name); }},
                            {"question", [this](const Field& f) { readText(f, m_experiment.question); }},
                            {"site", [this](const Field& f) { readText(f, m_experiment.site); }},
                            {"factors", [this](const Field& f) { readFactors(f); }},
                            {"fixed", [this](const Field& f) { m_experiment.fixed = readSettings(f); }},
                            {"when", [this](const Field& f) { readEach(f, &Reader::readConditional); }},
                            {"plans", [this](const Field& f) { readPlans(f); }},
                            {"runs", [this](const Field& f) { readTable(f, m_runs); }},
                            {"base", [this](const Field& f) { m_experiment.base = readSettings(f); }},
                            {"exclude", [this](const Field& f) { readEach(f, &Reader::readExclusion); }}};
    const Handlers m_runs = {{"repeats", [this](const Field& f) { readWhole(f, m_experiment.runs.repeats); }},
                             {"iterations", [this](const Field& f) { readWhole(f, m_experiment.runs.iterations); }},
                             {"warmup", [this](const Field& f) { readWhole(f, m_experiment.runs.warmup); }},
                             {"order", [this](const Field& f) { readOrder(f); }},
                             {"seed", [this](const Field& f) { readWhole(f, m_experiment.runs.seed); }}};
    ParseOutcome m_outcome;
    Positions m_keyPositions;
};

ParseOutcome refused(Position at, std::string message, std::string hint)
{
    ParseOutcome outcome;
    outcome.checks.push_back({Severity::blocking, "", "", at.line, at.column, std::move(message), std::move(hint)});
    return outcome;
}

/// The first line with so many dots that its keys could nest dangerously deep.
std::optional<int> lineTooDeep(std::string_view text)
{
    for (int line = 1; !text.empty(); ++line) {
        const std::string_view content = text.substr(0, text.find('\n'));
        if (std::count(content.begin(), content.end(), '.') > kMaxDotsInLine)
            return line;
        text.remove_prefix(std::min(text.size(), content.size() + 1));
    }
    return std::nullopt;
}

} // namespace

ParseOutcome readExperiment(std::string_view toml)
{
    if (toml.size() > kMaxExperimentBytes)
        return refused({},
                       Words::tr("the file has {}; an experiment has at most {}.", humanBytes(toml.size()),
                                 humanBytes(kMaxExperimentBytes)),
                       Words::tr("Choose an experiment file."));
    if (const auto line = lineTooDeep(toml))
        return refused(
            {*line, 0},
            Words::counted("more than {} dots in one line.", "more than {} dot in one line.", kMaxDotsInLine),
            Words::tr("Break the line."));
    const toml::parse_result parsed = toml::parse(toml);
    if (parsed)
        return Reader().read(parsed.table());
    const SyntaxHint hint = syntaxHint(toml, placeOf(parsed.error().source().begin), parsed.error().description());
    return refused(hint.at, hint.message, hint.hint);
}

Result<Experiment> parseExperiment(std::string_view toml, std::string_view file)
{
    ParseOutcome outcome = readExperiment(toml);
    if (outcome.experiment)
        return std::move(*outcome.experiment);
    sortByGravity(outcome.checks);
    Check first = outcome.checks.front();
    const std::string hint = std::exchange(first.hint, {});
    return fail(ErrorCode::usage, toText(first, file), hint);
}

} // namespace ringside::spec
