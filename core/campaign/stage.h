// SPDX-License-Identifier: MIT
// Stages of a campaign, as the store records them.
#pragma once

#include "core/protocol/names.h"

#include <array>
#include <string_view>

namespace ringside::campaign {

/// In the order of a campaign's life; it never goes back, except from submitted to submitting when a runner died.
enum class Stage
{
    waiting,    ///< planned; its site carries out another one first
    submitting, ///< from before the first byte is sent until the site has answered; it may have arrived or not
    submitted,  ///< the site has it
    ended,      ///< nothing further will happen, and all that its runs left has been read
};
constexpr auto namesOf(Stage)
{
    return std::to_array<std::string_view>({"waiting", "submitting", "submitted", "ended"});
}

/// True while the site may have it.
constexpr bool isHandedOver(Stage stage)
{
    return stage == Stage::submitting || stage == Stage::submitted;
}

} // namespace ringside::campaign
