// SPDX-License-Identifier: MIT
#include "core/spec/plantoml.h"

#include "core/spec/plannumbers.h"
#include "core/spec/planparts.h"
#include "core/spec/plans.h"
#include "core/spec/tomlreader.h"

#include <cmath>
#include <variant>

namespace ringside::spec {

namespace {

enum class Updates
{
    synchronous,
    asynchronous
};
constexpr auto namesOf(Updates)
{
    return std::to_array<std::string_view>({"synchronous", "asynchronous"});
}

constexpr std::string_view kPerNode = "per_node"; ///< in place of a number of servers

/// Reads one [plans.NAME].
class PlanReader
{
public:
    using Field = TomlField;
    using Plan = AggregationPlan;

    explicit PlanReader(TomlReader& reader)
        : m_reader(reader)
    {
    }

    AggregationPlan read(const Field& table, const std::string& name)
    {
        m_plan = baseOf(table, name);
        m_plan.name = name;
        m_reader.readTable(
            table, {{"based_on", [&](const Field& f) { checkBase(f); }},
                    {"collective", [&](const Field& f) { readCollective(f); }},
                    {"grouping", [&](const Field& f) { readNumbered(f, kGroupings, &Plan::grouping); }},
                    {"schedule", [&](const Field& f) { readNumbered(f, kSchedules, &Plan::schedule); }},
                    {"compression", [&](const Field& f) { readNumbered(f, kCompressions, &Plan::compression); }}});
        return onlyWhatCounts(m_plan);
    }

private:
    /// Before the other keys, wherever it is.
    static AggregationPlan baseOf(const Field& table, const std::string& name)
    {
        const auto* entries = table.node->as_table();
        const auto* said = entries ? entries->get_as<std::string>("based_on") : nullptr;
        const BuiltInPlan* base = findBuiltInPlan(said ? said->get() : name);
        return base ? base->plan : builtInPlans().front().plan;
    }

    void checkBase(const Field& field)
    {
        const auto* text = field.node->as_string();
        if (text && text->get() != kNoPlan && findBuiltInPlan(text->get()))
            return;
        std::vector<std::string> known;
        for (const BuiltInPlan& each : builtInPlans())
            if (each.plan.name != kNoPlan)
                known.push_back(each.plan.name);
        m_reader.expected(field, Words::tr("the name of a built-in plan"),
                          text ? suggestion(text->get(), known) : Words::tr("Write \"buckets\"."));
    }

    template <class Part> using WithSettings = std::vector<std::pair<Part, TomlReader::Handlers>>;

    /// A bare word, or { word = { settings } } for one that has some.
    template <class Part>
    void readPart(const Field& field, Part& part, const WithSettings<Part>& withSettings, Part first = Part{})
    {
        const auto* table = field.node->as_table();
        if (!table)
            return m_reader.readWord(field, part, first);
        TomlReader::Handlers handlers;
        for (const auto& [each, settings] : withSettings)
            handlers.emplace_back(nameOf(each), [&, &each = each, &settings = settings](const Field& f) {
                part = each;
                m_reader.readTable(f, settings);
            });
        if (table->size() != 1)
            return m_reader.expected(field, Words::tr("one word with its settings"),
                                     Words::tr("Write {{ {} = {{ … }} }}.", handlers.front().first));
        m_reader.readTable(field, handlers);
    }

    void readCollective(const Field& field)
    {
        readPart(field, m_plan.collective,
                 {{Collective::parameterServer,
                   {{"servers", [&](const Field& f) { readServers(f); }},
                    {"updates", [&](const Field& f) { readUpdates(f); }},
                    {"placement", [&](const Field& f) { m_reader.readWord(f, m_plan.serverPlacement); }}}}},
                 Collective::allreduce); // a plan of several ranks has one
    }

    /// A number, or a word for as many as there are nodes.
    void readServers(const Field& field)
    {
        m_plan.serverPerNode = field.node->value<std::string_view>() == kPerNode;
        if (!m_plan.serverPerNode)
            m_reader.readWhole(field, m_plan.servers);
    }

    void readUpdates(const Field& field)
    {
        Updates updates = m_plan.asynchronous ? Updates::asynchronous : Updates::synchronous;
        m_reader.readWord(field, updates);
        m_plan.asynchronous = updates == Updates::asynchronous;
    }

    /// One of these, with the numbers that it has.
    template <class Parts, class Part> void readNumbered(const Field& field, const Parts& parts, Part Plan::*member)
    {
        WithSettings<Part> withNumbers;
        for (const Part part : parts) {
            TomlReader::Handlers handlers;
            for (const PlanNumber& number : planNumbers())
                if (counts(number, planWith(member, part)))
                    handlers.emplace_back(number.key, [this, &number](const Field& f) { readNumber(f, number); });
            if (!handlers.empty())
                withNumbers.emplace_back(part, std::move(handlers));
        }
        readPart(field, m_plan.*member, withNumbers);
    }

    void readNumber(const Field& field, const PlanNumber& number)
    {
        std::visit([&](auto form) { read(field, form, m_plan.*form.member); }, number.form);
    }

    void read(const Field& field, PlanSize, std::uint64_t& bytes)
    {
        m_reader.readParsed(field, bytes, parseSize, Words::tr("a size with a unit"),
                            Words::tr("Write \"25 MiB\"; units are B, KiB, MiB and GiB."));
    }

    void read(const Field& field, PlanTime, std::int64_t& microseconds)
    {
        m_reader.readParsed(field, microseconds, parseCycle, Words::tr("a time with a unit"),
                            Words::tr("Write \"1 ms\"; units are us, ms and s."));
    }

    void read(const Field& field, PlanCount, int& count) { m_reader.readWhole(field, count); }

    void read(const Field& field, PlanShare, int& millionths)
    {
        const auto share = field.node->is_number() ? field.node->value<double>() : std::nullopt;
        const double ppm = share ? std::round(*share * kMillion) : 0;
        if (!(ppm >= 1 && ppm <= kMillion)) // also refuses NaN
            return m_reader.expected(field, Words::tr("a number above 0 and up to 1"),
                                     Words::tr("Write 0.01 for one gradient in a hundred."));
        millionths = static_cast<int>(ppm);
    }

    static constexpr double kMillion = 1'000'000;

    TomlReader& m_reader;
    AggregationPlan m_plan;
};

std::string collectiveText(const AggregationPlan& plan)
{
    if (plan.collective != Collective::parameterServer)
        return quotedToml(nameOf(plan.collective));
    return fmt::format("{{ parameter_server = {{ servers = {}, updates = \"{}\", placement = \"{}\" }} }}",
                       plan.serverPerNode ? quotedToml(kPerNode) : std::to_string(plan.servers),
                       nameOf(plan.asynchronous ? Updates::asynchronous : Updates::synchronous),
                       nameOf(plan.serverPlacement));
}

std::string tomlOf(std::uint64_t bytes, PlanSize)
{
    return quotedToml(formatSize(bytes));
}

std::string tomlOf(std::int64_t microseconds, PlanTime)
{
    return quotedToml(formatCycle(microseconds));
}

std::string tomlOf(int count, PlanCount)
{
    return std::to_string(count);
}

/// 12345 millionths as 0.012345, and all as 1.0.
std::string tomlOf(int millionths, PlanShare)
{
    std::string text = fmt::format("{}.{:06}", millionths / 1'000'000, millionths % 1'000'000);
    text.erase(text.find_last_not_of('0') + 1);
    return text.back() == '.' ? text + "0" : text;
}

/// "one", or { buckets = { first = "1 MiB", cap = "25 MiB" } } of a part that has numbers.
template <class Part> std::string partText(const AggregationPlan& plan, Part AggregationPlan::*member)
{
    const AggregationPlan alone = planWith(member, plan.*member);
    std::vector<std::string> numbers;
    for (const PlanNumber& number : planNumbers())
        if (counts(number, alone))
            numbers.push_back(
                fmt::format("{} = {}", number.key,
                            std::visit([&](auto form) { return tomlOf(plan.*form.member, form); }, number.form)));
    const std::string_view word = nameOf(plan.*member);
    return numbers.empty() ? quotedToml(word) : fmt::format("{{ {} = {{ {} }} }}", word, fmt::join(numbers, ", "));
}

/// It is needed where its absence would be read as something else.
bool needsCompression(const AggregationPlan& plan)
{
    const BuiltInPlan* builtIn = findBuiltInPlan(plan.name);
    return plan.compression != Compression::none || (builtIn && builtIn->plan.compression != Compression::none);
}

} // namespace

AggregationPlan readPlan(TomlReader& reader, const TomlField& table, const std::string& name)
{
    return PlanReader(reader).read(table, name);
}

TomlLines planLines(const AggregationPlan& plan)
{
    TomlLines lines = {{"collective", collectiveText(plan)},
                       {"grouping", partText(plan, &AggregationPlan::grouping)},
                       {"schedule", partText(plan, &AggregationPlan::schedule)}};
    if (needsCompression(plan))
        lines.emplace_back("compression", partText(plan, &AggregationPlan::compression));
    return lines;
}

} // namespace ringside::spec
