// SPDX-License-Identifier: MIT
#include "core/stats/best.h"
#include "core/stats/quantile.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <random>

using namespace ringside::stats;

namespace {

using Groups = std::vector<std::vector<double>>;

/// Rates of runs: log-normal, the median and the spread as said.
class Runs
{
public:
    explicit Runs(std::uint64_t seed)
        : m_random(seed)
    {
    }

    std::vector<double> draw(int n, double median = 100, double spread = 0.03)
    {
        std::vector<double> rates;
        for (int i = 0; i < n; ++i)
            rates.push_back(median * std::exp(spread * m_normal(m_random)));
        return rates;
    }

    Groups alike(int groups, int n)
    {
        Groups drawn;
        for (int i = 0; i < groups; ++i)
            drawn.push_back(draw(n));
        return drawn;
    }

private:
    std::mt19937_64 m_random;
    std::normal_distribution<double> m_normal;
};

constexpr int kQuick = 199; ///< permutations; 5 % of 200 are whole, so the level is the same

bool claimsAny(const BestOf& compared)
{
    return std::any_of(compared.groups.begin(), compared.groups.end(),
                       [](const AgainstBest& group) { return group.p <= kSignificance; });
}

/// Tables with a claim among so many.
template <class Draw> int claims(int tables, Draw draw)
{
    int count = 0;
    for (int i = 0; i < tables; ++i)
        count += claimsAny(compareWithBest(draw(), kSignificance, kQuick));
    return count;
}

/// 5 % of the tables and three standard errors of a count that is no greater.
double mostOf(int tables)
{
    return 0.05 * tables + 3 * std::sqrt(0.05 * 0.95 * tables);
}

} // namespace

TEST_CASE("Among identical plans at most 5 % of tables hold a false claim")
{
    constexpr int kTables = 300;
    for (const int plans : {3, 8, 14})
        for (const int n : {6, 10, 20}) {
            Runs runs(static_cast<std::uint64_t>(1'000 * plans + n));
            CAPTURE(plans);
            CAPTURE(n);
            CHECK(claims(kTables, [&] { return runs.alike(plans, n); }) <= mostOf(kTables));
        }
}

TEST_CASE("Nor do more where one plan scatters three times as much, or has fewer runs")
{
    constexpr int kTables = 300;
    for (const int plans : {2, 8}) {
        Runs runs(static_cast<std::uint64_t>(77 + plans));
        CAPTURE(plans);
        const auto scattered = [&](int n) {
            Groups groups = runs.alike(plans, 10);
            groups.front() = runs.draw(n, 100, 0.09);
            return groups;
        };
        CHECK(claims(kTables, [&] { return scattered(10); }) <= mostOf(kTables));
        CHECK(claims(kTables, [&] { return scattered(6); }) <= mostOf(kTables));
    }
}

TEST_CASE("Nor among the fast ones where others are far slower")
{
    constexpr int kTables = 200, kFast = 4;
    Runs runs(5);
    int wrong = 0;
    for (int table = 0; table < kTables; ++table) {
        Groups groups = runs.alike(kFast, 6);
        for (const double median : {10.0, 50.0, 60.0, 75.0})
            groups.push_back(runs.draw(6, median));
        const BestOf compared = compareWithBest(groups, kSignificance, kQuick);
        for (std::size_t i = 0; i < groups.size(); ++i)
            CHECK((i < kFast || compared.groups[i].p <= kSignificance));
        wrong += std::any_of(compared.groups.begin(), compared.groups.begin() + kFast,
                             [](const AgainstBest& group) { return group.p <= kSignificance; });
    }
    CHECK(wrong <= mostOf(kTables));
}

TEST_CASE("A plan that is 20 % slower is found among 3, 8 and 14")
{
    for (const int plans : {3, 8, 14}) {
        Runs runs(static_cast<std::uint64_t>(plans));
        int found = 0;
        for (int table = 0; table < 50; ++table) {
            Groups groups = runs.alike(plans, 6);
            groups.back() = runs.draw(6, 80);
            found += compareWithBest(groups, kSignificance, kQuick).groups.back().p <= kSignificance;
        }
        CAPTURE(plans);
        CHECK(found >= 48);
    }
}

TEST_CASE("The ratio is that of the medians, and its interval holds 1 unless something is claimed")
{
    Runs runs(3);
    for (int table = 0; table < 40; ++table) {
        Groups groups = runs.alike(5, 8);
        groups.push_back(runs.draw(8, 93));
        groups.push_back(runs.draw(12, 80));
        const BestOf compared = compareWithBest(groups);
        const double fastest = median(groups[compared.best]);
        for (std::size_t i = 0; i < groups.size(); ++i) {
            const AgainstBest& group = compared.groups[i];
            CHECK(group.ratio == doctest::Approx(median(groups[i]) / fastest).epsilon(0.001));
            CHECK(group.ratio <= 1);
            if (i == compared.best)
                continue;
            REQUIRE(group.interval);
            CHECK(group.interval->low <= group.ratio);
            CHECK((group.interval->high < 1) == (group.p <= kSignificance));
        }
    }
}

TEST_CASE("The stricter the level, the more often runs are dealt, up to a bound beyond which nothing can be shown")
{
    CHECK(permutationsFor(kSignificance) == kLeastPermutations);
    CHECK(permutationsFor(0.001) == 10'000);
    CHECK(permutationsFor(1e-6) == kMostPermutations);
    CHECK(canBeShown(1.0 / kMostPermutations));
    CHECK_FALSE(canBeShown(1e-6));
    const BestOf apart =
        compareWithBest({std::vector<double>(8, 10), std::vector<double>(8, 1)}, 0.0009, permutationsFor(0.0009));
    CHECK(apart.groups[1].p <= 0.0009);
}

TEST_CASE("The fastest is claimed nothing of, and the order of the groups does not count")
{
    Runs runs(11);
    Groups groups = runs.alike(4, 7);
    groups.push_back(runs.draw(9, 90));
    const BestOf compared = compareWithBest(groups);
    CHECK(compared.groups[compared.best].p == 1);
    CHECK_FALSE(compared.groups[compared.best].interval);
    std::reverse(groups.begin(), groups.end());
    const BestOf turned = compareWithBest(groups);
    for (std::size_t i = 0; i < groups.size(); ++i)
        CHECK(turned.groups[i].p == compared.groups[groups.size() - 1 - i].p);
}

TEST_CASE("Runs without any spread are slower or alike, never a fault")
{
    const BestOf apart = compareWithBest({std::vector<double>(6, 10), std::vector<double>(6, 9)});
    CHECK(apart.groups[1].p < 0.01);
    CHECK(*apart.groups[1].interval == Interval{apart.groups[1].ratio, apart.groups[1].ratio});
    const BestOf alike = compareWithBest({std::vector<double>(6, 10), std::vector<double>(6, 10)});
    CHECK(alike.groups[1].p == 1);
    CHECK(compareWithBest({{1, 2, 3, 4, 5, 6}}).groups.at(0).p == 1);
}
