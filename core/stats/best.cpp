// SPDX-License-Identifier: MIT
#include "core/stats/best.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <random>

namespace ringside::stats {
namespace {

constexpr std::uint64_t kSeed = 20'170'601;

/// Weights of the order statistics of n values in the variance of their median: Maritz & Jarrett, JASA 73, 1978.
std::vector<double> varianceWeights(std::size_t n)
{
    const double half = (static_cast<double>(n) + 1) / 2;
    std::vector<double> weights;
    double before = 0;
    for (std::size_t i = 1; i <= n; ++i) {
        const double upTo = boost::math::ibeta(half, half, static_cast<double>(i) / static_cast<double>(n));
        weights.push_back(upTo - before);
        before = upTo;
    }
    return weights;
}

/// Differences of logarithms are ratios; the variance is that of the median over its square.
struct Centre
{
    double logMedian = 0, variance = 0;
};

Centre centreOf(double* first, const std::vector<double>& weights)
{
    const std::size_t n = weights.size();
    std::sort(first, first + n);
    double mean = 0, square = 0;
    const double median = (first[(n - 1) / 2] + first[n / 2]) / 2;
    for (std::size_t i = 0; i < n; ++i) {
        const double away = first[i] / median - 1;
        mean += weights[i] * away;
        square += weights[i] * away * away;
    }
    return {std::log(median), std::max(0.0, square - mean * mean)};
}

double errorOf(const Centre& a, const Centre& b)
{
    return std::sqrt(a.variance + b.variance);
}

/// Returns the distance below the best, in standard errors of the difference: groups may differ in spread and in size.
double distance(const Centre& best, const Centre& group)
{
    const double difference = best.logMedian - group.logMedian, error = errorOf(best, group);
    if (error > 0)
        return difference / error;
    return difference > 0 ? std::numeric_limits<double>::infinity() : 0;
}

std::size_t highest(const std::vector<Centre>& centres)
{
    return static_cast<std::size_t>(std::ranges::max_element(centres, {}, &Centre::logMedian) - centres.begin());
}

double greatestDistance(const std::vector<Centre>& centres)
{
    const Centre& best = centres[highest(centres)];
    double greatest = 0;
    for (const Centre& centre : centres)
        greatest = std::max(greatest, distance(best, centre));
    return greatest;
}

// std::shuffle differs between standard libraries; the high half of a product does not.
void shuffle(std::vector<double>& values, std::mt19937_64& random)
{
    for (std::size_t left = values.size(); left > 1; --left)
        std::swap(values[left - 1], values[((random() >> 32) * left) >> 32]);
}

/// Returns the greatest distances, ascending, that arise if the values are dealt to groups of these sizes at random.
/// `pooled` is sorted first, and so are the sizes: the order in which groups are listed must not count.
std::vector<double> greatestDistances(std::vector<double> pooled, std::vector<std::size_t> sizes, int permutations)
{
    std::ranges::sort(pooled);
    std::ranges::sort(sizes);
    std::map<std::size_t, std::vector<double>> weights;
    for (const std::size_t size : sizes)
        if (!weights.contains(size))
            weights[size] = varianceWeights(size);
    std::mt19937_64 random(kSeed);
    std::vector<Centre> centres(sizes.size());
    std::vector<double> distances;
    for (int i = 0; i < permutations; ++i) {
        shuffle(pooled, random);
        double* first = pooled.data();
        for (std::size_t g = 0; g < sizes.size(); first += sizes[g++])
            centres[g] = centreOf(first, weights[sizes[g]]);
        distances.push_back(greatestDistance(centres));
    }
    std::ranges::sort(distances);
    return distances;
}

/// The observed deal is one of them: p is never 0.
double shareBeyond(const std::vector<double>& distances, double observed)
{
    const auto beyond = distances.end() - std::ranges::lower_bound(distances, observed);
    return static_cast<double>(beyond + 1) / static_cast<double>(distances.size() + 1);
}

/// Dealing mixes the spreads of two groups; where they are unequal, one pair alone is judged by Student's t with the
/// degrees of freedom of the smaller one, which no choice of the spreads makes too small.
boost::math::students_t_distribution<double> ofPair(std::size_t a, std::size_t b)
{
    return boost::math::students_t_distribution<double>(static_cast<double>(std::min(a, b)) - 1);
}

/// The least distance that is significant is greater than this; nullopt: with so few permutations none is.
std::optional<double> criticalDistance(const std::vector<double>& distances, double significance)
{
    const double allowed =
        std::floor(significance * static_cast<double>(distances.size() + 1) + 1e-9); // itself included
    if (allowed < 1)
        return std::nullopt;
    return distances[distances.size() - static_cast<std::size_t>(allowed)];
}

class StepDown
{
public:
    StepDown(const std::vector<std::vector<double>>& groups, double significance, int permutations)
        : m_groups(groups)
        , m_significance(significance)
        , m_permutations(permutations)
    {
        for (std::vector<double> group : groups)
            m_centres.push_back(centreOf(group.data(), varianceWeights(group.size())));
        m_result.best = highest(m_centres);
        m_result.groups.resize(groups.size());
        for (std::size_t i = 0; i < groups.size(); ++i)
            if (i != m_result.best)
                m_left.push_back(i);
        const auto nearness = [&](std::size_t i) { return distance(best(), m_centres[i]); };
        std::ranges::stable_sort(m_left, {}, nearness);
    }

    /// The farthest is judged among all; once it is found slower, the next one among those that are left.
    BestOf run()
    {
        while (!m_left.empty()) {
            const std::vector<double> distances = reference();
            while (!m_left.empty() && judge(m_left.back(), distances) > m_significance)
                m_left.pop_back(); // nothing nearer can be slower
            if (!m_left.empty())
                m_left.pop_back();
        }
        return m_result;
    }

private:
    const Centre& best() const { return m_centres[m_result.best]; }

    std::vector<double> reference() const
    {
        std::vector<double> pooled = m_groups[m_result.best];
        std::vector<std::size_t> sizes = {pooled.size()};
        for (const std::size_t i : m_left) {
            pooled.insert(pooled.end(), m_groups[i].begin(), m_groups[i].end());
            sizes.push_back(m_groups[i].size());
        }
        return greatestDistances(std::move(pooled), std::move(sizes), m_permutations);
    }

    double judge(std::size_t i, const std::vector<double>& distances)
    {
        AgainstBest& group = m_result.groups[i];
        const double difference = m_centres[i].logMedian - best().logMedian;
        const double away = distance(best(), m_centres[i]);
        const auto pair = ofPair(m_groups[i].size(), m_groups[m_result.best].size());
        m_least = std::max({m_least, shareBeyond(distances, away), 2 * cdf(complement(pair, away))});
        group.p = m_least;
        group.ratio = std::exp(difference);
        if (const auto critical = criticalDistance(distances, m_significance)) {
            const double least = quantile(complement(pair, m_significance / 2));
            const double error = errorOf(best(), m_centres[i]);
            const double reach = error > 0 ? std::max(*critical, least) * error : 0;
            group.interval = Interval{std::exp(difference - reach), std::exp(difference + reach)};
        }
        return group.p;
    }

    const std::vector<std::vector<double>>& m_groups;
    double m_significance;
    int m_permutations;
    std::vector<Centre> m_centres;
    std::vector<std::size_t> m_left; ///< those not judged yet, the farthest last
    double m_least = 0;              ///< p of the last one that was judged: a nearer one has no smaller p
    BestOf m_result;
};

} // namespace

int permutationsFor(double significance)
{
    return static_cast<int>(std::clamp<double>(std::ceil(10 / significance), kLeastPermutations, kMostPermutations));
}

bool canBeShown(double significance)
{
    return significance * (permutationsFor(significance) + 1) >= 1;
}

BestOf compareWithBest(const std::vector<std::vector<double>>& groups, double significance, int permutations)
{
    return StepDown(groups, significance, permutations).run();
}

} // namespace ringside::stats
