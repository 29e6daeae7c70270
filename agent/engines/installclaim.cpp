// SPDX-License-Identifier: MIT
#include "agent/engines/installclaim.h"

#include "agent/engines/watchedcommands.h"

#include <thread>

namespace ringside::engines {

namespace {

constexpr std::size_t kProgressBytes = 4096;

void removeOrder(const fs::path& folder)
{
    std::error_code ignored;
    fs::remove(folder / "cancel", ignored);
}

} // namespace

Result<runner::FolderClaim> awaitInstallClaim(const std::string& name, const fs::path& folder,
                                              const builder::Deadline& deadline, const builder::Report& report)
{
    TRY(makePrivateFolder(folder));
    for (bool hasWaited = false;; hasWaited = true) {
        auto claim = runner::FolderClaim::take(folder);
        if (claim && !hasWaited)
            removeOrder(folder); // of an installation that has ended
        if (isThere(folder / "cancel"))
            return tl::unexpected(cancelledError(name));
        if (hasWaited && !claim && claim.error().code == ErrorCode::notFound)
            return fail(ErrorCode::cancelled, fmt::format("Another installation of {} ended early.", name),
                        "Install it again if it is still needed.");
        if (claim || claim.error().code != ErrorCode::busy || deadline.leftNs() <= 0)
            return claim;
        const auto theirs = builder::progressOf(readFile(folder / "progress", kProgressBytes).value_or(""));
        report({"wait", theirs ? theirs->percent : 0,
                theirs ? theirs->text : std::string("Another process is already installing it")});
        std::this_thread::sleep_for(kLookPeriod);
    }
}

void dropOldOrder(const fs::path& folder)
{
    if (const auto claim = runner::FolderClaim::take(folder))
        removeOrder(folder);
}

} // namespace ringside::engines
