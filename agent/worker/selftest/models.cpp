// SPDX-License-Identifier: MIT
// The table of models.
#include "agent/worker/models/models.h"
#include "agent/worker/selftest/selftest.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ringside {

namespace {

constexpr std::int64_t kItems = 2, kTokens = 4;

CheckResult parameterCounts()
{
    std::string found;
    bool good = true;
    for (const auto& entry : models()) {
        const auto count = entry.make({.classes = entry.classes})->parameterCount();
        good = good && count == entry.parameters;
        found += fmt::format("{}{} {}", found.empty() ? "" : ", ", entry.name, count);
    }
    return passedIf(good, found + "; exactly the published numbers");
}

at::Tensor smallestItems(const ModelEntry& entry)
{
    if (takesTokens(entry))
        return at::randint(entry.classes, {kItems, kTokens}, at::kLong);
    return at::randn({kItems, 3, entry.smallestImage, entry.smallestImage});
}

/// A number for each class of each picture, or for each word of each position.
CheckResult outputShapes()
{
    const at::NoGradGuard noGrad;
    std::string found;
    bool good = true;
    for (const auto& entry : models()) {
        const auto sizes = entry.make({.classes = entry.classes})->forward(smallestItems(entry)).sizes().vec();
        const bool right = sizes == (takesTokens(entry) ? std::vector{kItems, kTokens, entry.classes}
                                                        : std::vector{kItems, entry.classes});
        good = good && right;
        found += fmt::format("{}{} {}", found.empty() ? "" : ", ", entry.name, fmt::join(sizes, " × "));
    }
    return passedIf(good, fmt::format("{} of the smallest items: {}; exactly", kItems, found));
}

} // namespace

std::vector<Check> modelChecks()
{
    return {{"parameter counts", parameterCounts}, {"output shapes", outputShapes}};
}

} // namespace ringside
