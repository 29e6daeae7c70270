// SPDX-License-Identifier: MIT
#include "core/wire/messages.h"

#include "core/base/words.h"
#include "core/protocol/installedengine.h"
#include <algorithm>

namespace ringside::wire {

namespace {

constexpr std::size_t kMaxPathBytes = 1000;

bool isStepInside(std::string_view step)
{
    return !step.empty() && step != "." && step != "..";
}

bool isPrintable(char c)
{
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
}

std::string describe(const Hello& side)
{
    return Words::tr("{} speaks protocol {} to {}",
                     side.version.empty() ? Words::tr("an unnamed version") : side.version.substr(0, 40),
                     side.protocolMin, side.protocolMax);
}

} // namespace

std::uint32_t requestIdOf(const Message& message)
{
    return std::visit(
        [](const auto& content) -> std::uint32_t {
            if constexpr (requires { content.requestId; })
                return content.requestId;
            else
                return 0;
        },
        message);
}

Result<std::uint32_t> negotiate(const Hello& ours, const Hello& theirs)
{
    if (theirs.protocolMin > theirs.protocolMax)
        return fail(ErrorCode::damaged, Words::tr("The other side claims protocol versions {} to {}.",
                                                  theirs.protocolMin, theirs.protocolMax));
    const std::uint32_t common = std::min(ours.protocolMax, theirs.protocolMax);
    if (common >= ours.protocolMin && common >= theirs.protocolMin)
        return common;
    const std::string both =
        Words::tr("This side ({}) and the other ({}) have no version in common.", describe(ours), describe(theirs));
    if (theirs.protocolMin > ours.protocolMax)
        return fail(ErrorCode::newerVersion, both, Words::tr("Update Ringside on this side."));
    return fail(ErrorCode::unavailable, both, Words::tr("Update Ringside on the other side."));
}

bool isPathInside(std::string_view path)
{
    if (path.empty() || path.size() > kMaxPathBytes || !std::ranges::all_of(path, isPrintable))
        return false;
    for (;;) {
        const std::size_t slash = path.find('/');
        if (!isStepInside(path.substr(0, slash)))
            return false;
        if (slash == std::string_view::npos)
            return true;
        path.remove_prefix(slash + 1);
    }
}

bool isItemName(const Item& item)
{
    const auto slashes = std::ranges::count(item.name, '/');
    if (item.kind == ItemKind::engine)
        return isEngineName(item.name);
    return isPathInside(item.name) && slashes == (item.kind == ItemKind::agent ? 1 : 0) && item.name.front() != '.';
}

} // namespace ringside::wire
