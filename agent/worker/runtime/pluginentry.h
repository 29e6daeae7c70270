// SPDX-License-Identifier: MIT
// Our own plug-ins, files beside the program.
#pragma once

#include "core/base/sharedlibrary.h"

#include <string_view>

namespace ringside {

/// Finds the symbol of this name, of a type that begins with `interface` and `version`. Fails with notFound where the
/// program was built without the plug-in, and with unavailable where it cannot be loaded or belongs to another program.
/// `what` is its purpose, `hint` how to get one.
template <class Entry>
Result<const Entry*> loadPluginEntry(const fs::path& file, const char* name, int interface, std::string_view what,
                                     const char* hint)
{
    std::error_code none;
    if (!fs::exists(file, none))
        return fail(ErrorCode::notFound,
                    fmt::format("This ringside-worker was built without {}: there is no {}.", what, file.string()),
                    hint);
    const auto library = SharedLibrary::open(file);
    if (!library)
        return fail(ErrorCode::unavailable,
                    fmt::format("{} cannot be loaded: {}", file.string(), library.error().message), hint);
    const auto* entry = library->template find<const Entry>(name);
    if (entry && entry->interface == interface && std::string_view(entry->version) == RINGSIDE_VERSION)
        return entry;
    return fail(ErrorCode::unavailable,
                fmt::format("{} does not belong to this ringside-worker ({}).", file.string(), RINGSIDE_VERSION),
                "Build both from the same source.");
}

} // namespace ringside
