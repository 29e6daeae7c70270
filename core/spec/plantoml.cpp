// SPDX-License-Identifier: MIT
#include "core/spec/plantoml.h"

#include "core/spec/plans.h"
#include "core/spec/tomlreader.h"

#include <cmath>

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

    explicit PlanReader(TomlReader& reader)
        : m_reader(reader)
    {
    }

    AggregationPlan read(const Field& table, const std::string& name)
    {
        m_plan = baseOf(table, name);
        m_plan.name = name;
        m_reader.readTable(table, {{"based_on", [&](const Field& f) { checkBase(f); }},
                                   {"collective", [&](const Field& f) { readCollective(f); }},
                                   {"grouping", [&](const Field& f) { readGrouping(f); }},
                                   {"schedule", [&](const Field& f) { readSchedule(f); }},
                                   {"compression", [&](const Field& f) { readCompression(f); }}});
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

    /// A bare word, or { word = { settings } } for one that has some.
    template <class Part>
    void readPart(const Field& field, Part& part,
                  const std::vector<std::pair<Part, TomlReader::Handlers>>& withSettings, Part first = Part{})
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

    void readGrouping(const Field& field)
    {
        readPart(
            field, m_plan.grouping,
            {{Grouping::buckets,
              {{"first", [&](const Field& f) { readSize(f, m_plan.firstBucketBytes); }},
               {"cap", [&](const Field& f) { readSize(f, m_plan.bucketCapBytes); }}}},
             {Grouping::equalBuckets, {{"count", [&](const Field& f) { m_reader.readWhole(f, m_plan.bucketCount); }}}},
             {Grouping::fusion,
              {{"threshold", [&](const Field& f) { readSize(f, m_plan.fusionThresholdBytes); }},
               {"cycle", [&](const Field& f) {
                    m_reader.readParsed(f, m_plan.fusionCycleUs, parseCycle, Words::tr("a time with a unit"),
                                        Words::tr("Write \"1 ms\"; units are us, ms and s."));
                }}}}});
    }

    void readSchedule(const Field& field)
    {
        const TomlReader::Handlers chunk{{"chunk", [&](const Field& f) { readSize(f, m_plan.chunkBytes); }}};
        std::vector<std::pair<Schedule, TomlReader::Handlers>> layerwise;
        for (const ScheduleWords& words : kScheduleWords)
            if (words.isLayerwise)
                layerwise.emplace_back(words.part, chunk);
        readPart(field, m_plan.schedule, layerwise);
    }

    void readCompression(const Field& field)
    {
        readPart(field, m_plan.compression, {{Compression::topk, {{"share", [&](const Field& f) { readShare(f); }}}}});
    }

    void readSize(const Field& field, std::uint64_t& bytes)
    {
        m_reader.readParsed(field, bytes, parseSize, Words::tr("a size with a unit"),
                            Words::tr("Write \"25 MiB\"; units are B, KiB, MiB and GiB."));
    }

    void readShare(const Field& field)
    {
        const auto share = field.node->is_number() ? field.node->value<double>() : std::nullopt;
        const double ppm = share ? std::round(*share * kMillion) : 0;
        if (!(ppm >= 1 && ppm <= kMillion)) // also refuses NaN
            return m_reader.expected(field, Words::tr("a number above 0 and up to 1"),
                                     Words::tr("Write 0.01 for one gradient in a hundred."));
        m_plan.topkPpm = static_cast<int>(ppm);
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

std::string groupingText(const AggregationPlan& plan)
{
    switch (plan.grouping) {
    case Grouping::buckets:
        return fmt::format("{{ buckets = {{ first = \"{}\", cap = \"{}\" }} }}", formatSize(plan.firstBucketBytes),
                           formatSize(plan.bucketCapBytes));
    case Grouping::fusion:
        return fmt::format("{{ fusion = {{ threshold = \"{}\", cycle = \"{}\" }} }}",
                           formatSize(plan.fusionThresholdBytes), formatCycle(plan.fusionCycleUs));
    case Grouping::equalBuckets:
        return fmt::format("{{ equal_buckets = {{ count = {} }} }}", plan.bucketCount);
    default:
        return quotedToml(nameOf(plan.grouping));
    }
}

std::string scheduleText(const AggregationPlan& plan)
{
    if (!plan.isLayerwise())
        return quotedToml(nameOf(plan.schedule));
    return fmt::format("{{ {} = {{ chunk = \"{}\" }} }}", nameOf(plan.schedule), formatSize(plan.chunkBytes));
}

/// 12345 millionths as 0.012345, and all as 1.0.
std::string shareText(int ppm)
{
    std::string text = fmt::format("{}.{:06}", ppm / 1'000'000, ppm % 1'000'000);
    text.erase(text.find_last_not_of('0') + 1);
    return text.back() == '.' ? text + "0" : text;
}

std::string compressionText(const AggregationPlan& plan)
{
    if (plan.compression != Compression::topk)
        return quotedToml(nameOf(plan.compression));
    return fmt::format("{{ topk = {{ share = {} }} }}", shareText(plan.topkPpm));
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
    TomlLines lines = {
        {"collective", collectiveText(plan)}, {"grouping", groupingText(plan)}, {"schedule", scheduleText(plan)}};
    if (needsCompression(plan))
        lines.emplace_back("compression", compressionText(plan));
    return lines;
}

} // namespace ringside::spec
