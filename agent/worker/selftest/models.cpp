// SPDX-License-Identifier: MIT
// The table of models.
#include "agent/worker/models/models.h"
#include "agent/worker/selftest/selftest.h"

#include <ATen/ATen.h>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ringside {

namespace {

constexpr std::int64_t kItems = 2, kTokens = 4;

at::Tensor smallestItems(const ModelEntry& entry)
{
    if (takesTokens(entry))
        return at::randint(entry.classes, {kItems, kTokens}, at::kLong);
    return at::randn({kItems, 3, entry.smallestImage, entry.smallestImage});
}

/// A number for each class of each picture, or for each word of each position.
std::vector<std::int64_t> expectedSizes(const ModelEntry& entry)
{
    return takesTokens(entry) ? std::vector{kItems, kTokens, entry.classes} : std::vector{kItems, entry.classes};
}

/// Each is made once: to draw the weights takes longest.
CheckResult everyModel()
{
    std::string found;
    bool good = true;
    for (const auto& entry : models()) {
        const auto model = entry.make({.classes = entry.classes});
        const Work work = model->workPerItem(takesTokens(entry) ? kTokens : entry.smallestImage);
        const at::NoGradGuard noGrad;
        const auto sizes = model->forward(smallestItems(entry)).sizes().vec();
        const bool right = model->parameterCount() == entry.parameters && sizes == expectedSizes(entry) &&
                           work.forward > 0 && work.backward > work.forward;
        good = good && right;
        found += fmt::format("{}{} {}, {}, {:.2g}{}", found.empty() ? "" : "; ", entry.name, model->parameterCount(),
                             fmt::join(sizes, " × "), static_cast<double>(work.total()), right ? "" : " (WRONG)");
    }
    return passedIf(good, found + "; numbers as published, sizes exactly, operations above 0");
}

struct Published
{
    const char* model;
    double multiplyAdds; ///< in thousands of millions, of an image of 224 pixels, as in torchvision 0.26
};
constexpr Published kPublished[] = {{"alexnet", 0.714}, {"googlenet", 1.498}, {"resnet50", 4.089}};
constexpr double kLastDigit = 0.0005;

CheckResult publishedWork()
{
    const at::NoGradGuard noGrad; // forward alone
    std::string found;
    bool good = true;
    for (const auto& [name, multiplyAdds] : kPublished) {
        const auto model = findModel(name)->make({.classes = 1000});
        const double counted = static_cast<double>(model->workPerItem(224).forward) / 2e9;
        good = good && std::abs(counted - multiplyAdds) <= kLastDigit;
        found += fmt::format("{} {:.3f} ({:.3f}), ", name, counted, multiplyAdds);
    }
    return passedIf(good, fmt::format("{}10⁹ multiply-adds (published), to {}", found, kLastDigit));
}

} // namespace

std::vector<Check> modelChecks()
{
    return {{"parameters, outputs and work of the smallest items", everyModel}, {"work of an image", publishedWork}};
}

} // namespace ringside
