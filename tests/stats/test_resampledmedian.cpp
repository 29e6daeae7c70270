// SPDX-License-Identifier: MIT
#include "core/stats/quantile.h"
#include "core/stats/resampledmedian.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <map>

using namespace ringside::stats;

namespace {

/// By writing out all n^n resamples.
std::map<double, double> writtenOut(const std::vector<double>& values)
{
    const std::size_t n = values.size();
    const auto all = static_cast<std::size_t>(std::llround(std::pow(n, n)));
    std::map<double, double> shares;
    for (std::size_t resample = 0; resample < all; ++resample) {
        std::vector<double> drawn;
        for (std::size_t digits = resample; drawn.size() < n; digits /= n)
            drawn.push_back(values[digits % n]);
        shares[median(drawn)] += 1 / static_cast<double>(all);
    }
    return shares;
}

} // namespace

TEST_CASE("Medians of resamples have the shares that writing out all resamples gives")
{
    const std::vector<double> values = {7, 1, 2, 40, 4, 8};
    for (std::size_t n = 1; n <= values.size(); ++n) {
        const std::vector<double> some(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
        std::map<double, double> shares;
        for (const WeightedValue& median : resampledMedians(some))
            shares[median.value] += median.weight;
        const std::map<double, double> expected = writtenOut(some);
        CAPTURE(n);
        REQUIRE(shares.size() == expected.size());
        for (const auto& [value, share] : expected)
            CHECK(shares.at(value) == doctest::Approx(share).epsilon(1e-10));
    }
}

TEST_CASE("Shares add up to one for any number of runs, and medians ascend")
{
    for (const int n : {6, 7, 20, 99, 100, 400}) {
        std::vector<double> values;
        for (int i = 0; i < n; ++i)
            values.push_back(100 + (i * 37) % n);
        double sum = 0, before = 0;
        for (const WeightedValue& median : resampledMedians(values)) {
            CHECK(median.value >= before);
            CHECK(median.weight >= 0);
            before = median.value;
            sum += median.weight;
        }
        CHECK(sum == doctest::Approx(1).epsilon(1e-9));
    }
}

TEST_CASE("Of many values no more medians are listed than have a share")
{
    std::vector<double> values;
    for (int i = 0; i < 10'000; ++i)
        values.push_back(i);
    const auto medians = resampledMedians(values);
    CHECK(medians.size() < 10 * values.size()); // all pairs are 50 million
    double sum = 0, square = 0;
    for (const WeightedValue& median : medians) {
        sum += median.weight;
        square += median.weight * (median.value - 4'999.5) * (median.value - 4'999.5);
    }
    CHECK(sum == doctest::Approx(1).epsilon(1e-9));
    CHECK(std::sqrt(square) == doctest::Approx(std::sqrt(10'000) / 2).epsilon(0.001)); // of order statistics of many
}
