// SPDX-License-Identifier: MIT
#include "core/campaign/stage.h"

#include <algorithm>
#include <array>

namespace ringside::campaign {

namespace {
constexpr std::array<std::string_view, 4> kNames = {"waiting", "submitting", "submitted", "ended"};
} // namespace

std::string_view nameOf(Stage stage)
{
    return kNames[static_cast<std::size_t>(stage)];
}

std::optional<Stage> stageFromName(std::string_view name)
{
    const auto found = std::ranges::find(kNames, name);
    if (found == kNames.end())
        return std::nullopt;
    return static_cast<Stage>(found - kNames.begin());
}

bool isHandedOver(Stage stage)
{
    return stage == Stage::submitting || stage == Stage::submitted;
}

} // namespace ringside::campaign
