// SPDX-License-Identifier: MIT
#include "core/spec/smallform.h"

#include "core/base/sequences.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/spec/matrix.h"
#include "core/spec/systems.h"
#include "core/spec/validate.h"
#include "core/spec/wording.h"

#include <algorithm>

namespace ringside::spec {

namespace {

constexpr const char *kSmallModel = "lenet", *kLargerModel = "alexnet";
constexpr std::int64_t kPixels = 32, kLargerModelsPixels = 64; // AlexNet has nothing left of less than 63
constexpr int kMostRepeats = 2, kMostIterations = 20, kMostWarmup = 5;
constexpr std::size_t kMostRunsOfRepeats = 60; // a framework takes up to 15 s to start, and the small form 15 minutes

struct Most
{
    std::string_view key;
    std::int64_t value;
};
constexpr Most kMost[] = {{"ranks", 2},          {"batch_per_rank", 8}, {"batch_global", 16},
                          {"cores_per_rank", 2}, {"decode_threads", 1}, {"sequence_length", 32}};
constexpr std::string_view kDropped[] = {"image_size", "data_path", "cuda_graph", "cudnn_benchmark", "tf32",
                                         "backend",    "interface", "nodes",      "ranks_per_node"};

struct Replaced
{
    std::string_view key, level, by;
};
constexpr Replaced kReplaced[] = {
    {"device", "cuda", "cpu"}, {"data", "folder", "synthetic-files"}, {"precision", "fp16", "bf16"}};

/// The engines of the experiment that `here` lacks, unless it has none of them: check says then what is missing.
std::vector<const System*> absentSystems(const Experiment& experiment, const SiteLimits& here)
{
    const Factor* engines = experiment.factor("engine");
    std::vector<const System*> absent;
    for (const Value& level : engines ? engines->levels : std::vector<Value>{}) {
        const auto* name = std::get_if<std::string>(&level);
        const System* system = name ? findSystem(*name) : nullptr;
        if (system && system->needsInstallation && here.engines && !here.engines->contains(*name) &&
            !contains(absent, system))
            absent.push_back(system);
    }
    const auto isAbsent = [&](const Value& level) {
        return std::ranges::any_of(absent, [&](const System* each) { return level == Value(each->name); });
    };
    return engines && std::ranges::all_of(engines->levels, isAbsent) ? std::vector<const System*>{} : absent;
}

class SmallForm
{
public:
    SmallForm(const Experiment& experiment, const SiteLimits& here)
        : m_absent(absentSystems(experiment, here))
        , m_all(experiment)
        , m_small(experiment)
    {
    }

    Experiment made()
    {
        constexpr std::string_view kSuffix = "-small";
        m_small.name = std::string(beginning(m_small.name, kLongestName - kSuffix.size())).append(kSuffix);
        m_small.site = kLocalSite;
        m_small.runs.repeats = std::min(m_small.runs.repeats, kMostRepeats);
        m_small.runs.iterations = std::min(m_small.runs.iterations, kMostIterations);
        m_small.runs.warmup = std::min(m_small.runs.warmup, kMostWarmup);
        makeOneNode();
        m_small.fixed = smallSettings(m_small.fixed);
        for (Factor& factor : m_small.factors)
            factor.levels = smallLevels(factor);
        std::erase_if(m_small.factors, [](const Factor& factor) { return factor.levels.empty(); });
        for (Conditional& conditional : m_small.when)
            conditional.set = smallSettings(conditional.set);
        std::erase_if(m_small.when, [&](const Conditional& conditional) {
            return conditional.set.empty() || !stays(conditional.match);
        });
        std::erase_if(m_small.exclude, [&](const Settings& exclusion) { return !isStillMeant(exclusion); });
        for (Settings& exclusion : m_small.exclude)
            exclusion = smallSettings(exclusion);
        m_small.base = smallBase();
        for (auto& [name, plan] : m_small.plans)
            plan.serverPlacement = Placement::shared; // one computer has no nodes of their own
        addPixels();
        limitRepeats();
        return std::move(m_small);
    }

private:
    /// Nothing: it has no place here.
    std::optional<Value> smallValue(std::string_view key, const Value& value) const
    {
        const auto* text = std::get_if<std::string>(&value);
        if (contains(kDropped, key) || isOfAbsent(key))
            return std::nullopt;
        if (key == "model")
            return std::string(text && *text == kLargerModel && hasSeveralModels() ? kLargerModel : kSmallModel);
        for (const Replaced& replaced : kReplaced)
            if (key == replaced.key && text && *text == replaced.level)
                return std::string(replaced.by);
        for (const Most& most : kMost)
            if (const auto* number = std::get_if<std::int64_t>(&value); key == most.key && number)
                return std::min(*number, most.value);
        return value;
    }

    Settings smallSettings(const Settings& settings) const
    {
        Settings small;
        for (const auto& [key, value] : settings)
            if (const auto kept = smallValue(key, value))
                small[key] = *kept;
        return small;
    }

    /// Questions over nodes become questions over ranks.
    void makeOneNode()
    {
        const auto isOfNodes = [](const auto& key) { return key == "nodes" || key == "ranks_per_node"; };
        const auto mentions = [&](const Settings& settings) {
            return std::ranges::any_of(settings, isOfNodes, &Settings::value_type::first);
        };
        const Value one = std::int64_t{1}, two = std::int64_t{2};
        if (mentions(m_small.base))
            m_small.base["ranks"] = fewestRanks().value_or(one);
        if (m_small.factor("ranks") || m_small.fixed.contains("ranks"))
            return;
        const auto factor = std::ranges::find_if(m_small.factors, isOfNodes, &Factor::key);
        if (factor != m_small.factors.end())
            *factor = {"ranks", {one, two}};
        else if (mentions(m_small.fixed))
            m_small.fixed["ranks"] = two;
    }

    /// Returns the fewest of the small form; nullopt where the experiment does not say ranks.
    std::optional<Value> fewestRanks() const
    {
        const Factor* factor = m_small.factor("ranks");
        std::vector<Value> levels = factor ? smallLevels(*factor) : std::vector<Value>{};
        if (const Value* fixed = valueOf(m_small.fixed, "ranks"); fixed && !factor)
            levels = {smallValue("ranks", *fixed).value_or(*fixed)};
        return levels.empty() ? std::nullopt : std::optional(*std::ranges::min_element(levels));
    }

    /// Without an engine that is not here: what is left is compared as if none were set.
    Settings smallBase() const
    {
        const Value* engine = valueOf(m_small.base, "engine");
        const Factor* engines = m_small.factor("engine");
        const bool isGone = engine && engines && !contains(engines->levels, *engine);
        return isGone ? Settings{} : smallSettings(m_small.base);
    }

    /// An engine that is left out.
    bool isAbsent(std::string_view key, const Value& level) const
    {
        return key == "engine" &&
               std::ranges::any_of(m_absent, [&](const System* system) { return level == Value(system->name); });
    }

    /// An option of one, which would have no effect.
    bool isOfAbsent(std::string_view key) const
    {
        return std::ranges::any_of(m_absent, [&](const System* system) { return system->option(key) != nullptr; });
    }

    /// Each once, in the order of the file.
    std::vector<Value> smallLevels(const Factor& factor) const
    {
        std::vector<Value> levels;
        for (const Value& level : factor.levels)
            if (const auto kept = smallValue(factor.key, level);
                kept && !contains(levels, *kept) && !isAbsent(factor.key, level))
                levels.push_back(*kept);
        return levels;
    }

    bool hasSeveralModels() const
    {
        const Factor* models = m_small.factor("model");
        return models && models->levels.size() > 1;
    }

    /// Returns whether what matches configurations of the experiment matches those of the small form.
    bool stays(const Settings& match) const { return smallSettings(match) == match; }

    /// Returns whether the configurations that it leaves out have some of their own here: each of its levels is
    /// replaced by one that replaces no other level of the factor.
    bool isStillMeant(const Settings& exclusion) const
    {
        return std::ranges::all_of(exclusion, [&](const auto& entry) {
            const auto small = smallValue(entry.first, entry.second);
            return small && standsForOne(entry.first, entry.second, *small);
        });
    }

    bool standsForOne(const std::string& key, const Value& level, const Value& small) const
    {
        const Factor* factor = m_all.factor(key);
        const Value* fixed = valueOf(m_all.fixed, key);
        if (!factor)
            return small == level || (fixed && *fixed == level);
        return std::ranges::count_if(factor->levels,
                                     [&](const Value& other) { return smallValue(key, other) == small; }) == 1;
    }

    void addPixels()
    {
        m_small.fixed["image_size"] = kPixels;
        const Factor* models = m_small.factor("model");
        if (models && contains(models->levels, Value(std::string(kLargerModel))))
            m_small.when.push_back(
                {{{"model", Value(std::string(kLargerModel))}}, {{"image_size", Value(kLargerModelsPixels)}}});
    }

    void limitRepeats()
    {
        const auto matrix = expand(m_small);
        if (matrix && matrix->runs.size() > kMostRunsOfRepeats)
            m_small.runs.repeats = 1;
    }

    std::vector<const System*> m_absent;
    const Experiment& m_all;
    Experiment m_small;
};

} // namespace

Experiment smallForm(const Experiment& experiment, const SiteLimits& here)
{
    return SmallForm(experiment, here).made();
}

std::vector<Check> leftOutOfSmallForm(const Experiment& experiment, const SiteLimits& here)
{
    const std::vector<const System*> absent = absentSystems(experiment, here);
    if (absent.empty())
        return {};
    const auto titles = mapped(absent, [](const System* system) { return system->title; });
    Check check;
    check.severity = Severity::hint;
    check.field = "factors.engine";
    check.message =
        about("engine", Words::counted("{1} are left out of the small form: this computer does not have them.",
                                       "{1} is left out of the small form: this computer does not have it.",
                                       absent.size(), listed(titles)));
    check.hint = Words::tr("To install: ringside-cli engine install {}.",
                           absent.size() == 1 ? absent.front()->name : std::string("NAME"));
    return {check};
}

} // namespace ringside::spec
