// SPDX-License-Identifier: MIT
// Random experiments, seeded: what is written is read again, and cut-off files never crash the reader.
#include "core/spec/plans.h"
#include "core/spec/schema.h"
#include "tests/spec/examples.h"
#include "tests/support/seeds.h"

#include <random>

using namespace ringside;
using namespace ringside::spec;

namespace {

class Dice
{
public:
    explicit Dice(std::uint64_t seed)
        : m_generator(seed)
    {
    }
    std::size_t below(std::size_t limit) { return m_generator() % limit; }
    bool coin() { return below(2) == 0; }

    std::string text()
    {
        static const std::string kPieces[] = {"a", "Z", "7", "\"", "\\", "\n", "\t",
                                              " ", "=", "#", "é",  "日", "[",  "\x7f"};
        std::string text;
        for (std::size_t n = 1 + below(8); n > 0; --n)
            text += kPieces[below(std::size(kPieces))];
        return text;
    }

    Value valueOf(const Setting& setting)
    {
        if (setting.type == SettingType::integer)
            return static_cast<std::int64_t>(setting.minimum) + static_cast<std::int64_t>(below(64));
        if (setting.type == SettingType::real)
            return setting.minimum + (setting.maximum - setting.minimum) * static_cast<double>(below(1000)) / 999.0;
        return setting.levels.empty() ? text() : std::string(setting.levels[below(setting.levels.size())].word);
    }

    Settings settings()
    {
        Settings settings;
        for (const Setting& setting : schema())
            if (below(4) == 0)
                settings.emplace(setting.key, valueOf(setting));
        return settings;
    }

    AggregationPlan plan(std::string name)
    {
        AggregationPlan plan = builtInPlans()[below(4)].plan;
        plan.name = std::move(name);
        if (plan.grouping == Grouping::buckets)
            plan.bucketCapBytes = 1 + below(1u << 30);
        return plan;
    }

    Experiment experiment()
    {
        Experiment experiment;
        experiment.name = text();
        experiment.question = coin() ? text() : "";
        experiment.site = coin() ? kLocalSite : text();
        for (const Setting& setting : schema())
            if (below(4) == 0)
                experiment.factors.push_back({std::string(setting.key), {valueOf(setting), valueOf(setting)}});
        experiment.fixed = settings();
        for (std::size_t n = below(3); n > 0; --n)
            experiment.when.push_back({settings(), settings()});
        for (std::size_t n = below(3); n > 0; --n)
            if (const std::string name = text(); !experiment.plans.count(name))
                experiment.plans[name] = plan(name);
        experiment.runs = {static_cast<int>(below(10)), static_cast<int>(below(100)), static_cast<int>(below(9)),
                           coin() ? RunOrder::random : RunOrder::interleaved, below(1u << 31)};
        experiment.base = settings();
        for (std::size_t n = below(3); n > 0; --n)
            experiment.exclude.push_back(settings());
        return experiment;
    }

private:
    std::mt19937_64 m_generator;
};

} // namespace

TEST_CASE("reading what was written gives the same experiment")
{
    for (const auto seed : test::seeds(0, 500)) {
        CAPTURE(seed);
        const Experiment experiment = Dice(seed).experiment();
        const std::string text = writeExperiment(experiment);
        CAPTURE(text);
        const ParseOutcome outcome = readExperiment(text);
        REQUIRE_MESSAGE(outcome.experiment, printed(outcome.checks));
        CHECK(*outcome.experiment == experiment);
        CHECK(writeExperiment(*outcome.experiment) == text);
    }
}

TEST_CASE("a file cut off or damaged anywhere is read or refused, and validated or expanded without a crash")
{
    const std::string text = writeExperiment(Dice(1).experiment());
    Dice dice(2);
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string damaged = dice.coin() ? text.substr(0, i) : text;
        damaged[std::min(i, damaged.empty() ? 0 : damaged.size() - 1)] ^= static_cast<char>(1 + dice.below(255));
        const ParseOutcome outcome = checkExperiment(damaged);
        CHECK((outcome.experiment || hasBlocking(outcome.checks)));
        if (outcome.experiment && !hasBlocking(outcome.checks))
            CHECK(expand(*outcome.experiment));
    }
}

TEST_CASE("what validation lets pass can be expanded, and what it blocks cannot")
{
    int sound = 0;
    const auto seeds = test::seeds(0, 3'000);
    for (const auto seed : seeds) {
        CAPTURE(seed);
        Dice dice(seed);
        Experiment experiment = smallExperiment();
        experiment.fixed.merge(dice.settings());
        experiment.fixed.erase("ranks");
        experiment.fixed.erase("plan");
        experiment.when = {{dice.settings(), dice.settings()}};
        const auto checks = validate(experiment);
        const auto matrix = expand(experiment);
        sound += matrix ? 1 : 0;
        if (!hasBlocking(checks))
            REQUIRE_MESSAGE(matrix, errorOf(experiment));
        if (!matrix)
            REQUIRE_MESSAGE(hasBlocking(checks), matrix.error().text());
    }
    CHECK((sound > 100 || seeds.size() == 1));
}
