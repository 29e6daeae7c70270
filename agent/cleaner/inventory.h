// SPDX-License-Identifier: MIT
// Lists Ringside's files on this site.
#pragma once

#include "agent/cleaner/campaignviews.h"
#include "core/wire/messages.h"

namespace ringside::cleaner {

/// Summing up the sizes of all files is slow where torch lies.
enum class Sizes
{
    summed,
    leftOut
};

/// Blocking. The agent that asks is in use only if another process runs it, too. `asker`: as for campaignViews().
std::vector<wire::InstalledItem> inventory(const fs::path& root, Sizes sizes = Sizes::summed,
                                           const StoreId& asker = {});

/// True if the path lies below the folder, whatever links lead to either.
bool isBelow(const fs::path& path, const fs::path& folder);

/// True if a program below the folder runs now, for this user on this machine; the relay that asked, its long request,
/// which is this process, and probes do not count.
bool isRunningBelow(const fs::path& folder);

/// The folder or file of an item, made of its kind and name.
fs::path pathOf(const fs::path& root, const wire::Item& item);

std::uint64_t bytesBelow(const fs::path& path);

/// Names the campaign that is not over and needs a system; empty: none does.
Reason whoNeedsEngine(const fs::path& root, const std::string& name);

} // namespace ringside::cleaner
