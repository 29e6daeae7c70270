// SPDX-License-Identifier: MIT
// Weak or strong scaling: derived from what is held fixed while ranks vary, never typed.
#pragma once

#include "core/protocol/names.h"
#include "core/spec/experiment.h"

#include <array>
#include <string_view>
#include <vector>

namespace ringside::spec {

/// The batch that is held fixed while ranks vary. none: ranks do not vary; mixed: neither batch is, for all of them, or
/// the work of an item differs.
enum class Scaling
{
    none,
    weak,
    strong,
    mixed
};
constexpr auto namesOf(Scaling)
{
    return std::to_array<std::string_view>({"none", "weak", "strong", "mixed"});
}
using ringside::nameOf;

/// For resolved settings. Configurations that differ in ranks and plan only, among the factors, belong together: they
/// have to hold the same batch of the same work (kWorkKeys).
Scaling scalingOf(const std::vector<const Settings*>& configurations, const std::vector<Factor>& factors);

} // namespace ringside::spec
